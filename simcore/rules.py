"""`Rules`: every switch of the rules, checked, from Python, TOML or text.

Field names and clause numbers are those of the project's rules; each field says what is allowed.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from simcore.board import Board, load_board
from simcore.given import InputError, is_file, parse_toml, quoted, read_text

PLAYERS = (2, 3, 4, 6, 8, 9, 10, 12)
MAX_TEAMS = 3
MAX_SEATS = 12
PLAIN_CARDS = 96

_HAND = {2: 7, 3: 6, 4: 6, 6: 5, 8: 4, 9: 4, 10: 3, 12: 3}
_CHIPS = (50, 50, 35)
_MAX_CHIPS = 10_000
_MAX_MAX_TURNS = 1_000_000


class RulesError(InputError):
    """A rule setting that is not allowed; the message says what was given and what is allowed."""


def _switch(default: Any, clause: str, help_text: str) -> Any:
    return field(default=default, metadata={"clause": clause, "help": help_text})


@dataclass(frozen=True)
class Rules:
    """The rules of a game. Fields left at None take the standard value for the players.

    Every field is checked when the object is made; RulesError says what is allowed. After that all
    fields hold values in force: `Rules(players=9).teams == 3`.
    """

    players: int = _switch(2, "1.1", "2, 3, 4, 6, 8, 9, 10 or 12")
    teams: int = _switch(None, "1.2", "2 or 3, dividing the players; 3 for 3 and 9 players, else 2")
    board: str = _switch("standard", "2", "standard, wedge, random:SEED or a CSV file")
    two_eyed_jacks: int = _switch(4, "3.1", "0 to 8")
    one_eyed_jacks: int = _switch(4, "3.1", "0 to 8")
    deal: str = _switch("shuffled", "3.2", "shuffled or single_deck")
    hand_size: int = _switch(None, "3.3", "1 to 10; 7, 6, 6, 5, 4, 4, 3, 3 by players")
    extra_cards: tuple[int, ...] = _switch((), "3.4", "a list: cards more, by place in turn order")
    first_seat: int | str = _switch("cut", "4.1", "cut, or a seat from 0 to players-1")
    one_eyed_removes: str = _switch("opponent", "6.3", "opponent or any")
    sequences_protected: bool = _switch(True, "6.3", "true or false")
    chips: tuple[int, ...] = _switch(_CHIPS, "6.5", "a list: chips of each team, each at least 1")
    dead_card_exchanges: int = _switch(1, "7.2", "how many a turn: 0 or more, -1 for no limit")
    line_length: int = _switch(5, "8.1", "4 to 6")
    free_corners: bool = _switch(True, "8.1", "true or false")
    shared_spaces: int = _switch(1, "8.2", "0 to line_length-1")
    sequences_to_win: int = _switch(None, "8.5", "1 to 4; 2 for two teams, 1 for three")
    forget_draw: float = _switch(0.0, "9.1", "a chance from 0 to 1")
    table_talk: float = _switch(0.0, "9.2", "a chance from 0 to 1")
    reshuffle: bool = _switch(True, "10.1", "true or false")
    max_turns: int = _switch(1000, "10.3", f"1 to {_MAX_MAX_TURNS}")

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, list):
                _set(self, name, tuple(value))
            _check_type(name, getattr(self, name))
        self._check_seats()
        self._check_ranges()
        self._check_hands()

    def _check_seats(self) -> None:
        if self.players not in PLAYERS:
            raise _error("players", self.players, "2, 3, 4, 6, 8, 9, 10 or 12")
        allowed = [k for k in (2, 3) if self.players % k == 0]
        if self.teams is None:
            _set(self, "teams", 3 if self.players in (3, 9) else 2)
        if self.teams not in allowed:
            choice = " or ".join(map(str, allowed))
            raise _error("teams", self.teams, f"{choice} with {self.players} players")
        if self.hand_size is None:
            _set(self, "hand_size", _HAND[self.players])
        if self.sequences_to_win is None:
            _set(self, "sequences_to_win", 2 if self.teams == 2 else 1)
        if self.first_seat != "cut" and not (
            isinstance(self.first_seat, int) and 0 <= self.first_seat < self.players
        ):
            raise _error("first_seat", self.first_seat, f"cut, or 0 to {self.players - 1}")

    def _check_ranges(self) -> None:
        _check_range("two_eyed_jacks", self.two_eyed_jacks, 0, 8)
        _check_range("one_eyed_jacks", self.one_eyed_jacks, 0, 8)
        _check_range("hand_size", self.hand_size, 1, 10)
        _check_range("dead_card_exchanges", self.dead_card_exchanges, -1, PLAIN_CARDS + 16)
        _check_range("line_length", self.line_length, 4, 6)
        _check_range("shared_spaces", self.shared_spaces, 0, self.line_length - 1)
        _check_range("sequences_to_win", self.sequences_to_win, 1, 4)
        _check_range("max_turns", self.max_turns, 1, _MAX_MAX_TURNS)
        _check_range("forget_draw", self.forget_draw, 0, 1)
        _check_range("table_talk", self.table_talk, 0, 1)
        for name, allowed in (
            ("deal", ("shuffled", "single_deck")),
            ("one_eyed_removes", ("opponent", "any")),
        ):
            if getattr(self, name) not in allowed:
                raise _error(name, getattr(self, name), " or ".join(allowed))
        if len(self.chips) < self.teams or len(self.chips) > MAX_TEAMS:
            raise _error("chips", list(self.chips), f"{self.teams} to {MAX_TEAMS} numbers")
        for value in self.chips:
            _check_range("chips", value, 1, _MAX_CHIPS)

    def _check_hands(self) -> None:
        if len(self.extra_cards) > self.players:
            raise _error("extra_cards", list(self.extra_cards), f"at most {self.players} numbers")
        for value in self.extra_cards:
            _check_range("extra_cards", value, 0, PLAIN_CARDS + 16)
        dealt, room = sum(self.hands()), self.deck_size()
        if self.deal == "single_deck":
            room = 48 + (self.two_eyed_jacks + 1) // 2 + (self.one_eyed_jacks + 1) // 2
        if dealt > room:
            where = "the first pack" if self.deal == "single_deck" else "the deck"
            raise _error(
                "hand_size", self.hand_size, f"hands that fit: {dealt} > {room} in {where}"
            )

    def hands(self) -> list[int]:
        """Return the number of cards dealt, by place in the turn order (rules 3.3, 3.4)."""
        extra = [*self.extra_cards, *[0] * (self.players - len(self.extra_cards))]
        return [self.hand_size + more for more in extra]

    def deck_size(self) -> int:
        """Return D, the number of cards in the deck (rules 3.1)."""
        return PLAIN_CARDS + self.two_eyed_jacks + self.one_eyed_jacks

    def load_board(self) -> Board:
        """Return the layout in force; raises LayoutError (rules 2.2)."""
        return load_board(self.board)

    def settings(self) -> dict[str, Any]:
        """Return every field and its value in force, lists for tuples, ready for JSON."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    def changes(self) -> dict[str, Any]:
        """Return the fields whose value differs from the standard game of as many players."""
        standard = Rules(players=self.players, teams=self.teams).settings()
        return {k: v for k, v in self.settings().items() if v != standard[k]}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Rules":
        """Make rules from field names and values; raises RulesError also for an unknown name."""
        known = [f.name for f in fields(cls)]
        for name in settings:
            if name not in known:
                raise RulesError(f"rules: no field {quoted(name)}; allowed: {', '.join(known)}")
        given: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()
        }
        return cls(**given)


