"""Transcripts as other programs write them: lines of a file nobody vouches for.

Files are read line by line, in the memory of one line however large they are. A line is taken for
an event if it is a JSON object with the keys of its kind, all of them and no other, each of the
right type; whether it may happen in its game is asked elsewhere. Line ends may be CR LF, a byte
order mark may open a file, and lines of nothing but white space are passed over: they tell nothing.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

Event = dict[str, Any]
"""A line of a transcript."""

FORMAT = "sequence-lab/1"

MAX_LINE = 1_000_000
"""Bytes of the longest line that is read; a header of twelve seats takes 3,000."""

Types = tuple[type, ...]

_WHOLE: Types = (int,)
_TEXT: Types = (str,)
_LIST: Types = (list,)
_SEAT = {"turn": _WHOLE, "seat": _WHOLE}
_CARD = {**_SEAT, "card": _TEXT}
SHAPES: dict[str, dict[str, Types]] = {
    "start": {
        "format": _TEXT,
        "rules": (dict,),
        "board": _LIST,
        "strategies": _LIST,
        "seed": _WHOLE,
        "deal": _WHOLE,
        "game": _WHOLE,
        "first_seat": _WHOLE,
        "hands": _LIST,
    },
    "exchange": _CARD,
    "place": {**_CARD, "space": _TEXT},
    "remove": {**_CARD, "space": _TEXT},
    "sequence": {**_SEAT, "spaces": _LIST},
    "reshuffle": {"turn": _WHOLE, "cards": _WHOLE},
    "draw": _CARD,
    "forget": _SEAT,
    "pass": _SEAT,
    "table_talk": {"turn": _WHOLE, "team": _WHOLE},
    "forfeit": _CARD,
    "end": {"winner": (int, type(None)), "reason": _TEXT, "turns": _WHOLE, "sequences": _LIST},
}
"""What each kind of event says beside `do`, and the types JSON may give it. No bool is an int."""

_KEYS = {do: shape.keys() | {"do"} for do, shape in SHAPES.items()}
_LISTS = {do: [k for k, types in shape.items() if types is _LIST] for do, shape in SHAPES.items()}
_ELEMENTS = {"spaces": str, "sequences": int, "strategies": str}
"""The type of all elements of a list."""

_NESTED = {"board": "lists of texts", "hands": "lists of texts"}
_WORDS = {int: "a whole number", str: "a text", list: "a list", dict: "an object"}
_WORDS |= {type(None): "null", bool: "true or false", float: "a number with a point"}

_START = re.compile(rb'"do"\s*:\s*"start"')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Breach(Exception):
    """A line that can not stand, with the clause it breaks: of the rules, or `transcript`."""

    def __init__(self, clause: str, message: str) -> None:
        self.clause = clause
        self.message = printable(message)
        super().__init__(f"{self.message} ({clause})")


def printable(text: str, most: int = 300) -> str:
    """Return a text, of files nobody vouches for too, that is fit for a terminal: short and tame.

    What is no printable ASCII, such as the start of a control sequence, becomes a question mark.
    """
    cut = text if len(text) <= most else text[: most - 3] + "..."
    return re.sub(r"[^ -~]", "?", cut)


def shown(value: Any) -> str:
    """Return what a line says at some place, in a few characters."""
    if isinstance(value, list | dict):
        return _WORDS[type(value)]
    text = ascii(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield number (from 1) and bytes of each line that says something.

    Of a line longer than MAX_LINE come the first MAX_LINE + 1 bytes; the rest is passed over.
    """
    number, read, limit = 0, stream.readline, MAX_LINE + 1
    while data := read(limit):
        number += 1
        end = data
        while len(end) == limit and not end.endswith(b"\n"):
            end = read(limit)
        if number == 1:
            data = data.removeprefix(_BYTE_ORDER_MARK)
        if len(data) > MAX_LINE or data.strip():
            yield number, data


def parse_event(data: bytes) -> Event:
    """Return the object on a line; raises Breach if there is none (transcript).

    Raises RecursionError where lists or objects lie deeper in each other than Python can follow.
    """
    if len(data) > MAX_LINE:
        raise Breach("transcript", f"a line of more than {MAX_LINE:,} bytes")
    try:
        text = data.decode().strip(" \t\r\n")
        value, end = _decode(text)
    except UnicodeDecodeError as error:
        raise Breach("transcript", f"no UTF-8 at byte {error.start + 1} of the line") from None
    except json.JSONDecodeError as error:
        raise Breach("transcript", f"no JSON: {error.msg} (column {error.colno})") from None
    except ValueError:
        raise Breach("transcript", "a number of thousands of digits") from None
    if end != len(text):
        raise Breach("transcript", f"no JSON: more after the end of a value (column {end + 1})")
    if type(value) is not dict:
        raise Breach("transcript", f"{_WORDS.get(type(value), 'a value')}, not an object")
    return value


def is_start(event: Event | None, data: bytes) -> bool:
    """Return whether a line begins a game; `event` is None for a line that could not be parsed."""
    return _START.search(data) is not None if event is None else event.get("do") == "start"


def check_shape(event: Event) -> str:
    """Return what happens in an event; raises Breach for wrong keys or types (transcript)."""
    do = event.get("do")
    if type(do) is not str or do not in SHAPES:
        raise Breach("transcript", f"no event: do is {shown(do)}" if "do" in event else "no do")
    if event.keys() != _KEYS[do]:
        raise _wrong_keys(do, event)
    for key, types in SHAPES[do].items():
        if type(event[key]) not in types:
            raise _wrong_type(do, key, event[key], " or ".join(_WORDS[each] for each in types))
    for key in _LISTS[do]:
        _check_list(do, key, event[key])
    return do


def _wrong_type(do: str, key: str, value: Any, wanted: str) -> Breach:
    return Breach("transcript", f"{do}: {key} is {shown(value)}; allowed: {wanted}")


def _check_list(do: str, key: str, values: list[Any]) -> None:
    if key in _NESTED:
        for inner in values:
            if type(inner) is not list or not all(type(text) is str for text in inner):
                raise _wrong_type(do, key, values, _NESTED[key])
    elif not all(type(value) is _ELEMENTS[key] for value in values):
        wrong = next(value for value in values if type(value) is not _ELEMENTS[key])
        raise _wrong_type(do, f"one of the {key}", wrong, _WORDS[_ELEMENTS[key]])


def _wrong_keys(do: str, event: Event) -> Breach:
    missing, unknown = sorted(_KEYS[do] - event.keys()), sorted(event.keys() - _KEYS[do])
    told = [f"no {missing[0]}"] if missing else []
    told += [f"unknown key {shown(unknown[0])}"] if unknown else []
    return Breach("transcript", f"{do}: {', '.join(told)}")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> Event:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Breach("transcript", "a key stands twice in an object")
    return found


def _no_constant(text: str) -> Any:
    raise Breach("transcript", f"no JSON: {text}")


_decode = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant).raw_decode
