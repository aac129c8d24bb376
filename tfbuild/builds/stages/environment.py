"""Opens the environment of a plan on this machine: Bazel, compiler, Python, wheels, CUDA."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tfbuild.bazel.folders import require_usable
from tfbuild.builds.tool_choice import find_compiler, find_python, is_release
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import HostEnvironment, Tools
from tfbuild.core.plans import Plan
from tfbuild.core.records import Interpreter, Lock, Toolchain
from tfbuild.core.run_folder import make_work
from tfbuild.doctor.survey import find_compilers, find_pythons
from tfbuild.fetch.bazel import provide_bazel
from tfbuild.fetch.cache import hold_cache
from tfbuild.fetch.cuda_toolkit import assemble_toolkit
from tfbuild.fetch.debian import install_packages
from tfbuild.fetch.wheelhouse import unpack_all

_DEBIAN = {"debian", "ubuntu", "linuxmint", "pop", "raspbian"}
_FEDORA = {"fedora", "rhel", "centos", "rocky", "almalinux", "amzn"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lack:
    """Something the machine does not have, and the packages that bring it."""

    what: str
    debian: str
    fedora: str


@contextmanager
def open_environment(plan: Plan, tools: Tools) -> Iterator[HostEnvironment]:
    """This machine, with everything ready that the plan needs.

    What comes from outside is fetched into the cache first. Raises EnvironmentFailed with the
    very command that installs what is missing, FetchFailed and DiskFull. While it is open,
    nothing is pruned from the cache.
    """
    require_usable(plan.source, tools.folders)
    make_work(tools.folders.work)
    with hold_cache(tools.folders.cache):
        tools = _with_packages(plan, tools)
        python = find_python(plan, tools.host.pythons)
        compiler = find_compiler(plan, tools.host.compilers)
        assert python and compiler, "what is missing was reported above"
        install = plan.environment.install_system_packages and tools.host.is_root
        bazel = provide_bazel(plan.bazel, tools, install=install)
        folders = unpack_all(plan.artifacts, tools, python=python.path)
        wheels = tuple(zip(plan.artifacts, folders, strict=True))
        toolkit = tuple(wheel for wheel in wheels if wheel[0].kind == "cuda")
        chain = Toolchain(
            bazel=bazel.path,
            bazel_version=bazel.version,
            bazel_origin=bazel.origin,
            python=python.path,
            python_version=python.version,
            python_headers=python.headers,
            compiler=compiler.path,
            compiler_version=compiler.version,
            source=plan.source,
            cache=tools.folders.cache,
            work=tools.folders.work,
            artifacts=tuple((artifact.distribution, folder) for artifact, folder in wheels),
            cuda=str(assemble_toolkit(toolkit, tools)) if toolkit else "",
            lock=Lock(plan_id=plan.id, artifacts=plan.artifacts),
        )
        yield HostEnvironment(toolchain=chain, tools=tools)


def _with_packages(plan: Plan, tools: Tools) -> Tools:
    """The tools, with what was missing installed where that is allowed; EnvironmentFailed else."""
    lacks = _lacks(plan, tools)
    if not lacks:
        return tools
    if plan.environment.install_system_packages and tools.host.distribution in _DEBIAN:
        install_packages(tuple(lack.debian for lack in lacks), tools)
        host = replace(
            tools.host,
            compilers=find_compilers(tools.runner),
            pythons=find_pythons(tools.runner),
        )
        tools = replace(tools, host=host)
        lacks = _lacks(plan, tools)
        if not lacks:
            return tools
    what = " and ".join(lack.what for lack in lacks)
    raise EnvironmentFailed(
        f"this machine has no {what}", code="build-tools-missing", hint=_remedy(lacks, tools)
    )


def _lacks(plan: Plan, tools: Tools) -> list[_Lack]:
    lacks = []
    if not find_compiler(plan, tools.host.compilers):
        gcc, is_exact = plan.compiler.preferred, plan.compiler.accepted[:1] not in "<>!~"
        name = f"g++-{gcc.partition('.')[0]}" if is_exact else "g++"
        what = f"g++ {gcc}" if is_exact else f"C++ compiler (g++ {plan.compiler.accepted})"
        lacks.append(_Lack(what=what, debian=name, fedora="gcc-c++"))
    if not find_python(plan, tools.host.pythons):
        lacks.append(_python_lack(plan.versions.value("python"), tools.host.pythons))
    return lacks


def _python_lack(version: str, pythons: Sequence[Interpreter]) -> _Lack:
    """Headers where the interpreter is there, else the interpreter as well."""
    bare = [p for p in pythons if is_release(p.version, version)]
    what = f"headers of Python {version} ({bare[0].path})" if bare else f"Python {version}"
    return _Lack(what=what, debian=f"python{version}-dev", fedora=f"python{version}-devel")


def _remedy(lacks: Sequence[_Lack], tools: Tools) -> str:
    sudo = "" if tools.host.is_root else "sudo "
    if tools.host.distribution in _DEBIAN:
        names = " ".join(lack.debian for lack in lacks)
        also = ", or give --install-system-packages" if tools.host.is_root else ""
        return f"run: {sudo}apt-get install --no-install-recommends {names}{also}"
    if tools.host.distribution in _FEDORA:
        return f"run: {sudo}dnf install {' '.join(lack.fedora for lack in lacks)}"
    return f"install {' and '.join(lack.what for lack in lacks)} with your package manager"
