"""Print how long `search` thinks about a move, and how many playouts it makes a second.

    python benchmarks/playouts.py [--playouts 200,400] [--games 20]

One thread, two players, `search` against itself, in seconds of the processor. Moves without choice
count as moves, and all that a move takes as playouts, so the figure is a lower bound.
"""

import argparse
import time

from simcore.rules import Rules
from simcore.runner import Runner
from simcore.simulation import make_plan


def main() -> None:
    """Print a line for each number of playouts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--playouts", default="200")
    parser.add_argument("--games", type=int, default=20)
    options = parser.parse_args()
    for playouts in options.playouts.split(","):
        runner = Runner(*make_plan([f"search:playouts={playouts}"], Rules()))
        runner.play(0, 1)
        started = time.process_time()
        turns = int(runner.play(0, options.games).games["turns"].sum())
        spent = time.process_time() - started
        rate = turns * int(playouts) / spent
        print(f"{playouts} playouts: {spent / turns * 1e3:.2f} ms a move, {rate:,.0f} a second")


if __name__ == "__main__":
    main()
