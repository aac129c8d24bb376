"""Failed actions of Bazel, old and new, and the lines that are theirs."""

import io

from tfbuild.diagnosis.catalogue import read_catalogue
from tfbuild.diagnosis.failed_actions import LoggedFailure, failed_actions
from tfbuild.diagnosis.scan import LogScanner

OLD = """\
ERROR: /w/kernels/BUILD:99:1: C++ compilation of rule '//kernels:conv' failed (Exit 1): gcc failed
conv.cc:1:1: error: one
conv.cc:2:1: error: two
Target //kernels:conv failed to build
INFO: Elapsed time: 1s
"""
NEW = """\
[17 / 42] Compiling x.cc
\x1b[31mERROR: \x1b[0m/w/BUILD.bazel:12:11: Compiling src/x.cc [for tool] failed: (Exit 1): gcc \
failed: error executing command (from target @dep//src:x) /usr/bin/gcc -c
src/x.cc:3:1: error: three
[18 / 42] Compiling y.cc
"""


def actions_of(text: str) -> tuple[LoggedFailure, ...]:
    log = io.BytesIO(text.encode())
    return failed_actions(log, LogScanner(read_catalogue()).scan(log).hits)


def test_an_action_of_an_old_bazel() -> None:
    (action,) = actions_of(OLD)
    assert action.what == "C++ compilation of rule '//kernels:conv' failed"
    assert (action.target, action.place) == ("//kernels:conv", "/w/kernels/BUILD:99")
    assert (action.first, action.last) == (1, 3)


def test_an_action_of_a_new_bazel_in_colour() -> None:
    (action,) = actions_of(NEW)
    assert action.what == "Compiling src/x.cc [for tool] failed"
    assert (action.target, action.place) == ("@dep//src:x", "/w/BUILD.bazel:12")
    assert (action.first, action.last) == (2, 3)


def test_actions_keep_their_order_and_a_log_may_end_in_one() -> None:
    actions = actions_of(OLD + NEW.partition("[18")[0])
    assert [action.target for action in actions] == ["//kernels:conv", "@dep//src:x"]
    assert actions[1].last == 8
    assert actions_of("make: *** [all] Error 2\n") == ()
