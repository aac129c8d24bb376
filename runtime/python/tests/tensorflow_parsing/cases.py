"""Records that are parsed, and things that steps share, by the names of TensorFlow 1.

Each case takes the module and gives what is run, one list of fetches after the other.
"""

import numpy as np
from tensorflow_parsing import ragged_array_cases, ragged_cases, ragged_function_cases

KINDS = {"i": "int32", "l": "int64", "f": "float32", "d": "float64", "s": "string"}

# Records, types of the columns (a capital: it must be there), other arguments.
CSV = {
    "plain": (["1,2,x", "3,4,y"], "ids", {}),
    "quotes": (['"a,b","c""d",e', '"","x"'], "sss", {}),
    "two quotes": (['"a""b"'], "s", {}),
    "quoted and empty": (['"",""'], "ss", {}),
    "defaults": ([",,,,", "1,2,3,4,5"], "ilfds", {}),
    "an end is missing": (["1,"], "is", {}),
    "required": ([",1"], "Ii", {}),
    "a required string": ([",1"], "Si", {}),
    "blanks": ([" 1 , 2.5 , x "], "ifs", {}),
    "signs": (["+1,-2,+3.5,-4e2"], "ilfd", {}),
    "forms of floats": (["inf,-inf,nan,1e-3,.5,5."], "ffffff", {}),
    "words for floats": (["infinity"], "f", {}),
    "great floats": (["INF,1e400,1e-400"], "fff", {}),
    "hexadecimal": (["0x10"], "f", {}),
    "hexadecimal integer": (["0x10"], "i", {}),
    "too large": (["3000000000"], "i", {}),
    "too large for both": (["9223372036854775808"], "l", {}),
    "the largest": (["9223372036854775807,-2147483648"], "li", {}),
    "a float as an integer": (["1.5"], "i", {}),
    "a word as a number": (["x"], "f", {}),
    "blanks alone": (["  ,1"], "fi", {}),
    "too few": (["1,2"], "iii", {}),
    "too many": (["1,2,3"], "ii", {}),
    "nothing": ([""], "i", {}),
    "nothing at all": ([], "is", {}),
    "line ends": (["1,\n2", "\r\n3,4"], "ii", {}),
    "a line end within": (["1\n,2"], "ii", {}),
    "a line end within quotes": (['"1\n2",3'], "si", {}),
    "a line end behind": (["1,2\n"], "ii", {}),
    "a quote within": (['a"b'], "s", {}),
    "text behind quotes": (['"a"b,c'], "ss", {}),
    "an open quote": (['"a'], "s", {}),
    "one quote": (['"'], "s", {}),
    "quotes are letters": (['"a",b"'], "ss", {"use_quote_delim": False}),
    "tabs": (["1\t2", "3\t4"], "ii", {"field_delim": "\t"}),
    "another missing": (["-,1", "x,-"], "si", {"na_value": "-"}),
    "missing in quotes": (['"-"'], "s", {"na_value": "-"}),
    "some columns": (["1,2,3,4", "5,6,7,8"], "ii", {"select_cols": [1, 3]}),
    "the first column": (["1,bad\"quote"], "i", {"select_cols": [0]}),
    "a column too far": (["1,2"], "i", {"select_cols": [2]}),
    "a last empty column": (["1,2,"], "i", {"select_cols": [2]}),
    "columns that fall": (["1,2"], "ii", {"select_cols": [1, 0]}),
    "two characters": (["1,2"], "ii", {"field_delim": ";;"}),
    "zeros within": (["1\x002"], "i", {}),
    "zeros in a string": (["a\x00b"], "s", {}),
    "umlauts": (["ä,€"], "ss", {}),
}  # fmt: skip


def csv(tf, records, columns, more):
    """Fetches of decoded records."""
    defaults = []
    for kind in columns:
        value = "d" if kind in "sS" else 7
        given = [] if kind.isupper() else [value]
        defaults.append(tf.constant(given, KINDS[kind.lower()]))
    rows = tf.constant(np.array(records, "O") if records else [], tf.string)
    return [tf.decode_csv(rows, defaults, **more)]


SEQUENCES = {
    "numbers": [({"c": (1,)}, {"d": [(1.0, 2.0), (3.0, 4.0)], "s": [(1, 2), (), (3,)]})],
    "batch": [
        ({"c": (1,)}, {"d": [(1.0, 2.0), (3.0, 4.0)], "s": [(1, 2), (), (3,)]}),
        ({"c": (2,), "o": (b"x", b"y")}, {"d": [], "s": [(4,)]}),
        ({"c": (3,)}, {"d": [(5.0, 6.0)], "s": []}),
    ],
    "no list": [({"c": (1,)}, {"s": [(1,)]})],
    "no sparse list": [({"c": (1,)}, {"d": []})],
    "no context": [({}, {"d": [], "s": []})],
    "another type": [({"c": (1,)}, {"d": [(1, 2)], "s": []})],
    "another sparse type": [({"c": (1,)}, {"d": [], "s": [(1.0,)]})],
    "another type of the context": [({"c": (1.0,)}, {"d": [], "s": []})],
    "another size": [({"c": (1,)}, {"d": [(1.0,)], "s": []})],
    "too much context": [({"c": (1, 2)}, {"d": [], "s": []})],
    "a step without values": [({"c": (1,)}, {"d": [], "s": [None, (1,)]})],
    "a dense step without values": [({"c": (1,)}, {"d": [None], "s": []})],
}


