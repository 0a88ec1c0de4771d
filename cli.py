"""The command `seqlab`: parse, call one function, print.

Modules that take long to import are imported inside the commands, so that `--help` is there at
once.
"""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from simcore.rules import Rules
    from simcore.run import Run
    from simcore.strategy import Bot

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

# All usage errors of the command line derive from this one, wherever typer keeps it.
_UsageError: Any = typer.BadParameter.__base__

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
Out = Annotated[Path | None, typer.Option(help="Folder to write; runs/COMMAND-SEED if not given.")]
DesignName = Annotated[str, typer.Option("--design", help="auto, swap, rotate or none.")]
Threads = Annotated[int | None, typer.Option(help="Threads; all cores if not given.")]
Players = Annotated[int | None, typer.Option(help="2, 3, 4, 6, 8, 9, 10 or 12.")]
Teams = Annotated[int | None, typer.Option(help="2 or 3 teams.")]
Preset = Annotated[str | None, typer.Option(help="A set of rules; `seqlab rules` lists them.")]
RulesFile = Annotated[Path | None, typer.Option("--rules", help="A TOML file of rule fields.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="field=value for any rule; may be repeated.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Finish the run in --out.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the run in --out.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress, no words, just results.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


DEFAULT = "planner"
"""Who plays if nobody is told: the best of the fast bots."""

_INTERRUPTED = 130


class _Interrupted(Exception):
    """Ctrl-C while games were played; the message says how to go on."""


def main() -> None:
    """Run the command line and exit with the code that scripts can rely on.

    0 success, 2 bad input, 1 a failure on the way, 130 interrupted. Errors are one line.
    """
    code = _run(typer.main.get_command(app))
    watch = sys.modules.get("simcore.watch")
    if watch is not None and watch.left_behind():
        # A bot that does not stop would keep the process, or be torn down while it runs.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run(command: Any) -> int:
    try:
        code = int(command.main(standalone_mode=False, prog_name="seqlab") or 0)
        return _fail("interrupted", code) if code == _INTERRUPTED else code
    except _UsageError as error:
        return _fail(error.format_message(), 2)
    except _Interrupted as error:
        return _fail(str(error), _INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        return 1
    except ValueError as error:
        return _fail(str(error), 2)
    except (RuntimeError, OSError) as error:
        return _fail(str(error), 1)


def _fail(message: str, code: int) -> int:
    print(f"error: {_tame(message)}", file=sys.stderr)
    return code


def _tame(text: str) -> str:
    """Return a text in one line, without what would command the terminal: names may hold that."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"seqlab {version('sequence-lab')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Play millions of bot games of Sequence, and report what they show.

    Example: seqlab run -s balanced -s greedy --games 200000
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def run(
    strategy: Strategies = None,
    games: Games = 100_000,
    seed: Seed = 0,
    out: Out = None,
    design: DesignName = "auto",
    threads: Threads = None,
    players: Players = None,
    teams: Teams = None,
    preset: Preset = None,
    rules: RulesFile = None,
    set_: Settings = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Simulate, then write the report: the main job.

    Without options: 100,000 two-player games of `planner`, the best fast bot, with itself.

    Example: seqlab run -s balanced -s greedy --games 200000 --players 4
    """
    in_force = _rules(players, teams, preset, rules, set_)
    played = _simulate(
        "run", strategy, games, seed, out, design, threads, in_force, resume, overwrite, quiet
    )
    _report(played, quiet)


@app.command()
def simulate(
    strategy: Strategies = None,
    games: Games = 100_000,
    seed: Seed = 0,
    out: Out = None,
    design: DesignName = "auto",
    threads: Threads = None,
    players: Players = None,
    teams: Teams = None,
    preset: Preset = None,
    rules: RulesFile = None,
    set_: Settings = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Play games into a folder of tables, without a report.

    Example: seqlab simulate -s balanced -s random --games 1000000 --seed 7 --out runs/mine
    """
    in_force = _rules(players, teams, preset, rules, set_)
    folder, _ = _simulate(
        "simulate", strategy, games, seed, out, design, threads, in_force, resume, overwrite, quiet
    )
    print(folder)


def _rules(
    players: int | None,
    teams: int | None,
    preset: str | None,
    file: Path | None,
    assignments: list[str] | None,
) -> "Rules":
    """Return the rules in force: a preset or a file, then players and teams, then --set."""
    from simcore.rules import PRESETS, Rules, RulesError, parse_assignment, read_settings

    if preset is not None and preset not in PRESETS:
        raise RulesError(f"preset: {preset!r}; allowed: {', '.join(PRESETS)}")
    if preset is not None and file is not None:
        raise RulesError("preset and rules: both given; allowed: one of them")
    settings = dict(PRESETS[preset]) if preset else read_settings(file) if file else {}
    given = {"players": players, "teams": teams}
    settings |= {name: value for name, value in given.items() if value is not None}
    settings |= dict(parse_assignment(text) for text in assignments or [])
    in_force = Rules.from_settings(settings)
    in_force.load_board()
    return in_force


def _simulate(
    command: str,
    strategies: list[str] | None,
    games: int,
    seed: int,
    out: Path | None,
    design: str,
    threads: int | None,
    rules: "Rules",
    resume: bool,
    overwrite: bool,
    quiet: bool,
) -> tuple[Path, "Run"]:
    from simcore.simulation import simulate
    from simcore.store import default_folder

    _check_folder(out, resume, overwrite)
    folder = out or default_folder(command, seed)
    try:
        with _progress("playing", games, quiet) as advance:
            played = simulate(
                strategies or [DEFAULT],
                games,
                seed,
                rules,
                design,
                threads,
                folder,
                resume=resume,
                overwrite=overwrite,
                command=_command(),
                progress=advance,
            )
    except KeyboardInterrupt:
        raise _Interrupted(
            f"interrupted; finished parts are in {folder}: "
            f"the same command with --out {folder} --resume plays the rest"
        ) from None
    return folder, played


def _check_folder(out: Path | None, resume: bool, overwrite: bool) -> None:
    if (resume or overwrite) and out is None:
        raise ValueError("resume, overwrite: no folder given; allowed: with --out FOLDER")


def _command() -> str:
    """Return the command that this process was started with."""
    return shlex.join(["seqlab", *sys.argv[1:]])


@contextmanager
def _progress(what: str, total: int, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show games a second and time left on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    started = time.monotonic()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
        TextColumn("{task.fields[rate]:,.0f} games/s"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as bar:
        task = bar.add_task(what, total=total, rate=0.0)

        def advance(games: int) -> None:
            done = bar.tasks[task].completed + games
            bar.update(task, advance=games, rate=done / (time.monotonic() - started))

        yield advance


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    other: Annotated[
        Path | None, typer.Argument(help="A second run, to stand beside the first.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write figures, charts and one HTML page about a run; two runs stand side by side.

    Example: seqlab report runs/run-0
    """
    from simcore.run import load

    if other is None:
        _report((folder, load(folder)), quiet)
        return
    from analysis.compare import compare

    target = folder / f"compare-{other.resolve().name}"
    compare(load(folder), load(other), target)
    print(target / "index.html")


def _report(played: tuple[Path, "Run"], quiet: bool) -> None:
    from analysis.report import random_reference
    from analysis.report import report as write_report
    from analysis.yardsticks import strength

    folder, found = played
    if not quiet and sys.stderr.isatty():
        print("writing the report", file=sys.stderr)
    known = random_reference(found), strength(found.manifest)
    for headline in write_report(found, folder / "report", *known):
        print(headline.sentence)
    print(folder / "report" / "index.html")


@app.command()
def tune(
    name: Annotated[str, typer.Argument(help="A bot with parameters, or its values to start at.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help="An opponent; may be repeated. balanced if not given."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Parameters to move, as a,b; all if not given.")
    ] = None,
    budget: Annotated[int, typer.Option(help="Games of the search.")] = 1_000_000,
    deals: Annotated[int, typer.Option(help="Deals that each candidate plays.")] = 2_500,
    judge_deals: Annotated[
        int | None, typer.Option(help="Deals of each pairing of the judge.")
    ] = None,
    seed: Seed = 0,
    out: Out = None,
    threads: Threads = None,
    players: Players = None,
    teams: Teams = None,
    preset: Preset = None,
    rules: RulesFile = None,
    set_: Settings = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search a bot's parameters by CMA-ES, and judge the result on deals kept apart.

    The folder then holds params.toml, for -s NAME@FOLDER/params.toml, and the search's history.

    Example: seqlab tune tuned --against balanced --budget 1000000
    """
    from simcore.store import default_folder
    from simcore.strategy import find_strategy
    from tuning import words
    from tuning.record import PARAMS
    from tuning.task import make_task
    from tuning.tune import tune as tune_bot

    task = make_task(
        find_strategy(name),
        [find_strategy(opponent) for opponent in against or ["balanced"]],
        _rules(players, teams, preset, rules, set_),
        only=[each.strip() for each in only.split(",")] if only is not None else (),
        budget=budget,
        deals=deals,
        judge_deals=judge_deals,
        seed=seed,
    )
    _check_folder(out, resume, overwrite)
    folder = out or default_folder("tune", seed)
    options: dict[str, Any] = {"threads": threads, "resume": resume, "overwrite": overwrite}
    try:
        with _progress("tuning", task.all_games, quiet) as advance:
            found = tune_bot(task, folder, **options, command=_command(), progress=advance)
    except KeyboardInterrupt:
        raise _Interrupted(
            f"interrupted; finished generations are in {folder}: "
            f"the same command with --out {folder} --resume goes on"
        ) from None
    file = folder / PARAMS
    if as_json:
        print(json.dumps({"file": str(file), **found["result"]}, indent=1))
        return
    rows = found["result"]["judged"]
    _print_table(words.COLUMNS, [words.cells(row) for row in rows])
    print(words.verdict(rows))
    print(file)


@app.command()
def strategies(
    name: Annotated[str | None, typer.Argument(help="One strategy, with its parameters.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check that it keeps to what bots have to.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the strategies there are, or one with its parameters; or check one.

    Example: seqlab strategies my_bot.py:choose --check
    """
    from simcore.strategy import BARS, find_bot

    if check:
        _check_bot(name, quiet)
        return
    bots = [find_bot(name)] if name else _installed(quiet)
    if as_json:
        rows = [
            {
                "strategy": b.name,
                "idea": b.idea,
                "parameters": [vars(p) for p in (*b.parameters, *BARS)],
            }
            for b in bots
        ]
        print(json.dumps(rows, indent=1))
        return
    _print_table(("strategy", "idea"), [(b.name, b.idea) for b in bots])
    if name:
        if page := _page(name):
            print(page)
        _print_table(
            ("parameter", "default", "range", "scale", "meaning"),
            [
                (p.name, f"{p.default:g}", f"{p.low:g} to {p.high:g}", p.scale, p.meaning)
                for p in (*bots[0].parameters, *BARS)
            ],
        )


def _installed(quiet: bool) -> list["Bot"]:
    """Return the installed bots; one that is broken is told of and keeps none from the others."""
    from simcore.strategy import installed_bots

    bots, broken = installed_bots()
    for why in broken if not quiet else ():
        print(f"warning: {_tame(why)}", file=sys.stderr)
    return bots


def _page(name: str) -> str:
    """Return what the module of an installed bot says about it: why it plays as it does."""
    from importlib.metadata import entry_points
    from inspect import getdoc

    from simcore.strategy import GROUP

    modules = [sys.modules[point.module] for point in entry_points(group=GROUP, name=name)]
    return (getdoc(modules[0]) or "") if modules else ""


def _check_bot(name: str | None, quiet: bool) -> None:
    """Run all checks of a bot and say of each whether it passed."""
    from simcore.contract import checks, failure
    from simcore.strategy import find_bot

    if name is None:
        raise ValueError("check: no strategy given; allowed: with the NAME of one")
    failed = 0
    for what, check in checks(find_bot(name)):
        why = failure(check)
        failed += why != ""
        if why or not quiet:
            print(
                f"{'FAILED' if why else 'ok':6} {what}{f': {_tame(why)}' if why else ''}",
                flush=True,
            )
    if failed:
        raise typer.Exit(1)


@app.command("new-strategy")
def new_strategy(
    file: Annotated[Path, typer.Argument(help="The file to write, as my_bot.py.")],
    quiet: Quiet = False,
) -> None:
    """Write a commented bot that plays, to start from.

    Example: seqlab new-strategy my_bot.py
    """
    from simcore.new_bot import write_new_bot

    write_new_bot(file)
    if not quiet:
        print(f"{file} is written; play it with: seqlab run -s {shlex.quote(f'{file}:choose')}")


@app.command()
def rules(
    preset: Preset = None,
    players: Players = None,
    teams: Teams = None,
    rules_file: RulesFile = None,
    set_: Settings = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show every rule switch: its value in force, what is allowed, and the presets.

    Example: seqlab rules --players 6 --set hand_size=4
    """
    from dataclasses import fields

    from simcore.rules import PRESETS, Rules

    in_force = _rules(players, teams, preset, rules_file, set_)
    values = in_force.settings()
    if as_json:
        print(json.dumps(values, indent=1))
        return
    _print_table(
        ("field", "value", "allowed", "rules"),
        [(f.name, _show(values[f.name]), f.metadata["help"], f.metadata["clause"])
         for f in fields(Rules)],
    )  # fmt: skip
    if not quiet:
        print(f"presets: {', '.join(PRESETS)}")


def _show(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | list) else str(value)


@app.command()
def board(
    layout: Annotated[
        str, typer.Argument(help="standard, wedge, random:SEED or a CSV file.")
    ] = "standard",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a layout and show it.

    Example: seqlab board wedge
    """
    from simcore.board import load_board

    rows = load_board(layout).rows()
    if as_json:
        print(json.dumps(rows))
        return
    print("    " + "".join(f"{column:>5}" for column in range(1, 11)))
    for letter, row in zip("ABCDEFGHIJ", rows, strict=True):
        print(f"{letter:>4}" + "".join(f"{card:>5}" for card in row))


@app.command()
def replay(
    folder: Annotated[
        Path | None, typer.Argument(help="The folder of a run; else tell it by options.")
    ] = None,
    game: Annotated[str, typer.Option(help="Number of the game, or A:B for games A to B-1.")] = "0",
    turn: Annotated[int | None, typer.Option(help="Show this turn only.")] = None,
    moves: Annotated[bool, typer.Option("--moves", help="One line a turn.")] = False,
    strategy: Strategies = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a run; 0 if not given.")] = None,
    design: Annotated[str | None, typer.Option(help="auto, swap, rotate or none.")] = None,
    players: Players = None,
    teams: Teams = None,
    preset: Preset = None,
    rules: RulesFile = None,
    set_: Settings = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play games again and show them turn by turn, a line a turn, or as JSON Lines.

    Chips are O, X and #; (O) stands in a scored sequence, >O< was just played on.

    Example: seqlab replay runs/run-0 --game 7 --moves
    """
    from simcore.jit import source_hash
    from simcore.manifest import read_manifest
    from simcore.plan import MAX_DEALS
    from simcore.replay import replay as replay_games
    from simcore.simulation import RunError, Runner, load_plan, make_plan
    from simcore.strategy import bot_files

    told = (seed, design, players, teams, preset, rules, set_)
    if folder is not None and any(option is not None for option in told):
        raise RunError(
            "replay: a folder and options; allowed: a folder with the -s of its bots' files, "
            "or the options of a run"
        )
    if folder is not None:
        plan, made, games = load_plan(folder, strategy or ())
        manifest = read_manifest(folder)
        if not quiet and manifest["source"] != source_hash():
            print("warning: other code played this run; games may differ", file=sys.stderr)
        if not quiet and manifest.get("files", {}) != bot_files(made.bots):
            told_of = "the file of a bot has changed since the run"
            print(f"warning: {told_of}; games may differ", file=sys.stderr)
    else:
        in_force = _rules(players, teams, preset, rules, set_)
        plan, made = make_plan(strategy or [DEFAULT], in_force, seed or 0, design or "auto")
        games = MAX_DEALS * len(plan.seatings)  # with those that `tune` plays
    if as_json + moves + (turn is not None) > 1:
        raise RunError("replay: allowed is one of --json, --moves and --turn")
    first, stop = _slice(game, games)
    if turn is not None and stop - first > 1:
        raise RunError(f"turn: {turn} of games {game}; allowed: with one game")
    for played in replay_games(Runner(plan, made), first, stop):
        if as_json:
            sys.stdout.write(played.text())
        else:
            _show_game(played.events(), turn, moves)


def _slice(text: str, games: int) -> tuple[int, int]:
    """Return the first game that `N` or `A:B` tells, and the one behind the last."""
    first, colon, stop = text.partition(":")
    numbers = [first, stop] if colon else [first]
    if all(number.isascii() and number.isdigit() and len(number) < 19 for number in numbers):
        start = int(first)
        end = int(stop) if colon else start + 1
        if start < end <= games:
            return start, end
    raise ValueError(f"game: {text!r}; allowed: N or A:B, from 0 to {games - 1}")


def _show_game(events: list[dict[str, Any]], turn: int | None, moves: bool) -> None:
    from rich.console import Console

    from simcore import view

    console = Console(highlight=False, soft_wrap=True)
    for text in view.moves(events) if moves else view.boards(events, turn):
        console.print(text)


@app.command()
def verify(
    files: Annotated[
        list[Path], typer.Argument(help="Transcripts as JSON Lines; - is standard input.")
    ],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Judge the games of any program: tell the first line of each that breaks the rules.

    The exit code is 1 if any game is bad.

    Example: seqlab verify games.jsonl
    """
    from contextlib import nullcontext
    from dataclasses import asdict

    from simcore.judge import judge
    from simcore.transcripts import printable

    for file in files:
        if not _readable(file):
            raise ValueError(f"verify: {file} is no file that can be read")
    games, bad, rows = 0, 0, []
    for file in files:
        with nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb") as stream:
            for finding in judge(stream):
                games += 1
                if finding is None:
                    continue
                bad += 1
                if as_json:
                    rows.append({"file": str(file), **asdict(finding)})
                else:
                    print(f"{printable(str(file))}:{finding}", flush=True)
    if as_json:
        print(json.dumps({"games": games, "bad": bad, "findings": rows}, indent=1))
    elif not quiet and bad:
        print(f"{bad:,} of {games:,} games {'is' if bad == 1 else 'are'} bad")
    elif not quiet:
        print(f"{games:,} games, all legal" if games > 1 else "1 game, legal")
    if bad:
        raise typer.Exit(1)


def _readable(file: Path) -> bool:
    """Return whether there is something to read; - is standard input, which may be closed."""
    if str(file) == "-":
        return sys.stdin is not None
    try:
        return not file.is_dir() and os.access(file, os.R_OK)
    except OSError:  # a name that is too long
        return False


@app.command()
def bench(
    strategy: Strategies = None,
    players: Players = None,
    teams: Teams = None,
    threads: Annotated[int, typer.Option(help="Threads.")] = 1,
    seconds: Annotated[float, typer.Option(help="Time to measure each strategy.")] = 2.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure games a second of each strategy against itself, with all records kept.

    Example: seqlab bench -s random -s balanced --threads 2
    """
    from simcore.bench import measure

    in_force = _rules(players, teams, None, None, None)
    names = strategy or [bot.name for bot in _installed(quiet)]
    rows = [measure(name, in_force, threads, seconds) for name in names]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    _print_table(
        ("strategy", "players", "teams", "threads", "games", "seconds", "games/s", "turns/s"),
        [[_cell(value) for value in row.values()] for row in rows],
    )


def _cell(value: Any) -> str:
    """Write a number for reading: thousands apart, and decimals only where they say something."""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _print_table(columns: Any, rows: Any) -> None:
    """Print a table; numbers stand to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, column in enumerate(columns):
        numeric = all(str(row[number]).replace(",", "").replace(".", "").isdigit() for row in rows)
        table.add_column(str(column), justify="right" if numeric and rows else "left")
    for row in rows:
        table.add_row(*(str(cell).replace("[", r"\[") for cell in row))
    # In a pipe or a file nothing is wrapped or cut.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


if __name__ == "__main__":
    main()