PRESETS: dict[str, dict[str, Any]] = {
    "standard-2": {"players": 2},
    "standard-3": {"players": 3},
    "standard-4": {"players": 4},
    "standard-6": {"players": 6},
    "standard-6-three-teams": {"players": 6, "teams": 3},
    "standard-8": {"players": 8},
    "standard-9": {"players": 9},
    "standard-10": {"players": 10},
    "standard-12": {"players": 12},
    "standard-12-three-teams": {"players": 12, "teams": 3},
}
"""The standard game by player count and team split, as settings for `Rules.from_settings`."""


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings in a TOML file of rule fields; raises RulesError if it is none.

    A layout given as a relative file name is looked for beside the TOML file first.
    """
    try:
        settings = parse_toml(read_text(path))
    except InputError as error:
        raise RulesError(f"rules: {path} cannot be read as TOML: {error}") from None
    board = settings.get("board")
    if isinstance(board, str) and is_file(path.parent / board):
        settings["board"] = str(path.parent / board)
    return settings


def parse_assignment(text: str) -> tuple[str, Any]:
    """Return (field, value) of `field=value`: a TOML value, or a bare word as a string."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise RulesError(f"rules: {quoted(text)}; allowed: field=value, such as hand_size=6")
    try:
        found = parse_toml(f"value = {value}")
    except InputError:
        found = {}
    # A value of several lines could hold more than a value.
    return name.strip(), found["value"] if found.keys() == {"value"} else value.strip()


def _set(rules: Rules, name: str, value: Any) -> None:
    object.__setattr__(rules, name, value)


def _error(name: str, value: Any, allowed: str) -> RulesError:
    return RulesError(f"rules: {name} is {quoted(value)}; allowed: {allowed}")


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise _error(name, value, f"{low} to {high}")


_NONE_ALLOWED = ("teams", "hand_size", "sequences_to_win")
_INTEGER = (
    *(*_NONE_ALLOWED, "players", "two_eyed_jacks", "one_eyed_jacks", "dead_card_exchanges"),
    *("line_length", "shared_spaces", "max_turns"),
)
_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(_INTEGER, (int, "a whole number")),
    **dict.fromkeys(("board", "deal", "one_eyed_removes"), (str, "a string")),
    **dict.fromkeys(("sequences_protected", "free_corners", "reshuffle"), (bool, "true or false")),
    **dict.fromkeys(("forget_draw", "table_talk"), ((int, float), "a number")),
    **dict.fromkeys(("chips", "extra_cards"), (tuple, "a list of whole numbers")),
    "first_seat": ((int, str), "cut or a seat"),
}


def _check_type(name: str, value: Any) -> None:
    """Raise RulesError when a value has the wrong type; bool counts as no number."""
    if value is None and name in _NONE_ALLOWED:
        return
    wanted, text = _TYPES[name]
    fits = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if fits and isinstance(value, tuple):
        fits = all(isinstance(v, int) and not isinstance(v, bool) for v in value)
    if not fits:
        raise _error(name, value, text)
