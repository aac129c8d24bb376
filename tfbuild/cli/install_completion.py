"""What `--install-completion` writes into a shell's own file: a line more, and nothing is lost.

typer reads the file as UTF-8 and writes it anew in its place. It may hold any bytes, and a failure
in the middle must leave what was there.
"""

import os
import stat
from pathlib import Path

import typer.completion
from typer import _completion_shared as typers_own  # its release is pinned

from tfbuild.cli.completion import COMPLETE
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import real_path, write_aside
from tfbuild.core.safe_files import read_bytes

_PROGRAM = "tfbuild"
_ZSH = (
    b"fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    b"zstyle ':completion:*' menu select",
)


def install(
    shell: str | None = None, prog_name: str | None = None, complete_var: str | None = None
) -> tuple[str, Path]:
    """Install completion for a shell, that of the caller where none is named; it and its script.

    Raises BadRequest where the shell's own file cannot be read, OSError where it cannot be written.
    """
    shell = shell or typers_own._get_shell_name()  # noqa: SLF001  (as typer itself asks)
    home = Path.home()
    if shell == "bash":
        script = home / ".bash_completions" / f"{_PROGRAM}.sh"
        rc_file, lines = home / ".bashrc", [os.fsencode(f"source '{script}'")]
    elif shell == "zsh":
        script, rc_file = home / ".zfunc" / f"_{_PROGRAM}", home / ".zshrc"
        has_style = b"zstyle" in _content(rc_file)  # then it is the user's own
        lines = [*_ZSH[: 1 if has_style else 2]]
    else:
        return typers_own.install(shell=shell, prog_name=prog_name, complete_var=complete_var)
    text = typers_own.get_completion_script(prog_name=_PROGRAM, complete_var=COMPLETE, shell=shell)
    write_aside(script, text + "\n")
    _add_lines(rc_file, lines)
    return shell, script


def use_in_typer() -> None:
    """Let typer's `--install-completion` install by this module."""
    vars(typer.completion)["install"] = install


# --- inside ------------------------------------------------------------------------------------


def _content(rc_file: Path) -> bytes:
    try:
        return read_bytes(rc_file)
    except FileNotFoundError:
        return b""
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"cannot read {rc_file}",
            code="file-unreadable",
            why=getattr(error, "strerror", None) or str(error),
            hint=f"see what it is; `{_PROGRAM} --show-completion` prints what belongs there",
        ) from error


def _add_lines(rc_file: Path, lines: list[bytes]) -> None:
    """Add what the file does not hold yet; where a link stands for it, to what it leads to."""
    place, found = real_path(rc_file), _content(rc_file)
    missing = [line for line in lines if line not in found]
    if not missing:
        return
    begun = found if found.endswith(b"\n") or not found else found + b"\n"
    state = place.stat() if found else None
    mode = stat.S_IMODE(state.st_mode) if state else 0o666
    write_aside(place, begun + b"".join(line + b"\n" for line in missing), mode=mode)
    if state:
        place.chmod(mode)  # whatever the umask
        if (state.st_uid, state.st_gid) != (place.stat().st_uid, place.stat().st_gid):
            os.chown(place, state.st_uid, state.st_gid)
