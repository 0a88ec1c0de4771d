"""Strategies that travel to another process: by name, or with the sources of a user's own file."""

import atexit
import hashlib
import shutil
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from simcore.bot_files import bot_in, files_of
from simcore.strategy import GROUP, Strategy, StrategyError, find_bot, names_file


@dataclass(frozen=True)
class Source:
    """What a bot of a file was loaded from: files by their names, from the folder of `file` on."""

    file: str
    what: str
    files: Mapping[str, bytes]

    def digest(self) -> str:
        """Return a name for these files."""
        told = "".join(f"{n}:{hashlib.sha256(c).hexdigest()}\n" for n, c in self.files.items())
        return hashlib.sha256(told.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class SentStrategy:
    """A strategy as it is sent: `bot` is the name of its bot, as the user gave it."""

    name: str
    bot: str
    params: tuple[float, ...]
    bars: tuple[float, ...]
    source: Source | None


def sent(strategy: Strategy) -> SentStrategy:
    """Return what is sent of a strategy; StrategyError for one that has no name to find it by."""
    name, source = strategy.bot.name, None
    if names_file(name):
        source = _source_of(name)
    else:
        try:
            found = find_bot(name) == strategy.bot
        except StrategyError:
            found = False
        if not found:
            allowed = "the name of an installed bot, or PATH.py:NAME"
            raise StrategyError(f"{strategy.name}: a Bot of this process; allowed here: {allowed}")
    return SentStrategy(strategy.name, name, strategy.params, strategy.bars, source)


def received(strategy: SentStrategy, scratch: str | None = None) -> Strategy:
    """Return the strategy that was sent. Files are written under the folder `scratch`.

    Raises StrategyError if it cannot be had here; errors name it as the user did.
    """
    if strategy.source is None:
        bot = find_bot(strategy.bot)
    else:
        file = _unpacked(strategy.source, scratch)
        bot = bot_in(file, strategy.source.what, strategy.bot)
    return Strategy(strategy.name, bot, strategy.params, strategy.bars)


def packages_of(bots: Iterable[str]) -> dict[str, str]:
    """Return the package and version of each bot that an installed package offers."""
    found = {}
    for name in bots:
        for point in entry_points(group=GROUP, name=name):
            if point.dist is not None:
                found[name] = f"{point.dist.name} {point.dist.version}"
    return found


def _source_of(name: str) -> Source:
    """Return the source of a loaded bot; StrategyError if a file has changed since."""
    path, what, files = files_of(name)
    found = {}
    for file, expected in files.items():
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() != expected:
            raise StrategyError(f"{name}: {file.name} was changed while the run was started")
        found[file.relative_to(path.parent).as_posix()] = content
    return Source(path.name, what, found)


_lock = threading.Lock()
_folders: dict[str, Path] = {}
"""Where sources were written, by digest; removed when the process ends."""


def _unpacked(source: Source, scratch: str | None) -> Path:
    """Return where the source's file lies: in a folder that only this user can look into."""
    digest = source.digest()
    with _lock:
        if digest not in _folders or not (_folders[digest] / source.file).is_file():
            folder = Path(tempfile.mkdtemp(prefix="seqlab-bot-", dir=scratch)).resolve()
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            for name, content in source.files.items():
                file = (folder / name).resolve()
                if folder not in file.parents:
                    raise StrategyError(f"a bot's file is named {name!r}; allowed: beside it")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            _folders[digest] = folder
        return _folders[digest] / source.file
