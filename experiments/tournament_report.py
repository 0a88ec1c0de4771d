"""The report of a tournament: ratings, crosstable, how sure the order is, and convergence."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis import style
from analysis.duel import Duel, Pairing
from analysis.estimates import NO_DATA, Estimate, moments, proportion
from analysis.paired import PAYS, figure, saved_games
from analysis.question import PERCENT, POINTS, Chart, row, table
from analysis.ranking import SURE
from analysis.ratings import Ratings, ratings
from analysis.sentence import figure as in_words
from analysis.transitivity import Transitivity, transitivity
from analysis.worths import Worths, worths
from experiments.page import Chapter, write_report
from experiments.tournament import (
    Tournament,
    duels_of,
    outcomes_of,
    three_team_field,
    two_team_field,
)
from experiments.tournament_charts import (
    WORTH,
    cross_height,
    cross_width,
    plot_convergence,
    plot_cross,
    plot_ratings,
)
from simcore.arms import Table

_POINTS_ALONG = 24
_SAME = 1e-6
"""Ratings and scores that differ by no more are the same but for rounding."""

_NAMED = 4
"""Strategies that share the first place and are named in the sentence on it."""

_FOLLOWED = 4
"""Strategies whose interval is followed as deals come in."""


def write(
    tournament: Tournament,
    tables: Mapping[str, Table],
    manifest: Mapping[str, Any],
    out_dir: Path,
) -> tuple[Path, list[dict[str, Any]], list[str]]:
    """Write the report; return its page, the rows of the rating table and its sentences."""
    duels = duels_of(tournament, tables)
    totals = {s.name: total(_met(duels, s.name)) for s in tournament.strategies}
    if tournament.rules.teams == 2:
        found = two_team_field(tournament, tables)
        rated = ratings(found)
        rows = _elo_rows(rated, totals)
        chapters = [_elo_chapter(rated, rows, totals)]
        if tournament.format == "round-robin" and len(rows) > 2:
            drawn = np.random.default_rng(tournament.seed)
            chapters.append(_order_chapter(transitivity(found, drawn), tournament.deals))
        chapters.append(_luck_chapter(tournament, tables))
    else:
        told = worths(three_team_field(tournament, tables))
        rows = _worth_rows(told, totals)
        chapters = [_worth_chapter(told, rows, totals)]
    names = [str(line["strategy"]) for line in rows]
    chapters.insert(1, _cross_chapter(duels, names))
    chapters.append(_convergence_chapter(duels, names))
    quotes = [("ratings", sentence) for sentence in _sentences(rows, totals)]
    rules = tournament.rules
    changes = ", ".join(f"{name} = {value}" for name, value in rules.changes().items())
    facts = [
        ("Strategies", ", ".join(strategy.name for strategy in tournament.strategies)),
        ("Table", f"{rules.players} players in {rules.teams} teams"),
        ("Format", f"{tournament.format}, {len(tables)} pairings on the same deals"),
        ("Played", f"{tournament.games:,} games a pair"),
        ("Rules", changes or "the standard game"),
    ]
    title = f"Tournament of {len(tournament.strategies)} strategies"
    page = write_report(out_dir, title, manifest, facts, quotes, chapters)
    return page, rows, [sentence for _, sentence in quotes]


def _turned(duel: Duel) -> Duel:
    """Return a pairing as the other strategy sees it."""
    a, b, first_deal, deals = duel.pairing
    pairing = Pairing(b, a, first_deal, deals)
    drawn_teams = duel.teams * duel.draws - duel.drawn_teams
    points = duel.games - duel.points
    return Duel(pairing, duel.teams, duel.games, points, duel.draws, drawn_teams)


def _met(duels: Mapping[tuple[str, str], Duel], name: str) -> list[Duel]:
    """Return the pairings of a strategy, from its side."""
    return [
        duel if pair[0] == name else _turned(duel) for pair, duel in duels.items() if name in pair
    ]


def total(met: Sequence[Duel], deals: int | None = None) -> Estimate:
    """Return a strategy's score over all its pairings, clustered by deal, which they share."""
    if not met:
        return Estimate(None, None, None, None, 0, 0, NO_DATA)
    points = np.sum([duel.points[:deals] for duel in met], axis=0)
    held = np.full((len(points), 1), sum(duel.games * duel.teams / 2 for duel in met))
    games = np.full(len(points), sum(duel.games for duel in met))
    factor = met[0].teams / 2
    return proportion(moments(points[:, None] * factor, held, games)[0]).affine(1 / factor)


