"""One parser of tfbuild in Atheris, as a program of libFuzzer: `... python_child NAME OPTIONS`."""

import shutil
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped]

_INSTRUMENTED = ["tfbuild", "packaging", "elftools", "zipfile", "html", "email"]


def main() -> None:
    """Attack the target that the first word names; never returns."""
    with atheris.instrument_imports(include=_INSTRUMENTED):
        from benchmarks.attack.parsers.python_targets import PYTHON_TARGETS
    name, words = sys.argv[1], sys.argv[2:]
    target = PYTHON_TARGETS[name]
    folder = Path(tempfile.mkdtemp(prefix="parser-"))

    def attack(data: bytes) -> None:
        try:
            target.run(data, folder)
        except target.refusals:
            return
        finally:
            for left in folder.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    atheris.Setup([sys.argv[0], *words], attack)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
