"""Which completed lines score (rules 8). The kernels are unchecked and change what they say."""

from typing import Any

import numpy as np

from simcore.jit import Int, int64, kernel
from simcore.setting import Setting
from simcore.table import Table, on_line


@kernel
def score_space(setting: Setting, table: Table, team: Int, space: Int) -> Int:
    """Score the lines that the team's new chip on `space` completes; return how many.

    Appends them to the team's `table.sequence` in line order, adds to `table.sequences`, marks
    their spaces in `table.scored` and takes newly protected chips from `table.removable`.
    """
    candidates, chosen, taken = table.scratch[0], table.scratch[1], table.scratch[2]
    n = _open_candidates(setting, table, team, space, candidates)
    if n == 0:
        return 0
    size = _largest_set(setting, candidates, n, taken, chosen)
    for i in range(size):
        line = candidates[chosen[i]]
        table.sequence[team, table.sequences[team]] = line
        table.sequences[team] += 1
        _protect(setting, table, team, line)
    return size


@kernel
def may_score(setting: Setting, table: Table, team: Int, line: Int) -> bool:
    """Return whether the line keeps rules 8.2 against the team's earlier sequences."""
    for i in range(table.sequences[team]):
        if setting.overlap[line, table.sequence[team, i]] > setting.shared_spaces:
            return False
    return True


@kernel
def _open_candidates(setting: Setting, table: Table, team: Int, space: Int, candidates: Any) -> Int:
    """Fill `candidates` with the full lines through the space that may score, in line order."""
    n = 0
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        if on_line(setting, table, team, line) == setting.line_length and may_score(
            setting, table, team, line
        ):
            candidates[n] = line
            n += 1
    return n


@kernel
def _largest_set(setting: Setting, candidates: Any, n: Int, taken: Any, best: Any) -> Int:
    """Fill `best` with the indices of the largest compatible set; return its size (rules 8.3).

    A depth-first search that tries to take a line before it tries to leave it meets sets of one
    size in the order in which their sorted numbers compare, so the first of the largest is kept.
    """
    size = 0
    best_size = 0
    at = 0
    while True:
        if at < n and size + n - at > best_size:
            if _fits(setting, candidates, taken, size, at):
                taken[size] = at
                size += 1
                if size > best_size:
                    best_size = size
                    for i in range(size):
                        best[i] = taken[i]
            at += 1
            continue
        if size == 0:
            return best_size
        size -= 1
        at = int64(taken[size]) + 1


@kernel
def _fits(setting: Setting, candidates: Any, taken: Any, size: Int, at: Int) -> bool:
    """Return whether candidate `at` shares few enough spaces with those taken (rules 8.2)."""
    for i in range(size):
        if setting.overlap[candidates[at], candidates[taken[i]]] > setting.shared_spaces:
            return False
    return True


@kernel
def _protect(setting: Setting, table: Table, team: Int, line: Int) -> None:
    """Mark the line's spaces as scored; protected chips are no longer removable (rules 6.3)."""
    bit = np.uint8(1 << team)
    for i in range(setting.line_length):
        space = setting.line[line, i]
        if setting.sequences_protected and not table.scored[space]:
            # Every chip on the line is the team's own, but a corner is no chip.
            if table.chip[space] == team + 1:
                table.removable[team] -= 1
        table.scored[space] |= bit
