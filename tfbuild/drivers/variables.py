"""The variables of a build: how is compiled, so that the result hangs on no folder and no day."""

from tfbuild.core.records import Pairs
from tfbuild.recipes.records import BuildStep

_COMPILE = "-ffile-prefix-map={source}=. -ffile-prefix-map={build}=. -fstack-protector-strong"
_LINK = "-Wl,-z,relro -Wl,-z,now -Wl,--as-needed"
_DAY = "946684800"  # 2000-01-01, for what would write down when it was built


def build_variables(step: BuildStep, *, compile_flags: str = "", link_flags: str = "") -> Pairs:
    """What the programs of a step get; flags of the recipe follow ours, and so win over them."""
    compiling, linking = _joined(compile_flags, _COMPILE), _joined(_LINK, link_flags)
    found = {"CFLAGS": compiling, "CXXFLAGS": compiling, "LDFLAGS": linking}
    found |= {"SOURCE_DATE_EPOCH": _DAY, "TZ": "UTC"}
    for name, text in step.environment:
        found[name] = (
            _joined(found[name], text) if name.endswith("FLAGS") and name in found else text
        )
    return tuple(found.items())


def _joined(*words: str) -> str:
    return " ".join(filter(None, words))