def _elo_rows(rated: Ratings, totals: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    return _ranked(
        [
            _row(each.name, totals[each.name], "elo", each.elo, each.better)
            for each in rated.ratings
        ],
        "elo",
    )


def _worth_rows(told: Worths, totals: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    return _ranked(
        [
            _row(each.name, totals[each.name], WORTH, each.worth, each.better)
            for each in told.worths
        ],
        WORTH,
    )


def _ranked(rows: list[dict[str, Any]], scale: str) -> list[dict[str, Any]]:
    """Give rows their ranks in order; those whose ratings are equal share the better one."""
    for at, line in enumerate(rows):
        tied = at > 0 and _equal(rows[at - 1], line, scale)
        line["rank"] = rows[at - 1]["rank"] if tied else at + 1
    return rows


def _equal(a: Mapping[str, Any], b: Mapping[str, Any], scale: str) -> bool:
    """Whether two have the same rating or, without any, the same bound."""
    for names in ((scale,), (f"{scale}_low", f"{scale}_high")):
        pairs = [(a[name], b[name]) for name in names if (a[name], b[name]) != (None, None)]
        if pairs:
            return all(None not in pair and math.isclose(*pair, abs_tol=_SAME) for pair in pairs)
    return False


def _row(
    name: str, score: Estimate, scale: str, figure: Estimate, better: float | None
) -> dict[str, Any]:
    """Return a line of the rating table, as --json prints it; its rank is still to come."""
    return {
        "rank": 0,
        "strategy": name,
        "games": score.games,
        "score": score.value,
        "score_low": score.low,
        "score_high": score.high,
        scale: figure.value,
        f"{scale}_low": figure.low,
        f"{scale}_high": figure.high,
        f"{scale}_method": figure.method,
        "better_than_next": better,
    }


def _sentences(rows: Sequence[Mapping[str, Any]], totals: Mapping[str, Estimate]) -> list[str]:
    first, second = (str(row["strategy"]) for row in rows[:2])
    told = in_words(totals[first].affine(100), PERCENT)
    leaders = [str(row["strategy"]) for row in rows if row["rank"] == 1]
    if len(leaders) > 1:
        return [_tied(leaders, len(rows), told if _same_score(leaders, totals) else None)]
    better = rows[0]["better_than_next"]
    said = [f"{first} comes first, with a score of {told} against all it met."]
    if better is not None:
        sure = "above 99.9 %" if better > SURE else f"{100 * better:.1f} %"
        said.append(f"The chance that it is better than {second}, the next, is {sure}.")
    return said


def _tied(leaders: Sequence[str], of: int, score: str | None) -> str:
    """Say who share the first place, with the score of all of them if it is one."""
    rest = len(leaders) - _NAMED
    named = [*leaders[:_NAMED], f"{rest} more"] if rest > 0 else leaders
    who = f"{', '.join(named[:-1])} and {named[-1]}"
    what = "are tied" if len(leaders) == of else "are tied for the first place"
    return f"{who} {what}{'' if score is None else f', each with a score of {score}'}."


def _same_score(names: Sequence[str], totals: Mapping[str, Estimate]) -> bool:
    values = [totals[name].value or 0.0 for name in names]
    return max(values) - min(values) <= _SAME


def _rating_chapter(
    rows: Sequence[Mapping[str, Any]],
    totals: Mapping[str, Estimate],
    figures: Sequence[Estimate],
    scale: str,
    definition: tuple[str, ...],
    terms: pd.DataFrame,
) -> Chapter:
    rating = table(
        row(figure, scale, strategy=line["strategy"])
        | {"chance better than next": _number(line["better_than_next"])}
        for line, figure in zip(rows, figures, strict=True)
    ).assign(note=[_note(figure) for figure in figures])
    scores = table(row(totals[str(r["strategy"])], PERCENT, strategy=r["strategy"]) for r in rows)
    about = ["strategy", "note"]
    return Chapter(
        "ratings",
        "Ratings",
        definition,
        {
            "ratings": rating[[*about, *rating.columns.drop(about)]],
            "scores": scores,
            "terms": terms,
        },
        {
            "ratings": f"Ratings ({scale})",
            "scores": "Score against all that a strategy met",
            "terms": "What all games share",
        },
        (
            Chart(
                "ratings",
                "ratings",
                f"Ratings ({scale})",
                "Rating of each strategy with its 95 % interval, from best to worst.",
                plot_ratings,
                style.rows_high,
            ),
        ),
    )


def _note(figure: Estimate) -> str:
    return "" if figure.value is not None else figure.method


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


_BOUNDS = (
    "A strategy that won or lost every game, or that no game ties to the others, has a bound or "
    "none, and a word on it, instead of a rating."
)


def _elo_chapter(
    rated: Ratings, rows: Sequence[Mapping[str, Any]], totals: Mapping[str, Estimate]
) -> Chapter:
    terms = table(
        [
            row(rated.seat, "Elo", term="moving first, by the model"),
            row(rated.seat_score, POINTS, term="moving first between equals, by the model"),
            row(rated.starter.affine(1, -0.5), POINTS, term="score of starting teams less a half"),
            row(rated.drawn, PERCENT, term="games drawn"),
        ]
    )
    figures = [each.elo for each in rated.ratings]
    return _rating_chapter(
        rows,
        totals,
        figures,
        "Elo",
        (
            "Elo by Davidson's model of paired comparisons (Bradley and Terry with draws), with a "
            f"term for the team that moves first ({rated.model}); zero is the mean of those "
            "rated. Intervals come from the profile of the likelihood, scaled by the variance by "
            "deal, so that they are not symmetric.",
            _BOUNDS,
            "A score is the mean over all games, clustered by deal, since all pairings share "
            "their deals.",
        ),
        terms,
    )


def _worth_chapter(
    told: Worths, rows: Sequence[Mapping[str, Any]], totals: Mapping[str, Estimate]
) -> Chapter:
    terms = table(
        row(term, WORTH, term=f"moving {place}")
        for place, term in zip(("first", "second", "third"), told.places, strict=True)
    )
    return _rating_chapter(
        rows,
        totals,
        [each.worth for each in told.worths],
        WORTH,
        (
            "Worths by the model of Plackett and Luce: a team wins with the probability of its "
            "worth times a term for its place in the turn order, over the sum of the three teams. "
            "The geometric mean of those rated is 1; intervals by deal.",
            _BOUNDS,
            "A score is the mean over the teams held in all games; equals score 33.3 % and 66.7 % "
            "is the most, as of two teams held one has to lose.",
        ),
        terms,
    )


def _cross_chapter(duels: Mapping[tuple[str, str], Duel], names: Sequence[str]) -> Chapter:
    rows = [
        row(duel.score, PERCENT, strategy=name, against=duel.pairing.b.name)
        | {"drawn %": 100 * (duel.drawn.value or 0.0), "games saved": _saved(duel)}
        | _counts(duel)
        for name in names
        for duel in sorted(_met(duels, name), key=lambda duel: names.index(duel.pairing.b.name))
    ]
    return Chapter(
        "crosstable",
        "Crosstable",
        (
            "Score of each strategy against each it met, with Wilson's interval by deal. Won, "
            "drawn and lost count games with one team of the strategy each: with three teams, in "
            "which two teams may be one strategy's, teams.",
            "Games saved says how many times as many games on deals of their own would give the "
            f"same interval; below {PAYS} pairing did not pay.",
        ),
        {"crosstable": table(rows)},
        {"crosstable": "Score of each strategy against each"},
        (
            Chart(
                "crosstable",
                "crosstable",
                "Score against each (%)",
                "Scores of row against column, in percent, as shades.",
                plot_cross,
                cross_height,
                width=cross_width,
            ),
        ),
    )


def _saved(duel: Duel) -> float | None:
    if duel.teams != 2:  # a game has a score for each team held, and they hang together
        return None
    held = np.full(len(duel.points), float(duel.games))
    return saved_games(figure(duel.points, held, duel.games * len(held)), duel.squares)


def _counts(duel: Duel) -> dict[str, int]:
    held = duel.games * duel.teams / 2
    drawn = float(duel.drawn_teams.sum())
    won = float(duel.points.sum()) - drawn / duel.teams
    games = held * len(duel.points)
    return {"won": round(won), "drawn": round(drawn), "lost": round(games - won - drawn)}


def _order_chapter(found: Transitivity, deals: int) -> Chapter:
    # One deal drawn again is the same deal: that tells nothing of how sure a result is.
    share = 100 if deals > 1 else np.nan
    standings = pd.DataFrame(
        {
            "strategy": each.name,
            "Nash share": each.nash,
            "Nash rating (Elo)": each.rating,
            "alpha-rank share": each.mass,
            "in the equilibrium %": share * each.in_support,
            "first by alpha-rank %": share * each.top,
        }
        for each in sorted(found.standings, key=lambda each: -each.mass)
    )
    cycles = found.cycles
    told = pd.DataFrame(
        [{"triples": cycles.triples, "decided": cycles.decided, "cyclic": cycles.cyclic,
          "cyclic beyond doubt": cycles.sure}]
    )  # fmt: skip
    examples = pd.DataFrame(
        [{"each beats the next, the last the first": ", ".join(each)} for each in cycles.examples]
    )
    return Chapter(
        "order",
        "How far strength is from an order",
        (
            "Nash averaging (Balduzzi and others 2018): the most even equilibrium of the game of "
            "choosing a strategy, by log-odds of the scores; a rating is what a strategy gains on "
            "that mixture, 0 in it. Alpha-rank (Omidshafiei and others 2019): the share of time "
            "that a population spends with each. Where strength is an order, both name the best.",
            f"How often each result comes over {found.repeats} bootstraps of the deals stands "
            "beside it. A triple is cyclic if each beats the next, beyond doubt if all three "
            "leads are, by Holm over all pairs.",
        ),
        {"order": standings, "cycles": told, "cyclic_triples": examples},
        {
            "order": "Nash averaging and alpha-rank",
            "cycles": "Triples of strategies",
            "cyclic_triples": "Triples that are cyclic beyond doubt",
        },
    )


def _luck_chapter(tournament: Tournament, tables: Mapping[str, Table]) -> Chapter:
    rows = []
    for (a, b), outcome in outcomes_of(tournament, tables).items():
        own, other = outcome.T / 2
        start = np.stack([own, 1 - other])  # score of the starting team in both games of a deal
        # Each about its own mean: the two differ by who is stronger, which no deal decides.
        away = start - start.mean(axis=1, keepdims=True)
        shared = figure(away[0] * away[1], (away**2).mean(axis=0), 2 * len(own))
        rows.append(row(shared.estimate(), PERCENT, pairing=f"{a} - {b}"))
    return Chapter(
        "luck",
        "How much of a game the deal decides",
        (
            "Of the variance of the starting team's score, the part that the two games of a deal "
            "have in common, in which the strategies have changed seats: what the cards alone "
            "decide. Each game is taken about the mean of those with the same strategy starting, "
            "so that who is stronger does not count. Where one wins nearly all games little is "
            "left to decide, and the part is small.",
        ),
        {"luck": table(rows)},
        {"luck": "Part of the result that the deal decides, by pairing"},
    )


def _convergence_chapter(duels: Mapping[tuple[str, str], Duel], names: Sequence[str]) -> Chapter:
    rows = []
    for name in names[:_FOLLOWED]:
        met = _met(duels, name)
        most = min((len(duel.points) for duel in met), default=0)
        if most < 2:
            continue
        start = max(2, min(20, most // 10))
        stops = np.unique(np.geomspace(start, most, _POINTS_ALONG).round().astype(int))
        rows += [row(total(met, int(n)), PERCENT, strategy=name, after=int(n)) for n in stops]
    return Chapter(
        "convergence",
        "How the interval narrows",
        ("Score against all that a strategy met, after so many of the deals.",),
        {"convergence": table(rows)},
        {"convergence": "Score after so many deals"},
        (
            Chart(
                "convergence",
                "convergence",
                "How the interval narrows",
                "Score with its 95 % interval as deals come in, for the strategies ranked first.",
                plot_convergence,
                lambda _: 4.0,
            ),
        ),
    )
