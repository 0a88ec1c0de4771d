"""The workers of a Dask cluster that may play: looked at when they are first seen."""

import asyncio
import logging
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from simcore.job import Asked, described, differences
from simcore.local_workers import DyingError, local_cluster
from simcore.runner import RunError

_LOCAL = "local:"
_MOST_LOCAL = 1024
_ANSWER_SECONDS = 8
"""How long a scheduler has to answer."""
_SAY_SECONDS = 30
"""How long a worker has to say what it is, for which it imports all."""
_FIRST_SECONDS = 60
"""How long is waited for the first worker."""
_WAIT_SECONDS = 0.2

_ADDRESS = re.compile(r"((tcp|tls)://)?(\[[0-9A-Fa-f:.]+\]|[^\s/:\[\]]+):\d{1,5}")
"""Of a scheduler; with others, Dask says what it thinks after 20 seconds, in a traceback."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used, or is gone; one line."""


class LostError(ClusterError):
    """A cluster that can no longer be used, after parts may have been finished."""


class Team:
    """Who is there, and who of them may play."""

    def __init__(self, client: Any, where: str, asked: Asked) -> None:
        self.client, self.where = client, where
        self.threads: dict[str, int] = {}
        """Threads of each worker that may play, by address."""
        self._asked = asked
        self._needs = described(*asked)
        self._refused: set[str] = set()
        self._alone = False

    def gather(self) -> None:
        """Wait for the first workers; ClusterError if none comes, or one is of another version."""
        end = time.monotonic() + _FIRST_SECONDS
        while not self.threads:
            if unlike := self._look():
                raise ClusterError(unlike[0] + (f" ({len(unlike)} workers)" * (len(unlike) > 1)))
            if time.monotonic() > end:
                raise ClusterError(f"cluster: {self.where} has no worker")
            time.sleep(_WAIT_SECONDS)

    def look(self) -> None:
        """See who came and went; those of another version get no work, and that is told."""
        for line in self._look():
            _note(f"{line.removeprefix('cluster: ')}; it gets no work")
        if not self.threads and not self._alone:
            _note(f"{self.where} has no worker left; waiting for one")
        self._alone = not self.threads

    def refuse(self, worker: str, told: str) -> None:
        """Give a worker no more work, and tell why."""
        self.threads.pop(worker, None)
        self._refused.add(worker)
        _note(f"{told}; it gets no work")

    def _look(self) -> list[str]:
        """Bring `threads` up to date; return why those that are new may not play, a line each."""
        try:
            there: Mapping[str, int] = self.client.nthreads()
            new = there.keys() - self.threads.keys() - self._refused
            told = self._ask(sorted(new)) if new else {}
        except Exception as error:  # of many kinds, all of which mean the same
            raise ClusterError(f"cluster: {self.where} is gone: {line_of(error)}") from None
        why = {address: self._unlike(answer) for address, answer in told.items()}
        self._refused = {worker for worker in self._refused if worker in there}
        self._refused |= {worker for worker, unlike in why.items() if unlike}
        played = {*self.threads, *(worker for worker, unlike in why.items() if not unlike)}
        self.threads = {worker: n for worker, n in there.items() if worker in played}
        return [f"cluster: worker {worker} {unlike}" for worker, unlike in why.items() if unlike]

    def _ask(self, workers: list[str]) -> dict[str, Any]:
        """Return what workers say of themselves, or why they cannot; not of those that are gone.

        The function goes by its name: a worker without these sources has none of it.
        """
        run, given = self.client.run, {"on_error": "return"}

        async def ask(worker: str) -> Any:
            asked = run(described, *self._asked, workers=[worker], **given)
            try:
                return (await asyncio.wait_for(asked, _SAY_SECONDS)).get(worker)
            except TimeoutError:
                return {}

        async def ask_all() -> list[Any]:
            return await asyncio.gather(*map(ask, workers))

        answers = zip(workers, self.client.sync(ask_all), strict=True)
        return {worker: answer for worker, answer in answers if not isinstance(answer, OSError)}

    def _unlike(self, answer: Any) -> str:
        """Say why a worker may not play; nothing if it may."""
        if isinstance(answer, BaseException):
            version = f"sequence-lab {self._needs['sequence-lab']}, source {self._needs['source']}"
            return f"has no {version}: {line_of(answer)}"
        if not answer:
            return f"has not said for {_SAY_SECONDS} s what it is"
        told = differences(self._needs, answer)
        return f"has {told}" if told else ""


def _note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


def line_of(error: BaseException) -> str:
    """Return the kind of an error and what it says, in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


@contextmanager
def gathered(where: str, asked: Asked) -> Iterator[tuple[Team, Callable[[], None]]]:
    """Give the team at an address or of `local:N`, and what is to be called about every second.

    `asked` says what all processes have to have the same (job.described). Raises RunError for an
    address that is none, and ClusterError.
    """
    _check_installed()
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        address, tend = where, _nothing
        if where.startswith(_LOCAL):
            workers = where.removeprefix(_LOCAL)
            if not (workers.isascii() and workers.isdigit() and 1 <= int(workers) <= _MOST_LOCAL):
                allowed = f"{_LOCAL}1 to {_LOCAL}{_MOST_LOCAL}"
                raise RunError(f"cluster: {where!r}; allowed: {allowed}")
            address, tend = stack.enter_context(local_cluster(int(workers)))
        team = Team(stack.enter_context(_client(address)), where, asked)
        team.gather()

        def look() -> None:
            try:
                tend()
            except DyingError as error:
                raise ClusterError(str(error)) from None
            team.look()

        yield team, look


def _nothing() -> None:
    pass


def _check_installed() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        told = "allowed: after pip install 'sequence-lab[cluster]'"
        raise RunError(f"cluster: the package distributed is not installed; {told}") from None


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Give a client; RunError for an address that is none, ClusterError if nothing answers."""
    if not _ADDRESS.fullmatch(address):
        allowed = "local:N, or the address of a Dask scheduler, as tcp://HOST:8786"
        raise RunError(f"cluster: {address!r}; allowed: {allowed}")
    from distributed import Client

    try:
        with warnings.catch_warnings():
            # Of versions that differ: what has to be the same is looked at later.
            warnings.simplefilter("ignore")
            client = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
    except Exception as error:
        told = f"cluster: no Dask scheduler answers at {address}: {line_of(error)}"
        raise ClusterError(told) from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_ANSWER_SECONDS)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log off the terminal: what matters of it is said in one line."""
    import distributed.client  # noqa: F401 - which makes its loggers

    roots = ("distributed", "tornado", "asyncio")
    names = [*roots, *logging.root.manager.loggerDict]
    loggers = [logging.getLogger(name) for name in names if name.partition(".")[0] in roots]
    before = [(logger, logger.disabled) for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in before:
            logger.disabled = disabled
