"""The setting of a game: rules and geometry as one record that is handed to kernels and bots.

Nothing in it changes during a run, and no kernel is compiled for a rule or a layout. Bots read it;
nobody writes to it after `make_setting`.
"""

from functools import cache
from typing import Any

import numba
import numpy as np

from simcore.board import CORNERS, SIDE, SPACES, Board, lines, tracks
from simcore.cards import CARDS, CODES, KINDS, PLAIN, kind
from simcore.jit import record_dtype
from simcore.rules import MAX_SEATS, MAX_TEAMS, Rules

Setting = Any
"""A record of SETTING."""

MAX_LINES = 238
"""Lines of length 4, the most there are."""
MAX_LENGTH = 6
MAX_TRACKS = 46
"""Rows, columns and diagonals of at least 4 spaces."""
MAX_THROUGH = 24
"""Lines of length 6 through one space, the most there are."""
SLOTS = 112
"""Cards of the largest deck; each slot is one physical card that is present or not."""

INTERVENTIONS = ("none", "two_eyed", "one_eyed", "card")
NO_INTERVENTION, TWO_EYED_JACK, ONE_EYED_JACK, CARD = range(len(INTERVENTIONS))
"""What is done to a hand of each deal (intervention.py)."""

SETTING = record_dtype(
    [
        # Rules (field names as in Rules unless said).
        ("players", np.int64),
        ("intervention", np.int64),
        ("teams", np.int64),
        ("line_length", np.int64),
        ("sequences_to_win", np.int64),
        ("shared_spaces", np.int64),
        ("removes_any", np.int64),  # one_eyed_removes == "any"
        ("sequences_protected", np.int64),
        ("exchanges", np.int64),  # dead_card_exchanges; no limit is D
        ("single_deck", np.int64),
        ("reshuffle", np.int64),
        ("max_turns", np.int64),
        ("first_seat", np.int64),  # -1: drawn by the cut
        ("forget_draw", np.float64),
        ("table_talk", np.float64),
        ("chips", np.int64, MAX_TEAMS),
        ("hands", np.int64, MAX_SEATS),  # cards dealt, by place in the turn order
        ("team", np.uint8, MAX_SEATS),  # the team of a seat (rules 1.3)
        # Geometry. Cards are codes 0..51, spaces 0..99, lines in line order.
        ("kind", np.uint8, CARDS),  # PLAIN, TWO_EYED, ONE_EYED
        ("card_of", np.uint8, SPACES),  # the card printed on a space; 255 in corners
        ("spaces_of", np.uint8, (CARDS, 2)),  # the two spaces of a plain card
        ("n_lines", np.int64),
        ("line", np.uint8, (MAX_LINES, MAX_LENGTH)),  # the spaces of a line
        ("line_corners", np.uint8, MAX_LINES),  # free corners on a line: 0 or 1
        ("line_open", np.uint8, MAX_LINES),  # 0 for a line over a dead corner (8.1)
        ("n_through", np.uint8, SPACES),
        ("through", np.uint8, (SPACES, MAX_THROUGH)),  # the open lines through a space
        # A track is a row, a column or a diagonal of at least line_length spaces. What is known of
        # its lines stands in one uint64, a byte a line from the lowest on.
        ("n_tracks", np.int64),
        ("track_space", np.uint8, (MAX_TRACKS, SIDE)),  # 100 behind the end of a short diagonal
        ("track_corner", np.uint64, MAX_TRACKS),  # by line: 1 if it has a free corner
        ("tracks", np.uint8, (SPACES, 4)),  # through a space; any where there are fewer
        ("on_track", np.uint64, (SPACES, 4)),  # by line: 1 if it is open and through the space
        ("line_track", np.uint8, MAX_LINES),
        ("line_shift", np.uint8, MAX_LINES),  # the line's lowest bit in its track's words
        ("overlap", np.uint8, (MAX_LINES, MAX_LINES)),  # spaces two lines have in common
        # The deck: slots of the first pack stand before those of the second.
        ("slot_card", np.uint8, SLOTS),
        ("slot_present", np.uint8, SLOTS),
        ("copies", np.uint8, CARDS),  # of a card in the deck
    ]
)
SETTING_TYPE = numba.from_dtype(SETTING)

# Which of a kind's eight jacks are in a deck with n of them (rules 3.1, 3.2): the suits and the
# packs stay even, the odd one is of the first suit and in the first pack.
_JACK_PACK = (0, 0, 1, 1, 0, 0, 1, 1)
_JACK_SUIT = (0, 1, 0, 1, 0, 1, 0, 1)
_JACKS = (
    *((), (0,), (0, 3), (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4)),
    *((0, 1, 2, 3, 4, 7), (0, 1, 2, 3, 4, 5, 6), (0, 1, 2, 3, 4, 5, 6, 7)),
)


