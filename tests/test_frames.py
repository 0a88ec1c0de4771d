"""Tables of made-up records, against slow code that goes row by row."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from simcore.board import CORNERS, DIRECTIONS, SPACE_NAMES, lines, load_board
from simcore.cards import ONE_EYED, TWO_EYED
from simcore.frames import COLUMNS, conform, join_table, tables, to_frame, to_frames
from simcore.plan import Chunk, Plan
from simcore.records import GAME_ROW, JACK_ROW, SEAT_ROW, SEQUENCE_ROW
from simcore.rules import MAX_SEATS, Rules

PURPOSES = ["completes", "blocks", "builds", "removes", "other", "held"]


def make_plan(rules: Rules | None = None, names: tuple[str, ...] = ("greedy", "random")) -> Plan:
    """Two seatings a deal: the bots in turn from seat 0, and from seat 1."""
    rules = rules or Rules(players=4)
    seatings = np.zeros((2, MAX_SEATS), np.int64)
    for seating in range(2):
        for seat in range(rules.players):
            seatings[seating, seat] = (seat + seating) % len(names)
    return Plan(rules, load_board(rules.board), names, seatings, 7, "swap")


def make_chunk(plan: Plan, games: int, first_game: int = 0, seed: int = 0) -> Chunk:
    """Random records of every field, sequences and jacks in the order of games."""
    rng = np.random.default_rng(seed + first_game)
    rules = plan.rules
    g, s = np.zeros(games, GAME_ROW), np.zeros(games * rules.players, SEAT_ROW)
    g["winner"] = rng.integers(-1, rules.teams, games)
    g["reason"] = rng.integers(0, 3, games)
    g["first_seat"] = rng.integers(0, rules.players, games)
    g["turns"] = rng.integers(1, 1000, games)
    g["reshuffles"] = rng.integers(0, 3, games)
    for name in SEAT_ROW.names or ():
        s[name] = rng.integers(0, 9, len(s))
    q, j = np.zeros(2 * games, SEQUENCE_ROW), np.zeros(5 * games, JACK_ROW)
    for rows in (q, j):
        rows["game"] = first_game + np.sort(rng.integers(0, games, len(rows)))
        rows["turn"] = rng.integers(1, 1000, len(rows))
        rows["seat"] = rng.integers(0, rules.players, len(rows))
        rows["bot"] = rng.integers(0, len(plan.names), len(rows))
    q["team"] = q["seat"] % rules.teams
    q["line"] = rng.integers(0, len(lines(rules.line_length).spaces), len(q))
    q["shared"], q["winning"] = rng.integers(0, 2, len(q)), rng.integers(0, 2, len(q))
    j["kind"] = rng.choice([TWO_EYED, ONE_EYED], len(j))
    j["purpose"] = rng.integers(0, 6, len(j))
    return Chunk(first_game, g, s, q, j, rng.integers(0, 99, (MAX_SEATS, 100, 4)))


PLANS = [
    make_plan(),
    make_plan(Rules(players=2, free_corners=False, line_length=4)),
    make_plan(Rules(players=9, line_length=6, max_turns=40_000), ("a", "b", "c:x=1")),
]


@pytest.mark.parametrize("plan", PLANS)
def test_columns_are_those_documented_in_their_order(plan: Plan) -> None:
    found = tables(make_chunk(plan, 6), plan)
    assert list(found) == list(COLUMNS)
    for name, table in found.items():
        assert table.column_names == list(COLUMNS[name])
        for field in table.schema:
            assert field.metadata[b"meaning"].decode() == COLUMNS[name][field.name]


@pytest.mark.parametrize("plan", PLANS)
def test_games_and_seats_say_what_the_records_say(plan: Plan) -> None:
    chunk = make_chunk(plan, 30, first_game=40)
    frames = to_frames(tables(chunk, plan))
    players, teams = plan.rules.players, plan.rules.teams
    games, seats = frames.games.to_dict("records"), frames.seats.to_dict("records")
    assert (len(games), len(seats)) == (30, 30 * players)
    for i, row in enumerate(games):
        record = chunk.games[i]
        assert (row["game"], row["deal"], row["seating"]) == (40 + i, (40 + i) // 2, i % 2)
        assert row["reason"] == ["sequences", "stalemate", "max_turns"][record["reason"]]
        for name in ("first_seat", "winner", "turns", "reshuffles"):
            assert row[name] == record[name]
    for k, row in enumerate(seats):
        game, seat = games[k // players], k % players
        winner = game["winner"]
        assert (row["game"], row["deal"]) == (game["game"], game["deal"])
        assert (row["seat"], row["team"]) == (seat, seat % teams)
        assert (game["first_seat"] + row["place"]) % players == seat
        assert row["strategy"] == plan.names[plan.seatings[game["seating"], seat]]
        score = 1 / teams if winner == -1 else float(winner == seat % teams)
        assert row["score"] == pytest.approx(score)
        for name in SEAT_ROW.names or ():
            assert row[name] == chunk.seats[k][name]


@pytest.mark.parametrize("plan", PLANS)
def test_sequences_and_jacks_say_what_the_records_say(plan: Plan) -> None:
    chunk = make_chunk(plan, 200, first_game=10)
    frames = to_frames(tables(chunk, plan))
    every = lines(plan.rules.line_length)
    sequences, jacks = frames.sequences.to_dict("records"), frames.jacks.to_dict("records")
    assert (len(sequences), len(jacks)) == (400, 1000)
    for row, record in zip(sequences, chunk.sequences, strict=True):
        free = [s for s in every.spaces[record["line"]] if s in CORNERS and plan.rules.free_corners]
        assert row["corner"] == (SPACE_NAMES[free[0]] if free else "none")
        assert row["direction"] == DIRECTIONS[every.direction[record["line"]]]
        for name in ("team", "line", "shared", "winning"):
            assert row[name] == record[name]
    for row, record in zip(jacks, chunk.jacks, strict=True):
        assert row["kind"] == {TWO_EYED: "two-eyed", ONE_EYED: "one-eyed"}[record["kind"]]
        assert row["purpose"] == PURPOSES[record["purpose"]]
    records = [*chunk.sequences, *chunk.jacks]
    for row, record in zip([*sequences, *jacks], records, strict=True):
        assert row["deal"] == record["game"] // 2
        assert row["strategy"] == plan.names[record["bot"]]
        for name in ("game", "seat", "turn"):
            assert row[name] == record[name]


def test_spaces_hold_every_strategy_and_space_with_the_games_it_sat_in() -> None:
    names = ("a", "b", "c")
    plan = make_plan(Rules(players=2), names)  # seatings a-b and b-c
    chunk = make_chunk(plan, 7, first_game=1)
    rows = to_frames(tables(chunk, plan)).spaces.to_dict("records")
    printed = [card for row in plan.board.rows() for card in row]
    at = iter(rows)
    for bot, (name, games) in enumerate(zip(names, (3, 7, 4), strict=True)):
        for space in range(100):
            row = next(at)
            expected = [name, SPACE_NAMES[space], printed[space], *chunk.spaces[bot, space], games]
            assert list(row.values()) == expected
    assert next(at, None) is None


@pytest.mark.parametrize("plan", PLANS)
def test_parts_joined_equal_the_whole(plan: Plan) -> None:
    whole = make_chunk(plan, 10)
    players = plan.rules.players
    sums = np.random.default_rng(3).integers(0, 9, (3, MAX_SEATS, 100, 4))
    parts = []
    for number, (low, high) in enumerate([(0, 4), (4, 6), (6, 10)]):
        rows = [r[(r["game"] >= low) & (r["game"] < high)] for r in (whole.sequences, whole.jacks)]
        seats = whole.seats[low * players : high * players]
        part = Chunk(low, whole.games[low:high], seats, rows[0], rows[1], sums[number])
        parts.append(tables(part, plan))
    together = tables(whole._replace(spaces=sums.sum(0)), plan)
    joined = {name: join_table(name, [part[name] for part in parts]) for name in COLUMNS}
    for name, table in together.items():
        assert joined[name].schema == table.schema
        assert joined[name].combine_chunks().equals(table.combine_chunks())
        pd.testing.assert_frame_equal(to_frame(joined[name]), to_frame(table))


def test_types_are_decided_by_the_rules() -> None:
    def kind(**settings: object) -> str:
        plan = make_plan(Rules.from_settings({"players": 2, **settings}))
        seats = to_frame(tables(make_chunk(plan, 2), plan)["seats"])
        assert seats["opening_one_eyed"].dtype == "uint8"
        assert seats["score"].dtype == "float32"
        return str(seats["exchanges"].dtype)

    assert kind() == "uint16"
    assert kind(max_turns=40_000) == "int32"
    assert kind(dead_card_exchanges=-1) == "int32"


def test_names_are_listed_alike_whatever_the_rows() -> None:
    plan = make_plan()
    full = make_chunk(plan, 9)
    empty = full._replace(games=full.games[:0], seats=full.seats[:0], jacks=full.jacks[:0])
    for name in ("games", "seats", "jacks"):
        one, other = (to_frame(tables(chunk, plan)[name]) for chunk in (full, empty))
        assert len(other) == 0
        assert (one.dtypes == other.dtypes).all()


def test_strategies_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="allowed: every name once"):
        make_plan(names=("greedy", "greedy"))


def test_conform_restores_names_in_any_order_and_refuses_others() -> None:
    plan = make_plan()
    full = tables(make_chunk(plan, 9), plan)["games"]
    like = full.slice(0, 0)
    texts = full["reason"].cast(pa.string())
    at = full.column_names.index("reason")
    assert conform(full.set_column(at, "reason", texts.dictionary_encode()), like).equals(full)
    other = pa.array(["abandoned"] * 9).dictionary_encode()
    with pytest.raises(ValueError, match="reason holds 'abandoned'"):
        conform(full.set_column(at, "reason", other), like)
    with pytest.raises(ValueError, match="reason is string"):
        conform(full.set_column(at, "reason", texts), like)
    with pytest.raises(ValueError, match="turns is int64; expected int32"):
        conform(full.set_column(6, "turns", full["turns"].cast(pa.int64())), like)
    with pytest.raises(ValueError, match="turns has empty rows"):
        conform(full.set_column(6, "turns", pa.nulls(9, pa.int32())), like)
    with pytest.raises(ValueError, match="expected"):
        conform(full.drop_columns(["turns"]), like)
    spaces = tables(make_chunk(plan, 9), plan)["spaces"]
    with pytest.raises(ValueError, match="other rows"):
        conform(spaces.slice(1), spaces)
