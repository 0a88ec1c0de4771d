"""What commands have in common on the terminal: tables, progress, the words after Ctrl-C."""

import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupted(Exception):
    """Ctrl-C while games were played; the message says how to go on."""


@contextmanager
def keeping(path: object, what: str) -> Iterator[None]:
    """Say after Ctrl-C, or SIGTERM, where what is finished lies, and how to go on."""
    try:
        with _stopped_by(signal.SIGTERM):
            yield
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; finished {what} are in {path}: "
            f"the same command with --out {path} --resume plays the rest"
        ) from None


@contextmanager
def _stopped_by(number: signal.Signals) -> Iterator[None]:
    """Let a signal stop what is done as Ctrl-C does; batch queues and containers send it."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)


def tame(text: str) -> str:
    """Return a text in one line, without what would command the terminal: names may hold that."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


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


def print_findings(sentences: Iterable[str], page: object) -> None:
    """Print what a report opens with, and where it lies."""
    for sentence in sentences:
        print(sentence)
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
