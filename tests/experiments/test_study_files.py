"""What a study's file may say: every mistake is one line that says what, where and what instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranged import without_page
from helpers import Seqlab

from experiments.variants import (
    BASE,
    MOST,
    StudyError,
    parse_study,
    preset_text,
    presets,
    read_study,
)
from simcore.rules import Rules

FACTOR = "[factors]\nhand_size = [7, 6]\n"
MISTAKES: dict[str, tuple[str, str]] = {
    "no TOML": ("[factors", "f.toml is no TOML: "),
    "key twice": ("games = 5\ngames = 6\n" + FACTOR, "f.toml is no TOML: "),
    "unknown key": (
        "gamez = 5\n" + FACTOR,
        "f.toml: 'gamez'; allowed: title, strategy, strong, weak, design, games, jacks, rules, fac",
    ),
    "no factors": ("title = 'x'", "f.toml: no factors; allowed: at least one, as [factors] with"),
    "empty factors": ("[factors]", "f.toml: no factors; allowed: at least one, as [factors] with"),
    "factors no table": ("factors = 5", "f.toml: factors: 5; allowed: a table"),
    "unknown field": (
        "[factors]\nhand_sise = [7, 6]",
        "f.toml: factor 'hand_sise' has 7; allowed: tables of rules, or as a name board, chips, ",
    ),
    "field in a level": (
        "[factors]\nhands = [{name = 'a'}, {name = 'b', hand_sise = 5}]",
        "f.toml: hands: 'hand_sise'; allowed: board, chips, ",
    ),
    "field in the rules": (
        "[rules]\nhand_sise = 5\n" + FACTOR,
        "f.toml: base: rules: no field 'hand_sise'; allowed: players, ",
    ),
    "no list": (
        "[factors]\nhand_size = 7",
        "f.toml: hand_size: 7; allowed: a list of at least 2 levels",
    ),
    "one level": ("[factors]\nhand_size = [7]", "f.toml: hand_size: [7]; allowed: a list of at le"),
    "level twice": (
        "[factors]\nhand_size = [7, 6, 7]",
        "f.toml: hand_size: 7 twice; allowed: every level once",
    ),
    "name twice": (
        "[factors]\nx = [{name = 'a'}, {name = 'a', hand_size = 5}]",
        "f.toml: x: a twice; allowed: every level once",
    ),
    "bad value": (
        "[factors]\nhand_size = [7, 99]",
        "f.toml: hand_size=99: rules: hand_size is 99; allowed: 1 to 10",
    ),
    "bad type": (
        "[factors]\nhand_size = [7, 'six']",
        "f.toml: hand_size=six: rules: hand_size is 'six'; allowed: a whole number",
    ),
    "bad first": ("[factors]\nhand_size = [0, 7]", "f.toml: base: rules: hand_size is 0; allowed"),
    "date": (
        "[factors]\nhand_size = [7, 1979-05-27]",
        'f.toml: hand_size="1979-05-27": rules: hand_size is datetime.date(1979, 5, 27); allowed',
    ),
    "date in a level": (
        "[factors]\nx = [{name = 'a'}, {hand_size = 1979-05-27}]",
        'f.toml: x={"hand_size": "1979-05-27"}: rules: hand_size is datetime.date(1979, 5, 27); a',
    ),
    "infinite": (
        "[factors]\nforget_draw = [0.0, inf]",
        "f.toml: forget_draw=Infinity: rules: forget_draw is inf; allowed: 0 to 1",
    ),
    "no number": ("[factors]\nforget_draw = [0.0, nan]", "f.toml: forget_draw=NaN: rules: forget"),
    "bad rules": (
        "[rules]\nhand_size = 77\n[factors]\nfree_corners = [true, false]",
        "f.toml: base: rules: hand_size is 77; allowed: 1 to 10",
    ),
    "together": (
        "[factors]\nplayers = [2, 4]\nteams = [2, 3]",
        "f.toml: teams=3: rules: teams is 3; allowed: 2 with 2 players",
    ),
    "layout": (
        "[factors]\nlayout = ['standard', 'round']",
        "f.toml: layout=round: board: 'round' is no layout and no file; allowed: standard, wedge, ",
    ),
    "strategy": (
        "[factors]\nstrategy = ['greedy', 'nobody']",
        "f.toml: strategy=nobody: no strategy 'nobody'; allowed: balanced, ",
    ),
    "strong": ("strong = 'nobody'\n" + FACTOR, "f.toml: strong: no strategy 'nobody'; allowed: "),
    "weak": (
        "weak = 'greedy:z=5'\n" + FACTOR,
        "f.toml: weak: greedy: no parameter 'z'; allowed: no_two_eyed, ",
    ),
    "design": (
        "design = 'half'\n" + FACTOR,
        "f.toml: design: 'half'; allowed: one-at-a-time, full",
    ),
    "games": ("games = 1\n" + FACTOR, "games: 1; allowed: 2 to 1000000000000"),
    "many games": (
        "games = 1000000000001\n" + FACTOR,
        "games: 1000000000001; allowed: 2 to 1000000000000",
    ),
    "games true": ("games = true\n" + FACTOR, "f.toml: games: True; allowed: a whole number"),
    "one field in two factors": (
        "[factors]\nhand_size = [7, 6]\nhouse = [{name = 'a'}, {name = 'b', hand_size = 5}]",
        "f.toml: hand_size and house both set hand_size; allowed: each field in one factor",
    ),
    "layout and board": (
        "[factors]\nlayout = ['standard', 'wedge']\nboard = ['standard', 'random:1']",
        "f.toml: layout and board both set board; allowed: each field in one factor",
    ),
    "name no text": (
        "[factors]\nx = [{name = 3}, {hand_size = 5}]",
        "f.toml: x: name 3; allowed: a text",
    ),
    "name a list": ("[factors]\nx = [{name = [1]}, {hand_size = 5}]", "f.toml: x: name [1]; allo"),
    "name empty": ("[factors]\nx = [{name = ' '}, {hand_size = 5}]", "f.toml: x: name ' '; allo"),
    "games text": ("games = '9'\n" + FACTOR, "f.toml: games: '9'; allowed: a whole number"),
    "jacks": ("jacks = 1\n" + FACTOR, "f.toml: jacks: 1; allowed: true or false"),
    "title": ("title = 5\n" + FACTOR, "f.toml: title: 5; allowed: a text"),
    "rules": ("rules = 5\n" + FACTOR, "f.toml: rules: 5; allowed: a table"),
    "too many": (
        "design = 'full'\n[factors]\n"
        f"hand_size = [1, 2, 3, 4, 5, 6, 7]\nmax_turns = {list(range(20, 340))}",
        f"f.toml: 2240 variants; allowed: at most {MOST}",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(seqlab: Seqlab, mistake: str) -> None:
    text, told = MISTAKES[mistake]
    Path("f.toml").write_text(text)
    assert seqlab("study", "f.toml") == 2
    assert seqlab.err.startswith(f"error: {told}"), seqlab.err
    assert seqlab.err.count("\n") == 1
    assert seqlab.out == ""
    assert not Path("runs").exists()


def test_words_of_the_command(seqlab: Seqlab) -> None:
    Path("f.toml").write_text(FACTOR)
    Path("latin").write_bytes(b"title = '\xe9'")
    for words, told in (
        ((), "study: give a FILE or --preset; presets: corners, "),
        (("f.toml", "--preset", "deal"), "study: give a FILE or --preset; presets: corners, "),
        (("none.toml",), "none.toml cannot be read: No such file or directory"),
        ((".",), ". cannot be read: no regular file"),
        (("latin",), "latin cannot be read: no UTF-8 at byte 10"),
        (("--preset", "nothing"), "preset: 'nothing'; allowed: corners, dead-cards, deal, "),
        (("--preset", "../sample"), "preset: '../sample'; allowed: corners, "),
        (("f.toml", "--games", "1"), "games: 1; allowed: 2 to 1000000000000"),
        (("f.toml", "--seed", "-1"), "seed: -1; allowed: 0 to "),
        (("f.toml", "--threads", "0"), "threads: 0; allowed: 1 to "),
        (("f.toml", "--resume"), "resume, overwrite: no folder given; allowed: with --out FOLDER"),
        (("--new", "f.toml"), "new: f.toml exists; allowed: a new file"),
    ):
        assert seqlab("study", *words) == 2, words
        assert seqlab.err.startswith(f"error: {told}"), seqlab.err
        assert seqlab.err.count("\n") == 1
    assert not Path("runs").exists()


def test_every_preset_is_a_study() -> None:
    wanted = {"fairness", "jacks", "corners", "deal", "dead-cards", "slips", "layouts"}
    assert wanted <= set(presets())
    for name in presets():
        study = parse_study(preset_text(name), name)
        assert study.title != name
        assert study.base.name == BASE
        names = [variant.name for variant in study.variants]
        assert len(names) == len(set(names))
        assert all(level for levels in study.factors.values() for level in levels)
    with pytest.raises(StudyError, match="preset: 'none'"):
        preset_text("none")


def test_presets_hold_what_they_promise() -> None:
    def told(name: str, field: str) -> set[object]:
        return {
            getattr(variant.rules, field)
            for variant in parse_study(preset_text(name), name).variants
        }

    assert told("jacks", "two_eyed_jacks") == set(range(9))
    assert told("jacks", "one_eyed_jacks") == set(range(9))
    assert told("jacks", "one_eyed_removes") == {"opponent", "any"}
    assert told("corners", "free_corners") == {True, False}
    assert {0, 1} <= told("corners", "shared_spaces")
    assert told("deal", "deal") == {"shuffled", "single_deck"}
    assert {0, 1, -1} <= told("dead-cards", "dead_card_exchanges")
    assert len(told("layouts", "board")) == 52
    assert len(told("fairness", "hand_size")) > 1
    assert {(), (0, 1)} <= told("fairness", "extra_cards")
    assert {1, 2} <= told("fairness", "sequences_to_win")
    assert {0.0} < told("slips", "forget_draw")


def test_the_sample_is_commented_and_plays(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    assert seqlab("study", "--new", "mine.toml") == 0
    assert seqlab.err == "mine.toml is written; play it with: seqlab study mine.toml\n"
    text = Path("mine.toml").read_text()
    assert text.count("#") > 5
    without_page(monkeypatch, "study_report")
    fast = text
    for name in ("planner", "tuned"):
        fast = fast.replace(f'"{name}"', '"greedy"')
    Path("fast.toml").write_text(fast)
    assert (
        read_study(Path("mine.toml")).factors.keys() == read_study(Path("fast.toml")).factors.keys()
    )
    assert seqlab("study", "fast.toml", "--games", 8, "--out", "a") == 0
    assert "fairer than the base" in seqlab.out


def test_what_a_file_says_is_what_is_played() -> None:
    study = parse_study(
        """
        title = "T"
        strategy = "greedy"
        strong = "balanced"
        weak = "random"
        games = 500
        jacks = false
        [rules]
        players = 4
        free_corners = false
        [factors]
        hand_size = [6, 5]
        layout = ["wedge", "random:3"]
        strategy = ["greedy", "balanced"]
        lean = [{name = "no", max_turns = 300}, {one_eyed_jacks = 0, two_eyed_jacks = 0}]
        """,
        "f.toml",
    )
    lean = '{"one_eyed_jacks": 0, "two_eyed_jacks": 0}'
    common = {"players": 4, "free_corners": False, "max_turns": 300}
    base = Rules(hand_size=6, board="wedge", **common)
    told = {variant.name: (variant.rules, variant.strategy.name) for variant in study.variants}
    assert told == {
        BASE: (base, "greedy"),
        "hand_size=5": (Rules(hand_size=5, board="wedge", **common), "greedy"),
        "layout=random:3": (Rules(hand_size=6, board="random:3", **common), "greedy"),
        "strategy=balanced": (base, "balanced"),
        f"lean={lean}": (
            Rules.from_settings(
                {**base.settings(), "max_turns": Rules().max_turns}
                | {"one_eyed_jacks": 0, "two_eyed_jacks": 0}
            ),
            "greedy",
        ),
    }
    assert (study.title, study.games, study.jacks) == ("T", 500, False)
    assert (study.strong.name, study.weak.name) == ("balanced", "random")
    full = parse_study(
        "design = 'full'\n[factors]\nhand_size = [7, 6]\nteams = [2, 3]\n[rules]\nplayers = 6\n",
        "f",
    )
    assert [variant.name for variant in full.variants] == [
        *(BASE, "teams=3", "hand_size=6", "hand_size=6, teams=3"),
    ]
    assert parse_study(FACTOR, "f", 99).games == 99


def test_a_factor_of_the_board_goes_before_the_rules() -> None:
    """`layout` and `board` are one field, whichever name is used where."""
    text = "[rules]\nlayout = 'wedge'\n[factors]\nboard = ['standard', 'random:1']\n"
    boards = [v.rules.board for v in parse_study(text, "f.toml").variants]
    assert boards == ["standard", "random:1"]


@pytest.mark.parametrize("games", ["'x'", "10.5", "true"])
def test_games_in_the_file_are_checked_where_others_stand_in(games: str) -> None:
    with pytest.raises(StudyError, match=r"f.toml: games: .*; allowed: a whole number"):
        parse_study(f"games = {games}\n{FACTOR}", "f.toml", games=50)


def test_what_is_no_file_is_not_read(tmp_path: Path, seqlab: Seqlab) -> None:
    """A device would be read for ever."""
    for file in (Path("/dev/zero"), tmp_path):
        with pytest.raises(StudyError, match="cannot be read: no regular file"):
            read_study(file)
    large = tmp_path / "large.toml"
    large.write_text("#" * 1_000_001)
    with pytest.raises(StudyError, match="cannot be read: more than 1,000,000 bytes"):
        read_study(large)
    assert seqlab("study", "--new", "nowhere/x.toml") == 2
    assert seqlab.err.startswith("error: new: nowhere/x.toml cannot be written: No such file")
