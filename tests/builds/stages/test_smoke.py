import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.shared_libraries import tiny_wheel
from tfbuild.builds.stages import smoke
from tfbuild.builds.stages.smoke import PROBES, signal_name, smoke_needs, smoke_wheel
from tfbuild.core.errors import CommandTimedOut
from tfbuild.core.interfaces import Watch
from tfbuild.core.paths import PACKAGE
from tfbuild.core.records import Command, Completed, Interpreter
from tfbuild.core.reports import SmokeCheck
from tfbuild.facts.installed import open_tables

CHECK = {"name": "import", "state": "passed", "reason": "", "seconds": 0.1, "detail": {"a": "b"}}
PYTHON = Interpreter(path="python", version="3.11.2", tag="cp311")
Outcome = Callable[[], Completed]


def ends(code: int = 0, *checks: dict[str, object], said: tuple[str, ...] = ()) -> Outcome:
    text = json.dumps({"checks": list(checks)}) if checks else ""
    return lambda: Completed(code=code, stdout=f"noise\n{text}\n", last_lines=said)


@pytest.fixture
def run_suite(
    tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[SmokeCheck, ...]]:
    """Runs the suite with probes whose endings are given."""
    monkeypatch.setattr(smoke, "fetch", lambda *_, **__: ())

    def run(**outcomes: Outcome) -> tuple[SmokeCheck, ...]:
        def answer(command: Command, _watch: Watch | None) -> Completed:
            probe = Path(command.argv[1]).stem
            if not probe.startswith("smoke_"):
                return Completed(code=0)
            return outcomes[probe]()

        for name in ("python", "python3"):
            fake_env.runner.answers[name] = answer
        wheel = tiny_wheel(tmp_path)
        fake_env.runner.answers[Path("python").name] = answer
        return smoke_wheel(wheel, tuple(outcomes), PYTHON, fake_env.tools, needs=()).checks

    monkeypatch.setattr("sys.executable", "/opt/python3")
    return run


def test_checks_come_from_the_last_line(run_suite: Callable[..., tuple[SmokeCheck, ...]]) -> None:
    (check,) = run_suite(smoke_import=ends(0, CHECK))
    assert (check.name, check.state, check.detail) == ("import", "passed", (("a", "b"),))


def test_a_crash_is_a_failed_check_with_its_signal(
    run_suite: Callable[..., tuple[SmokeCheck, ...]],
) -> None:
    said = ("Fatal Python error: Segmentation fault", '  File "x.py", line 3 in f')
    (check,) = run_suite(smoke_matmul=ends(-11, said=said))
    assert (check.name, check.state) == ("matmul", "failed")
    assert check.reason == 'it crashed with SIGSEGV: File "x.py", line 3 in f'


def test_other_endings_fail_too(run_suite: Callable[..., tuple[SmokeCheck, ...]]) -> None:
    (wrong,) = run_suite(smoke_matmul=ends(3, said=("ValueError: x", "")))
    assert wrong.reason == "it ended with code 3: ValueError: x"
    (silent,) = run_suite(smoke_matmul=ends(0))
    assert (silent.state, silent.reason) == ("failed", "it ended without a result")
    (odd,) = run_suite(smoke_matmul=ends(0, CHECK | {"state": "great"}))
    assert odd.state == "failed"


def test_a_probe_that_hangs_fails(run_suite: Callable[..., tuple[SmokeCheck, ...]]) -> None:
    def hang() -> Completed:
        raise CommandTimedOut("too long")

    (check,) = run_suite(smoke_train=hang)
    assert (check.state, check.reason) == ("failed", "it ran longer than 240 s")


def test_skipped_checks_stay_skipped(run_suite: Callable[..., tuple[SmokeCheck, ...]]) -> None:
    (check,) = run_suite(
        smoke_gpu=ends(0, CHECK | {"state": "skipped", "reason": "no GPU is seen"})
    )
    assert (check.state, check.reason) == ("skipped", "no GPU is seen")


def test_without_an_import_the_rest_is_skipped(
    run_suite: Callable[..., tuple[SmokeCheck, ...]],
) -> None:
    checks = run_suite(smoke_import=ends(1, said=("ImportError: no",)), smoke_matmul=ends(0, CHECK))
    assert [check.state for check in checks] == ["failed", "skipped"]
    assert checks[1].reason == "the import failed"


def test_every_probe_is_on_the_suite() -> None:
    found = {p.stem for p in (PACKAGE / "probes").glob("smoke_*.py")} - {"smoke_tools"}
    recipe = open_tables().recipe("cpu")
    assert set(recipe.smoke) == set(PROBES)
    assert found == {*recipe.smoke, *recipe.smoke_full}


def test_signals_have_names() -> None:
    assert signal_name(11) == "SIGSEGV"
    assert signal_name(99) == "signal 99"


def test_a_wheel_that_wants_something_from_an_address_gets_nothing(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    wheel = tiny_wheel(tmp_path, requires=("evil @ https://elsewhere.example/evil.zip",))
    with fails("requirement-from-address", "'evil'"):
        smoke_needs(wheel, (), PYTHON, fake_env.tools)
    assert fake_env.runner.commands == []
