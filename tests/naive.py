"""A slow and plain referee for Sequence, written from the rules alone, to judge the fast engine.

It knows nothing of the engine. Positions are dicts, lists and sets, everything that can be worked
out again is worked out again, and cards are never invented: each card drawn is named by the
transcript and checked against what can be in the pile. `rules 6.2` is a clause of the rules.
"""

from __future__ import annotations

import copy
import functools
import itertools
import random
from collections.abc import Iterable, Iterator
from typing import Any

Line = tuple[int, ...]
Event = dict[str, Any]
Rules = dict[str, Any]

SPACES = [f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, 11)]
CORNERS = (0, 9, 90, 99)
DIRECTIONS = {1: "across", 10: "down", 11: "down-right", 9: "down-left"}  # by step, in line order
PLAIN = [rank + suit for suit in "SHDC" for rank in (*map(str, range(2, 11)), "Q", "K", "A")]
KINDS = {"JD": "two-eyed", "JC": "two-eyed", "JS": "one-eyed", "JH": "one-eyed"}
TEAMS = {2: [2], 3: [3], 4: [2], 6: [2, 3], 8: [2], 9: [3], 10: [2], 12: [2, 3]}
FIELDS = {  # what each event says beside "do"
    "exchange": {"turn", "seat", "card"},
    "place": {"turn", "seat", "card", "space"},
    "remove": {"turn", "seat", "card", "space"},
    "sequence": {"turn", "seat", "spaces"},
    "reshuffle": {"turn", "cards"},
    "draw": {"turn", "seat", "card"},
    "forget": {"turn", "seat"},
    "pass": {"turn", "seat"},
    "table_talk": {"turn", "team"},
    "forfeit": {"turn", "seat", "card"},
    "end": {"winner", "reason", "turns", "sequences"},
}
ALLOWED = {  # which events may come next, by phase
    "start": {"table_talk", "exchange", "place", "remove", "pass"},  # of a turn
    "forfeit": {"forfeit"},  # after table talk
    "play": {"exchange", "place", "remove", "pass"},
    "replace": {"reshuffle", "draw"},  # after an exchange
    "score": {"sequence"},  # after a placement that scored
    "draw": {"reshuffle", "draw", "forget"},  # at the end of a turn
    "refill": {"draw"},  # the same, after the reshuffle
    "end": {"end"},
    "over": set(),
}
OWED = {"forfeit": "9.2", "replace": "7.2", "score": "8.3", "draw": "5.1", "refill": "10.1"}
OWN = {"table_talk": "9.2", "forfeit": "9.2", "forget": "9.1", "reshuffle": "10.1"}
ENDS = {"sequences": "8.5", "stalemate": "10.2", "max_turns": "10.3"}


class Illegal(Exception):
    """An event that can not stand after those before it, with the clause it breaks."""

    def __init__(self, clause: str, message: str) -> None:
        super().__init__(f"rules {clause}: {message}")
        self.clause = clause


def name(space: int) -> str:
    """Return the name of a space, `D7` for 36."""
    return SPACES[space]


def number(text: str) -> int:
    """Return the number of a space in reading order, 36 for `D7`."""
    if text not in SPACES:
        raise Illegal("2.1", f"there is no space {text!r}")
    return SPACES.index(text)


def use(card: str) -> str:
    """Return what a card does: a one-eyed jack places nothing, no other removes (rules 6)."""
    return "remove" if KINDS.get(card) == "one-eyed" else "place"


@functools.cache
def lines(length: int) -> list[Line]:
    """Return all lines in line order: by first space, then by direction (rules 8.3)."""
    found = []
    for row, column in itertools.product(range(10), range(10)):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            cells = [(row + down * i, column + right * i) for i in range(length)]
            if all(0 <= r < 10 and 0 <= c < 10 for r, c in cells):
                found.append(tuple(10 * r + c for r, c in cells))
    return found


def common(one: Line, other: Line) -> int:
    """Return how many spaces two lines share."""
    return len(set(one) & set(other))


