"""One parser of tfbuild in Atheris, as a program of libFuzzer: `... python_child NAME OPTIONS`.

With `--inputs FOLDER` it writes what the target begins with instead.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import atheris

_INSTRUMENTED = ["tfbuild", "packaging", "elftools", "zipfile", "html", "email"]


def main() -> None:
    """Attack the target that the first word names; never returns, but with `--inputs`."""
    with atheris.instrument_imports(include=_INSTRUMENTED):
        from benchmarks.attack.parsers.python_targets import PYTHON_TARGETS, REFUSALS
    name, words = sys.argv[1], sys.argv[2:]
    target = PYTHON_TARGETS[name]
    folder = Path(tempfile.mkdtemp(prefix="parser-"))
    if words[:1] == ["--inputs"]:
        for number, content in enumerate(target.inputs(folder)):
            (Path(words[1]) / f"seed-{number}").write_bytes(content)
        shutil.rmtree(folder)
        return

    def attack(data: bytes) -> None:
        try:
            target.run(data, folder)
        except REFUSALS:
            return
        finally:
            for left in folder.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    atheris.Setup([sys.argv[0], *words], attack)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
