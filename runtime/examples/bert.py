"""BERT in small: masked words and next sentences are learnt, then [CLS] is tuned to a task.

    python bert.py [--steps 500] [--checkpoint PREFIX]

The language is generated: a sentence goes through the words of one topic in their order, from a
word of its own on. So a hidden word follows from its neighbours, and a second sentence of another
topic is no continuation. --checkpoint loads published weights by name instead of learning some.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from bert_encoder import (
    BertConfig,
    BertEncoder,
    classes_of,
    count_of,
    load_checkpoint,
    masked_words,
)

CLS, SEP, MASK, FIRST_WORD = 1, 2, 3, 4  # 0 fills
TOPICS, WORDS_OF_TOPIC = 6, 10
LENGTH, SENTENCE, HIDDEN_WORDS = 24, 9, 4
BATCH, RATE = 32, 1e-3
SMALL = BertConfig(
    FIRST_WORD + TOPICS * WORDS_OF_TOPIC, 64, layers=2, heads=4, positions=LENGTH, stddev=0.1
)


class Pairs:
    """A batch of sentence pairs: inputs, hidden words, whether the second continues, and topics."""

    def __init__(self, random, number=BATCH):
        topics = random.integers(0, TOPICS, (number, 2))
        continues = random.integers(0, 2, number)
        other = (topics[:, 0] + 1 + topics[:, 1] % (TOPICS - 1)) % TOPICS
        topics[:, 1] = np.where(continues == 1, topics[:, 0], other)
        steps = np.arange(SENTENCE) + random.integers(0, WORDS_OF_TOPIC, (number, 2, 1))
        sentences = FIRST_WORD + topics[:, :, None] * WORDS_OF_TOPIC + steps % WORDS_OF_TOPIC
        words = np.zeros((number, LENGTH), np.int32)
        words[:, 0], words[:, SENTENCE + 1], words[:, 2 * SENTENCE + 2] = CLS, SEP, SEP
        words[:, 1 : SENTENCE + 1] = sentences[:, 0]
        words[:, SENTENCE + 2 : 2 * SENTENCE + 2] = sentences[:, 1]
        self.mask = (words > 0).astype(np.int32)
        self.segments = np.zeros_like(words)
        self.segments[:, SENTENCE + 2 : 2 * SENTENCE + 3] = 1
        inner = np.r_[1 : SENTENCE + 1, SENTENCE + 2 : 2 * SENTENCE + 2].astype(np.int32)
        order = np.argsort(random.random((number, len(inner))), axis=1)[:, :HIDDEN_WORDS]
        self.places = np.sort(inner[order], axis=1)
        rows = np.arange(number)[:, None]
        self.hidden = words[rows, self.places]
        self.words, self.whole = words.copy(), words
        self.words[rows, self.places] = MASK
        self.continues, self.topics = continues.astype(np.int32), topics[:, 0].astype(np.int32)


class Inputs:
    """What is fed, and the encoder over it."""

    def __init__(self, config=SMALL, length=LENGTH):
        self.words = tf.placeholder(tf.int32, [None, length], name="words")
        self.segments = tf.placeholder(tf.int32, [None, length], name="segments")
        self.mask = tf.placeholder(tf.int32, [None, length], name="mask")
        self.encoder = BertEncoder(config, self.words, self.segments, self.mask)

    def feed(self, words, pairs):
        """Return the feed of a batch whose words may be hidden."""
        return {self.words: words, self.segments: pairs.segments, self.mask: pairs.mask}


def crossed(labels, logits):
    """Return the mean cross entropy."""
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )


def share_right(labels, logits):
    """Return which share of the largest logits is right."""
    return tf.reduce_mean(
        tf.cast(tf.equal(tf.argmax(logits, -1, output_type=tf.int32), labels), tf.float32)
    )


class PreTraining(Inputs):
    """Masked words and next sentences at once."""

    def __init__(self, rate=RATE):
        super().__init__()
        self.places = tf.placeholder(tf.int32, [None, HIDDEN_WORDS], name="places")
        self.hidden = tf.placeholder(tf.int32, [None, HIDDEN_WORDS], name="hidden")
        self.continues = tf.placeholder(tf.int32, [None], name="continues")
        words = masked_words(self.encoder, self.places)
        following = classes_of(self.encoder, 2, "cls/seq_relationship")
        self.loss = crossed(self.hidden, words) + crossed(self.continues, following)
        self.step = tf.train.AdamOptimizer(rate).minimize(self.loss)
        self.right = [share_right(self.hidden, words), share_right(self.continues, following)]

    def feed_all(self, pairs):
        """Return the feed of a batch."""
        more = {
            self.places: pairs.places,
            self.hidden: pairs.hidden,
            self.continues: pairs.continues,
        }
        return {**self.feed(pairs.words, pairs), **more}


class FineTuning(Inputs):
    """Which topic the first sentence has, read from [CLS]."""

    def __init__(self, rate=RATE):
        super().__init__()
        self.topics = tf.placeholder(tf.int32, [None], name="topics")
        logits = classes_of(self.encoder, TOPICS)
        self.loss = crossed(self.topics, logits)
        self.step = tf.train.AdamOptimizer(rate).minimize(self.loss)
        self.right = [share_right(self.topics, logits)]

    def feed_all(self, pairs):
        """Return the feed of a batch, nothing of it hidden."""
        return {**self.feed(pairs.whole, pairs), self.topics: pairs.topics}


def learn(model, session, steps, random):
    """Return the losses of so many steps."""
    losses = []
    for _ in range(steps):
        loss, _ = session.run([model.loss, model.step], model.feed_all(Pairs(random)))
        losses.append(float(loss))
    return losses


def pre_train(prefix, steps):
    """Learn the language and save it; return the losses and what share was right at the end."""
    with tf.Graph().as_default():
        tf.set_random_seed(31)
        model = PreTraining()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = learn(model, session, steps, np.random.default_rng(37))
            unseen = model.feed_all(Pairs(np.random.default_rng(41), 512))
            right = session.run(model.right, unseen)
            tf.train.Saver(tf.trainable_variables()).save(session, prefix)
    return losses, [float(share) for share in right]


def fine_tune(prefix, steps):
    """Load by name and learn the task; return losses, the share that is right, and new names."""
    with tf.Graph().as_default():
        tf.set_random_seed(43)
        model = FineTuning(RATE / 4)
        new = [
            name for name in load_checkpoint(prefix) if "Adam" not in name and "power" not in name
        ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = learn(model, session, steps, np.random.default_rng(47))
            (right,) = session.run(
                model.right, model.feed_all(Pairs(np.random.default_rng(53), 512))
            )
    return losses, float(right), new


def train(steps=500):
    """Both, one after the other."""
    with tempfile.TemporaryDirectory() as scratch:
        prefix = str(Path(scratch) / "bert_model.ckpt")
        losses, (words, following) = pre_train(prefix, steps)
        tuned, topic, new = fine_tune(prefix, steps // 4)
    results = {"masked_words": words, "next_sentence": following, "topic": topic, "new": len(new)}
    return {"losses": losses + tuned, **results}


def one_step():
    """Return a training step and what it is fed with, for those who measure."""
    model = PreTraining()
    feed = model.feed_all(Pairs(np.random.default_rng(0)))
    return model.step, feed


def main():
    """Train or load, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--checkpoint", metavar="PREFIX", help="published weights: bert_model.ckpt")
    options = parser.parse_args()
    if options.checkpoint:
        shapes = dict(tf.train.list_variables(options.checkpoint))
        words, hidden = shapes["bert/embeddings/word_embeddings"]
        layers = sum(name.endswith("attention/self/query/kernel") for name in shapes)
        inner = shapes["bert/encoder/layer_0/intermediate/dense/kernel"][1]
        Inputs(BertConfig(words, hidden, layers, hidden // 64, inner=inner), length=128)
        load_checkpoint(options.checkpoint)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
        print(f"{count_of(tf.global_variables()):,} numbers loaded by name")
        return
    results = train(options.steps)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][options.steps - 1]:.3f}")
    print(f"right: {results['masked_words']:.1%} of hidden words, {results['next_sentence']:.1%} "
          f"of continuations; after tuning {results['topic']:.1%} of topics")  # fmt: skip


if __name__ == "__main__":
    main()
