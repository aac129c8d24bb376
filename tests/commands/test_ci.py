"""What `tfbuild ci` writes, and where."""

from pathlib import Path
from typing import Literal

import pytest

from tests.failing import fails
from tfbuild.ci.wheels import WHEELS
from tfbuild.commands import ci
from tfbuild.commands.ci import CiOptions, pipeline_text, write_pipeline
from tfbuild.facts.installed import open_tables


def test_the_file_says_how_to_write_it_again() -> None:
    options = CiOptions(
        system="github", words=("python=3.11",), minutes=90, install=".", output="x"
    )
    first = pipeline_text(options).splitlines()[0]
    expected = "tfbuild ci github python=3.11 --minutes 90 --install ."
    assert first == f"# Written by `{expected}`:"


@pytest.mark.parametrize("system", ["github", "gitlab"])
@pytest.mark.parametrize(
    "install", ["a${{ github.event.issue.title }}", "a' ${{ secrets.TOKEN }}", "$[[ inputs.what ]]"]
)
def test_an_expression_of_the_system_is_refused(
    system: Literal["github", "gitlab"], install: str
) -> None:
    with fails("pipeline-holds-expression", "--install") as caught:
        pipeline_text(CiOptions(system=system, install=install))
    assert caught.value.hint


@pytest.mark.parametrize("system", ["github", "gitlab"])
@pytest.mark.parametrize(
    "install",
    [
        *(
            "tfbuild-chain @ https://me:word@place.example/x.whl",
            "https://word@place.example/x.whl",
        ),
        *(
            "https://place.example/x.whl?token=word",
            f"git+ssh://me:word@place.example/x@{'0' * 40}",
        ),
        f"git+https://me:@{'0' * 40}@place.example/x@{'0' * 40}",
    ],
)
def test_a_login_is_not_written_into_a_file_that_is_committed(
    system: Literal["github", "gitlab"], install: str
) -> None:
    with fails("pipeline-holds-secret", "netrc"):
        pipeline_text(CiOptions(system=system, install=install))
    with fails("pipeline-holds-secret"):
        pipeline_text(CiOptions(system=system, install=".", image="me:word@place.example/image"))


@pytest.mark.parametrize(
    "install",
    [
        f"git+ssh://git@place.example/x.git@{'0a' * 20}",
        f"tfbuild-chain @ git+https://place.example:8443/x.git@{'0a' * 20}",
        "https://place.example:8443/x.whl#sha256=0a",
    ],
)
def test_a_port_a_commit_and_the_name_of_a_key_are_no_login(install: str) -> None:
    assert install in pipeline_text(CiOptions(system="github", install=install))


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_a_variable_in_what_is_installed_is_no_variable(
    system: Literal["github", "gitlab"],
) -> None:
    text = pipeline_text(CiOptions(system=system, install="./$HOME `id`"))
    assert "pip install './$HOME `id`'" in text


