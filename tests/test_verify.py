"""Files nobody vouches for, and the command that judges them."""

from __future__ import annotations

import io
import itertools
import json
import random
import subprocess
import sys
import tracemalloc
from dataclasses import asdict
from pathlib import Path
from typing import Any

import naive
import pytest
from damage import BOARD, Lines, as_bytes, changed, only, referee_game, verdicts, with_rules
from helpers import Seqlab
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simcore.judge import judge
from simcore.rules import Rules
from simcore.transcripts import MAX_LINE, SHAPES

# Lines.

ODD: tuple[Any, ...] = (None, True, 1.0, "x", "", [], {}, [[]], -1, 10**30, "2S\x1b[2J", "\ud800")


def test_wrong_values_are_found_on_their_line(rich: Lines) -> None:
    """Every key of every kind of event with values of all types, and without the key."""
    seen = set()
    for at, event in enumerate(rich):
        if event["do"] in seen:
            continue
        seen.add(event["do"])
        for key, odd in itertools.product(event, ODD):
            finding = verdicts(as_bytes([*rich[:at], event | {key: odd}, *rich[at + 1 :]]))[0]
            if event["do"] == "start" and key in ("seed", "deal", "game") and odd == 10**30:
                assert finding is None
                continue
            assert finding is not None, (event, key, odd)
            assert finding.line == at + 1
            wanted = {"do": (str,)} | SHAPES[event["do"]]
            if type(odd) not in wanted[key] or key == "do":
                assert finding.clause == "transcript"
        for key in event.keys() - {"do"}:
            less = {k: v for k, v in event.items() if k != key}
            finding = only(as_bytes([*rich[:at], less, *rich[at + 1 :]]))
            assert (finding.line, finding.clause) == (at + 1, "transcript")
            assert finding.message == f"{event['do']}: no {key}"
        finding = only(as_bytes([*rich[:at], event | {"why": 1}, *rich[at + 1 :]]))
        assert finding.message == f"{event['do']}: unknown key 'why'"
    assert seen == SHAPES.keys()


def test_findings_are_fit_for_a_terminal(rich: Lines) -> None:
    files = [with_rules(rich, chips=[1] * 10_000)]
    for text in ("\x1b]0;x\x07", "\u202e", "\n", "\ud800", "\x9b", "\u00e9", "x" * 100_000):
        for change in ({"do": text}, {text: 1}, {"card": text}, {"space": text}, {"turn": text}):
            line = rich[1] | {"do": "place", "card": "2S", "space": "A2"} | change
            files.append(as_bytes([rich[0], line]))
        files.append(with_rules(rich, deal=text))
        files.append(changed(rich, board=[["**", text, *BOARD[0][2:]], *BOARD[1:]]))
    for data in files:
        told = str(only(data))
        assert told.isascii()
        assert told.isprintable()
        assert len(told) < 400


DEEP = b'{"do": "place", "card": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", None),
        (b" \t\r", None),
        (b"{", "no JSON"),
        (b'{"turn": 1, "seat": 0, "do": "place", "ca', "no JSON"),
        (b"\x00\xff\xfe", "no UTF-8 at byte 2"),
        (b'{"do": "pa\xc3"}', "no UTF-8 at byte 11"),
        (b'{"do": "pass"} {"do": "pass"}', "more after the end"),
        (b'{"do": "pass"},', "more after the end"),
        (b"[]", "a list, not an object"),
        (b"null", "null, not an object"),
        (b"3", "a whole number, not an object"),
        (b'"start"', "a text, not an object"),
        (b"{}", "no do"),
        (b'{"do": "dance"}', "no event: do is 'dance'"),
        (b'{"do": ["pass"]}', "no event: do is a list"),
        (b'{"do": "pass", "do": "pass"}', "a key stands twice"),
        (b'{"do": "pass", "turn": NaN}', "no JSON: NaN"),
        (b'{"do": "pass", "turn": -Infinity}', "no JSON: -Infinity"),
        (b'{"do": "pass", "turn": ' + b"9" * 5000 + b"}", "a number of thousands of digits"),
        (b'{"do": "pass", "turn": 1e999, "seat": 0}', "turn is Infinity"),
        (DEEP, "nested too deeply"),
        (b"[" * 200_000, "nested too deeply"),
        (b"x" * (MAX_LINE + 10), "a line of more than 1,000,000 bytes"),
        (b" " * (MAX_LINE + 1) + b"{}", "a line of more than 1,000,000 bytes"),
        (b'{"do": "pass", "x": "' + b"y" * 3 * MAX_LINE + b'"}', "a line of more than"),
        (b"\xef\xbb\xbf{}", "no JSON"),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_a_bad_line_is_found_and_the_next_game_judged(
    rich: Lines, line: bytes, told: str | None
) -> None:
    """In the middle of a game, where blank lines are passed over; and so again after its end."""
    good = as_bytes(rich)
    split = good.splitlines(keepends=True)
    broken = b"".join([*split[:5], line, b"\n", *split[5:]])
    first, second, third = verdicts(broken + good + split[0])
    assert second is None
    assert third is not None
    assert third.line == 2 * len(split) + 3  # a long line counts once
    assert (first is None) == (told is None)
    if first is not None and told is not None:
        assert (first.game, first.header_game, first.line) == (1, 0, 6)
        assert told in first.message
        assert first.clause == "transcript"
    first, second = verdicts(good + line + b"\n" + good)
    assert second is None
    if told is not None:
        assert first is not None
        assert (first.game, first.line) == (1, len(split) + 1)
        assert "follows the end" in first.message


