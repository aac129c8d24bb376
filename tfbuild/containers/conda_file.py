"""A plan's environment as conda's environment.yml: conda-forge, and pip for what it lacks."""

from tfbuild.core.artifact_checks import pin
from tfbuild.core.plans import Plan
from tfbuild.core.versions import contains
from tfbuild.core.yaml_file import to_yaml
from tfbuild.facts.rows import Target

_FOR_OLDER = "# Make it with PIP_IGNORE_REQUIRES_PYTHON=1: comma-deps-libjpeg names 3.12 alone."


def conda_file(plan: Plan, target: Target) -> str:
    """All that `tfbuild build` would take for the plan on such a target, as an environment.yml.

    What the plan leaves open stays open; wheels that a build fetches are pinned for pip.
    """
    versions = {choice.axis: choice.value for choice in plan.versions.choices}
    packages: list[object] = [
        f"python={versions['python']}",
        f"numpy={versions['numpy']}",
        f"bazel{plan.bazel.accepted}",
    ]
    if gcc := versions.get("gcc", ""):
        packages.append(f"gxx_{target.conda}={gcc.partition('.')[0]}")
        packages.append(f"sysroot_{target.conda}<={plan.audit.glibc_ceiling}")
    packages += ["pip", {"pip": [pin(artifact) for artifact in plan.artifacts]}]
    head = [
        f"# Written by tfbuild env conda: what `tfbuild build` would take (plan {plan.id}).",
        *(f"# {axis}: {versions[axis]}" for axis in ("cuda", "driver", "gpu") if axis in versions),
    ]
    if not contains(">=3.12", versions["python"]):
        head.append(_FOR_OLDER)
    name = f"{plan.wheel.distribution}-{plan.wheel.version}-build"
    content = {"name": name, "channels": ["conda-forge"], "dependencies": packages}
    return "\n".join((*head, to_yaml(content)))
