"""What terminals and CI systems add to lines."""

import pytest

from tfbuild.diagnosis.log_lines import clean


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ("\x1b[31m\x1b[1mERROR: \x1b[0m/w/BUILD:1:2: failed", "ERROR: /w/BUILD:1:2: failed"),
        ("[1 / 9] Compiling a\r[2 / 9] Compiling b\rERROR: no", "ERROR: no"),
        ("ERROR: no\r\n", "ERROR: no"),
        ("2023-01-01T00:00:00.0000000Z ERROR: no", "ERROR: no"),
        ("2019-07-17 04:36:30.704351 | xenial | ERROR: no", "ERROR: no"),
        ("(04:10:00) ERROR: no", "ERROR: no"),
        ("#17 1.332 ERROR: no", "ERROR: no"),
        ("> > ERROR: no", "ERROR: no"),
        ("10>ERROR: no", "ERROR: no"),
        ("##[error]it ended", "it ended"),
        ("2021-03-02 09:00:11.5: E cuda.cc:3] no", "2021-03-02 09:00:11.5: E cuda.cc:3] no"),
        ("    indented | and barred", "    indented | and barred"),
    ],
)
def test_the_line_as_its_program_wrote_it(raw: str, line: str) -> None:
    assert clean(raw) == line