def test_rules_nested_too_deeply(rich: Lines) -> None:
    """Deep enough for the reader of JSON, and too deep to be told."""
    start = as_bytes(rich)
    for depth in range(50, 2000, 75):
        deep = b"[" * depth + b"]" * depth
        finding = only(start.replace(b'"chips": [50, 50, 35]', b'"chips": ' + deep))
        assert finding.line == 1


def test_ends_of_lines_and_a_byte_order_mark(rich: Lines) -> None:
    good = as_bytes(rich)
    assert verdicts(good.replace(b"\n", b"\r\n")) == [None]
    assert verdicts(b"\xef\xbb\xbf" + good) == [None]
    assert verdicts(b"\n\n" + good.rstrip()) == [None]
    assert verdicts(good.replace(b"\n", b"\n  \n\t") + b"\n\n") == [None]
    assert only(good.replace(b"\n", b"\r")).line == 1


def test_where_games_begin_and_end(rich: Lines) -> None:
    good, size = as_bytes(rich), len(rich)
    start = rich[0] | {"game": 7}

    def found(*parts: bytes) -> list[tuple[int, int | None, int] | None]:
        every = verdicts(b"".join(parts))
        return [None if f is None else (f.game, f.header_game, f.line) for f in every]

    # No game at all.
    assert found(b"") == found(b"\n \n")[:1] == [(1, None, 1)]
    assert "no game" in only(b"").message
    assert found(b"GIF89a\n\x00") == [(1, None, 1)]
    # A start line that is missing, that is cut, and that stands twice.
    assert found(as_bytes(rich[1:]), good) == [(1, None, 1), None]
    assert found(good, as_bytes(rich[1:]), good) == [(1, 0, size + 1), None]
    assert found(good, as_bytes(rich[:1])[:300] + b"\n", as_bytes(rich[1:]), good) == [
        None,
        (2, None, size + 1),
        None,
    ]
    assert found(as_bytes([start]), good) == [(1, 7, 2), None]
    assert found(b'{"do":"start", "do" : "start"}\n', good) == [(1, None, 1), None]
    # A game that breaks off, before another and at the end of the file.
    assert found(as_bytes(rich[:-1]), good) == [(1, 0, size), None]
    assert found(good, as_bytes([start, *rich[1:-1]])) == [None, (2, 7, 2 * size)]
    assert found(good, as_bytes([start])) == [None, (2, 7, size + 2)]
    assert found(good[:-9]) == [(1, 0, size)]
    # Play after the end is told once.
    assert found(good, as_bytes(rich[-3:]), good) == [(1, 0, size + 1), None]
    # A bad game is told once too.
    assert found(as_bytes([rich[0], *rich[3:], rich[2]])) == [(1, 0, 2)]


class Endless(io.RawIOBase):
    """A file of a great many bytes: a text over and over."""

    def __init__(self, text: bytes, size: int) -> None:
        self.text, self.left = text, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self.left, len(self.text))
        buffer[:size] = self.text[:size]
        self.left -= size
        return size


@pytest.mark.parametrize(
    ("text", "size", "most"),
    [
        (b"x" * 65536, 100_000_000, 8 * MAX_LINE),
        (b"{" * 65536, 100_000_000, 8 * MAX_LINE),
        (b"\n" * 65536, 1_000_000, MAX_LINE // 2),
        (b"\x00\xff\n" * 9999, 100_000, MAX_LINE // 20),
    ],
    ids=["a line", "braces", "blank lines", "garbage"],
)
def test_memory_is_bounded(text: bytes, size: int, most: int) -> None:
    tracemalloc.start()
    try:
        (finding,) = judge(io.BufferedReader(Endless(text, size)))
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
    assert finding is not None
    assert finding.game == 1


# Files at random.

ROOT = Path(__file__).resolve().parent.parent
SMALL = referee_game(Rules(players=2, max_turns=12), random.Random(1))

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from([*naive.SPACES[:20], *naive.PLAIN[:20], *naive.KINDS, *SHAPES]),
    st.integers(0, 3),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = sorted({key for shape in SHAPES.values() for key in shape} | {"do"})
EVENTS = st.one_of(
    st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=3)), VALUES, max_size=8),
    st.sampled_from(SMALL),
)


