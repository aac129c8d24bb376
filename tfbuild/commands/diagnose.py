"""What `tfbuild diagnose` does: anybody's log becomes its root cause and a way out."""

import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tfbuild.core.errors import NO_KNOWN_CAUSE, BadRequest
from tfbuild.core.serialization import to_plain
from tfbuild.reporting.console import print_folded, print_json


def diagnose_log(name: str, *, as_json: bool) -> int:
    """Print why a log's build failed; 0 where a cause is known, 14 where the log names none.

    `-` is the standard input. Raises BadRequest for what is no file that can be read.
    """
    from tfbuild.diagnosis.findings import diagnosis_of
    from tfbuild.reporting.diagnosis_text import diagnosis_text

    with _opened(name) as log:
        diagnosis = diagnosis_of(log)
    if as_json:
        print_json({"schema": "tfbuild.diagnosis/2", **to_plain(diagnosis)})
    else:
        print_folded(diagnosis_text(diagnosis).splitlines())
    return 0 if diagnosis.is_known else NO_KNOWN_CAUSE


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """The log, of which any part can be read again."""
    if name == "-":
        with tempfile.TemporaryFile() as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
            kept.seek(0)
            yield kept
        return
    path = Path(name)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadRequest(
                f"{name} is not a file",
                code="not-a-file",
                hint="pipe it: `... | tfbuild diagnose -`",
            )
        stream = path.open("rb")
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"cannot read {name}",
            code="file-unreadable",
            why=getattr(error, "strerror", None) or str(error),
            hint="name the log of the build, or `-` for the standard input",
        ) from error
    with stream:
        yield stream
