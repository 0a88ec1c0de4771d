"""Transcripts, what can be done to them, and the line at which the referee stops.

The games are those of `naive.py`, which the engine has no part in, so that what comes of each
damage never changes with the engine.
"""

from __future__ import annotations

import copy
import functools
import io
import itertools
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import naive
from helpers import SWITCHES, TABLES, random_change, variant
from naive import Event, Illegal, Line

from simcore.cards import NAMES
from simcore.judge import Finding, judge
from simcore.rules import Rules, RulesError
from simcore.transcripts import SHAPES

Lines = list[Event]
"""A transcript, its header first."""

BOARD = Rules().load_board().rows()


def make_rules(rng: random.Random) -> Rules:
    """Return rules with some switches changed that fit together."""
    while True:
        try:
            return variant(*rng.choice(TABLES), random_change(rng) if rng.random() < 0.8 else {})
        except RulesError:
            pass


@functools.cache
def sample(seed: int) -> Lines:
    """Return a game at random under rules at random."""
    rng = random.Random(seed)
    return referee_game(make_rules(rng), rng)


def referee_game(rules: Rules, rng: random.Random) -> Lines:
    """Return a game of the referee's own, which plays at random."""
    switches = rules.settings()
    del switches["board"], switches["first_seat"]
    header, events = naive.random_game(switches, rules.load_board().rows(), rng)
    return [header, *events]


class Referee(naive.Game):
    """The referee, but any of the largest sets may score, in any order (rules 8.3).

    `naive.Game` wants the first set, in line order: that is what the engine has to do.
    """

    def _place(self, event: Event) -> None:
        self.sets: list[set[Line]] = []
        super()._place(event)
        if not self.owed:
            return
        team, most = self.team(self.seat), self.rules["shared_spaces"]
        space = naive.number(event["space"])
        full = [
            line
            for line in self.lines
            if space in line and all(self.counts_for(team, each) for each in line)
        ]
        full = [x for x in full if all(naive.common(x, y) <= most for y in self.sequences[team])]
        self.sets = [
            set(some)
            for some in itertools.combinations(full, len(self.owed))
            if all(naive.common(a, b) <= most for a, b in itertools.combinations(some, 2))
        ]

    def _sequence(self, event: Event) -> None:
        line = tuple(naive.number(space) for space in event["spaces"])
        self.sets = [some - {line} for some in self.sets if line in some]
        if not self.sets:
            raise Illegal("8.3", f"{line} is in no largest set")
        self.sequences[self.team(self.seat)].append(line)
        self.owed.pop()
        self._after_play()


def as_bytes(lines: Lines) -> bytes:
    """Return a transcript as a file has it."""
    return b"".join(json.dumps(event).encode() + b"\n" for event in lines)


def verdicts(data: bytes) -> list[Finding | None]:
    """Return what the judge says to a file, game by game."""
    return list(judge(io.BytesIO(data)))


def only(data: bytes) -> Finding:
    """Return the one finding in a file of one game."""
    (finding,) = verdicts(data)
    assert finding is not None
    return finding


RICH = Rules(players=4, table_talk=0.08, forget_draw=0.08, dead_card_exchanges=-1, max_turns=400,
             sequences_to_win=3, free_corners=False)  # fmt: skip


def rich_game() -> Lines:
    """Return a game that is won and in which everything happens."""
    for seed in range(50):
        lines = referee_game(RICH, random.Random(seed))
        if {event["do"] for event in lines} == SHAPES.keys() and lines[-1]["winner"] is not None:
            return lines
    raise AssertionError("no such game")


def changed(lines: Lines, **change: Any) -> bytes:
    """Return a transcript with another header."""
    return as_bytes([lines[0] | change, *lines[1:]])


def with_rules(lines: Lines, **change: Any) -> bytes:
    """Return a transcript with other switches."""
    return changed(lines, rules=lines[0]["rules"] | change)


@dataclass(frozen=True)
class Stop:
    """Where the referee stops: the number of the line, from 1, and the clause."""

    line: int
    clause: str


def opened(header: Event) -> Referee:
    """Return the referee's game at its deal."""
    if header["do"] != "start":
        raise Illegal("transcript", "no start line")
    return Referee(header["rules"], header["board"], header["first_seat"], header["hands"])


