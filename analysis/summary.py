"""The head of a report: what was run, under which rules and design, and how to do it again."""

from dataclasses import dataclass

from analysis.question import Evidence
from simcore.rules import Rules

DESIGNS = {
    "rotate": (
        "rotate: each team starts once on the same deal, so that the luck of the cards cancels "
        "where starting teams are compared"
    ),
    "swap": (
        "swap: the strategies take the teams' places in every distinct way on the same deal, the "
        "start unchanged, so that the luck of the cards cancels where strategies are compared"
    ),
    "none": "none: every game is played on a deal of its own",
}


@dataclass(frozen=True)
class Described:
    """One run as pairs of a label and a text, and the command that repeats it."""

    name: str
    facts: list[tuple[str, str]]
    command: str


@dataclass(frozen=True)
class Summary:
    """The title of a report, the runs it is about, and what a reader has to know beforehand."""

    title: str
    runs: list[Described]
    note: str


def summary(runs: list[tuple[str, Evidence]], note: str = "") -> Summary:
    """Describe the named runs that evidence comes from."""
    titles = dict.fromkeys(_title(evidence) for _, evidence in runs)
    return Summary(" / ".join(titles), [_describe(name, found) for name, found in runs], note)


def _played(evidence: Evidence) -> str:
    played = f"{evidence.games:,} games on {evidence.deals:,} deals"
    planned = evidence.setting.manifest["games"]
    if evidence.games < planned:
        return f"{played}; the run is unfinished: {planned:,} games were to be played"
    return played


def _title(evidence: Evidence) -> str:
    setting = evidence.setting
    return f"Sequence with {setting.players} players: {_versus(setting.strategies)}"


def _describe(name: str, evidence: Evidence) -> Described:
    setting = evidence.setting
    manifest = setting.manifest
    facts = [
        ("Strategies", ", ".join(setting.strategies)),
        ("Table", f"{setting.players} players in {setting.teams} teams"),
        ("Played", _played(evidence)),
        ("Design", DESIGNS[setting.design]),
        ("Rules", _changes(evidence)),
        ("Seed", str(manifest["seed"])),
        ("Versions", ", ".join(f"{k} {v}" for k, v in manifest["versions"].items())),
    ]
    return Described(name, facts, str(manifest["command"]))


def _versus(names: list[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} in all seats"
    if len(names) > 3:
        return f"{len(names)} strategies"
    return " against ".join(names)


def _changes(evidence: Evidence) -> str:
    """Rules that differ from the standard game of as many players."""
    changed = Rules.from_settings(evidence.setting.rules).changes()
    listed = ", ".join(f"{field} = {value}" for field, value in changed.items())
    return listed or "the standard game"