def sequences(tf, messages, single, may_miss=False):
    """Fetches of parsed messages."""
    serialized = [ragged_cases.sequence(tf, *message) for message in messages]
    context = {"c": tf.FixedLenFeature([], tf.int64), "o": tf.VarLenFeature(tf.string)}
    lists = {
        "d": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=may_miss),
        "s": tf.VarLenFeature(tf.int64),
    }
    if single:
        return [list(tf.io.parse_single_sequence_example(serialized[0], context, lists))]
    return [list(tf.io.parse_sequence_example(serialized, context, lists))]


def barrier(tf, *, close=False, cancel=False, small=False, count=2, keys=("a", "b", "c")):
    """Three elements, of which the second one is not whole."""
    made = tf.data_flow.Barrier((tf.string, tf.float32), shapes=((), (2,)))
    steps = [made.insert_many(0, list(keys), [key * 2 for key in keys])]
    steps.append(made.insert_many(1, ["c", "d"], [[1.0, 2.0], [3.0, 4.0]]))
    steps.append(made.insert_many(1, ["a"], [[5.0, 6.0]]))
    steps.append([made.ready_size(), made.incomplete_size()])
    steps += [made.close(cancel)] if close else []
    taken = made.take_many(count, allow_small_batch=small)
    return [*steps, [taken[0], taken[1], *taken[2]]]


def barrier_after_its_end(tf, cancel, key):
    """What comes too late."""
    made = tf.data_flow.Barrier((tf.string, tf.float32), shapes=((), ()))
    first = made.insert_many(0, ["a"], ["x"])
    taken = made.take_many(1)
    late = made.insert_many(1, [key], [1.0])
    return [first, made.close(cancel), late, [taken[1], *taken[2]]]


def staged(tf, **more):
    """Two elements in, what is seen of them, and out."""
    area = tf.data_flow.StagingArea([tf.float32, tf.int32], shapes=[[2], []], **more)
    names = more.get("names")

    def put(number):
        values = [tf.constant([number, number + 0.5]), tf.constant(number, tf.int32)]
        return area.put(dict(zip(names, values)) if names else values)

    return [put(1), put(2), [area.size(), area.peek(1)], [area.get()], [area.get()], [area.size()],
            put(3), area.clear(), [area.size()]]  # fmt: skip


def staged_by_key(tf, ordered=True, **more):
    """Elements under keys 5 and 3, whole and in parts."""
    area = tf.data_flow.MapStagingArea([tf.float32, tf.int32], shapes=[[2], []], ordered=ordered,
                                       **more)  # fmt: skip
    names = more.get("names")
    pair = [tf.constant([1.0, 1.5]), tf.constant(1, tf.int32)]

    def put(key, parts=(0, 1)):
        if names:
            return area.put(tf.constant(key, tf.int64), {names[i]: pair[i] for i in parts})
        return area.put(tf.constant(key, tf.int64), [pair[i] for i in parts], list(parts))

    def key(number):
        return tf.constant(number, tf.int64)

    part = [names[1]] if names else [1]
    return [put(5), put(3), [area.size(), area.peek(key(5))], [area.peek(key(3), part)],
            [area.get()] if ordered else [area.get(key(3))], [area.size()],
            put(9, (1,)), [area.size(), area.incomplete_size()], put(9, (0,)),
            [area.size(), area.incomplete_size()], [area.get(key(9), part)], [area.size()],
            put(5, (1,)), area.clear(), [area.size(), area.incomplete_size()],
            put(4, (0,)), put(4, (0,))]  # fmt: skip


def by_sparse_features(tf, sizes, **more):
    """Values at places that other features of the Examples say."""

    def example(**features):
        lists = {name: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
                 for name, values in features.items()}  # fmt: skip
        return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()

    records = [example(x=[3, 1], y=[0, 2], v=[7, 8]), example(), example(x=[0], y=[1], v=[9])]
    asked = {"s": tf.SparseFeature(["x", "y"][: len(sizes)], "v", tf.int64, sizes, **more),
             "x": tf.VarLenFeature(tf.int64)}  # fmt: skip
    return [[tf.parse_example(records, asked)]]


def from_json(tf, texts):
    """What the Examples written in JSON hold."""
    asked = {"i": tf.VarLenFeature(tf.int64), "f": tf.VarLenFeature(tf.float32),
             "b": tf.VarLenFeature(tf.string)}  # fmt: skip
    return [[tf.parse_example(tf.decode_json_example(texts), asked)]]


