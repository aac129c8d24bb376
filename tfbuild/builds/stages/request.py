"""Constraints to a Request: every word is checked here, so that later stages need not."""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

from tfbuild.builds.services import read_services
from tfbuild.core.axes import axes, is_word
from tfbuild.core.deadline import read_deadline
from tfbuild.core.environments import EnvironmentKind
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import data_folder, named_path, nearest_there
from tfbuild.core.records import Pin, Request
from tfbuild.core.safe_files import read_inside
from tfbuild.core.settings import Setting, Settings, is_yes
from tfbuild.core.source_date import source_date
from tfbuild.core.versions import check_range, contains, did_you_mean, minor, parse_version
from tfbuild.facts.names import version_word
from tfbuild.sources.recognition import TreeKind, recognise
from tfbuild.sources.tensorflow_tree import TensorFlowTree, read_tree

# How to get a source tree, and how to name it.
TREE_HINT = (
    "`git clone --depth 1 --branch vX.Y.Z https://github.com/tensorflow/tensorflow` gets the tree; "
    "name its folder with --source"
)
_WORDS = {"any", "none"}
_LEAST_PIDS = 256  # a Java with its compilers
_LEAST_MEMORY_MB = 64
_LARGEST_VERSION = 100  # bytes of a version.txt
_MOST_CPUS = 4096
_MOST_MEMORY_MB = 1 << 30  # a petabyte
_ALWAYS = {"gcc", "glibc"}  # a build of ours links with both, whatever compiles it


def make_request(settings: Settings, locked: Mapping[str, str] | None = None) -> Request:
    """The Request that the constraints mean; BadRequest names the first one that cannot be.

    locked holds the versions of a lock file: they are constraints like any other.
    """
    settings = _with_lock(settings, locked or {})
    source_date()  # a broken one is an error here, and not when the wheel is packed an hour later
    source = _source(settings.text("source"))
    jobs, cpus, memory_mb = limits_of(settings)
    kind = recognise(source)
    device = _device(settings)
    pins = read_pins(settings)
    if kind == "tensorflow":
        tree = read_tree(source)
        version = tree.release
        pins = _pins_of_tree(tree, device, pins)
    else:
        version = _version_of(source)
    _check_target(settings, version if kind == "tensorflow" else "")
    _check_build_file(settings, kind)
    recipe = device if kind == "runtime" else f"tensorflow_{device}"
    return Request(
        recipe=recipe,
        source=source,
        source_version=version,
        output=_output(settings.text("output") or "dist"),
        pins=pins,
        architectures=_architectures(settings, device),
        jobs=jobs,
        against=read_against(settings.text("against")),
        install_system_packages=is_yes(settings.get("install-system-packages")),
        skip_perf=is_yes(settings.get("skip-perf")),
        prefer=settings.text("prefer"),
        strict=is_yes(settings.get("strict")),
        env=read_env(settings),
        image=settings.text("image"),
        cpus=cpus,
        memory_mb=memory_mb,
        pids=pids_of(settings),
        services=read_services(settings),
        deadline=read_deadline(settings.text("deadline"), dt.datetime.now().astimezone()),
        build_file=_path(settings.text("build-file")),
        product="cc" if is_yes(settings.get("cc")) else "wheel",
    )


def read_against(text: str) -> tuple[str, ...]:
    """The wheels and requirements of a list with commas: those within one of them part nothing."""
    words = re.split(r",(?![^\[]*\])(?!\s*[<>=!~])", text)
    return tuple(word.strip() for word in words if word.strip())


def limits_of(settings: Settings) -> tuple[int, float, int]:
    """Jobs, processors and megabytes that were asked for, 0 where nothing was; or BadRequest."""
    return (
        read_jobs(settings.text("jobs")),
        _cpus(settings.text("cpus")),
        _memory_mb(settings.text("memory")),
    )


def pids_of(settings: Settings) -> int:
    """How many processes and threads a container may have, 0 where nobody says; or BadRequest."""
    text = settings.text("pids")
    if text and not (re.fullmatch(r"[0-9]{1,9}", text) and int(text) >= _LEAST_PIDS):
        raise BadRequest(
            f"pids is '{text}'",
            code="pids-no-number",
            hint=f"write a number of {_LEAST_PIDS} or more, such as --pids=4096",
        )
    return int(text or 0)


def _device(settings: Settings) -> str:
    cuda, gpu = settings.text("cuda"), settings.text("gpu")
    if cuda == "none":
        if gpu not in {"", "none"}:
            raise BadRequest(
                f"cuda=none and gpu={gpu} contradict each other",
                code="cuda-gpu-contradict",
                hint="leave one of them out",
            )
        return "cpu"
    return "cuda" if cuda or gpu not in {"", "none"} else "cpu"


def _source(text: str) -> Path:
    """The folder of the source tree, the bundled one where none is named."""
    return named_path(text).absolute() if text else data_folder("runtime")