def hear(game: Referee, lines: Lines, at: int) -> Stop | None:
    """Let a game before line `at` (from 0) go on; return where it stops, None if it is legal."""
    for number in range(at, len(lines)):
        if lines[number]["do"] == "start":
            return Stop(number + 1, "transcript")
        try:
            game.apply(lines[number])
        except Illegal as illegal:
            return Stop(number + 1, illegal.clause)
    return None if game.phase == "over" else Stop(len(lines) + 1, "transcript")


def stops(lines: Lines, damaged: list[tuple[int, Lines]]) -> list[Stop | None]:
    """Return where the referee stops in each transcript that differs from line `at` on.

    `damaged` are pairs of `at`, from 0, and a transcript. The game before `at` is played once.
    """
    found: list[Stop | None] = [None] * len(damaged)
    game = opened(lines[0])
    done = 1
    for number in sorted(range(len(damaged)), key=lambda number: damaged[number][0]):
        at, changed = damaged[number]
        if at == 0:
            found[number] = judged(changed)
            continue
        for event in lines[done:at]:
            game.apply(event)
        done = at
        found[number] = hear(copy.deepcopy(game), changed, at)
    return found


def judged(lines: Lines) -> Stop | None:
    """Return where the referee stops in a transcript, None if it is legal."""
    try:
        game = opened(lines[0])
    except Illegal as illegal:
        return Stop(1, illegal.clause)
    return hear(game, lines, 1)


# Damages: each changes one thing at a line, and returns None where there is no such thing.

Damage = Callable[[random.Random, Lines, int], Lines | None]


def _with(lines: Lines, at: int, **change: object) -> Lines:
    return [*lines[:at], lines[at] | change, *lines[at + 1 :]]


def _other(rng: random.Random, choices: object, but: object) -> object:
    return rng.choice([choice for choice in choices if choice != but])  # type: ignore[attr-defined]


def _change(key: str, *kinds: str) -> Callable[[Damage], Damage]:
    """Decorate what returns another value of a key, in lines of some kinds or of all."""

    def decorate(value: Callable[[random.Random, Lines, int], object]) -> Damage:
        def damage(rng: random.Random, lines: Lines, at: int) -> Lines | None:
            if key not in lines[at] or (kinds and lines[at]["do"] not in kinds):
                return None
            return _with(lines, at, **{key: value(rng, lines, at)})

        return damage

    return decorate  # type: ignore[return-value]


@_change("card", "place", "remove")
def card_played(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, NAMES, lines[at]["card"])


@_change("card", "draw")
def card_drawn(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, NAMES, lines[at]["card"])


@_change("card", "forfeit", "exchange")
def card_given_up(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, NAMES, lines[at]["card"])


@_change("space")
def space(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, naive.SPACES, lines[at]["space"])


@_change("space", "place")
def twin_space(rng: random.Random, lines: Lines, at: int) -> object:
    """Return the other space that shows the card, of a jack any that shows the same card."""
    printed = list(itertools.chain(*lines[0]["board"]))
    own = lines[at]["space"]
    twins = [s for s, card in zip(naive.SPACES, printed, strict=True)
             if card == printed[naive.number(own)] and s != own]  # fmt: skip
    return rng.choice(twins)


@_change("seat")
def seat(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, range(lines[0]["rules"]["players"]), lines[at]["seat"])


@_change("turn")
def turn(rng: random.Random, lines: Lines, at: int) -> object:
    return lines[at]["turn"] + rng.choice((-1, 1, 10))


@_change("cards")
def cards_reshuffled(rng: random.Random, lines: Lines, at: int) -> object:
    return lines[at]["cards"] + rng.choice((-1, 1))


@_change("team")
def team_talking(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, range(lines[0]["rules"]["teams"]), lines[at]["team"])


@_change("spaces")
def line_scored(rng: random.Random, lines: Lines, at: int) -> object:
    own = lines[at]["spaces"]
    every = naive.lines(len(own))
    near = [[naive.name(s) for s in line] for line in every if naive.number(own[2]) in line]
    return _other(rng, near, own)


@_change("winner")
def winner(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, (None, *range(lines[0]["rules"]["teams"])), lines[at]["winner"])


@_change("reason")
def reason(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, naive.ENDS, lines[at]["reason"])


@_change("turns")
def turns(rng: random.Random, lines: Lines, at: int) -> object:
    return lines[at]["turns"] + rng.choice((-1, 1))


