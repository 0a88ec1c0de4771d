"""From the rows that kernels wrote to tables: every column, its type and its meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from simcore.board import CORNERS, DIRECTIONS, SPACE_NAMES, lines
from simcore.cards import ONE_EYED
from simcore.plan import Chunk, Plan
from simcore.records import REASONS
from simcore.rules import Rules

Array = npt.NDArray[Any]
Tables = Mapping[str, pa.Table]
"""A table for each key of COLUMNS."""

PURPOSES = ("completes", "blocks", "builds", "removes", "other", "held")
KINDS = ("two-eyed", "one-eyed")
CORNER_NAMES = (*(SPACE_NAMES[space] for space in CORNERS), "none")

_GAME = {
    "game": "number of the game in the run, from 0",
    "deal": "number of the deal, which the games of one design share, from 0",
}
_SEAT = "seat from 0, clockwise (rules 1.3)"
_TURN = "turn of the game, the first is 1; a pass counts (rules 10.3)"

COLUMNS: dict[str, dict[str, str]] = {
    "games": {
        **_GAME,
        "seating": "number of the game within its deal, from 0",
        "first_seat": "seat that moved first (rules 4.1)",
        "winner": "team that won, -1 if drawn (rules 8.5)",
        "reason": "what ended it: sequences (rules 8.5), stalemate (10.2) or max_turns (10.3)",
        "turns": "turns played, passes included (rules 10.3)",
        "reshuffles": "times the discards became the pile again (rules 10.1)",
    },
    "seats": {
        **_GAME,
        "seat": _SEAT,
        "team": "team of the seat, seat modulo teams (rules 1.3)",
        "place": "place in the turn order, 0 moved first (rules 4.1)",
        "strategy": "strategy of the seat, with parameters that differ from their defaults",
        "score": "1 if the team won, 1/teams if drawn, else 0",
        "opening_two_eyed": "two-eyed jacks in the hand dealt (rules 3.3)",
        "opening_one_eyed": "one-eyed jacks in the hand dealt (rules 3.3)",
        "drawn_two_eyed": "two-eyed jacks drawn after the deal, for exchanges too (rules 5.1, 7.2)",
        "drawn_one_eyed": "one-eyed jacks drawn after the deal, for exchanges too (rules 5.1, 7.2)",
        "played_two_eyed": "two-eyed jacks played (rules 6.2)",
        "played_one_eyed": "one-eyed jacks played (rules 6.3)",
        "exchanges": "dead cards exchanged (rules 7.2)",
        "passes": "turns without a playable card (rules 5.2)",
        "forgets": "draws forgotten (rules 9.1)",
        "forfeits": "cards given up for table talk (rules 9.2)",
    },
    "sequences": {
        **_GAME,
        "team": "team that scored it (rules 8.1)",
        "seat": "seat whose play completed it (rules 8.3)",
        "strategy": "strategy of that seat",
        "turn": _TURN,
        "line": "number of the line, from 0 (rules 8.3)",
        "direction": "across, down, down-right or down-left",
        "corner": "free corner on the line, or none (rules 8.1)",
        "shared": "spaces in common with the team's earlier sequences (rules 8.2)",
        "winning": "whether the play that scored it won the game (rules 8.5)",
    },
    "jacks": {
        **_GAME,
        "seat": _SEAT,
        "strategy": "strategy of the seat",
        "turn": f"{_TURN}; the last turn if held",
        "kind": "two-eyed or one-eyed (rules 3.1)",
        "purpose": "first that fits of completes (scores a sequence), blocks (takes the space or "
        "chip of an opponents' line with all but one filled), builds (raises an own line to all "
        "but one), removes, other; held if never played (rules 6.2, 6.3)",
    },
    "spaces": {
        "strategy": "strategy whose plays are counted",
        "space": "space of the board, A1 to J10 (rules 2)",
        "card": "card printed there, ** in corners (rules 2.1)",
        "placed": "chips the strategy placed there (rules 6.1, 6.2)",
        "removed": "chips the strategy removed there (rules 6.3)",
        "in_sequence": "sequences the strategy scored through the space (rules 8.1)",
        "in_winning_sequence": "those of them scored by the play that won (rules 8.5)",
        "games": "games with the strategy at the table",
    },
}
"""The columns of every table, in order, with their meaning. Counts are plain numbers."""


@dataclass
class Frames:
    """The five tables as pandas frames; names are categories."""

    games: pd.DataFrame
    seats: pd.DataFrame
    sequences: pd.DataFrame
    jacks: pd.DataFrame
    spaces: pd.DataFrame


def tables(chunk: Chunk, plan: Plan) -> dict[str, pa.Table]:
    """Return the five tables of a chunk, with the columns of COLUMNS in their order."""
    game = chunk.first_game + np.arange(len(chunk.games), dtype=np.int64)
    deal, seating = np.divmod(game, len(plan.seatings))
    columns = {
        "games": _games(chunk, game, deal, seating),
        "seats": _seats(chunk, plan, game, deal, seating),
        "sequences": _sequences(chunk, plan),
        "jacks": _jacks(chunk, plan),
        "spaces": _spaces(chunk, plan, seating),
    }
    return {name: _table(name, found) for name, found in columns.items()}


def _table(name: str, columns: dict[str, Any]) -> pa.Table:
    arrays = {column: pa.array(columns[column]) for column in COLUMNS[name]}
    fields = [
        pa.field(column, arrays[column].type, metadata={"meaning": meaning})
        for column, meaning in COLUMNS[name].items()
    ]
    return pa.table(list(arrays.values()), schema=pa.schema(fields))


def _coded(codes: Array, names: Sequence[str]) -> pa.DictionaryArray:
    """Return a column of names from their numbers, without making a text of each row."""
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), pa.array(names))


def _games(chunk: Chunk, game: Array, deal: Array, seating: Array) -> dict[str, Any]:
    rows = chunk.games
    return {
        "game": game,
        "deal": deal,
        "seating": seating.astype(np.uint16),
        "first_seat": rows["first_seat"],
        "winner": rows["winner"],
        "reason": _coded(rows["reason"], REASONS),
        "turns": rows["turns"],
        "reshuffles": rows["reshuffles"],
    }


def _seats(chunk: Chunk, plan: Plan, game: Array, deal: Array, seating: Array) -> dict[str, Any]:
    players, teams = plan.rules.players, plan.rules.teams
    seat = np.arange(players, dtype=np.uint8)
    team = seat % np.uint8(teams)
    place = (seat + np.uint8(players) - chunk.games["first_seat"][:, None]) % np.uint8(players)
    winner = chunk.games["winner"][:, None]
    score = np.where(winner < 0, np.float32(1 / teams), winner == team).astype(np.float32)
    count = _count_type(plan.rules)
    tally = {name: chunk.seats[name] for name in chunk.seats.dtype.names or ()}
    return {
        "game": np.repeat(game, players),
        "deal": np.repeat(deal, players),
        "seat": np.tile(seat, len(game)),
        "team": np.tile(team, len(game)),
        "place": place.ravel(),
        "strategy": _coded(plan.seatings[:, :players].astype(np.int8)[seating].ravel(), plan.names),
        "score": score.ravel(),
        **{k: v if v.dtype == np.uint8 else v.astype(count) for k, v in tally.items()},
    }


def _count_type(rules: Rules) -> type[np.uint16] | type[np.int32]:
    """Return the type that holds any count of a seat: draws for a play, a forfeit, exchanges."""
    exchanges = rules.dead_card_exchanges
    a_turn = 2 + (exchanges if exchanges >= 0 else rules.deck_size())
    return np.uint16 if rules.max_turns * a_turn < 2**16 else np.int32


def _sequences(chunk: Chunk, plan: Plan) -> dict[str, Any]:
    rows = chunk.sequences
    every = lines(plan.rules.line_length)
    return {
        **_rows_of(chunk.sequences, plan),
        "team": rows["team"],
        "line": rows["line"],
        "direction": _coded(every.direction[rows["line"]], DIRECTIONS),
        "corner": _coded(_corner_of(plan.rules)[rows["line"]], CORNER_NAMES),
        "shared": rows["shared"],
        "winning": rows["winning"].astype(np.bool_),
    }


def _corner_of(rules: Rules) -> Array:
    """Return by line the number of the free corner on it, or that of "none"; int8 (lines,)."""
    every = lines(rules.line_length).spaces
    corner = np.full(len(every), len(CORNERS), np.int8)
    for number, space in enumerate(CORNERS if rules.free_corners else ()):
        corner[(every == space).any(axis=1)] = number
    return corner


def _jacks(chunk: Chunk, plan: Plan) -> dict[str, Any]:
    rows = chunk.jacks
    return {
        **_rows_of(rows, plan),
        "kind": _coded(rows["kind"] == ONE_EYED, KINDS),
        "purpose": _coded(rows["purpose"], PURPOSES),
    }


def _rows_of(rows: Array, plan: Plan) -> dict[str, Any]:
    """Return the columns that sequences and jacks have in common."""
    game = np.ascontiguousarray(rows["game"])
    return {
        "game": game,
        "deal": game // len(plan.seatings),
        "seat": rows["seat"],
        "strategy": _coded(rows["bot"], plan.names),
        "turn": rows["turn"],
    }


def _spaces(chunk: Chunk, plan: Plan, seating: Array) -> dict[str, Any]:
    bots, spaces = len(plan.names), len(SPACE_NAMES)
    cards = [text for row in plan.board.rows() for text in row]
    kinds = sorted(set(cards))
    card = np.array([kinds.index(text) for text in cards])
    seatings = plan.seatings[:, : plan.rules.players, None]
    sits = (seatings == np.arange(bots)).any(axis=1)
    games = np.bincount(seating, minlength=len(plan.seatings)) @ sits
    sums = chunk.spaces[:bots].reshape(bots * spaces, -1)
    counted = ("placed", "removed", "in_sequence", "in_winning_sequence")
    return {
        "strategy": _coded(np.repeat(np.arange(bots), spaces), plan.names),
        "space": _coded(np.tile(np.arange(spaces), bots), SPACE_NAMES),
        "card": _coded(np.tile(card, bots), kinds),
        **{name: sums[:, number] for number, name in enumerate(counted)},
        "games": np.repeat(games.astype(np.int64), spaces),
    }


def join_table(name: str, parts: Sequence[pa.Table]) -> pa.Table:
    """Put the parts of the table `name` together, at least one, in the order given."""
    if name != "spaces":
        return pa.concat_tables(parts)
    # Every part has the same strategies and spaces, row by row; see `conform` for those read.
    whole = parts[0]
    for at, column in enumerate(whole.column_names):
        if not pa.types.is_dictionary(whole[column].type):
            total = sum(part[column].to_numpy() for part in parts)
            whole = whole.set_column(at, whole.field(at), pa.array(total))
    return whole


def to_frames(parts: Tables) -> Frames:
    """Return the tables as pandas frames, with categories for names."""
    return Frames(**{name: to_frame(parts[name]) for name in COLUMNS})


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Return one table as a pandas frame."""
    frame: pd.DataFrame = table.to_pandas()
    return frame


