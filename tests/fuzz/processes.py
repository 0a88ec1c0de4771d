"""Commands in processes of their own, and what any of them may say and how it may end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzzing import ROOT, fault_of_message, rng_of

MOST_SECONDS = 120.0
"""On the clock: machines that run tests are shared."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float


@dataclass(frozen=True)
class Case:
    """A command, and the exit codes that fit it."""

    words: Sequence[str]
    codes: tuple[int, ...]
    about: str = ""


Run = Callable[[Sequence[str], Path], Ended]


@contextmanager
def runner(**environment: str) -> Iterator[Run]:
    """Give what runs a command in a folder: as a child of a process that has all imported."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"} | environment
    zygote = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("zygote.py"))],
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": env},
    )
    assert zygote.stdin
    assert zygote.stdout
    talk, hear = zygote.stdin, zygote.stdout
    assert hear.readline() == "ready\n"

    def run(words: Sequence[str], home: Path) -> Ended:
        told = home.parent / "told"
        case = {"words": words, "home": str(home), "told": str(told), "seconds": MOST_SECONDS}
        talk.write(f"{json.dumps(case)}\n")
        talk.flush()
        ended = json.loads(hear.readline())
        out, err = (
            Path(f"{told}.{kind}").read_bytes().decode("utf-8", "replace")
            for kind in ("out", "err")
        )
        return Ended(ended["code"], out, err, ended["seconds"])

    try:
        yield run
    finally:
        talk.close()
        zygote.wait()
        hear.close()


def fault(case: Case, ended: Ended) -> str:
    """Return what is wrong with how a command ended."""
    lines = ended.err.splitlines()
    said = f"code {ended.code}, {ended.seconds:.1f} s: {ended.err:.600}"
    if ended.code not in case.codes:
        return f"not {case.codes}: {said}"
    if "Traceback" in ended.err + ended.out or "Warning" in ended.err:
        return f"traceback or warning: {said} {ended.out:.300}"
    if len(lines) > 5 or len(ended.err) > 2000:
        return f"{len(lines)} lines: {said}"
    if ended.code == 2:
        if len(lines) != 1 or not lines[0].startswith("error: "):
            return f"not one line of an error: {said}"
        told = lines[0].removeprefix("error: ")
        if re.search(r"cannot be (loaded|compiled|read): |raised ", told):  # in others' words
            told = re.sub(r"\b\w+(Error|Exception|Exit|Group)\b", "it", told)
        return fault_of_message(told, str(case.words) + case.about)
    return f"an error, but {said}" if ended.code == 0 and "error: " in ended.err else ""


def fuzz_processes(
    kind: str, count: int, make: Callable[[int, Path], Case], tmp_path: Path, **environment: str
) -> None:
    """Make cases, each in a folder of its own, and run them; fail with one case of each fault."""
    faults: dict[str, str] = {}
    codes: dict[int, int] = {}
    started = time.monotonic()
    with runner(**environment) as run:
        for number in range(count):
            home = tmp_path / str(number)
            home.mkdir()
            case = make(number, home)
            ended = run(case.words, home)
            codes[ended.code] = codes.get(ended.code, 0) + 1
            if found := fault(case, ended):
                told = f"case {number}: {found}: {list(case.words)!r:.300} {case.about:.300}"
                if found[:60] not in faults:  # at once, for who waits for hundreds of processes
                    print(told, flush=True)
                faults.setdefault(found[:60], told)
    spent = time.monotonic() - started
    print(f"{kind}: {count} processes in {spent:.0f} s; by exit code: {codes}")
    assert not faults, "\n\n".join(faults.values())


__all__ = ["Case", "Ended", "fuzz_processes", "rng_of", "runner"]
