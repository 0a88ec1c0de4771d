"""`seqlab strategies` and `new-strategy`: which bots there are, and one of your own."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.console import print_table
from commands.options import Json, Quiet
from simcore.given import tame

if TYPE_CHECKING:
    from simcore.strategy import Bot


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
    bots = [find_bot(name)] if name else installed(quiet)
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
    print_table(("strategy", "idea"), [(b.name, b.idea) for b in bots])
    if name:
        if page := _page(name):
            print(page)
        print_table(
            ("parameter", "default", "range", "scale", "meaning"),
            [
                (p.name, f"{p.default:g}", f"{p.low:g} to {p.high:g}", p.scale, p.meaning)
                for p in (*bots[0].parameters, *BARS)
            ],
        )


def installed(quiet: bool) -> list["Bot"]:
    """Return the installed bots; one that is broken is told of and keeps none from the others."""
    from simcore.strategy import installed_bots

    bots, broken = installed_bots()
    for why in broken if not quiet else ():
        print(f"warning: {tame(why)}", file=sys.stderr)
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
                f"{'FAILED' if why else 'ok':6} {what}{f': {tame(why)}' if why else ''}",
                flush=True,
            )
    if failed:
        raise typer.Exit(1)


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
