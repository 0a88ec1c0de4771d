"""The deal: lanes as documented, in plain Python, and the law of what comes when."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import naive
import numpy as np
import pytest
from helpers import JIT, TABLES, Desk, scaled
from scipy import stats

from simcore.cards import CODES, NAMES
from simcore.dealer import NONE, can_draw, deal_hands, draw, shuffle_deal
from simcore.jit import kernel
from simcore.rng import BOT, DEAL, RESHUFFLE, bot_stream_start
from simcore.rules import Rules
from simcore.setting import SLOTS, Setting
from simcore.table import Table, clear_table

MASK = 2**64 - 1
STEP, MIX1, MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
HALF = SLOTS // 2


class SplitMix64:
    """The generator of Steele, Lea and Flood (2014) with Python's integers."""

    def __init__(self, state: int) -> None:
        self.state = state

    @staticmethod
    def mix(z: int) -> int:
        z = ((z ^ (z >> 30)) * MIX1) & MASK
        z = ((z ^ (z >> 27)) * MIX2) & MASK
        return z ^ (z >> 31)

    @classmethod
    def stream(cls, seed: int, deal: int, purpose: int, number: int) -> SplitMix64:
        z = cls.mix((seed + STEP) & MASK)
        z = cls.mix(z ^ ((deal * STEP + MIX1) & MASK))
        return cls(cls.mix(z ^ ((purpose * MIX2 + number * STEP) & MASK)))

    @classmethod
    def of_bot(cls, seed: int, deal: int, seat: int) -> SplitMix64:
        """The stream that a bot is given: four mixes of the usual start, and that added."""
        start = cls.stream(seed, deal, int(BOT), seat)
        z = start.state
        for _ in range(4):
            z = cls.mix((z + STEP) & MASK)
        return cls((z + start.state) & MASK)

    def next(self) -> int:
        self.state = (self.state + STEP) & MASK
        return self.mix(self.state)

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32

    def shuffled(self, items: Sequence[int]) -> list[int]:
        items, bits = list(items), 0
        for swaps, i in enumerate(range(len(items) - 1, 0, -1)):
            bits = bits if swaps % 2 else self.next()
            half = bits & 0xFFFFFFFF if swaps % 2 else bits >> 32
            j = (half * (i + 1)) >> 32
            items[i], items[j] = items[j], items[i]
        return items


class Lanes:
    """The dealer of simcore/dealer.py from its docstring, with lists."""

    def __init__(self, setting: Any, seed: int, deal: int) -> None:
        self.players = int(setting.players)
        self.slot_card = setting.slot_card.tolist()
        self.exists = [bool(here) for here in setting.slot_present]
        self.reshuffling = bool(setting.reshuffle)
        self.seed, self.deal, self.reshuffles = seed, deal, 0
        self.discards: Counter[int] = Counter()
        stream = SplitMix64.stream(seed, deal, int(DEAL), 0)
        if setting.single_deck:
            packs = [stream.shuffled(range(HALF)), stream.shuffled(range(HALF, SLOTS))]
        else:
            packs = [stream.shuffled(range(SLOTS))]
        self.packs = [self.lay(pack, self.exists) for pack in packs]
        self.cut = stream.below(self.players)

    def lay(self, order: list[int], here: list[bool]) -> list[list[int]]:
        """Return the lanes of a pack, by seat."""
        lanes: list[list[int]] = [[] for _ in range(self.players)]
        for number, slot in enumerate(order):
            if here[slot]:
                lanes[number % self.players].append(self.slot_card[slot])
        return lanes

    def cards(self) -> int:
        return sum(len(lane) for pack in self.packs for lane in pack)

    def draw(self, seat: int) -> int | None:
        """Return the seat's next card."""
        if not self.cards():
            if not self.reshuffling or not self.discards.total():
                return None
            self.reshuffle()
        while not any(self.packs[0]):
            del self.packs[0]
        pack = self.packs[0]
        if pack[seat]:
            return pack[seat].pop(0)
        after = [(seat + step) % self.players for step in range(1, self.players)]
        lender = max(after, key=lambda other: len(pack[other]))
        return pack[lender].pop()

    def reshuffle(self) -> None:
        self.reshuffles += 1
        here, rest = [], self.discards.copy()
        for slot, card in enumerate(self.slot_card):
            here.append(self.exists[slot] and rest[card] > 0)
            rest[card] -= here[-1]
        self.discards.clear()
        stream = SplitMix64.stream(self.seed, self.deal, int(RESHUFFLE), self.reshuffles)
        self.packs = [self.lay(stream.shuffled(range(SLOTS)), here)]


