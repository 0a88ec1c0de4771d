"""What is kept of the games of an arm: one row a deal, with sums or results of its games."""

import numpy as np

from simcore.board import CORNERS
from simcore.board import lines as board_lines
from simcore.cards import ONE_EYED
from simcore.plan import Array, Chunk, Plan
from simcore.records import HELD


def results(chunk: Chunk, plan: Plan) -> dict[str, Array]:
    """Return who won each game, and who began.

    `winner` int8 (deals, games of a deal): the winning team, -1 if drawn; `first_team` int8
    (deals, games of a deal): the team that moved first.
    """
    per_deal = len(plan.seatings)
    first = chunk.games["first_seat"].astype(np.int8) % np.int8(plan.rules.teams)
    return {
        "winner": chunk.games["winner"].reshape(-1, per_deal).copy(),
        "first_team": first.reshape(-1, per_deal),
    }


def outcomes(chunk: Chunk, plan: Plan) -> dict[str, Array]:
    """Return sums over the games of each deal, float64 (deals,).

    `start` is the score of the team that moved first, `drawn` the games drawn, `turns` their
    turns; `decided` the games that were won with some sequence scored and `comebacks` those of
    them won by a team that did not score first; `sequences` those scored and `corners` those
    through a corner.
    """
    games, per_deal = chunk.games, len(plan.seatings)
    winner = games["winner"].astype(np.int64)
    first_team = games["first_seat"].astype(np.int64) % plan.rules.teams
    drawn = winner < 0
    rows = chunk.sequences
    game = rows["game"] - chunk.first_game
    first_scorer = np.full(len(games), -1)
    first_scorer[game[::-1]] = rows["team"][::-1]  # of several the first stays
    decided = (first_scorer >= 0) & ~drawn
    spaces = board_lines(plan.rules.line_length).spaces
    corner = (spaces[:, :, None] == np.array(CORNERS)).any(axis=(1, 2))
    by_game = {
        "start": np.where(drawn, 1 / plan.rules.teams, winner == first_team),
        "drawn": drawn,
        "turns": games["turns"],
        "decided": decided,
        "comebacks": decided & (first_scorer != winner),
        "sequences": np.bincount(game, minlength=len(games)),
        "corners": np.bincount(game, corner[rows["line"]], minlength=len(games)),
    }
    return {
        name: values.astype(np.float64).reshape(-1, per_deal).sum(axis=1)
        for name, values in by_game.items()
    }


KINDS = ("two_eyed", "one_eyed")
"""Kinds of jacks, in the order of columns."""


def uses(chunk: Chunk, plan: Plan) -> dict[str, Array]:
    """Return what `scores` does, and what jacks were used for.

    `uses` is int8 (deals, games of a deal, players, kinds, purposes): jacks of each kind (KINDS)
    by purpose (records.py), those held at the end included.
    """
    players, rows = plan.rules.players, chunk.jacks
    shape = (len(chunk.games), players, len(KINDS), HELD + 1)
    count = np.zeros(shape, np.int8)
    one_eyed = (rows["kind"] == ONE_EYED).astype(np.int64)
    np.add.at(count, (rows["game"] - chunk.first_game, rows["seat"], one_eyed, rows["purpose"]), 1)
    return scores(chunk, plan) | {"uses": count.reshape(-1, len(plan.seatings), *shape[1:])}


def scores(chunk: Chunk, plan: Plan) -> dict[str, Array]:
    """Return every team's score, float64 (deals, games of a deal, teams), and the jacks dealt.

    `two_eyed` and `one_eyed` are int8 (deals, games of a deal, players): those in opening hands.
    """
    per_deal, teams = len(plan.seatings), plan.rules.teams
    winner = chunk.games["winner"].astype(np.int64)
    score = (winner[:, None] == np.arange(teams)).astype(np.float64)
    score[winner < 0] = 1 / teams
    dealt = chunk.seats.reshape(-1, per_deal, plan.rules.players)
    return {
        "score": score.reshape(-1, per_deal, teams),
        "two_eyed": dealt["opening_two_eyed"].astype(np.int8),
        "one_eyed": dealt["opening_one_eyed"].astype(np.int8),
    }
