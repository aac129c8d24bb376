from pathlib import Path

import pytest

from tests.shared_libraries import tiny_wheel
from tfbuild.wheels.installation import installed_paths
from tfbuild.wheels.wheel_file import open_wheel


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("tiny_thing/a.py", "tiny_thing/a.py"),
        ("tiny_thing-1.0.data/purelib/evil.pth", "evil.pth"),
        ("tiny_thing-1.0.data/platlib/b/c.py", "b/c.py"),
        ("tiny_thing-1.0.data/scripts/run", "scripts: run"),
        ("tiny_thing-1.0.data/data/lib/x.so", "data: lib/x.so"),
        ("tiny_thing-1.0.data/other/x", "other: x"),
        ("another-1.0.data/purelib/x", "another-1.0.data/purelib/x"),
    ],
)
def test_places(tmp_path: Path, name: str, path: str) -> None:
    content = open_wheel(tiny_wheel(tmp_path, {name: b""}))
    assert [place.path for place in installed_paths(content) if place.name == name] == [path]
    assert [place.path for place in installed_paths(content, [name])] == [path]
