"""The oracles of the attack catch: what is touched, said, run, shown, slow, or shared wrongly."""

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from benchmarks.attack import cold, growth, namespaces, neighbours
from benchmarks.attack.bad_servers import BEHAVIOURS, CONTENT, BadServer
from benchmarks.attack.growth import Grown, exponent_of, grow
from benchmarks.attack.inputs import Budget, try_inputs
from benchmarks.attack.kept import kept_packages
from benchmarks.attack.namespaces import can_part, shared_cache
from benchmarks.attack.neighbours import try_neighbours
from benchmarks.attack.oracles import Canary, make_canary, unprintable
from benchmarks.attack.planted import planted_state, visible
from benchmarks.attack.servers import ask_servers, bad_servers
from benchmarks.attack.surroundings import surroundings
from benchmarks.attack.tally import Tally
from benchmarks.attack.trial import Call, Outcome, run_call
from tests.benchmarks.test_attack import a_shop

DICE = random.Random(5)


def a_canary(folder: Path) -> Canary:
    folder.mkdir()
    return make_canary(folder, random.Random(1))


@pytest.mark.parametrize(
    "said", ["\x1b[31m", "\x9b0m", "\u202ecod", "a\rb", "\x00", "\x7f", "\u2066", "\u2028"]
)
def test_what_a_terminal_would_obey_is_no_text(said: str) -> None:
    (letter,) = [one for one in said if one not in "[31m0codab"]
    assert unprintable(f"before {said} after".encode()) == f"shown: U+{ord(letter):04X}"


def test_text_in_any_language_is_printable() -> None:
    assert unprintable("plain\n\ttext, äöü, 漢字, 🎉, \u00a0".encode()) == ""
    assert unprintable("cut off: é".encode()[:-1]) == ""
    assert unprintable(b"latin-1: \xe9t\xe9") == "shown: byte 0xe9"


def test_an_ending_with_an_escape_is_a_fault_unless_colours_were_asked_for(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()

    def colours() -> None:
        sys.stdout.write("\x1b[1mbold\x1b[0m\n")

    assert run_call(Call(words=()), tmp_path / "place", colours).fault == "shown: U+001B"
    asked = Call(words=(), environ={"FORCE_COLOR": "1"})
    assert run_call(asked, tmp_path / "place", colours).fault == ""


def _rewrite(canary: Canary) -> None:
    was = (canary.folder / "b").stat()
    (canary.folder / "b").write_text("c")
    os.utime(canary.folder / "b", ns=(was.st_atime_ns, was.st_mtime_ns))


TOUCHES: dict[str, Callable[[Canary], object]] = {
    "touched outside: b": _rewrite,
    "touched outside: keys": lambda canary: (canary.folder / "keys").chmod(0o755),
    "touched outside: .": lambda canary: (canary.folder / "new").touch(),
    "a planted program ran": lambda canary: canary.mark.touch(),
}


@pytest.mark.parametrize("fault", TOUCHES)
def test_a_canary_shows_what_was_done_to_it(tmp_path: Path, fault: str) -> None:
    canary = a_canary(tmp_path / "canary")
    place = tmp_path / "place"
    place.mkdir()
    (place / "link").symlink_to(canary.folder)
    assert canary.fault(b"nothing", place) == ""
    TOUCHES[fault](canary)
    assert canary.fault(b"nothing", place) == fault


def test_a_secret_that_is_disclosed_or_copied_is_found(tmp_path: Path) -> None:
    canary = a_canary(tmp_path / "canary")
    (tmp_path / "place" / "dist").mkdir(parents=True)
    assert (
        canary.fault(f"see {canary.secret}".encode(), tmp_path / "place") == "the secret was shown"
    )
    shutil.copy(canary.key, tmp_path / "place" / "dist" / "x")
    assert canary.fault(b"", tmp_path / "place") == "the secret is in dist/x"


# --- planted state and surroundings: programs that believe what lies there -----------------------


def _moves_what_lies_there() -> None:
    """As a tfbuild that finishes whatever looks like a delivery of its own."""
    for aside in Path("dist").glob(".tfbuild.*.part"):
        for path in (aside / "new").iterdir():
            path.replace(Path("dist", path.name))


def _writes_through_links() -> None:
    for path in Path.cwd().rglob("*"):
        if path.is_symlink() and path.is_file():
            path.write_text("a log")


def _runs_what_failed() -> None:
    for path in Path.cwd().rglob("failed_actions.json"):
        (action,) = json.loads(path.read_text())["content"]["actions"]
        subprocess.run(action["argv"], check=True)


def _runs_pip() -> None:
    """As `python -m pip` in a current folder, of which Python takes modules first."""
    if Path("pip.py").is_file():
        subprocess.run([sys.executable, "-I", "pip.py"], check=False, capture_output=True)


@pytest.mark.parametrize(
    ("main", "faults"),
    [
        (_moves_what_lies_there, {"delivered: ", "touched outside: "}),
        (_writes_through_links, {"touched outside: "}),
        (_runs_what_failed, {"a planted program ran"}),
        (_runs_pip, {"a planted program ran"}),
    ],
)
def test_what_believes_a_checkout_is_found(tmp_path: Path, main: Any, faults: set[str]) -> None:
    many = Budget(seed=3, inputs=40, seconds=60, jobs=2)
    found = try_inputs("planted state", planted_state(tmp_path / "stock"), main, many, tmp_path)
    faults_found = {fault.what for fault in found.faults}
    assert all(any(one.startswith(fault) for one in faults_found) for fault in faults), (
        found.endings
    )


def test_a_checkout_that_is_left_alone_is_no_fault(tmp_path: Path) -> None:
    few = Budget(seed=3, inputs=8, seconds=60, jobs=2)
    maker = planted_state(tmp_path / "stock")
    assert try_inputs("planted state", maker, lambda: None, few, tmp_path).faults == []
    made = surroundings(maker)
    assert try_inputs("surroundings", made, lambda: None, few, tmp_path).faults == []
    assert try_inputs("surroundings", made, _runs_pip, few, tmp_path).faults != []


def test_only_what_can_be_seen_counts_as_delivered(tmp_path: Path) -> None:
    (tmp_path / ".hidden").touch()
    (tmp_path / "seen").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    assert visible(tmp_path) == {"seen", "link"}
    assert visible(tmp_path / "link") == visible(tmp_path / "none") == set()


def test_a_current_folder_can_be_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / cold.DELETED
    here.mkdir()
    monkeypatch.chdir(here)
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: started.append(words))
    monkeypatch.setattr(sys, "argv", ["tfbuild", "plan"])
    cold.start_anew()
    assert not here.exists()
    assert started[0][-2:] == [str(Path(sys.executable).with_name("tfbuild")), "plan"]