def largest(candidates: list[Line], most: int) -> list[Line]:
    """Return the largest set that shares at most `most` pairwise, the first such (rules 8.3).

    Candidates are in line order, so `combinations` yields the sets of a size in that order too.
    """
    for size in range(len(candidates), 0, -1):
        for some in itertools.combinations(candidates, size):
            if all(common(a, b) <= most for a, b in itertools.combinations(some, 2)):
                return list(some)
    return []


def packs(rules: Rules) -> list[list[str]]:
    """Return the cards that lie together: the deck, or two packs one on the other (rules 3.1, 3.2).

    The jacks of a kind go to the packs in turn, so an odd one is in the first.
    """
    first, second = list(PLAIN), list(PLAIN)
    for suits, field in ((("JD", "JC"), "two_eyed_jacks"), (("JS", "JH"), "one_eyed_jacks")):
        jacks = sorted((suits * rules[field])[: rules[field]], key=suits.index)
        first += jacks[::2]
        second += jacks[1::2]
    return [first, second] if rules["deal"] == "single_deck" else [first + second]


def hand_sizes(rules: Rules, first_seat: int) -> list[int]:
    """Return how many cards each seat is dealt (rules 3.3, 3.4)."""
    sizes = [rules["hand_size"]] * rules["players"]
    for place, extra in enumerate(rules["extra_cards"][: rules["players"]]):
        sizes[(first_seat + place) % rules["players"]] += extra
    return sizes


