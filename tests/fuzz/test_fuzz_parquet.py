"""Parquet parts of another schema, which run.json takes for its own, in processes of their own."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from fuzzing import cases, rng_of
from helpers import JIT
from mangling import TEXTS, garble, noise
from processes import Case, fuzz_processes
from test_fuzz_runs import runs, sealed

__all__ = ["runs"]

KINDS = ("tables", "tables", "tables", "summary", "experiment")
TYPES = (
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint64(), pa.float16(), pa.float32()),
    *(pa.float64(), pa.string(), pa.large_string(), pa.binary(), pa.bool_(), pa.date32()),
    *(pa.timestamp("ns"), pa.duration("s"), pa.decimal128(38, 3)),
    *(pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.int64())),
    *(pa.struct([("x", pa.int64())]), pa.null(), pa.uuid()),
)  # fmt: skip


def other(rng: random.Random, table: pa.Table) -> pa.Table:
    """Return a table of another schema, or with other rows."""
    at = rng.randrange(max(table.num_columns, 1))
    name, column = table.column_names[at], table.column(at)
    made: list[Callable[[], Any]] = [
        lambda: table.drop_columns([name]),
        lambda: table.rename_columns(["x" if n == name else n for n in table.column_names]),
        lambda: table.append_column(rng.choice(("x", name, "")), column),
        lambda: table.select(rng.sample(table.column_names, table.num_columns)),
        lambda: table.set_column(at, name, _typed(rng, column)),
        lambda: table.set_column(at, name, _typed(rng, column)),
        lambda: table.set_column(at, name, pc.if_else(_some(rng, len(column)), column, None)),
        lambda: table.set_column(at, name, pa.array([rng.choice(TEXTS)] * len(column))),
        lambda: table.set_column(at, name, pa.array([[{"x": 1}]] * len(column))),
        lambda: table.slice(0, rng.choice((0, 1, len(column) // 2))),
        lambda: pa.concat_tables([table, table]),
        lambda: table.take(rng.sample(range(len(column)), len(column))),
        lambda: table.select([]),
        lambda: table.replace_schema_metadata({b"pandas": b"{", b"ARROW:schema": b"x"}),
        lambda: table.set_column(at, name, column.dictionary_encode()),
    ]
    return rng.choice(made)()


def _typed(rng: random.Random, column: Any) -> Any:
    kind = rng.choice(TYPES)
    try:
        return column.cast(kind, safe=False)
    except (pa.ArrowException, ValueError):
        return pa.nulls(len(column), kind)


def _some(rng: random.Random, rows: int) -> pa.Array:
    return pa.array([rng.random() < 0.9 for _ in range(rows)])


def written(rng: random.Random, table: pa.Table) -> bytes:
    """Return a table as a file, in one of the ways there are."""
    sink = io.BytesIO()
    options: dict[str, Any] = {
        "compression": rng.choice(("none", "snappy", "gzip", "lz4", "brotli", "zstd")),
        "use_dictionary": rng.random() < 0.5,
        "row_group_size": rng.choice((1, 7, 1000)),
        "data_page_version": rng.choice(("1.0", "2.0")),
        "version": rng.choice(("1.0", "2.6")),
        "store_schema": rng.random() < 0.7,
    }
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def damage(rng: random.Random, folder: Path) -> str:
    """Put another file in the place of a part's, and let run.json agree; return what was done."""
    found = json.loads((folder / "run.json").read_text())
    part = rng.choice(found["parts"])
    if isinstance(part["sha256"], dict):
        name = rng.choice(list(part["sha256"]))
        file = folder / f"{name}/part-{part['number']:05d}.parquet"
    else:
        name, file = "", folder / f"arms/arm-{part['number']:05d}.parquet"
    before, kind, rows = file.read_bytes(), rng.randrange(10), None
    if kind == 0:
        data = rng.choice(
            (noise(rng), before[: rng.randrange(len(before))], before * 2, b"PAR1PAR1")
        )
    elif kind == 1:
        data = garble(rng, before)
    else:
        table = pq.read_table(io.BytesIO(before))
        try:
            for _ in range(rng.choice((0, 1, 1, 2))):
                table = other(rng, table)
            data, rows = written(rng, table), table.num_rows
        except (pa.ArrowException, ValueError, IndexError):  # what Parquet lacks
            data = b"PAR1"
    file.write_bytes(data)
    told = sha256(data).hexdigest()
    if name:
        part["sha256"][name] = told
        part["rows"][name] = part["rows"][name] if rows is None else rows
    else:
        part["sha256"] = told
    del found["checksum"]
    (folder / "run.json").write_bytes(sealed(found))
    return f"{file.relative_to(folder)}, {kind}"


@cases(4 if JIT else 2, 300)
@pytest.mark.skipif(not JIT, reason="a report plays games")
def test_parquet(count: int, runs: dict[str, Path], tmp_path: Path) -> None:
    def make(number: int, home: Path) -> Case:
        rng = rng_of("parquet", number)
        kind = rng.choice(KINDS)
        shutil.copytree(runs[kind], home / "run")
        told = f"{kind}: {damage(rng, home / 'run')}"
        if rng.random() < 0.2:
            return Case(("check", "run"), (0,), told)
        # A report of an experiment is made by its own command.
        again = ("tournament", "-s", "random", "-s", "greedy:no_blocking=1", "--games", "4")
        if kind == "experiment":
            return Case((*again, "--out", "run", "--resume", "--threads", "1"), (0, 2), told)
        return Case(("report", "run", "-q"), (0, 2), told)

    fuzz_processes("parquet", count, make, tmp_path)
