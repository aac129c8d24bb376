"""Flags beat the environment, the environment beats the file, and each says where it stands."""

from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.axes import axes
from tfbuild.core.settings import gather, is_yes


def write(tmp_path: Path, text: str) -> Path:
    (tmp_path / "pyproject.toml").write_text(text)
    return tmp_path


def test_precedence(tmp_path: Path) -> None:
    folder = write(tmp_path, '[tool.tfbuild]\npython = "3.10"\njobs = 1\nnumpy = "2.1"\n')
    settings = gather(
        ("python=3.12",), {"jobs": "3"}, folder, {"TFBUILD_PYTHON": "3.11", "TFBUILD_JOBS": "2"}
    )
    found = {s.name: (s.value, s.origin) for s in settings.values}
    assert found["python"] == ("3.12", "command line")
    assert found["jobs"] == ("3", "flag")
    assert found["numpy"] == ("2.1", str(tmp_path / "pyproject.toml"))


def test_the_environment_beats_the_file(tmp_path: Path) -> None:
    folder = write(tmp_path, "[tool.tfbuild]\njobs = 1\n")
    settings = gather((), {}, folder, {"TFBUILD_JOBS": "2"})
    setting = settings.get("jobs")
    assert setting
    assert (setting.value, setting.origin) == ("2", "environment, TFBUILD_JOBS")


def test_short_names_count_wherever_an_axis_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, '[tool.tfbuild]\nnp = "2.3"\npy = "3.10"\n')
    settings = gather((), {}, folder, {"TFBUILD_TF": "2.4", "TFBUILD_PY": "3.11"})
    assert {s.name: s.value for s in settings.values} == {
        "tensorflow": "2.4", "python": "3.11", "numpy": "2.3",
    }  # fmt: skip
    assert settings.warnings == ()


def test_an_option_is_not_taken_for_the_short_name_of_an_axis(tmp_path: Path) -> None:
    of_file = gather((), {}, write(tmp_path, "[tool.tfbuild]\ncc = true\n"), {})
    of_environment = gather((), {}, tmp_path / "elsewhere", {"TFBUILD_CC": "1"})
    for settings in (of_file, of_environment):
        assert is_yes(settings.get("cc"))
        assert settings.get("gpu") is None
    assert gather(("cc=8.6",), {}, tmp_path / "elsewhere", {}).text("gpu") == "8.6"


def test_one_axis_under_two_names_is_reported_with_both_places(tmp_path: Path) -> None:
    both = {"TFBUILD_PY": "3.11", "TFBUILD_PYTHON": "3.12"}
    with fails("axis-given-twice", "python", *both):
        gather((), {}, tmp_path, both)
    with fails("axis-given-twice", "python", "pyproject.toml"):
        gather((), {}, write(tmp_path, '[tool.tfbuild]\npy = "3"\npython = "3"\n'), {})


def test_the_nearest_file_with_the_table_counts(tmp_path: Path) -> None:
    write(tmp_path, '[tool.tfbuild]\npython = "3.10"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(inner, "[tool.other]\nx = 1\n")
    assert gather((), {}, inner, {}).text("python") == "3.10"


def test_folders_of_the_file_are_beside_it(tmp_path: Path) -> None:
    write(tmp_path, '[tool.tfbuild]\noutput = "out"\n')
    (tmp_path / "deep").mkdir()
    assert gather((), {}, tmp_path / "deep", {}).text("output") == str(tmp_path / "out")


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("python=3.11", "python", "3.11"),
        ("python==3.11", "python", "==3.11"),
        ("cuda>=13.0,<13.3", "cuda", ">=13.0,<13.3"),
        ("cuda=none", "cuda", "none"),
        ("gpu=RTX 3090", "gpu", "RTX 3090"),
        ("tensorflow=2.15", "tensorflow", "2.15"),
        ("os=ubuntu:22.04", "os", "ubuntu:22.04"),
        ("Platform=linux/arm64", "platform", "linux/arm64"),
        ("driver>=450.80", "driver", ">=450.80"),
        ("tf=2.4", "tensorflow", "2.4"),
        ("py>=3.11", "python", ">=3.11"),
        ("NP=2.3", "numpy", "2.3"),
    ],
)
def test_words(tmp_path: Path, word: str, name: str, value: str) -> None:
    assert gather((word,), {}, tmp_path, {}).text(name) == value


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("pyhton=3.11",), "axis-unknown", "'python'"),
        (("3.11",), "not-axis-spec", "python=3.11"),
        (("python=",), "not-axis-spec", "python=3.11"),
        (("python=3.11", "python=3.12"), "axis-given-twice", "3.12"),
        (("python=3.11", "py=3.12"), "axis-given-twice", "3.12"),
        (("glbc=2.28",), "axis-unknown", "'glibc'"),
        (("tensorflow=\x1b[31m",), "setting-not-printable", "tensorflow"),
        (("gpu=RTX\n3090",), "setting-not-printable", "gpu"),
        (("python=3.11\u202e",), "setting-not-printable", "python"),
    ],
)
def test_wrong_words_get_a_remedy(
    tmp_path: Path, words: tuple[str, ...], code: str, named: str
) -> None:
    with fails(code, named) as caught:
        gather(words, {}, tmp_path, {})
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("[tool.tfbuild\n", "project-file-unreadable", ""),
        ("[tool.tfbuild]\njbos = 1\n", "project-key-unknown", "'jbos'"),
        ("[tool.tfbuild]\njobs = 1.5\n", "project-value-type", "jobs"),
        ("[tool]\ntfbuild = 3\n", "project-table-wrong", "tool.tfbuild"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, text: str, code: str, named: str) -> None:
    with fails(code, "pyproject.toml", named) as caught:
        gather((), {}, write(tmp_path, text), {})
    assert caught.value.hint


