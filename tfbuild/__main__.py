"""Starts the command line; answers `--version` without loading it, because that must be instant."""

import gc
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # of `python -m tfbuild`: modules of the current folder are none of ours

import tfbuild

_INTERRUPTED = 130
_YOUNG = 50_000  # objects made between two searches for garbage; what a start makes is all kept


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:] == ["--version"] and _is_written(f"tfbuild {tfbuild.__version__}\n"):
        return
    gc.set_threshold(_YOUNG)
    try:
        from tfbuild.core.child_environment import search_path

        os.environ["PATH"] = search_path()  # libraries start programs too
        from tfbuild.cli.app import main as run_cli

        run_cli()
    except KeyboardInterrupt:  # before the command line could say what it stops
        sys.exit(_INTERRUPTED)
    finally:
        gc.freeze()  # all of it ends with the process: nothing is searched once more


def _is_written(text: str) -> bool:
    """Whether a text could be written; the command line says why where it could not.

    It goes around the stream's buffer, which would keep what could not be written until the end.
    """
    try:
        os.write(sys.stdout.fileno(), text.encode())
    except (AttributeError, OSError):  # it is closed, or full
        return False
    return True


if __name__ == "__main__":
    main()