def opened(rules: Rules, seed: int, deal: int) -> Desk:
    """Return a desk with the deal done."""
    desk = Desk(rules)
    shuffle_deal(desk.setting, desk.dealer, seed, deal)
    first_seat = int(desk.dealer.first_seat)
    clear_table(desk.setting, desk.table, first_seat)
    deal_hands(desk.setting, desk.table, desk.dealer)
    return desk


def hands_of(desk: Desk) -> list[list[int]]:
    sizes = desk.table.hand_size
    return [desk.dealer.hands[s, : sizes[s]].tolist() for s in range(desk.rules.players)]


def test_generator_against_published_values() -> None:
    """The first values of state 1234567, from the reference implementation in C."""
    stream = SplitMix64(1234567)
    assert [stream.next() for _ in range(5)] == [
        *(6457827717110365317, 3203168211198807973, 9817491932198370423),
        *(4593380528125082431, 16408922859458223821),
    ]


def unmixed(z: int) -> int:
    """Undo SplitMix64.mix, as anybody can."""
    for shift, factor in ((31, MIX2), (27, MIX1), (30, 1)):
        z = (z ^ (z >> shift) ^ (z >> 2 * shift)) * pow(factor, -1, 2**64) & MASK
    return z


def test_a_bot_cannot_work_back_from_its_stream() -> None:
    """What undoes the start of any other stream leads from a bot's to no deal."""
    for deal in range(20):
        key = SplitMix64.stream(7, deal, int(DEAL), 0).state
        assert unmixed(SplitMix64.mix(key)) == key
        seat = deal % 12
        start = int(bot_stream_start(7, deal, seat))
        assert start == SplitMix64.of_bot(7, deal, seat).state
        step = (int(BOT) * MIX2 + seat * STEP) & MASK
        base = unmixed(key) ^ (int(DEAL) * MIX2 & MASK)
        undone = start
        for _ in range(5):  # as many mixes as there are
            undone = unmixed(undone)
            assert undone ^ step != base
            undone = (undone - STEP) & MASK


