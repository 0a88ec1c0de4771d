"""Options that several commands take: each is told once, and groups of them are one parameter."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from simcore.rules import Rules

DEFAULT = "planner"
"""Who plays if nobody is told: the best of the fast bots."""

Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "-s",
        "--strategy",
        help="NAME, NAME:param=value,... or NAME@FILE.toml; NAME may be that of a function in a "
        "file of yours, as my_bot.py:choose; once for all seats, or one for each team or seat.",
    ),
]
Games = Annotated[int, typer.Option(help="Games to play, rounded up to whole deals.")]
Seed = Annotated[int, typer.Option(help="Seed of all deals and bots, 0 to 2^63-1.")]
Out = Annotated[str | None, typer.Option(help="Folder to write; runs/COMMAND-SEED if not given.")]
DesignName = Annotated[str, typer.Option("--design", help="auto, swap, rotate or none.")]
Threads = Annotated[int | None, typer.Option(help="Threads; all cores if not given.")]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Play on a Dask cluster: the address of its scheduler, or local:N for N processes.",
        metavar="ADDRESS",
    ),
]
Players = Annotated[int | None, typer.Option(help="2, 3, 4, 6, 8, 9, 10 or 12.")]
Teams = Annotated[int | None, typer.Option(help="2 or 3 teams.")]
Preset = Annotated[str | None, typer.Option(help="A set of rules; `seqlab rules` lists them.")]
RulesFile = Annotated[Path | None, typer.Option("--rules", help="A TOML file of rule fields.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="field=value for any rule; may be repeated.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Finish the run in --out.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the run in --out.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", help="No progress and no sentences: just tables, JSON and paths."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True)
class PlayOptions:
    """What to play."""

    strategy: Strategies = None
    games: Games = 100_000
    seed: Seed = 0
    design: DesignName = "auto"
    threads: Threads = None


@dataclass(frozen=True)
class FolderOptions:
    """Where to write."""

    out: Out = None
    resume: Resume = False
    overwrite: Overwrite = False

    def folder(self, command: str, seed: int) -> Path:
        """Return the folder that was named, or one of the command's own."""
        from simcore.place import StoreError, is_url

        if self.out is not None and is_url(self.out):
            raise StoreError(f"out: {self.out} is a URL; allowed: a folder, for this command")
        return Path(self.place(command, seed))

    def place(self, command: str, seed: int) -> str:
        """Return the folder or URL that was named, or a folder of the command's own."""
        from simcore.store import default_folder

        if (self.resume or self.overwrite) and self.out is None:
            raise ValueError("resume, overwrite: no folder given; allowed: with --out FOLDER")
        if self.out is not None and self.out.startswith("memory://"):
            told = f"out: {self.out} is gone when the command ends"
            raise ValueError(f"{told}; allowed: a folder, or a URL of a place that stays")
        return self.out or str(default_folder(command, seed))


@dataclass(frozen=True)
class RuleOptions:
    """Which rules are in force."""

    players: Players = None
    teams: Teams = None
    preset: Preset = None
    rules: RulesFile = None
    set_: Settings = None

    def in_force(self) -> "Rules":
        """Return a preset or what a file says, then players and teams, then --set."""
        from simcore.rules import PRESETS, Rules, RulesError, parse_assignment, read_settings

        if self.preset is not None and self.preset not in PRESETS:
            raise RulesError(f"preset: {self.preset!r}; allowed: {', '.join(PRESETS)}")
        if self.preset is not None and self.rules is not None:
            raise RulesError("preset and rules: both given; allowed: one of them")
        settings = dict(PRESETS[self.preset]) if self.preset else {}
        settings |= read_settings(self.rules) if self.rules else {}
        given = {"players": self.players, "teams": self.teams}
        settings |= {name: value for name, value in given.items() if value is not None}
        settings |= dict(parse_assignment(text) for text in self.set_ or [])
        rules = Rules.from_settings(settings)
        rules.load_board()
        return rules


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command as typer takes it: the fields of a group are options of their own."""
    shown: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in inspect.signature(command).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            shown += [
                inspect.Parameter(
                    field.name, parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
                )
                for field in fields(parameter.annotation)
            ]
        else:
            shown.append(parameter.replace(kind=parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**made, **given)

    call.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return call
