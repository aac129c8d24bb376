"""The files of the targets that were asked for, with their digests."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from tests.bazel.bazel_events import event_lines
from tests.fakes import FakeEnvironment
from tfbuild.bazel.products import read_products
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed


def really(command: Command, _: Watch | None) -> Completed:
    done = subprocess.run(command.argv, capture_output=True, text=True, check=False)
    return Completed(code=done.returncode, stdout=done.stdout)


def named(number: str, *files: Path, below: tuple[str, ...] = ()) -> dict[str, object]:
    return {
        "id": {"namedSet": {"id": number}},
        "namedSetOfFiles": {
            "files": [{"name": path.name, "uri": path.as_uri()} for path in files],
            "fileSets": [{"id": each} for each in below],
        },
    }


def completed(label: str, *roots: str, group: str = "default", **more: object) -> dict[str, object]:
    groups = [{"name": group, "fileSets": [{"id": root} for root in roots]}]
    return {
        "id": {"targetCompleted": {"label": label}},
        "completed": {"success": True, "outputGroup": groups, **more},
    }


def test_files_of_targets_are_listed_once_and_sources_not_at_all(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    folder = tmp_path / "execroot" / "w" / "bazel-out" / "k8-fastbuild" / "bin" / "a b"
    folder.mkdir(parents=True)
    library, empty, below = folder / "liba.so", folder / "empty", folder / "tree"
    library.write_bytes(b"\x7fELF")
    empty.touch()
    below.mkdir()
    source = tmp_path / "source.h"
    source.touch()
    fake_env.runner.answers |= {"stat": really, "sha256sum": really}
    (fake_env.toolchain.work / "events.json").write_text(
        event_lines(
            named("0", library, source),
            named("1", empty, below, below=("0", "1")),
            completed("//a:a", "1"),
            completed("//a:again", "0"),
            completed("//a:hidden", "0", group="_validation"),
            {"id": {"targetCompleted": {"label": "//a:bad"}}, "completed": {}},
        )
    )
    products = read_products(fake_env)
    assert products.targets == 3
    assert [(f.name, f.target, f.size, f.sha256) for f in products.files] == [
        ("a b/empty", "//a:a", 0, hashlib.sha256().hexdigest()),
        ("a b/liba.so", "//a:a", 4, hashlib.sha256(b"\x7fELF").hexdigest()),
    ]


def _made(tmp_path: Path, *places: str) -> list[Path]:
    """Files below the folder that Bazel works in; what each holds is its place."""
    paths = [tmp_path / "execroot" / "w" / "bazel-out" / place for place in places]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.parts[-2])
    return paths


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (
            ("k8-fast/bin/p/lib.txt", "k8-opt/bin/p/lib.txt", "k8-opt/bin/p/one.txt"),
            ["k8-fast/bin/p/lib.txt", "k8-opt/bin/p/lib.txt", "p/one.txt"],
        ),
        (("k8/bin/p/a", "k8/genfiles/p/a"), ["k8/bin/p/a", "k8/genfiles/p/a"]),
        (("k8/bin/p", "k8-opt/bin/p/a"), ["k8-opt/bin/p/a", "k8/bin/p"]),
        (
            ("k8/bin/a", "k8-opt/bin/a", "k8-opt/bin/k8/bin/a"),
            ["k8-opt/bin/a", "k8-opt/bin/k8/bin/a", "k8/bin/a"],
        ),
    ],
)
def test_each_file_has_a_name_of_its_own(
    places: tuple[str, ...], names: list[str], fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    fake_env.runner.answers |= {"stat": really, "sha256sum": really}
    events = event_lines(named("0", *_made(tmp_path, *places)), completed("//p:both", "0"))
    (fake_env.toolchain.work / "events.json").write_text(events)
    assert [file.name for file in read_products(fake_env).files] == names


@pytest.mark.parametrize("name", ["é.txt", "日本.txt", "a\u2028b.txt"])
@pytest.mark.parametrize("is_bytewise", [True, False])
def test_names_beyond_ascii_are_found(
    name: str, fake_env: FakeEnvironment, tmp_path: Path, *, is_bytewise: bool
) -> None:
    """Bazel 4.2.3 has written é.txt as two letters, one for each byte."""
    fake_env.runner.answers |= {"stat": really, "sha256sum": really}
    (path,) = _made(tmp_path, f"k8/bin/p/{name}")
    said = str(path).encode().decode("latin-1") if is_bytewise else str(path)
    file = {"name": said.rpartition("/")[2], "uri": f"file://{said}"}
    sets = {"id": {"namedSet": {"id": "0"}}, "namedSetOfFiles": {"files": [file]}}
    label = f"//p:{name}"
    written = label.encode().decode("latin-1") if is_bytewise else label
    events = event_lines(sets, completed(written, "0"))
    (fake_env.toolchain.work / "events.json").write_text(events)
    (found,) = read_products(fake_env).files
    assert (found.name, found.path, found.target) == (f"p/{name}", str(path), label)


def test_files_that_a_farm_keeps_are_found_here(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    library = tmp_path / "execroot" / "w" / "bazel-out" / "k8-opt" / "bin" / "a" / "liba.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"\x7fELF")
    fake_env.runner.answers |= {"stat": really, "sha256sum": really}
    kept = {
        "name": "a/liba.so",
        "uri": "bytestream://farm:1/blobs/12/4",
        "pathPrefix": ["bazel-out", "k8-opt", "bin"],
    }
    root = str(tmp_path / "execroot" / "w")
    (fake_env.toolchain.work / "events.json").write_text(
        event_lines(
            {"id": {"workspace": {}}, "workspaceInfo": {"localExecRoot": root}},
            {"id": {"namedSet": {"id": "0"}}, "namedSetOfFiles": {"files": [kept]}},
            completed("//a:a", "0"),
        )
    )
    (file,) = read_products(fake_env).files
    assert (file.path, file.name, file.size) == (str(library), "a/liba.so", 4)


def test_nothing_was_built(fake_env: FakeEnvironment) -> None:
    assert read_products(fake_env).targets == 0


def test_events_of_another_form_name_nothing(fake_env: FakeEnvironment) -> None:
    """A build in a container can write anything there."""
    lines = (
        '{"namedSetOfFiles":7}', '{"id":{"namedSet":[]},"namedSetOfFiles":{"files":[7,{}]}}',
        '{"workspaceInfo":[]}', '{"completed":[]}', '{"id":[],"completed":{"success":1}}',
        '{"completed":{"success":true,"outputGroup":[7,{"fileSets":[[]]},{"fileSets":[{}]}]}}',
        '{"id":{"namedSet":{"id":"[]"}},"namedSetOfFiles":{"files":[{"uri":"file://["}]}}',
    )  # fmt: skip
    (fake_env.toolchain.work / "events.json").write_text("\n".join(lines))
    assert read_products(fake_env).files == ()
