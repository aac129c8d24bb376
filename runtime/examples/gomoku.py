"""AlphaZero for gomoku, four in a row on 6 x 6: a network learns by playing against itself.

    python gomoku.py [--rounds 6] [--numba] [--checkpoint PREFIX]

Each round plays games with a search that the network guides, learns from the moves that the search
preferred and from who won, and saves. At the end the restored network plays a hundred games
against moves by chance.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from gomoku_search import CELLS, LINES, SIDE, PlainWalk, Searches, compiled_walk, outcome

GAMES, SIMULATIONS, RANDOM_MOVES = 32, 48, 6
BATCH, EPOCHS, RATE, DECAY = 64, 6, 2e-3, 1e-4


def convolution(name, images, filters, side):
    """Return a convolution with bias and relu."""
    shape = [side, side, images.shape.as_list()[-1], filters]
    with tf.variable_scope(name, initializer=tf.glorot_uniform_initializer(seed=61)):
        kernel = tf.get_variable("kernel", shape)
        bias = tf.get_variable("bias", [filters], initializer=tf.zeros_initializer())
    return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME"), bias))


def full(name, images, units):
    """Return a full layer over all that an image has."""
    size = int(np.prod(images.shape.as_list()[1:]))
    with tf.variable_scope(name, initializer=tf.glorot_uniform_initializer(seed=67)):
        kernel = tf.get_variable("kernel", [size, units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(tf.reshape(images, [-1, size]), kernel), bias)


class Network:
    """From a board, as who is to move sees it: where to move, and who will win."""

    def __init__(self):
        self.boards = tf.placeholder(tf.float32, [None, CELLS], name="boards")
        self.moves = tf.placeholder(tf.float32, [None, CELLS], name="moves")
        self.winners = tf.placeholder(tf.float32, [None], name="winners")
        board = tf.reshape(self.boards, [-1, SIDE, SIDE, 1])
        planes = tf.concat([tf.nn.relu(board), tf.nn.relu(-board), tf.ones_like(board)], 3)
        trunk = convolution("second", convolution("first", planes, 32, 3), 32, 3)
        logits = full("policy", convolution("policy_plane", trunk, 4, 1), CELLS)
        logits -= 1e9 * tf.abs(self.boards)  # where somebody is, nobody can move
        self.policy = tf.nn.softmax(logits)
        hidden = tf.nn.relu(full("value_hidden", convolution("value_plane", trunk, 2, 1), 32))
        self.value = tf.tanh(full("value", hidden, 1))[:, 0]
        crossed = tf.nn.softmax_cross_entropy_with_logits(labels=self.moves, logits=logits)
        squares = tf.add_n([tf.nn.l2_loss(variable) for variable in tf.trainable_variables()])
        missed = tf.reduce_mean(tf.square(self.value - self.winners))
        self.loss = tf.reduce_mean(crossed) + missed + DECAY * squares
        self.step = tf.train.AdamOptimizer(RATE).minimize(self.loss)

    def evaluator(self, session):
        """Return the function that a search asks."""
        ask = session.make_callable([self.policy, self.value], [self.boards])
        return lambda boards: ask(boards.astype(np.float32))


def play_itself(searches, random):
    """Return boards, what the search preferred, and who won, of games that are played at once."""
    boards = np.zeros((GAMES, CELLS), np.int8)
    playing, record = np.arange(GAMES), [[] for _ in range(GAMES)]
    winners = np.zeros(GAMES)  # as who moved last sees it
    for move in range(CELLS):
        share = searches.visits(boards[playing], random).astype(float)
        share /= share.sum(axis=1, keepdims=True)
        for game, chances in zip(playing, share):
            record[game].append((boards[game].copy(), chances))
            early = move < RANDOM_MOVES
            cell = random.choice(CELLS, p=chances) if early else int(np.argmax(chances))
            boards[game, cell] = 1
            winners[game] = outcome(boards[game], LINES)
            boards[game] *= -1
        playing = playing[winners[playing] == 2]
        if not len(playing):
            break
    examples = []
    for game, steps in enumerate(record):
        for back, (board, chances) in enumerate(reversed(steps)):
            examples.append((board, chances, winners[game] * (-1) ** back))
    return examples


def turned(examples, random):
    """Return arrays of the examples, each turned and mirrored in one of eight ways."""
    boards, moves, winners = map(np.array, zip(*examples))
    planes = np.stack([boards, moves], 1).reshape(-1, 2, SIDE, SIDE).astype(np.float32)
    for each in planes:
        each[:] = np.rot90(each, random.integers(4), (1, 2))
        if random.integers(2):
            each[:] = each[:, :, ::-1]
    flat = planes.reshape(-1, 2, CELLS)
    return flat[:, 0], flat[:, 1], winners.astype(np.float32)


def learn(network, session, examples, random):
    """Go through the examples a few times; return the losses."""
    losses = []
    for _ in range(EPOCHS):
        boards, moves, winners = turned(examples, random)
        order = random.permutation(len(boards))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            some = order[start : start + BATCH]
            feed = {
                network.boards: boards[some],
                network.moves: moves[some],
                network.winners: winners[some],
            }
            losses.append(float(session.run([network.loss, network.step], feed)[0]))
    return losses


def beat_chance(searches, random, games=100):
    """Return how many games are won against moves by chance; every other one is begun by chance."""
    boards, results = np.zeros((games, CELLS), np.int8), np.full(games, 2)
    for move in range(CELLS + 1):
        for ours in (True, False):
            group = np.array(
                [g for g in range(games) if results[g] == 2 and (g + move) % 2 == ours]
            )
            if not len(group):
                continue
            if ours:
                cells = searches.visits(boards[group]).argmax(axis=1)
            else:
                cells = [random.choice(np.flatnonzero(boards[g] == 0)) for g in group]
            for game, cell in zip(group, cells):
                boards[game, cell] = 1
                found = outcome(boards[game], LINES)
                results[game] = found if found != 1 or ours else -1
                boards[game] *= -1
    return int((results == 1).sum())


def train(rounds=6, walk=PlainWalk, prefix=None):
    """Play and learn; return losses and how many of a hundred games are won against chance."""
    random = np.random.default_rng(71)
    with tempfile.TemporaryDirectory() as scratch, tf.Graph().as_default():
        network, examples, losses = Network(), [], []
        path, saver = prefix or str(Path(scratch) / "gomoku"), tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            searches = Searches(network.evaluator(session), SIMULATIONS, walk)
            for _ in range(rounds):
                examples = (examples + play_itself(searches, random))[-2000:]
                losses += learn(network, session, examples, random)
                saver.save(session, path)
        with tf.Session() as session:
            saver.restore(session, path)
            searches = Searches(network.evaluator(session), SIMULATIONS, walk)
            won = beat_chance(searches, random)
    return {"losses": losses, "won": won}


def one_step():
    """Return a training step and what it is fed with, for those who measure."""
    random = np.random.default_rng(0)
    network = Network()
    feed = {
        network.boards: random.integers(-1, 2, (BATCH, CELLS)).astype(np.float32),
        network.moves: random.dirichlet(np.ones(CELLS), BATCH).astype(np.float32),
        network.winners: random.choice([-1, 1], BATCH).astype(np.float32),
    }
    return network.step, feed


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--numba", action="store_true", help="compile the search")
    parser.add_argument("--checkpoint", metavar="PREFIX", help="where it is saved")
    options = parser.parse_args()
    walk = compiled_walk() if options.numba else PlainWalk
    results = train(options.rounds, walk, options.checkpoint)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"{results['won']} of 100 games are won against chance")


if __name__ == "__main__":
    main()
