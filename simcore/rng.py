"""Random streams that are pure functions of what they are for.

SplitMix64 (Steele, Lea, Flood 2014): a stream is one uint64 that steps by a constant, and its
values are a bijective mix of it. A stream's start is a mix of (seed, deal, purpose, seat), so no
two purposes share one, and no order of work can change a value.

A bot sees its stream, so the start of that is one-way: no bot can work back from it to the stream
of the deal, and so to hidden cards. It can still try every small seed until one gives its stream:
games can be repeated because the seed is all there is to know, and that is no secret.

All functions take uint64 and expect a stream as a uint64 array of length 1, which they advance;
they check nothing. In plain Python (no compilation) the wrap-around warns of overflow.
"""

import numpy as np
import numpy.typing as npt

from simcore.jit import Int, kernel

Stream = npt.NDArray[np.uint64]
"""uint64[1], advanced by each draw."""

DEAL, RESHUFFLE, BOT, SLIP, LAYOUT, INTERVENTION = map(np.int64, range(1, 7))
"""What a stream is for; part of what a seed means: do not renumber."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U30, _U27, _U31, _U32, _U11 = (np.uint64(n) for n in (30, 27, 31, 32, 11))
_LOW = np.uint64(0xFFFFFFFF)
_UNIT = 2.0**-53


@kernel
def mix(z: np.uint64) -> np.uint64:
    """Return SplitMix64's output function of a uint64."""
    z = (z ^ (z >> _U30)) * _MIX1
    z = (z ^ (z >> _U27)) * _MIX2
    return z ^ (z >> _U31)


@kernel
def stream_start(seed: Int, deal: Int, purpose: Int, number: Int) -> np.uint64:
    """Return the start of the stream for (seed, deal, purpose, number), each below 2^63."""
    z = mix(np.uint64(seed) + _STEP)
    z = mix(z ^ (np.uint64(deal) * _STEP + _MIX1))
    return mix(z ^ (np.uint64(purpose) * _MIX2 + np.uint64(number) * _STEP))


@kernel
def bot_stream_start(seed: Int, deal: Int, seat: Int) -> np.uint64:
    """Return the start of the stream that the bot of a seat is given; it cannot be undone.

    The feed-forward of Davies and Meyer: a permutation plus what went in. Anybody can undo the
    permutation, but not without knowing what went in. It is four mixes, as of a single one enough
    bits might be guessed. Any two starts are equal with chance 2^-64, as any two random words.
    """
    start = stream_start(seed, deal, BOT, seat)
    z = start
    for _ in range(4):
        z = mix(z + _STEP)
    return z + start


@kernel
def next64(stream: Stream) -> np.uint64:
    """Return the stream's next 64 bits."""
    stream[0] += _STEP
    return mix(stream[0])


@kernel
def below(stream: Stream, n: Int) -> Int:
    """Return an int64 drawn uniformly from 0 to n - 1, for n of at most 2^31.

    Multiply and shift (Lemire 2019) without rejection: the bias is below n / 2^32.
    """
    return _scaled(next64(stream) >> _U32, n)


@kernel
def _scaled(bits: np.uint64, n: Int) -> Int:
    """Return the int64 in 0 to n - 1 at which 32 bits stand."""
    return np.int64((bits * np.uint64(n)) >> _U32)


@kernel
def unit(stream: Stream) -> np.float64:
    """Return a float64 drawn uniformly from [0, 1)."""
    return np.float64(next64(stream) >> _U11) * _UNIT


@kernel
def shuffle(stream: Stream, items: npt.NDArray[np.uint8], start: Int, stop: Int) -> None:
    """Shuffle `items[start:stop]` in place (Fisher and Yates), two draws to 64 bits."""
    for i in range(stop - 1, start, -2):
        bits = next64(stream)
        j = start + _scaled(bits >> _U32, i - start + 1)
        items[i], items[j] = items[j], items[i]
        # After the last swap of an even number of items this one is of the first with itself.
        j = start + _scaled(bits & _LOW, i - start)
        items[i - 1], items[j] = items[j], items[i - 1]
