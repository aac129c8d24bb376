"""Options as the texts that settings take."""

import pytest
import typer

from tfbuild.cli.options import flags_of, leave, verbosity_of


def test_only_what_was_given_is_a_wish() -> None:
    given = {"cuda": False, "gpu": "", "output": "", "strict": False, "take": "", "against": None}
    assert flags_of(given) == {}


def test_every_option_under_the_name_of_its_setting() -> None:
    given = {
        "cuda": True, "gpu": "sm_90", "jobs": "2", "against": ["a.whl", "numpy==2.3"],
        "take": "tfbuild.lock", "skip_perf": True, "install_system_packages": True,
    }  # fmt: skip
    assert flags_of(given) == {
        "cuda": "any", "gpu": "sm_90", "jobs": "2", "against": "a.whl,numpy==2.3",
        "lock": "tfbuild.lock", "skip-perf": "true", "install-system-packages": "true",
    }  # fmt: skip


def test_quiet_beats_verbose() -> None:
    assert [verbosity_of(0, quiet=False), verbosity_of(2, quiet=False)] == [0, 2]
    assert verbosity_of(2, quiet=True) == -1


def test_a_command_ends_with_its_code() -> None:
    leave(0)
    with pytest.raises(typer.Exit) as ended:
        leave(3)
    assert ended.value.exit_code == 3
