"""`seqlab rules` and `board`: what games are played by, and on."""

import json
from typing import Annotated, Any

import typer

from commands.console import print_table
from commands.options import Json, Quiet, RuleOptions


def rules(options: RuleOptions, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show every rule switch: its value in force, what is allowed, and the presets.

    Example: seqlab rules --players 6 --set hand_size=4
    """
    from dataclasses import fields

    from simcore.rules import PRESETS, Rules

    values = options.in_force().settings()
    if as_json:
        print(json.dumps(values, indent=1))
        return
    print_table(
        ("field", "value", "allowed", "rules"),
        [(f.name, _show(values[f.name]), f.metadata["help"], f.metadata["clause"])
         for f in fields(Rules)],
    )  # fmt: skip
    if not quiet:
        print(f"presets: {', '.join(PRESETS)}")


def _show(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | list) else str(value)


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