def _path(text: str) -> str:
    return str(named_path(text).absolute()) if text else ""


def _check_build_file(settings: Settings, kind: TreeKind) -> None:
    """BadRequest where something is said that is meant for a TensorFlow tree alone."""
    for name in ("build-file", "cc"):
        if kind == "runtime" and (setting := settings.get(name)) and setting.value != "false":
            raise BadRequest(
                f"{name} ({setting.origin}) is meant for a TensorFlow source tree",
                code="option-needs-tree",
                hint="name the tree with --source, or leave it out",
            )


def _pins_of_tree(tree: TensorFlowTree, device: str, asked: tuple[Pin, ...]) -> tuple[Pin, ...]:
    """What was asked, and what the tree takes where nothing was; its release is no question."""
    pins = tuple(pin for pin in asked if pin.axis != "tensorflow")
    own = {"python": tree.pythons}
    if device == "cuda" and tree.fetches_cuda:
        own |= {"cuda": tuple(dict.fromkeys(map(minor, tree.cuda_releases)))}
    for axis, versions in own.items():
        if versions and not any(pin.axis == axis and pin.spec != "any" for pin in pins):
            pins = tuple(pin for pin in pins if pin.axis != axis)
            spec = " | ".join(f"=={version}" for version in versions)
            pins += (Pin(axis=axis, spec=spec, origin="the lists of the source tree"),)
    return pins


def _version_of(source: Path) -> str:
    """What the version.txt of a source tree says; BadRequest where it is no version."""
    path = source / "version.txt"
    try:
        text = read_inside(source, path, _LARGEST_VERSION).strip()
        parse_version(text)
    except (OSError, ValueError, BadRequest) as error:
        raise BadRequest(
            f"{path} holds no version",
            code="version-file-wrong",
            why=str(error),
            hint="write one in it, such as 0.1.0",
        ) from error
    return text


def _output(text: str) -> Path:
    folder = named_path(text).absolute()
    place = nearest_there(folder)
    if not place.is_dir():
        raise BadRequest(
            f"{place} is not a folder", code="output-no-folder", hint="name a folder with --output"
        )
    return folder


def read_jobs(text: str) -> int:
    """How many actions at once; 0 for none said, BadRequest for what is no such number."""
    if not text:
        return 0
    if not re.fullmatch("[0-9]{1,4}", text) or not 1 <= int(text) <= 4096:
        raise BadRequest(
            f"jobs is '{text}'",
            code="jobs-no-number",
            hint="write a whole number from 1, such as --jobs=4",
        )
    return int(text)


def read_env(settings: Settings) -> EnvironmentKind:
    """Where to build; BadRequest when that is unknown, or a container is limited that is none."""
    named = settings.text("env") or "host"
    if named == "podman":
        raise BadRequest(
            "env is 'podman', which is no environment of its own",
            code="env-is-podman",
            why="a container is opened with whichever engine answers, Docker or Podman",
            hint="write --env docker; the variable DOCKER_HOST names the engine's socket",
        )
    env = next((kind for kind in get_args(EnvironmentKind) if kind == named), None)
    if env is None:
        raise BadRequest(
            f"env is '{named}'",
            code="env-unknown",
            hint=did_you_mean(named, get_args(EnvironmentKind)),
        )
    for name in ("image", "cpus", "memory", "pids"):
        if env == "host" and (setting := settings.get(name)):
            raise BadRequest(
                f"{name}={setting.value} ({setting.origin}) is meant for a container",
                code="option-needs-container",
                hint="add --env docker, or leave it out",
            )
    kind: EnvironmentKind = env
    return kind


def _cpus(text: str) -> float:
    if not text:
        return 0.0
    if (
        not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text)
        or not 0.01 <= float(text) <= _MOST_CPUS
    ):
        raise BadRequest(
            f"cpus is '{text}'",
            code="cpus-no-number",
            hint="write a number, such as --cpus=2 or --cpus=1.5",
        )
    return float(text)


def _memory_mb(text: str) -> int:
    """Megabytes of 6g, 6GB, 6000m or 6000; BadRequest for what no compiler could live with."""
    if not text:
        return 0
    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,9})?) ?([mg]?)i?b?", text.lower())
    size = int(float(found[1]) * (1024 if found[2] == "g" else 1)) if found else 0
    hint = "write for example --memory=6g or --memory=4000m"
    if not found or size > _MOST_MEMORY_MB:
        raise BadRequest(f"memory is '{text}'", code="memory-no-size", hint=hint)
    if size < _LEAST_MEMORY_MB:
        why = f"a container needs at least {_LEAST_MEMORY_MB} MB"
        raise BadRequest(f"memory is '{text}'", code="memory-too-small", why=why, hint=hint)
    return size


