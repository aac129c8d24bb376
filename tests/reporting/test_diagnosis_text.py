"""A diagnosis in five lines."""

import io

from tfbuild.diagnosis.findings import diagnosis_of
from tfbuild.reporting.diagnosis_text import diagnosis_text


def text_of(log: str) -> str:
    return diagnosis_text(diagnosis_of(io.BytesIO(log.encode())))


def test_the_root_cause_in_five_lines() -> None:
    log = (
        "ERROR: /w/BUILD:9:1: C++ compilation of rule '//a:b' failed (Exit 1)\n"
        "gcc: error: unrecognized command-line option '-mavx512fp16'\n"
    )
    lines = text_of(log).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["what", "where", "why", "do", "source"]
    assert "C++ compilation of rule '//a:b' failed: compiler-flag-unknown" in lines[0]
    assert "//a:b, /w/BUILD:9, line 2 of the log" in lines[1]
    assert "-mavx512fp16" in lines[2]


def test_other_causes_follow_in_their_order() -> None:
    text = text_of("a.cc:1:1: error: x\nModuleNotFoundError: No module named 'yaml'\n")
    assert "also in the log, in this order:\n  python-module-missing, line 2: " in text


def test_an_unknown_log_is_said_to_be_so() -> None:
    text = text_of("ERROR: a strange thing\nWARNING: Output base '/n' is on NFS.\n")
    assert text.startswith("no known cause in 2 lines\n")
    assert "  1: ERROR: a strange thing" in text
    assert "harmless as a rule:\n  line 2: " in text
    assert text.splitlines()[-1].startswith("next:   read the log around the first of these lines")


def test_a_log_that_says_nothing_ends_with_what_to_give_instead() -> None:
    assert "2>&1 | tfbuild diagnose -" in text_of("").splitlines()[-1]
