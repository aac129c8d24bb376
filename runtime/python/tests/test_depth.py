"""Data and names that are nested deeply: the process goes on, with a result or an OpError."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.framework import native

_DEPTH = 100_000
_KEPT = {"lists": "1", "optionals": "True", "mixed": "True", "datasets": "1"}
_REFUSED = ("zeros", "sum", "read", "read ahead")


def _show(*words, stack=8192):
    """What the program prints in a process whose stacks have that many KiB."""

    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (stack << 10, stack << 10))

    program = Path(__file__).with_name("depth.py")
    done = subprocess.run(
        [sys.executable, program, *map(str, words)], preexec_fn=limit, capture_output=True,
        text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, (words, done.returncode, done.stderr[-2000:])
    return done.stdout.strip()


@pytest.mark.parametrize("stack", [8192, 1024])
@pytest.mark.parametrize("case", _KEPT)
def test_what_holds_each_other_is_destroyed_at_any_depth(case, stack):
    assert _show(case, _DEPTH, stack=stack) == _KEPT[case]


@pytest.mark.parametrize("stack", [8192, 1024])
@pytest.mark.parametrize("case", _REFUSED)
def test_what_must_go_into_each_other_is_refused_where_the_stack_ends(case, stack):
    said = _show(case, _DEPTH, stack=stack)
    assert said.startswith("ResourceExhaustedError: ")
    assert "nested too deeply for the stack of this thread" in said


@pytest.mark.parametrize("case", _REFUSED)
def test_a_hundred_in_each_other_are_no_matter(case):
    assert _show(case, 100) in ("0", "True")


@pytest.mark.parametrize("case", ["lists", "zeros", "read"])
def test_the_limit_is_that_of_the_thread(case):
    said = _show(case, _DEPTH, 512)
    assert said == "1" if case == "lists" else "which has 512 KiB" in said


def test_names_of_many_parts_are_imported_and_shown():
    name = "/".join(["part"] * 3000)
    graph_def = tf.GraphDef()
    graph_def.node.add(name=name, op="NoOp")
    tf.import_graph_def(graph_def.SerializeToString(), name="")
    assert tf.get_default_graph().get_operation_by_name(name).type == "NoOp"
    # All scopes that it is in are taken.
    assert tf.get_default_graph().unique_name("part/part", mark_as_used=False) == "part/part_1"


def test_folders_of_many_parts_are_made_or_refused_with_an_operror(tmp_path):
    deep = str(tmp_path.joinpath(*["a"] * 5000))
    with pytest.raises(tf.errors.OpError):
        tf.gfile.MakeDirs(deep)
    with pytest.raises(tf.errors.OpError):
        tf.train.load_checkpoint(deep)
    nested = _nested_folders(tmp_path, 1500)
    try:
        with pytest.raises(tf.errors.OpError):
            tf.gfile.DeleteRecursively(nested)
    finally:  # pytest cannot
        subprocess.run(["rm", "-rf", nested], check=True)


def _nested_folders(top, count):
    """A folder with that many in each other, which no single path could name."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(count):
        os.mkdir("deep", dir_fd=here)
        inside = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(here)
    return top / "deep"


def test_names_that_are_taken_are_not_looked_at_again_and_again():
    graph = tf.get_default_graph()
    for i in range(1, 2000):
        graph._mark_name(f"name_{i}")
    looked = _Counting(graph._names_in_use)
    graph._names_in_use = looked
    names = [graph.unique_name("name") for _ in range(2000)]
    assert names[:3] == ["name", "name_2000", "name_2001"]
    assert looked.count < 20_000


class _Counting(dict):
    """A dictionary that counts what is asked."""

    count = 0

    def __contains__(self, key):
        self.count += 1
        return super().__contains__(key)


def test_a_graph_def_that_nobody_looks_at_makes_no_nodes(monkeypatch):
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="NoOp")
    read = tf.GraphDef.FromString(graph_def.SerializeToString())
    monkeypatch.setattr(native, "parse_graph_def", None)  # would make them
    tf.import_graph_def(read, name="")
    assert tf.get_default_graph().get_operation_by_name("a").type == "NoOp"
    read.versions.producer = 21
    monkeypatch.undo()
    again = tf.GraphDef.FromString(read.SerializeToString())
    assert (again.versions.producer, [node.name for node in again.node]) == (21, ["a"])
    read.node[0].name = "b"
    assert tf.GraphDef.FromString(read.SerializeToString()).node[0].name == "b"
