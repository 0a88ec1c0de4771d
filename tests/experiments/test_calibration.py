"""Calibration: of many small experiments 95 % hold the answer, and nothing is found in nothing.

Small experiments are drawn, deal by deal, from a large bank of games, so that the answer is exactly
the figure of the bank. Where the answer has to be zero they are deals of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from arranged import strategies
from pair_play import play_tests

from analysis.duel import Pairing, duel_arm, told_duel
from analysis.elo import elo, elo_of_score
from analysis.estimates import Estimate
from analysis.ratings import ratings
from analysis.sequential import SequentialTest
from analysis.stopping import stopped_score
from experiments import treatment
from experiments.study import ADVANTAGE, LENGTH, SKILL, arms, effects, figures
from experiments.tournament import make_tournament, play_tournament, two_team_field
from experiments.treatment import treated_figure
from experiments.variants import Study, parse_study
from simcore import Rules
from simcore.arms import Arm, Table, play_arms
from simcore.board import load_board
from simcore.intervention import treated_seats

pytestmark = pytest.mark.slow

REPEATS, DEALS, BANK = 4000, 120, 30_000
SEED = 21

Tables = Mapping[str, Table]
Chosen = npt.NDArray[np.int64]


def played(made: Sequence[Arm]) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    play_arms(made, lambda arm, table: tables.update({arm.name: table}))
    return tables


def rows(tables: Tables, chosen: Chosen | slice) -> dict[str, Table]:
    """Return the tables of some deals."""
    return {
        arm: {name: values[chosen] for name, values in table.items()}
        for arm, table in tables.items()
    }


def samples(seed: int, deals: int = DEALS, repeats: int = REPEATS) -> Iterator[Chosen]:
    """Draw the deals of each repeat from the bank."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        yield rng.integers(0, BANK, deals)


