"""Every kind of thing that can be built does all that `build` and `plan` ask of one."""

from tfbuild.commands.buildable.base import Buildable
from tfbuild.commands.buildable.library import BuildableLibrary
from tfbuild.commands.buildable.product import BuildableProduct
from tfbuild.commands.buildable.wheel import BuildableWheel
from tfbuild.commands.buildable.workspace import BuildableWorkspace

KINDS = (BuildableLibrary, BuildableProduct, BuildableWheel, BuildableWorkspace)


def test_no_kind_lacks_what_another_has() -> None:
    asked = {name for name in vars(Buildable) if not name.startswith("_")}
    assert {"plan", "build", "axes", "finished"} <= asked
    assert {kind.__name__: asked - set(dir(kind)) for kind in KINDS} == {
        kind.__name__: set() for kind in KINDS
    }
