"""The encoder of BERT, with the names and shapes that published checkpoints have.

Devlin and others, "BERT: Pre-training of Deep Bidirectional Transformers" (2018).
"""

import math

import numpy as np
import tfbuild_runtime.compat.v1 as tf

FAR_BELOW = -10000.0  # added to what may not be attended


class BertConfig:
    """Sizes of an encoder, and how far from 0 matrices start; the published base model's."""

    def __init__(self, words=30522, hidden=768, layers=12, heads=12, **more):
        self.words, self.hidden, self.layers, self.heads = words, hidden, layers, heads
        self.inner = more.get("inner", 4 * hidden)
        self.positions, self.stddev = more.get("positions", 512), more.get("stddev", 0.02)


def gelu(x):
    """Return x times the normal distribution below x, by its usual approximation."""
    return 0.5 * x * (1.0 + tf.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * tf.pow(x, 3))))


def matrices(config):
    """Return the initializer of all matrices."""
    return tf.truncated_normal_initializer(stddev=config.stddev)


def dense(x, units, name, activation=None):
    """Return a matrix product and bias over the last axis."""
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [x.shape.as_list()[-1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    out = tf.nn.bias_add(tf.matmul(x, kernel), bias)
    return activation(out) if activation else out


def layer_norm(x):
    """Return x with mean 0 and variance 1 over the last axis, scaled and moved."""
    size = x.shape.as_list()[-1:]
    with tf.variable_scope("LayerNorm"):
        gamma = tf.get_variable("gamma", size, initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", size, initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
    return (x - mean) * tf.rsqrt(variance + 1e-12) * gamma + beta


class BertEncoder:
    """sequence (batch x length x hidden), pooled (batch x hidden, of [CLS]) and the word table.

    words, segments and mask are batch x length: which words, of which sentence, and 1 where one is.
    """

    def __init__(self, config, words, segments, mask, dropout=0.0):
        self.config, self._dropout = config, dropout
        batch, length = tf.shape(words)[0], words.shape.as_list()[1]
        with tf.variable_scope("bert", initializer=matrices(config)):
            out = self._embed(words, segments, length)
            below = (1.0 - tf.cast(mask, tf.float32)[:, None, None, :]) * FAR_BELOW
            out = tf.reshape(out, [-1, config.hidden])
            with tf.variable_scope("encoder"):
                for number in range(config.layers):
                    with tf.variable_scope(f"layer_{number}"):
                        out = self._layer(out, below, batch, length)
            self.sequence = tf.reshape(out, [-1, length, config.hidden])
            with tf.variable_scope("pooler"):
                self.pooled = dense(self.sequence[:, 0], config.hidden, "dense", tf.tanh)

    def _drop(self, x):
        return tf.nn.dropout(x, rate=self._dropout) if self._dropout else x

    def _embed(self, words, segments, length):
        config = self.config
        with tf.variable_scope("embeddings"):
            shape = [config.words, config.hidden]
            self.table = tf.get_variable("word_embeddings", shape)
            kinds = tf.get_variable("token_type_embeddings", [2, config.hidden])
            places = tf.get_variable("position_embeddings", [config.positions, config.hidden])
            out = tf.nn.embedding_lookup(self.table, words)
            out += tf.nn.embedding_lookup(kinds, segments) + places[None, :length]
            return self._drop(layer_norm(out))

    def _heads(self, x, name, batch, length):
        size = self.config.hidden // self.config.heads
        out = dense(x, self.config.hidden, name)
        out = tf.reshape(out, tf.stack([batch, length, self.config.heads, size]))
        return tf.transpose(out, [0, 2, 1, 3])

    def _attend(self, x, below, batch, length):
        query, key, value = (self._heads(x, n, batch, length) for n in ("query", "key", "value"))
        scores = tf.matmul(query, key, transpose_b=True)
        scores *= 1.0 / math.sqrt(self.config.hidden // self.config.heads)
        out = tf.matmul(self._drop(tf.nn.softmax(scores + below)), value)
        return tf.reshape(tf.transpose(out, [0, 2, 1, 3]), [-1, self.config.hidden])

    def _layer(self, x, below, batch, length):
        with tf.variable_scope("attention"):
            with tf.variable_scope("self"):
                out = self._attend(x, below, batch, length)
            with tf.variable_scope("output"):
                x = layer_norm(x + self._drop(dense(out, self.config.hidden, "dense")))
        with tf.variable_scope("intermediate"):
            out = dense(x, self.config.inner, "dense", gelu)
        with tf.variable_scope("output"):
            return layer_norm(x + self._drop(dense(out, self.config.hidden, "dense")))


def masked_words(encoder, places):
    """Return logits of the words at places (batch x number), which the input hides."""
    config, count = encoder.config, places.shape.as_list()[1]
    rows = tf.range(tf.shape(places)[0])[:, None] * encoder.sequence.shape.as_list()[1]
    flat = tf.reshape(encoder.sequence, [-1, config.hidden])
    hidden = tf.gather(flat, tf.reshape(places + rows, [-1]))
    with tf.variable_scope("cls/predictions", initializer=matrices(config)):
        with tf.variable_scope("transform"):
            hidden = layer_norm(dense(hidden, config.hidden, "dense", gelu))
        bias = tf.get_variable("output_bias", [config.words], initializer=tf.zeros_initializer())
    logits = tf.nn.bias_add(tf.matmul(hidden, encoder.table, transpose_b=True), bias)
    return tf.reshape(logits, [-1, count, config.words])


def classes_of(encoder, number, scope=None):
    """Return logits of so many classes by [CLS]; "cls/seq_relationship" is the published one."""
    with tf.variable_scope(scope or tf.get_variable_scope(), initializer=matrices(encoder.config)):
        shape = [number, encoder.config.hidden]
        weights = tf.get_variable("output_weights", shape)
        bias = tf.get_variable("output_bias", [number], initializer=tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(encoder.pooled, weights, transpose_b=True), bias)


def load_checkpoint(path):
    """Let variables that a checkpoint has by name start from it; return the names of the others."""
    there = {name for name, _ in tf.train.list_variables(path)}
    ours = {variable.op.name: variable for variable in tf.global_variables()}
    tf.train.init_from_checkpoint(path, {name: name for name in ours if name in there})
    return sorted(set(ours) - there)


def count_of(variables):
    """Return how many numbers the variables have."""
    return int(sum(np.prod(variable.shape.as_list()) for variable in variables))