class Game:
    """A game in progress; `apply` takes the events of its transcript one after the other."""

    def __init__(
        self, rules: Rules, board: list[list[str]], first_seat: int, hands: list[list[str]]
    ) -> None:
        self.rules = rules
        self.lines = lines(rules["line_length"])
        self.printed = list(itertools.chain(*board))  # the card shown by each space
        self.spaces_of: dict[str, list[int]] = {}  # and the other way round
        for space, card in enumerate(self.printed):
            self.spaces_of.setdefault(card, []).append(space)
        self.first_seat = first_seat
        self.hands = [list(hand) for hand in hands]
        self.chips: dict[int, int] = {}  # space -> team
        self.stock = list(rules["chips"][: rules["teams"]])  # chips not on the board, by team
        self.sequences: list[list[Line]] = [[] for _ in range(rules["teams"])]
        self.pile = packs(rules)  # unseen cards, what is drawn first in front, not in order
        self.discards: list[str] = []
        self.turn, self.seat, self.phase = 1, first_seat, "start"
        self.idle = 0  # turns in a row without a play or an exchange
        self.exchanges = 0  # in this turn
        self.owed: list[Any] = []  # seats that must forfeit, or lines to be scored
        self._check_table()
        self._deal()

    def _check_table(self) -> None:
        """Check players, teams, layout and chips (rules 1.1, 1.2, 2.2, 4.1, 6.5)."""
        players, teams = self.rules["players"], self.rules["teams"]
        if players not in TEAMS:
            raise Illegal("1.1", f"{players} can not play, only {list(TEAMS)}")
        if teams not in TEAMS[players]:
            raise Illegal("1.2", f"{players} play in {TEAMS[players]} teams, not {teams}")
        free = [space for space, card in enumerate(self.printed) if card == "**"]
        if free != list(CORNERS) or sorted(self.printed) != sorted(PLAIN * 2 + ["**"] * 4):
            raise Illegal("2.2", "not every card stands twice, or a free space is no corner")
        if self.first_seat not in range(players):
            raise Illegal("4.1", f"there is no seat {self.first_seat}")
        if len(self.stock) < teams or min(self.stock) < 1:
            raise Illegal("6.5", f"chips {self.stock} for {teams} teams")

    def _deal(self) -> None:
        """Take the hands out of the deck, with `single_deck` out of the first pack (rules 3)."""
        sizes = hand_sizes(self.rules, self.first_seat)
        if [len(hand) for hand in self.hands] != sizes:
            raise Illegal("3.4" if any(self.rules["extra_cards"]) else "3.3", f"hands not {sizes}")
        for card in itertools.chain(*self.hands):
            if card not in self.pile[0]:
                raise Illegal("3.2" if len(self.pile) > 1 else "3.1", f"no {card} left to deal")
            self.pile[0].remove(card)

    # What can be seen from a position.

    def team(self, seat: int) -> int:
        """Return the team a seat plays for (rules 1.3)."""
        return seat % int(self.rules["teams"])

    def members(self, team: int) -> list[int]:
        """Return the seats of a team that hold a card, in seat order."""
        seats = range(self.rules["players"])
        return [seat for seat in seats if self.team(seat) == team and self.hands[seat]]

    def scores(self) -> list[int]:
        """Return the number of sequences of each team."""
        return [len(own) for own in self.sequences]

    def counts_for(self, team: int, space: int) -> bool:
        """Return whether a space carries the team's chip or is a free corner (rules 8.1)."""
        if space in CORNERS:
            return bool(self.rules["free_corners"])
        return self.chips.get(space) == team

    def gap(self, line: Line, team: int) -> int | None:
        """Return the open space of a line of the team's with all but one filled, or None."""
        rest = [space for space in line if not self.counts_for(team, space)]
        if len(rest) != 1 or rest[0] in self.chips or rest[0] in CORNERS:
            return None
        return rest[0]

    def is_protected(self, space: int) -> bool:
        """Return whether a chip is safe in a completed sequence (rules 6.3)."""
        scored = itertools.chain(*self.sequences)
        return bool(self.rules["sequences_protected"]) and any(space in line for line in scored)

    def forbidden(self, card: str, space: int, do: str) -> str | None:
        """Return the clause that forbids the seat to move this play, None if legal (rules 6)."""
        team, owner = self.team(self.seat), self.chips.get(space)
        if card not in self.hands[self.seat]:
            return "5.1"
        if do != use(card):
            return "6.3"
        if do == "remove":
            own = owner == team and self.rules["one_eyed_removes"] == "opponent"
            return "6.3" if owner is None or own or self.is_protected(space) else None
        if not self.stock[team]:
            return "6.5"
        if card in KINDS:
            return "6.2" if owner is not None or space in CORNERS else None
        return "6.1" if owner is not None or self.printed[space] != card else None

    def legal_moves(self) -> set[tuple[str, int, str]]:
        """Return every (card, space, "place" or "remove") the seat to move may play (rules 6)."""
        return set(self._legal())

    def _legal(self) -> Iterator[tuple[str, int, str]]:
        """Give them one by one; a plain card is tried on its own two spaces alone (rules 6.1)."""
        for card in set(self.hands[self.seat]):
            for space in range(100) if card in KINDS else self.spaces_of[card]:
                if self.forbidden(card, space, use(card)) is None:
                    yield card, space, use(card)

    def must_pass(self) -> bool:
        """Return whether the seat to move has no playable card (rules 5.2, 5.3, 9.3)."""
        return next(self._legal(), None) is None

    def dead_cards(self, seat: int) -> set[str]:
        """Return the plain cards of a hand with both spaces covered (rules 7.1)."""
        alive = {card for space, card in enumerate(self.printed) if space not in self.chips}
        return {card for card in self.hands[seat] if card not in KINDS and card not in alive}

    def can_draw(self, discarding: bool = False) -> bool:
        """Return whether a card can be drawn, perhaps after one more discard (rules 7.2, 10.1)."""
        return any(self.pile) or bool(self.rules["reshuffle"] and (discarding or self.discards))

    def may_exchange(self) -> bool:
        """Return whether the seat to move may exchange a dead card now (rules 7.2)."""
        limit = self.rules["dead_card_exchanges"]
        if limit == -1:
            limit = 96 + self.rules["two_eyed_jacks"] + self.rules["one_eyed_jacks"]
        ready = self.phase in ("start", "play") and self.exchanges < limit
        return ready and bool(self.dead_cards(self.seat)) and self.can_draw(discarding=True)

    def may_talk(self) -> bool:
        """Return whether the team to move can be caught coaching (rules 9.2)."""
        partners = self.rules["players"] // self.rules["teams"] >= 2
        able = self.rules["table_talk"] > 0 and partners and self.phase == "start"
        return able and bool(self.members(self.team(self.seat)))

    def scored_sets(self, team: int, space: int) -> list[Line]:
        """Return the lines the chip just placed on a space scores, in line order (rules 8.2, 8.3).

        Two lines through a space share that space, so with `shared_spaces = 0` only one can score.
        Else lines of different directions never hinder each other, as they share nothing but that
        space: each direction is searched apart, and the parts add up to the largest set and, the
        smallest line in which two sets differ being in one of the parts, to the first.
        """
        most = self.rules["shared_spaces"]
        done = [
            line
            for line in self.lines
            if space in line
            and all(self.counts_for(team, each) for each in line)
            and all(common(line, old) <= most for old in self.sequences[team])
        ]
        if most == 0:
            return done[:1]
        parts = [largest([x for x in done if x[1] - x[0] == step], most) for step in DIRECTIONS]
        return sorted(itertools.chain(*parts), key=self.lines.index)

    def outcome(self) -> tuple[int | None, str] | None:
        """Return winner and reason if the game is over after this turn (rules 8.5, 10.2, 10.3)."""
        for team, score in enumerate(self.scores()):
            if score >= self.rules["sequences_to_win"]:
                return team, "sequences"
        if self.idle >= self.rules["players"]:
            return None, "stalemate"
        return (None, "max_turns") if self.turn >= self.rules["max_turns"] else None

    def final(self) -> Event:
        """Return the end event that is due."""
        winner, reason = self.outcome() or (None, "")
        what = {"winner": winner, "reason": reason, "turns": self.turn, "sequences": self.scores()}
        return {"do": "end", **what}

    # The events, in the order of a turn (rules 5.1).

    def apply(self, event: Event) -> None:
        """Let an event happen, or raise `Illegal` if it can not or another has to come first."""
        do = event.get("do")
        if do not in FIELDS or not FIELDS[do] <= event.keys():
            raise Illegal("transcript", f"not an event: {event}")
        if do not in ALLOWED[self.phase]:
            raise Illegal(self._clause_due(event), f"{do} in turn {self.turn}: {self.phase}")
        if do != "table_talk" and self.rules["table_talk"] >= 1 and self.may_talk():
            raise Illegal("9.2", "table talk is certain")
        if event.get("turn", self.turn) != self.turn:
            raise Illegal("10.3", f"turn {event['turn']} where turn {self.turn} is due")
        if event.get("seat", self.seat) != (self.owed[0] if do == "forfeit" else self.seat):
            raise Illegal("9.2" if do == "forfeit" else "4.1", f"not the turn of {event['seat']}")
        getattr(self, f"_{do}")(event)

    def _clause_due(self, event: Event) -> str:
        """Return the clause broken by an event that comes out of order."""
        do, outcome = event["do"], self.outcome()
        if self.phase == "over":
            return "transcript"
        if do == "sequence" and self.phase != "score":
            return "8.3"
        if self.phase == "end" and outcome:
            return ENDS[outcome[1]]
        if self.phase in OWED:
            return OWED[self.phase]
        return ENDS.get(event["reason"], "10.3") if do == "end" else OWN.get(do, "5.1")

    def _discard(self, seat: int, card: str, clause: str) -> None:
        """Move a card from a hand to the discards, which all can see (rules 6.6)."""
        if card not in self.hands[seat]:
            raise Illegal(clause, f"seat {seat} holds no {card}")
        self.hands[seat].remove(card)
        self.discards.append(card)

    def _table_talk(self, event: Event) -> None:
        """Make every member that holds a card owe a forfeit (rules 9.2)."""
        if not self.may_talk() or event["team"] != self.team(self.seat):
            raise Illegal("9.2", "this team can not be caught now")
        self.owed = self.members(event["team"])
        self.phase = "forfeit"

    def _forfeit(self, event: Event) -> None:
        """Discard a card for nothing (rules 9.2)."""
        self._discard(self.owed[0], event["card"], "9.2")
        self.owed = self.owed[1:]
        self.phase = "forfeit" if self.owed else "play"

    def _exchange(self, event: Event) -> None:
        """Discard a dead card at the start of the turn (rules 7.2)."""
        if event["card"] not in self.dead_cards(self.seat):
            raise Illegal("7.1", f"{event['card']} is no dead card of this hand")
        if not self.may_exchange():
            raise Illegal("7.2", "no exchange is left, or nothing to draw")
        self._discard(self.seat, event["card"], "7.2")
        self.exchanges += 1
        self.idle = 0
        self.phase = "replace"

    def _play(self, event: Event) -> int:
        """Check and discard the card played, return the space (rules 5.1, 6)."""
        space = number(event["space"])
        clause = self.forbidden(event["card"], space, event["do"])
        if clause:
            raise Illegal(clause, f"{event['card']} on {event['space']} is no legal {event['do']}")
        self._discard(self.seat, event["card"], "5.1")
        self.idle = 0
        return space

    def _place(self, event: Event) -> None:
        """Put a chip on a space; what it completes is scored next (rules 6.1, 6.2, 8.4)."""
        space, team = self._play(event), self.team(self.seat)
        self.chips[space] = team
        self.stock[team] -= 1
        self.owed = self.scored_sets(team, space)
        self._after_play()

    def _remove(self, event: Event) -> None:
        """Take a chip off the board, back to its team (rules 6.3, 6.5); it never scores (8.4)."""
        self.stock[self.chips.pop(self._play(event))] += 1
        self._after_play()

    def _sequence(self, event: Event) -> None:
        """Score a line; those of one play come in line order (rules 8.3)."""
        line = tuple(number(space) for space in event["spaces"])
        if line != self.owed[0]:
            raise Illegal("8.3", f"due is {[name(space) for space in self.owed[0]]}")
        self.sequences[self.team(self.seat)].append(self.owed.pop(0))
        self._after_play()

    def _after_play(self) -> None:
        """Go on with scoring, the end after a win, or the draw (rules 5.1, 8.5)."""
        if self.owed:
            self.phase = "score"
        elif max(self.scores()) >= self.rules["sequences_to_win"]:
            self.phase = "end"
        elif self.can_draw():
            self.phase = "draw"
        else:
            self._end_turn()

    def _reshuffle(self, event: Event) -> None:
        """Make all discards the new pile, before a draw from an empty one (rules 10.1)."""
        if any(self.pile) or event["cards"] != len(self.discards):
            raise Illegal("10.1", f"pile {self.pile}, {len(self.discards)} discards")
        if self.phase == "draw" and self.rules["forget_draw"] >= 1:
            raise Illegal("9.1", "forgetting is certain")
        self.pile, self.discards = [self.discards], []
        self.phase = "refill" if self.phase == "draw" else "replace"

    def _draw(self, event: Event) -> None:
        """Draw a card that can be on top of the pile (rules 3.2, 5.1, 7.2, 10.1)."""
        self.pile = [pack for pack in self.pile if pack]
        if not self.pile or event["card"] not in self.pile[0]:
            below = any(event["card"] in pack for pack in self.pile)
            raise Illegal("3.2" if below else "10.1", f"{event['card']} can not be drawn")
        if self.phase == "draw" and self.rules["forget_draw"] >= 1:
            raise Illegal("9.1", "forgetting is certain")
        self.pile[0].remove(event["card"])
        self.hands[self.seat].append(event["card"])
        if self.phase == "replace":
            self.phase = "play"
        else:
            self._end_turn()

    def _forget(self, event: Event) -> None:
        """Miss the draw for good (rules 9.1)."""
        if not self.rules["forget_draw"] > 0:
            raise Illegal("9.1", "nobody forgets in this game")
        self._end_turn()

    def _pass(self, event: Event) -> None:
        """Pass with no playable card; it is idle if nothing was exchanged (rules 5.2, 10.2)."""
        if not self.must_pass():
            raise Illegal("5.3", f"a card of {self.hands[self.seat]} can be played")
        self.idle += not self.exchanges
        self._end_turn()

    def _end_turn(self) -> None:
        """Give the turn to the next seat clockwise unless the game is over (rules 4.1, 10)."""
        if self.outcome():
            self.phase = "end"
            return
        self.turn += 1
        self.seat = (self.seat + 1) % self.rules["players"]
        self.exchanges = 0
        self.phase = "start"

    def _end(self, event: Event) -> None:
        """Compare the end with the one that is due (rules 8.5, 10)."""
        due = self.final()
        if any(event[key] != due[key] for key in due):
            raise Illegal(ENDS[due["reason"]], f"{event} where due is {due}")
        self.phase = "over"


