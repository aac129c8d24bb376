"""What each era's tree builds, and the step after it."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.tensorflow_trees import make_tree
from tfbuild.core.records import Device
from tfbuild.sources.products import library_product, wheel_product
from tfbuild.sources.tensorflow_tree import read_tree

PACKAGE = "tensorflow/tools/pip_package"


@pytest.mark.parametrize(
    ("release", "device", "words"),
    [
        ("1.15.5", "cuda", ["--gpu"]),
        ("2.6.5", "cpu", ["--cpu"]),
        ("2.6.5", "cuda", ["--gpu"]),
        ("2.14.1", "cuda", []),
        ("2.14.1", "cpu", ["--cpu"]),
    ],
)
def test_older_releases_have_a_last_step(
    tmp_path: Path, release: str, device: Device, words: list[str]
) -> None:
    product = wheel_product(read_tree(make_tree(tmp_path, release)), device)
    assert product.targets == (f"//{PACKAGE}:build_pip_package",)
    assert product.last_step == (
        "{bazel_bin}/" + PACKAGE + "/build_pip_package",
        "{result}",
        *words,
    )
    assert (product.outputs, product.needs, product.flags) == ((), (), ())


@pytest.mark.parametrize(
    ("release", "device", "flags"),
    [
        ("2.17.0", "cpu", ("--repo_env=WHEEL_NAME=tensorflow_cpu",)),
        ("2.17.0", "cuda", ("--repo_env=WHEEL_NAME=tensorflow",)),
        ("2.19.0", "cuda", ("--repo_env=WHEEL_NAME=tensorflow", "--config=cuda_wheel")),
        ("2.21.0", "cpu", ("--repo_env=WHEEL_NAME=tensorflow_cpu",)),
    ],
)
def test_newer_releases_have_a_target_that_is_the_wheel(
    tmp_path: Path, release: str, device: Device, flags: tuple[str, ...]
) -> None:
    product = wheel_product(read_tree(make_tree(tmp_path, release)), device)
    assert product.targets == (f"//{PACKAGE}:wheel",)
    assert (product.flags, product.last_step, product.needs) == (flags, (), ("patchelf",))


def test_a_name_of_the_users_reaches_the_wheel(tmp_path: Path) -> None:
    old = wheel_product(read_tree(make_tree(tmp_path / "a", "2.6.5")), "cpu", name="mine")
    new = wheel_product(read_tree(make_tree(tmp_path / "b", "2.21.0")), "cpu", name="mine")
    assert old.last_step[-2:] == ("--project_name", "mine")
    assert "--repo_env=WHEEL_NAME=mine" in new.flags


def test_the_library_has_headers_and_both_files(tmp_path: Path) -> None:
    product = library_product(read_tree(make_tree(tmp_path, "2.6.5")))
    assert "//tensorflow:install_headers" in product.targets
    assert len(product.outputs) == 3


def test_a_tree_without_a_target_is_refused(tmp_path: Path) -> None:
    folder = make_tree(tmp_path, "2.6.5")
    (folder / PACKAGE / "BUILD").write_text("# nothing\n")
    (folder / "tensorflow/BUILD").write_text("# nothing\n")
    with fails("wheel-target-missing", "pip_package/BUILD"):
        wheel_product(read_tree(folder), "cpu")
    with fails("library-target-missing", "tensorflow/BUILD"):
        library_product(read_tree(folder))
