"""Runs of the reference that are kept, so that a second look at ours need not wait for them."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks.programs.running import Limits, Run


def kept_run(
    kept: Path | None, program: Path, limits: Limits, turn: int | str, run: Callable[[], Run]
) -> Run:
    """Return the run that is kept of this program, as it reads and with these limits, or a new one.

    The turn distinguishes several runs of one program; that of the first is 0.
    """
    if kept is None:
        return run()
    named = (program.name, limits) if turn == 0 else (program.name, limits, turn)
    text = program.read_bytes() + repr(named).encode()
    place = kept / f"{hashlib.sha256(text).hexdigest()[:32]}.json"
    if place.is_file():
        row = json.loads(place.read_text())
        return Run(
            ending=row["ending"], detail=row["detail"], calls=tuple(map(tuple, row["calls"]))
        )
    found = run()
    kept.mkdir(parents=True, exist_ok=True)
    aside = place.with_suffix(".part")
    aside.write_text(json.dumps(asdict(found)))
    aside.replace(place)
    return found