def start(header: Event) -> Game:
    """Return the game at its deal."""
    if header.get("do") != "start":
        raise Illegal("transcript", "no start line")
    return Game(header["rules"], header["board"], header["first_seat"], header["hands"])


def replay(header: Event, events: Iterable[Event]) -> Game:
    """Play a whole transcript and return the game after its end, or raise `Illegal`."""
    game = start(header)
    for event in events:
        game.apply(event)
    if game.phase != "over":
        raise Illegal("transcript", f"it breaks off in phase {game.phase} of turn {game.turn}")
    return game


def jack_purpose(game: Game, event: Event) -> str:
    """Return what a jack is played for: the first that fits; `game` stands before the play."""
    team, space = game.team(event["seat"]), number(event["space"])
    if event["do"] == "remove":
        owner = game.chips[space]
        near = any(space in line and game.gap(line, owner) is not None for line in game.lines)
        return "blocks" if owner != team and near else "removes"
    rivals = [rival for rival in range(game.rules["teams"]) if rival != team]
    after = copy.copy(game)
    after.chips = {**game.chips, space: team}
    if after.scored_sets(team, space):
        return "completes"
    if any(game.gap(line, rival) == space for line in game.lines for rival in rivals):
        return "blocks"
    raised = any(space in line and after.gap(line, team) is not None for line in game.lines)
    return "builds" if raised else "other"


