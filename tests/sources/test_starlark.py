"""Starlark, read and not run."""

import ast
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.sources.starlark import Names, Room, Unknown, called_name, parse_starlark

NAMES = Names({"V": "1.2", "MANY": {"a": "x"}}, frozenset({"ctx", "url"}))


def value(text: str) -> object:
    return NAMES.value(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("text", "stands_for"),
    [
        ("'a' + V", "a1.2"),
        ("'%s-%s' % ('a', V)", "a-1.2"),
        ("'{v}/{v}'.format(v = V)", "1.2/1.2"),
        ("V.replace('.', '_')", "1_2"),
        ("'/'.join(['a', 'b'])", "a/b"),
        ("[V, 'b']", ("1.2", "b")),
        ("MANY['a']", "x"),
        (
            "tf_mirror_urls('https://a.org/b.zip')",
            ("https://storage.googleapis.com/mirror.tensorflow.org/a.org/b.zip", "https://a.org/b.zip"),
        ),
    ],
)  # fmt: skip
def test_what_can_be_read(text: str, stands_for: object) -> None:
    assert value(text) == stands_for


@pytest.mark.parametrize(
    "text", ["unknown", "V + 1", "MANY['b']", "'{x}'.format()", "f(V)", "V if V else V", "'%d' % V"]
)
def test_what_takes_running(text: str) -> None:
    with pytest.raises(Unknown) as caught:
        value(text)
    assert not caught.value.is_given


@pytest.mark.parametrize("text", ["url", "ctx.attr.urls"])
def test_what_a_caller_chooses(text: str) -> None:
    with pytest.raises(Unknown) as caught:
        value(text)
    assert caught.value.is_given


def test_nothing_is_run_and_nothing_grows(tmp_path: Path) -> None:
    with pytest.raises(Unknown):
        value("open('/etc/passwd')")
    with pytest.raises(Unknown):
        value("'{0:>99999999999}'.format(V)")


@pytest.mark.parametrize(
    "text",
    [
        "'{:>90000}'.format(V)",
        "'{0.__class__}'.format(V)",
        "'%90000d' % 1",
        "'%*d' % (90000, 1)",
        "LONG + LONG",
        "LONG.replace('a', LONG)",
        "LONG.replace('', LONG)",
        "LONG.join(MANY)",
        "'{0}{0}'.format(LONG)",
        "[LONG, LONG]",
        "{'a': LONG, 'b': LONG}",
        "tf_mirror_urls(LONG)",
        "[" * 120 + "]" * 120,
        "DEEP + DEEP",
        "+".join(["'x'"] * 1500),
        "NUMBER + NUMBER",
    ],
    ids=range(16),
)
def test_a_value_that_takes_too_much_room_is_unknown(text: str) -> None:
    deep: object = ()
    for _ in range(200_000 if "DEEP" in text else 0):
        deep = (deep,)
    values = {"V": "1", "LONG": "a" * 60_000, "MANY": ("a",) * 9, "DEEP": deep}
    values |= {"NUMBER": 1 << 300_000} if "NUMBER" in text else {}
    with pytest.raises(Unknown):
        Names(values).value(ast.parse(text, mode="eval").body)


def test_all_values_of_a_workspace_share_one_room() -> None:
    room, node = Room(), ast.parse("LONG + 'a'", mode="eval").body
    for _ in range(100):
        assert len(str(Names({"LONG": "a" * 40_000}, room=room).value(node))) == 40_001
    with pytest.raises(Unknown):
        for _ in range(200):
            Names({"LONG": "a" * 40_000}, room=room).value(node)


@pytest.mark.parametrize("text", ["A + A", "[A, A]", "{'a': A}", "'-'.join(A)", "T.format('a')"])
def test_what_is_refused_takes_of_the_room_too(text: str) -> None:
    room, node = Room(), ast.parse(text, mode="eval").body
    names = {"A": ("a",) * 60_000, "T": "{}" * 40_000}
    for _ in range(60):
        with pytest.raises(Unknown):
            Names(names, room=room).value(node)
    assert room.left == 0


def test_an_expression_is_read_once() -> None:
    node = ast.parse("[" + "1," * 999 + "]", mode="eval").body
    names = Names({})
    found = names.value(node)
    left = names.room.left
    assert names.value(node) is found
    assert names.room.left == left


@pytest.mark.parametrize("text", ["{1 << 40: 'a'}", "{(1,): 'a'}", "{4294967296: 'a'}"])
def test_a_key_that_can_be_chosen_to_be_found_slowly_is_unknown(text: str) -> None:
    with pytest.raises(Unknown):
        value(text)
    assert value("{'a': V, 3: 'b'}") == {"a": "1.2", 3: "b"}


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with fails("not-starlark", "a.bzl", "line 1"):
        parse_starlark(tmp_path / "a.bzl", "def f(:\n")


def test_the_last_name_is_what_is_called() -> None:
    assert called_name(ast.parse("native.http_archive", mode="eval").body) == "http_archive"
