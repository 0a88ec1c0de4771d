"""Sums as a table: what a run keeps of a part when it keeps a summary only.

Sums are arrays with names, in groups with names, that add up over parts.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Groups = Mapping[str, Mapping[str, Array]]

SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("name", pa.string()),
        ("shape", pa.list_(pa.int64())),
        ("whole", pa.list_(pa.int64())),
        ("real", pa.list_(pa.float64())),
    ]
)
"""A row an array: its values are `whole` numbers or `real` ones, the other list is missing."""


def pack(groups: Groups) -> pa.Table:
    """Return sums as a table of SCHEMA. Integers and booleans come back as int64."""
    rows = []
    for group, sums in groups.items():
        # A group without sums is a row without a name, so that it comes back.
        for name, array in (sums or {"": np.zeros(0, np.int64)}).items():
            real = np.issubdtype(array.dtype, np.floating)
            rows.append(
                {
                    "group": group,
                    "name": name,
                    "shape": list(array.shape),
                    "whole": None if real else array.astype(np.int64).ravel(),
                    "real": array.astype(np.float64).ravel() if real else None,
                }
            )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def checked(table: pa.Table) -> pa.Table:
    """Return a table that `pack` may have made; ValueError if it did not."""
    if not table.schema.equals(SCHEMA):
        raise ValueError(f"columns are {table.column_names}; expected {SCHEMA.names}")
    unpack(table)
    return table


def unpack(table: pa.Table) -> dict[str, dict[str, Array]]:
    """Return what `pack` was given; ValueError for sums without a name, values or their shape."""
    found: dict[str, dict[str, Array]] = {}
    for row in table.to_pylist():
        real = row["real"] is not None
        values = row["real"] if real else row["whole"]
        if any(item is None for item in (row["group"], row["name"], row["shape"], values)):
            raise ValueError("a sum has no name, shape or values")
        if None in values or None in row["shape"]:
            raise ValueError(f"{row['name']}: a value is missing")
        array = np.array(values, np.float64 if real else np.int64).reshape(row["shape"])
        group = found.setdefault(row["group"], {})
        if row["name"]:
            group[row["name"]] = array
    return found
