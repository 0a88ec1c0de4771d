"""How a run is cut for a cluster, and what travels."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from helpers import JIT

from simcore.packed import pack, unpack
from simcore.pieces import SECONDS, Pieces
from simcore.rules import Rules
from simcore.runner import Runner
from simcore.sent import received, sent
from simcore.simulation import cut, make_plan, play_deals
from simcore.strategy import StrategyError, find_strategy

THREADS = 3


@pytest.mark.parametrize("rate", [0.2, 30.0, 1000.0, 40_000.0])
@pytest.mark.parametrize(("games", "part_games"), [(3_000_000, None), (100_000, None), (999, 7)])
def test_every_deal_goes_out_once_in_pieces_of_seconds(
    rate: float, games: int, part_games: int | None
) -> None:
    """`rate` is in deals a second and thread."""
    parts = cut(games // 2, 2, part_games)
    pieces = Pieces(parts, 2)
    out, seconds, flying = [], [], []
    while (piece := pieces.next(THREADS)) is not None and len(out) < 20_000:
        assert piece.deals >= 1
        assert piece.whole or len(piece.parts) == 1
        assert piece.first_deal >= piece.parts[0].first_deal
        assert piece.first_deal + piece.deals <= piece.parts[-1].first_deal + piece.parts[-1].deals
        out.append(piece)
        seconds.append(piece.deals / rate)
        flying.append(piece)
        if len(flying) == 2 * THREADS:
            back = flying.pop(0)
            pieces.learn(back.deals, back.deals / rate)
    first = 0
    for piece in out:
        assert piece.first_deal == first
        first += piece.deals
    if len(out) < 20_000:
        assert first == games // 2
        assert pieces.left == 0
    assert max(seconds) <= max(1.5 * SECONDS, 16 / 2 / rate) + 1
    learnt = [s for s, piece in zip(seconds, out, strict=True) if s > 0 and piece is not out[-1]]
    if sum(seconds) > 20 * THREADS * SECONDS:  # or it is over before the sizes are learnt
        assert np.median(learnt) > SECONDS / 3


def test_a_chunk_comes_back_as_it_was() -> None:
    plan, made = make_plan(["random"], Rules(players=4, hand_size=4), 3)
    chunk = play_deals(Runner(plan, made), 5, 20 if JIT else 2, threading.Event())
    back = unpack(pack(chunk))
    assert back.first_game == chunk.first_game == 10
    for one, other in zip(back[1:], chunk[1:], strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype


def test_a_bot_of_a_file_that_is_sent(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "part.py").write_text("def first(moves):\n    return moves[0]\n")
    (tmp_path / "unused.py").write_text("secret = 1\n")
    file = tmp_path / "mine.py"
    file.write_text(
        "from simcore.kit import plays\n"
        "from package.part import first\n"
        "def choose(setting, table, seat, hand, own):\n"
        "    return first(plays(setting, table, seat, hand))\n"
    )
    strategy = find_strategy(f"{file}:choose:no_blocking=1")
    packet = sent(strategy)
    assert packet.source is not None
    assert set(packet.source.files) == {"mine.py", "package/part.py"}
    there = received(packet, str(tmp_path))
    assert (there.name, there.bars) == (strategy.name, strategy.bars)
    assert there.bot.name == f"{file}:choose"
    assert there.bot.source == strategy.bot.source
    assert there.bot.choose is not strategy.bot.choose
    assert received(packet).bot.choose is there.bot.choose  # compiled once
    file.write_text(file.read_text() + "# changed\n")
    with pytest.raises(StrategyError, match=r"mine\.py was changed while the run was started"):
        sent(strategy)


def test_a_file_that_would_lie_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose(setting, table, seat, hand, own):\n    return 0\n")
    packet = sent(find_strategy(f"{file}:choose"))
    assert packet.source is not None
    packet.source.files["../mine.py"] = b""  # type: ignore[index]
    with pytest.raises(StrategyError, match=r"'\.\./mine\.py'; allowed: beside it"):
        received(packet, str(tmp_path))
