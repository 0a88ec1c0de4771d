"""`seqlab replay` and `verify`: single games, looked into and judged."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from commands.options import DEFAULT, Json, Quiet, RuleOptions, Strategies


def replay(
    rules: RuleOptions,
    folder: Annotated[
        str | None, typer.Argument(help="The folder of a run; else tell it by options.")
    ] = None,
    game: Annotated[str, typer.Option(help="Number of the game, or A:B for games A to B-1.")] = "0",
    turn: Annotated[int | None, typer.Option(help="Show this turn only.")] = None,
    moves: Annotated[bool, typer.Option("--moves", help="One line a turn.")] = False,
    strategy: Strategies = None,
    seed: Annotated[int | None, typer.Option(help="Seed of a run; 0 if not given.")] = None,
    design: Annotated[str | None, typer.Option(help="auto, swap, rotate or none.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play games again and show them turn by turn, a line a turn, or as JSON Lines.

    Chips are O, X and #; (O) stands in a scored sequence, >O< was just played on.

    Example: seqlab replay runs/run-0 --game 7 --moves
    """
    from simcore.jit import source_hash
    from simcore.manifest import read_manifest
    from simcore.place import place_of
    from simcore.plan import MAX_DEALS
    from simcore.played import load_plan
    from simcore.replay import replay as replay_games
    from simcore.runner import RunError, Runner
    from simcore.simulation import make_plan
    from simcore.strategy import bot_files

    if folder is not None and (rules != RuleOptions() or (seed, design) != (None, None)):
        raise RunError(
            "replay: a folder and options; allowed: a folder with the -s of its bots' files, "
            "or the options of a run"
        )
    if folder is not None:
        plan, made, games = load_plan(folder, strategy or ())
        manifest = read_manifest(place_of(folder))
        if not quiet and manifest["source"] != source_hash():
            print("warning: other code played this run; games may differ", file=sys.stderr)
        if not quiet and manifest.get("files", {}) != bot_files(made.bots):
            told_of = "the file of a bot has changed since the run"
            print(f"warning: {told_of}; games may differ", file=sys.stderr)
    else:
        bots = strategy or [DEFAULT]
        plan, made = make_plan(bots, rules.in_force(), seed or 0, design or "auto")
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