def _seat_row(game: Game, seat: int) -> dict[str, Any]:
    """Return a seat's row at the deal."""
    counts = ["drawn_two_eyed", "drawn_one_eyed", "played_two_eyed", "played_one_eyed"]
    counts += ["exchanges", "passes", "forgets", "forfeits"]
    kinds = [KINDS.get(card) for card in game.hands[seat]]
    return {
        "seat": seat,
        "team": game.team(seat),
        "place": (seat - game.first_seat) % game.rules["players"],
        "opening_two_eyed": kinds.count("two-eyed"),
        "opening_one_eyed": kinds.count("one-eyed"),
        **dict.fromkeys(counts, 0),
    }


def _sequence_row(game: Game, event: Event) -> dict[str, Any]:
    """Return a sequence's row; those of the same play before it in line order are earlier ones."""
    line, team = tuple(number(space) for space in event["spaces"]), game.team(event["seat"])
    corners = [name(space) for space in line if space in CORNERS]
    return {
        "turn": event["turn"],
        "seat": event["seat"],
        "team": team,
        "line": game.lines.index(line),
        "direction": DIRECTIONS[line[1] - line[0]],
        "corner": corners[0] if corners else "none",
        "shared": len(set(line) & set(itertools.chain(*game.sequences[team]))),
    }


