"""A game for reading: the board with its chips, the hand to move, a line for every turn.

It follows a transcript (simcore/replay.py) and judges nothing. Text is rich's, so that chips have
colours in a terminal; they differ by letter too, for terminals, files and eyes without colours.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from simcore.board import SIDE, SPACE_NAMES
from simcore.transcripts import Event

CHIPS = "OX#"
"""A team's chip."""
STYLES = ("bold white on blue", "bold black on yellow", "bold reverse")
"""How it is shown: colours that every terminal has and every eye tells apart."""


class Position:
    """What a transcript has led to: chips by space, scored spaces by team, hands by seat."""

    def __init__(self, start: Event) -> None:
        self.start = start
        self.chips: dict[str, int] = {}
        self.scored: list[set[str]] = [set() for _ in range(start["rules"]["teams"])]
        self.hands = [list(hand) for hand in start["hands"]]
        self.sequences = [0] * start["rules"]["teams"]
        self.touched: set[str] = set()
        """The spaces of the latest turn's play."""

    def team(self, seat: int) -> int:
        """Return the team of a seat (rules 1.3)."""
        return seat % len(self.sequences)

    def apply(self, events: Sequence[Event]) -> None:
        """Follow the events of a turn."""
        self.touched.clear()
        for event in events:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        do = event["do"]
        if do in ("place", "remove", "exchange", "forfeit"):
            self.hands[event["seat"]].remove(event["card"])
        if do == "draw":
            self.hands[event["seat"]].append(event["card"])
        if do == "place":
            self.chips[event["space"]] = self.team(event["seat"])
        if do == "remove":
            del self.chips[event["space"]]
        if do in ("place", "remove"):
            self.touched.add(event["space"])
        if do == "sequence":
            self.scored[self.team(event["seat"])].update(event["spaces"])
            self.sequences[self.team(event["seat"])] += 1

    def board(self) -> Text:
        """Return the board: cards of open spaces, chips of covered ones.

        `(O)` is a chip of a scored sequence, `>O<` the space that was just played on.
        """
        lines = [Text("    " + "".join(f"{n:^5}" for n in range(1, SIDE + 1)).rstrip())]
        names = iter(SPACE_NAMES)
        for letter, row in zip("ABCDEFGHIJ", self.start["board"], strict=True):
            line = Text(f"  {letter} ")
            for card in row:
                line.append_text(self._space(next(names), card))
            line.rstrip()
            lines.append(line)
        return Text("\n").join(lines)

    def _space(self, name: str, card: str) -> Text:
        team = self.chips.get(name)
        scored = team is not None and name in self.scored[team]
        left, right = ("(", ")") if scored else (" ", " ")
        if name in self.touched:
            left, right = ">", "<"
        shown = Text()
        if team is None:
            shown.append(f"{left}{card}{right}", "bold" if name in self.touched else "dim")
        else:
            shown.append(f"{left}{CHIPS[team]}{right}", STYLES[team])
        shown.align("center", 5)
        return shown


def turns(events: Sequence[Event]) -> list[list[Event]]:
    """Return the events of each turn, without `start` and `end`."""
    played = [event for event in events if "turn" in event]
    return [list(turn) for _, turn in groupby(played, key=lambda event: event["turn"])]


def seat_to_move(start: Event, turn: int) -> int:
    """Return the seat whose turn it is (rules 4.1)."""
    seat: int = (start["first_seat"] + turn - 1) % start["rules"]["players"]
    return seat


def title(start: Event) -> str:
    """Return a game's number and its seats with their chips and strategies."""
    teams = start["rules"]["teams"]
    seats = ", ".join(
        f"seat {seat} {CHIPS[seat % teams]} {name}" for seat, name in enumerate(start["strategies"])
    )
    return f"game {start['game']} of seed {start['seed']}, deal {start['deal']}: {seats}"


def move(start: Event, events: Sequence[Event]) -> str:
    """Return a turn as a line: its number, its seat and chip, what happened."""
    turn = events[0]["turn"]
    seat = seat_to_move(start, turn)
    chip = CHIPS[seat % start["rules"]["teams"]]
    return f"{turn:4} {chip} seat {seat:<2} {told(events)}"


def told(events: Sequence[Event]) -> str:
    """Return what happened in a turn."""
    return "; ".join(map(_words, events))


def _words(event: Event) -> str:
    words = {
        "exchange": "exchanges {card}",
        "place": "{card} to {space}",
        "remove": "{card} takes {space}",
        "reshuffle": "{cards} discards are shuffled",
        "draw": "draws {card}",
        "forget": "forgets to draw",
        "pass": "passes",
        "table_talk": "team {team} is caught talking",
        "forfeit": "seat {seat} gives up {card}",
    }
    if event["do"] == "sequence":
        return f"sequence {event['spaces'][0]}-{event['spaces'][-1]}"
    return words[event["do"]].format(**event)


def ending(end: Event) -> str:
    """Return how a game ended."""
    who = "drawn" if end["winner"] is None else f"team {end['winner']} {CHIPS[end['winner']]} wins"
    score = ":".join(map(str, end["sequences"]))
    return f"{who} by {end['reason']} after {end['turns']} turns, sequences {score}"


def moves(events: Sequence[Event]) -> Iterator[Text]:
    """Yield a game in lines: its title, its turns, its end and the board then."""
    start, last = events[0], events[-1]
    position = Position(start)
    yield Text(title(start))
    for turn in turns(events):
        position.apply(turn)
        yield Text(move(start, turn))
    if last["do"] == "end":
        yield Text(ending(last))
    yield position.board()


def boards(events: Sequence[Event], only: int | None = None) -> Iterator[Text]:
    """Yield a game turn by turn: the hand to move, what happened, the board after it.

    With `only` just that turn. Raises ValueError if there is no such turn.
    """
    start, last, all_turns = events[0], events[-1], turns(events)
    if only is not None and not 1 <= only <= len(all_turns):
        raise ValueError(f"turn: {only}; allowed: 1 to {len(all_turns)}")
    position = Position(start)
    yield Text(title(start))
    if only is None:
        yield position.board()
    for number, turn in enumerate(all_turns, start=1):
        seat = seat_to_move(start, number)
        hand = " ".join(position.hands[seat]) or "no card"
        position.apply(turn)
        if only in (None, number):
            chip = CHIPS[position.team(seat)]
            yield Text(f"\nturn {number}, seat {seat} {chip} with {hand}: {told(turn)}")
            yield position.board()
    if last["do"] == "end" and only in (None, len(all_turns)):
        yield Text(ending(last))
