"""The bot's file that `seqlab new-strategy` writes."""

import shlex
from pathlib import Path

from simcore.strategy import MAX_MEMORY, StrategyError

TEMPLATE = '''"""A bot for sequence-lab. Try it:

    seqlab run -s {file}:choose -s balanced
    seqlab strategies {file}:choose --check
"""

from simcore.kit import Parameter, below, plays, worth

# Numbers that can be set: seqlab run -s {file}:choose:boldness=2
# They stand in own.params in this order.
PARAMETERS = (Parameter("boldness", 1, 0, 10, "how often the best play is made, 0: any play"),)


def choose(setting, table, seat, hand, own):
    """Plays where the lines are longest."""
    # hand holds the cards, table what everybody sees, setting the rules: all to be read only.
    # own is yours: own.params, own.memory ({memory} int64, for a game), own.stream (chance).
    moves = plays(setting, table, seat, hand)  # every legal play, at least one
    if own.params[0] < 1 and below(own.stream, 1000) >= 1000 * own.params[0]:
        return moves[below(own.stream, len(moves))]
    best, move = -1, -1
    for each in moves:
        value = worth(setting, table, seat, each)  # longer lines count more
        if value > best:
            best, move = value, each
    return move


# If you want to decide these too, write functions of the same arguments:
#   exchange  returns the slot of a dead card to exchange, or KEEP
#   forfeit   returns the slot of a card to give up for table talk
# and start(setting, params), which returns what own.memory holds when a game starts.
'''


def write_new_bot(path: Path) -> None:
    """Write a bot's file that plays; StrategyError if there is one already or it cannot be."""
    if path.suffix != ".py":
        raise StrategyError(f"{path}: no Python file; allowed: a name that ends in .py")
    told = path.as_posix()  # it stands in the file's text
    if not told.isprintable() or "\\" in told or '"' in told:
        raise StrategyError(f"{path}: allowed: a name without quotation marks and backslashes")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.format(file=shlex.quote(told), memory=MAX_MEMORY))
    except FileExistsError:
        raise StrategyError(f"{path} exists; allowed: the name of a new file") from None
    except OSError as error:
        raise StrategyError(f"{path} cannot be written: {error.strerror or error}") from None
