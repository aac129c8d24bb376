"""Builds the documentation's site: python -m docs [--offline] [--output DIR]."""

import argparse
import sys
from pathlib import Path

from docs.site import build

_ROOT = Path(__file__).parents[1]


def main() -> int:
    """Build it into build/docs, or another folder."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument("--offline", action="store_true", help="for reading without a server")
    parser.add_argument("--output", type=Path, default=_ROOT / "build" / "docs", metavar="DIR")
    asked = parser.parse_args()
    try:
        status = build(asked.output, offline=asked.offline)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    if not status:
        way = "open" if asked.offline else "python -m http.server --directory"
        place = asked.output / "index.html" if asked.offline else asked.output
        sys.stdout.write(f"built; to read it: {way} {place}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