def _json(kind, values, key="i"):
    return f'{{"features": {{"feature": {{"{key}": {{"{kind}": {{"value": {values}}}}}}}}}}}'


JSON = {
    "all kinds": ["""{"features": {"feature": {
        "i": {"int64List": {"value": [1, "-2"]}},
        "f": {"float_list": {"value": [1, "2.5", 1e-3, "NaN", "-Infinity"]}},
        "b": {"bytesList": {"value": ["aGVsbG8=", "-_8", ""]}}}}}"""],
    "nothing": ["{}", '{"features": {}}', '{"features": null}', '{"features": {"feature": {}}}'],
    "no list": ['{"features": {"feature": {"i": {}}}}'],
    "null for a list": ['{"features": {"feature": {"i": {"int64List": null}}}}'],
    "null for values": [_json("int64List", "null")],
    "blanks": [' {\n"features"\t: { } }\r\n'],
    "exponents": [_json("int64List", "[1.2e1, 5.0]")],
    "the largest": [_json("int64List", "[9223372036854775807, -9223372036854775808]")],
    "too large": [_json("int64List", "[9223372036854775808]")],
    "a part": [_json("int64List", "[1.5]")],
    "a great float": [_json("floatList", "[1e39]", "f")],
    "a word": [_json("floatList", '["x"]', "f")],
    "no base64": [_json("bytesList", '["*"]', "b")],
    "another field": ['{"feature": {}}'],
    "cut off": ['{"features": {'],
    "empty": [""],
    "more behind": ["{} {}"],
    "two kinds": ['{"features": {"feature": {"i": {"int64List": {}, "floatList": {}}}}}'],
    "one value": [_json("int64List", "3")],
    "a null value": [_json("int64List", "[null]")],
    "escapes": [_json("int64List", "[4]", "\\u0069")],
}  # fmt: skip

CASES = {f"csv: {name}": lambda tf, case=case: csv(tf, *case) for name, case in CSV.items()}
for _name, _messages in SEQUENCES.items():
    for _single in (True, False):
        for _may_miss in (True, False):
            _key = f"sequence: {_name}, {'one' if _single else 'many'}, {_may_miss}"
            CASES[_key] = lambda tf, a=_messages, b=_single, c=_may_miss: sequences(tf, a, b, c)
CASES |= {
    "barrier: two": barrier,
    "barrier: closed, too few": lambda tf: barrier(tf, close=True, count=5),
    "barrier: closed, small": lambda tf: barrier(tf, close=True, small=True, count=5),
    "barrier: closed, none": lambda tf: barrier(tf, close=True, cancel=True, count=3),
    "barrier: the same key": lambda tf: barrier(tf, keys=("a", "a")),
    "barrier: late part": lambda tf: barrier_after_its_end(tf, False, "a"),
    "barrier: late key": lambda tf: barrier_after_its_end(tf, False, "b"),
    "barrier: part after its end": lambda tf: barrier_after_its_end(tf, True, "a"),
    "staging: list": staged,
    "staging: names": lambda tf: staged(tf, names=["x", "y"]),
    "staging: too large": lambda tf: staged(tf, memory_limit=11),
    **{f"json: {name}": lambda tf, a=texts: from_json(tf, a) for name, texts in JSON.items()},
    "by key: ordered": staged_by_key,
    "by key: any": lambda tf: staged_by_key(tf, ordered=False),
    "by key: names": lambda tf: staged_by_key(tf, names=["x", "y"]),
    "by places: one": lambda tf: by_sparse_features(tf, [5]),
    "by places: two": lambda tf: by_sparse_features(tf, [5, 3]),
    "by places: sorted": lambda tf: by_sparse_features(tf, [5, 3], already_sorted=True),
    "staging: just fits": lambda tf: staged(tf, memory_limit=24, capacity=2),
}


CASES |= ragged_cases.CASES
CASES |= ragged_function_cases.CASES
CASES |= ragged_array_cases.CASES


def plain(value):
    """What is in an answer as JSON has it."""
    if hasattr(value, "row_splits"):
        value = {"values": value.values, "splits": value.row_splits}
    if isinstance(value, dict):
        return {str(key): plain(value[key]) for key in sorted(value)}
    if hasattr(value, "dense_shape"):
        return [plain(part) for part in (value.indices, value.values, value.dense_shape)]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None:
        return None
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.ravel()]
        return {"shape": list(array.shape), "texts": [text.decode("latin1") for text in texts]}
    numbers = [str(number) for number in array.ravel()]
    return {"shape": list(array.shape), "type": str(array.dtype), "numbers": numbers}


def answer(tf, name):
    """Return what each list of fetches of a case gives, or the name of an error that ends it."""
    given = []
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            for fetches in CASES[name](tf):
                given += [plain(session.run(fetches))]
    except (tf.errors.OpError, TypeError, ValueError) as error:
        given.append({"error": type(error).__name__})
    return given
