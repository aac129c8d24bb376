"""The build file: every key, every mistake with its place."""

import hashlib
from pathlib import Path

import pytest

from tests.failing import fails
from tests.tensorflow_trees import make_tree
from tfbuild.core.errors import BadRequest
from tfbuild.facts.tables import Tables
from tfbuild.sources.build_file import check_build_file, planned_patches, read_build_file
from tfbuild.sources.tensorflow_tree import read_tree

WHOLE = """\
variables: {TF_ENABLE_XLA: '0'}
configs: [opt, nogcp]
copt: [-O3]
host_copt: [-O1]
per_file_copt: ['//tensorflow/x.cc@-O0']
define: {xnn_enable_avxvnniint8: 'false'}
repo_env: {A: '1'}
action_env: {B: '2'}
host_action_env: {C: '3'}
system_libs: [zlib]
distdir: [archives]
override_repository: {rules_cc: standins/rules_cc}
startup: [--host_jvm_args=-Xmx4g]
flags: [--crosstool_top=//x]
targets: ['//tensorflow:libtensorflow.so']
wheel_name: mine
patches: []
rc_changes: [{line: build --config=xla}]
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "tensorflow.build.yaml"
    path.write_text(text)
    return path


def test_everything_that_packagers_do_can_be_said(tmp_path: Path) -> None:
    said = read_build_file(write(tmp_path, WHOLE))
    assert said.options() == (
        "--config=opt", "--config=nogcp", "--copt=-O3", "--host_copt=-O1",
        "--per_file_copt=//tensorflow/x.cc@-O0", "--define=xnn_enable_avxvnniint8=false",
        "--repo_env=A=1", "--action_env=B=2", "--host_action_env=C=3",
        f"--distdir={tmp_path}/archives",
        f"--override_repository=rules_cc={tmp_path}/standins/rules_cc",
        "--crosstool_top=//x",
    )  # fmt: skip
    assert said.startup == ("--host_jvm_args=-Xmx4g",)
    assert (said.rc_changes[0].line, said.rc_changes[0].to) == ("build --config=xla", "")


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert read_build_file(write(tmp_path, "")).options() == ()


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("copts: [-O3]\n", "build-file-key-unknown", ("'copts'", "'copt'")),
        ("- copt\n", "build-file-not-mapping", ()),
        ("patches: {a: b}\n", "build-file-not-list", ("patches",)),
    ],
)
def test_a_key_that_is_none_or_holds_something_else(
    tmp_path: Path, text: str, code: str, named: tuple[str, ...]
) -> None:
    with fails(code, "tensorflow.build.yaml", *named):
        read_build_file(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("copt: -O3\n", "field copt"),
        ("patches: [{file: a}]\n", "sha256"),
        ("patches: [{file: a, sha256: b, releases: new}]\n", "new"),
        ("rc_changes: [{from: a}]\n", "rc_changes, entry 1"),
        ("copt: [\n", "not valid YAML"),
    ],
)
def test_a_mistake_has_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read_build_file(write(tmp_path, text))
    assert words in f"{caught.value.message} {caught.value.why} {caught.value.hint}"
    with fails("file-unreadable", "gone.yaml"):
        read_build_file(tmp_path / "gone.yaml")


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("configs: [nogpc]\n", "tree-config-unknown", ("--config=nogpc", "'nogcp'")),
        ("configs: [noaws]\n", "tree-config-unknown", ("--config=noaws", "<2.18")),
        ("flags: [crosstool]\n", "build-flag-invalid", ("'crosstool'", "--crosstool")),
        ("repo_env: {A-B: '1'}\n", "variable-name-invalid", ("'A-B'",)),
        (
            "system_libs: [zlib]\nvariables: {TF_SYSTEM_LIBS: curl}\n",
            "system-libraries-twice",
            ("TF_SYSTEM_LIBS",),
        ),
    ],
)
def test_what_the_tree_does_not_have_is_refused(
    tables: Tables, tmp_path: Path, text: str, code: str, named: tuple[str, ...]
) -> None:
    tree = read_tree(make_tree(tmp_path / "tree", "2.21.0"))
    with fails(code, *named):
        check_build_file(read_build_file(write(tmp_path, text)), tree, tables.variables())


def test_patches_are_chosen_by_release_and_known_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "one.patch").write_text("one")
    digest = hashlib.sha256(b"one").hexdigest()
    said = read_build_file(
        write(
            tmp_path,
            f"patches:\n- {{file: one.patch, sha256: {digest}, releases: '>=2.6,<2.7'}}\n"
            f"- {{file: gone.patch, sha256: {digest}, releases: '<2'}}\n",
        )
    )
    (patch,) = planned_patches(said, "2.6.5")
    assert (patch.name, patch.sha256, patch.strip) == ("one.patch", digest, 1)
    with fails("patch-unreadable", "gone.patch"):
        planned_patches(said, "1.15.5")
    (tmp_path / "one.patch").write_text("two")
    with fails("patch-hash-mismatch", "one.patch"):
        planned_patches(said, "2.6.5")
