"""A game in progress, replayed from its transcript: what may happen next.

Positions are plain lists and numbers. Nothing here is shared with the kernels that play.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from simcore.board import CORNERS, SPACE_NAMES, SPACE_NUMBERS
from simcore.cards import CODES, ONE_EYED, PLAIN, TWO_EYED
from simcore.headers import KIND, Setup
from simcore.transcripts import Breach, Event, check_shape, shown

_CORNER_BITS = sum(1 << space for space in CORNERS)


class Phase(NamedTuple):
    """A moment of a turn: which events may come, the clause that says so, and in words."""

    events: frozenset[str]
    clause: str
    due: str


def _phase(events: str, clause: str, due: str) -> Phase:
    return Phase(frozenset(events.split()), clause, due)


TURN = _phase("table_talk exchange place remove pass", "", "a play or a pass")
TALK = _phase("table_talk", "9.2", "table talk, which is certain")
FORFEIT = _phase("forfeit", "9.2", "a forfeit of each member of the team that holds a card")
PLAY = _phase("exchange place remove pass", "", "a play or a pass")
REPLACE = _phase("reshuffle draw", "7.2", "the draw for the card exchanged")
SCORE = _phase("sequence", "8.3", "a completed sequence")
DRAW = _phase("reshuffle draw forget", "5.1", "the draw")
FORGET = _phase("forget", "9.1", "to forget the draw, which is certain")
REFILL = _phase("draw", "10.1", "the draw from the new pile")
WON = _phase("end", "8.5", "the end, after a win")
STALEMATE = _phase("end", "10.2", "the end, with nobody able to play")
LAST_TURN = _phase("end", "10.3", "the end, after the last turn")
OVER = _phase("", "transcript", "the start of another game")

_OWN_CLAUSE = {"draw": "5.1", "reshuffle": "10.1", "forget": "9.1", "forfeit": "9.2"}
_OWN_CLAUSE |= {"table_talk": "9.2", "sequence": "8.3"}
_END_CLAUSE = {"sequences": "8.5", "stalemate": "10.2", "max_turns": "10.3"}


def largest_set(candidates: Sequence[int], shared: int) -> int:
    """Return how many lines the largest set has that shares at most `shared` spaces pairwise.

    The lines run through one space and stand in line order. Those of two directions share that
    space alone, and along one direction to take the first that fits never costs another: so taking
    whatever fits, in order, gives a largest set (rules 8.3).
    """
    taken: list[int] = []
    for line in candidates:
        if all((line & other).bit_count() <= shared for other in taken):
            taken.append(line)
    return len(taken)


def _take(cards: dict[str, int], card: str) -> bool:
    """Take one copy of a card out of a pile; return whether there was one."""
    count = cards.get(card, 0)
    if count > 1:
        cards[card] = count - 1
    elif count:
        del cards[card]
    return count > 0


class Game:
    """A game in progress: `apply` takes its events one after the other.

    Raises Breach if no deck could deal the hands (rules 3). After a breach the position is of no
    more use: a play may be half made.
    """

    def __init__(self, setup: Setup, first_seat: int, hands: list[list[str]]) -> None:
        rules = setup.rules
        self.setup, self.rules = setup, rules
        self.owner: list[int | None] = [None] * len(SPACE_NAMES)
        """The team whose chip covers a space."""
        corners = _CORNER_BITS if rules.free_corners else 0
        self.chips = [corners] * rules.teams
        """The spaces that count for each team, as bits (rules 8.1)."""
        self.stock = list(rules.chips[: rules.teams])
        self.sequences: list[list[int]] = [[] for _ in range(rules.teams)]
        self.protected = 0
        self.pile, *self.below = [dict(pack) for pack in setup.packs]
        """How often each card may be on top of the pile, and the packs that lie below."""
        self.discards: list[str] = []
        self.hands = [list(hand) for hand in hands]
        self.turn, self.seat, self.team = 1, first_seat, first_seat % rules.teams
        self.idle, self.exchanges = 0, 0
        self.completed: list[int] = []
        """Lines the last chip completed that may still be scored."""
        self.lines_due = 0
        self.placed = 0
        self.forfeiting: list[int] = []
        self._deal(first_seat)
        self.phase = TALK if rules.table_talk >= 1 and self._may_talk() else TURN

    def _deal(self, first_seat: int) -> None:
        """Take the hands out of the deck, with `single_deck` the first pack (rules 3)."""
        players, sizes = self.rules.players, self.rules.hands()
        if len(self.hands) != players:
            raise Breach("3.3", f"start: {len(self.hands)} hands for {players} seats")
        for place, size in enumerate(sizes):
            seat = (first_seat + place) % players
            if len(self.hands[seat]) != size:
                clause = "3.4" if any(self.rules.extra_cards) else "3.3"
                told = f"{len(self.hands[seat])} cards for seat {seat}, not {size}"
                raise Breach(clause, f"start: {told}")
        where, clause = ("first pack", "3.2") if self.below else ("deck", "3.1")
        for card in chain.from_iterable(self.hands):
            if not _take(self.pile, card):
                told = f"start: the {where} has not so many {card} as are dealt"
                raise _no_card("start", card) or Breach(clause, told)
        self._turn_up()

    def apply(self, event: Event) -> None:
        """Let an event happen; raises Breach if it can not, or another has to come first."""
        do, phase = check_shape(event), self.phase
        if do not in phase.events:
            raise self._out_of_order(do, event)
        if event.get("turn", self.turn) != self.turn:
            raise _breach("10.3", event, f"turn {shown(event['turn'])} where {self.turn} is due")
        if "seat" in event:
            due = self.forfeiting[0] if phase is FORFEIT else self.seat
            if event["seat"] != due:
                clause = "9.2" if phase is FORFEIT else "4.1"
                raise _breach(clause, event, f"seat {shown(event['seat'])} where {due} is due")
        _EVENTS[do](self, event)

    def _out_of_order(self, do: str, event: Event) -> Breach:
        """Return the breach of an event that can not come now."""
        if do == "sequence":
            told = f"no line is left to score; due is {self.phase.due}"
            line = self.setup.lines.get(tuple(event["spaces"]))
            if line is None or (event["turn"], event["seat"]) != (self.turn, self.seat):
                return _breach("8.3", event, told)
            return self._no_sequence(event, line) or _breach("8.3", event, told)
        own = _END_CLAUSE.get(event["reason"], "10.3") if do == "end" else _OWN_CLAUSE.get(do)
        return _breach(self.phase.clause or own or "5.1", event, f"due is {self.phase.due}")

    # The start of a turn.

    def _may_talk(self) -> bool:
        """Return whether the team to move can be caught coaching (rules 9.2)."""
        return self.rules.players > self.rules.teams and bool(self._members())

    def _members(self) -> list[int]:
        """Return the seats of the team to move that hold a card, in seat order."""
        seats = range(self.team, self.rules.players, self.rules.teams)
        return [seat for seat in seats if self.hands[seat]]

    def _table_talk(self, event: Event) -> None:
        """Make every member that holds a card owe a forfeit (rules 9.2)."""
        if event["team"] != self.team:
            raise _breach("9.2", event, f"team {self.team} is to move")
        if not self.rules.table_talk > 0:
            raise _breach("9.2", event, "its chance is 0 in this game")
        if not self._may_talk():
            raise _breach("9.2", event, "a team needs two seats, and a card, to talk")
        self.forfeiting = self._members()
        self.phase = FORFEIT

    def _forfeit(self, event: Event) -> None:
        """Discard a card for nothing (rules 9.2)."""
        self._discard(self.forfeiting.pop(0), event, "9.2")
        if not self.forfeiting:
            self.phase = PLAY

    def _exchange(self, event: Event) -> None:
        """Discard a dead card, for which a draw is due (rules 7)."""
        self._discard(self.seat, event, "7.1")
        card = event["card"]
        if KIND[card] != PLAIN or any(self.owner[s] is None for s in self.setup.spaces_of[card]):
            raise _breach("7.1", event, "it is not dead")
        limit = self.rules.dead_card_exchanges
        if self.exchanges >= (self.rules.deck_size() if limit == -1 else limit):
            raise _breach("7.2", event, f"exchange {self.exchanges + 1} of the turn")
        if not self.pile and not self.rules.reshuffle:
            raise _breach("7.2", event, "there is no card to draw")
        self.exchanges += 1
        self.idle = 0
        self.phase = REPLACE

    # The play.

    def _discard(self, seat: int, event: Event, clause: str) -> None:
        """Move a card from a hand to the discards (rules 6.6)."""
        card, hand = event["card"], self.hands[seat]
        if card not in hand:
            raise _no_card(event["do"], card) or _breach(clause, event, "the seat does not hold it")
        hand.remove(card)
        self.discards.append(card)

    def _place(self, event: Event) -> None:
        """Put a chip on a space and see what it completes (rules 6.1, 6.2, 6.5)."""
        space, card, team = _space(event), event["card"], self.team
        self._discard(self.seat, event, "5.1")
        kind = KIND[card]
        if kind == ONE_EYED:
            raise _breach("6.3", event, "a one-eyed jack places nothing")
        if not self.stock[team]:
            raise _breach("6.5", event, f"team {team} has no chip left")
        clause = "6.1" if kind == PLAIN else "6.2"
        if kind == PLAIN and self.setup.printed[space] != card:
            raise _breach(clause, event, f"the space shows {self.setup.printed[space]}")
        if self.owner[space] is not None:
            raise _breach(clause, event, f"the space is covered by team {self.owner[space]}")
        if space in CORNERS:
            raise _breach(clause, event, "the space is a corner")
        self.owner[space] = team
        self.stock[team] -= 1
        self.chips[team] |= 1 << space
        self.idle = 0
        self._complete(space)
        self._after_play()

    def _complete(self, space: int) -> None:
        """Find the lines that the chip just placed completes, and how many score (rules 8.2)."""
        chips, shared = self.chips[self.team], self.rules.shared_spaces
        full = [line for line in self.setup.through[space] if chips & line == line]
        if not full:
            return
        earlier = self.sequences[self.team]
        self.completed = [
            line for line in full if all((line & one).bit_count() <= shared for one in earlier)
        ]
        self.lines_due = largest_set(self.completed, shared)
        self.placed = space

    def _sequence(self, event: Event) -> None:
        """Score a line that is in one of the largest sets with those before (rules 8.3)."""
        line = self.setup.lines.get(tuple(event["spaces"]))
        if line is None:
            length = self.rules.line_length
            raise _breach("8.1", event, f"these are not {length} spaces in a straight row")
        shared = self.rules.shared_spaces
        rest = [one for one in self.completed if (one & line).bit_count() <= shared]
        if line not in self.completed:
            told = f"{SPACE_NAMES[self.placed]}, just placed, is not in it"
            raise self._no_sequence(event, line) or _breach("8.3", event, told)
        if largest_set(rest, shared) < self.lines_due - 1:
            told = f"it is in no largest set; {self.lines_due} more would score without it"
            raise _breach("8.3", event, told)
        self.completed = rest
        self.lines_due -= 1
        self.sequences[self.team].append(line)
        if self.rules.sequences_protected:
            self.protected |= line
        self._after_play()

    def _no_sequence(self, event: Event, line: int) -> Breach | None:
        """Return why a line of the seat to move can not score, None if rules 8.1 and 8.2 let it."""
        if self.chips[self.team] & line != line:
            return _breach("8.1", event, f"not all its spaces are those of team {self.team}")
        shared = self.rules.shared_spaces
        if any((line & one).bit_count() > shared for one in self.sequences[self.team]):
            return _breach("8.2", event, f"it shares more than {shared} spaces with one before")
        return None

    def _remove(self, event: Event) -> None:
        """Take a chip off the board, back to its team; that never scores (rules 6.3, 8.4)."""
        space = _space(event)
        owner = self.owner[space]
        self._discard(self.seat, event, "5.1")
        if KIND[event["card"]] != ONE_EYED:
            raise _breach("6.3", event, "only a one-eyed jack removes")
        if owner is None:
            raise _breach("6.3", event, "there is no chip")
        if owner == self.team and self.rules.one_eyed_removes == "opponent":
            raise _breach("6.3", event, "the chip is the team's own")
        if self.protected >> space & 1:
            raise _breach("6.3", event, "the chip is in a completed sequence")
        self.owner[space] = None
        self.stock[owner] += 1
        self.chips[owner] &= ~(1 << space)
        self.idle = 0
        self._after_play()

    def _pass(self, event: Event) -> None:
        """Pass, which a seat with a playable card may not (rules 5.2, 5.3, 10.2)."""
        for card in self.hands[self.seat]:
            if self._is_playable(card):
                raise _breach("5.3", event, f"the seat can play {card}")
        if not self.exchanges:
            self.idle += 1
        self._end_turn()

    def _is_playable(self, card: str) -> bool:
        """Return whether the seat to move could play a card (rules 6)."""
        if KIND[card] == ONE_EYED:
            spared = {None, self.team} if self.rules.one_eyed_removes == "opponent" else {None}
            return any(
                owner not in spared and not self.protected >> space & 1
                for space, owner in enumerate(self.owner)
            )
        if not self.stock[self.team]:
            return False
        if KIND[card] == TWO_EYED:
            return any(
                owner is None and space not in CORNERS for space, owner in enumerate(self.owner)
            )
        return any(self.owner[space] is None for space in self.setup.spaces_of[card])

    # The rest of a turn.

    def _after_play(self) -> None:
        """Go on with scoring, the end after a win, or the draw (rules 5.1, 8.5)."""
        if self.lines_due:
            self.phase = SCORE
        elif len(self.sequences[self.team]) >= self.rules.sequences_to_win:
            self.phase = WON
        elif self.pile or self.rules.reshuffle:
            self.phase = FORGET if self.rules.forget_draw >= 1 else DRAW
        else:
            self._end_turn()

    def _reshuffle(self, event: Event) -> None:
        """Make all discards the new pile (rules 10.1); with none allowed, no draw is due."""
        if self.pile:
            raise _breach("10.1", event, "the pile is not used up")
        if event["cards"] != len(self.discards):
            told = f"{shown(event['cards'])} cards, but {len(self.discards)} are discarded"
            raise _breach("10.1", event, told)
        self.pile, self.discards = dict(Counter(self.discards)), []
        if self.phase is DRAW:
            self.phase = REFILL

    def _draw(self, event: Event) -> None:
        """Draw a card that may be on top of the pile (rules 3.2, 5.1, 7.2, 10.1)."""
        card = event["card"]
        if not _take(self.pile, card):
            raise self._no_draw(event)
        if not self.pile:
            self._turn_up()
        self.hands[self.seat].append(card)
        if self.phase is REPLACE:
            self.phase = PLAY
        else:
            self._end_turn()

    def _no_draw(self, event: Event) -> Breach:
        """Return why a card can not be drawn."""
        if not self.pile:
            return _breach("10.1", event, "the pile is used up; due is a reshuffle")
        if any(event["card"] in pack for pack in self.below):
            return _breach("3.2", event, "the first pack, which has none left, is not used up")
        return _no_card("draw", event["card"]) or _breach("10.1", event, "the pile has none left")

    def _turn_up(self) -> None:
        """Go on with the pack below when the one on top is used up (rules 3.2)."""
        if not self.pile and self.below:
            self.pile = self.below.pop()

    def _forget(self, event: Event) -> None:
        """Miss the draw for good (rules 9.1)."""
        if not self.rules.forget_draw > 0:
            raise _breach("9.1", event, "its chance is 0 in this game")
        self._end_turn()

    def _end_turn(self) -> None:
        """Give the turn to the next seat clockwise unless the game is over (rules 4.1, 10)."""
        rules = self.rules
        if self.idle >= rules.players:
            self.phase = STALEMATE
        elif self.turn >= rules.max_turns:
            self.phase = LAST_TURN
        else:
            self.turn += 1
            self.seat = (self.seat + 1) % rules.players
            self.team = self.seat % rules.teams
            self.exchanges = 0
            self.phase = TALK if rules.table_talk >= 1 and self._may_talk() else TURN

    def _end(self, event: Event) -> None:
        """Compare the end with the one that is due (rules 8.5, 10.2, 10.3)."""
        clause = self.phase.clause
        due: Event = {
            "winner": self.team if self.phase is WON else None,
            "reason": next(reason for reason, own in _END_CLAUSE.items() if own == clause),
            "turns": self.turn,
            "sequences": [len(own) for own in self.sequences],
        }
        for key, value in due.items():
            if event[key] != value:
                told, wanted = json.dumps(event[key])[:40], json.dumps(value)
                raise _breach(clause, event, f"{key} is {told}, not {wanted}")
        self.phase = OVER


_EVENTS: dict[str, Callable[[Game, Event], None]] = {
    "exchange": Game._exchange,
    "place": Game._place,
    "remove": Game._remove,
    "sequence": Game._sequence,
    "reshuffle": Game._reshuffle,
    "draw": Game._draw,
    "forget": Game._forget,
    "pass": Game._pass,
    "table_talk": Game._table_talk,
    "forfeit": Game._forfeit,
    "end": Game._end,
}


def _space(event: Event) -> int:
    """Return the number of the space of a play (rules 2.1)."""
    space = SPACE_NUMBERS.get(event["space"])
    if space is None:
        raise _breach("2.1", event, "there is no such space")
    return space


def _no_card(do: str, card: str) -> Breach | None:
    """Return the breach of a text that is no card, None if it is one (rules 3.1)."""
    return None if card in CODES else Breach("3.1", f"{do}: {shown(card)} is no card")


def _breach(clause: str, event: Event, why: str) -> Breach:
    """Return the breach of an event, told with what was played."""
    told = [event["do"]]
    if "card" in event:
        told.append(_plain(event["card"]))
    if "space" in event:
        told += ["from" if event["do"] == "remove" else "on", _plain(event["space"])]
    if event.get("spaces"):
        told.append(f"{_plain(event['spaces'][0])}-{_plain(event['spaces'][-1])}")
    return Breach(clause, f"{' '.join(told)}: {why}")


def _plain(text: str) -> str:
    """Return a card or a space as it stands, and any other text in quotes."""
    return text if text in CODES or text in SPACE_NUMBERS else shown(text)
