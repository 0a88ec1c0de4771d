"""What a strategy is: the contract between the engine and every bot, built-in or a user's own.

A bot is up to three functions of one signature (SIGNATURE), compiled with `@bot_function`:

    choose(setting, table, seat, hand, own) -> int

- `setting`  the record of rules and geometry (simcore/setting.py). Read only.
- `table`    the record of what everybody sees (simcore/table.py). Read only.
- `seat`     the bot's seat; its team is `setting.team[seat]`. `table.seat` is the seat to move,
             which differs only in `forfeit`.
- `hand`     uint8[n], card codes of the bot's own hand by slot. Writing to it does not compile.
- `own`      the record of what is the seat's own in this game (OWN):
  - `own.params`  float64[64], the bot's parameters in declared order, at most 60; the last four are
                  those of every bot (BARS), from FIRST_BAR on. Set anew for every game.
  - `own.memory`  int64[6144], set to the bot's `start` contents before the first turn; the engine
                  never looks at it again. `.view(np.int32)` and the like give other types. Words
                  behind the `start` contents are 0 for a guarded bot; for the built-in ones they
                  are left from other games: not to be used.
  - `own.stream`  uint64[1], the seat's random stream (simcore/rng.py: below, unit).

`choose` returns `play(slot, space)`; it is called only when the hand holds a playable card, and the
play must be legal: the engine checks it and stops the run if it is not. `exchange` returns the slot
of a dead card to exchange or -1 to keep them, and is called only when it may (rules 7.2).
`forfeit` returns the slot of a card to give up for table talk (rules 9.2).

A bot of anybody but us is compiled with every index checked (simcore/compiler.py) and guarded
(simcore/guard.py): what it writes to that it may only read stops the run. A bot with a bar on
(BARS) is shown a hand and a table without what it is barred from.

What happened since the bot's last turn stands in the table's recent plays (`table.plays` and the
`play_*` rings), so that a bot can bring its memory up to date instead of starting afresh.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from simcore.given import InputError, is_file, parse_toml, quoted, read_text
from simcore.jit import int64, kernel, record_dtype, typed_kernel
from simcore.moves import Hand, dead_slot
from simcore.rng import below
from simcore.setting import SETTING_TYPE, Setting
from simcore.table import TABLE_TYPE, Table

Params = npt.NDArray[np.float64]
Memory = npt.NDArray[np.int64]
Own = Any
"""A record of OWN."""
Decision = Callable[[Setting, Table, int, Hand, Own], int]

MAX_PARAMS = 64
MAX_MEMORY = 6144
"""Words of 8 bytes that a bot may keep over a game."""

OWN = record_dtype(
    [
        ("params", np.float64, MAX_PARAMS),
        ("memory", np.int64, MAX_MEMORY),
        ("stream", np.uint64, 1),
    ]
)

SIGNATURE = types.int64(
    SETTING_TYPE,
    TABLE_TYPE,
    types.int64,
    types.Array(types.uint8, 1, "C", readonly=True),
    numba.from_dtype(OWN),
)
"""The signature of `choose`, `exchange` and `forfeit`."""

bot_function = typed_kernel(SIGNATURE, checks=True)
"""Compile a bot's function, with every index checked, so that the engine can call it."""

unchecked_bot_function = typed_kernel(SIGNATURE)
"""The same without the checks, for our own bots, which the tests run with them."""

lean_bot_function = typed_kernel(SIGNATURE, allocates=False)
"""The same, for one of ours that creates no arrays: 10 ns a call faster."""

SCALES = ("linear", "log")
"""Scales of a parameter."""

KEEP = -1
"""What `exchange` returns to exchange nothing."""


@dataclass(frozen=True)
class Parameter:
    """A number that shapes a bot's play: checked against low and high when it is given.

    `scale` tells how `seqlab tune` goes from low to high: "linear", or "log" for weights that span
    decades, which needs a `low` above 0.
    """

    name: str
    default: float
    low: float
    high: float
    meaning: str
    scale: str = "linear"

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.isascii() and self.name.isidentifier()):
            raise ValueError(f"parameter {self.name!r}; allowed: a name of a to z, 0 to 9 and _")
        if not isinstance(self.meaning, str):
            raise ValueError(f"parameter {self.name}: meaning is {self.meaning!r}; allowed: a text")
        for what in ("default", "low", "high"):
            value = getattr(self, what)
            if not isinstance(value, Real) or not isfinite(value):
                raise ValueError(f"parameter {self.name}: {what} is {value!r}; allowed: a number")
        if not self.low <= self.default <= self.high:
            told = f"parameter {self.name}: default {self.default:g}"
            raise ValueError(f"{told}; allowed: {self.low:g} to {self.high:g}")
        if self.scale not in SCALES or (self.scale == "log" and self.low <= 0):
            told = f"parameter {self.name}: scale {self.scale!r} from {self.low:g}"
            raise ValueError(f"{told}; allowed: linear, or log from above 0")


