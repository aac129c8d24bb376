"""Which pyproject.toml counts, and what of it."""

import os
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tests.failing import fails
from tfbuild.core.project_file import read_project_table
from tfbuild.core.trust import user_name

DANGEROUS = '[tool.tfbuild]\nsource = "src"\ninstall-system-packages = true\npython = "3.12"\n'


def write(folder: Path, text: str = DANGEROUS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text(text)
    return path


def test_the_table_of_the_folder_itself_counts_whole(tmp_path: Path) -> None:
    path = write(tmp_path)
    found = read_project_table(tmp_path, is_agreed=True)
    assert dict(found.values) == {
        "source": "src",
        "install-system-packages": "true",
        "python": "3.12",
    }
    assert (found.path, found.warnings) == (path, ())


@as_root
def test_the_file_of_another_user_is_ignored_with_his_name(tmp_path: Path) -> None:
    path = write(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    os.chown(path, NOBODY, -1)
    for folder in (tmp_path, inner):
        found = read_project_table(folder)
        assert found.values == ()
        assert str(path) in found.warnings[0].text
        assert user_name(NOBODY) in found.warnings[0].text
    path.write_text("[tool.other]\n")
    assert read_project_table(tmp_path).warnings == (), "there was nothing to ignore"


def test_a_file_that_everybody_can_write_is_ignored(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.chmod(0o666)
    found = read_project_table(tmp_path)
    assert found.values == ()
    assert "can be written by everybody" in found.warnings[0].text


def test_a_file_in_a_folder_that_everybody_can_write_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    write(folder)
    folder.chmod(0o777)
    found = read_project_table(folder)
    assert found.values == ()
    assert f"{folder} can be written by everybody" in found.warnings[0].text


def test_a_trusted_file_above_an_ignored_one_counts(tmp_path: Path) -> None:
    write(tmp_path, '[tool.tfbuild]\npython = "3.10"\n')
    write(tmp_path / "inner").chmod(0o666)
    found = read_project_table(tmp_path / "inner")
    assert dict(found.values) == {"python": "3.10"}
    assert len(found.warnings) == 1


def test_a_folder_above_names_no_code_to_run(tmp_path: Path) -> None:
    path = write(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    found = read_project_table(inner)
    assert dict(found.values) == {"python": "3.12"}
    assert [str(path) in one.text for one in found.warnings] == [True, True]
    assert found.warnings[0].text.startswith("source ")
    (tmp_path / ".git").mkdir()
    assert len(read_project_table(inner, is_agreed=True).values) == 3, "a checkout is one project"


def test_a_source_that_others_can_change_is_ignored(tmp_path: Path) -> None:
    write(tmp_path)
    source = tmp_path / "src"
    source.mkdir()
    (source / "configure.py").touch()
    assert not read_project_table(tmp_path, is_agreed=True).warnings
    (source / "configure.py").chmod(0o666)
    found = read_project_table(tmp_path, is_agreed=True)
    assert "source" not in dict(found.values)
    assert "configure.py can be written by everybody" in found.warnings[0].text


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe", "project-file-unreadable"),
        (b"x = " + b"[" * 5000, "project-file-unreadable"),
        (b"x = " + b"9" * 5000, "project-file-unreadable"),
        (b"tool = 3\n", "project-table-wrong"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes, code: str) -> None:
    path = write(tmp_path)
    path.write_bytes(content)
    with fails(code, str(path)) as caught:
        read_project_table(tmp_path)
    assert caught.value.hint


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pyproject.toml")
    assert read_project_table(tmp_path).values == ()


@pytest.mark.parametrize("output", ["../elsewhere", "/elsewhere", "out/../../elsewhere", "link"])
def test_nothing_is_delivered_out_of_the_project_for_a_files_sake(
    tmp_path: Path, output: str
) -> None:
    project = tmp_path / "project"
    write(project, f'[tool.tfbuild]\noutput = "{output}"\n')
    (project / "link").symlink_to(tmp_path)
    found = read_project_table(project)
    assert found.values == ()
    assert "leads out of" in found.warnings[0].text
    write(project, '[tool.tfbuild]\noutput = "out/wheels"\n')
    assert dict(read_project_table(project).values) == {"output": "out/wheels"}


@pytest.mark.parametrize("key", ["lock", "build-file"])
def test_nothing_outside_of_the_project_is_read_for_a_files_sake(tmp_path: Path, key: str) -> None:
    project = tmp_path / "project"
    write(project, f'[tool.tfbuild]\n{key} = "../secret.yaml"\n')
    found = read_project_table(project)
    assert found.values == ()
    assert f"{key} in " in found.warnings[0].text
    assert "leads out of" in found.warnings[0].text


def test_a_null_character_is_reported_with_its_key(tmp_path: Path) -> None:
    write(tmp_path, '[tool.tfbuild]\noutput = "di\\u0000st"\n')
    with fails("project-null-character", "output", str(tmp_path)):
        read_project_table(tmp_path)


def test_no_file_names_a_variable_to_send_away(tmp_path: Path) -> None:
    path = write(tmp_path, '[tool.tfbuild]\nremote-header = ["x-a=SECRET"]\njobs = 2\n')
    found = read_project_table(tmp_path)
    assert dict(found.values) == {"jobs": "2"}
    assert str(path) in found.warnings[0].text
    assert "TFBUILD_REMOTE_HEADER" in found.warnings[0].text


@pytest.mark.parametrize(
    "key",
    [
        *("remote-cache", "remote-executor", "remote-property", "install-system-packages"),
        *("against", "image", "disk-cache-limit", "bazel-flag"),
    ],
)
def test_what_reaches_beyond_the_project_needs_the_users_word(tmp_path: Path, key: str) -> None:
    write(tmp_path, f'[tool.tfbuild]\n{key} = "x"\n')
    found = read_project_table(tmp_path)
    assert found.values == ()
    assert "--trust-project" in found.warnings[0].text
    assert dict(read_project_table(tmp_path, is_agreed=True).values) == {key: "x"}


@pytest.mark.parametrize("key", ["output", "lock", "build-file", "source", "workspace"])
def test_a_list_of_one_is_judged_as_the_text_that_it_becomes(tmp_path: Path, key: str) -> None:
    project, theirs = tmp_path / "project", tmp_path / "theirs"
    theirs.mkdir()
    for name in ("configure.py", "WORKSPACE"):
        (theirs / name).touch()
        (theirs / name).chmod(0o666)
    write(project, f'[tool.tfbuild]\n{key} = ["../theirs"]\n')
    found = read_project_table(project, is_agreed=True)
    assert found.values == ()
    assert f"{key} in " in found.warnings[0].text


def test_a_table_is_no_value(tmp_path: Path) -> None:
    write(tmp_path, "[tool.tfbuild.output]\nfolder = 1\n")
    with fails("project-value-type", "output", str(tmp_path)):
        read_project_table(tmp_path)
