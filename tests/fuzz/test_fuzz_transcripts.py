"""Fuzzed transcripts: the judge finds something, or nothing, and never fails itself."""

from __future__ import annotations

import io
import json
import random

from damage import Lines, as_bytes, sample
from fuzzing import cases, fault_of_message, fuzz
from mangling import garble, mangle, noise, odd_value

from simcore.judge import judge

GAMES = 12
"""Games that are damaged, under rules of all kinds."""


def make(rng: random.Random) -> bytes:
    """Return a file."""
    lines = sample(rng.randrange(GAMES))
    kind = rng.randrange(10)
    if kind == 0:
        return noise(rng) + (as_bytes(lines) if rng.random() < 0.5 else b"")
    if kind == 1:
        return as_bytes(lines) + as_bytes(sample(rng.randrange(GAMES)))
    if kind < 4:
        return garble(rng, as_bytes(lines))
    # A line in the first few is reached by the judge more often than any.
    at = min(rng.randrange(len(lines)), rng.randrange(len(lines)), rng.randrange(len(lines)))
    bad: Lines = list(lines)
    if kind == 4:
        bad[0] = mangle(rng, bad[0])
    elif kind == 5:
        bad[0] = {**bad[0], "rules": mangle(rng, bad[0]["rules"])}
    elif kind == 6:
        bad[at] = {**bad[at], rng.choice(list(bad[at])): odd_value(rng)}
    elif kind == 7:
        bad[at] = {**bad[at], "do": rng.choice(lines)["do"]}
    elif kind == 8:
        other = rng.randrange(len(bad))
        bad[at], bad[other] = bad[other], bad[at]
    else:
        bad[at] = mangle(rng, bad[at])
    return b"".join(_line(event) for event in bad)


def _line(event: object) -> bytes:
    try:
        return json.dumps(event, default=str).encode() + b"\n"
    except ValueError:  # more digits than Python writes
        return b'{"do": ' + b"9" * 5000 + b"}\n"


@cases(500, 20_000)
def test_transcripts(count: int) -> None:
    def call(case: bytes) -> None:
        """Raise ValueError with the first finding, so that it counts as a refusal."""
        findings = list(judge(io.BytesIO(case)))
        assert findings
        for finding in findings:
            if finding is not None:
                fault = fault_of_message(str(finding), str(case), r"\((rules \d+|transcript)")
                assert not fault, fault
        if any(findings):
            raise ValueError("bad")

    fuzz("transcripts", count, make, call)
