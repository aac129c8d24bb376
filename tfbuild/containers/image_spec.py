"""An image that is to be made, and the archive that an engine gets for it."""

import io
import tarfile
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageSpec:
    """An image that is to be made; files are the context that its Dockerfile may read."""

    dockerfile: str
    tag: str
    target: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    args: tuple[tuple[str, str], ...] = ()
    host_network: bool = False  # its steps see what listens on this machine alone

    @property
    def size(self) -> int:
        """The bytes of all files of the context."""
        return sum(map(len, self._contents().values()))

    def archive(self) -> bytes:
        """The context as a tar file: the same bytes for the same content."""
        contents = self._contents()
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w") as archive:
            for name, content in contents.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(content), 0o644
                archive.addfile(entry, io.BytesIO(content))
        return raw.getvalue()

    def _contents(self) -> dict[str, bytes]:
        return {"Dockerfile": self.dockerfile.encode(), **dict(self.files)}
