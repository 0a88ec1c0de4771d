"""Cut what is to be played on a cluster into pieces of a few seconds.

Parts stay what they are, so that a run may be gone on with anywhere: fast bots play several parts
in a piece, slow ones a part in several pieces.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from simcore.simulation import Part

SECONDS = 2.5
"""How long a piece is to take: a tenth of a second goes by between two."""
_LEAST_SECONDS = 0.5
"""What pieces may come down to at the end, where some threads would wait for others."""
_WHOLE_SECONDS = 2.0
"""A part that takes no longer is not cut: to put it together again takes a third of a second."""
_FIRST_GAMES = 16
"""A first piece, of bots of which nothing is known; a model may take a second a game."""
_GROWTH = 8
"""How many times as long as any before a piece may be."""


class Piece(NamedTuple):
    """Whole `parts`, or `deals` of one part from `first_deal` on."""

    parts: tuple[Part, ...]
    first_deal: int
    deals: int

    @property
    def whole(self) -> bool:
        """Whether no part is cut."""
        return self.deals == sum(part.deals for part in self.parts)


class Pieces:
    """Hands out pieces, in order, and learns from those that come back how long they should be."""

    def __init__(self, parts: Iterable[Part], games_of_deal: int) -> None:
        self._parts = deque(parts)
        self._games_of_deal = games_of_deal
        self._begun = 0
        """Deals of the first part that were handed out."""
        self.left = sum(part.deals for part in self._parts)
        """Deals that were not handed out yet."""
        self._rate: float | None = None
        self._most = 0

    def learn(self, deals: int, seconds: float) -> None:
        """Take in how long a thread took for a piece."""
        rate = deals / max(seconds, 1e-3)
        if self._rate is None or deals > 2 * self._most:  # small pieces seem slower than they are
            self._rate = rate
        else:
            self._rate += (rate - self._rate) / 2 * min(1.0, deals / self._most)
        self._most = max(self._most, deals)

    def next(self, threads: int) -> Piece | None:
        """Return a piece for one of so many threads; None if all are handed out."""
        if not self._parts:
            return None
        wanted, uncut = self._sizes(threads)
        part = self._parts[0]
        rest = part.deals - self._begun
        if self._begun or part.deals > uncut:
            deals = rest if rest <= 1.5 * wanted else wanted
            piece = Piece((part,), part.first_deal + self._begun, deals)
            self._begun += deals
            if deals == rest:
                self._parts.popleft()
                self._begun = 0
        else:
            piece = self._several(wanted)
        self.left -= piece.deals
        return piece

    def _several(self, wanted: int) -> Piece:
        """Return as many whole parts as are wanted, at least one."""
        parts = [self._parts.popleft()]
        deals = parts[0].deals
        while self._parts and deals + self._parts[0].deals <= wanted:
            parts.append(self._parts.popleft())
            deals += parts[-1].deals
        return Piece(tuple(parts), parts[0].first_deal, deals)

    def _sizes(self, threads: int) -> tuple[int, float]:
        """Return the deals that a piece should have, and those up to which no part is cut."""
        if self._rate is None:
            return max(1, _FIRST_GAMES // self._games_of_deal), _FIRST_GAMES / self._games_of_deal
        fair = self.left / (2 * threads)
        wanted = min(self._rate * SECONDS, max(fair, self._rate * _LEAST_SECONDS))
        most = self._most * _GROWTH
        return max(1, int(min(wanted, most))), min(
            max(1.5 * wanted, self._rate * _WHOLE_SECONDS), most
        )
