"""The root cause first: actions before the rest, causes before generalities, first before last."""

import io

from tfbuild.diagnosis.findings import Diagnosis, diagnosis_of, first_cause

ACTION = "ERROR: /w/BUILD:9:1: C++ compilation of rule '//a:b' failed (Exit 1)\n"
MODULE = "ModuleNotFoundError: No module named 'yaml'\n"
NO_CACHE = "CMake Error: The current CMakeCache.txt directory /a is different than /b\n"


def diagnosed(text: str) -> Diagnosis:
    return diagnosis_of(io.BytesIO(text.encode()))


def ids(text: str) -> list[str]:
    return [finding.id for finding in diagnosed(text).findings]


def test_a_failed_action_speaks_before_the_rest_of_the_log() -> None:
    log = MODULE + ACTION + "b.cc:3:1: error: expected ';'\nINFO: Elapsed time: 1s\n" + NO_CACHE
    assert ids(log) == ["compile-error", "cmake-cache-moved", "python-module-missing"]


def test_a_cause_comes_before_what_is_said_in_general() -> None:
    log = (
        ACTION + "b.cc:3:1: error: expected ';'\nb.cc:9:1: error: 'uint8_t' does not name a type\n"
    )
    assert ids(log) == ["cstdint-missing", "compile-error"]


def test_of_equals_the_first_one_counts() -> None:
    log = "a.cc:1:2: error: first\n" + "b.cc:3:4: error: second\n"
    (finding,) = diagnosed(log).findings
    assert (finding.where, finding.line) == ("a.cc:1", 1)
    assert "first" in finding.cause


def test_want_of_memory_or_disk_explains_all_else() -> None:
    killed = "gcc: fatal error: Killed signal terminated program cc1plus\n"
    log = ACTION + "b.cc:3:1: error: expected ';'\nINFO: next\n" + killed
    assert ids(log)[0] == "compiler-killed"
    assert (
        ids(ACTION + "a.cc:1:1: error: x\n" + "write: No space left on device\n")[0] == "disk-full"
    )


def test_one_line_shows_one_thing_as_exactly_as_it_can() -> None:
    assert ids("b.cc:9:1: error: 'uint8_t' does not name a type\n") == ["cstdint-missing"]


def test_messengers_are_no_causes() -> None:
    log = "collect2: error: ld returned 1 exit status\nmake: *** [all] Error 2\n"
    diagnosis = diagnosed(log)
    assert not diagnosis.is_known
    assert [line.text for line in diagnosis.key_lines][:1] == log.splitlines()[:1]


def test_what_wraps_a_failure_comes_after_it() -> None:
    log = (
        "  error: subprocess-exited-with-error\n"
        "      bad.c:1:10: fatal error: nothere.h: No such file or directory\n"
    )
    assert ids(log) == ["header-not-found", "pip-metadata-failed"]


def test_a_log_that_says_nothing_of_an_error_shows_its_end() -> None:
    log = "".join(f"step {number}\n" for number in range(1, 9)) + "\n"
    assert [(line.line, line.text) for line in diagnosed(log).key_lines] == [
        (number, f"step {number}") for number in range(5, 9)
    ]


def test_a_line_without_its_file_is_no_place() -> None:
    (finding,) = diagnosed("dockerfile parse error line 3: unknown instruction: FROOM\n").findings
    assert not finding.where


def test_what_was_before_a_success_is_overcome() -> None:
    log = MODULE + "INFO: Build completed successfully, 12 total actions\n"
    assert not diagnosed(log).is_known
    assert ids(log + NO_CACHE) == ["cmake-cache-moved"]


def test_what_may_be_harmless_is_no_cause() -> None:
    log = "WARNING: Output base '/nfs/b' is on NFS. This may lead to surprising failures\n"
    diagnosis = diagnosed(log)
    assert [finding.kind for finding in diagnosis.findings] == ["weak"]
    assert not diagnosis.is_known


def test_of_an_unknown_log_the_first_and_the_last_key_lines_are_kept() -> None:
    log = "".join(f"ERROR: strange thing {number}\n" for number in range(50))
    key_lines = diagnosed(log).key_lines
    assert [line.line for line in key_lines] == [1, 2, 3, 4, 49, 50]


def test_secrets_of_a_log_are_hidden() -> None:
    log = (
        "ERROR: no such package '@x//': java.io.IOException: Error downloading "
        "[https://me:geheim@host/x.tgz] to /tmp/x: Read timed out\n"
    )
    (finding,) = diagnosed(log).findings
    assert "geheim" not in repr(finding)


def test_first_cause_of_some_lines() -> None:
    finding = first_cause("nvcc fatal   : Unsupported gpu architecture 'compute_86'\n", "make")
    assert finding is not None
    assert finding.id == "nvcc-arch-unsupported"
    assert "compute_86" in finding.cause
    assert finding.sources
    assert first_cause("nothing of interest\n", "make") is None
    assert first_cause("", "make") is None
