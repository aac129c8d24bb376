"""An answer in the words of other tools: conda's environment.yml and pip's requirements.txt."""

from collections.abc import Sequence

from tfbuild.core.versions import contains, parse_version
from tfbuild.core.yaml_file import to_yaml
from tfbuild.facts.build_rows import BuildToolRow, WheelRow
from tfbuild.facts.rows import AxisRow
from tfbuild.facts.targets import all_targets
from tfbuild.resolver.resolution import Resolution

FORMATS = ("conda", "requirements")
# From CUDA 12 on conda-forge has the toolkit in parts, held together by cuda-version.
_FIRST_IN_PARTS = "12"


def conda_environment(
    resolution: Resolution,
    tools: Sequence[BuildToolRow] = (),
    releases: Sequence[AxisRow] = (),
) -> str:
    """An environment.yml for conda-forge; what conda cannot give stands in comments.

    The compiler packages are named after the platform; the driver belongs to the machine. With the
    rows of tools and of TensorFlow's releases it holds all that a build of the tree takes, and not
    what the tree fetches itself.
    """
    value = resolution.value
    target = "tensorflow" if value("tensorflow") else "runtime"
    packages = [f"python={value('python')}", f"numpy={value('numpy')}"]
    packages += [f"{name}={value(name)}" for name in ("protobuf", "bazel") if value(name)]
    if value("gcc") and (suffix := _compilers_suffix(value("platform"))):
        packages.append(f"gxx_{suffix}={value('gcc').partition('.')[0]}")
    if value("clang"):
        packages.append(f"clangxx={value('clang').partition('.')[0]}")
    own = _fetched(resolution, releases)
    if value("cuda") not in {"", "none"} and not any(name == "CUDA" for name, _ in own):
        packages += _cuda_packages(value("cuda"), value("cudnn"), value("nccl"))
    packages += [row.name for row in tools if _is_needed(row, resolution)]
    content = {
        "name": f"{target}-{value(target)}-build",
        "channels": ["conda-forge"],
        "dependencies": packages,
    }
    notes = [f"# {name} {version}: Bazel fetches it for the tree itself" for name, version in own]
    return "\n".join((*_header(resolution), *notes, to_yaml(content)))


def _compilers_suffix(platform: str) -> str:
    """What conda's compilers for a platform are called after; empty where it has none."""
    known = (t for t in all_targets() if t.version == platform and t.system == "linux")
    return next((target.conda for target in known), "")


def requirements(resolution: Resolution, wheels: Sequence[WheelRow]) -> str:
    """A requirements.txt of what pip can give: Python packages and CUDA for the runtime."""
    value = resolution.value
    lines = [f"{name}=={value(name)}" for name in ("numpy", "protobuf") if value(name)]
    if value("runtime") and value("cuda"):
        lines += [
            f"{row.distribution}=={row.version}"
            for row in wheels
            if row.kind == "cuda" and row.cuda == value("cuda")
        ]
    marker = f'; python_version == "{value("python")}"'
    return "\n".join((*_header(resolution), *(f"{line} {marker}" for line in dict.fromkeys(lines))))


def _fetched(resolution: Resolution, releases: Sequence[AxisRow]) -> list[tuple[str, str]]:
    """What the tree of the release fetches itself, and its version."""
    value = resolution.value
    row = next((row for row in releases if row.version == value("tensorflow")), None)
    if row is None:
        return []
    found = [("Python", value("python"))] if row.hermetic_python else []
    if row.hermetic_cuda and value("cuda") not in {"", "none"}:
        found.append(("CUDA", value("cuda")))
    return found


def _is_needed(row: BuildToolRow, resolution: Resolution) -> bool:
    release = resolution.value("tensorflow")
    return resolution.value("platform").startswith(row.platform) and any(
        contains(part.strip(), release) for part in row.releases.split("|")
    )


def _cuda_packages(cuda: str, cudnn: str, nccl: str) -> list[str]:
    if parse_version(cuda) < parse_version(_FIRST_IN_PARTS):
        found = [f"cudatoolkit-dev={cuda}"]
    else:
        found = [f"cuda-version={cuda}", "cuda-toolkit"]
    found += [f"cudnn={cudnn}"] if cudnn else []
    return found + ([f"nccl={nccl}"] if nccl else [])


def _header(resolution: Resolution) -> list[str]:
    """What the file is for, and what it cannot hold."""
    lines = [
        "# Written by tfbuild resolve for:",
        *(f"#   {text}" for text in resolution.constraints),
    ]
    for axis, words in (("driver", "NVIDIA driver of the machine"), ("os", "system")):
        if resolution.value(axis):
            lines.append(f"# {words}: {resolution.value(axis)}")
    lines += [f"# warning: {warning.message}" for warning in resolution.warnings]
    return lines