def read_pins(settings: Settings) -> tuple[Pin, ...]:
    """The constraints on all axes but gpu; BadRequest for one that is no version and no range."""
    _check_gpu(settings)
    pins = []
    for axis, row in axes().items():
        setting = settings.get(axis)
        if setting is None or axis == "gpu" or (setting.value == "any" and axis != "cuda"):
            continue
        _check_one(setting)
        if setting.value not in _WORDS and not is_word(axis):
            check_range(version_word(axis, setting.value))
        elif setting.value == "none" and (not row.is_optional or axis in _ALWAYS):
            raise BadRequest(
                f"{axis}=none is not possible",
                code="axis-not-optional",
                hint=f"write a version: {axis}=...",
            )
        pins.append(Pin(axis=axis, spec=setting.value, origin=setting.origin))
    return tuple(pins)


def spoken_pins(settings: Settings) -> tuple[Pin, ...]:
    """The constraints on all axes in the words of a person, whatever they mean."""
    found = (settings.get(axis) for axis in axes())
    return tuple(
        Pin(axis=setting.name, spec=setting.value, origin=setting.origin)
        for setting in found
        if setting is not None
    )


def requested_pins(settings: Settings) -> tuple[Pin, ...]:
    """The constraints on all axes, GPUs as they were named."""
    gpu = settings.get("gpu")
    if gpu is None or gpu.value == "any":
        return read_pins(settings)
    return (*read_pins(settings), Pin(axis="gpu", spec=gpu.value, origin=gpu.origin))


def _check_gpu(settings: Settings) -> None:
    """BadRequest where CUDA is asked for, and no GPU."""
    cuda, gpu = settings.get("cuda"), settings.get("gpu")
    if cuda and gpu and gpu.value == "none" and cuda.value != "none":
        raise BadRequest(
            f"cuda={cuda.value} ({cuda.origin}) and gpu=none ({gpu.origin}) contradict each other",
            code="cuda-gpu-contradict",
            hint="leave one of them out, or write cuda=none for a build without CUDA",
        )


def _check_one(setting: Setting) -> None:
    """BadRequest where several versions are asked for: a build has one."""
    if "," in setting.value and not set("<>=!~") & set(setting.value):
        raise BadRequest(
            f"{setting.name}={setting.value} ({setting.origin}) is a list, and a build has one",
            code="several-versions-asked",
            hint=f"give one, or a range; for a build of each: --matrix {setting.name}="
            f"{setting.value}",
        )


def _check_target(settings: Settings, release: str) -> None:
    """BadRequest where another TensorFlow is asked for than the tree is; empty: it is none."""
    setting = settings.get("tensorflow")
    if setting is None or setting.value in {"none", "any"}:
        return
    if not release:
        raise BadRequest(
            f"tensorflow={setting.value} needs a TensorFlow source tree",
            code="tensorflow-needs-tree",
            why="without --source the bundled runtime is built",
            hint=f"{TREE_HINT}; `tfbuild resolve tensorflow={setting.value}` shows what it takes",
        )
    if not contains(version_word("tensorflow", setting.value), release):
        raise BadRequest(
            f"tensorflow={setting.value} ({setting.origin}), but the source tree is {release}",
            code="tensorflow-not-of-tree",
            hint="leave tensorflow out, or name the tree of that release",
        )


def _with_lock(settings: Settings, locked: Mapping[str, str]) -> Settings:
    """The settings and the lock; BadRequest where a constraint and the lock differ."""
    found = list(settings.values)
    for axis, text in locked.items():
        value = _one_spec(text)
        setting = settings.get(axis)
        if setting is not None and not _agrees(axis, setting.value, value):
            raise BadRequest(
                f"{axis}={setting.value} ({setting.origin}) and the lock's {axis}={value} differ",
                code="request-not-of-lock",
                hint="leave one of them out, or write a new lock with `tfbuild resolve --lock`",
            )
        found = [setting for setting in found if setting.name != axis]
        found.append(Setting(name=axis, value=value, origin="lock"))
    return replace(settings, values=tuple(found))


def _one_spec(value: str) -> str:
    """The value as a spec: a lock separates architectures by blanks, a constraint by commas."""
    words = value.split()
    is_list = len(words) > 1 and all(word.startswith(("sm_", "compute_")) for word in words)
    return ",".join(words) if is_list else value


def _agrees(axis: str, asked: str, value: str) -> bool:
    """Whether a constraint allows the value of a lock; GPUs and systems must be written alike."""
    if asked == value or (asked == "any" and value != "none"):
        return True
    if axis == "gpu" or is_word(axis) or {asked, value} & _WORDS:
        return False
    return contains(version_word(axis, asked), value)


def _architectures(settings: Settings, device: str) -> tuple[str, ...]:
    words = settings.text("gpu")
    if device == "cpu" or words in {"", "any"}:
        return ()
    return tuple(word.strip() for word in words.split(",") if word.strip())
