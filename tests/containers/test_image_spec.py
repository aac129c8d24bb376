"""The archive that an engine gets for an image."""

import io
import tarfile
from dataclasses import replace

from tfbuild.containers.image_spec import ImageSpec

ORDER = ImageSpec(dockerfile="FROM a\n", tag="t:1", files=(("network/apt.conf", b"one"),))


def test_the_archive_holds_the_dockerfile_and_the_files() -> None:
    with tarfile.open(fileobj=io.BytesIO(ORDER.archive())) as archive:
        contents = {}
        for member in archive:
            stream = archive.extractfile(member)
            assert stream
            contents[member.name] = (member.mode, stream.read())
    assert contents == {
        "Dockerfile": (0o644, b"FROM a\n"), "network/apt.conf": (0o644, b"one"),
    }  # fmt: skip


def test_the_same_content_is_the_same_bytes() -> None:
    """The engine keeps its steps by them; the name of the image is no part of it."""
    assert ORDER.archive() == replace(ORDER, tag="t:2").archive()
    assert ORDER.archive() != replace(ORDER, dockerfile="FROM b\n").archive()
