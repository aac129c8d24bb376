"""A toy tree's library, unpacked as its users have it, under trial on this machine."""

import json
import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.lite_trees import LIBRARY, lite_tree
from tests.places.places import a_product_plan
from tests.shared_libraries import compile_c, real_tools
from tfbuild.core.interfaces import Tools
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Completed
from tfbuild.lite import smoke
from tfbuild.lite.tree import read_lite_tree
from tfbuild.places.place import Place
from tfbuild.products.trial import OpenPlace, Trial
from tfbuild.recipes.recipe import Product
from tfbuild.recipes.records import ProductPlan

SONAME = "libtensorflow-lite.so"
SAME = "ok 0.978 -1.624 0.06"  # twice the first numbers of the generator


class Bench:
    """The toy's library with its headers, a model of the user that ends the process, and tools."""

    def __init__(self, folder: Path) -> None:
        self.source = lite_tree(folder / "tree")
        self.dies = folder / "dies.tflite"
        self.dies.write_text("DIE\n")
        self.tools: Tools = real_tools(folder)
        place = Place(runner=ProcessRunner(), words={})
        self.open_bare: OpenPlace = lambda: nullcontext(place)
        product = Product(libraries=(f"lib/{SONAME}",))
        self.plan: ProductPlan = a_product_plan(product=product, models=(self.dies,))
        unpacked = folder / "product"
        for name in read_lite_tree(self.source).headers:
            (unpacked / "include" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.source / name, unpacked / "include" / name)
        (unpacked / "lib").mkdir()
        flags = (f"-I{self.source}", f"-Wl,-soname,{SONAME}")
        compile_c(unpacked / "lib", LIBRARY, *flags, name=SONAME)
        given, work = folder / "given", folder / "work"
        self.trial = Trial(product=unpacked, given=given, work=work, place=place, promised=product)


def litert_says(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What LiteRT is to do with each model: `ok 1 2 3` are its outputs, empty no result."""
    theirs: dict[str, str] = {}

    @contextmanager
    def no_venv(*_: object, **__: object) -> Iterator[None]:
        yield None

    def probe(_: object, __: object, ___: str, words: tuple[str, str], **____: object) -> Completed:
        said = theirs.get(Path(words[0]).name.partition("-")[2], "")
        if said.startswith("ok "):
            Path(words[1]).write_bytes(struct.pack("<3f", *map(float, said.split()[1:])))
            return Completed(code=0, stdout='{"ending": "ok", "said": "float32:12"}')
        line = json.dumps({"ending": said, "said": "so"}) if said else ""
        return Completed(code=0, stdout=line)

    monkeypatch.setattr(smoke, "open_venv", no_venv)
    monkeypatch.setattr(smoke, "run_probe", probe)
    monkeypatch.setattr(smoke, "resolve_requirements", lambda *_, **__: ())
    monkeypatch.setattr(smoke, "fetch", lambda *_, **__: ())
    return theirs
