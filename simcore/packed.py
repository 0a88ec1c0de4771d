"""Chunks made small for a journey: a part that is cut travels twice."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from simcore.board import SPACES
from simcore.plan import Chunk
from simcore.records import GAME_ROW, JACK_ROW, SEAT_ROW, SEQUENCE_ROW
from simcore.rules import MAX_SEATS

_ROWS = (GAME_ROW, SEAT_ROW, SEQUENCE_ROW, JACK_ROW)
_SPACES = (MAX_SEATS, SPACES, 4)


class Packed(NamedTuple):
    """A chunk at a sixth of its size: bytes and compressed content of each array."""

    first_game: int
    arrays: tuple[tuple[int, bytes], ...]


def pack(chunk: Chunk) -> Packed:
    """Return a chunk packed."""
    raw = [np.ascontiguousarray(array).tobytes() for array in chunk[1:]]
    return Packed(
        chunk.first_game,
        tuple((len(data), pa.compress(data, codec="zstd", asbytes=True)) for data in raw),
    )


def unpack(packed: Packed) -> Chunk:
    """Return the chunk."""
    raw = [
        pa.decompress(data, decompressed_size=size, codec="zstd", asbytes=True)
        for size, data in packed.arrays
    ]
    rows = [np.frombuffer(data, kind) for data, kind in zip(raw[:-1], _ROWS, strict=True)]
    spaces = np.frombuffer(raw[-1], np.int64).reshape(_SPACES)
    return Chunk(packed.first_game, rows[0], rows[1], rows[2], rows[3], spaces)
