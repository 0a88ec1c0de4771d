"""The chart of fairness against length and skill: every number once, beside nothing else's."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from analysis import style
from experiments.front import front_height, plot_front


@pytest.mark.parametrize("skill", [55.0, np.nan])
def test_numbers_and_names_cover_nothing(skill: float) -> None:
    table = pd.DataFrame(
        {
            "variant": [f"variant {n}" for n in range(5)],
            "size of advantage": [3.0, 3.001, 2.0, 1.0, 4.0],
            "turns": [42.6625, 42.66251, 42.664, 42.666, 42.665],
            "skill %": skill,
            "on the front": ["yes"] * 4 + ["no"],
        }
    )
    with mpl.rc_context(style.RC):
        picture, ax = style.figure(front_height(table), False, "Pareto")
        plot_front(table, ax)
        FigureCanvasAgg(picture).draw()
        numbers = [t for t in ax.texts if not t.get_text().startswith("on the front")]
        (names,) = [t for t in ax.texts if t not in numbers]
        assert [t.get_text() for t in numbers] == ["1, 2", "3", "4"]
        assert names.get_window_extent().y1 < ax.get_window_extent().y0
        assert names.get_window_extent().y0 >= 0
        below = ax.xaxis.get_label().get_window_extent()
        assert names.get_window_extent().y1 <= below.y0
        bars = [other for other in picture.axes if other is not ax]
        assert len(bars) == (0 if np.isnan(skill) else 1)
        for bar in bars:
            assert bar.yaxis.get_offset_text().get_text() == ""
            low, high = bar.get_ylim()
            assert high - low >= 1