def conform(table: pa.Table, like: pa.Table) -> pa.Table:
    """Return a table read from a file with the types and the lists of names of `like`.

    `like` has no rows, but for those of spaces, which tell what names every row must have.
    ValueError says which column is missing, of another type, or holds what it may not.
    """
    if table.column_names != like.column_names:
        raise ValueError(f"columns are {table.column_names}; expected {like.column_names}")
    columns = []
    for name in like.column_names:
        column, wanted = table[name], like[name]
        if column.null_count:
            raise ValueError(f"column {name} has empty rows")
        if pa.types.is_dictionary(wanted.type):
            column = _recode(name, column, wanted.chunk(0).dictionary)
            if wanted.length() and not column.equals(wanted):
                raise ValueError(f"column {name} has other rows than every part has")
        elif column.type != wanted.type:
            raise ValueError(f"column {name} is {column.type}; expected {wanted.type}")
        columns.append(column)
    return pa.table(columns, schema=like.schema)


def _recode(name: str, column: pa.ChunkedArray, names: pa.Array) -> pa.ChunkedArray:
    if not pa.types.is_dictionary(column.type) or column.type.value_type != names.type:
        raise ValueError(f"column {name} is {column.type}; expected names")
    chunks = []
    for chunk in column.chunks:
        place = pc.index_in(chunk.dictionary, value_set=names)
        if place.null_count:
            unknown = chunk.dictionary.filter(place.is_null())[0].as_py()
            raise ValueError(f"column {name} holds {unknown!r}; expected {names.to_pylist()}")
        codes = place.cast(pa.int8()).take(chunk.indices)
        chunks.append(pa.DictionaryArray.from_arrays(codes, names))
    return pa.chunked_array(chunks, pa.dictionary(pa.int8(), names.type))
