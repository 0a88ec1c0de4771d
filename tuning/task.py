"""What a tune is to do, decided before the first game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.duel import games_of_deal
from simcore.plan import MAX_SEED
from simcore.rules import Rules
from simcore.runner import RunError
from simcore.simulation import MAX_GAMES
from simcore.strategy import Parameter, Strategy, make_strategy, values_of
from tuning.search import Search

TRAINING, JUDGING = 2**40, 2**41
"""First deals of the search and of the judge: no deal of one is one of the other's, and no run has
any of them, since its deals are below 10^12."""

_JUDGE_SHARE = 10
_JUDGE_MOST = 20_000


@dataclass(frozen=True)
class Task:
    """A bot with start values, the parameters to move, the opponents, and the games to play.

    `deals` are those of a candidate against each opponent, `judge_deals` those of each pairing of
    the judge, `games` those of a deal.
    """

    start: Strategy
    moved: tuple[Parameter, ...]
    against: tuple[Strategy, ...]
    rules: Rules
    seed: int
    population: int
    generations: int
    deals: int
    judge_deals: int
    games: int

    @property
    def generation_games(self) -> int:
        """Games of a generation."""
        return self.population * len(self.against) * self.deals * self.games

    @property
    def judge_games(self) -> int:
        """Games of the judge: start and result against each opponent and against each other."""
        return (2 * len(self.against) + 1) * self.judge_deals * self.games

    @property
    def all_games(self) -> int:
        """Games of search and judge together."""
        return self.generations * self.generation_games + self.judge_games

    def start_values(self) -> list[float]:
        """Return the start values of the parameters to move."""
        values = values_of(self.start)
        return [values[parameter.name] for parameter in self.moved]

    def strategy(self, moved: Sequence[float]) -> Strategy:
        """Return the start, bars and all, with these values of the parameters to move."""
        names = [parameter.name for parameter in self.moved]
        return make_strategy(
            self.start.bot, values_of(self.start) | dict(zip(names, moved, strict=True))
        )

    def told(self) -> dict[str, Any]:
        """Return the task as tune.json has it."""
        return {
            "seed": self.seed,
            "rules": self.rules.settings(),
            "board": self.rules.load_board().rows(),
            "strategy": told(self.start),
            "moved": [parameter.name for parameter in self.moved],
            "against": [told(opponent) for opponent in self.against],
            "population": self.population,
            "deals": self.deals,
            "judge_deals": self.judge_deals,
            "first_deals": {"training": TRAINING, "judging": JUDGING},
        }


def told(strategy: Strategy) -> dict[str, Any]:
    """Return a strategy as tune.json has it."""
    return {"name": strategy.name, "parameters": values_of(strategy)}


def make_task(
    start: Strategy,
    against: Sequence[Strategy],
    rules: Rules,
    *,
    only: Sequence[str] = (),
    budget: int = 1_000_000,
    deals: int = 2_500,
    judge_deals: int | None = None,
    seed: int = 0,
) -> Task:
    """Return the task that fits the budget, which is of the search alone.

    `deals` are those of a candidate, shared out among the opponents. Without `judge_deals` the
    judge gets a tenth of the budget more, up to a limit. Raises RunError for what is not allowed.
    """
    moved = _moved(start, only)
    opponents = tuple({opponent.name: opponent for opponent in against}.values())
    _check("seed", seed, 0, MAX_SEED)
    _check("budget", budget, 1, MAX_GAMES)
    _check("deals", deals, 1, MAX_GAMES)
    if not opponents:
        raise RunError("against: nobody given; allowed: one strategy or more")
    games = games_of_deal(rules)
    each = -(-deals // len(opponents))
    population = Search(np.full(len(moved), 0.5), seed).population
    generation = population * len(opponents) * each * games
    if budget < generation:
        raise RunError(f"budget: {budget}; allowed: at least {generation}, one generation")
    if judge_deals is None:
        judged = (2 * len(opponents) + 1) * games
        judge_deals = max(each, min(budget // _JUDGE_SHARE // judged, _JUDGE_MOST))
    _check("judge-deals", judge_deals, 2, MAX_GAMES)
    return Task(
        start=start,
        moved=moved,
        against=opponents,
        rules=rules,
        seed=seed,
        population=population,
        generations=budget // generation,
        deals=each,
        judge_deals=judge_deals,
        games=games,
    )


def _check(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise RunError(f"{name}: {value}; allowed: {low} to {high}")


def _moved(start: Strategy, only: Sequence[str]) -> tuple[Parameter, ...]:
    """Return the parameters to move: those named, or all that have a range."""
    free = {p.name: p for p in start.bot.parameters if p.low < p.high}
    if not free:
        allowed = "a bot that has some, see seqlab strategies NAME"
        raise RunError(f"tune: {start.bot.name} has no parameter to move; allowed: {allowed}")
    for name in only:
        if name not in free:
            raise RunError(f"only: {name!r}; allowed: {', '.join(free)}")
    return tuple(p for p in free.values() if not only or p.name in only)
