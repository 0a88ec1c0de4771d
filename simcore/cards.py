"""Cards as codes and as text.

A card is a code from 0 to 51: rank + 13 * suit, ranks `2` to `A`, suits S H D C. The two copies of
a card in the two packs have the same code.
"""

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("S", "H", "D", "C")
CARDS = 52

PLAIN, TWO_EYED, ONE_EYED = 0, 1, 2

NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The text of every card by its code, such as `10S`."""

CODES = {name: code for code, name in enumerate(NAMES)}
"""The code of every card by its text."""

JD, JC, JS, JH = CODES["JD"], CODES["JC"], CODES["JS"], CODES["JH"]


def kind(card: int) -> int:
    """Return PLAIN, TWO_EYED (JD, JC) or ONE_EYED (JS, JH) (rules 3.1)."""
    if card in (JD, JC):
        return TWO_EYED
    return ONE_EYED if card in (JS, JH) else PLAIN


KINDS = tuple(kind(card) for card in range(CARDS))
