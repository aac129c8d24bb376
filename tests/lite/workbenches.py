"""A workshop on this machine, without a container, for a toy tree."""

import shutil
from pathlib import Path

from tests.fakes import a_host
from tests.lite_trees import CMAKE, lite_tree
from tests.shared_libraries import compile_c
from tfbuild.core.interfaces import Tools
from tfbuild.core.process import ProcessRunner
from tfbuild.facts.tables import Tables
from tfbuild.lite.plan import plan_lite
from tfbuild.lite.records import LiteLibrary, LitePlan, LiteRequest
from tfbuild.lite.workshop import Workshop


def a_plan(folder: Path, tables: Tables, *models: Path, cmake: str = CMAKE) -> LitePlan:
    """The plan of a toy tree in folder."""
    source = lite_tree(folder / "tree", cmake=cmake)
    request = LiteRequest(source=source, output=folder / "dist", models=models)
    return plan_lite(request, tables, a_host())


def a_workshop(plan: LitePlan, tools: Tools) -> Workshop:
    """Runs programs of this machine."""
    words = {"source": str(plan.tree.source), "work": str(tools.folders.work)}
    return Workshop(runner=ProcessRunner(), words=words, image="")


def a_library(plan: LitePlan, tools: Tools, text: str, *flags: str) -> LiteLibrary:
    """The toy's library and headers, as the build stage leaves them."""
    folder = tools.folders.work / "lite"
    folder.mkdir(parents=True, exist_ok=True)
    include = f"-I{plan.tree.source}"
    path = compile_c(folder, text, include, *flags, name="libtensorflow-lite.so")
    headers = _headers(plan, folder / "include")
    return LiteLibrary(
        path=path, sha256="0" * 64, size=path.stat().st_size, headers=headers,
        needs=(("libc.so.6", "libc6", "2.43"),), compiler="gcc", seconds=1.0,
    )  # fmt: skip


def _headers(plan: LitePlan, folder: Path) -> Path:
    for name in plan.tree.headers:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(plan.tree.source / name, folder / name)
    return folder
