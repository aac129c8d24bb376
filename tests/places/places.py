"""Plans of products, and this machine as their place."""

from dataclasses import replace
from pathlib import Path

from tfbuild.core.interfaces import Tools
from tfbuild.core.plans import AuditPolicy
from tfbuild.drivers.site import Site
from tfbuild.places.folders import folders_of, make_folders
from tfbuild.places.place import Place
from tfbuild.recipes.recipe import Product
from tfbuild.recipes.records import Input, ProductPlan, Step


def a_product_plan(*steps: Step, **changes: object) -> ProductPlan:
    """The plan of a product that needs nothing, on this machine."""
    plan = ProductPlan(
        id="0123456789abcdef", recipe="toy", recipe_sha256="", summary="a toy", license="MIT",
        version="1.0", target="linux-x86_64", options=(),
        source=Input(kind="folder", place="toy", version="1.0"), env="host", needs=(), steps=steps,
        product=Product(), audit=AuditPolicy(), exports=(), probes=(), archive="toy.tar.gz",
        output=Path("dist"), jobs=2,
    )  # fmt: skip
    return replace(plan, **changes)  # type: ignore[arg-type]


def a_site(tools: Tools, files: dict[str, str], name: str = "one") -> Site:
    """A site on this machine whose source code is these files; scripts are executable."""
    folders = folders_of(tools.folders.work, name)
    make_folders(folders, tools.folders.work)
    for path, text in files.items():
        target = folders.source / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o755 if text.startswith("#!") else 0o644)
    words = {
        "source": str(folders.source), "build": str(folders.build), "stage": str(folders.stage),
        "work": str(folders.root), "files": str(folders.files),
    }  # fmt: skip
    place = Place(runner=tools.runner, words=words)
    return Site(place=place, folders=folders, prefix="/opt/toy", jobs=2, tools=tools)
