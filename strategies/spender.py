"""`spender`: plays a jack whenever it brings more than a plain card.

Advice in print: a jack in hand wins nothing, so play it early and draw another card. Like
`balanced`, with costs of nothing: a jack is played as soon as it is worth more than the best plain
card. `hoarder` tests the opposite advice.
"""

from simcore.strategy import Bot
from strategies.hoarder import jack_costs, start
from strategies.lines import choose

BOT = Bot(
    "spender",
    "Plays a jack whenever it brings more than a plain card.",
    choose,
    parameters=jack_costs(0),
    start=start,
)
