"""Which completed lines score (rules 8). The kernels are unchecked and change what they say."""

import numpy as np

from simcore.jit import Int, kernel
from simcore.setting import Setting
from simcore.table import Table, on_line


@kernel
def score_space(setting: Setting, table: Table, team: Int, space: Int) -> Int:
    """Score the lines that the team's new chip on `space` completes; return how many.

    Appends them to the team's `table.sequence` in line order, adds to `table.sequences`, marks
    their spaces in `table.scored` and takes newly protected chips from `table.removable`.

    To take each line that rules 8.2 leave, in line order, gives the first of the largest sets
    (rules 8.3) without a search. Lines of two directions share the space alone, so they hinder each
    other either never or, with `shared_spaces = 0`, always; and of one direction those fit together
    that start far enough apart, where to take the first never costs another.
    """
    before = table.sequences[team]
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        full = on_line(setting, table, team, line) == setting.line_length
        if full and may_score(setting, table, team, line):
            table.sequence[team, table.sequences[team]] = line
            table.sequences[team] += 1
            _protect(setting, table, team, line)
    return table.sequences[team] - before


@kernel
def may_score(setting: Setting, table: Table, team: Int, line: Int) -> bool:
    """Return whether the line keeps rules 8.2 against the team's earlier sequences."""
    for i in range(table.sequences[team]):
        if setting.overlap[line, table.sequence[team, i]] > setting.shared_spaces:
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
