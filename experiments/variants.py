"""What a study varies: factors and their levels, read from TOML, and the variants they make.

    strategy = "planner"        # plays in all seats
    strong = "planner"          # skill is its score
    weak = "greedy"             # against this one
    design = "one-at-a-time"    # or "full": every combination
    games = 20000               # of each kind, for each variant
    jacks = true                # whether a jack's value is measured, with most of the games
    [rules]                     # in force in all variants
    [factors]                   # a field of Rules, "layout" or "strategy", and its levels
    hand_size = [7, 5, 6, 8]    # the first is what the others are held against

A factor of any other name has tables as levels, each with a `name` and the rules that it sets.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from simcore.given import InputError, parse_toml, quoted, read_text
from simcore.rules import Rules
from simcore.simulation import MAX_GAMES
from simcore.strategy import Strategy, find_strategy

BASE = "base"
DESIGNS = ("one-at-a-time", "full")
MOST = 2000
"""Variants of a study at most."""

_KEYS = ("title", "strategy", "strong", "weak", "design", "games", "jacks", "rules", "factors")


class StudyError(InputError):
    """A study that cannot be: one line says what was given, where, and what is allowed."""


@dataclass(frozen=True)
class Variant:
    """Rules and a strategy; `levels` says the level of each factor, by name."""

    name: str
    levels: Mapping[str, str]
    rules: Rules
    strategy: Strategy


@dataclass(frozen=True)
class Study:
    """The variants, the first of which all others are held against, and how they are measured."""

    title: str
    variants: tuple[Variant, ...]
    factors: Mapping[str, tuple[str, ...]]
    design: str
    strong: Strategy
    weak: Strategy
    games: int
    jacks: bool

    @property
    def base(self) -> Variant:
        """The variant in which every factor has its first level."""
        return self.variants[0]


def presets() -> list[str]:
    """Return the names of the studies that are shipped."""
    names = [file.name for file in (files("experiments") / "presets").iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def preset_text(name: str) -> str:
    """Return the TOML of a study that is shipped; StudyError for another name."""
    if name not in presets():
        raise StudyError(f"preset: {name!r}; allowed: {', '.join(presets())}")
    return (files("experiments") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def sample_text() -> str:
    """Return a commented study to start from."""
    return (files("experiments") / "sample.toml").read_text(encoding="utf-8")


def read_study(file: Path, games: int | None = None) -> Study:
    """Return the study of a TOML file; raises StudyError."""
    try:
        text = read_text(file)
    except InputError as error:
        raise StudyError(f"{file} cannot be read: {error}") from None
    return parse_study(text, str(file), games)


def parse_study(text: str, where: str, games: int | None = None) -> Study:
    """Return the study of a TOML text; `games` stands in for what it says."""
    try:
        given = parse_toml(text)
    except InputError as error:
        raise StudyError(f"{where} is no TOML: {error}") from None
    for key in given:
        if key not in _KEYS:
            raise StudyError(f"{where}: {quoted(key)}; allowed: {', '.join(_KEYS)}")
    design = _of_type(given, "design", str, DESIGNS[0], where)
    if design not in DESIGNS:
        raise StudyError(f"{where}: design: {quoted(design)}; allowed: {', '.join(DESIGNS)}")
    factors = _of_type(given, "factors", dict, {}, where)
    levels = {name: _levels(name, values, where) for name, values in factors.items()}
    if not levels:
        raise StudyError(f"{where}: no factors; allowed: at least one, as [factors] with lists")
    _refuse_overlap(levels, where)
    common = _of_type(given, "rules", dict, {}, where)
    strategy = _of_type(given, "strategy", str, "planner", where)
    said = _of_type(given, "games", int, 20_000, where)
    count = said if games is None else games
    if not 2 <= count <= MAX_GAMES:
        raise StudyError(f"games: {quoted(count)}; allowed: 2 to {MAX_GAMES}")
    return Study(
        title=_of_type(given, "title", str, where, where),
        variants=tuple(_variants(levels, design, common, strategy, where)),
        factors={name: tuple(told) for name, told in levels.items()},
        design=design,
        strong=_find(_of_type(given, "strong", str, "planner", where), f"{where}: strong"),
        weak=_find(_of_type(given, "weak", str, "greedy", where), f"{where}: weak"),
        games=count,
        jacks=_of_type(given, "jacks", bool, True, where),
    )


def _of_type(given: Mapping[str, Any], key: str, kind: type, default: Any, where: str) -> Any:
    value = given.get(key, default)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        words = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}
        raise StudyError(f"{where}: {key}: {quoted(value)}; allowed: {words[kind]}")
    return value


def _levels(name: str, values: Any, where: str) -> dict[str, dict[str, Any]]:
    """Return what each level of a factor sets, by the level's text."""
    known = {*(field.name for field in fields(Rules)), "layout", "strategy"}
    if not isinstance(values, list) or len(values) < 2:
        raise StudyError(f"{where}: {name}: {quoted(values)}; allowed: a list of at least 2 levels")
    levels: dict[str, dict[str, Any]] = {}
    for value in values:
        if name in known:
            text, sets = _text(value), {name: value}
        elif isinstance(value, dict):
            sets = {key: each for key, each in value.items() if key != "name"}
            text = value.get("name", _text(sets))
            if not isinstance(text, str) or not text.strip():
                raise StudyError(f"{where}: {name}: name {quoted(text)}; allowed: a text")
            if unknown := [key for key in sets if key not in known]:
                told = f"{where}: {name}: {quoted(unknown[0])}"
                raise StudyError(f"{told}; allowed: {', '.join(sorted(known))}")
        else:
            allowed = f"tables of rules, or as a name {', '.join(sorted(known))}"
            told = f"{where}: factor {quoted(name)} has {quoted(value)}"
            raise StudyError(f"{told}; allowed: {allowed}")
        if text in levels:
            raise StudyError(f"{where}: {name}: {text} twice; allowed: every level once")
        levels[text] = sets
    return levels


