"""Programs of other locales get the same numbers and words.

TFBUILD_TEST_LOCALE names the locale, such as de_DE.UTF-8, in which all tests run (conftest.py).
"""

import os
import subprocess
import sys

import pytest

# What is printed must be the same in every locale, whenever that was set.
_PROGRAM = """
import locale, sys
when, name = sys.argv[1:]
if when == "before":
    locale.setlocale(locale.LC_ALL, name)
import json
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.framework import native
if when == "after":
    locale.setlocale(locale.LC_ALL, name)
for op in native.op_names():
    print(op, native.op_def(op))
numbers = tf.constant([1.5, -1234567.25, 1e-7, float("inf")])
words = tf.constant(["I i ISTANBUL istanbul", " 1.5 "])
example = json.dumps({"features": {"feature": {"x": {"floatList": {"value": [1.5, 2.5e-3]}}}}})
fetches = {
    "fixed": tf.as_string(numbers), "width": tf.as_string(numbers, width=20, fill="0"),
    "scientific": tf.as_string(numbers, scientific=True, precision=3),
    "shortest": tf.as_string(tf.cast(numbers, tf.float64), shortest=True),
    "integers": tf.as_string(tf.constant([1234567890123])),
    "floats": tf.string_to_number(["1.5", " -2.5e3 "]),
    "doubles": tf.string_to_number(["0.1"], tf.float64),
    "fields": tf.decode_csv(["1.5,x,2.25"], [[0.0], [""], [0.0]]),
    "example": tf.io.decode_json_example(example),
    "lower": tf.strings.lower(words), "upper": tf.strings.upper(words),
    "stripped": tf.strings.strip(words),
    "replaced": tf.strings.regex_replace(words, "[[:upper:]]", "_"),
    "leaky": tf.nn.leaky_relu(-numbers), "moments": tf.raw_ops.LRN(input=tf.ones([1, 2, 2, 4])),
}
with tf.Session() as session:
    for name, value in session.run(fetches).items():
        print(name, value if isinstance(value, (bytes, list)) else value.tolist())
    session.run(tf.Print(numbers, [numbers, tf.constant(0.1, tf.float64)]))
    try:
        session.run(tf.Assert(tf.constant(False), [numbers]))
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
    try:
        session.run(tf.string_to_number("1,5"))
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
    try:
        session.run(tf.io.read_file("/no/such/file"))
    except tf.errors.NotFoundError as error:
        print(error.message)
print(tf.get_default_graph().as_graph_def())
"""


@pytest.fixture
def other_locale():
    """The locale that is asked for; conftest.py has ended the tests where it is not installed."""
    name = os.environ.get("TFBUILD_TEST_LOCALE")
    if not name:
        pytest.skip("TFBUILD_TEST_LOCALE names no locale")
    return name


def said(when, name):
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, when, name], capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.parametrize("when", ["before", "after"])
def test_ops_have_the_same_defaults_and_results(when, other_locale):
    """Set before the import, the locale met each definition of an op, and after it each step."""
    assert said(when, other_locale) == said(when, "C")
