"""What Bazel made of a TensorFlow tree is installed as other build systems install."""

from pathlib import Path

from tfbuild.core.outputs import BuildOutput
from tfbuild.drivers.tensorflow_tree import install_library

CC = "tensorflow/libtensorflow_cc.so"
FRAMEWORK = "tensorflow/libtensorflow_framework.so"


def installed(folder: Path, contents: dict[str, str]) -> Path:
    """What is installed of files with these contents."""
    files = []
    for name, content in contents.items():
        path = folder / "built" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        files.append((name, path))
    output = BuildOutput(files=tuple(files), seconds=1.0)
    install_library(output, "2.6.5", "/opt/tensorflow-cc", folder / "stage")
    return folder / "stage/opt/tensorflow-cc"


def test_the_shorter_names_of_a_library_are_links(tmp_path: Path) -> None:
    names = (f"{CC}.2.6.5", f"{CC}.2", CC)
    top = installed(tmp_path, dict.fromkeys(names, "one") | {FRAMEWORK: "another"})
    assert {path.name: path.is_symlink() for path in (top / "lib").glob("*.so*")} == {
        "libtensorflow_cc.so.2.6.5": False,
        "libtensorflow_cc.so.2": True,
        "libtensorflow_cc.so": True,
        "libtensorflow_framework.so": False,
    }
    assert (top / "lib/libtensorflow_cc.so").readlink() == Path("libtensorflow_cc.so.2.6.5")


def test_headers_that_are_the_same_stay_files(tmp_path: Path) -> None:
    names = ("tensorflow/include/a/one.h", "tensorflow/include/b/longer.h")
    top = installed(tmp_path, dict.fromkeys(names, "the same"))
    for name in names:
        path = top / name.removeprefix("tensorflow/")
        assert path.read_text() == "the same"
        assert not path.is_symlink()


def test_pkg_config_links_each_library_once_and_all_of_them(tmp_path: Path) -> None:
    names = (f"{CC}.2", CC, f"{FRAMEWORK}.2", FRAMEWORK)
    top = installed(tmp_path, {name: name.partition(".so")[0] for name in names})
    text = (top / "lib/pkgconfig/tensorflow_cc.pc").read_text()
    assert "prefix=/opt/tensorflow-cc\n" in text
    assert "Version: 2.6.5\n" in text
    (line,) = (line for line in text.splitlines() if line.startswith("Libs:"))
    assert line.split()[2:] == [
        "-Wl,--no-as-needed", "-l:libtensorflow_cc.so", "-l:libtensorflow_framework.so",
    ]  # fmt: skip
