"""Bazel from Debian packages: what apt is asked, what is left out, the tree that comes out."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, RecordingReporter, a_host, says
from tfbuild.core.interfaces import Watch
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.doctor.survey import look_at_host
from tfbuild.fetch import debian
from tfbuild.fetch.debian import install_packages, unpack_bazel
from tfbuild.fetch.seals import find_damage

OFFER = "Package: bazel-bootstrap\nVersion: 1:4.2.3+ds-9\n"
DEPENDS = {
    "bazel-bootstrap": "  Depends: libgrpc29\n  Depends: libgrpc-java\n  Depends: build-essential",
    "default-jre-headless": "  Depends: openjdk-17-jre-headless\n",
    "openjdk-17-jre-headless": "  Depends: libcups2\n  PreDepends: libc6\n",
}

CONTENTS = """\
drwxr-xr-x root/root         0 2022-01-01 00:00 ./
drwxr-xr-x root/root         0 2022-01-01 00:00 ./usr/bin/
-rwxr-xr-x root/root      4711 2022-01-01 00:00 ./usr/bin/bazel-4
-rwxr-xr-x root/root   1234567 2022-01-01 00:00 ./usr/lib/jvm/java-17/bin/java
-rw-r--r-- root/root         0 2022-01-01 00:00 ./etc/conf
lrwxrwxrwx root/root         0 2022-01-01 00:00 ./usr/lib/jvm/java-17/conf -> /etc/conf
lrwxrwxrwx root/root         0 2022-01-01 00:00 ./usr/lib/jvm/java-17/other -> /proc/self
"""


class Apt:
    """apt and dpkg-deb as far as they are used."""

    def __init__(self, env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
        self.offer = OFFER
        self.status = ""
        env.runner.answers |= {"apt-get": self.get, "apt-cache": self.cache, "dpkg-deb": self.deb}
        env.runner.answers["patchelf"] = says()
        monkeypatch.setattr(debian, "find_program", lambda name: f"/usr/bin/{name}")
        monkeypatch.setattr(debian, "find_patchelf", lambda: "patchelf")

    def get(self, command: Command, _watch: Watch | None) -> Completed:
        if "install" in command.argv:
            options = dict(w[2:].split("=", 1) for w in command.argv if w.startswith("-oDir"))
            self.status = Path(options["Dir::State::status"]).read_text()
            (Path(options["Dir::Cache"]) / "archives" / "bazel.deb").write_text("")
        return Completed(code=0)

    def cache(self, command: Command, _watch: Watch | None) -> Completed:
        if "show" in command.argv:
            return Completed(code=0 if self.offer else 100, stdout=self.offer)
        return Completed(code=0, stdout=DEPENDS.get(command.argv[-1], ""))

    def deb(self, command: Command, _watch: Watch | None) -> Completed:
        if "--contents" in command.argv:
            return Completed(code=0, stdout=CONTENTS)
        tree = Path(command.argv[-1])
        for name in ("usr/bin/bazel-4", "usr/lib/jvm/java-17/bin/java"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(b"\x7fELF")
        (tree / "usr/lib/x86_64-linux-gnu").mkdir()
        (tree / "etc").mkdir()
        (tree / "etc/conf").write_text("")
        (tree / "usr/lib/jvm/java-17/conf").symlink_to("/etc/conf")
        (tree / "usr/lib/jvm/java-17/other").symlink_to("/proc/self")
        return Completed(code=0)


@pytest.fixture
def apt(fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch) -> Apt:
    return Apt(fake_env, monkeypatch)


def test_a_tree_comes_out_that_can_lie_anywhere(fake_env: FakeEnvironment, apt: Apt) -> None:
    folder = fake_env.tools.folders.cache / "bazels"
    start = unpack_bazel(">=3.5,<8", folder, fake_env.tools)
    assert start == folder / "debian12-4.2.3" / "bin" / "bazel"
    script = start.read_text()
    assert "$tree/usr/bin/bazel-4" in script
    assert '--server_javabase="$tree/usr/lib/jvm/java-17"' in script
    assert str(folder) not in script
    java = start.parents[1] / "usr/lib/jvm/java-17"
    assert find_damage(start.parents[1], in_full=True) == ""
    assert str((java / "conf").readlink()) == "../../../../etc/conf"
    assert find_damage(start.parents[1], in_full=True) == ""
    assert str((java / "other").readlink()) == "/proc/self", "it leads to the machine on purpose"
    assert [path.name for path in folder.iterdir()] == ["debian12-4.2.3"]
    rpath = next(c for c in fake_env.runner.commands if c.argv[0] == "patchelf").argv
    assert "$ORIGIN/../lib/x86_64-linux-gnu" in rpath


def test_a_tree_that_lacks_a_file_of_its_packages_is_not_taken(
    fake_env: FakeEnvironment, apt: Apt, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "-rw-r--r-- root/root 1 2022-01-01 00:00 ./usr/share/a file\n"
    monkeypatch.setattr("tests.fetch.test_debian.CONTENTS", CONTENTS + line)
    folder = fake_env.tools.folders.cache / "bazels"
    with fails("unpacked-files-changed", "usr/share/a file"):
        unpack_bazel(">=3.5,<8", folder, fake_env.tools)
    assert list(folder.iterdir()) == []


def test_what_is_not_needed_counts_as_installed(fake_env: FakeEnvironment, apt: Apt) -> None:
    unpack_bazel(">=3.5,<8", fake_env.tools.folders.cache / "bazels", fake_env.tools)
    left_out = {line[9:] for line in apt.status.splitlines() if line.startswith("Package: ")}
    assert left_out == {"libgrpc-java", "build-essential", "libcups2", "libc6"}


def test_apt_keeps_its_state_with_us(fake_env: FakeEnvironment, apt: Apt) -> None:
    unpack_bazel(">=3.5,<8", fake_env.tools.folders.cache / "bazels", fake_env.tools)
    for command in fake_env.runner.commands:
        if command.argv[0].startswith("apt"):
            text = " ".join(command.argv)
            assert "Dir::State::lists=" in text
            assert "/var/lib" not in text


@pytest.mark.parametrize(
    ("offer", "accepted", "expected"),
    [
        ("", ">=3.5,<8", ("bazel-package-missing",)),
        (OFFER, "==7.7.1", ("bazel-package-unfit", "4.2.3", "==7.7.1")),
    ],
)
def test_an_offer_that_does_not_do_is_named(
    fake_env: FakeEnvironment, apt: Apt, offer: str, accepted: str, expected: tuple[str, ...]
) -> None:
    apt.offer = offer
    folder = fake_env.tools.folders.cache / "bazels"
    with fails(*expected):
        unpack_bazel(accepted, folder, fake_env.tools)
    assert list(folder.iterdir()) == []


def test_apt_without_a_network_is_a_failed_fetch(fake_env: FakeEnvironment, apt: Apt) -> None:
    fake_env.runner.answers["apt-get"] = says("E: Failed to fetch", code=100)
    with fails("apt-failed", "Failed to fetch"):
        unpack_bazel(">=3.5,<8", fake_env.tools.folders.cache / "bazels", fake_env.tools)


def test_a_machine_without_apt_says_so(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "find_program", lambda _name: "")
    with fails("apt-missing"):
        unpack_bazel(">=3.5,<8", fake_env.tools.folders.cache / "bazels", fake_env.tools)


def test_system_packages_need_root(fake_env: FakeEnvironment) -> None:
    command = "sudo apt-get install --no-install-recommends g++ python3-dev"
    with fails("packages-need-root", command):
        install_packages(("g++", "python3-dev"), fake_env.tools)


def test_root_installs_and_hears_why_it_fails(fake_env: FakeEnvironment) -> None:
    tools = replace(fake_env.tools, host=a_host(is_root=True))
    fake_env.runner.answers["apt-get"] = says()
    install_packages(("g++",), tools)
    assert [c.argv[2] for c in fake_env.runner.commands] == ["update", "install"]
    fake_env.runner.answers["apt-get"] = says("E: Unable to locate package", code=100)
    with fails("apt-install-failed", "g++", "Unable to locate"):
        install_packages(("g++",), tools)


@pytest.mark.network
@pytest.mark.bazel
@pytest.mark.slow
def test_real_packages_make_a_bazel_that_starts_anywhere(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    runner = ProcessRunner()
    tools = replace(
        fake_env.tools,
        runner=runner,
        reporter=RecordingReporter(),
        host=look_at_host(runner, tmp_path),
    )
    start = unpack_bazel(">=3.5,<8", tmp_path / "bazels", tools)
    moved = tmp_path / "moved"
    start.parents[1].rename(moved)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "WORKSPACE").write_text("")
    call = [str(moved / "bin" / "bazel"), f"--output_user_root={tmp_path / 'out'}"]
    said = subprocess.run(
        [*call, "info", "java-home"],
        cwd=tmp_path / "source",
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    subprocess.run([*call, "shutdown"], cwd=tmp_path / "source", check=True)
    assert said.stdout.startswith(str(moved)), sys.executable
