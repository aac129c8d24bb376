"""What a program that is started gets to see of the variables of its caller."""

import os
import socket
import sys
from pathlib import Path

import pytest

from tfbuild.core.child_environment import (
    RULES,
    USUAL_PATH,
    child_environment,
    closed_start,
    own_module,
    search_path,
    treatment_of,
)
from tfbuild.core.process import find_program, run
from tfbuild.core.records import Command


@pytest.mark.parametrize(
    ("name", "value", "seen"),
    [
        ("PYTHONSTARTUP", "/home/a/start.py", None),
        ("PYTHONPATH", ":lib:/opt/lib:.", "/opt/lib"),
        ("PYTHON_BIN_PATH", "/usr/bin/python3", "/usr/bin/python3"),
        ("LD_AUDIT", "/opt/audit.so", None),
        ("LD_LIBRARY_PATH", "/opt/a::../b:/opt/c", "/opt/a:/opt/c"),
        ("LD_LIBRARY_PATH", ".", None),
        ("LD_PRELOAD", "libeatmydata.so ./evil.so /opt/x.so", "libeatmydata.so:/opt/x.so"),
        ("GIT_DIR", "/home/a/.git", None),
        ("GIT_SSH_COMMAND", "ssh -i key", "ssh -i key"),
        ("GIT_SSL_CAINFO", "/etc/ca.pem", "/etc/ca.pem"),
        ("CMAKE_PREFIX_PATH", "/opt", None),
        ("PIP_INDEX_URL", "https://index.example/simple", "https://index.example/simple"),
        ("PIP_CERT", "ca.pem", "ca.pem"),
        ("PIP_CONFIG_FILE", "pip.conf", None),
        ("PIP_CONFIG_FILE", "/etc/company/pip.conf", "/etc/company/pip.conf"),
        ("PIP_PYTHON", "./python", None),
        ("PIP_TARGET", "/home/a", None),
        ("BASH_ENV", "/home/a/env.sh", None),
        ("BASH_FUNC_cc%%", "() { evil; }", None),
        ("PERL5OPT", "-Mevil", None),
        ("CPATH", ":/opt/include", "/opt/include"),
        ("GCC_EXEC_PREFIX", "lib/gcc/", None),
        ("TMPDIR", "here", None),
        ("https_proxy", "http://proxy:3128", "http://proxy:3128"),
        ("HOME", "/home/a", "/home/a"),
    ],
)
def test_each_variable_is_kept_or_dropped(name: str, value: str, seen: str | None) -> None:
    assert child_environment({name: value}).get(name) == seen


@pytest.mark.parametrize("name", ["TMPDIR", "XDG_CACHE_HOME", "PIP_CONFIG_FILE", "PIP_CACHE_DIR"])
def test_nothing_waits_for_another_program_at_the_end_of_a_path(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for kind in ("pipe", "socket"):
            assert name not in child_environment({name: str(tmp_path / kind)})
    for kept in (str(tmp_path), str(tmp_path / "not yet"), "/dev/null"):
        assert child_environment({name: kept})[name] == kept


def test_each_name_is_ruled_once_and_says_why() -> None:
    names = [name for rule in RULES for name in rule.names]
    assert len(names) == len(set(names))
    assert all(rule.why for rule in RULES)
    assert treatment_of("SOMETHING_ELSE") == "keep"


def test_what_a_command_names_goes_before_what_is_inherited() -> None:
    seen = child_environment({"A": "1", "B": "2"}, ["B"], (("A", "3"), ("PATH", ".:/opt/bin")))
    assert seen == {"A": "3", "LANGUAGE": "", "LC_ALL": "C.UTF-8", "PATH": "/opt/bin"}


@pytest.mark.parametrize("path", ["", ":", ".", "bin:./x"])
def test_a_path_without_a_whole_folder_is_the_usual_one(path: str) -> None:
    assert search_path(path) == USUAL_PATH


def test_no_program_of_the_current_folder_is_found_or_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("only-here", "true"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\n: > started\n")
        program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f":.:{os.environ['PATH']}")
    assert find_program("only-here") == ""
    assert Path(find_program("true")).is_absolute()
    run(Command(argv=("true",)))
    run(Command(argv=("true",), env=(("PATH", f".:{os.environ['PATH']}"),)))
    assert not (tmp_path / "started").exists()


def test_a_program_of_strangers_gets_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "sesame")
    program = tmp_path / "a=b" / "env"
    program.parent.mkdir()
    program.symlink_to(find_program("env"))
    found = run(Command(argv=(*closed_start((("A", "1"),)), str(program)))).stdout.splitlines()
    assert {"A=1", "LC_ALL=C.UTF-8", f"HOME={os.environ['HOME']}"} <= set(found)
    assert not any(line.startswith("TOKEN") for line in found)


def test_a_module_of_ours_is_none_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("print('foreign')\n")
    monkeypatch.chdir(tmp_path)
    assert own_module("pip")[0] == sys.executable
    assert run(Command(argv=(*own_module("pip"), "--version"))).stdout.startswith("pip ")