def _count(game: Game, row: dict[str, Any], event: Event) -> None:
    """Count an event in the row of its seat."""
    plural = {"exchange": "exchanges", "pass": "passes", "forget": "forgets", "forfeit": "forfeits"}
    verb = {"draw": "drawn", "place": "played", "remove": "played"}.get(event["do"])
    if event["do"] in plural:
        row[plural[event["do"]]] += 1
    if verb and event["card"] in KINDS:
        row[f"{verb}_{KINDS[event['card']].replace('-', '_')}"] += 1


def tally(header: Event, events: Iterable[Event]) -> dict[str, Any]:
    """Return the rows of a game that replays clean: `game`, `seats`, `sequences`, `jacks`."""
    game, events = start(header), list(events)
    seats = [_seat_row(game, seat) for seat in range(game.rules["players"])]
    sequences, jacks = [], []
    for event in events:
        if "seat" in event:
            _count(game, seats[event["seat"]], event)
        if event["do"] == "sequence":
            sequences.append(_sequence_row(game, event))
        if event["do"] in ("place", "remove") and event["card"] in KINDS:
            row = {"turn": event["turn"], "seat": event["seat"], "kind": KINDS[event["card"]]}
            jacks.append({**row, "purpose": jack_purpose(game, event)})
        game.apply(event)
    end = events[-1]
    won = end["reason"] == "sequences"
    for row in sequences:
        row["winning"] = won and row["turn"] == end["turns"]
    for row in seats:
        row["score"] = float(row["team"] == end["winner"]) if won else 1 / game.rules["teams"]
        held = [KINDS[card] for card in game.hands[row["seat"]] if card in KINDS]
        stub = {"turn": end["turns"], "seat": row["seat"]}
        jacks += [{**stub, "kind": kind, "purpose": "held"} for kind in held]
    reshuffles = sum(event["do"] == "reshuffle" for event in events)
    row = {"winner": end["winner"] if won else -1, "reason": end["reason"], "turns": end["turns"]}
    return {"game": {**row, "reshuffles": reshuffles}, "seats": seats} | {
        "sequences": sequences,
        "jacks": jacks,
    }


