"""The report of a match: the verdict, how strong, and the way there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis import style
from analysis.confidence_sequence import ConfidenceSequence
from analysis.elo import elo, elo_of_pairs, normalized_elo, score_of_pairs
from analysis.estimates import WILSON, Estimate
from analysis.paired import PAYS
from analysis.question import PERCENT, Chart, row, table
from analysis.sentence import figure as in_words
from analysis.sequential import ACCEPTS_ELO0, ACCEPTS_ELO1
from analysis.stopping import FAR, Duration, stopped_elo, stopped_normalized_elo, stopped_score
from experiments.match import Match, Outcome
from experiments.page import Chapter, write_report

RESULTS = ("0", "1/2", "1", "1 1/2", "2")


def write(
    match: Match,
    outcome: Outcome,
    lasts: Mapping[float, Duration],
    manifest: Mapping[str, Any],
    out_dir: Path,
) -> tuple[Path, dict[str, Any], list[str]]:
    """Write the report; return its page, what --json prints, and its sentences."""
    found = estimates(match, outcome)
    sentences = [_verdict(match, outcome), _strength(match, found), _pairing(outcome)]
    chapters = [
        _strength_chapter(match, found, outcome),
        _path_chapter(match, outcome),
        *([_length_chapter(lasts)] if lasts else []),
    ]
    test = match.test
    unit = "normalized Elo" if test.normalized else "Elo"
    changes = ", ".join(f"{k} = {v}" for k, v in match.rules.changes().items())
    rule = (
        f"stop when the confidence sequence is {100 * match.width:g} points wide"
        if match.width is not None
        else f"{test.elo0:g} against {test.elo1:g} {unit}, alpha {test.alpha:g}, beta "
        f"{test.beta:g}, at most {match.max_pairs:,} pairs"
    )
    facts = [
        ("Strategies", f"{match.a.name} against {match.b.name}"),
        ("Table", f"{match.rules.players} players in 2 teams"),
        ("Test", rule),
        ("Played", f"{outcome.state.pairs:,} pairs of games, each on one deal, seats changed"),
        ("Rules", changes or "the standard game"),
    ]
    if lasts:
        facts.append(("Expected", expected(lasts)))
    title = f"Match: {match.a.name} against {match.b.name}"
    quotes = [("strength", sentence) for sentence in sentences]
    page = write_report(out_dir, title, manifest, facts, quotes, chapters)
    return page, _json(match, outcome, found, lasts), sentences


def expected(lasts: Mapping[float, Duration]) -> str:
    """Return in words how many games a match was to take."""
    told = "; ".join(f"{2 * each.mean:,.0f} at {elo:g} Elo" for elo, each in lasts.items())
    return f"games in the mean, by a pilot: {told}"


def estimates(match: Match, outcome: Outcome) -> dict[str, Estimate]:
    """Return the figures of a match by name; those of a test that stopped are corrected for it."""
    drawn = {"drawn": outcome.drawn}
    if outcome.level:
        return {"score": score_of_pairs(outcome.counts)} | drawn
    if match.width is not None:
        sequence = ConfidenceSequence()
        sequence.update(outcome.counts)
        score = sequence.estimate(2 * outcome.state.pairs)
        return {"score": score, "elo": elo(score)} | drawn
    test, state = match.test, outcome.state
    return {
        "score": stopped_score(test, state),
        "elo": stopped_elo(test, state),
        "normalized_elo": stopped_normalized_elo(test, state),
        "raw_score": score_of_pairs(outcome.counts),
        "raw_elo": elo_of_pairs(outcome.counts),
        "raw_normalized_elo": normalized_elo(outcome.counts),
        **drawn,
    }


_NAMES = {
    "score": "score",
    "elo": "Elo",
    "normalized_elo": "normalized Elo",
    "raw_score": "score, as if the number of games had been fixed",
    "raw_elo": "Elo, as if the number of games had been fixed",
    "drawn": "games drawn",
    "raw_normalized_elo": "normalized Elo, as if the number of games had been fixed",
}


def _unit(name: str) -> str:
    return PERCENT if name.endswith(("score", "drawn")) else "Elo"


def _verdict(match: Match, outcome: Outcome) -> str:
    test, games = match.test, f"{2 * outcome.state.pairs:,} games"
    if outcome.level:
        return (
            f"Each of {outcome.state.pairs:,} pairs came out level: this experiment cannot vary, "
            "as far as they show, and there is no verdict."
        )
    if match.width is not None:
        if outcome.narrow:
            return f"The interval is {100 * match.width:g} points wide or less after {games}."
        return f"The interval is not yet {100 * match.width:g} points wide after {games}."
    verdicts = {
        ACCEPTS_ELO1: f"{match.a.name} is stronger: {test.elo1:g} Elo is accepted against "
        f"{test.elo0:g}",
        ACCEPTS_ELO0: f"{match.a.name} is not stronger by {test.elo1:g} Elo: {test.elo0:g} is "
        "accepted",
    }
    said = verdicts.get(outcome.state.verdict, "Undecided")
    return f"{said}, after {games} (log-likelihood ratio {outcome.state.ratio:+.2f})."


def _strength(match: Match, found: Mapping[str, Estimate]) -> str:
    score = in_words(found["score"].affine(100), PERCENT)
    if "elo" not in found:
        return f"{match.a.name} scores {score}."
    how = "corrected for the early stop"
    if found["score"].method == WILSON:
        how = "which the early stop does not bias, as the verdict was far from chance"
    if match.width is not None:
        how = "valid at every stop"
    strength = found["elo"]
    elo_told = f", {in_words(strength, 'Elo', sign=True)}" if strength.value is not None else ""
    return f"{match.a.name} scores {score}{elo_told}, {how}."


def _pairing(outcome: Outcome) -> str:
    drawn = in_words(outcome.drawn.affine(100), PERCENT)
    if outcome.saved is None:
        return f"Of the games {drawn} were drawn."
    pays = "" if outcome.saved >= PAYS else ", so pairing did not pay"
    return (
        f"Of the games {drawn} were drawn. The two games of a pair have a correlation of "
        f"{outcome.correlation:.2f}: {outcome.saved:.2f} times as many games on deals of their "
        f"own would tell as much{pays}."
    )


def _strength_chapter(match: Match, found: Mapping[str, Estimate], outcome: Outcome) -> Chapter:
    rows = [row(each, _unit(name), figure=_NAMES[name]) for name, each in found.items()]
    counts = pd.DataFrame({"points of A": RESULTS, "pairs": [int(n) for n in outcome.counts]})
    told = [outcome.correlation, outcome.saved]
    pairing = pd.DataFrame(
        {"figure": ["correlation", "games saved"], "by pair": told}, dtype=object
    )
    pairing = pairing.iloc[: 0 if outcome.saved is None else 2]
    return Chapter(
        "strength",
        "How strong",
        (
            f"A is {match.a.name}, B {match.b.name}. A pair is two games on one deal, the start "
            "unchanged and the seats exchanged. The sequential test (GSPRT) adds up how much "
            "likelier the pair results are under one Elo difference than under the other, by "
            "the likelihood of the five results, and stops at its bounds.",
            "A test that stops early does so by luck as well as strength; the estimate and its "
            "interval allow for that (median-unbiased). Where the ratio went to its bound by "
            f"{FAR:g} standard deviations or more, luck had no say in when it stopped, and the "
            "score of the pairs stands as it is, with Wilson's interval. The raw "
            "figures beside it do not allow for it. Normalized Elo is the distance of the score "
            "from one half in standard deviations of a game. Correlation is that of A's scores "
            "in the two games of a pair; games saved says how many times as many games on "
            f"deals of their own would give the same interval; below {PAYS} pairing did not pay. "
            "A confidence sequence holds at all times at once.",
        ),
        {"strength": table(rows), "pairs": counts, "pairing": pairing},
        {
            "strength": "Score and Elo of A, and draws",
            "pairs": "Pairs by result",
            "pairing": "What pairing was worth",
        },
    )


def _path_chapter(match: Match, outcome: Outcome) -> Chapter:
    bounds = {"lower": match.test.lower, "upper": match.test.upper}
    path = pd.DataFrame({"pairs": outcome.marks, "log-likelihood ratio": outcome.path, **bounds})
    return Chapter(
        "path",
        "The way to the verdict",
        (
            "Log-likelihood ratio after each pair, between the bounds log(beta / (1 - alpha)) and "
            "log((1 - beta) / alpha).",
        ),
        {"path": path},
        {"path": "Log-likelihood ratio"},
        (
            Chart(
                "path",
                "path",
                "Log-likelihood ratio between its bounds",
                "Log-likelihood ratio after each pair, and the bounds at which the test stops.",
                _plot_path,
                lambda _: 3.6,
            ),
        ),
    )


def _plot_path(table: pd.DataFrame, ax: Axes) -> Axes:
    # From the start on, so that a single pair has a way too.
    ax.plot([0, *table["pairs"]], [0, *table["log-likelihood ratio"]], color=style.BLUE)
    for name, said in (("lower", "elo0 accepted"), ("upper", "elo1 accepted")):
        level = float(table[name].iloc[0])
        ax.axhline(level, color=style.INK, linewidth=1, linestyle="--")
        ax.annotate(
            said,
            (0, level),
            xycoords=("axes fraction", "data"),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=8,
            color=style.QUIET,
        )
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda pairs, _: f"{pairs:,.0f}"))
    ax.set_xlabel("pairs")
    ax.set_ylabel("log-likelihood ratio")
    ax.margins(y=0.12)
    ax.grid(axis="y")
    return ax


def _length_chapter(lasts: Mapping[float, Duration]) -> Chapter:
    rows = pd.DataFrame(
        [
            {
                "true Elo": f"{true:g}",
                "games, mean": round(2 * each.mean),
                "games, median": round(2 * each.median),
                "games, 95 %": round(2 * each.high),
                "chance of elo1": each.elo1,
                "undecided": each.undecided,
            }
            for true, each in lasts.items()
        ]
    )
    return Chapter(
        "length",
        "How long it was to take",
        (
            "Foretold before the first pair, from the pair results of a pilot on other deals, "
            "for three true differences: games in the mean, the median, and the number by which "
            "19 tests of 20 are over.",
        ),
        {"length": rows},
        {"length": "Games foretold"},
    )


def _ending(match: Match, outcome: Outcome) -> str:
    if outcome.level:
        return "none"
    if match.width is not None:
        return "narrow" if outcome.narrow else "wide"
    return outcome.state.verdict


def _json(
    match: Match,
    outcome: Outcome,
    found: Mapping[str, Estimate],
    lasts: Mapping[float, Duration],
) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, each in found.items():
        figures |= {name: each.value, f"{name}_low": each.low, f"{name}_high": each.high}
    state = outcome.state
    return {
        "a": match.a.name,
        "b": match.b.name,
        "verdict": _ending(match, outcome),
        "llr": state.ratio,
        "lower": match.test.lower,
        "upper": match.test.upper,
        "games": 2 * state.pairs,
        "pairs": [int(n) for n in outcome.counts],
        **figures,
        "correlation": outcome.correlation,
        "games_saved": outcome.saved,
        "expected_games": [{"elo": elo, "games": 2 * each.mean} for elo, each in lasts.items()],
    }
