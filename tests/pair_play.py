"""Made-up players: results of pairs drawn from known chances, many sequential tests at once."""

import numpy as np

from analysis.elo import score_of_elo
from analysis.pair_likelihood import fit, mean_is
from analysis.sequential import RESULTS, State

DRAWS = (0.1, 0.1, 0.45, 0.15, 0.2)
NO_DRAWS = (0.2, 0.0, 0.55, 0.0, 0.25)


def chances(elo, like=DRAWS):
    """Chances of five results with this Elo; results that `like` never has stay at 1e-9."""
    found = fit(1e6 * np.array(like), mean_is(score_of_elo(elo)))
    return found / found.sum()


def play_tests(test, chance, repeats, seed, chunk=64):
    """Run `repeats` tests that are looked at after every pair; return their states."""
    rng = np.random.default_rng(seed)
    counts, ratios = np.zeros((repeats, RESULTS), int), np.zeros(repeats)
    going, pairs = np.arange(repeats), 0
    while going.size and (test.max_pairs is None or pairs < test.max_pairs):
        length = chunk if test.max_pairs is None else min(chunk, test.max_pairs - pairs)
        pairs += length
        results = rng.choice(RESULTS, (going.size, length), p=chance)
        seen = counts[going, None] + np.eye(RESULTS, dtype=int)[results].cumsum(1)
        ratio = test.ratio(seen)
        out = (ratio >= test.upper) | (ratio <= test.lower)
        stops, rows = out.any(1), np.arange(going.size)
        last = np.where(stops, out.argmax(1), length - 1)
        counts[going], ratios[going] = seen[rows, last], ratio[rows, last]
        going = going[~stops]
    return [
        State(tuple(map(int, row)), float(ratio), test.verdict(float(ratio), int(row.sum())))
        for row, ratio in zip(counts, ratios, strict=True)
    ]
