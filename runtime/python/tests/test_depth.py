"""Data and names that are nested deeply: the process goes on, with a result or an OpError."""

import os
import resource
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import tfbuild_runtime.compat.v1 as tf

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


def _nested(leaf, depth):
    """The leaf in that many lists, tuples and mappings in each other."""
    kinds = (lambda held: [held], lambda held: (held,), lambda held: {"held": held})
    nest = leaf
    for level in range(depth):
        nest = kinds[level % 3](nest)
    return nest


def _unnested(nest, depth):
    for level in reversed(range(depth)):
        assert type(nest) is (list, tuple, dict)[level % 3]
        (nest,) = nest.values() if isinstance(nest, dict) else nest
    return nest


def test_nests_of_any_depth_are_taken_apart_and_put_together():
    nest = _nested(1, 30_000)
    assert tf.nest.flatten(nest) == [1]
    assert _unnested(tf.nest.pack_sequence_as(nest, [2]), 30_000) == 2
    assert _unnested(tf.nest.map_structure(lambda a, b: a + b, nest, nest), 30_000) == 2
    for other in ([[nest]], _nested([1], 30_000), _nested((), 30_000)):
        with pytest.raises(ValueError):
            tf.nest.assert_same_structure(nest, other)


def test_a_nest_that_holds_itself_is_refused():
    nest = [1]
    nest.append([nest])
    for function in (tf.nest.flatten, tf.convert_to_tensor, tf.data.Dataset.from_tensors):
        with pytest.raises(ValueError):
            function(nest)
    assert tf.nest.flatten([same := [1], same]) == [1, 1]


def test_elements_and_results_of_branches_may_be_nested_deeply(run):
    x = tf.constant(3.0)
    chosen = tf.cond(x > 0, lambda: _nested(x, 3000), lambda: _nested(x + 1, 3000))
    assert run(_unnested(chosen, 3000)) == 3.0
    element = ((x,),)
    for _ in range(3000):
        element = (element,)
    found = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(element)).get_next()
    for _ in range(3002):
        (found,) = found
    assert run(found) == 3.0


@pytest.mark.parametrize("depth", [3000, 300_000])
@pytest.mark.parametrize("wrap", ["[nest]", "(nest,)", "{'held': nest}"])
def test_fetches_that_are_nested_too_deeply_are_refused(python, wrap, depth):
    printed = python(
        "import tfbuild_runtime.compat.v1 as tf\n"
        "nest = tf.constant(1.0)\n"
        f"for _ in range({depth}): nest = {wrap}\n"
        "try: tf.Session().run(nest)\n"
        "except ValueError as error: print(error)\n"
    )
    assert printed.startswith("The fetches are nested too deeply")


def test_lists_that_are_too_deep_for_a_tensor_are_refused(run):
    deep = 1.0
    for _ in range(30_000):
        deep = [deep]
    with pytest.raises(ValueError):
        tf.constant(deep)
    with pytest.raises(ValueError):
        tf.convert_to_tensor(deep)
    x = tf.placeholder(tf.float32)
    with pytest.raises(ValueError):
        run(x, {x: deep})


def _field(number, contents):
    """A field of a message that holds bytes."""
    size, varint = len(contents), b""
    while size >= 128:
        varint += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + varint + bytes([size]) + contents


def _case_of(count):
    """A graph in which a Case of that many functions multiplies `x` by the number of the branch."""
    library = b"".join(_product_with(number) for number in range(count))
    branches = b"".join(_field(9, _field(1, b"f%d" % number)) for number in range(count))
    types = _field(1, _field(6, b"\x01"))
    attrs = {b"Tin": types, b"Tout": types, b"branches": _field(1, branches)}
    return _field(1, _node(b"case", b"Case", [b"index", b"x"], attrs)) + _field(2, library)


def _product_with(number):
    """A function of the name f and the number that multiplies by it."""
    argument, result = (_field(1, name) + b"\x18\x01" for name in (b"a", b"r"))
    signature = _field(1, b"f%d" % number) + _field(2, argument) + _field(3, result)
    kind = b"\x30\x01"  # float
    value = _field(8, b"\x08\x01" + _field(2, b"") + _field(5, struct.pack("<f", number)))
    factor = _node(b"c", b"Const", [], {b"dtype": kind, b"value": value})
    product = _node(b"m", b"Mul", [b"a", b"c:output:0"], {b"T": kind})
    given = _field(4, _field(1, b"r") + _field(2, b"m:z:0"))
    return _field(1, _field(1, signature) + _field(3, factor) + _field(3, product) + given)


def _node(name, op, inputs, attrs):
    parts = [_field(1, name), _field(2, op), *(_field(3, text) for text in inputs)]
    parts += [_field(5, _field(1, key) + _field(2, value)) for key, value in attrs.items()]
    return b"".join(parts)


@pytest.mark.parametrize("count", [1, 2, 5, 600])
def test_a_case_of_many_branches_has_gradients(run, count):
    x, index = tf.placeholder(tf.float32, [], "x"), tf.placeholder(tf.int32, [], "index")
    data = tf.get_default_graph().as_graph_def().SerializeToString() + _case_of(count)
    tf.reset_default_graph()
    tf.import_graph_def(tf.GraphDef.FromString(data), name="")
    graph = tf.get_default_graph()
    y, x, index = map(graph.get_tensor_by_name, ("case:0", "x:0", "index:0"))
    (slope,) = tf.gradients(y, x)
    with tf.Session() as session:
        for number in {0, 1, count // 2, count - 1, -1, count}:
            taken = number if 0 <= number < count else count - 1
            assert session.run([y, slope], {x: 2.0, index: number}) == [2.0 * taken, taken]
