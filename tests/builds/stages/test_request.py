"""Constraints to a Request."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import TINY
from tfbuild.builds.stages.request import make_request, requested_pins
from tfbuild.core.records import Request
from tfbuild.core.settings import gather


def request(*words: str, **flags: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in flags.items()}
    return make_request(gather(words, {"source": str(TINY), **named}, Path("/"), {}))


def test_the_default_is_the_cpu_recipe_into_dist() -> None:
    made = request()
    assert (made.recipe, made.output, made.source_version) == ("cpu", Path.cwd() / "dist", "0.1.0")


@pytest.mark.parametrize(
    ("words", "flags", "recipe", "architectures"),
    [
        ((), {"cuda": "any"}, "cuda", ()),
        (("cuda=13.0",), {}, "cuda", ()),
        (("gpu=sm_90, RTX 3090",), {}, "cuda", ("sm_90", "RTX 3090")),
        (("cuda=none",), {}, "cpu", ()),
    ],
)
def test_cuda_words(
    words: tuple[str, ...], flags: dict[str, str], recipe: str, architectures: tuple[str, ...]
) -> None:
    made = request(*words, **flags)
    assert (made.recipe, made.architectures) == (recipe, architectures)


@pytest.mark.parametrize(
    ("text", "size"), [("6g", 6144), ("1.5GB", 1536), ("4000m", 4000), ("900", 900), ("2GiB", 2048)]
)
def test_the_limits_of_a_container(text: str, size: int) -> None:
    made = request(env="docker", memory=text, cpus="1.5", image="mine:1")
    assert (made.env, made.image, made.cpus, made.memory_mb) == ("docker", "mine:1", 1.5, size)


def test_pins_keep_their_origin() -> None:
    (pin,) = request("python>=3.11").pins
    assert (pin.axis, pin.spec, pin.origin) == ("python", ">=3.11", "command line")


@pytest.mark.parametrize(
    ("words", "flags", "code"),
    [
        (("python=none",), {}, "axis-not-optional"),
        (("gcc=none",), {}, "axis-not-optional"),
        (("cuda=none", "gpu=sm_90"), {}, "cuda-gpu-contradict"),
        ((), {"jobs": "0"}, "jobs-no-number"),
        ((), {"jobs": "many"}, "jobs-no-number"),
        ((), {"jobs": "²"}, "jobs-no-number"),
        ((), {"jobs": "٤"}, "jobs-no-number"),
        ((), {"jobs": "9" * 5000}, "jobs-no-number"),
        ((), {"env": "docker", "cpus": "٤"}, "cpus-no-number"),
        ((), {"env": "docker", "memory": "٤g"}, "memory-no-size"),
        ((), {"env": "podman"}, "env-is-podman"),
        (("gpu=none",), {"cuda": "any"}, "cuda-gpu-contradict"),
        (("cuda=13.0", "gpu=none"), {}, "cuda-gpu-contradict"),
        ((), {"output": str(TINY / "WORKSPACE")}, "output-no-folder"),
        ((), {"output": str(TINY / "WORKSPACE" / "below")}, "output-no-folder"),
        ((), {"env": "vm"}, "env-unknown"),
        ((), {"memory": "4g"}, "option-needs-container"),
        ((), {"env": "docker", "cpus": "two"}, "cpus-no-number"),
        ((), {"env": "docker", "pids": "two"}, "pids-no-number"),
        ((), {"env": "docker", "pids": "9"}, "pids-no-number"),
        ((), {"pids": "4096"}, "option-needs-container"),
        ((), {"env": "docker", "cpus": "0"}, "cpus-no-number"),
        ((), {"env": "docker", "cpus": "9" * 400}, "cpus-no-number"),
        ((), {"env": "docker", "cpus": "5000"}, "cpus-no-number"),
        ((), {"env": "docker", "memory": "9" * 400 + "g"}, "memory-no-size"),
        ((), {"env": "docker", "memory": "999999999999g"}, "memory-no-size"),
        ((), {"env": "docker", "memory": "lots"}, "memory-no-size"),
        ((), {"env": "docker", "memory": "6m"}, "memory-too-small"),
        (("os=none",), {}, "axis-not-optional"),
        (("tensorflow=2.15.0",), {}, "tensorflow-needs-tree"),
    ],
)
def test_wrong_constraints_end_in_two_with_a_remedy(
    words: tuple[str, ...], flags: dict[str, str], code: str
) -> None:
    with fails(code) as caught:
        request(*words, **flags)
    assert caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("words", "flags", "code"),
    [
        (("python=three",), {}, "not-a-range"),
        (("python>=3.9,<3.8",), {}, "range-empty"),
        ((), {"source": "/nowhere"}, "source-tree-missing"),
        ((), {"skip_perf": "perhaps"}, "not-true-or-false"),
        ((), {"strict": "perhaps"}, "not-true-or-false"),
    ],
)
def test_words_that_mean_nothing_end_in_two(
    words: tuple[str, ...], flags: dict[str, str], code: str
) -> None:
    with fails(code):
        request(*words, **flags)


@pytest.mark.parametrize("content", [b"\xff", b"", b"latest", b"1." * 2000, b"9" * 900])
def test_a_source_tree_says_its_version(tmp_path: Path, content: bytes) -> None:
    for name in ("WORKSPACE", "configure.py"):
        (tmp_path / name).touch()
    (tmp_path / "version.txt").write_bytes(content)
    with fails("version-file-wrong", str(tmp_path / "version.txt")) as caught:
        request(source=str(tmp_path))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("word", "spec"),
    [("python=py311", "py311"), ("os=ubuntu 22.04", "ubuntu 22.04"), ("cuda=cu130", "cu130"),
     ("gcc>=9,<13", ">=9,<13"), ("platform=linux/amd64", "linux/amd64"), ("clang=none", "none"),
     ("h5py=none", "none"), ("cpu=avx2", "avx2")],
)  # fmt: skip
def test_words_are_kept_as_a_person_wrote_them(word: str, spec: str) -> None:
    (pin,) = request(word).pins
    assert pin.spec == spec


def test_what_says_nothing_is_no_pin() -> None:
    assert request("python=any").pins == ()
    assert [pin.axis for pin in request("cuda=any").pins] == ["cuda"], "it says: with CUDA"


def test_how_to_choose_is_kept() -> None:
    made = request(prefer="newest", strict="yes")
    assert (made.prefer, made.strict) == ("newest", True)


def locked(*words: str, flags: dict[str, str] | None = None, **versions: str) -> Request:
    named = {"source": str(TINY)} | (flags or {})
    return make_request(gather(words, named, Path("/"), {}), versions)


def test_a_lock_is_a_constraint_on_every_axis_that_it_holds() -> None:
    made = locked(runtime="0.1.0", python="3.11", cuda="13.0", gpu="8.6,9.0", os="debian 12")
    pins = {pin.axis: (pin.spec, pin.origin) for pin in made.pins}
    assert pins["python"] == ("3.11", "lock")
    assert pins["os"] == ("debian 12", "lock")
    assert (made.recipe, made.architectures) == ("cuda", ("8.6", "9.0"))
    assert locked(cuda="none", python="3.11").recipe == "cpu"


def test_architectures_stand_apart_by_blanks_in_a_builds_lock() -> None:
    assert locked(cuda="13.0", gpu="sm_86 compute_90").architectures == ("sm_86", "compute_90")
    assert locked(cuda="none", os="debian 12").pins[-1].spec == "debian 12"


def test_a_constraint_beside_a_lock_may_say_the_same() -> None:
    made = locked("python=3.11", flags={"cuda": "any"}, python="3.11", cuda="13.0")
    assert {pin.axis: pin.spec for pin in made.pins} == {"python": "3.11", "cuda": "13.0"}


@pytest.mark.parametrize(
    ("words", "flags"),
    [(("python=3.12",), {}), (("cuda=13.2",), {}), (("cuda=none",), {}), ((), {"gpu": "sm_75"})],
)
def test_a_constraint_against_the_lock_is_refused(
    words: tuple[str, ...], flags: dict[str, str]
) -> None:
    with fails("request-not-of-lock", "tfbuild resolve --lock"):
        locked(*words, flags=flags, python="3.11", cuda="13.0", gpu="8.6")


def test_a_lock_for_tensorflow_needs_its_sources() -> None:
    with fails("tensorflow-needs-tree", "tensorflow=2.6.5"):
        locked(tensorflow="2.6.5", python="3.9", cuda="none")


def test_cuda_against_a_lock_without_cuda_is_refused() -> None:
    with fails("request-not-of-lock", "cuda=any"):
        locked(flags={"cuda": "any"}, python="3.11", cuda="none")


def test_a_folder_without_the_needed_files_says_which(tmp_path: Path) -> None:
    with fails("source-tree-unknown", "configure.py"):
        request(source=str(tmp_path))


def test_a_tensorflow_tree_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "tensorflow.bzl").touch()
    with fails("source-tree-incomplete", "configure.py"):
        request(source=str(tmp_path))


def test_the_error_for_podman_says_how_its_containers_are_asked_for() -> None:
    with fails("env-is-podman", "--env docker"):
        request(env="podman")


@pytest.mark.parametrize("word", ["python=3.11,3.12", "os=debian 12,debian 13", "cuda=none,13.0"])
def test_the_error_for_a_list_of_versions_says_how_to_build_each(word: str) -> None:
    settings = gather((word,), {"source": str(TINY)}, Path("/"), {})
    for ask in (make_request, requested_pins):
        with fails("several-versions-asked", f"--matrix {word}"):
            ask(settings)


def test_resolve_hears_the_same_of_its_constraints() -> None:
    with fails("range-empty", ">=3.9,<3.8"):
        requested_pins(gather(("python>=3.9,<3.8",), {}, Path("/"), {}))
    with fails("cuda-gpu-contradict", "cuda=any", "gpu=none"):
        requested_pins(gather(("cuda=any", "gpu=none"), {}, Path("/"), {}))