def holds(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


def check(
    held: Mapping[str, float], record: Callable[[str, object], None], slack: float = 0.01
) -> None:
    """Hold the shares of intervals that hold the truth against 95 %."""
    for name, share in held.items():
        record(name, round(share, 4))
        print(f"\n{name}: {100 * share:.2f} %", end="")
    assert all(abs(share - 0.95) <= slack for share in held.values()), held


@pytest.mark.parametrize(("names", "rules"), [
    (("balanced", "greedy:no_blocking=1"), Rules()),
    (("greedy", "greedy:no_two_eyed=1"), Rules(players=3)),
])  # fmt: skip
def test_score_and_elo_of_two(
    names: tuple[str, str], rules: Rules, record_property: Callable[[str, object], None]
) -> None:
    bank_size = BANK if rules.teams == 2 else BANK // 3
    a, b = strategies(names)
    pairing = Pairing(a, b, 0, bank_size)
    arm = duel_arm(pairing, rules, rules.load_board(), SEED)
    bank = played([arm])[arm.name]
    truth = told_duel(pairing, arm, bank).score.value
    assert truth is not None
    held = {"score": 0.0} | ({"Elo": 0.0} if rules.teams == 2 else {})
    for chosen in samples(1):
        table = {"winner": bank["winner"][chosen % bank_size]}
        score = told_duel(pairing._replace(deals=DEALS), arm, table).score
        held["score"] += holds(score, truth) / REPEATS
        if rules.teams == 2:
            held["Elo"] += holds(elo(score), elo_of_score(truth)) / REPEATS
    check({f"{name}, {rules.teams} teams": v for name, v in held.items()}, record_property)


def test_elo_of_a_tournament(
    record_property: Callable[[str, object], None], tmp_path: Path
) -> None:
    """The bank's own ratings are the answer. Fewer repeats, since a fit takes long.

    `test_ratings` has 4,000, of results that follow the model.
    """
    from experiments.record import Record

    names = ("balanced", "greedy", "greedy:no_one_eyed=1")
    task = make_tournament(strategies(names), Rules(), games=2 * BANK, seed=SEED)
    bank = play_tournament(task, Record(tmp_path / "a", task.told(), "", False, False))
    truth = {r.name: r.elo.value for r in ratings(two_team_field(task, bank)).ratings}
    held = dict.fromkeys(truth, 0.0)
    repeats = 1000
    for chosen in samples(2, repeats=repeats):
        for found in ratings(two_team_field(task, rows(bank, chosen))).ratings:
            value = truth[found.name]
            assert value is not None
            held[found.name] += holds(found.elo, value) / repeats
    told = {f"Elo in a tournament, {name}": share for name, share in held.items()}
    check(told, record_property, slack=2 * np.sqrt(0.05 * 0.95 / repeats))


APART = (0.005, 0.009, 0.025, 0.055, 0.1, 0.25, 0.4, 0.46, 0.5, 0.52, 0.6, 0.75, 0.9, 0.945, 0.975)
TRUE_SCORES = (*APART, 0.991, 0.995)


@pytest.mark.parametrize("score", TRUE_SCORES)
def test_the_score_after_a_match(
    score: float, record_property: Callable[[str, object], None]
) -> None:
    """Known chances of pairs, games independent with 2 % drawn; from 0.5 to 99.5 %.

    At the ends a test sees one game in a hundred pairs that is not lost, so that coverage goes by
    steps, and so does the chance to be above the truth.
    """
    test, middle = SequentialTest(0, 10), 0.3 < score < 0.7
    repeats = 300 if middle else 1000
    drawn = min(0.02, min(score, 1 - score))
    game = np.array([1 - score - drawn / 2, drawn, score - drawn / 2])
    states = play_tests(test, np.convolve(game, game), repeats, seed=22)
    found = [stopped_score(test, state) for state in states]
    share = float(np.mean([holds(each, score) for each in found]))
    above = float(np.mean([each.value is not None and each.value > score for each in found]))
    record_property("above", round(above, 3))
    slack = 0.02 + 2 * np.sqrt(0.05 * 0.95 / repeats)
    check({f"score after a match, {100 * score:g} %": share}, record_property, slack)
    assert abs(above - 0.5) < (0.1 if 0.02 < score < 0.98 else 0.25)


STUDY = """
strategy = "greedy"
strong = "greedy"
weak = "greedy:no_two_eyed=1"
games = 60000
jacks = false
[factors]
hand_size = [7, 5]
"""


def test_the_start_and_the_effect_of_a_variant(
    record_property: Callable[[str, object], None],
) -> None:
    study = parse_study(STUDY, "f.toml")
    bank = played(arms(study, SEED))
    known = figures(study, bank, SEED)
    truth = {e.outcome: e.difference.estimate.value for e in effects(study, known)}
    asked = (ADVANTAGE, LENGTH, "comebacks", "corner usage", SKILL)
    held = {f"effect on {outcome}": 0.0 for outcome in asked}
    held |= {f"{ADVANTAGE}, {variant.name}": 0.0 for variant in study.variants}
    for chosen in samples(3):
        found = figures(study, rows(bank, chosen), SEED)
        for variant in study.variants:
            value = known[variant.name][ADVANTAGE].value
            told = found[variant.name][ADVANTAGE].estimate()
            assert value is not None
            held[f"{ADVANTAGE}, {variant.name}"] += holds(told, value) / REPEATS
        for effect in effects(study, found):
            value = truth[effect.outcome]
            if effect.outcome in asked and value is not None:
                told = effect.difference.estimate
                held[f"effect on {effect.outcome}"] += holds(told, value) / REPEATS
    check(held, record_property)


@pytest.mark.parametrize("players", [2, 4])
def test_the_value_of_a_jack(
    players: int,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """Few jacks and many players, so that deals without one to give are among them."""
    jacks = {2: 4, 4: 1}[players]
    rules = Rules(players=players, two_eyed_jacks=jacks)
    study = parse_study(
        f"""
        strategy = "greedy"
        strong = "greedy"
        weak = "greedy"
        games = {BANK}
        [factors]
        players = [{players}, 3]
        [rules]
        two_eyed_jacks = {jacks}
        """,
        "f.toml",
    )
    made = [arm for arm in arms(study, SEED) if arm.name.startswith("base")]
    bank = {name.removeprefix("base | "): table for name, table in played(made).items()}
    seats = treated_seats(SEED, 0, BANK, players)
    held = {}
    for kind in ("two_eyed", "one_eyed"):
        both = {"control": bank["control"], kind: bank[kind]}
        truth = treated_figure(kind, both["control"], both[kind], rules, SEED)
        assert truth.value is not None
        share = 0.0
        for chosen in samples(4):
            mine = rows(both, chosen)
            monkeypatch.setattr(treatment, "treated_seats", lambda *_, c=chosen: seats[c])
            found = treated_figure(kind, mine["control"], mine[kind], rules, SEED)
            share += holds(found.estimate(), truth.value) / REPEATS
            monkeypatch.undo()
        held[f"{kind} jack, {players} players, {truth.games / 2 / BANK:.0%} of deals"] = share
    check(held, record_property)


def mirrored(folder: Path) -> list[Path]:
    """Write mirror images of the standard layout."""
    cells = load_board("standard").rows()
    images: dict[str, list[list[str]]] = {
        "leftright": [row[::-1] for row in cells],
        "updown": cells[::-1],
        "diagonal": [list(column) for column in zip(*cells, strict=True)],
    }
    files = []
    for name, image in images.items():
        files.append(folder / f"{name}.csv")
        files[-1].write_text("\n".join(",".join(row) for row in image) + "\n")
    return files


def study_of_nothing(folder: Path, games: int) -> Study:
    layouts = ["standard", *map(str, mirrored(folder))]
    return parse_study(
        f"""
        strategy = "random"
        strong = "random"
        weak = "random:no_two_eyed=1"
        games = {games}
        [factors]
        layout = {layouts}
        """,
        "f.toml",
    )


def test_a_study_in_which_nothing_differs_finds_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """Of 24 effects in each of many studies; one study in twenty may find any, by Holm."""
    repeats, deals = 500, 100
    study = study_of_nothing(tmp_path, 2 * deals * repeats)
    bank = played(arms(study, SEED))
    seats = treated_seats(SEED, 0, 2 * deals * repeats, 2)
    wrong = raw = tests = 0
    for repeat in range(repeats):
        # One game a deal where a jack is priced, two elsewhere.
        mine: dict[str, Any] = {}
        for name, table in bank.items():
            size = 2 * deals if "score" in table else deals
            mine |= rows({name: table}, slice(repeat * size, (repeat + 1) * size))
        own = seats[repeat * 2 * deals : (repeat + 1) * 2 * deals]
        monkeypatch.setattr(treatment, "treated_seats", lambda *_, own=own: own)
        found = effects(study, figures(study, mine, SEED))
        wrong += any(effect.holm < 0.05 for effect in found)
        raw += sum(effect.p < 0.05 for effect in found)
        tests += len(found)
    record_property("studies that found anything", wrong / repeats)
    record_property("effects below 5 %, unadjusted", raw / tests)
    print(f"\nfamily-wise {100 * wrong / repeats:.2f} %, single {100 * raw / tests:.2f} %", end="")
    assert tests > 20 * repeats
    assert wrong / repeats <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / repeats)
    assert 0.03 < raw / tests < 0.06
