"""What users give: files that cannot be read, values that cannot be shown, messages that end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import Seqlab

from experiments.variants import StudyError, parse_study
from simcore.board import LayoutError, load_board
from simcore.given import InputError, is_file, parse_toml, quoted, read_text
from simcore.rules import Rules, RulesError, read_settings
from simcore.strategy import StrategyError, find_strategy

DIGITS = "9" * 5000
HEX = f"0x{'f' * 5000}"
"""A whole number that TOML can give, and Python does not write in digits."""
DEEP = f"{'a.' * 3000}a = 1"
FACTORS = "[factors]\nhand_size = [6, 7]\n"


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_message_is_one_line_that_ends() -> None:
    error = InputError(f"x: {'given ' * 1000}\n\x1b[2J; allowed: y")
    assert str(error).startswith("x: given given")
    assert str(error).endswith("?[2J; allowed: y")
    assert len(str(error)) == 500


def test_a_command_line_of_any_length(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seqlab = Seqlab(monkeypatch, capsys)
    for words in (("x" * 9000,), ("verify", "x" * 9000), ("rules", "--players", "x" * 9000)):
        assert seqlab(*words) == 2
        assert seqlab.err.startswith("error: ")
        assert len(seqlab.err) <= len("error: \n") + 500


def test_values_that_cannot_be_shown() -> None:
    assert quoted("x" * 100) == f"'{'x' * 56}..."
    assert quoted(16**5000) == "a int too large to show"
    assert quoted(deep(100_000)) == "a list too large to show"
    assert quoted([50, 50]) == "[50, 50]"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for data, told in (
        (b"x" * 1_000_001, "more than 1,000,000 bytes"),
        (b"abc\xff", "no UTF-8 at byte 4"),
    ):
        file.write_bytes(data)
        with pytest.raises(InputError, match=told):
            read_text(file)
    for name in ("a\0b", "\ud800", "x" * 300):
        assert not is_file(Path(name))
        with pytest.raises(InputError, match=r"no file can have this name|File name too long"):
            read_text(Path(name))
    with pytest.raises(InputError, match="no regular file"):
        read_text(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"x = {DIGITS}", "a number of thousands of digits"),
        (f"x = {'[' * 3000}", "nested too deeply"),
        ("x = ", "Invalid value"),
    ],
)
def test_toml_that_is_none(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(text)
    for refuse in (
        lambda: parse_toml(text),
        lambda: read_settings(tmp_path / "f.toml"),
        lambda: find_strategy(f"planner@{tmp_path / 'f.toml'}"),
        lambda: parse_study(text, "f.toml"),
    ):
        with pytest.raises(InputError, match=told):
            refuse()


@pytest.mark.parametrize("text", [f"hand_size = {HEX}", f"hand_size.{DEEP}", f"chips = [{HEX}]"])
def test_rules_that_cannot_be_shown(text: str, tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(text)
    with pytest.raises(RulesError, match="too large to show"):
        Rules.from_settings(read_settings(tmp_path / "f.toml"))


@pytest.mark.parametrize("text", [f"no_blocking = {HEX}", f"no_blocking.{DEEP}"])
def test_parameters_that_cannot_be_shown(text: str, tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(text)
    with pytest.raises(StrategyError, match="too large to show is no number"):
        find_strategy(f"random@{tmp_path / 'f.toml'}")


def many(factors: int) -> str:
    rows = "".join(f"f{n} = [{{name = 'a'}}, {{name = 'b'}}]\n" for n in range(factors))
    return f'design = "full"\n[factors]\n{rows}'


@pytest.mark.parametrize(
    ("error", "call", "told"),
    [
        (LayoutError, lambda: load_board("x" * 300), "is no layout and no file"),
        (LayoutError, lambda: load_board(f"random:{DIGITS}"), "SEED from 0 to"),
        (
            StrategyError,
            lambda: find_strategy("x" * 300 + ".py:choose"),
            "no strategy 'choose': there is no file xx",
        ),
        (StrategyError, lambda: find_strategy(f"planner@{'x' * 300}"), "File name too long"),
        (StrategyError, lambda: find_strategy("planner@\0"), "no file can have this name"),
        (StudyError, lambda: parse_study(many(60), "s"), "1152921504606846976 variants"),
        (StudyError, lambda: parse_study(f"games = {HEX}\n{FACTORS}", "s"), "too large to show"),
        (StudyError, lambda: parse_study(f"title = {HEX}\n{FACTORS}", "s"), "too large to show"),
        (StudyError, lambda: parse_study(f"{FACTORS}chips = [{HEX}, 1]", "s"), "too large to show"),
        (StudyError, lambda: parse_study(f"{FACTORS}x = [{{name = {HEX}}}, 1]", "s"), "a text"),
        (StudyError, lambda: parse_study(f"{FACTORS}deck.{DEEP}", "s"), "at least 2 levels"),
    ],
)
def test_refused(error: type[InputError], call: Callable[[], object], told: str) -> None:
    with pytest.raises(error, match=told):
        call()


def test_a_large_study_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy that 625 variants have is looked for once."""
    asked: list[str] = []
    monkeypatch.setattr(
        "experiments.variants.find_strategy", lambda name: asked.append(name) or find_strategy(name)
    )
    levels = "hand_size = [1, 2, 3, 4, 5]\nmax_turns = [1, 2, 3, 4, 5]\n"
    more = "two_eyed_jacks = [0, 1, 2, 3, 4]\none_eyed_jacks = [0, 1, 2, 3, 4]\n"
    found = parse_study(f'design = "full"\nstrategy = "random"\n[factors]\n{levels}{more}', "s")
    assert len(found.variants) == 625
    assert len(asked) == 3
