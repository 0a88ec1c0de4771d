"""Tables as Parquet, and the parts of a run as files."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simcore.manifest import part_name
from simcore.place import Place

if TYPE_CHECKING:
    import pyarrow as pa

# Rows are sorted by game, so differences take a bit or two where a dictionary of all values takes
# 27 bytes a game more (54 against 27) and twice the time. Level 6 saved 0.1 bytes, level 1 none.
_RISING = ("game", "deal", "turn", "turns")
_LEVEL = 3


def default_folder(command: str, seed: int) -> Path:
    """Return runs/COMMAND-SEED, with -2, -3, ... added if that exists."""
    base = Path("runs") / f"{command}-{seed}"
    folder, number = base, 1
    while os.path.lexists(folder):
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def write_part(
    place: Place, number: int, first_deal: int, deals: int, tables: Mapping[str, "pa.Table"]
) -> dict[str, Any]:
    """Write a part's tables; return what is entered of it in run.json."""
    entry, files = encode_part(number, first_deal, deals, tables)
    write_files(place, number, files)
    return entry


def encode_part(
    number: int, first_deal: int, deals: int, tables: Mapping[str, "pa.Table"]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what is entered of a part in run.json, and its files by table."""
    files = {name: encode_table(table) for name, table in tables.items()}
    entry = {
        "number": number,
        "first_deal": first_deal,
        "deals": deals,
        "rows": {name: table.num_rows for name, table in tables.items()},
        "sha256": {name: sha256(data).hexdigest() for name, data in files.items()},
    }
    return entry, files


def write_files(place: Place, number: int, files: Mapping[str, bytes]) -> None:
    """Write the files of a part."""
    for name, data in files.items():
        place.write(part_name(name, number), data)


def write_table(place: Place, name: str, table: "pa.Table") -> str:
    """Write a table as a file; return its SHA-256."""
    data = encode_table(table)
    place.write(name, data)
    return sha256(data).hexdigest()


def encode_table(table: "pa.Table") -> bytes:
    """Return a table as a Parquet file: the same bytes for the same table and pyarrow."""
    # Only here: half a second that would stand between the command and its first game.
    import pyarrow as pa
    import pyarrow.parquet as pq

    rising = [name for name in table.column_names if name in _RISING]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=[name for name in table.column_names if name not in rising],
        column_encoding=dict.fromkeys(rising, "DELTA_BINARY_PACKED"),
    )
    return bytes(sink.getvalue().to_pybytes())
