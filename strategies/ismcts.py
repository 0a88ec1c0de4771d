"""`ismcts`: the known method for games with hidden cards, one tree over sampled deals.

Each iteration deals the unseen cards anew, goes down one tree by moves that are legal in that deal,
adds a node, plays out by line values with a cut, and adds every team's chance to win to the nodes
of its own moves (max^n, team-mates as one). A node is a row of moves by kind of card and space:
exchanges and draws leave no trace in it. This is single-observer ISMCTS with availability counts
(Cowling, Powley and Whitehouse, IEEE TCIAIG 4(2), 2012). Below the root, moves by UCB1 with a bias
to line values; a node has the best move by line values first, and more as its visits grow.

Plain, it is weak: a move has a dozen visits, and good moves differ by less than that noise. So
- the n-th visit of every move of the root sees the n-th sample;
- the root halves its moves in turn, as `search` does, instead of UCB1 (with a tree below, this is
  Hybrid MCTS: Pepels, Cazenave, Winands and others, 2014);
- the prior's move is kept unless another's paired gain exceeds its noise.

Against `tuned` on paired deals of two players, at about 1 ms a move, 95 % half-widths (`counter`
.508 +- .015, `search` .551 +- .018, with the same line weights):
- UCB1 at the root, 130 iterations, c .3, depth 4: .519 +- .017 with the doubt, .527 +- .017 by most
  visits; 180 iterations at depth 1, c .1, with the doubt: .503 +- .021;
- halving, depth 1, which is no tree: 130 iterations .534 +- .017, 180 with kept samples
  .558 +- .018 (against `counter` .535 +- .022);
- halving, 180 iterations, widen .2, c .1: depth 2 .549 +- .021, depth 3 .544 +- .017, and with 800
  iterations (some 5 ms) depth 3 .568 +- .032.
So no gain of the tree itself was found at 1 ms; at 5 ms depth 1 was not tried. A likely reason, not
measured: visits to worse replies bring noise and bias into the means. The default is the smallest
tree.
"""

from typing import Any

import numpy as np

from simcore.cards import CARDS
from simcore.dealer import DEALER, Dealer, copy_cards
from simcore.jit import Int, allocating_kernel, inlined_kernel, int64, kernel, record_dtype
from simcore.moves import Hand
from simcore.rng import mix
from simcore.rules import MAX_TEAMS
from simcore.setting import SLOTS, Setting
from simcore.strategy import OWN, Bot, Memory, Own, Parameter, unchecked_bot_function
from simcore.table import TABLE, Table
from simcore.turn import make_play, refill
from simcore.whole import copy_record
from strategies.candidates import LISTING, MAX_MOVES, Listing, list_moves, put_first
from strategies.hands import choose_by_hand
from strategies.lines import catch_up
from strategies.planner import BOT as PRIOR
from strategies.playouts import (
    FEATURES,
    Owns,
    begin_turn,
    chance,
    copy_line_bots,
    play_out,
    sample_unseen,
    start_line_bots,
    start_with_line_bots,
)

MAX_DEPTH = 32
_KEPT = 2048
"""Samples that are kept for the moves that come to them later."""

_OWN_PARAMETERS = (
    Parameter("iterations", 150, 0, 100_000, "iterations a move"),
    Parameter("c", 0.1, 0, 10, "how much moves tried little are explored"),
    Parameter("moves", 8, 1, MAX_MOVES - 1, "moves looked at beside the first choice"),
    Parameter("turns", 10, 0, 1000, "turns of an iteration, in the tree and after it"),
    Parameter("depth", 2, 1, MAX_DEPTH, "of these at most in the tree"),
    Parameter("widen", 0.2, 0, 100, "times the root of its visits: moves tried below the first"),
    Parameter("bias", 0.2, 0, 10, "what the best move by line values is better at first"),
    Parameter("doubt", 1.0, -10, 10, "standard errors by which another move has to be better"),
    Parameter("paired", 1, 0, 1, "1: every move sees the same samples"),
    Parameter("halving", 1, 0, 1, "1: the root drops the worse half of its moves in turn"),
    Parameter("final", 2, 0, 2, "0: most visits, 1: best mean, 2: first unless doubted"),
)
_AT = len(PRIOR.parameters)
_C, _MOVES, _TURNS, _DEPTH, _WIDEN, _BIAS = (_AT + i for i in range(1, 7))
_DOUBT, _PAIRED, _HALVING, _FINAL = (_AT + i for i in range(7, 11))