def test_every_bit_of_a_bots_stream_is_as_often_set() -> None:
    starts = np.array(
        [bot_stream_start(3, deal, seat) for deal in range(scaled(3000)) for seat in range(4)], "u8"
    )
    share = np.unpackbits(starts.view(np.uint8)).reshape(-1, 64).mean(axis=0)
    assert abs(share - 0.5).max() < 4.5 * 0.5 / len(starts) ** 0.5
    assert len(set(starts.tolist())) == len(starts)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"deal": "single_deck"},
        {"two_eyed_jacks": 5, "one_eyed_jacks": 0, "hand_size": 2},
        {"deal": "single_deck", "two_eyed_jacks": 8, "one_eyed_jacks": 7, "extra_cards": (0, 2)},
        {"reshuffle": False},
    ],
)
@pytest.mark.parametrize(("players", "teams"), TABLES)
def test_lanes(players: int, teams: int, change: dict[str, Any]) -> None:
    """Seats draw at very different rates, so that lanes run out and lend, over four reshuffles."""
    rng = random.Random(str((players, teams, change)))
    rules = Rules(players=players, teams=teams, **change)
    for deal in range(3 if JIT else 1):
        seed = rng.randrange(2**63)
        desk, plain = opened(rules, seed, deal), Lanes(Desk(rules).setting, seed, deal)
        assert desk.table.first_seat == plain.cut
        dealt: list[list[int]] = [[] for _ in range(players)]
        for place, size in enumerate(rules.hands()):
            seat = (plain.cut + place) % players
            dealt[seat] = [plain.draw(seat) or 0 for _ in range(size)]
        assert hands_of(desk) == dealt
        out = [card for hand in dealt for card in hand]
        keen = rng.choices(range(players), k=2)
        for number in range(5 * rules.deck_size()):
            seat = rng.choice(keen) if number % 3 else rng.randrange(players)
            # A third of the cards stay out, so that reshuffles are of some cards only.
            while len(out) > rules.deck_size() // 3:
                card = out.pop(rng.randrange(len(out)))
                plain.discards[card] += 1
                desk.table.discarded[card] += 1
            assert can_draw(desk.setting, desk.table) == (
                plain.cards() > 0 or (rules.reshuffle and plain.discards.total() > 0)
            )
            due = plain.draw(seat)
            got = draw(desk.setting, desk.table, desk.dealer, seat)
            assert got == (NONE if due is None else due)
            assert desk.table.pile == plain.cards()
            assert desk.table.reshuffles == plain.reshuffles
            if due is None:
                break
            out.append(due)
        assert plain.reshuffles >= 4 if rules.reshuffle else due is None


@pytest.mark.parametrize("two_eyed", range(9))
@pytest.mark.parametrize("deal", ["shuffled", "single_deck"])
def test_the_deck(deal: str, two_eyed: int) -> None:
    """All cards of the rules come once, with `single_deck` those of the first pack first."""
    rules = Rules(players=2, deal=deal, two_eyed_jacks=two_eyed, one_eyed_jacks=8 - two_eyed)
    desk = opened(rules, 5, two_eyed)
    cards = [card for hand in hands_of(desk) for card in hand]
    pile = int(desk.table.pile)
    cards += [draw(desk.setting, desk.table, desk.dealer, number % 2) for number in range(pile)]
    assert draw(desk.setting, desk.table, desk.dealer, 0) == NONE
    names = [NAMES[card] for card in cards]
    for pack in naive.packs(rules.settings()):
        assert Counter(names[: len(pack)]) == Counter(pack)
        names = names[len(pack) :]
    assert not names


def test_lanes_keep_deals_alike() -> None:
    """A seat's cards do not change by what others draw, nor by jacks added to the deck."""
    for deal in range(scaled(80)):
        streams = []
        for change, pace in (({}, 1), ({}, 4), ({"two_eyed_jacks": 8}, 1)):
            desk = opened(Rules(players=4, hand_size=5, **change), 17, deal)
            mine = hands_of(desk)[2]
            for _ in range(8):
                mine += [draw(desk.setting, desk.table, desk.dealer, 2)]
                for other in range(pace):
                    draw(desk.setting, desk.table, desk.dealer, (0, 1, 3)[other % 3])
            streams.append(mine)
        assert streams[0] == streams[1]
        plain = [[card for card in s if NAMES[card] not in ("JD", "JC")] for s in streams]
        shorter = min(len(plain[0]), len(plain[2]))
        assert shorter > 5
        assert plain[0][:shorter] == plain[2][:shorter]


# The law. A probability below this is taken for a fault; seeds are fixed, so nothing is flaky.
TINY = 1e-3


@kernel
def count_draws(
    setting: Setting, table: Table, dealer: Any, discards: Any, pace: int, deals: int, counts: Any
) -> None:
    """Count which card comes at which draw, over deals, of a new deck or of some discards.

    Seat 0 draws `pace` cards for each of another seat, so that its lane runs out.
    """
    for deal in range(deals):
        shuffle_deal(setting, dealer, 99, deal)
        clear_table(setting, table, 0)
        table.pile = dealer.left[0] + dealer.left[1]
        n = table.pile
        if len(discards) > 0:
            table.pile = 0
            n = 0
            for card in range(len(discards)):
                table.discarded[card] = discards[card]
                n += discards[card]
        for number in range(n):
            turn = number % (pace + setting.players - 1)
            seat = max(0, turn - pace + 1)
            counts[number, draw(setting, table, dealer, seat)] += 1


