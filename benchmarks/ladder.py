"""Print the table of bots: what each scores against the known ones, and how fast it is.

    python benchmarks/ladder.py [--players 2] [--teams 2] [--deals 20000] [--slow-deals 1000]

Every deal is played in all seatings of the two; scores are in percent with 95 % intervals by deal.
Equals score 50, or with three teams 33.3, where 66.7 is the most. Bots that play fewer than 2,000
games a second here (one thread, against themselves) play `--slow-deals`; each row says how many.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from analysis.duel import duel
from simcore.bench import measure
from simcore.rules import Rules
from simcore.strategy import Strategy, bot_names, find_strategy

YARDSTICKS = ("random", "greedy", "balanced")
SLOW = 2_000
"""Games a second below which a bot plays fewer deals."""


def rung(bot: Strategy, rules: Rules, options: argparse.Namespace) -> dict[str, Any]:
    """Return what a bot scores against each yardstick, and its speed."""
    print(bot.name, "...", file=sys.stderr, flush=True)
    speed = measure(bot.name, rules, seconds=options.seconds)["games_per_second"]
    deals = options.deals if speed >= SLOW else options.slow_deals
    scores = {}
    for name in YARDSTICKS:
        found = duel(bot, find_strategy(name), rules, deals, options.first_deal, options.seed)
        estimate, drawn = found.score, found.drawn.value
        scores[name] = {
            "score": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "drawn": drawn,
        }
    return {
        "strategy": bot.name,
        "idea": bot.bot.idea,
        "scores": scores,
        "deals": deals,
        "games_per_second": round(speed),
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Lay the rows out in Markdown, the weakest against `balanced` first."""
    head = ["Bot", *(f"against `{name}`" for name in YARDSTICKS), "deals", "games/s", "Plays"]
    lines = [head, ["---", *["---:"] * (len(head) - 2), "---"]]
    for row in sorted(rows, key=lambda row: float(row["scores"]["balanced"]["score"])):
        cells = [cell(row["scores"][name]) for name in YARDSTICKS]
        numbers = [f"{row['deals']:,}", f"{row['games_per_second']:,}"]
        lines.append([f"`{row['strategy']}`", *cells, *numbers, row["idea"].replace("|", r"\|")])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(found: dict[str, float | None]) -> str:
    """Write a score and its interval in percent; a bot against itself has none."""
    score, low, high = found["score"], found["low"], found["high"]
    if score is None or low is None or high is None:
        return "-"
    places = 1 if high - low > 0.002 else 2
    return f"{100 * score:.{places}f} ({100 * low:.{places}f} to {100 * high:.{places}f})"


def main(words: Sequence[str] | None = None) -> None:
    """Play all bots and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int)
    parser.add_argument("--teams", type=int)
    parser.add_argument("--bots", help="NAME,NAME,...; all that are installed if not given")
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--slow-deals", type=int, default=1_000)
    parser.add_argument("--first-deal", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="to measure the speed of each")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    given = {"players": options.players, "teams": options.teams}
    rules = Rules.from_settings({name: n for name, n in given.items() if n is not None})
    names = options.bots.split(",") if options.bots else bot_names()
    rows = [rung(find_strategy(name), rules, options) for name in names]
    print(json.dumps(rows, indent=1) if options.json else table(rows))


if __name__ == "__main__":
    main()
