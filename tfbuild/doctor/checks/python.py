"""Pythons: headers, environments, numpy, and whether an extension compiles against them."""

import sys

from tfbuild.core.records import Interpreter
from tfbuild.core.versions import minor
from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    accepts,
    build_compiler,
    container_remedy,
    error_line,
    failed,
    install,
    passed,
    skipped,
    softened,
    warned,
)

_ASK_NUMPY = """
from importlib.metadata import PackageNotFoundError, version
try:
    print(version("numpy"))
except PackageNotFoundError:
    print("none")
"""
_EXTENSION = """
#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "probe"};
PyMODINIT_FUNC PyInit_probe(void) { return PyModule_Create(&module); }
"""


def headers(context: CheckContext) -> CheckResult:
    """Interpreters of the requested versions that have Python.h."""
    known = _known(context)
    ready = [p for p in known if p.headers]
    if ready:
        return passed(", ".join(f"{p.version} ({p.path})" for p in ready))
    here = ", ".join(p.version for p in known or context.tools.host.pythons) or "no Python"
    detail = f"no Python {context.needs.python} with its headers; here: {here}"
    remedy = container_remedy(context.packages, "python", context.needs.python)
    result = failed(detail, remedy or _install(context, "dev", "devel"))
    return _unless_fetched(context, result)


def venv(context: CheckContext) -> CheckResult:
    """Whether environments can be made, in which wheels are tried."""
    if any(p.can_venv for p in _known(context) or context.tools.host.pythons):
        return passed("can make environments")
    detail = "the module venv is missing; smoke and perf need it"
    return failed(detail, _install(context, "venv", "libs"))


def numpy(context: CheckContext) -> CheckResult:
    """Which numpy each interpreter has; builds that fetch their own need none."""
    needs, known = context.needs, _known(context)
    if not known:
        return skipped(f"there is no Python {needs.python} here".strip())
    found = [(p, context.ask(p.path, "-I", "-B", "-c", _ASK_NUMPY).text.strip()) for p in known]
    detail = ", ".join(f"Python {p.version}: {version or 'no answer'}" for p, version in found)
    if "numpy" in needs.fetches:
        return passed(f"{detail}; the build fetches its own")
    if any(accepts(needs.numpy, version) for _, version in found if version[:1].isdigit()):
        return passed(detail)
    package = f"numpy{needs.numpy}" if needs.numpy[:1] in "<>=" else f"numpy=={needs.numpy}.*"
    fix = f"{found[0][0].path} -m pip install '{package}'"
    return warned(f"{detail}; numpy {needs.numpy or 'of any version'} is needed", fix)


def extension(context: CheckContext) -> CheckResult:
    """Whether an extension module compiles against the headers: pyconfig.h is often elsewhere."""
    ready = [p for p in _known(context) if p.headers]
    compiler = build_compiler(context)
    if not ready:
        return skipped("no Python with headers here")
    if not compiler:
        return skipped("no compiler here")
    source = context.write("probe.cc", _EXTENSION)
    answer = context.ask(
        compiler.path, "-std=c++17", "-fsyntax-only", f"-I{ready[0].headers}", source
    )
    if answer.is_ok:
        return passed(f"compiles for {ready[0].version}")
    detail = f"does not compile against {ready[0].headers}: {error_line(answer.text)}"
    return _unless_fetched(context, failed(detail, _install(context, "dev", "devel", ready[0])))


# --- inside ------------------------------------------------------------------------------------


def _known(context: CheckContext) -> list[Interpreter]:
    return [p for p in context.tools.host.pythons if accepts(context.needs.python, p.version)]


def _unless_fetched(context: CheckContext, result: CheckResult) -> CheckResult:
    """What a build brings along itself cannot make it fail."""
    return softened(result) if "python" in context.needs.fetches else result


def _install(
    context: CheckContext, debian: str, fedora: str, python: Interpreter | None = None
) -> str:
    """How to get a part of the Python that a build would take."""
    running = next((p for p in context.tools.host.pythons if p.path == sys.executable), None)
    choices = [python, *_known(context), running]
    version = next((minor(p.version) for p in choices if p), "3")
    return install(context.tools, f"python{version}-{debian}", f"python{version}-{fedora}")


CHECKS = (
    CheckSpec(
        group="python", name="headers", looks_at="interpreters with their headers", look=headers
    ),
    CheckSpec(group="python", name="venv", looks_at="whether environments can be made", look=venv),
    CheckSpec(
        group="python",
        name="numpy",
        looks_at="numpy of each interpreter",
        look=numpy,
        seconds=0.3,
        needs_folder=True,
    ),
    CheckSpec(
        group="python",
        name="extension",
        looks_at="an extension module compiled against the headers",
        look=extension,
        seconds=0.3,
        needs_folder=True,
    ),
)