def test_a_variable_with_control_characters_is_refused(tmp_path: Path) -> None:
    with fails("setting-not-printable", "TFBUILD_PYTHON"):
        gather((), {}, tmp_path, {"TFBUILD_PYTHON": "3.11\x1b[2J"})


def test_an_unknown_variable_is_a_warning(tmp_path: Path) -> None:
    known = {"TFBUILD_CACHE_DIR": "/x", "TFBUILD_VENV": "/y", "TFBUILD_DEBUG": "1"}
    settings = gather((), {}, tmp_path, {"TFBUILD_JBOS": "1", **known})
    assert settings.values == ()
    (warning,) = settings.warnings
    assert (warning.code, warning.text) == (
        "variable-unknown", "TFBUILD_JBOS is set, but means nothing to tfbuild",
    )  # fmt: skip


def test_yes_and_no(tmp_path: Path) -> None:
    settings = gather((), {}, tmp_path, {"TFBUILD_SKIP_PERF": "perhaps"})
    with fails("not-true-or-false", "skip-perf", "'perhaps'"):
        is_yes(settings.get("skip-perf"))
    assert not is_yes(settings.get("jobs"))


def test_how_to_choose_is_set_like_anything_else(tmp_path: Path) -> None:
    folder = write(tmp_path, '[tool.tfbuild]\nstrict = true\nlock = "a.lock.yaml"\n')
    settings = gather((), {}, folder, {"TFBUILD_PREFER": "here,newest"})
    assert is_yes(settings.get("strict"))
    assert settings.text("prefer") == "here,newest"
    assert settings.text("lock") == str(tmp_path / "a.lock.yaml"), "beside the file"


def test_every_axis_can_be_requested_for(tmp_path: Path) -> None:
    for axis in axes():
        assert gather((f"{axis}=1",), {}, tmp_path, {}).text(axis) == "1"


@pytest.mark.parametrize(
    ("flags", "environ"),
    [({"trust-project": "true"}, {}), ({}, {"TFBUILD_TRUST_PROJECT": "1"})],
    ids=["option", "variable"],
)
def test_the_users_word_for_a_project_file(
    tmp_path: Path, flags: dict[str, str], environ: dict[str, str]
) -> None:
    folder = write(tmp_path, '[tool.tfbuild]\nremote-cache = "http://cache"\njobs = 2\n')
    assert gather((), {}, folder, {}).text("remote-cache") == ""
    settings = gather((), flags, folder, environ)
    assert settings.text("remote-cache") == "http://cache"
    assert settings.warnings == ()


def test_no_file_gives_the_users_word(tmp_path: Path) -> None:
    said = '[tool.tfbuild]\ntrust-project = true\nremote-cache = "http://cache"\n'
    settings = gather((), {}, write(tmp_path, said), {})
    assert settings.values == ()
    assert [warning.text.split()[0] for warning in settings.warnings] == [
        "trust-project",
        "remote-cache",
    ]


def test_what_a_project_file_decides_is_known(tmp_path: Path) -> None:
    folder = write(tmp_path, '[tool.tfbuild]\npython = "3.10"\njobs = 1\nagainst = "x"\n')
    assert gather((), {"jobs": "2"}, folder, {}).of_project() == ("python",)
    assert gather(("python=3.11",), {"jobs": "2"}, folder, {}).of_project() == ()
    assert gather((), {}, Path("/"), {}).of_project() == ()


def test_an_option_and_a_word_of_one_axis_agree_or_are_reported(tmp_path: Path) -> None:
    assert gather(("cuda=13.0",), {"cuda": "any"}, tmp_path, {}).text("cuda") == "13.0"
    with fails("axis-given-twice", "cuda", "none (command line)"):
        gather(("cuda=none",), {"cuda": "any"}, tmp_path, {})
    with fails("axis-given-twice", "gpu", "sm_80", "sm_90"):
        gather(("gpu=sm_80",), {"gpu": "sm_90"}, tmp_path, {})
    assert gather(("cuda=none",), {}, tmp_path, {"TFBUILD_CUDA": "any"}).text("cuda") == "none"


def test_what_is_longer_than_any_version_is_not_read(tmp_path: Path) -> None:
    long = "(" * 100_000
    (tmp_path / "file").mkdir()
    write(tmp_path / "file", f'[tool.tfbuild]\ncuda = "{long}"\n')
    for words, flags, folder, environ in (
        ((f"gpu={long}",), {}, tmp_path, {}),
        ((), {"gpu": long}, tmp_path, {}),
        ((), {}, tmp_path, {"TFBUILD_OS": long}),
        ((), {}, tmp_path / "file", {}),
    ):
        with fails("spec-too-long", "100,000") as caught:
            gather(words, flags, folder, environ)
        assert len(caught.value.why) < 100
    assert gather(("gpu=" + ",".join(["RTX 3090"] * 80),), {}, tmp_path, {}).text("gpu")
