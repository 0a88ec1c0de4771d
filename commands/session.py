"""What commands of experiments have in common: the folder, progress, the words after Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commands.console import command_line, keeping, progress
from commands.options import FolderOptions

if TYPE_CHECKING:
    from experiments.session import Session


@contextmanager
def session(
    command: str,
    folder: FolderOptions,
    seed: int,
    threads: int | None,
    games: int,
    quiet: bool,
    kept: str = "arms",
) -> Iterator["Session"]:
    """Give a command's session in the folder that was named, or one of its own.

    Progress is shown of so many games; `kept` are what an interrupt leaves.
    """
    from experiments.session import Session

    path = folder.folder(command, seed)
    with keeping(path, kept), progress("playing", games, quiet) as advance:
        yield Session(path, threads, command_line(), folder.resume, folder.overwrite, advance)