# --- servers ---------------------------------------------------------------------------------


def test_servers_of_every_kind_are_started(tmp_path: Path) -> None:
    for behaviour in BEHAVIOURS:
        server = BadServer(behaviour, random.Random(1), tmp_path / "x")
        server.start()
        assert server.url.startswith("http://127.0.0.1:")


def test_who_waits_for_a_slow_server_hangs(tmp_path: Path) -> None:
    def waits() -> None:
        time.sleep(1000)

    one = Call(words=(), seconds=0.3)
    (tmp_path / "place").mkdir()
    assert run_call(one, tmp_path / "place", waits).fault == "hang"


def test_who_believes_a_server_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(url: str, target: Path, sha256: str, reporter: Any) -> Path:
        target.write_bytes(CONTENT[1:])
        return target

    monkeypatch.setattr("benchmarks.attack.servers.fetch_file", taken)
    monkeypatch.setattr(sys, "argv", ["x", "file", "cut", "1", "secret", str(tmp_path / "k")])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="a wrong file was taken"):
        ask_servers()


def test_a_password_that_goes_elsewhere_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import requests

    def follows(url: str) -> None:
        there = requests.get(url, allow_redirects=False, timeout=5).headers["Location"]
        requests.get(there, headers={"Authorization": url}, timeout=5)

    monkeypatch.setattr("benchmarks.attack.servers.fetch_text", follows)
    words = ["x", "text", "to elsewhere", "1", "secret-7", str(tmp_path / "k")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match="another host"):
        ask_servers()


def test_servers_are_chosen_by_dice_alone(tmp_path: Path) -> None:
    maker = bad_servers(tmp_path)
    first = maker.make(random.Random(1), tmp_path / "a")
    assert first.words[:4] == maker.make(random.Random(1), tmp_path / "b").words[:4]


# --- growth ----------------------------------------------------------------------------------


def costing(seconds: Callable[[int], float]) -> Callable[..., Outcome]:
    """Calls that cost what the size of their file says, as no clock of a busy machine would."""

    def call(_call: Call, place: Path, _main: Callable[[], Any]) -> Outcome:
        cost = 0.3 + seconds((place / "f").stat().st_size)
        return Outcome(code=0, fault="", said="", cpu=cost)

    return call


def test_growth_is_described_by_its_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Grown((), "f", lambda n: b"x" * n, first=200)

    def ending(seconds: Callable[[int], float]) -> tuple[str, str]:
        monkeypatch.setattr(growth, "run_call", costing(seconds))
        return grow(of, 200, lambda: None, tmp_path / "p", 1 << 20)[:2]

    assert ending(lambda size: size * 1e-3) == ("", "grows evenly")
    assert ending(lambda size: size * 1e-9) == ("", "costs nothing")
    assert ending(lambda size: size**2 * 1e-6) == ("grows with the power 2.0 at 200", "")


def test_what_growth_measures_is_the_time_of_a_process(tmp_path: Path) -> None:
    of = Grown((), "f", lambda n: b"x" * n, first=200)
    assert grow(of, 200, lambda: sys.exit(1), tmp_path / "p", 1 << 20)[0] == "exit 1 at 200"

    def works() -> None:
        while time.process_time() < 0.2:
            pass

    assert run_call(Call(words=()), tmp_path / "p", works).cpu > 0.1


