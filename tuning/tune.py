"""`tune`: search a bot's parameters, then judge what was found on deals kept apart."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from analysis.duel import Duel, Pairing, duels
from analysis.estimates import Estimate
from simcore.manifest import now
from simcore.place import StoreError
from simcore.simulation import Progress, check_numbers
from simcore.strategy import Strategy, values_of
from tuning import words
from tuning.record import Record
from tuning.scale import PLAYED_DIGITS, RESULT_DIGITS, from_unit, to_unit
from tuning.search import Search
from tuning.task import JUDGING, TRAINING, Task, told


def tune(
    task: Task,
    out: Path,
    *,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    command: str = "tune",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Do a task and return what tune.json in the folder `out` then holds.

    The result depends on the task alone, not on threads or interrupts: with `resume` the scores
    that are there already are told to the search again. Raises RunError for threads that are not
    allowed, StoreError for a folder that cannot be used, and BotError for a bot's fault.
    """
    check_numbers(1, threads)
    started = time.monotonic()
    with Record(out, task, command, resume, overwrite) as record:
        seconds = float(record.manifest["seconds"])
        told_again = len(record.generations)

        def spent() -> dict[str, float]:
            return {"seconds": round(seconds + time.monotonic() - started, 3)}

        search = Search(to_unit(task.moved, task.start_values()), task.seed)
        for number in range(task.generations):
            if number < told_again:
                _tell_again(task, search, record.generations[number], out)
                if progress is not None:
                    progress(task.generation_games)
                continue
            generation = _generation(task, search, number, threads, progress)
            more = {
                "generations": [*record.generations, generation],
                "result": None,
                "finished": False,
            }
            record.update(more | spent())
        if not record.is_judged(task):
            result = task.strategy(from_unit(task.moved, search.mean(), RESULT_DIGITS))
            found = _judge(task, result, threads, progress)
            record.write_params(values_of(result), _about(task, found, record.manifest["command"]))
            ended = {"result": told(result) | {"judged": found}, "ended": now(), "finished": True}
            record.update({"judge_deals": task.judge_deals} | ended | spent())
        elif progress is not None:
            progress(task.judge_games)
        return record.manifest


def _generation(
    task: Task, search: Search, number: int, threads: int | None, progress: Progress | None
) -> dict[str, Any]:
    """Play a generation, all candidates on the same new deals, and tell the search."""
    candidates = [
        task.strategy(from_unit(task.moved, unit, PLAYED_DIGITS)) for unit in search.ask()
    ]
    first = TRAINING + number * task.deals * len(task.against)
    pairings = [
        Pairing(candidate, opponent, first + place * task.deals, task.deals)
        for candidate in candidates
        for place, opponent in enumerate(task.against)
    ]
    played = duels(pairings, task.rules, task.seed, threads, progress)
    by_opponent = np.array([_value(one.score) for one in played]).reshape(len(candidates), -1)
    scores = by_opponent.mean(axis=1).tolist()
    search.tell(scores)
    return {
        "mean": round(float(np.mean(scores)), 6),
        "best": round(max(scores), 6),
        "sigma": round(search.sigma, 6),
        "games": task.generation_games,
        "parameters": _mean(task, search),
        "scores": scores,
    }


def _mean(task: Task, search: Search) -> dict[str, float]:
    values = from_unit(task.moved, search.mean(), PLAYED_DIGITS)
    return {parameter.name: value for parameter, value in zip(task.moved, values, strict=True)}


def _tell_again(task: Task, search: Search, generation: dict[str, Any], out: Path) -> None:
    """Tell the scores of the past; StoreError if the search does not go where it went then."""
    search.ask()
    search.tell(generation["scores"])
    here, then = _mean(task, search), generation["parameters"]
    if here.keys() != then.keys() or not np.allclose(list(here.values()), list(then.values())):
        made = f"resume: {out} was made by another version of cma or numpy"
        raise StoreError(f"{made}; allowed: the versions in its tune.json")


def _judge(
    task: Task, result: Strategy, threads: int | None, progress: Progress | None
) -> list[dict[str, Any]]:
    """Play start and result on deals kept apart; return a row for each pairing."""
    opponents = (*task.against, task.start)
    pairings = [
        Pairing(strategy, opponent, JUDGING, task.judge_deals)
        for opponent in opponents
        for strategy in (task.start, result)
    ]
    played = duels(pairings, task.rules, task.seed, threads, progress)
    rows = []
    for start, end in zip(played[::2], played[1::2], strict=True):
        itself = start.pairing.b is task.start
        rows += [] if itself else [_row("start", start)]
        gain = end.gain_over(start)
        rows.append(_row("result", end) | _named("gain", gain))
    return rows


def _row(who: str, played: Duel) -> dict[str, Any]:
    a, b, _, deals = played.pairing
    return {
        "who": who,
        "strategy": a.name,
        "against": b.name,
        **_named("score", played.score),
        "drawn": played.drawn.value,
        "games": deals * played.games,
        "deals": deals,
    }


def _named(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def _about(task: Task, rows: list[dict[str, Any]], command: str) -> list[str]:
    """Say how a result came about, for whoever finds the file."""
    games = task.generations * task.generation_games
    search = f"{task.generations} generations of {task.population} candidates, {games:,} games"
    return [
        f"Parameters of {task.start.bot.name}, found by: {command}",
        f"Searched by CMA-ES from {task.start.name}: {search}, seed {task.seed}.",
        f"Judged on {task.judge_deals:,} deals that the search did not play, for "
        f"{task.rules.players} players in {task.rules.teams} teams:",
        *(f"  {words.line(row)}" for row in rows),
        words.verdict(rows),
    ]
