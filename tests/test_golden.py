"""Golden games are played as they were, and they are legal."""

from __future__ import annotations

import json

import golden
import naive
import pytest

from simcore.rules import Rules


@pytest.mark.parametrize(("name", "rules"), golden.cases().items(), ids=golden.cases())
def test_golden_game(name: str, rules: Rules) -> None:
    """If a change is meant, `python tests/golden.py` writes the files anew."""
    assert golden.text(name, rules) == (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    start, *events = json.loads(json.dumps(golden.events(rules)))
    naive.replay(start, events)


def test_no_golden_game_is_left_over() -> None:
    assert {file.stem for file in golden.FOLDER.iterdir()} == golden.cases().keys()
