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
class Summary:
    """What was run, as pairs of a label and a text, and the command that repeats it."""

    title: str
    facts: list[tuple[str, str]]
    command: str


def summary(evidence: Evidence) -> Summary:
    """Describe the run that an evidence comes from."""
    setting = evidence.setting
    manifest = setting.manifest
    facts = [
        ("Strategies", ", ".join(setting.strategies)),
        ("Table", f"{setting.players} players in {setting.teams} teams"),
        ("Played", f"{evidence.games:,} games on {evidence.deals:,} deals"),
        ("Design", DESIGNS.get(setting.design, setting.design)),
        ("Rules", _changes(evidence)),
        ("Seed", str(manifest["seed"])),
        ("Versions", ", ".join(f"{k} {v}" for k, v in manifest["versions"].items())),
    ]
    title = f"Sequence, {setting.players} players: {_versus(setting.strategies)}"
    return Summary(title, facts, str(manifest["command"]))


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