NODE = record_dtype(
    [
        ("key", np.int64),  # the move that leads here
        ("first", np.int64),  # its first child, 0 for none
        ("next", np.int64),  # the next child of its parent
        ("visits", np.int64),
        ("available", np.int64),  # visits of its parent that could have gone here
        ("total", np.float64),  # of rewards of the team that made the move
        ("prior", np.float64),
    ]
)
Nodes = Any
"""An array of NODE. The root is 0 and its children are the next ones."""

PATH = record_dtype(
    [
        ("used", np.int64),  # nodes
        ("length", np.int64),
        ("node", np.int64, MAX_DEPTH + 1),
        ("team", np.int64, MAX_DEPTH + 1),
        ("reward", np.float64, MAX_TEAMS),
    ]
)
Path = Any

_PASS = int64(-1)


@inlined_kernel
def _find_child(nodes: Nodes, parent: Int, key: Int) -> Int:
    child = nodes[parent].first
    while child and nodes[child].key != key:
        child = nodes[child].next
    return child


@kernel
def _add_child(nodes: Nodes, path: Path, parent: Int, listing: Listing, i: Int) -> Int:
    path.used += 1
    child = path.used
    nodes[child].key = listing.key[i]
    nodes[child].next = nodes[parent].first
    nodes[child].prior = _prior(listing, i)
    nodes[parent].first = child
    return child


@inlined_kernel
def _prior(listing: Listing, i: Int) -> float:
    """Return what a move is worth as a part of the best one's."""
    return max(listing.worth[i], 0) / max(listing.worth[0], 1)


@inlined_kernel
def _promise(nodes: Nodes, node: Int, available: Int, own: Own) -> float:
    """Return UCB1 of a node, with a bias that wears off."""
    visits = nodes[node].visits
    spread = np.sqrt(np.log(available) / visits)
    bias = own.params[_BIAS] * nodes[node].prior / (visits + 1)
    return nodes[node].total / visits + own.params[_C] * spread + bias


@kernel
def _select(nodes: Nodes, path: Path, parent: Int, listing: Listing, own: Own) -> Int:
    """Return the index of the listed move to make: one that is new, or that of most promise."""
    wide = 1 + int64(own.params[_WIDEN] * np.sqrt(nodes[parent].visits))
    best, choice, fresh = -1.0, int64(0), int64(-1)
    for i in range(min(listing.size, wide)):
        child = _find_child(nodes, parent, listing.key[i])
        if child == 0:
            if fresh < 0:
                fresh = i
            continue
        nodes[child].available += 1
        if fresh < 0:
            promise = _promise(nodes, child, nodes[child].available, own)
            if promise > best:
                best, choice = promise, int64(i)
    return fresh if fresh >= 0 else choice


@inlined_kernel
def _make_move(setting: Setting, table: Table, dealer: Dealer, path: Path, move: Int) -> bool:
    """Make the move, or pass, and end the turn; return whether the game is over, with rewards."""
    seat = table.seat
    mover = int64(setting.team[seat])
    if move != _PASS:
        make_play(setting, table, dealer, seat, move >> 7, move & 127)
        if table.sequences[mover] >= setting.sequences_to_win:
            for team in range(setting.teams):
                path.reward[team] = 0.0
            path.reward[mover] = 1.0
            return True
        refill(setting, table, dealer, seat, move >> 7)
    table.seat = seat + 1 if seat + 1 < setting.players else 0
    return _is_drawn(setting, table, path)


@kernel
def _is_drawn(setting: Setting, table: Table, path: Path) -> bool:
    """Return whether the game ends without a winner (rules 10), with rewards."""
    if table.idle < setting.players and table.turn < setting.max_turns:
        return False
    for team in range(setting.teams):
        path.reward[team] = 1.0 / setting.teams
    return True