def make_setting(rules: Rules, board: Board, intervention: str = "none") -> Setting:
    """Return the SETTING record of checked rules, a checked layout and one of INTERVENTIONS."""
    made = np.zeros(1, SETTING)
    made[0] = _geometry(rules.line_length, rules.free_corners)
    setting = made[0]
    setting.intervention = INTERVENTIONS.index(intervention)
    _fill_rules(setting, rules)
    _fill_board(setting, board)
    _fill_deck(setting, rules)
    return setting


@cache
def _geometry(line_length: int, free_corners: bool) -> Setting:
    """Return a record to copy that has the lines and tracks, and nothing else."""
    setting = np.zeros(1, SETTING)[0]
    _fill_lines(setting, line_length, free_corners)
    _fill_tracks(setting, line_length)
    return setting


def _fill_rules(setting: Setting, rules: Rules) -> None:
    for name in (
        *("players", "teams", "line_length", "sequences_to_win", "shared_spaces"),
        *("sequences_protected", "reshuffle", "max_turns", "forget_draw", "table_talk"),
    ):
        setting[name] = getattr(rules, name)
    setting.removes_any = rules.one_eyed_removes == "any"
    limit = rules.dead_card_exchanges
    setting.exchanges = rules.deck_size() if limit < 0 else limit
    setting.single_deck = rules.deal == "single_deck"
    setting.first_seat = -1 if rules.first_seat == "cut" else rules.first_seat
    setting.chips[: rules.teams] = rules.chips[: rules.teams]
    setting.hands[: rules.players] = rules.hands()
    setting.team[: rules.players] = np.arange(rules.players) % rules.teams


def _fill_board(setting: Setting, board: Board) -> None:
    setting.kind[:] = KINDS
    setting.card_of[:] = board.card
    for card in range(CARDS):
        if kind(card) == PLAIN:
            setting.spaces_of[card] = board.spaces_of(card)


def _fill_lines(setting: Setting, length: int, free_corners: bool) -> None:
    all_lines = lines(length)
    n = len(all_lines.spaces)
    setting.n_lines = n
    setting.line[:n, :length] = all_lines.spaces
    corners = np.isin(all_lines.spaces, CORNERS).sum(axis=1)
    setting.line_corners[:n] = corners if free_corners else 0
    setting.line_open[:n] = free_corners | (corners == 0)
    on_line = np.zeros((n, SPACES), np.int64)
    on_line[np.arange(n)[:, None], all_lines.spaces] = 1
    setting.overlap[:n, :n] = on_line @ on_line.T
    is_open, n_through, all_through = setting.line_open[:n], setting.n_through, setting.through
    for space in range(SPACES):
        through = np.flatnonzero(on_line[:, space] & is_open)
        n_through[space] = len(through)
        all_through[space, : len(through)] = through


def _fill_tracks(setting: Setting, length: int) -> None:
    all_tracks = tracks(length)
    setting.n_tracks = len(all_tracks)
    setting.track_space[: len(all_tracks)] = all_tracks
    numbers = {tuple(line): number for number, line in enumerate(lines(length).spaces)}
    in_use = np.zeros(SPACES, np.int64)  # of a space's four
    # A field of a record takes as long to look up as all else in the loop together.
    line_track, line_shift, tracks_of = setting.line_track, setting.line_shift, setting.tracks
    corner, on_track = setting.track_corner, setting.on_track
    has_corner, is_open = setting.line_corners > 0, setting.line_open.astype(bool)
    for track, spaces in enumerate(all_tracks):
        one = np.zeros(SPACES, np.uint64)
        for at in range(SIDE - length + 1):
            number = numbers.get(tuple(spaces[at : at + length]))
            if number is None:
                break
            line_track[number] = track
            line_shift[number] = 8 * at
            bit = np.uint64(1 << 8 * at)
            if has_corner[number]:
                corner[track] |= bit
            if is_open[number]:
                one[spaces[at : at + length]] |= bit
        for space in np.flatnonzero(one):
            tracks_of[space, in_use[space]] = track
            on_track[space, in_use[space]] = one[space]
            in_use[space] += 1


def _fill_deck(setting: Setting, rules: Rules) -> None:
    plain = [c for c in range(CARDS) if kind(c) == PLAIN]
    packs: list[list[tuple[int, bool]]] = [[(c, True) for c in plain] for _ in range(2)]
    for suits, count in (
        (("JD", "JC"), rules.two_eyed_jacks),
        (("JS", "JH"), rules.one_eyed_jacks),
    ):
        for jack in range(8):
            card = CODES[suits[_JACK_SUIT[jack]]]
            packs[_JACK_PACK[jack]].append((card, jack in _JACKS[count]))
    cards, present = np.array([*packs[0], *packs[1]]).T
    setting.slot_card[:] = cards
    setting.slot_present[:] = present
    np.add.at(setting.copies, cards, present.astype(np.uint8))
