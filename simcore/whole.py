"""Records copied and compared whole, padding included, as one piece of memory.

Of `to[0] = record` numba makes two thousand steps of a byte; by loops over the fields a table took
twice as long.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

_make: Any = cgutils  # numba has no types for what is used of these
_generated: Any = extending.intrinsic
_compiled: Any = extending.overload
_WORD, _ADDRESS = ir.IntType(64), ir.IntType(8).as_pointer()
_FLAGS = {"jit_options": {"forceinline": True, "_nrt": False}, "strict": False}


def copy_record(to: Any, record: Any) -> None:
    """Make a record equal to another of its type. Modifies `to`."""
    for name in record.dtype.names:
        to[name] = record[name]


def same_record(one: Any, other: Any) -> bool:
    """Return whether two records of a type are equal."""
    return all(bool((one[name] == other[name]).all()) for name in one.dtype.names)


@_generated
def _move_bytes(context: Any, to: types.Record, record: types.Record) -> Any:
    """Copy the memory of a record. Unchecked."""

    def generate(context: Any, builder: Any, signature: Any, records: Any) -> Any:
        _make.raw_memcpy(builder, *records, ir.Constant(_WORD, record.size), 1)
        return context.get_dummy_value()

    return types.void(to, record), generate


@_generated
def _compare_bytes(context: Any, one: types.Record, other: types.Record) -> Any:
    """Return 0 if the memory of two records is equal: memcmp of the C library. Unchecked."""

    def generate(context: Any, builder: Any, signature: Any, records: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [_ADDRESS, _ADDRESS, _WORD])
        compare = _make.get_or_insert_function(builder.module, kind, "memcmp")
        starts = [builder.bitcast(record, _ADDRESS) for record in records]
        return builder.call(compare, [*starts, ir.Constant(_WORD, one.size)])

    return types.int32(one, other), generate


@_compiled(copy_record, **_FLAGS)
def _compiled_copy(to: Any, record: Any) -> Callable[..., None]:
    return lambda to, record: _move_bytes(to, record)


@_compiled(same_record, **_FLAGS)
def _compiled_same(one: Any, other: Any) -> Callable[..., bool]:
    return lambda one, other: _compare_bytes(one, other) == 0
