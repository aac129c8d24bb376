"""A plan as a Dockerfile: the sources in dockerfiles/ with the plan's versions and files in them.

Those sources are Dockerfiles in their own right. Only values of ARG lines, the pins of the package
index and the packages of Bazel are another plan's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tfbuild.containers.systems import match_offer
from tfbuild.core.environments import System
from tfbuild.core.errors import BadRecipe, NoSolution
from tfbuild.core.plans import Plan
from tfbuild.core.records import Artifact
from tfbuild.core.versions import contains, parse_version
from tfbuild.facts.build_rows import ImageRow
from tfbuild.fetch.requirement_lines import hashed_line

ENVIRONMENT = "environment"  # the stage with everything, for work by hand
TOOLCHAIN = "toolchain"  # the one that `tfbuild build` compiles in
_PIN = r"'[a-z0-9-]+==[^' ]+ --hash=sha256:[0-9a-f]{64}'"
_PACKAGE = r"bazel-[a-z-]+"
# What the rules of Bazel 7 and newer come in; older ones have them inside.
_RULES_OF_7 = (
    "bazel-features",
    "bazel-platforms",
    "bazel-rules-cc",
    "bazel-rules-java",
    "bazel-rules-license",
    "bazel-rules-proto",
    "bazel-rules-python",
    "bazel-skylib",
)


def dockerfile_text(
    plan: Plan, folder: Path, *, image: ImageRow | None = None, stage: str = ENVIRONMENT
) -> str:
    """The Dockerfile of a plan on its system, from the sources in folder; always the same bytes.

    With an image of NVIDIA's as the base, the CUDA toolkit is that image's. With the stage
    TOOLCHAIN it ends there. Raises NoSolution where the system's packages are not the plan's.
    """
    values = build_arguments(plan, image=image)
    wheels = [a for a in plan.artifacts if a.kind == "build" or (a.kind == "cuda" and not image)]
    text = (folder / f"{plan.recipe}.Dockerfile").read_text(encoding="utf-8")
    for name, value in values.items():
        text = _with_value(text, name, value)
    text = _with_block(text, _PIN, [_pin(artifact) for artifact in wheels])
    packages = ("bazel-bootstrap", *(_RULES_OF_7 if _major(values["BAZEL"]) >= 7 else ()))
    text = _with_block(text, _PACKAGE, sorted(packages))
    if stage == TOOLCHAIN:
        text = text[: text.index(f"\nFROM {TOOLCHAIN} AS {ENVIRONMENT}")]
        text = text[: text.rindex("\n# ---")].rstrip() + "\n"
    return text


def build_arguments(plan: Plan, *, image: ImageRow | None = None) -> Mapping[str, str]:
    """The values of the ARG lines of a plan; NoSolution as in dockerfile_text."""
    system = plan.environment.system
    chosen = {choice.axis: choice.value for choice in plan.versions.choices}
    words = [f"{axis}={value}" for axis, value in sorted(chosen.items()) if axis != "gpu"]
    values = {
        "BASE": nvidia_image(image) if image else system.image,
        "PYTHON": _offered(system, "python", chosen["python"]),
        "GCC": _offered(system, "gcc", chosen["gcc"]).partition(".")[0],
        "BAZEL": _bazel(plan, system),
        "PLAN": plan.id,
        "VERSIONS": " ".join(words),
    }
    if plan.device == "cuda":
        values["ARCHITECTURES"] = " ".join(plan.architectures)
    return values


def choose_image(rows: Iterable[ImageRow], cuda: str, system: System) -> ImageRow:
    """NVIDIA's newest image of that CUDA on that system, with cuDNN; NoSolution without one."""
    of_cuda = [row for row in rows if f"{row.cuda}.".startswith(f"{cuda}.") and row.cudnn_devel]
    found = [row for row in of_cuda if row.os == system.name]
    if not found:
        others = sorted({row.os for row in of_cuda if row.os.startswith(("debian", "ubuntu"))})
        raise NoSolution(
            f"NVIDIA has no image of CUDA {cuda} with cuDNN on {system.name}",
            code="cuda-image-missing",
            why=f"there are some on {', '.join(others)}" if others else "there are none at all",
            hint=f"ask for os='{others[-1]}', or take the toolkit from wheels: leave out "
            "--image-from"
            if others
            else "take the toolkit from wheels: leave out --image-from",
        )
    return max(found, key=lambda row: parse_version(row.cuda))


# --- inside ------------------------------------------------------------------------------------


def nvidia_image(image: ImageRow) -> str:
    """The name under which registries have an image with CUDA and cuDNN."""
    return f"nvidia/cuda:{image.cudnn_devel[0]}"


def _offered(system: System, axis: str, wanted: str) -> str:
    """The version as the names of packages have it; NoSolution where the system lacks it."""
    if not match_offer(system, axis, wanted):
        raise _lacking(system, axis, wanted)
    return wanted


def _bazel(plan: Plan, system: System) -> str:
    """The Bazel of the system's packages, if the plan can do with it."""
    for version in system.offered("bazel"):
        if contains(plan.bazel.accepted, version):
            return version
    raise _lacking(system, "bazel", plan.bazel.accepted)


def _lacking(system: System, axis: str, wanted: str) -> NoSolution:
    there = ", ".join(system.offered(axis)) or "none that is known"
    return NoSolution(
        f"{system.name} has no {axis} {wanted} in its own packages",
        code="system-package-missing",
        why=f"there is {there}",
        hint=f"leave {axis} or os out: `tfbuild env dockerfile` then takes a system that has both",
    )


def _with_value(text: str, name: str, value: str) -> str:
    """The text with another default of one ARG, which stands before the first stage."""
    shown = f'"{value}"' if " " in value else value
    changed, count = re.subn(
        rf"^ARG {name}=.*$", lambda _: f"ARG {name}={shown}", text, count=1, flags=re.MULTILINE
    )
    if count != 1:
        raise _broken(f"ARG {name}=")
    return changed


def _with_block(text: str, pattern: str, entries: Sequence[str]) -> str:
    """The text with other entries in its one list of lines that look like pattern."""
    lines = "".join(f"      {entry} \\\n" for entry in entries)
    changed, count = re.subn(
        rf"(?:^      {pattern} \\\n)+", lambda _: lines, text, flags=re.MULTILINE
    )
    if count != 1:
        raise _broken(pattern)
    return changed


def _broken(what: str) -> BadRecipe:
    return BadRecipe(
        f"dockerfiles/: there must be one place for {what}",
        code="dockerfile-changed",
        hint="install tfbuild again",
    )


def _pin(artifact: Artifact) -> str:
    return f"'{hashed_line(artifact)}'"


def _major(version: str) -> int:
    return int(version.partition(".")[0])
