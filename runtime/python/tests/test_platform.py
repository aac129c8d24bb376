"""What a program uses of its surroundings: flags, logging, files, texts."""

import logging

import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.platform import flags


@pytest.fixture
def values():
    made = flags.FlagValues()
    options = {"flag_values": made}
    flags.DEFINE_integer("steps", 3, "how many", lower_bound=0, **options)
    flags.DEFINE_float("rate", 0.5, "how fast", **options)
    flags.DEFINE_boolean("go", True, "whether", **options)
    flags.DEFINE_string("name", None, "who", short_name="n", **options)
    flags.DEFINE_enum("kind", "a", ["a", "b"], "which", **options)
    return made


def test_flags_are_read_in_all_their_forms(values):
    rest = values(["prog", "--steps=7", "-rate", "0.25", "--nogo", "x", "-n", "me", "--kind", "b",
                   "--", "--steps=1"])  # fmt: skip
    assert rest == ["prog", "x", "--steps=1"]
    assert (values.steps, values.rate, values.go, values.name, values.kind) == (
        7, 0.25, False, "me", "b",
    )  # fmt: skip
    assert values.flag_values_dict()["steps"] == 7
    assert "(default: 3)" in values.get_help()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--nix"], flags.UnrecognizedFlagError),
        (["--steps=x"], flags.IllegalFlagValueError),
        (["--steps=-1"], flags.IllegalFlagValueError),
        (["--steps"], flags.Error),
        (["--go=perhaps"], flags.IllegalFlagValueError),
        (["--nogo=1"], flags.IllegalFlagValueError),
        (["--kind=c"], flags.IllegalFlagValueError),
    ],
)
def test_wrong_flags_are_errors(values, words, error):
    with pytest.raises(error):
        values(["prog", *words])


def test_a_flag_is_defined_once_and_set_by_its_type(values):
    with pytest.raises(flags.DuplicateFlagError):
        flags.DEFINE_integer("steps", 1, "", flag_values=values)
    values.mark_as_parsed()
    values.steps = "12"
    assert values.steps == 12
    with pytest.raises(AttributeError):
        values.nothing  # noqa: B018


def test_app_run_calls_main_with_what_is_no_flag(python):
    script = (
        "import sys, tfbuild_runtime.compat.v1 as tf\n"
        "tf.app.flags.DEFINE_integer('steps', 1, '')\n"
        "def main(argv): print(argv[1:], tf.flags.FLAGS.steps); return 0\n"
        "sys.argv = ['p', '--steps=4', 'rest', '--unknown=1']\n"
        "tf.app.run()\n"
    )
    assert python(script).split() == ["['rest',", "'--unknown=1']", "4"]


def test_messages_have_levels(capsys, monkeypatch):
    logger = logging.getLogger("tensorflow")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    before = logger.level
    try:
        tf.logging.set_verbosity(tf.logging.INFO)
        tf.logging.info("a %d", 1)
        tf.logging.debug("hidden")
        for _ in range(3):
            tf.logging.log_first_n(tf.logging.WARN, "twice", 2)
        text = capsys.readouterr().err
    finally:
        logger.setLevel(before)
    assert "test_platform.py" in text and "] a 1\n" in text
    assert "hidden" not in text
    assert text.count("twice") == 2
    assert tf.logging.WARN == logging.WARNING


def test_files(tmp_path):
    folder = str(tmp_path / "a" / "b")
    tf.gfile.MakeDirs(folder)
    tf.gfile.MakeDirs(folder)
    path = f"{folder}/x.txt"
    with tf.gfile.GFile(path, "w") as file:
        file.write("one\r\ntwo\n")
    assert tf.gfile.Open(path).readline() == "one\n"
    assert tf.gfile.FastGFile(path, "rb").read() == b"one\r\ntwo\n"
    assert tf.gfile.GFile(path, "rb").readlines() == [b"one\n", b"two\n"]
    assert list(tf.gfile.GFile(path)) == ["one\n", "two\n"]
    assert tf.gfile.Glob(f"{folder}/*.txt") == [path]
    assert tf.gfile.ListDirectory(str(tmp_path)) == ["a"]
    tf.gfile.Copy(path, f"{folder}/y.txt")
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.gfile.Copy(path, f"{folder}/y.txt")
    tf.gfile.Rename(f"{folder}/y.txt", path, overwrite=True)
    assert tf.gfile.Stat(path).length == 9
    assert [files for _, _, files in tf.gfile.Walk(str(tmp_path))] == [[], [], ["x.txt"]]
    tf.gfile.DeleteRecursively(f"{tmp_path}/a")
    assert not tf.gfile.Exists(folder)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match=r"x\.txt"):
        tf.gfile.GFile(f"{tmp_path}/x.txt").read()
    with pytest.raises(tf.errors.NotFoundError):
        tf.gfile.ListDirectory(f"{tmp_path}/x")
    with pytest.raises(tf.errors.UnimplementedError, match="gs"):
        tf.gfile.Exists("gs://bucket/x")


def test_texts():
    assert tf.compat.as_bytes("ä") == b"\xc3\xa4"
    assert tf.compat.as_text(b"\xc3\xa4") == tf.compat.as_str("ä") == "ä"
    assert tf.compat.as_str_any(3) == "3"
    with pytest.raises(TypeError):
        tf.compat.as_bytes(3)


def test_a_test_case_has_sessions():
    class Case(tf.test.TestCase):
        def runTest(self):  # noqa: N802
            with self.test_session():
                self.assertAllClose(tf.constant([1.0, 2.0]) * 2, [2.0, 4.0])
                self.assertAllEqual(self.evaluate(tf.range(2)), [0, 1])
            with self.assertRaisesOpError("assertion failed"), self.cached_session() as session:
                session.run(tf.Assert(tf.constant(False), ["no"]))
            self.assertAllEqual([1], [2])

    result = Case().run()
    assert len(result.failures) == 1
    assert "Mismatched elements: 1 / 1" in result.failures[0][1]


def test_files_have_the_names_of_the_module_of_tensorflow(tmp_path):
    from tfbuild_runtime.compat.internal import python

    file_io = python.lib.io.file_io
    folder = str(tmp_path / "a" / "b")
    file_io.recursive_create_dir(folder)
    file_io.write_string_to_file(f"{folder}/one.txt", "words")
    file_io.atomic_write_string_to_file(f"{folder}/two.txt", "more")
    assert file_io.read_file_to_string(f"{folder}/one.txt", binary_mode=True) == b"words"
    assert sorted(file_io.list_directory(folder)) == ["one.txt", "two.txt"]
    assert len(file_io.get_matching_files([f"{folder}/o*", f"{folder}/t*"])) == 2
    with pytest.raises(tf.errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(f"{folder}/two.txt", "again", overwrite=False)
    assert file_io.read_file_to_string(f"{folder}/two.txt") == "more"
    file_io.delete_file(f"{folder}/two.txt")
    assert not file_io.file_exists(f"{folder}/two.txt")
    assert sorted(file_io.list_directory(folder)) == ["one.txt"]
