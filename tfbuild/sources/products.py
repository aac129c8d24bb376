"""What a TensorFlow tree can build: its wheel and its C++ library, by its own BUILD files."""

from dataclasses import dataclass

from tfbuild.core.errors import BadRequest
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.records import Device
from tfbuild.sources.tensorflow_tree import TensorFlowTree

_PACKAGE = "tensorflow/tools/pip_package"
_LIBRARY = (
    "//tensorflow:libtensorflow_cc.so",
    "//tensorflow:libtensorflow_framework.so",
    "//tensorflow:install_headers",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What Bazel builds, what follows, and where the result is.

    last_step holds {bazel_bin} and {result}, a folder; outputs are patterns below bazel-bin, and
    empty where last_step fills {result}.
    """

    targets: tuple[str, ...]
    flags: tuple[str, ...] = ()
    last_step: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()  # programs that actions look for on their PATH


def wheel_product(tree: TensorFlowTree, device: Device, *, name: str = "") -> Product:
    """How this tree makes its wheel, under a name of the user's or the usual one.

    Raises BadRequest where its BUILD file has no target that makes one.
    """
    targets = set(linear_pattern(r"(?m)^\s+name *= *\"([^\"]+)\"").findall(tree.package_build))
    usual = "tensorflow_cpu" if device == "cpu" else "tensorflow"
    if "wheel" in targets:
        flags: tuple[str, ...] = (f"--repo_env=WHEEL_NAME={name or usual}",)
        if device == "cuda" and "cuda_wheel" in tree.rc.configs:
            flags += ("--config=cuda_wheel",)
        return Product(
            targets=(f"//{_PACKAGE}:wheel",),
            flags=flags,
            outputs=(f"{_PACKAGE}/wheel_house/*.whl",),
            needs=("patchelf",),
        )
    if "build_pip_package" not in targets:
        raise BadRequest(
            f"{tree.folder / _PACKAGE / 'BUILD'} has no target that makes a wheel",
            code="wheel-target-missing",
            why="neither wheel nor build_pip_package is in it",
            hint="unpack the release again, or name targets: in the build file",
        )
    words = ["{bazel_bin}/" + f"{_PACKAGE}/build_pip_package", "{result}"]
    if name:
        words += ["--project_name", name]
    elif device == "cpu" and '"--cpu"' in tree.package_script:
        words.append("--cpu")
    elif device == "cuda" and '"--gpu"' in tree.package_script:
        words.append("--gpu")
    return Product(targets=(f"//{_PACKAGE}:build_pip_package",), last_step=tuple(words))


def library_product(tree: TensorFlowTree) -> Product:
    """How this tree makes the C++ library, the framework library beside it, and its headers."""
    name = "libtensorflow_cc" if "libtensorflow_cc" in tree.library_build else ""
    if not name and "tensorflow_cc" not in tree.library_build:
        raise BadRequest(
            f"{tree.folder / 'tensorflow/BUILD'} has no C++ library",
            code="library-target-missing",
            why="it speaks of no tensorflow_cc",
            hint="unpack the release again, or name targets: in the build file",
        )
    has_headers = "install_headers" in tree.library_build
    return Product(
        targets=_LIBRARY if has_headers else _LIBRARY[:2],
        outputs=(
            "tensorflow/libtensorflow_cc.so*",
            "tensorflow/libtensorflow_framework.so*",
            *(("tensorflow/include/**",) if has_headers else ()),
        ),
    )
