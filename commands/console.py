"""What commands have in common on the terminal: tables, progress, the words after Ctrl-C."""

import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from simcore.given import tame


class Terminated(KeyboardInterrupt):
    """SIGTERM, which is heard as Ctrl-C is."""


class Interrupted(Exception):
    """Ctrl-C or SIGTERM while games were played; the message says how to go on."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


INTERRUPTED, TERMINATED = 130, 143
"""Exit codes: 128 and the number of the signal."""


@contextmanager
def keeping(place: object, what: str) -> Iterator[None]:
    """Say after Ctrl-C, or where nothing can be written, where what is finished lies."""
    kept = (
        f"finished {what} are in {place}: "
        f"the same command with --out {place} --resume plays the rest"
    )
    try:
        yield
    except Terminated:
        raise Interrupted(f"terminated; {kept}", TERMINATED) from None
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {kept}", INTERRUPTED) from None
    except OSError as error:
        raise OSError(f"{error.strerror or error}; {kept}") from error
    except RuntimeError as error:
        team = sys.modules.get("simcore.team")  # there if a cluster plays
        if team is None or not isinstance(error, team.LostError):
            raise
        raise RuntimeError(f"{error}; {kept}") from None


def command_line() -> str:
    """Return the command that this process was started with."""
    return shlex.join(["seqlab", *sys.argv[1:]])


@contextmanager
def progress(what: str, total: int, quiet: bool) -> Iterator[Callable[[int], None] | None]:
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


def print_findings(sentences: Iterable[str], page: object, quiet: bool = False) -> None:
    """Print what a report opens with, unless quiet, and where it lies."""
    for sentence in () if quiet else sentences:
        print(tame(sentence))
    print(page)


def print_table(columns: Any, rows: Any) -> None:
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
