"""Every kind of build obeys an option or refuses it, as the one table says; none is dropped."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.failing import fails
from tests.fakes import TINY, a_host
from tests.lite_trees import lite_tree
from tests.sample_recipes import A_BAZEL_RECIPE, A_RECIPE, a_tree, written
from tests.tensorflow_trees import make_tree
from tfbuild.cli import app as cli
from tfbuild.commands.context import read_settings
from tfbuild.commands.kinds import kind_to_build, require_typed
from tfbuild.core.build_kinds import Kind, obeys
from tfbuild.core.errors import BadRequest
from tfbuild.core.lock_file import LockedSource, LockFile, lock_text
from tfbuild.core.reporter import SilentReporter
from tfbuild.inputs.folder_copy import folder_digest
from tfbuild.run.decide import decide_product
from tfbuild.run.product_build import ProductBuild

_KINDS: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "runtime": ("runtime", ("build", "--source=runtime")),
    "cuda": ("runtime", ("build", "--source=runtime", "--cuda")),
    "tree": ("tree", ("build", "--source=tree")),
    "cc": ("cc", ("build", "--source=tree", "--cc")),
    "recipe": ("recipe", ("build", "./greet.yaml", "--source=greet", "--env=docker")),
    "bazel": ("bazel-recipe", ("build", "./hail.yaml", "--source=greet")),
    "tflite": ("tflite", ("build", "tflite", "--source=lite")),
    "workspace": ("workspace", ("build", "--workspace=space", "--target=//...")),
    "configuration": ("configuration", ("configure", "--source=tree")),
    "script": ("script", ("configure", "--source=tree", "--for=macos-arm64")),
}
_VALUES = {
    "gpu": "sm_90", "source": "other", "output": "there", "jobs": "3", "against": "numpy==2.3",
    "prefer": "newest,here", "lock": "a.lock.yaml", "image": "me:1", "cpus": "1.5", "memory": "6g",
    "pids": "4096",
    "build-file": "b.yaml", "workspace": "space2", "target": "//b", "bazel-config": "opt",
    "bazel-flag": "--copt=-O1", "override-repository": "r=runtime", "disk-cache-limit": "5g",
    "remote-cache": "http://127.0.0.1:9/a", "remote-executor": "grpc://127.0.0.1:9",
    "remote-header": "a=HOME", "remote-property": "OSFamily=linux", "verify-cache": "5%",
    "deadline": "5h", "matrix": "python=3.11,3.12", "model": "m.tflite", "for": "windows-x86_64",
}  # fmt: skip
# What an option only means something with; and what says what is built, whatever it is beside.
_BESIDE = {
    **dict.fromkeys(("image", "cpus", "memory", "pids"), "--env=docker"),
    **dict.fromkeys(("remote-header", "remote-required"), "--remote-cache=http://127.0.0.1:9/a"),
    "output": "--collect",
    "remote-property": "--remote-executor=grpc://127.0.0.1:9",
}
_VALUES_OF = {  # what only one kind takes so, or refuses for what it says
    ("recipe", "matrix"): "loud=on,off",
    ("recipe", "lock"): "greet.lock.yaml",
    ("bazel", "lock"): "hail.lock.yaml",
    ("tflite", "lock"): "tflite.lock.yaml",
    ("bazel", "matrix"): "version=1,2",
    ("tflite", "matrix"): "os=debian:bookworm,debian:trixie",
    ("tflite", "env"): "host",
}
_SAYS_THE_KIND = {"cc", "workspace", "for"}
# How it is said, and which files count: no request has these.
_IN_NO_REQUEST = {"json", "verbose", "quiet", "trust-project", "help"}
_ENTRIES = (
    "run.execute.execute", "builds.configuration.configure_source",
    "commands.build_matrix.build_matrix", "commands.configure.show_script",
)  # fmt: skip

Ask = Callable[..., tuple[int, str, object]]


class Asked(BadRequest):
    """What was asked of the chain is known, and nothing is built."""

    exit_code = 99


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with something of each kind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    for name in ("runtime", "other"):
        shutil.copytree(TINY, name, symlinks=True)
    make_tree(tmp_path / "tree", "2.14.1")
    lite_tree(tmp_path / "lite")
    a_tree(tmp_path / "greet")
    written(tmp_path, A_RECIPE)
    (tmp_path / "hail.yaml").write_text(A_BAZEL_RECIPE)
    (tmp_path / "m.tflite").touch()
    for name in ("space", "space2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "WORKSPACE").touch()
    (tmp_path / "b.yaml").write_text("configs: [opt]\n")
    trees = (("greet", "greet", "1.10"), ("hail", "greet", "1.10"), ("tflite", "lite", "2.14.1"))
    for recipe, tree, version in trees:
        digest = folder_digest(tmp_path / tree)
        source = LockedSource(recipe=recipe, version=version, sha256=digest)
        lock = LockFile(archive="a.tar.gz", archive_sha256="a" * 64, source=source)
        (tmp_path / f"{recipe}.lock.yaml").write_text(lock_text(lock))
    (tmp_path / "a.lock.yaml").write_text("schema: tfbuild.lock/2\nversions: {numpy: '2.3'}\n")
    return tmp_path


@pytest.fixture
def ask(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Calls the command line; the code, what it said, and what was asked of the chain."""
    asked: list[object] = []

    def take(*words: object, **more: object) -> None:
        if isinstance(words[0], ProductBuild):  # what it refuses it refuses when it plans
            decide_product(words[0].request, words[0].recipe, words[0].tables, words[0].tools)
        # Tools are new each time.
        what = getattr(words[0], "request", words[0] if len(words) == 3 else words)
        asked.append((what, sorted(more.items(), key=str)))
        raise Asked("known")

    for name in _ENTRIES:
        monkeypatch.setattr(f"tfbuild.{name}", take)

    def call(*words: str) -> tuple[int, str, object]:
        asked.clear()
        monkeypatch.setattr(sys, "argv", ["tfbuild", *words])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        said = " ".join(capsys.readouterr().err.split())
        return int(caught.value.code or 0), said, asked[0] if asked else None

    return call


