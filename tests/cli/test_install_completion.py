"""`--install-completion` adds lines to a shell's own file, and loses nothing of it."""

import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.cli.install_completion import install

OWN = b"# caf\xe9\nalias x=y"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_file_of_any_bytes_gets_a_line_once(home: Path) -> None:
    (home / ".bashrc").write_bytes(OWN)
    (home / ".bashrc").chmod(0o640)
    script = home / ".bash_completions" / "tfbuild.sh"
    for _ in range(2):
        assert install("bash") == ("bash", script)
    assert (home / ".bashrc").read_bytes() == OWN + b"\nsource '%s'\n" % os.fsencode(script)
    assert stat.S_IMODE((home / ".bashrc").stat().st_mode) == 0o640
    assert "_TFBUILD_COMPLETE=complete_bash" in script.read_text()


def test_a_link_to_the_users_own_file_stays_one(home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / ".zshrc").symlink_to("dotfiles/zshrc")
    (home / "dotfiles" / "zshrc").write_bytes(OWN + b"\nzstyle ':completion:*' x\n")
    assert install("zsh") == ("zsh", home / ".zfunc" / "_tfbuild")
    assert (home / ".zshrc").is_symlink()
    added = (home / "dotfiles" / "zshrc").read_bytes().removeprefix(OWN)
    assert added.count(b"zstyle") == 1
    assert added.endswith(b"fpath+=~/.zfunc; autoload -Uz compinit; compinit\n")


def test_where_there_is_none_a_file_is_made(home: Path) -> None:
    install("zsh")
    assert (home / ".zshrc").read_text().splitlines() == [
        "fpath+=~/.zfunc; autoload -Uz compinit; compinit",
        "zstyle ':completion:*' menu select",
    ]


def test_other_shells_have_a_file_of_our_own(home: Path) -> None:
    assert install("fish", "tfbuild", "_TFBUILD_COMPLETE")[0] == "fish"
    assert (home / ".config" / "fish" / "completions" / "tfbuild.fish").is_file()


def test_what_is_no_file_is_left_alone(home: Path) -> None:
    (home / ".bashrc").mkdir()
    with fails("file-unreadable", str(home / ".bashrc"), "--show-completion"):
        install("bash")


def test_a_failure_in_the_middle_leaves_what_was_there(home: Path) -> None:
    (home / ".bashrc").write_bytes(OWN * 1000)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    code = "from tfbuild.cli.install_completion import install; install('bash')"
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, check=False, capture_output=True, preexec_fn=limit).returncode
    assert (home / ".bashrc").read_bytes() == OWN * 1000
    assert {path.name for path in home.iterdir()} == {".bashrc", ".bash_completions"}


def test_the_command_line_installs_so(home: Path) -> None:
    (home / ".bashrc").write_bytes(OWN)
    script = 'exec 2>&1; "$0" -m tfbuild --install-completion; true'
    done = subprocess.run(
        ["bash", "-c", script, sys.executable], capture_output=True, text=True, check=True
    )
    assert "bash completion installed in" in done.stdout
    assert (home / ".bashrc").read_bytes().startswith(OWN + b"\nsource ")