@_change("sequences")
def score(rng: random.Random, lines: Lines, at: int) -> object:
    own = list(lines[at]["sequences"])
    own[rng.randrange(len(own))] += 1
    return own


@_change("first_seat")
def first_seat(rng: random.Random, lines: Lines, at: int) -> object:
    return _other(rng, range(lines[0]["rules"]["players"]), lines[at]["first_seat"])


@_change("hands")
def card_dealt(rng: random.Random, lines: Lines, at: int) -> object:
    hands = copy.deepcopy(lines[0]["hands"])
    hand = rng.choice(hands)
    slot = rng.randrange(len(hand))
    hand[slot] = _other(rng, NAMES, hand[slot])
    return hands


@_change("board")
def layout(rng: random.Random, lines: Lines, at: int) -> object:
    """Let two spaces change places."""
    flat = list(itertools.chain(*lines[0]["board"]))
    inner = [space for space in range(100) if space not in naive.CORNERS]
    while True:
        one, other = rng.sample(inner, 2)
        if flat[one] != flat[other]:
            flat[one], flat[other] = flat[other], flat[one]
            return [flat[row : row + 10] for row in range(0, 100, 10)]


@_change("strategies")
def strategy(rng: random.Random, lines: Lines, at: int) -> object:
    return ["nobody", *lines[0]["strategies"][1:]]


@_change("rules")
def rule(rng: random.Random, lines: Lines, at: int) -> object:
    """Return rules that are as good, with another value of one switch."""
    own = lines[0]["rules"]
    while True:
        name, values = rng.choice(SWITCHES)
        new = rng.choice(values)
        new = list(new) if isinstance(new, tuple) else new
        if name in own and own[name] != new:
            try:
                Rules.from_settings(own | {name: new})
            except RulesError:
                continue
            return own | {name: new}


def number(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    """Change the seed, the deal or the game of the header."""
    key = rng.choice(("seed", "deal", "game"))
    return None if at else _with(lines, at, **{key: lines[0][key] + 1})


_SAME_KEYS = (("place", "remove"), ("draw", "exchange", "forfeit"), ("forget", "pass"))


def word(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    """Let something else happen that is told with the same keys."""
    for words in _SAME_KEYS:
        if lines[at]["do"] in words:
            return _with(lines, at, do=_other(rng, words, lines[at]["do"]))
    return None


def line_dropped(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    return [*lines[:at], *lines[at + 1 :]]


def line_doubled(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    return [*lines[: at + 1], *lines[at:]]


def lines_swapped(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    if at + 1 == len(lines):
        return None
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def cut_off(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    return lines[:at] if at else None


def sequence_dropped(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    return line_dropped(rng, lines, at) if lines[at]["do"] == "sequence" else None


def sequence_added(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    """Add a line through the space just played on, after what it did score."""
    if lines[at - 1]["do"] not in ("place", "sequence") or lines[at]["do"] == "sequence":
        return None
    last = next(event for event in lines[at - 1 :: -1] if event["do"] == "place")
    every = naive.lines(lines[0]["rules"]["line_length"])
    near = [line for line in every if naive.number(last["space"]) in line]
    spaces = [naive.name(each) for each in rng.choice(near)]
    stub = {"turn": last["turn"], "seat": last["seat"], "do": "sequence"}
    return [*lines[:at], stub | {"spaces": spaces}, *lines[at:]]


def play_after_the_end(rng: random.Random, lines: Lines, at: int) -> Lines | None:
    return [*lines, lines[at]] if at else None


DAMAGES: dict[str, Damage] = {
    "card played": card_played,
    "card drawn": card_drawn,
    "card given up": card_given_up,
    "space": space,
    "twin space": twin_space,
    "seat": seat,
    "turn": turn,
    "cards reshuffled": cards_reshuffled,
    "team talking": team_talking,
    "line scored": line_scored,
    "winner": winner,
    "reason": reason,
    "turns": turns,
    "score": score,
    "first seat": first_seat,
    "card dealt": card_dealt,
    "layout": layout,
    "strategy": strategy,
    "rule": rule,
    "number": number,
    "word": word,
    "line dropped": line_dropped,
    "line doubled": line_doubled,
    "lines swapped": lines_swapped,
    "cut off": cut_off,
    "sequence dropped": sequence_dropped,
    "sequence added": sequence_added,
    "play after the end": play_after_the_end,
}
"""Every damage by its name."""