def _refuse_overlap(levels: Mapping[str, Mapping[str, dict[str, Any]]], where: str) -> None:
    """Refuse two factors that set one field: the later would undo what the earlier set."""
    owner: dict[str, str] = {}
    for factor, told in levels.items():
        for field in {_field(key): None for sets in told.values() for key in sets}:
            if field in owner:
                both = f"{owner[field]} and {factor} both set {field}"
                raise StudyError(f"{where}: {both}; allowed: each field in one factor")
            owner[field] = factor


def _field(key: str) -> str:
    return "board" if key == "layout" else key


def _text(value: Any) -> str:
    # TOML's dates are no JSON, nor is what Python cannot write; the rules refuse them in words.
    try:
        return value if isinstance(value, str) else json.dumps(value, default=str)
    except (ValueError, RecursionError):
        return quoted(value)


def _find(name: str, where: str) -> Strategy:
    try:
        return find_strategy(name)
    except ValueError as error:
        raise StudyError(f"{where}: {error}") from None


def _variants(
    levels: Mapping[str, Mapping[str, dict[str, Any]]],
    design: str,
    common: Mapping[str, Any],
    strategy: str,
    where: str,
) -> list[Variant]:
    first = {name: next(iter(told)) for name, told in levels.items()}
    counts = [len(told) for told in levels.values()]
    count = math.prod(counts) if design == "full" else sum(counts) - len(counts) + 1
    if count > MOST:  # asked before there is a list of them
        raise StudyError(f"{where}: {quoted(count)} variants; allowed: at most {MOST}")
    if design == "full":
        chosen = [dict(zip(levels, each, strict=True)) for each in product(*levels.values())]
    else:
        others = [{**first, name: text} for name, told in levels.items() for text in list(told)[1:]]
        chosen = [first, *others]
    players: dict[str, Strategy] = {}
    return [_variant(levels, first, each, common, strategy, where, players) for each in chosen]


def _variant(
    levels: Mapping[str, Mapping[str, dict[str, Any]]],
    first: Mapping[str, str],
    chosen: dict[str, str],
    common: Mapping[str, Any],
    strategy: str,
    where: str,
    players: dict[str, Strategy],
) -> Variant:
    settings: dict[str, Any] = {}
    for sets in (common, *(levels[name][text] for name, text in chosen.items())):
        settings |= {_field(key): value for key, value in sets.items()}
    player = _text(settings.pop("strategy", strategy))
    told = [f"{name}={text}" for name, text in chosen.items() if text != first[name]]
    own_name = ", ".join(told) or BASE
    try:
        rules = Rules.from_settings(settings)
        rules.load_board()
    except ValueError as error:
        raise StudyError(f"{where}: {own_name}: {error}") from None
    if player not in players:  # to find one takes as long as to play hundreds of games
        players[player] = _find(player, f"{where}: {own_name}")
    return Variant(own_name, chosen, rules, players[player])
