"""How a good input is made a bad one: values of a structure, or bytes of a file."""

from __future__ import annotations

import copy
import datetime
import json
import math
import random
from collections.abc import Callable
from typing import Any

LONG = "x" * 20_000
TEXTS = (
    *("", " ", "x", "\x00", "\x1b[31mred\x1b[0m", "a\nb", "a\r\nb", "\u2028", "\u202e", "\ufeff"),
    *("\U0001f0a1", "ñ", "\x7f", "<script>alert(1)</script>", "%s%n", "{0}"),
    *("../../etc/passwd", "/dev/null", "true", "null", "nan", "1e999", "0x10", "-1", "standard"),
    *("random:-1", "random:" + "9" * 5000, "random:1", "random:9223372036854775808", LONG),
    *("a" * 300 + ".csv", "planner", "AH", "**", "A1", "/", "."),
    *("ValueError", "'", '"', "\\", "[", "]", "{", "cut", "swap", "none", "summary", "tables"),
)
NUMBERS: tuple[Any, ...] = (
    *(0, 1, 2, 3, -1, 7, 12, 99, 255, 256, 1000, 10**6, 10**12, -(10**6)),
    *(2**31, 2**31 - 1, 2**63, 2**63 - 1, -(2**63), 2**64, 10**30, 16**5000, -(16**5000)),
    *(0.0, -0.0, 0.5, 1.5, -1.5, 1e-320, 1e308, math.nan, math.inf, -math.inf),
)


def odd_value(rng: random.Random) -> Any:
    """Return a value that hardly ever fits."""
    made: list[Callable[[], Any]] = [
        lambda: rng.choice(TEXTS),
        lambda: rng.choice(NUMBERS),
        lambda: rng.choice((True, False, None)),
        lambda: rng.choice(([], {}, [[]], [{}], {"": {}}, {"name": "x"}, [1, "x", None])),
        lambda: datetime.date(2026, 1, 31),
        lambda: nested(rng, rng.choice((3, 30, 300))),
        lambda: [rng.choice(NUMBERS) for _ in range(rng.choice((1, 2, 3, 12, 13, 3000)))],
        lambda: [rng.choice(TEXTS) for _ in range(rng.choice((1, 2, 10)))],
        lambda: {rng.choice(TEXTS): rng.choice(NUMBERS) for _ in range(rng.choice((1, 3, 50)))},
    ]
    return rng.choices(made, (8, 8, 3, 2, 1, 1, 2, 1, 1))[0]()


def nested(rng: random.Random, depth: int) -> Any:
    """Return lists or objects that lie in each other."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if rng.random() < 0.5 else {"x": value}
    return value


def mangle(rng: random.Random, value: Any, times: int | None = None) -> Any:
    """Return a copy of lists and objects in which some places are otherwise."""
    found = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6)) if times is None else times):
        found = _mangle_once(rng, found)
    return found


def _mangle_once(rng: random.Random, value: Any) -> Any:
    places = _places(value)
    if not places:
        return value
    home, key = rng.choice(places)
    kind = rng.randrange(10)
    if kind < 5:
        home[key] = odd_value(rng)
    elif kind == 5:
        del home[key]
    elif kind == 6 and isinstance(home, dict):
        home[rng.choice((rng.choice(TEXTS), f"{key}x", str(key).upper()))] = home.pop(key)
    elif kind == 6:
        home.insert(key, copy.deepcopy(home[key]))
    elif kind == 7:
        other, there = rng.choice(places)
        home[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(home[key])
    elif kind == 8:
        home[key] = _near(rng, home[key])
    else:
        home[key] = rng.choice(([home[key]], {"x": home[key]}, inline(home[key])[:1000]))
    return value


def _near(rng: random.Random, value: Any) -> Any:
    """Return a value of the same type that is a little otherwise."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float) and abs(value) < 2**100:
        return value + rng.choice((-1, 1, 2, 0.5, -100, 100))
    if isinstance(value, str):
        at = rng.randint(0, len(value))
        return value[:at] + rng.choice(TEXTS)[:30] + value[at + rng.randint(0, 2) :]
    if isinstance(value, list):
        return rng.sample(value, len(value)) if rng.random() < 0.5 else value * 2
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place below a value, as the list or object and the key."""
    found: list[tuple[Any, Any]] = []
    around = [value]
    while around:
        home = around.pop()
        if isinstance(home, list | dict):
            keys = list(home) if isinstance(home, dict) else list(range(len(home)))
            found += [(home, key) for key in keys[:400]]
            around += [home[key] for key in keys[:400]]
    return found


TOKENS = (
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\r", b"\n"),
    *(b"[" * 3000, b"{" * 3000, b'{"x":' * 3000, b"x = " + b"[" * 2000, b"9" * 5000, b"1e999"),
    *(
        b"[" * 960 + b"]" * 960,
        b'{"x":' * 900 + b"1" + b"}" * 900,
        b"-",
        b"\t",
        b"a." * 400 + b"a = 1",
    ),
    *(b"a." * 2000 + b"a = 1", b"0x" + b"f" * 5000, b"nan", b"inf", b'"', b"'", b'"""', b"\\u0000"),
    *(b"\\ud800", b"\x1b[2J", b"=", b",", b":", b"#", b"null", b"true", b"Infinity", b"NaN", b" "),
)


def garble(rng: random.Random, data: bytes) -> bytes:
    """Return bytes of a file with some flipped, cut, doubled, inserted, or in another encoding."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = _garble_once(rng, data)
    return data


def _garble_once(rng: random.Random, data: bytes) -> bytes:
    at = rng.randint(0, len(data))
    end = min(len(data), at + rng.choice((1, 2, 5, 40, 400)))
    kind = rng.randrange(9)
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[end:]
    if kind == 2:
        return data[:end] + data[at:]
    if kind == 3:
        return data[:at]
    if kind == 4:
        return data[:at] + rng.randbytes(rng.choice((1, 3, 30))) + data[at:]
    if kind == 5:
        lines = data.splitlines(keepends=True)
        return b"".join(rng.sample(lines, len(lines)))
    if kind == 6 and rng.random() < 0.3:
        text = data.decode("utf-8", "replace")
        return text.encode(rng.choice(("utf-16", "utf-32", "latin-1", "utf-7")), "replace")
    return data[:at] + rng.choice(TOKENS) + data[at if rng.random() < 0.5 else end :]


def noise(rng: random.Random) -> bytes:
    """Return bytes that mean nothing."""
    if rng.random() < 0.3:
        return b"".join(rng.choice(TOKENS) for _ in range(rng.randint(0, 20)))
    return rng.randbytes(rng.choice((0, 1, 10, 1000)))


def toml(value: Any) -> str:
    """Return an object as TOML, all on one level; what TOML lacks becomes a text."""
    return "".join(f"{_key(key)} = {inline(each)}\n" for key, each in value.items())


def _key(key: Any) -> str:
    text = str(key)
    plain = text.isascii() and text.replace("_", "").replace("-", "").isalnum()
    return text if plain else inline(text)


def inline(value: Any) -> str:
    """Return a value as TOML has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < 10**40 else hex(abs(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    # JSON's quoted texts are TOML's, but for DEL.
    return json.dumps(str(value)).replace("\x7f", "\\u007f")
