"""Runs of the shape that simcore gives, made of random numbers: no game was played for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from simcore.board import CORNERS, DIRECTIONS, SPACE_NAMES, lines, load_board
from simcore.rules import Rules

REASONS = ["sequences", "stalemate", "max_turns"]
PURPOSES = ["completes", "blocks", "builds", "removes", "other", "held"]
CORNER_OF = {0: "A1", 9: "A10", 90: "J1", 99: "J10"}


@dataclass
class Part:
    games: pd.DataFrame
    seats: pd.DataFrame
    sequences: pd.DataFrame
    jacks: pd.DataFrame
    spaces: pd.DataFrame


@dataclass
class Run:
    manifest: dict[str, Any]
    made: list[Part]

    def parts(self) -> Iterator[Part]:
        yield from self.made


def make_run(
    deals: int = 40,
    *,
    strategies: tuple[str, ...] = ("greedy",),
    design: str = "rotate",
    rules: Rules | None = None,
    seed: int = 1,
    parts: int = 1,
    drawn: float = 0.02,
    advantage: float = 0.05,
) -> Run:
    """Whole deals in as many parts; `advantage` of going first, and of 4 points a jack dealt."""
    rules = rules or Rules()
    rng = np.random.default_rng(seed)
    each = {"rotate": rules.teams, "swap": len(strategies), "none": 1}[design]
    frames = _frames(rng, deals, each, list(strategies), design, rules, drawn, advantage)
    manifest = {
        "seed": seed,
        "games": deals * each,
        "deals": deals,
        "design": design,
        "rules": rules.settings(),
        "board": load_board(rules.board).rows(),
        "strategies": list(strategies),
        "command": f"seqlab simulate --seed {seed}",
        "versions": {"sequence-lab": "0.1.0"},
    }
    return Run(manifest, [_cut(frames, deal) for deal in np.array_split(np.arange(deals), parts)])


def _cut(frames: dict[str, pd.DataFrame], deals: np.ndarray) -> Part:
    low, high = deals[0], deals[-1]
    cut = {
        name: frame[frame["deal"].between(low, high)].reset_index(drop=True)
        for name, frame in frames.items()
    }
    keys = ["strategy", "space", "card"]
    spaces = cut.pop("spaces").groupby(keys, observed=True, sort=False)
    sums = spaces[["placed", "removed", "in_sequence", "in_winning_sequence"]].sum().reset_index()
    return Part(**cut, spaces=sums.assign(games=len(cut["games"])))


def _category(values: np.ndarray, names: list[str]) -> pd.Categorical:
    return pd.Categorical.from_codes(values, names)


def _frames(
    rng: np.random.Generator,
    deals: int,
    each: int,
    names: list[str],
    design: str,
    rules: Rules,
    drawn: float,
    advantage: float,
) -> dict[str, pd.DataFrame]:
    players, teams, games = rules.players, rules.teams, deals * each
    game = np.arange(games)
    deal, seating = game // each, game % each
    first = np.repeat(rng.integers(0, players, deals), each)
    if design == "rotate":
        first = (first + seating) % players
    order = np.repeat(seating[:, None], players, 1) if design == "swap" else 0
    strategy = (order + np.arange(players) % teams) % len(names)
    seat_id = f"{len(names)}"
    categories = list(dict.fromkeys(names)) if seat_id else []

    opening = {
        kind: np.repeat(
            rng.binomial(rules.hand_size, count / rules.deck_size(), (deals, players)), each, 0
        )
        for kind, count in (("two", rules.two_eyed_jacks), ("one", rules.one_eyed_jacks))
    }
    strength = 0.04 * (opening["two"] + 0.5 * opening["one"])
    per_team = np.stack([strength[:, t::teams].mean(1) for t in range(teams)], 1)
    per_team[game, first % teams] += advantage
    per_team += np.repeat(rng.normal(0, 0.3, (deals, teams)), each, 0)
    winner = (per_team + rng.gumbel(0, 0.35, (games, teams))).argmax(1).astype(np.int8)
    winner[rng.random(games) < drawn] = -1
    reason = np.where(winner < 0, rng.integers(1, 3, games), 0)
    turns = np.maximum(2 * players, rng.gamma(16, 5, games)).astype(np.int32)
    frames = {
        "games": pd.DataFrame(
            {
                "game": game,
                "deal": deal,
                "seating": seating.astype(np.uint16),
                "first_seat": first.astype(np.uint8),
                "winner": winner,
                "reason": _category(reason, REASONS),
                "turns": turns,
                "reshuffles": rng.poisson(0.2, games).astype(np.uint8),
            }
        )
    }
    team = np.arange(players) % teams
    score = np.where(winner[:, None] < 0, 1 / teams, winner[:, None] == team)
    flat = np.broadcast_to(strategy, (games, players)).ravel()
    rows = games * players
    counts = {
        f"drawn_{kind}_eyed": rng.poisson(1.3, rows).astype(np.uint8) for kind in ("two", "one")
    }
    frames["seats"] = pd.DataFrame(
        {
            "game": np.repeat(game, players),
            "deal": np.repeat(deal, players),
            "seat": np.tile(np.arange(players, dtype=np.uint8), games),
            "team": np.tile(team.astype(np.uint8), games),
            "place": ((np.arange(players) - first[:, None]) % players).ravel().astype(np.uint8),
            "strategy": _category(flat, categories),
            "score": score.ravel().astype(np.float32),
            "opening_two_eyed": opening["two"].ravel().astype(np.uint8),
            "opening_one_eyed": opening["one"].ravel().astype(np.uint8),
            **counts,
        }
    )
    frames["sequences"] = _sequences(rng, rules, game, deal, winner, turns, flat, categories)
    frames["jacks"] = _jacks(rng, rules, game, deal, turns, flat, categories)
    frames["spaces"] = _spaces(rng, deals, rules, flat, categories)
    return frames


def _sequences(
    rng: np.random.Generator,
    rules: Rules,
    game: np.ndarray,
    deal: np.ndarray,
    winner: np.ndarray,
    turns: np.ndarray,
    strategy: np.ndarray,
    categories: list[str],
) -> pd.DataFrame:
    teams, players = rules.teams, rules.players
    target = rules.sequences_to_win
    counts = rng.integers(0, target, (len(game), teams))
    won = winner >= 0
    counts[won, winner[won]] = target
    row_game, row_team = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    last = np.r_[row_game[1:] * teams + row_team[1:] != row_game[:-1] * teams + row_team[:-1], True]
    table = lines(rules.line_length)
    corner = np.full(len(table.spaces), "none", dtype=object)
    for space, name in CORNER_OF.items():
        corner[(table.spaces == space).any(1)] = name
    centre = np.abs(table.spaces % 10 - 4.5).mean(1) + np.abs(table.spaces // 10 - 4.5).mean(1)
    weight = np.exp(-0.15 * centre) * np.where(
        corner == "none", 1.0, 4.0 if rules.free_corners else 0.0
    )
    line = rng.choice(len(weight), len(row_game), p=weight / weight.sum())
    seat = row_team + teams * rng.integers(0, players // teams, len(row_game))
    names = ["J10", "none", "A1", "A10", "J1"]
    codes = np.array([names.index(c) for c in corner])
    return pd.DataFrame(
        {
            "game": game[row_game],
            "deal": deal[row_game],
            "team": row_team.astype(np.uint8),
            "seat": seat.astype(np.uint8),
            "strategy": _category(strategy[row_game * players + seat], categories),
            "turn": turns[row_game],
            "line": line.astype(np.uint8),
            "direction": _category(table.direction[line], list(DIRECTIONS)),
            "corner": _category(codes[line], names),
            "shared": np.zeros(len(row_game), np.uint8),
            "winning": last & (winner[row_game] == row_team),
        }
    )


def _jacks(
    rng: np.random.Generator,
    rules: Rules,
    game: np.ndarray,
    deal: np.ndarray,
    turns: np.ndarray,
    strategy: np.ndarray,
    categories: list[str],
) -> pd.DataFrame:
    enough = rules.two_eyed_jacks + rules.one_eyed_jacks > 0
    counts = rng.poisson(6.0 if enough else 0.0, len(game))
    row_game = np.repeat(np.arange(len(game)), counts)
    turn = 1 + (rng.random(len(row_game)) * turns[row_game]).astype(np.int32)
    order = np.lexsort((turn, row_game))
    row_game, turn = row_game[order], turn[order]
    seat = rng.integers(0, rules.players, len(row_game))
    kind = rng.integers(0, 2, len(row_game))
    purpose = np.where(
        kind == 0,
        rng.choice([0, 1, 2, 4, 5], len(row_game), p=[0.25, 0.1, 0.3, 0.25, 0.1]),
        rng.choice([1, 3, 5], len(row_game), p=[0.5, 0.3, 0.2]),
    )
    return pd.DataFrame(
        {
            "game": game[row_game],
            "deal": deal[row_game],
            "seat": seat.astype(np.uint8),
            "strategy": _category(strategy[row_game * rules.players + seat], categories),
            "turn": turn,
            "kind": _category(kind, ["two-eyed", "one-eyed"]),
            "purpose": _category(purpose, PURPOSES),
        }
    )


def _spaces(
    rng: np.random.Generator,
    deals: int,
    rules: Rules,
    strategy: np.ndarray,
    categories: list[str],
) -> pd.DataFrame:
    """Chips by deal, to be summed by part; a few deals stand for all of a large run."""
    shown = min(deals, 2000)
    used = np.unique(strategy)
    cards = [card for row in load_board(rules.board).rows() for card in row]
    keys = np.indices((shown, len(used), 100)).reshape(3, -1)
    plain = ~np.isin(keys[2], CORNERS)
    return pd.DataFrame(
        {
            "deal": (keys[0] * deals) // shown,
            "strategy": _category(used[keys[1]], categories),
            "space": _category(keys[2], list(SPACE_NAMES)),
            "card": pd.Categorical(np.array(cards)[keys[2]]),
            "placed": rng.poisson(0.5, keys.shape[1]) * plain,
            "removed": rng.poisson(0.05, keys.shape[1]) * plain,
            "in_sequence": 0,
            "in_winning_sequence": 0,
        }
    )
