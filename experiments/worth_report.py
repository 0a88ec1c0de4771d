"""The report on what things are worth: one chart for all, and what jacks given were used for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.paired import PAYS
from analysis.question import POINTS, Chart, row, table
from analysis.sentence import figure as in_words
from experiments.page import Chapter, write_report
from experiments.treatment import KINDS
from experiments.worth import BARRED, GIFTS, START, Use, Worth

_UNIT = "jacks"


def write(
    worths: Sequence[Worth], uses: Sequence[Use], manifest: Mapping[str, Any], out_dir: Path
) -> tuple[Path, list[str]]:
    """Write the report; return its page and the sentences that it opens with."""
    cases = list(dict.fromkeys(worth.case.name for worth in worths))
    chapters = [_worth_chapter(worths), _use_chapter(uses)]
    quotes = [("worth", _sentence(name, worths)) for name in cases]
    changes = worths[0].case.rules.changes()
    facts = [
        ("Cases", "; ".join(cases)),
        ("Rules", ", ".join(f"{k} = {v}" for k, v in changes.items()) or "the standard game"),
        ("Played", f"{manifest['games']:,} games of each kind for each case"),
    ]
    page = write_report(out_dir, "What things are worth", manifest, facts, quotes, chapters)
    return page, [sentence for _, sentence in quotes]


def _sentence(case: str, worths: Sequence[Worth]) -> str:
    told = {w.thing: w.figure.estimate().affine(100) for w in worths if w.case.name == case}
    chosen = [thing for thing in (START, *GIFTS.values()) if thing in told]
    said = ", ".join(f"{thing} {in_words(told[thing], POINTS, sign=True)}" for thing in chosen)
    return f"{case}: {said}."


def _worth_chapter(worths: Sequence[Worth]) -> Chapter:
    rows = [
        row(
            w.figure.estimate(),
            POINTS,
            thing=w.thing,
            strategy=w.case.strategy.name,
            players=w.case.rules.players,
            teams=w.case.rules.teams,
        )
        | {"correlation": w.correlation, "games saved": w.saved, "deals left out": _left_out(w)}
        for w in worths
    ]
    lost = ", ".join(BARRED.values())
    return Chapter(
        "worth",
        "What things are worth",
        (
            "All in points of score, the mean over seats, for a strategy in all seats.",
            "A jack: on the same deals, a plain card of one hand, drawn at random, changes places "
            "with a jack of the kind, drawn at random among those not dealt to any hand; the score "
            "of that hand's team less its score without. Deals with no such jack are left out, "
            "and counted.",
            "A card more: the hand is dealt its next card as well, and holds one more to the end. "
            "Going first: the score of the team that moves first less an equal share, each team "
            "starting once on every deal.",
            f"What a strategy may not do ({lost}) costs it score against itself unrestricted, on "
            "the same deals with seats changed: its score less an equal share.",
            "Games saved says how many times as many games on deals of their own would give the "
            f"same interval; below {PAYS} pairing did not pay. It comes from the correlation: of "
            "scores with and without a gift (games are saved above zero), or of the games of one "
            "deal with start or seats changed (saved below zero).",
        ),
        {"worth": table(rows)},
        {"worth": "Worth of each thing, in points of score"},
        (
            Chart(
                "worth",
                "worth",
                "What things are worth",
                "Worth of each thing in points of score, with 95 % intervals.",
                _plot,
                style.rows_high,
            ),
        ),
    )


def _left_out(worth: Worth) -> int:
    """Return the deals in which there was no such jack to give."""
    given = worth.thing in KINDS.values()
    return worth.figure.deals - worth.figure.games // 2 if given else 0


def _plot(table: pd.DataFrame, ax: Axes) -> Axes:
    names = _named(table, list(table["thing"]))
    style.forest(table, ax, names)
    style.reference_line(ax, 0.0, "nothing")
    ax.set_xlabel("points of score")
    ax.set_ylabel("thing")
    return ax


def _named(table: pd.DataFrame, things: Sequence[object]) -> list[str]:
    """Name rows by what they are of, and by players and strategy where these differ."""
    several = [c for c in ("players", "strategy") if table[c].nunique() > 1]
    about = [", ".join(str(line[c]) for c in several) for _, line in table.iterrows()]
    return [f"{t} ({a})" if a else str(t) for t, a in zip(things, about, strict=True)]


def _use_chapter(uses: Sequence[Use]) -> Chapter:
    rows = [
        row(
            u.figure.estimate(),
            _UNIT,
            jack=u.thing,
            purpose=u.purpose,
            strategy=u.case.strategy.name,
            players=u.case.rules.players,
        )
        for u in uses
    ]
    names = {f"uses_{jack.replace('-', '_').replace(' ', '_')}": jack for jack in _jacks(uses)}
    return Chapter(
        "uses",
        "What a jack given is used for",
        (
            "How many more jacks of its kind the hand that was given one used for each purpose "
            "than without it, in all its plays of the game: completes (scores a sequence), blocks "
            "(takes the space, or the chip, of an opponents' line with all but one filled), builds "
            "(raises an own line to all but one), removes, other, held at the end. The purposes "
            "add up to a jack, less or more as the game gets shorter or longer and fewer or more "
            "jacks are drawn.",
        ),
        {
            name: table(line for line in rows if line["jack"] == jack)
            for name, jack in names.items()
        },
        {name: f"More uses for one {jack} given" for name, jack in names.items()},
        tuple(
            Chart(
                name.replace("_", "-"),
                name,
                f"What a {jack} given is used for",
                f"More uses of each purpose for one {jack} given, with 95 % intervals.",
                _plot_uses,
                style.rows_high,
            )
            for name, jack in names.items()
        ),
    )


def _jacks(uses: Sequence[Use]) -> list[str]:
    return list(dict.fromkeys(use.thing for use in uses))


def _plot_uses(table: pd.DataFrame, ax: Axes) -> Axes:
    names = _named(table, list(table["purpose"]))
    style.forest(table, ax, names)
    style.reference_line(ax, 0.0, "no more")
    ax.set_xlabel("jacks more for one given")
    ax.set_ylabel("purpose")
    return ax
