"""The search of AlphaZero for gomoku: trees as arrays, one for each game that is played at once.

Silver and others, "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play" (2018). The functions that walk a tree are plain loops over arrays: Python runs
them as they are, numba compiles them as they are.
"""

import math

import numpy as np

SIDE, ROW = 6, 4  # the board, and how many in a row win
CELLS = SIDE * SIDE
EXPLORE = 1.5


def _lines():
    """Return the cells of all rows that win, one after the other."""
    found = []
    for place in range(CELLS):
        y, x = divmod(place, SIDE)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            last_y, last_x = y + down * (ROW - 1), x + right * (ROW - 1)
            if last_y < SIDE and 0 <= last_x < SIDE:
                found += [(y + down * i) * SIDE + x + right * i for i in range(ROW)]
    return np.array(found, np.int64)


LINES = _lines()


def outcome(board, lines):
    """Return 1 where we have won, -1 where they have, 0 at a draw, 2 while the game goes on."""
    for start in range(0, len(lines), ROW):
        total = 0
        for i in range(start, start + ROW):
            total += board[lines[i]]
        if total == ROW:
            return 1
        if total == -ROW:
            return -1
    for place in range(len(board)):
        if board[place] == 0:
            return 2
    return 0


def descend(tree, board, path, lines):
    """Go from the root to a leaf by the best bound; return how long the path is, and the outcome.

    tree is (children, priors, visits, totals), each nodes x cells. board becomes the leaf's, as who
    is to move there sees it; path is filled with node and cell in turns.
    """
    children, priors, visits, totals = tree
    node, length = 0, 0
    while True:
        seen = 1
        for cell in range(len(board)):
            seen += visits[node, cell]
        root, best, chosen = math.sqrt(seen), -1e30, -1
        for cell in range(len(board)):
            if board[cell] != 0:
                continue
            times = visits[node, cell]
            value = totals[node, cell] / times if times else 0.0
            bound = value + EXPLORE * priors[node, cell] * root / (1 + times)
            if bound > best:
                best, chosen = bound, cell
        path[length, 0], path[length, 1] = node, chosen
        length += 1
        board[chosen] = 1
        for cell in range(len(board)):  # the board as the other one sees it
            board[cell] = -board[cell]
        found = outcome(board, lines)
        if found != 2 or children[node, chosen] == 0:
            return length, found
        node = children[node, chosen]


def back_up(tree, path, length, value):
    """Add a value, as who is to move at the leaf sees it, to all moves of the path."""
    _, _, visits, totals = tree
    for step in range(length - 1, -1, -1):
        value = -value
        visits[path[step, 0], path[step, 1]] += 1
        totals[path[step, 0], path[step, 1]] += value


class PlainWalk:
    """The walk as Python runs it."""

    descend, back_up = staticmethod(descend), staticmethod(back_up)


def compiled_walk():
    """Return the same walk, compiled by numba."""
    import numba

    class CompiledWalk:
        """The walk as machine code."""

    inner = numba.njit(outcome)
    scope = {"outcome": inner, "math": math, "EXPLORE": EXPLORE}
    CompiledWalk.descend = staticmethod(numba.njit(_with_globals(descend, scope)))
    CompiledWalk.back_up = staticmethod(numba.njit(back_up))
    return CompiledWalk


def _with_globals(function, scope):
    """Return the function with other globals: what it calls is compiled too."""
    import types

    return types.FunctionType(function.__code__, scope, function.__name__)


class Searches:
    """Trees for so many games, which ask the network together.

    evaluate takes boards (games x cells, as who is to move sees them) and returns the probability
    of each cell and the value of each board, from -1 to 1.
    """

    def __init__(self, evaluate, simulations, walk=PlainWalk):
        self._evaluate, self._simulations, self._walk = evaluate, simulations, walk

    def visits(self, boards, random=None):
        """Return how often each move was tried (games x cells); random adds noise at the roots."""
        games, nodes = len(boards), self._simulations + 1
        children = np.zeros((games, nodes, CELLS), np.int64)
        priors = np.zeros((games, nodes, CELLS))
        visits = np.zeros((games, nodes, CELLS), np.int64)
        totals = np.zeros((games, nodes, CELLS))
        priors[:, 0] = self._root_priors(boards, random)
        leaves, lengths = boards.copy(), np.zeros(games, np.int64)
        paths = np.zeros((games, CELLS + 1, 2), np.int64)
        for node in range(1, nodes):
            leaves[:] = boards
            outcomes = np.zeros(games)
            for game in range(games):
                tree = children[game], priors[game], visits[game], totals[game]
                lengths[game], outcomes[game] = self._walk.descend(
                    tree, leaves[game], paths[game], LINES
                )
            priors[:, node], values = self._evaluate(leaves)
            values = np.where(outcomes == 2, values, outcomes)
            for game in range(games):
                tree = children[game], priors[game], visits[game], totals[game]
                self._walk.back_up(tree, paths[game], lengths[game], values[game])
                if outcomes[game] == 2:
                    last = paths[game, lengths[game] - 1]
                    children[game, last[0], last[1]] = node
        return visits[:, 0]

    def _root_priors(self, boards, random):
        priors, _ = self._evaluate(boards)
        if random is None:
            return priors
        noise = random.dirichlet(np.full(CELLS, 0.3), len(boards))
        return 0.75 * priors + 0.25 * noise
