"""The helpers that a bot's file imports."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from helpers import JIT, Desk, scaled
from naive import lines

from simcore import Rules, simulate
from simcore.board import SPACES
from simcore.cards import CARDS
from simcore.contract import checks, failure
from simcore.kit import line_score, plays, slot_of, space_of, unseen, worth
from simcore.moves import is_legal
from simcore.strategy import find_bot
from simcore.table import OPEN

RULES = (
    Rules(players=2),
    Rules(players=3, line_length=4, one_eyed_removes="any"),
    Rules(players=6, teams=3, line_length=6, sequences_protected=False),
    Rules(players=2, free_corners=False, chips=(12, 12)),
)


def desks(rules: Rules) -> list[Desk]:
    """Return positions of games that were stopped after some turns."""
    found = []
    for turns in range(1, 110, max(4, 24 // scaled(24))):
        desk = Desk(rules)
        desk.setting.max_turns = turns
        desk.run(turns, 0, log=0)
        found.append(desk)
    return found


@pytest.mark.parametrize("rules", RULES)
def test_plays_are_all_legal_plays(rules: Rules) -> None:
    for desk in desks(rules)[:: 1 if JIT else 4]:
        for seat in range(rules.players):
            hand = desk.dealer.hands[seat, : desk.table.hand_size[seat]]
            team = seat % rules.teams
            legal = [
                (slot, space)
                for slot in range(len(hand))
                for space in range(SPACES)
                if is_legal(desk.setting, desk.table, team, hand, slot, space)
            ]
            found = plays(desk.setting, desk.table, seat, hand)
            assert sorted((int(slot_of(m)), int(space_of(m))) for m in found) == legal


@pytest.mark.parametrize("rules", RULES)
def test_line_score_counts_own_lines(rules: Rules) -> None:
    for desk in desks(rules)[:: 1 if JIT else 4]:
        chip = desk.table.chip
        free = np.array([c == 4 and rules.free_corners for c in chip])
        for team in range(rules.teams):
            mine, dead = free | (chip == team + 1), (chip == 4) & ~free
            foes = (chip != OPEN) & ~mine
            for space in range(SPACES):
                want = 0
                for line in lines(rules.line_length):
                    at = list(line)
                    if space in line and not (foes[at] | dead[at]).any():
                        want += 4 ** int(mine[[s for s in line if s != space]].sum())
                if chip[space] in (OPEN, team + 1):
                    assert line_score(desk.setting, desk.table, team, space) == want
    with pytest.raises(IndexError):
        line_score(desk.setting, desk.table, 0, 100)


def test_worth_is_the_owners_where_a_chip_is_taken() -> None:
    desk = desks(RULES[0])[-1]
    for space in range(SPACES):
        chip = int(desk.table.chip[space])
        if chip < 4:
            team = 0 if chip == OPEN else chip - 1
            got = worth(desk.setting, desk.table, 0, space)
            assert got == line_score(desk.setting, desk.table, team, space)


@pytest.mark.parametrize("rules", [*RULES, Rules(players=12, one_eyed_jacks=3, reshuffle=True)])
def test_unseen_cards_are_in_the_pile_or_in_other_hands(rules: Rules) -> None:
    """Before and after a reshuffle; what is in the pile is what the dealer has left."""
    reshuffled = False
    for turns in (1, 30, 90, 150, 400):
        desk = Desk(rules)
        desk.setting.max_turns, desk.setting.sequences_to_win = turns, 9
        desk.run(turns, 0, log=0)
        reshuffled |= bool(desk.table.reshuffles)
        dealer, table = desk.dealer, desk.table
        hidden = np.zeros(CARDS, int)
        for pack in range(2):
            if dealer.left[pack]:
                for seat in range(rules.players):
                    lane = dealer.lanes[pack, dealer.front[pack, seat] : dealer.end[pack, seat]]
                    np.add.at(hidden, lane, 1)
        assert hidden.sum() == table.pile
        for other in range(1, rules.players):
            np.add.at(hidden, dealer.hands[other, : table.hand_size[other]], 1)
        hand = dealer.hands[0, : table.hand_size[0]]
        found = [int(unseen(desk.setting, table, hand, card)) for card in range(CARDS)]
        assert found == hidden.tolist()
    assert reshuffled or rules != RULES[0]


def ten_lines() -> str:
    """Return the bot of the README."""
    text = (Path(__file__).parent.parent / "README.md").read_text()
    found = re.search(r"## Write your own bot.*?```python\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def test_the_readmes_bot_of_ten_lines(tmp_path: Path) -> None:
    code = ten_lines()
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    file = tmp_path / "ten.py"
    file.write_text(code)
    name = f"{file}:choose"
    seats = simulate([name, "random"], scaled(600), 1).seats
    score = seats.groupby("strategy", observed=True)["score"].mean()
    assert not JIT or score[name] > 0.9
    for _, check in checks(find_bot(name))[:: 4 if JIT else 30]:
        assert failure(check) == ""
