"""The header of a transcript: its rules, its layout and its deck must be those of a game."""

from collections import Counter
from dataclasses import fields
from functools import cache
from typing import NamedTuple

from simcore.board import SPACE_NAMES, LayoutError, lines, parse_board
from simcore.cards import KINDS, NAMES, PLAIN
from simcore.rules import Rules, RulesError
from simcore.transcripts import Breach, Event, shown

KIND = dict(zip(NAMES, KINDS, strict=True))
"""PLAIN, TWO_EYED or ONE_EYED by the text of a card."""

_CLAUSES = {f.name: f.metadata["clause"] for f in fields(Rules)}
_RULES = _CLAUSES.keys() - {"board", "first_seat"}
"""The keys of `rules` in a header; the other two are keys of the header itself."""


class Geometry(NamedTuple):
    """The lines of one length; a line is a number with a bit for each of its spaces."""

    through: list[tuple[int, ...]]
    """By space: the lines that run through it, in line order (rules 8.3)."""
    named: dict[tuple[str, ...], int]
    """The line by the names of its spaces in a row, from either end."""


@cache
def geometry(length: int) -> Geometry:
    """Return the lines of a length (rules 8.1)."""
    through: list[list[int]] = [[] for _ in SPACE_NAMES]
    named = {}
    for spaces in lines(length).spaces.tolist():
        line = sum(1 << space for space in spaces)
        names = tuple(SPACE_NAMES[space] for space in spaces)
        named[names] = named[names[::-1]] = line
        for space in spaces:
            through[space].append(line)
    return Geometry([tuple(some) for some in through], named)


def packs(rules: Rules) -> list[dict[str, int]]:
    """Return how often each card is in the packs that lie one on the other (rules 3.1, 3.2).

    The jacks of a kind go to the two packs in turn. Packs that are shuffled together are one.
    """
    plain = [card for card in NAMES if KIND[card] == PLAIN]
    first, second = Counter(plain), Counter(plain)
    kinds = (("JD", "JC", rules.two_eyed_jacks), ("JS", "JH", rules.one_eyed_jacks))
    for one, other, count in kinds:
        jacks = [one] * ((count + 1) // 2) + [other] * (count // 2)
        first.update(jacks[::2])
        second.update(jacks[1::2])
    return [dict(first), dict(second)] if rules.deal == "single_deck" else [dict(first + second)]


class Setup:
    """What all games under the same rules on the same layout share.

    Raises Breach if the rules or the layout are none (rules 1 to 10, 2.2).
    """

    def __init__(self, switches: Event, board: list[list[str]]) -> None:
        self.rules = _checked_rules(switches)
        try:
            rows = parse_board(board, "layout").rows()
        except LayoutError as error:
            raise Breach("2.2", f"start: {error}") from None
        self.printed = [card for row in rows for card in row]
        self.spaces_of: dict[str, list[int]] = {}
        for space, card in enumerate(self.printed):
            self.spaces_of.setdefault(card, []).append(space)
        self.through, self.lines = geometry(self.rules.line_length)
        self.packs = packs(self.rules)


def _checked_rules(switches: Event) -> Rules:
    """Return the rules of a header, with every switch in force (transcript)."""
    if switches.keys() != _RULES:
        missing, unknown = sorted(_RULES - switches.keys()), sorted(switches.keys() - _RULES)
        wrong = f"no {missing[0]}" if missing else f"unknown key {shown(unknown[0])}"
        raise Breach("transcript", f"start: rules: {wrong}")
    for name, value in switches.items():
        if value is None:
            raise Breach(_CLAUSES[name], f"start: rules: {name} is null, not the value in force")
    try:
        return Rules.from_settings(switches)
    except RulesError as error:
        name = str(error).split()[1]  # "rules: chips is ..."
        raise Breach(_CLAUSES.get(name, "transcript"), f"start: {error}") from None