def p_values(counts: Any, copies: Any) -> list[float]:
    """Return for each draw the chance of a misfit as large, each card as likely as its copies."""
    there = copies > 0
    share = copies[there] / copies.sum()
    return [stats.chisquare(row[there], row.sum() * share).pvalue for row in counts]


@pytest.mark.parametrize("pace", [1, 3])
@pytest.mark.parametrize(
    ("players", "single_deck"), [(2, False), (3, False), (12, False), (2, True)]
)
def test_every_card_is_as_likely_at_every_draw(players: int, single_deck: bool, pace: int) -> None:
    deal = "single_deck" if single_deck else "shuffled"
    desk = Desk(Rules(players=players, hand_size=3, deal=deal))
    deals = 8000 if JIT else 20
    counts = np.zeros((104, 52), np.int64)
    none = np.zeros(0, np.uint8)
    count_draws(desk.setting, desk.table, desk.dealer, none, pace, deals, counts)
    copies = np.full(52, 2)
    # Two of four jacks of a kind are in each pack, one of each suit.
    parts = [(counts[:52], copies / 2), (counts[52:], copies / 2)] if single_deck else []
    for part, each in parts or [(counts, copies)]:
        assert (part.sum(axis=1) == deals).all()
        assert min(p_values(part, each)) * len(part) > TINY
    assert (counts.sum(axis=0) == 2 * deals).all()


@pytest.mark.parametrize("pace", [1, 3])
@pytest.mark.parametrize("players", [2, 4, 9])
def test_single_copies_come_no_earlier_after_a_reshuffle(players: int, pace: int) -> None:
    desk = Desk(Rules(players=players, hand_size=3))
    copies = np.array([card % 3 for card in range(52)])  # none, one or both discarded
    n = int(copies.sum())
    deals = 12_000 if JIT else 20
    counts = np.zeros((n, 52), np.int64)
    count_draws(desk.setting, desk.table, desk.dealer, copies, pace, deals, counts)
    assert desk.table.reshuffles == 1
    assert (counts.sum(axis=0) == deals * copies).all()
    assert min(p_values(counts, copies)) * n > TINY
    # All single cards together, where a drift would show first.
    singles = counts[:, copies == 1].sum(axis=1)
    share = (copies == 1).sum() / n
    spread = (deals * share * (1 - share)) ** 0.5
    assert abs(singles - deals * share).max() < 4.5 * spread
    mean = (singles * np.arange(n)).sum() / singles.sum()
    # The mean place of the singles, 18 of 52: drawn without return from 0 to n-1.
    k = int((copies == 1).sum())
    error = ((n + 1) * (n - k) / (12 * k) / deals) ** 0.5
    assert abs(mean - (n - 1) / 2) < 4 * error


def test_neighbours_in_the_pile_are_no_pairs() -> None:
    """The next card is a copy of this one as often as one card in 103 is."""
    desk = Desk(Rules(players=2))
    pairs, deals = 0, 4000 if JIT else 100
    for deal in range(deals):
        shuffle_deal(desk.setting, desk.dealer, 3, deal)
        lane = desk.dealer.lanes[0, : desk.dealer.end[0, 0]]
        pairs += int((lane[1::2] == lane[: len(lane) - 1 : 2]).sum())
    chances = deals * 104 // 4
    assert abs(pairs - chances / 103) < 4 * (chances / 103) ** 0.5


def test_codes_and_names_agree() -> None:
    assert [CODES[name] for name in NAMES] == list(range(52))