def test_the_power_is_that_of_the_last_doubling_or_of_both() -> None:
    assert exponent_of([1.0, 2.0, 4.0], 0.0) == pytest.approx(1)
    assert exponent_of([1.1, 4.1, 16.1], 0.1) == pytest.approx(2)


def test_everything_that_grows_can_be_made() -> None:
    for name, grown in growth.GROWN.items():
        small, large = grown.make(10), grown.make(40)
        assert len(large) > len(small), name


# --- neighbours ------------------------------------------------------------------------------


def test_neighbours_in_namespaces_that_believe_half_of_it_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_part():
        pytest.skip("no namespaces here")
    maker = shared_cache(tmp_path / "stock")

    def is_the_first_process(_cache: Path) -> None:
        if os.getpid() == 1 and Path("/proc/self").resolve() == Path("/proc/1"):
            sys.exit("it is alone in a namespace")

    monkeypatch.setattr(namespaces, "check_toolkit", is_the_first_process)
    few = Budget(seed=3, inputs=6, seconds=60, jobs=2)
    found = try_inputs("shared cache", maker, namespaces.meet, few, tmp_path)
    assert found.endings["exit 1"] > 0, found.endings


def test_a_package_with_more_files_is_checked_whole(tmp_path: Path) -> None:
    stock = kept_packages(tmp_path, copies=3).stock
    assert json.loads((stock / "plan.json").read_text())["copies"] == 3
    (first, *_) = sorted((stock / "cache" / "unpacked").glob("*/nvidia/more/*/0.txt"))
    assert first.is_file()


_TOGETHER = """
import os, pathlib
kept = pathlib.Path("work/wheels/one.whl")
wheel = pathlib.Path("dist/a-1-py3-none-any.whl")
wheel.write_bytes(kept.read_bytes()[: len(list(pathlib.Path("/proc").glob("[0-9]*"))) or None])
"""


def test_a_wheel_that_depends_on_the_neighbours_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "_LONGEST_LIFE", 0.1)
    monkeypatch.setattr(neighbours, "_APART", 0.1)
    if not can_part():
        pytest.skip("no namespaces here")
    shop, tally = a_shop(tmp_path, _TOGETHER), Tally("neighbours")
    try_neighbours(shop, Budget(seed=1, inputs=2, seconds=60, jobs=1), 0, tally)
    assert tally.endings["wrong wheel"] == 2, tally.endings


def test_without_namespaces_nothing_is_counted_as_tried_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "can_part", lambda: False)
    tally = Tally("neighbours")
    try_neighbours(a_shop(tmp_path, ""), Budget(seed=1, inputs=2, seconds=60, jobs=1), 0, tally)
    assert tally.endings == {"no namespaces here": 2}


# --- threads of the runtime ------------------------------------------------------------------


class ClosedBadly:
    """A session that breaks with another error than a closed one's."""

    error: Exception = AttributeError("'NoneType' object has no attribute 'run'")

    def __init__(self, **_: Any) -> None:
        self._closed = threading.Event()

    def run(self, _fetch: object) -> None:
        self._closed.wait()  # as a step that is at work when the session is closed
        raise self.error

    def close(self) -> None:
        self._closed.set()


class ClosedWell(ClosedBadly):
    """One that says so."""

    error = RuntimeError("the session is closed")


def _threads_with(session: type[ClosedBadly], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the wheel's interpreter, on a runtime that has this session."""
    tf = MagicMock()
    tf.errors.OpError, tf.Session = type("OpError", (Exception,), {}), session
    package = MagicMock(compat=MagicMock(v1=tf))
    for name, module in {
        "numpy": MagicMock(), "tfbuild_runtime": package, "tfbuild_runtime.compat": package.compat,
        "tfbuild_runtime.compat.v1": tf,
    }.items():  # fmt: skip
        monkeypatch.setitem(sys.modules, name, module)
    path = Path(cold.__file__).parent / "in_wheel" / "threads.py"
    spec = importlib.util.spec_from_file_location("attack_threads", path)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_another_error_of_a_closed_session_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttributeError):
        _threads_with(ClosedBadly, monkeypatch).close_beside_runs(random.Random(1))
    _threads_with(ClosedWell, monkeypatch).close_beside_runs(random.Random(1))


def test_a_process_that_ends_badly_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _threads_with(ClosedWell, monkeypatch)
    attempt, _ = made.threads(tmp_path)
    monkeypatch.setattr(made, "close_beside_runs", lambda _: None)
    ends = subprocess.CompletedProcess([], -11, "", "")
    monkeypatch.setattr(made.subprocess, "run", lambda *_, **__: ends)
    with pytest.raises(AssertionError, match="ended with -11"):
        for seed in range(20):
            attempt(random.Random(seed))
