"""The judge of games that any program may have played: every line of a transcript must be legal.

Nothing here is shared with the kernels that play. A game is replayed from its header alone; the
first line that can not stand after those before it is found and named with the clause it breaks,
the rest of that game is passed over, and judging goes on at the next `start`.

Where the rules leave a choice, every choice stands: of the largest sets of lines that one chip
completes (rules 8.3) any is accepted, its lines in any order, and the spaces of a line from either
end. What is missing is found at the line that stands in its place, or at the number after the last
line if the file ends there. A line after the end of a game is a finding of that game, and lines
before the first `start` are a game without a header, number 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from simcore.headers import Setup
from simcore.referee import OVER, Game
from simcore.transcripts import (
    FORMAT,
    Breach,
    Event,
    check_shape,
    is_start,
    parse_event,
    read_lines,
    shown,
)


@dataclass(frozen=True)
class Finding:
    """What is wrong with a game.

    `game` is its number in the file, from 1, `header_game` the one its header gives (None if it
    gives none), `line` the first line of the file that can not stand, from 1, `clause` that of the
    rules which it breaks, or `transcript` for the format. `message` is printable ASCII.
    """

    game: int
    header_game: int | None
    line: int
    clause: str
    message: str

    def __str__(self) -> str:
        """Tell the finding in a line that follows the name of the file and a colon."""
        run = "" if self.header_game is None else f" (number {shown(self.header_game)} in its run)"
        rules = "" if self.clause == "transcript" else "rules "
        return f"{self.line}: game {self.game:,}{run}: {self.message} ({rules}{self.clause})"


def judge(stream: BinaryIO) -> Iterator[Finding | None]:
    """Yield for each game of a file, in order, None if it is legal, else what is wrong.

    A file without a game is a game without a header. Memory is that of one line and one position.
    """
    trial, number, cache_of_one = None, 0, _Setups()
    for number, data in read_lines(stream):
        event, breach = _parse(data)
        if trial is None or is_start(event, data):
            if trial is not None:
                yield trial.close(number)
            trial = _Trial(1 if trial is None else trial.number + 1, cache_of_one)
        if trial.finding is None:
            trial.hear(number, event, breach)
    if trial is None:
        yield Finding(1, None, number + 1, "transcript", "no game in the file")
    else:
        yield trial.close(number + 1)


def _parse(data: bytes) -> tuple[Event | None, Breach | None]:
    """Return the object on a line, or what is wrong with the line."""
    try:
        return parse_event(data), None
    except Breach as breach:
        return None, breach
    except RecursionError:
        return None, Breach("transcript", "lists or objects nested too deeply")


class _Trial:
    """One game of a file, up to the first line that can not stand."""

    def __init__(self, number: int, setups: "_Setups") -> None:
        self.number = number
        self.finding: Finding | None = None
        self._setups = setups
        self._game: Game | None = None
        self._header_game: int | None = None

    def hear(self, line: int, event: Event | None, breach: Breach | None) -> None:
        """Take the next line, an event or the breach that keeps it from being one."""
        try:
            if self._game is not None and self._game.phase is OVER:
                raise Breach("transcript", "it follows the end of the game and is no start")
            if breach is not None:
                raise breach
            assert event is not None
            if self._game is None:
                self._start(event)
            else:
                self._game.apply(event)
        except Breach as found:
            self._find(line, found)

    def close(self, line: int) -> Finding | None:
        """Return the finding, if any; `line` is the one behind the game."""
        if self.finding is None:
            assert self._game is not None
            if self._game.phase is not OVER:
                due = self._game.phase.due
                self._find(line, Breach("transcript", f"the game breaks off: due is {due}"))
        return self.finding

    def _start(self, event: Event) -> None:
        if event.get("do") != "start":
            raise Breach("transcript", "a line before the start of a game")
        if type(event.get("game")) is int:
            self._header_game = event["game"]
        self._game = self._setups.start(event)

    def _find(self, line: int, breach: Breach) -> None:
        self.finding = Finding(self.number, self._header_game, line, breach.clause, breach.message)


class _Setups:
    """The setup of the last good header: games in a row mostly have the same."""

    def __init__(self) -> None:
        self._key = ""
        self._setup: Setup | None = None

    def start(self, header: Event) -> "Game":
        """Return the game at its deal; raises Breach if the header is wrong (rules 1 to 4)."""
        check_shape(header)
        if header["format"] != FORMAT:
            told = f"start: format is {shown(header['format'])}; allowed: {FORMAT}"
            raise Breach("transcript", told)
        setup = self._get(header["rules"], header["board"])
        for key in ("seed", "deal", "game"):
            if header[key] < 0:
                raise Breach("transcript", f"start: {key} is {shown(header[key])}, below 0")
        if len(header["strategies"]) != setup.rules.players:
            told = f"{len(header['strategies'])} strategies for {setup.rules.players} seats"
            raise Breach("transcript", f"start: {told}")
        if not 0 <= header["first_seat"] < setup.rules.players:
            raise Breach("4.1", f"start: there is no seat {shown(header['first_seat'])}")
        return Game(setup, header["first_seat"], header["hands"])

    def _get(self, switches: Event, board: list[list[str]]) -> Setup:
        # Texts tell true from 1 and 1 from 1.0, which compare as equal.
        try:
            key = repr((switches, board))
            if self._setup is None or key != self._key:
                self._setup = Setup(switches, board)
                self._key = key
        except RecursionError:
            raise Breach("transcript", "start: rules nested too deeply") from None
        return self._setup
