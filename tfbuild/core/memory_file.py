"""Files for programs to read that lie on no disk: what is secret in them leaves nothing behind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def memory_file(text: str) -> Iterator[str]:
    """A path under which programs that this user runs meanwhile can read text.

    It is gone with this process, however that ends.
    """
    descriptor = os.memfd_create("tfbuild")
    with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123  (it has no path)
        stream.write(text)
        stream.flush()
        yield f"/proc/{os.getpid()}/fd/{descriptor}"