# A game all by itself: every choice at random.


def _choose_play(game: Game, rng: random.Random) -> Event:
    """Return a random exchange or play of the seat to move, or a pass."""
    if game.may_exchange() and rng.random() < 0.5:
        return {"do": "exchange", "card": rng.choice(sorted(game.dead_cards(game.seat)))}
    moves = sorted(game.legal_moves())
    if not moves:
        return {"do": "pass"}
    card, space, do = rng.choice(moves)
    return {"do": do, "card": card, "space": name(space)}


def _choose(game: Game, pile: list[str], rng: random.Random) -> Event:
    """Return the next event, without its turn and seat; `pile` is the hidden order of the cards."""
    if game.phase == "score":
        return {"do": "sequence", "spaces": [name(space) for space in game.owed[0]]}
    if game.phase == "forfeit":
        return {"do": "forfeit", "card": rng.choice(game.hands[game.owed[0]])}
    if game.phase == "start" and game.may_talk() and rng.random() < game.rules["table_talk"]:
        return {"do": "table_talk", "team": game.team(game.seat)}
    if game.phase in ("start", "play"):
        return _choose_play(game, rng)
    if game.phase == "draw" and rng.random() < game.rules["forget_draw"]:
        return {"do": "forget"}
    if not pile:
        pile += rng.sample(game.discards, len(game.discards))
        return {"do": "reshuffle", "cards": len(pile)}
    return {"do": "draw", "card": pile.pop(0)}


def random_game(
    rules: Rules, board: list[list[str]], rng: random.Random
) -> tuple[Event, list[Event]]:
    """Play a game at random, cards and slips too, and return its header and events."""
    first_seat = rng.randrange(rules["players"])
    pile = [card for pack in packs(rules) for card in rng.sample(pack, len(pack))]
    hands = [[pile.pop(0) for _ in range(size)] for size in hand_sizes(rules, first_seat)]
    header: Event = {"do": "start", "format": "sequence-lab/1", "rules": rules, "board": board}
    header |= {"strategies": ["random"] * rules["players"], "seed": 0, "deal": 0, "game": 0}
    header |= {"first_seat": first_seat, "hands": hands}
    game, events = start(header), []
    while game.phase != "end":
        seat = game.owed[0] if game.phase == "forfeit" else game.seat
        event = {"turn": game.turn, "seat": seat, **_choose(game, pile, rng)}
        if event["do"] in ("reshuffle", "table_talk"):
            del event["seat"]
        game.apply(event)
        events.append(event)
    return header, [*events, game.final()]