def options_of(command: str) -> dict[str, Any]:
    """The options of a command by their long names."""
    found = typer.main.get_command(cli.app).commands[command]  # type: ignore[attr-defined]
    named = {word: option for option in found.params for word in option.opts}
    shown = {name[2:]: option for name, option in named.items() if name.startswith("--")}
    shown.pop("arch")  # another name of --gpu
    return shown


@pytest.mark.parametrize("name", _KINDS)
def test_each_option_is_obeyed_or_refused_by_each_kind(ask: Ask, name: str) -> None:
    kind, base = _KINDS[name]
    without: dict[tuple[str, ...], object] = {}
    wrong = []
    for option, parameter in options_of(base[0]).items():
        if any(word.split("=")[0] == f"--{option}" for word in base) or option in _IN_NO_REQUEST:
            continue
        value = _VALUES_OF.get((name, option)) or _VALUES.get(option, "docker")
        word = f"--{option}" if parameter.is_flag else f"--{option}={value}"
        more = _BESIDE.get(option, "")
        beside = (more,) if more and obeys(kind, more[2:].split("=")[0]) else ()
        if beside not in without:
            without[beside] = ask(*base, *beside)[2]
        code, said, after = ask(*base, *beside, word)
        is_refused = code == 2 and option in said
        is_obeyed = after is not None and after != without[beside]
        if is_refused == is_obeyed:
            wrong.append(f"{word}: taken silently, or refused without its name: {said}")
        elif (name, option) == ("tflite", "env"):
            assert is_refused, "a container alone will do, and that is said"
        elif option not in _SAYS_THE_KIND and is_obeyed != obeys(kind, option):
            wrong.append(f"{word}: the table says otherwise: {said}")
    assert wrong == []


@pytest.mark.parametrize("name", _KINDS)
def test_each_axis_is_obeyed_or_refused_by_each_kind(ask: Ask, name: str) -> None:
    kind, base = _KINDS[name]
    base = (*base, "--env=docker") if name == "bazel" else base  # for caches it stays outside
    _, _, before = ask(*base)
    for word in ("gcc=12", "os=debian:trixie", "bazel=7.7.1"):
        axis = word.split("=")[0]
        code, said, after = ask(*base, word)
        if obeys(kind, axis):
            assert after not in (None, before), word
        else:
            assert code == 2
            assert f"error[axis-not-of-kind]: {axis} " in said


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("build", "--model=m"), "option-not-of-kind", "--model"),
        (("build", "--model=m"), "option-not-of-kind", "tfbuild build tflite"),
        (("build", "--cuda", "cuda=none"), "axis-given-twice", "cuda"),
        (("build", "--gpu=sm_90", "gpu=sm_80"), "axis-given-twice", "gpu"),
        (
            ("configure", "--source=tree", "--for=macos-arm64", "--json"),
            "option-not-of-kind",
            "--json",
        ),
        (("plan", "./greet.yaml", "--matrix=python=3.11"), "matrix-axis-unknown", "'python'"),
        (
            ("plan", "--workspace=space", "--target=a", "--matrix=bazel=6.5.0"),
            "matrix-needs-collect",
            "--collect",
        ),
        (("plan", "--source=tree", "--against=numpy"), "option-not-of-kind", "--against"),
        (("plan", "--stand-ins"), "option-not-of-kind", "--workspace"),
        (
            ("build", "--workspace=space", "--target=a", "--output=b"),
            "output-without-collect",
            "--collect",
        ),
        (
            ("build", "--env=docker", "--install-system-packages"),
            "system-packages-in-container",
            "--env docker",
        ),
        (("build", "--against=numpy", "--skip-perf"), "options-contradict", "--against"),
    ],
)
def test_a_refusal_says_whose_option_it_is_and_what_works(
    ask: Ask, words: tuple[str, ...], code: str, named: str
) -> None:
    exit_code, said, asked = ask(*words)
    assert (exit_code, asked) == (2, None)
    assert f"error[{code}]: " in said
    assert named in said


def kind_of(flags: dict[str, str], *more: str) -> Kind:
    return kind_to_build(read_settings((), flags, SilentReporter()), flags, more)


def test_what_files_and_variables_say_may_be_meant_for_other_kinds(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFBUILD_SKIP_PERF", "1")
    monkeypatch.setenv("TFBUILD_CUDA", "13.0")
    assert kind_of({"workspace": "space"}) == "workspace"
    monkeypatch.setenv("TFBUILD_CC", "1")
    assert kind_of({"source": "tree"}) == "cc"
    require_typed("script", read_settings((), {"source": "tree"}, SilentReporter()), ("for",))


def test_a_tree_in_the_command_comes_before_a_workspace_of_the_project(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "pyproject.toml").write_text('[tool.tfbuild]\nworkspace = "space"\n')
    assert kind_of({}) == "workspace"
    assert kind_of({"source": "tree"}) == "tree"
    with fails("option-not-of-kind", "--model", "--workspace"):
        kind_of({}, "model")
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    assert kind_of({}) == "runtime", "a project file of another folder names none"