BARS = (
    Parameter("no_two_eyed", 0, 0, 1, "1: plays no two-eyed jack unless it must"),
    Parameter("no_one_eyed", 0, 0, 1, "1: plays no one-eyed jack unless it must"),
    Parameter("no_corner_lines", 0, 0, 1, "1: completes no line through a corner unless it must"),
    Parameter("no_blocking", 0, 0, 1, "1: takes no last space or chip of a line unless it must"),
)
"""Parameters of every bot, 0 or 1: what it is barred from (as in Jaffe et al. 2012)."""

FIRST_BAR = MAX_PARAMS - len(BARS)
"""Where the bars stand in `params`; a bot has at most so many parameters of its own."""


@kernel
def play(slot: int, space: int) -> int:
    """Return the play of the card in a hand slot on a space, as `choose` has to return it."""
    return (int64(slot) << 7) | int64(space)


@lean_bot_function
def exchange_first(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Exchange the first dead card of the hand: the default of `exchange`."""
    return dead_slot(table, hand)


@lean_bot_function
def forfeit_least(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Give up a dead card, else a plain card, else a jack: the default of `forfeit`.

    Cards of one rank in that order are drawn uniformly.
    """
    best, rank, ties = 0, 3, 0
    dead = dead_slot(table, hand)
    if dead >= 0:
        return dead
    for slot in range(len(hand)):
        kind = int64(setting.kind[hand[slot]] > 0)
        if kind < rank:
            rank, ties = kind, 0
        if kind == rank:
            ties += 1
            if below(own.stream, ties) == 0:
                best = slot
    return best


def no_memory(setting: Setting, params: Params) -> Memory:
    """Return the start contents of a bot without memory."""
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class Bot:
    """A strategy's definition.

    `start(setting, params)` returns the int64 array that the bot's memory holds at the start of
    every game, from `params` as they stand in OWN; it is called once for each thread, by several at
    once, so it may change nothing outside. `idea` is one line on why it plays as it does. `fast` is
    False for a bot that plays fewer than some 2,000 games a second: reports leave it out of what
    they play to say how strong strategies are. `source` is a hash of the file that it was loaded
    from, if it was.
    """

    name: str
    idea: str
    choose: Decision
    exchange: Decision = exchange_first
    forfeit: Decision = forfeit_least
    parameters: tuple[Parameter, ...] = ()
    start: Callable[[Setting, Params], Memory] = no_memory
    fast: bool = True
    source: str = ""

    @property
    def guarded(self) -> bool:
        """Whether it is not one of ours, and the engine looks at what it does."""
        functions = (self.choose, self.exchange, self.forfeit)
        homes = (getattr(f, "__module__", "").partition(".")[0] for f in functions)
        return not {"strategies", "simcore"}.issuperset(homes)


class StrategyError(InputError):
    """A strategy that cannot be had: unknown name, bad parameter; the message says what can."""


@dataclass(frozen=True)
class Strategy:
    """A bot with its parameters and bars: one row in every table."""

    name: str
    bot: Bot
    params: tuple[float, ...]
    bars: tuple[float, ...] = (0.0,) * len(BARS)

    def all_params(self) -> Params:
        """Return the parameters as they stand in OWN."""
        values = np.zeros(MAX_PARAMS)
        values[: len(self.params)] = self.params
        values[FIRST_BAR:] = self.bars
        return values


def values_of(strategy: Strategy) -> dict[str, float]:
    """Return a strategy's parameters by name, and the bars that are on."""
    names = [parameter.name for parameter in strategy.bot.parameters]
    bars = {bar.name: on for bar, on in zip(BARS, strategy.bars, strict=True) if on}
    return dict(zip(names, strategy.params, strict=True)) | bars


def bot_files(strategies: Iterable[Strategy]) -> dict[str, str]:
    """Return the strategies that come from a file, with a hash of it."""
    return {each.name: each.bot.source for each in strategies if each.bot.source}


def check_parameters(bot: str, parameters: tuple[Parameter, ...]) -> None:
    """Raise StrategyError if a bot's parameters are too many, or two have one name."""
    every = (*parameters, *BARS)
    if len({p.name for p in every}) < len(every) or len(parameters) > FIRST_BAR:
        taken = ", ".join(p.name for p in BARS)
        told = f"{bot}: parameters {', '.join(p.name for p in parameters)}"
        raise StrategyError(f"{told}; allowed: {FIRST_BAR} different ones, none of {taken}")


def make_strategy(bot: Bot, given: Mapping[str, float]) -> Strategy:
    """Return the bot with parameters checked; its name carries those that are not the default.

    Raises StrategyError for an unknown parameter or a value out of range.
    """
    check_parameters(bot.name, bot.parameters)
    parameters = (*bot.parameters, *BARS)
    known = {p.name: p for p in parameters}
    for name, value in given.items():
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise StrategyError(f"{bot.name}: no parameter {quoted(name)}; allowed: {allowed}")
        low, high = known[name].low, known[name].high
        if not low <= value <= high:
            told = f"{bot.name}: {name} is {exact(value)}"
            raise StrategyError(f"{told}; allowed: {low:g} to {high:g}")
    for bar in BARS:
        if given.get(bar.name, 0) not in (0, 1):
            told = f"{bot.name}: {bar.name} is {given[bar.name]:g}"
            raise StrategyError(f"{told}; allowed: 0 or 1")
    values = [float(given.get(p.name, p.default)) for p in parameters]
    differ = [
        f"{p.name}={exact(value)}"
        for p, value in zip(parameters, values, strict=True)
        if value != p.default
    ]
    name = f"{bot.name}:{','.join(differ)}" if differ else bot.name
    own = len(bot.parameters)
    return Strategy(name, bot, tuple(values[:own]), tuple(values[own:]))


def exact(value: float) -> str:
    """Return the shortest text that reads back as this value: games are replayed from names."""
    return repr(float(value)).removesuffix(".0")


GROUP = "sequence_lab.strategies"
"""The entry point group in which bots are found, ours and anybody's."""


def bot_names() -> list[str]:
    """Return the names of all installed bots, in alphabetical order."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def installed_bots() -> tuple[list[Bot], list[str]]:
    """Return all installed bots by name, and of each that cannot be had why, in a line."""
    bots: list[Bot] = []
    why: list[str] = []
    for name in bot_names():
        try:
            bots.append(find_bot(name))
        except StrategyError as error:
            why.append(str(error))
    return bots, why


def find_bot(name: str) -> Bot:
    """Return the installed bot of that name, or the one of a file for `PATH.py:NAME`.

    Raises StrategyError that names those there are.
    """
    if names_file(name):
        from simcore.bot_files import load_bot

        return load_bot(name)
    if name.endswith(".py"):
        raise StrategyError(f"{name}: names no function; allowed: {name}:NAME, as {name}:choose")
    points = list(entry_points(group=GROUP, name=name))
    if not points:
        raise StrategyError(f"no strategy {quoted(name)}; allowed: {', '.join(bot_names())}")
    return _installed_bot(name, points[0])


def _installed_bot(name: str, point: Any) -> Bot:
    try:
        bot = point.load()
    except Exception as error:  # whatever a module of anybody's raises
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise StrategyError(f"strategy {name!r} cannot be loaded: {reason}") from error
    if not isinstance(bot, Bot):
        raise StrategyError(f"strategy {name!r}: {point.value} is no Bot")
    if bot.name != name:
        told = f"strategy {name!r}: {point.value} has the name {bot.name!r}"
        raise StrategyError(f"{told}; allowed: that of the entry point")
    from simcore.bot_files import package_bot

    return package_bot(bot)


def find_strategy(text: str) -> Strategy:
    """Return the strategy that `NAME`, `NAME:param=value,...` or `NAME@FILE.toml` tells.

    NAME is that of an installed bot, or `PATH.py:FUNCTION`. Raises StrategyError for an unknown bot
    or parameter, a value out of range or a bad file.
    """
    name, sign, given = _split(text)
    if sign == "@":
        return make_strategy(find_bot(name), _read_params(Path(given)))
    values: dict[str, float] = {}
    for pair in given.split(",") if given else []:
        key, _, value = pair.partition("=")
        if key.strip() in values:
            raise StrategyError(f"{text}: {key.strip()} is given twice")
        values[key.strip()] = _number(text, value)
    return make_strategy(find_bot(name), values)


def names_file(text: str) -> bool:
    """Return whether a strategy's name tells a file, which is code only if the user named it."""
    return ".py:" in text


def _split(text: str) -> tuple[str, str, str]:
    """Return the bot's name, `:` or `@`, and what stands behind it.

    A path may hold both signs, even `.py:`; of several ways to read it the first counts that
    names a file there is.
    """
    if not names_file(text):
        at, colon = text.partition("@"), text.partition(":")
        return at if at[1] else colon
    ends = [match.end() for match in re.finditer(r"\.py:", text)]
    end = next((end for end in ends if is_file(Path(text[: end - 1]))), ends[0])
    found = re.search("[:@]", text[end:])
    if found is None:
        return text, "", ""
    at_sign = end + found.start()
    return text[:at_sign], text[at_sign], text[at_sign + 1 :]


def _number(text: str, value: object) -> float:
    try:
        return float(str(value))
    except (ValueError, RecursionError):
        told = f"{text}: {quoted(value)} is no number"
        raise StrategyError(f"{told}; allowed: NAME:param=value") from None


def _read_params(path: Path) -> dict[str, float]:
    try:
        given = parse_toml(read_text(path))
    except InputError as error:
        raise StrategyError(f"parameters: {path} cannot be read as TOML: {error}") from None
    return {key: _number(f"{path}: {key}", value) for key, value in given.items()}