def test_the_checkout_is_installed_unless_something_else_is_named() -> None:
    for system in ("github", "gitlab"):
        lines = [
            line.strip(" -")
            for line in pipeline_text(CiOptions(system=system)).splitlines()
            if "pip install" in line and "twine==" not in line
        ]
        assert lines and {line.rpartition("python -I -m ")[2] for line in lines} == {
            "pip install ."
        }
    named = f"tfbuild-chain @ git+https://place.example/tfbuild@{'0' * 40}"
    assert f"pip install '{named}'" in pipeline_text(CiOptions(system="gitlab", install=named))


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_a_name_that_is_not_ours_is_never_written(
    system: Literal["github", "gitlab"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with fails("install-not-known", "--install"):
        pipeline_text(CiOptions(system=system))
    with fails("install-other-program", "'tfbuild==0.1.0'"):
        pipeline_text(CiOptions(system=system, install="tfbuild==0.1.0"))


def test_stdout_or_a_file_hold_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_pipeline(CiOptions(system="gitlab"))
    out = capsys.readouterr().out
    write_pipeline(CiOptions(system="gitlab", output=str(tmp_path / "a" / ".gitlab-ci.yml")))
    assert (tmp_path / "a" / ".gitlab-ci.yml").read_text() == out
    assert capsys.readouterr().out == ""


def test_the_runner_and_the_image_can_be_named() -> None:
    assert "runs-on: mine\n" in pipeline_text(CiOptions(system="github", image="mine"))
    assert "image: mine:1\n" in pipeline_text(CiOptions(system="gitlab", image="mine:1"))


def test_what_cannot_be_is_refused() -> None:
    with fails("pipeline-minutes-few", "--minutes"):
        pipeline_text(CiOptions(system="github", minutes=1))
    with fails("pipeline-option-multiline"):
        pipeline_text(CiOptions(system="github", install="a\nb"))


@pytest.mark.parametrize("system", ["github", "gitlab"])
@pytest.mark.parametrize("word", ["python=3.11,3.99", "cuda=none,12.1"])
def test_a_pipeline_that_cannot_pass_is_not_written(
    system: Literal["github", "gitlab"], word: str, tmp_path: Path
) -> None:
    with fails("cells-not-on-runner", "1 of 2") as caught:
        write_pipeline(CiOptions(system=system, words=(word,), output=str(tmp_path / "a.yml")))
    assert word.rpartition(",")[2] in caught.value.why
    assert not (tmp_path / "a.yml").exists()


def test_the_folders_settings_travel_to_the_runner_and_this_machines_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TFBUILD_GCC", "16")
    assert pipeline_text(CiOptions(system="github", install="."))
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\ngcc = "16"\n')
    with fails("cells-not-on-runner", "gcc 16"):
        pipeline_text(CiOptions(system="github", install="."))


def test_gitlab_cells_are_judged_in_the_image_of_their_python() -> None:
    assert pipeline_text(CiOptions(system="gitlab", words=("python=3.12,3.13", "gcc=12")))
    with fails("cells-not-on-runner", "python:3.13-bookworm"):
        pipeline_text(CiOptions(system="gitlab", words=("python=3.13", "gcc=14")))
    assert pipeline_text(CiOptions(system="github", words=("python=3.13", "gcc=14")))


def test_settings_that_are_ignored_are_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.tfbuild]\npython = "3.12"\n')
    path.chmod(0o666)
    named = f"tfbuild-chain @ git+https://place.example/tfbuild@{'0' * 40}"
    write_pipeline(CiOptions(system="gitlab", words=("python=3.11,3.12",), install=named))
    captured = capsys.readouterr()
    assert captured.err.count("is ignored") == 1
    assert str(path) not in captured.out


# --- recipes -----------------------------------------------------------------------------------

RECIPE = """\
name: greet
summary: Says hello
license: MIT
source:
  url: https://example.org/greet-{version}.tar.gz
  releases: {'1.10': '%s'}
options:
  loud:
    help: says it loudly
    default: off
    choices: {on: {needs: [nasm]}, off: {}}
build: {system: cmake}
product: {licenses: [LICENSE]}
probes: {runs: {run: [bin/greet]}}
""" % ("a" * 64)


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_a_recipe_by_its_name(system: Literal["github", "gitlab"]) -> None:
    text = pipeline_text(CiOptions(system=system, words=("dav1d", "asm=on,off"), install="."))
    assert f"# Written by `tfbuild ci {system} dav1d asm=on,off " in text
    words = '"version=$OPTION_VERSION" "asm=$OPTION_ASM"'
    assert f"tfbuild build dav1d {words} --deadline 50m" in text
    packages = next(line for line in text.splitlines() if "--no-install-recommends" in line)
    assert "meson" in packages


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_a_recipe_of_the_repository(
    system: Literal["github", "gitlab"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ci & co" / "greet.yaml"
    path.parent.mkdir()
    path.write_text(RECIPE)
    monkeypatch.chdir(tmp_path)
    named = f"tfbuild-chain @ git+https://place.example/tfbuild@{'0' * 40}"
    options = CiOptions(system=system, words=("ci & co/greet.yaml", "loud=on"), install=named)
    text = pipeline_text(options)
    assert """tfbuild plan './ci & co/greet.yaml' "version=$OPTION_VERSION" """ in text
    path.write_text(RECIPE.replace("[nasm]", "[nosm]"))
    with fails("recipe-need-unknown", "line 11", "'nosm'", "'nasm'"):
        pipeline_text(options)


def test_in_containers_nothing_is_installed_on_the_machine() -> None:
    options = CiOptions(system="github", words=("dav1d", "os=debian:bookworm"), install=".")
    text = pipeline_text(options)
    assert "apt-get" not in text
    assert '"os=$OPTION_OS" --env docker' in text


@pytest.mark.parametrize("system", ["github", "gitlab"])
@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("dav1e",), "recipe-unknown", "'dav1e'"),
        (("dav1d", "asn=on"), "recipe-option-unknown", "'asn'"),
        (("dav1d", "asm=onn"), "recipe-choice-unknown", "'onn'"),
        (("dav1d", "python=3.11"), "recipe-option-unknown", "'python'"),
        (("tensorflow-cc",), "pipeline-not-for-kind", "tensorflow-cc"),
        (("tflite",), "pipeline-recipe-unreleased", "tflite"),
        (("workspace",), "pipeline-not-for-kind", "workspace"),
        (("tensorflow",), "pipeline-source-not-named", "pyproject.toml"),
    ],
)
def test_what_is_no_recipe_or_no_option_is_not_written(
    system: Literal["github", "gitlab"],
    words: tuple[str, ...],
    code: str,
    named: str,
    tmp_path: Path,
) -> None:
    output = tmp_path / "a.yml"
    with fails(code, named) as caught:
        write_pipeline(CiOptions(system=system, words=words, install=".", output=str(output)))
    assert caught.value.hint
    assert not output.exists()


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_the_runtime_by_its_name_is_the_pipeline_of_wheels(
    system: Literal["github", "gitlab"],
) -> None:
    plain = pipeline_text(CiOptions(system=system, words=("python=3.12",), install="."))
    named = pipeline_text(CiOptions(system=system, words=("runtime", "python=3.12"), install="."))
    assert named.splitlines()[1:] == plain.splitlines()[1:]


def test_the_wheel_of_a_tree_that_the_folders_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\nsource = "tree"\n')
    assert ci._what(
        CiOptions(system="github", words=("tensorflow", "python=3.12")), open_tables()
    ) == (WHEELS, (("python", ("3.12",)),))
