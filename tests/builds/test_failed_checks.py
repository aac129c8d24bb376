"""A failed check in one sentence: expected, found, and what helps."""

import pytest

from tfbuild.builds.failed_checks import audit_remedies, audit_sentences, smoke_sentences
from tfbuild.core.reports import AuditFinding, SmokeCheck


def a_finding(name: str, detail: str = "") -> AuditFinding:
    return AuditFinding(name=name, asked="all 2", built="1", state="failed", detail=detail)


def a_check(name: str, reason: str) -> SmokeCheck:
    return SmokeCheck(name=name, state="failed", reason=reason)


def test_a_finding_says_what_was_expected_and_found() -> None:
    said = audit_sentences([a_finding("exports", "no library exports gone"), a_finding("files")])
    assert said.splitlines() == [
        "exports: expected all 2, found 1: no library exports gone",
        "files: expected all 2, found 1",
    ]


def test_only_the_first_checks_get_a_sentence() -> None:
    said = audit_sentences([a_finding(name, "x" * 1000) for name in "abcdef"]).splitlines()
    assert [line[0] for line in said[:3]] == ["a", "b", "c"]
    assert all(len(line) <= 400 for line in said)
    assert said[3:] == ["and 3 more: d, e, f"]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("its version is 1, not 2", "its version is 1, not 2"),
        ("", "it failed"),
        ("it did not print 'BYE':\n\nHELLO", "it did not print 'BYE': HELLO"),
        (
            (
                "compile include/x.h alone: it ended with 1:\n"
                "In file included from /w/header.c:1:\n"
                "/w/x.h:3:10: fatal error: y.h: No such file or directory\ncompilation terminated."
            ),
            (
                "compile include/x.h alone: it ended with 1: "
                "/w/x.h:3:10: fatal error: y.h: No such file or directory"
            ),
        ),
        (
            (
                "find_package(x): it ended with 1:\n"
                "CMake Error at CMakeLists.txt:3 (find_package):\n"
                '  Could not find a package configuration file provided by "x"\n'
                "-- Configuring incomplete, errors occurred!"
            ),
            (
                "find_package(x): it ended with 1: CMake Error at CMakeLists.txt:3 (find_package): "
                'Could not find a package configuration file provided by "x"'
            ),
        ),
        (
            (
                'it ended with 1:\nTraceback (most recent call last):\n  File "x.py", line 3\n'
                "ValueError: shapes differ"
            ),
            "it ended with 1: ValueError: shapes differ",
        ),
    ],
)
def test_a_smoke_check_says_in_one_line_what_its_output_says(reason: str, said: str) -> None:
    assert smoke_sentences([a_check("trial", reason)]) == f"trial: {said}"


def test_the_author_of_a_recipe_gets_remedies() -> None:
    level = a_finding("CPU level of libx.so")
    assert "audit.cpu_level" in audit_remedies([level])
    several = audit_remedies([a_finding("exports"), a_finding("unheard of"), level])
    assert several.startswith("exports: correct `audit.exports`")
    assert "; CPU level of libx.so: " in several
    assert audit_remedies([a_finding("unheard of")]) == ""