@kernel
def _finish(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bots: Owns,
    path: Path,
    turns: Int,
    features: Any,
) -> None:
    """Play out and note every team's chance."""
    path.reward[0] = play_out(setting, table, dealer, bots, int64(0), turns, features)
    if setting.teams == 2:
        path.reward[1] = 1.0 - path.reward[0]
        return
    for team in range(setting.teams):
        if table.sequences[team] >= setting.sequences_to_win:
            for other in range(setting.teams):
                path.reward[other] = 1.0 if other == team else 0.0
            return
    if not _is_drawn(setting, table, path):
        path.reward[1] = chance(setting, table, dealer, bots, int64(1), features)
        path.reward[2] = 1.0 - path.reward[0] - path.reward[1]


@kernel
def _iterate(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bots: Owns,
    own: Own,
    nodes: Nodes,
    path: Path,
    listing: Listing,
    node: Int,
    move: Int,
    features: Any,
) -> None:
    """Go down the tree from a move of the root, play out and back up."""
    depth, turns = int64(own.params[_DEPTH]), int64(own.params[_TURNS])
    wanted = int64(own.params[_MOVES]) + 1
    path.node[0], path.team[0], path.length = node, int64(setting.team[table.seat]), 1
    over = _make_move(setting, table, dealer, path, move)
    while not over and nodes[node].visits > 0 and path.length < depth:
        seat = table.seat
        mover = int64(setting.team[seat])
        begin_turn(setting, table, dealer)
        catch_up(setting, table, mover, bots[mover].memory)
        hand = dealer.hands[seat, : table.hand_size[seat]]
        list_moves(setting, table, seat, hand, bots[mover].memory, False, wanted, listing)
        if listing.size == 0:
            listing.size, listing.move[0], listing.key[0] = 1, _PASS, _PASS
            listing.worth[0] = 0
        i = _select(nodes, path, node, listing, own)
        child = _find_child(nodes, node, listing.key[i])
        if child == 0:
            child = _add_child(nodes, path, node, listing, i)
        node = child
        path.node[path.length], path.team[path.length] = node, mover
        path.length += 1
        over = _make_move(setting, table, dealer, path, listing.move[i])
    if not over:
        left = max(turns + 1 - path.length, 0)
        _finish(setting, table, dealer, bots, path, left, features)
    for i in range(path.length):
        nodes[path.node[i]].visits += 1
        nodes[path.node[i]].total += path.reward[path.team[i]]


@kernel
def _pick(nodes: Nodes, n: Int, alive: Any, number: Int, own: Own) -> Int:
    """Return which move of the root to try next: the first least tried, or that of most promise."""
    best, choice = -1.0, int64(0)
    for k in range(n):
        if own.params[_HALVING] or nodes[k + 1].visits == 0:
            promise = 1e9 - nodes[k + 1].visits
        else:
            promise = _promise(nodes, k + 1, number, own)
        if alive[k] and promise > best:
            best, choice = promise, int64(k)
    return choice


@kernel
def _gain(nodes: Nodes, found: Any, k: Int, doubt: float) -> float:
    """Return by how much a move is better than the first in samples both have seen, at least."""
    count = min(nodes[1].visits, nodes[k + 1].visits)
    total, square = 0.0, 0.0
    for i in range(count):
        gain = found[k, i] - found[0, i]
        total += gain
        square += gain * gain
    if count < 4:
        return -1.0 if doubt else total / max(count, 1)
    mean = total / count
    return mean - doubt * np.sqrt(max(square / count - mean * mean, 1e-4) / count)