def check_findings(data: bytes) -> None:
    """Judge a file, which must not raise; every finding is of a line there is, or the next."""
    lines = data.count(b"\n") + 2
    last = 0
    for finding in verdicts(data):
        if finding is not None:
            assert last < finding.line <= lines
            assert str(finding).isprintable()
            assert str(finding).isascii()
            last = finding.line


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf")
def test_bytes_at_random(data: bytes) -> None:
    check_findings(data)
    check_findings(as_bytes(SMALL[:3]) + data)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(EVENTS, max_size=6), st.integers(0, len(SMALL)))
def test_objects_at_random(events: list[Any], at: int) -> None:
    check_findings(as_bytes([*SMALL[:at], *events, *SMALL[at:]]))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_changed_values_at_random(data: st.DataObject) -> None:
    """Another value somewhere in an event, inner lists and rules included."""
    lines = json.loads(json.dumps(SMALL))
    place = lines[data.draw(st.integers(0, len(lines) - 1))]
    key = data.draw(st.sampled_from(list(place)))
    while isinstance(place[key], list | dict) and place[key] and data.draw(st.booleans()):
        place = place[key]
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
    place[key] = data.draw(VALUES)
    check_findings(as_bytes(lines))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_changed_bytes_at_random(data: st.DataObject) -> None:
    good = as_bytes(SMALL)
    at = data.draw(st.integers(0, len(good)))
    cut = data.draw(st.integers(0, 30))
    check_findings(good[:at] + data.draw(st.binary(max_size=4)) + good[at + cut :])


# The command.


@pytest.fixture
def seqlab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Seqlab:
    """The command."""
    return Seqlab(monkeypatch, capsys)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return a file of two legal games, and one of three of which the second is bad."""
    good = as_bytes(SMALL)
    bad = as_bytes([SMALL[0] | {"game": 17}, *SMALL[1:-1], SMALL[-1] | {"winner": 1}])
    clean, mixed = tmp_path / "clean.jsonl", tmp_path / "mixed.jsonl"
    clean.write_bytes(good * 2)
    mixed.write_bytes(good + bad + good)
    return clean, mixed


def test_verify_tells_each_bad_game(seqlab: Seqlab, files: tuple[Path, Path]) -> None:
    clean, mixed = files
    assert seqlab("verify", clean) == 0
    assert (seqlab.out, seqlab.err) == ("2 games, all legal\n", "")
    assert seqlab("verify", clean, mixed) == 1
    first, tally = seqlab.out.splitlines()
    assert first == (
        f"{mixed}:{2 * len(SMALL)}: game 2 (number 17 in its run): "
        "end: winner is 1, not null (rules 10.3)"
    )
    assert tally == "1 of 5 games is bad"
    assert seqlab.err == ""
    assert seqlab("verify", mixed, mixed, "-q") == 1
    assert seqlab.out == f"{first}\n{first}\n"
    assert seqlab("verify", mixed, mixed) == 1
    assert seqlab.out.endswith("2 of 6 games are bad\n")
    assert seqlab("verify", clean, "-q") == 0
    assert seqlab.out == ""


def test_verify_in_json(seqlab: Seqlab, files: tuple[Path, Path]) -> None:
    clean, mixed = files
    assert seqlab("verify", clean, "--json") == 0
    assert json.loads(seqlab.out) == {"games": 2, "bad": 0, "findings": []}
    assert seqlab("verify", mixed, "--json") == 1
    finding = verdicts(mixed.read_bytes())[1]
    assert finding is not None
    told = [{"file": str(mixed), **asdict(finding)}]
    assert json.loads(seqlab.out) == {"games": 3, "bad": 1, "findings": told}


def test_verify_reads_standard_input(
    seqlab: Seqlab, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = io.TextIOWrapper(io.BytesIO(as_bytes(SMALL)))
    monkeypatch.setattr(sys, "stdin", one)
    assert seqlab("verify", "-") == 0
    assert seqlab.out == "1 game, legal\n"
    with files[1].open("rb") as stream:
        words = [sys.executable, "-m", "cli", "verify", "-"]
        done = subprocess.run(words, stdin=stream, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1
    assert done.stdout.startswith(f"-:{2 * len(SMALL)}: game 2")


def test_verify_of_no_file_is_one_line(seqlab: Seqlab, tmp_path: Path) -> None:
    for name in (tmp_path / "none.jsonl", tmp_path):
        assert seqlab("verify", name) == 2
        assert seqlab.out == ""
        assert seqlab.err == f"error: verify: {name} is no file that can be read\n"
    assert seqlab("verify") == 2
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert seqlab("verify", empty) == 1
    assert seqlab.out.startswith(f"{empty}:1: game 1: no game in the file (transcript)\n")


def test_verify_with_standard_input_closed(
    seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert seqlab("verify", "-") == 2
    assert seqlab("verify", tmp_path / ("x" * 5000)) == 2
    assert seqlab.err.startswith("error: verify: ")
    assert seqlab.err.count("\n") == 1
