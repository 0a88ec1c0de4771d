"""Runs that keep a summary only: the sums of which a report is made."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import JIT, Seqlab, edit_manifest

from simcore import load
from simcore.place import StoreError
from simcore.sums import SCHEMA, checked, pack, unpack

GAMES = 400 if JIT else 20
WORDS = ("-s", "greedy", "-s", "random", "--games", GAMES, "-q")


def test_sums_come_back_as_they_were() -> None:
    sums = {
        "a": {
            "whole": np.arange(6, dtype=np.int64).reshape(2, 3),
            "real": np.array([[0.1], [np.inf]]),
            "number": np.array(7),
            "none": np.zeros((0, 4), np.int64),
        },
        "nothing": {},
        "b": {"large": np.array([2**62, -(2**62)])},
    }
    found = unpack(checked(pack(sums)))
    assert list(found) == list(sums)
    for group, arrays in sums.items():
        assert list(found[group]) == list(arrays)
        for name, array in arrays.items():
            assert found[group][name].dtype == array.dtype
            np.testing.assert_array_equal(found[group][name], array)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"group": None}, "no name, shape or values"),
        ({"whole": None}, "no name, shape or values"),
        ({"shape": [3]}, "cannot reshape"),
        ({"shape": [None]}, "a value is missing"),
        ({"whole": [None, 1]}, "a value is missing"),
    ],
)
def test_other_tables_are_refused(change: dict[str, object], told: str) -> None:
    row = {"group": "a", "name": "b", "shape": [2], "whole": [1, 2], "real": None}
    assert unpack(checked(pa.Table.from_pylist([row], SCHEMA)))["a"]["b"].tolist() == [1, 2]
    with pytest.raises(ValueError, match=told):
        checked(pa.Table.from_pylist([row | change], SCHEMA))
    with pytest.raises(ValueError, match="columns are"):
        checked(pa.table({"group": ["a"]}))


@pytest.mark.usefixtures("blank_pictures")
def test_a_report_of_sums_is_the_report_of_the_tables(seqlab: Seqlab, tmp_path: Path) -> None:
    assert seqlab("run", *WORDS, "--out", "tables") == 0
    told = seqlab.out
    assert seqlab("run", *WORDS, "--out", "sums", "--keep", "summary") == 0
    assert seqlab.out == told.replace("tables/report", "sums/report")
    files = sorted(p.relative_to("tables") for p in Path("tables/report").rglob("*.csv"))
    assert len(files) > 5
    for file in files:
        assert (tmp_path / "sums" / file).read_bytes() == (tmp_path / "tables" / file).read_bytes()
    assert sorted(p.name for p in Path("sums").iterdir()) == [
        *(".lock", "report", "run.json", "sums"),
    ]
    assert seqlab("check", "sums") == 0
    assert seqlab("replay", "sums", "--moves") == 0
    with pytest.raises(StoreError, match="the run keeps summary; allowed here: one that keeps t"):
        _ = load("sums").games
    with pytest.raises(StoreError, match="the run keeps tables; allowed here: one that keeps s"):
        list(load("tables").sums())


def test_sums_of_something_else_are_refused(seqlab: Seqlab, tmp_path: Path) -> None:
    assert seqlab("simulate", *WORDS, "--out", "sums", "--keep", "summary") == 0
    assert seqlab("simulate", *WORDS, "--out", "x", "--keep", "all") == 2
    assert seqlab.err == "error: keep: 'all'; allowed: tables, summary\n"
    file = tmp_path / "sums" / "sums" / "part-00000.parquet"
    table = pq.read_table(file)
    parts = load("sums").manifest["parts"]
    for other in (table.slice(0, 0), table.slice(1), table.drop_columns(["real"])):
        pq.write_table(other, file)
        parts[0]["sha256"]["sums"] = sha256(file.read_bytes()).hexdigest()
        parts[0]["rows"]["sums"] = other.num_rows
        edit_manifest(tmp_path / "sums" / "run.json", parts=parts)
        assert seqlab("report", "sums") == 2
        assert seqlab.err.count("\n") == 1


def test_sums_of_other_sources_are_not_added(seqlab: Seqlab, tmp_path: Path) -> None:
    """What makes them lies outside of what `source` is the hash of."""
    words = ("simulate", *WORDS, "--out", "sums", "--keep", "summary")
    assert seqlab(*words) == 0
    assert seqlab(*words, "--resume") == 0
    edit_manifest(tmp_path / "sums" / "run.json", keep_source="0123456789ab")
    assert seqlab(*words, "--resume") == 2
    assert seqlab.err.startswith('error: resume: sums has another keep_source: "0123456789ab", not')