@kernel
def _halve(nodes: Nodes, n: Int, found: Any, alive: Any) -> None:
    """Drop the worse half of the moves but the first."""
    left = int64(0)
    for k in range(1, n):
        left += alive[k]
    for _ in range(left // 2):
        worst, choice = 1e9, int64(0)
        for k in range(1, n):
            if alive[k]:
                gain = _gain(nodes, found, k, 0.0)
                if gain <= worst:
                    worst, choice = gain, int64(k)
        alive[choice] = False


@kernel
def _decide(nodes: Nodes, n: Int, found: Any, alive: Any, own: Own) -> Int:
    """Return which move of the root to make."""
    best, choice = 0.0, int64(0)
    for k in range(n):
        node = k + 1
        if nodes[node].visits == 0 or not alive[k]:
            continue
        if own.params[_FINAL] == 0:
            score = float(nodes[node].visits)
        elif own.params[_FINAL] == 1:
            score = nodes[node].total / nodes[node].visits
        else:
            score = _gain(nodes, found, k, own.params[_DOUBT]) if k else 0.0
        if score > best:
            best, choice = score, int64(k)
    return choice


@allocating_kernel
def _search(
    setting: Setting, table: Table, seat: Int, hand: Hand, own: Own, first: Int, memory: Memory
) -> Int:
    """Return the move that the tree tells to make."""
    budget = int64(own.params[_AT])
    listings, paths = np.zeros(2, LISTING), np.zeros(1, PATH)
    roots = listings[1]
    wanted = int64(own.params[_MOVES]) + 1
    list_moves(setting, table, seat, hand, memory, True, wanted, roots)
    put_first(setting, hand, roots, first)
    n = roots.size
    if n < 2 or budget < 2 * n:
        return first
    kept = min(budget, _KEPT) if own.params[_PAIRED] else 0
    tables, dealers = np.zeros(1, TABLE), np.zeros(1 + kept, DEALER)
    sampled = np.zeros(1 + kept, np.bool_)
    lines, bots = np.zeros(setting.teams, OWN), np.zeros(setting.teams, OWN)
    pool, gone = np.zeros(SLOTS, np.uint8), np.zeros(CARDS, np.uint8)
    draws, features = np.zeros(1, np.uint64), np.zeros(FEATURES)
    start_line_bots(setting, table, memory, lines)
    start_line_bots(setting, table, memory, bots)
    nodes, found = np.zeros(budget + n + 1, NODE), np.zeros((n, budget))
    alive = np.ones(n, np.bool_)
    for k in range(n - 1, -1, -1):
        _add_child(nodes, paths[0], int64(0), roots, int64(k))
    # Nodes were added from the last on.
    for k in range(n):
        nodes[k + 1].key, nodes[k + 1].prior = roots.key[k], _prior(roots, k)
    # A stream of its own, so that a search that keeps the first choice plays as if there were none.
    start = mix(own.stream[0] + np.uint64(table.turn))
    rounds = int64(1)
    while (1 << rounds) < n:
        rounds += 1
    for number in range(budget):
        if own.params[_HALVING] and number and number % (budget // rounds) == 0:
            _halve(nodes, n, found, alive)
        k = _pick(nodes, n, alive, int64(number), own)
        visits = nodes[k + 1].visits
        at = visits + 1 if visits < kept else int64(0)
        if at == 0 or not sampled[at]:
            sampled[at] = True
            draws[0] = mix(start + np.uint64(visits if own.params[_PAIRED] else number))
            sample_unseen(setting, table, dealers[at], seat, hand, draws, pool, gone)
        if at:
            copy_cards(setting, table, dealers[0], dealers[at])
        copy_record(tables[0], table)
        copy_line_bots(setting, lines, bots)
        # Ties of the line bots fall alike for every move too.
        stream = mix(start ^ np.uint64(visits))
        for team in range(setting.teams):
            bots[team].stream[0] = stream
        _iterate(
            setting, tables[0], dealers[0], bots, own, nodes, paths[0], listings[0],
            k + 1, roots.move[k], features,
        )  # fmt: skip
        found[k, visits] = paths[0].reward[setting.team[seat]]
    return roots.move[_decide(nodes, n, found, alive, own)]


@unchecked_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Return the prior's move, or one that is better in the tree by more than its noise."""
    first = choose_by_hand(setting, table, seat, hand, own)
    if own.params[_AT] < 1:
        return first
    return _search(setting, table, seat, hand, own, first, own.memory)


BOT = Bot(
    "ismcts",
    "Grows one tree over samples of what is unseen.",
    choose,
    parameters=(*PRIOR.parameters, *_OWN_PARAMETERS),
    start=start_with_line_bots,
    fast=False,
)
