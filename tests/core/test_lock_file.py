"""Lock files: the same bytes as ever, read back whole; whatever is wrong in one is named."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_report import an_environment
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.lock_file import LockFile, lock_path, lock_text, read_lock_file
from tfbuild.core.paths import PACKAGE
from tfbuild.core.records import Artifact
from tfbuild.core.serialization import to_plain

GOLDEN = Path(__file__).parent.parent / "golden"
HELD = an_environment("dpkg libc6 2.36-9 amd64", "dpkg libc6 2.36-9 i386", "pip3.11 numpy 1.26.4")
SHA = "0123456789abcdef" * 4
AN_ARTIFACT = Artifact(
    distribution="a", version="1.10", filename="a-1.10-py3-none-any.whl", sha256=SHA, kind="build"
)
LOCK = LockFile(
    wheel="w-1-py3-none-any.whl",
    wheel_sha256=SHA,
    plan="1234567890123456",
    versions=(("python", "3.10"), ("gcc", "12"), ("os", "debian 12")),
    tools=(("bazel", "4.2.3"), ("compiler", "12.2.0")),
    artifacts=(AN_ARTIFACT, replace(AN_ARTIFACT, size=7)),
    environment=HELD,
)
SMALL = "schema: tfbuild.lock/2\nversions:\n  python: 3.10\n  cuda: none\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "a.lock.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["build", "resolve"])
def test_the_bytes_are_those_of_earlier_releases(name: str) -> None:
    path = GOLDEN / f"{name}.lock.yaml"
    assert lock_text(read_lock_file(path)) == path.read_text()


def test_a_lock_of_a_build_is_read_whole() -> None:
    lock = read_lock_file(GOLDEN / "build.lock.yaml")
    assert lock.wheel.startswith("tfbuild_runtime-0.1.0-cp311")
    assert dict(lock.versions)["python"] == "3.11"
    assert dict(lock.tools)["compiler"] == "12.2.0"
    assert (lock.artifacts[0].distribution, lock.artifacts[0].size) == ("nanobind", 316917)
    assert (lock.requested, lock.environment) == ((), EnvironmentLock())


def test_a_lock_from_before_a_build_has_no_wheel() -> None:
    lock = read_lock_file(GOLDEN / "resolve.lock.yaml")
    assert lock.requested[0] == "runtime=0.1.0 (command line)"
    assert dict(lock.versions)["gpu"] == "9.0,8.6"
    assert (lock.wheel, lock.plan, lock.tools, lock.artifacts) == ("", "", (), ())


@pytest.mark.parametrize(
    "lock", [LOCK, replace(LOCK, environment=EnvironmentLock()), LockFile(environment=HELD)]
)
def test_what_is_written_is_read_back(tmp_path: Path, lock: LockFile) -> None:
    assert read_lock_file(written(tmp_path, lock_text(lock))) == lock


def test_a_line_for_each_package_of_a_container() -> None:
    text = lock_text(LOCK)
    assert "    dpkg:\n      libc6:amd64: 2.36-9\n      libc6:i386: 2.36-9\n" in text
    assert "    pip3.11:\n      numpy: 1.26.4\n" in text


def test_a_few_lines_by_hand_will_do(tmp_path: Path) -> None:
    lock = read_lock_file(written(tmp_path, "# mine\n" + SMALL + "  gcc: 12\nenvironment:\n"))
    assert lock == LockFile(versions=(("python", "3.10"), ("cuda", "none"), ("gcc", "12")))


def test_no_other_module_knows_the_schema_or_the_name() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.stem not in {"lock_file", "documents"}:  # the second has what other releases wrote
            text = path.read_text()
            assert "tfbuild.lock/" not in text, path
            assert '".lock.yaml' not in text, path


def test_it_lies_beside_its_wheel() -> None:
    assert lock_path(Path("d/w-1-py3-none-any.whl")) == Path("d/w-1-py3-none-any.lock.yaml")


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("", "not-a-lock", "tfbuild.lock/2"),
        ("- a\n", "not-a-lock", "tfbuild.lock/2"),
        ("versions: {}\n", "not-a-lock", "tfbuild.lock/2"),
        ("schema: [1]\nversions: {}\n", "not-a-lock", "tfbuild.lock/2"),
        (SMALL.replace("lock/2", "lock/3"), "not-a-lock", "tfbuild.lock/2"),
        ("schema: tfbuild.lock/2\n", "lock-entry-missing", "'versions'"),
        ("schema: [\n", "not-yaml", "a.lock.yaml"),
        ("[" * 200_000, "not-yaml", "a.lock.yaml"),
        (SMALL + "  python: 3.11\n", "not-yaml", "a.lock.yaml"),
        (SMALL + "  gcc: &a 1\nplan: *a\n", "not-yaml", "a.lock.yaml"),
        (SMALL + "  5: x\n", "lock-axis-unknown", "'5'"),
        (SMALL + "  pyton: 3.11\n", "lock-axis-unknown", "'pyton'"),
        (SMALL + f"  gpu: '{'(' * 100_000}'\n", "lock-spec-too-long", "gpu"),
        (SMALL + "  gcc:\n", "lock-entry-wrong", "'versions'"),
        (SMALL + "  gcc: true\n", "lock-entry-wrong", "'versions'"),
        (SMALL + "  gcc: [12]\n", "lock-entry-wrong", "'versions'"),
        (SMALL + "enviroment: {}\n", "lock-entry-unknown", "'enviroment'"),
        (SMALL + "constraints: python\n", "lock-entry-wrong", "'constraints'"),
        (SMALL + "constraints: [1]\n", "lock-entry-wrong", "'constraints'"),
        (SMALL + "plan: 7\n", "lock-entry-wrong", "'plan'"),
        (SMALL + "plan: ../7\n", "lock-entry-wrong", "'plan'"),
        (SMALL + 'plan: "12345678\\n"\n', "lock-control-character", "'plan'"),
        (SMALL + 'constraints: ["a\\e[31m"]\n', "lock-control-character", "'constraints[0]'"),
        (SMALL + 'tools: {"a\\u2028b": 1}\n', "lock-control-character", "'tools'"),
        (SMALL + "tools: {a b: 1}\n", "lock-entry-wrong", "'tools'"),
        (SMALL + "tools: [bazel]\n", "lock-entry-wrong", "'tools'"),
        (SMALL + "tools: {bazel: }\n", "lock-entry-wrong", "'tools'"),
        (SMALL + "wheel: a.whl\n", "lock-entry-wrong", "'wheel'"),
        (
            SMALL + f"archive: {{filename: ../a, sha256: {SHA}}}\nsource: {{}}\n",
            "lock-entry-wrong",
            "'archive'",
        ),
        (SMALL + "source: {recipe: a, version: '1', sha256: 12}\n", "lock-entry-wrong", "'source'"),
        (
            SMALL + "source: {recipe: a, version: '1', sha256: abc}\n",
            "lock-entry-wrong",
            "'source'",
        ),
        (
            SMALL + f"source: {{recipe: a, version: ../1, sha256: {SHA}}}\n",
            "lock-entry-wrong",
            "'source'",
        ),
        (
            SMALL + f"source: {{recipe: a b, version: '1', sha256: {SHA}}}\n",
            "lock-entry-wrong",
            "'source'",
        ),
        (SMALL + f"archive: {{filename: a, sha256: {SHA}}}\n", "lock-entry-missing", "'source'"),
        (SMALL + "wheel: {filename: a.whl}\n", "lock-entry-wrong", "'wheel'"),
        (SMALL + f"wheel: {{filename: ../a.whl, sha256: {SHA}}}\n", "lock-entry-wrong", "'wheel'"),
        (SMALL + "wheel: {filename: a.whl, sha256: 12}\n", "lock-entry-wrong", "'wheel'"),
        (SMALL + "artifacts: [{distribution: a}]\n", "lock-entry-wrong", "'artifacts'"),
        (SMALL + "artifacts: {a: 1}\n", "lock-entry-wrong", "'artifacts'"),
        (SMALL + "environment: [gcc]\n", "lock-entry-wrong", "'environment'"),
        (SMALL + "environment: {id: a}\n", "lock-entry-wrong", "'environment'"),
        (SMALL + "environment: {packages: [gcc]}\n", "lock-entry-wrong", "'environment'"),
        (SMALL + "environment: {packages: {dpkg: [libc6]}}\n", "lock-entry-wrong", "'environment'"),
        (
            SMALL + "environment: {packages: {dpkg: {libc6: 12}}}\n",
            "lock-entry-wrong",
            "'environment'",
        ),
        (SMALL + "environment: {packages: {1: {a: b}}}\n", "lock-entry-wrong", "'environment'"),
        (SMALL + "environment: {packages: {}, id: 7}\n", "lock-entry-wrong", "'environment'"),
        (
            SMALL + "environment: {packages: {dpkg: {-o a: '1'}}}\n",
            "lock-entry-wrong",
            "'environment'",
        ),
        (
            SMALL + "environment: {packages: {}, colour: blue}\n",
            "lock-entry-wrong",
            "'environment'",
        ),
        (SMALL + "environment: {packages: {}, 1: a, b: c}\n", "lock-entry-wrong", "'environment'"),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(
    tmp_path: Path, text: str, code: str, named: str
) -> None:
    with fails(code, "a.lock.yaml", named) as caught:
        read_lock_file(written(tmp_path, text))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"size": "7"}, "artifacts[1].size"),
        ({"size": True}, "artifacts[1].size"),
        ({"size": -1}, "artifacts[1].size"),
        ({"sha256": "../" * 21 + "a"}, "artifacts[1].sha256"),
        ({"filename": "../../a.whl"}, "artifacts[1].filename"),
        ({"filename": ".."}, "artifacts[1].filename"),
        ({"filename": "a-1.tar.gz"}, "artifacts[1].filename"),
        ({"filename": "b-1-py3-none-any.whl"}, "b-1-py3-none-any.whl"),
        ({"filename": "a-2-py3-none-any.whl"}, "a-2-py3-none-any.whl"),
        ({"kind": "x"}, "artifacts[1].kind"),
        ({"distribution": "a @ http://h/a-1-py3-none-any.whl #"}, "artifacts[1].distribution"),
        ({"distribution": "--index-url=http://h"}, "artifacts[1].distribution"),
        ({"distribution": "./a"}, "artifacts[1].distribution"),
        ({"version": "1 --hash=sha256:0"}, "artifacts[1].version"),
        ({"version": "1; python_version>'3'"}, "artifacts[1].version"),
        ({"version": "one"}, "artifacts[1].version"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_an_artifact_cannot_point_elsewhere(
    tmp_path: Path, change: dict[str, object], why: str
) -> None:
    whole = {"distribution": "a", "version": "1", "sha256": SHA, "kind": "smoke"}
    whole["filename"] = "a-1-py3-none-any.whl"
    path = written(tmp_path, f"{SMALL}artifacts: {json.dumps([whole, whole | change])}\n")
    with fails("lock-entry-wrong", "'artifacts'") as caught:
        read_lock_file(path)
    assert why in caught.value.why


@pytest.mark.parametrize("line", ["", "--index-url=http://h", "--no-binary :all:", "b @ file:///b"])
@pytest.mark.parametrize("field", ["distribution", "version", "filename", "sha256", "kind"])
def test_no_field_of_an_artifact_can_be_a_further_line(
    tmp_path: Path, field: str, line: str
) -> None:
    whole = to_plain(AN_ARTIFACT)
    for text in (f"{whole[field]}\n{line}", f"{line}\n{whole[field]}"):
        path = written(tmp_path, f"{SMALL}artifacts: {json.dumps([whole | {field: text}])}\n")
        with fails("lock-control-character", f"artifacts[0].{field}"):
            read_lock_file(path)


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    with fails("lock-missing", "a.lock.yaml", "resolve --lock"):
        read_lock_file(tmp_path / "a.lock.yaml")


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with fails("file-unreadable", str(path), "regular file"):
            read_lock_file(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with fails("file-unreadable", str(loop)):
        read_lock_file(loop)
    path = tmp_path / "a.lock.yaml"
    path.write_bytes(b"schema: \xff\n")
    with fails("file-unreadable", str(path), "UTF-8"):
        read_lock_file(path)
    with path.open("wb") as stream:
        stream.truncate(2_000_000_000)
    with fails("file-unreadable", str(path), "2000 MB"):
        read_lock_file(path)
    with fails("not-yaml"):
        read_lock_file(Path("a\0b"))
