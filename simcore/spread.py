"""Do jobs on threads, and stop them all on an error or an interrupt."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Job = TypeVar("Job")

Worker = Callable[[Job, threading.Event], None]
"""Does one job; it raises Stopped soon after the event is set."""


_LISTEN_SECONDS = 0.5


class Stopped(Exception):
    """A job was given up because all are being stopped."""


def spread(
    jobs: Sequence[Job], start_worker: Callable[[], Worker[Job]], threads: int | None
) -> None:
    """Do all jobs, on as many threads as told or cores there are, each with a worker of its own.

    On an error or an interrupt the others are stopped, and then it is raised.
    """
    stop = threading.Event()
    todo: Iterator[Job] = iter(jobs)
    lock = threading.Lock()

    def work() -> None:
        do = start_worker()
        while True:
            with lock:
                job = next(todo, None)
            if job is None:
                return
            do(job, stop)

    workers = min(threads or os.cpu_count() or 1, len(jobs))
    if workers == 0:
        return
    with ThreadPoolExecutor(workers) as pool:
        futures: list[Future[None]] = [pool.submit(work) for _ in range(workers)]
        try:
            # Not in one wait: a signal that comes just before it begins would be heard at its end.
            while wait(futures, _LISTEN_SECONDS, FIRST_EXCEPTION).not_done and not _errors(futures):
                pass
        finally:
            stop.set()
    for error in sorted(_errors(futures), key=lambda e: isinstance(e, Stopped)):
        raise error


def _errors(futures: Sequence[Future[None]]) -> list[BaseException]:
    done = [future.exception() for future in futures if future.done()]
    return [error for error in done if error is not None]
