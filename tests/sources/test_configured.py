"""What configure.py wrote is believed as far as its content bears it out."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.tensorflow_trees import make_tree
from tfbuild.core.errors import ConfigureFailed
from tfbuild.sources.configure_script import ConfigureScript
from tfbuild.sources.configured import change_lines, check_written, kept_safe
from tfbuild.sources.tensorflow_tree import read_tree

GOOD = """\
build --action_env PYTHON_BIN_PATH="/usr/bin/python3"
build --action_env TF_CUDA_COMPUTE_CAPABILITIES="3.5,7.0"
build --config=cuda
test:v2 --build_tag_filters=-gpu
"""


@pytest.fixture
def script(tmp_path: Path) -> ConfigureScript:
    return read_tree(make_tree(tmp_path / "script", "2.6.5")).configure


def test_what_was_asked_and_written_passes(script: ConfigureScript) -> None:
    asked = ["--action_env=PYTHON_BIN_PATH=/usr/bin/python3", "--config=cuda", "--action_env=E="]
    assert len(check_written(GOOD, asked, script).lines) == 4


def test_a_replaced_value_is_named(script: ConfigureScript) -> None:
    asked = ["--action_env=TF_CUDA_COMPUTE_CAPABILITIES=8.6", "--config=cuda_clang"]
    with fails("configure-answer-replaced") as caught:
        check_written(GOOD, asked, script)
    capabilities = "--action_env=TF_CUDA_COMPUTE_CAPABILITIES"
    first, second = sorted(caught.value.why.splitlines())
    assert f" {capabilities}=8.6, " in first and first.endswith(f" {capabilities}=3.5,7.0")
    assert " --config=cuda_clang, " in second


@pytest.mark.parametrize("lines", [0, 1, 3])
def test_a_file_that_is_cut_off_is_found_at_every_line(script: ConfigureScript, lines: int) -> None:
    cut = "".join(GOOD.splitlines(keepends=True)[:lines])
    with fails("configured-rc-cut-off", ".tf_configure.bazelrc", "test:v2 --build_tag_filters="):
        check_written(cut, [], script)


def test_a_broken_file_is_found(script: ConfigureScript) -> None:
    with fails("configured-rc-broken", ".tf_configure.bazelrc"):
        check_written('build --copt="-g\n', [], script)


def written_before(folder: Path) -> Path:
    (folder / "tools").mkdir(parents=True)
    (folder / ".tf_configure.bazelrc").write_text("before")
    return folder / ".tf_configure.bazelrc"


def test_a_failed_run_leaves_what_was_there_before(tmp_path: Path) -> None:
    path = written_before(tmp_path)
    with pytest.raises(ConfigureFailed), kept_safe(tmp_path):
        assert not path.exists()
        path.write_text("half")
        (tmp_path / "tools/python_bin_path.sh").write_text("half")
        raise ConfigureFailed("no")
    assert path.read_text() == "before"
    assert not (tmp_path / "tools/python_bin_path.sh").exists()
    assert [p.name for p in tmp_path.iterdir()] != [], "the folder itself stays"


def test_a_killed_run_counts_for_nothing(tmp_path: Path) -> None:
    path = written_before(tmp_path)
    path.rename(tmp_path / ".tf_configure.bazelrc.tfbuild-before")
    path.write_text("half, by a run that was killed")
    with pytest.raises(ConfigureFailed), kept_safe(tmp_path):
        raise ConfigureFailed("no")
    assert path.read_text() == "before"


def test_a_good_run_leaves_nothing_aside(tmp_path: Path) -> None:
    path = written_before(tmp_path)
    with kept_safe(tmp_path):
        path.write_text("after")
    assert path.read_text() == "after"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".tf_configure.bazelrc", "tools"]


def test_lines_are_changed_and_dropped(script: ConfigureScript) -> None:
    changed = change_lines(GOOD, [("build --config=cuda", ""), ("test:v2", "test --x")])
    assert "--config=cuda" not in changed
    assert changed.endswith("test --x\n")
    with fails("rc-change-not-found", "'build --config=rocm'"):
        change_lines(GOOD, [("build --config=rocm", "")])
