"""Which caches and farms a call of Bazel is given, and when it goes on without them."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import tfbuild.bazel.remote as bazel_remote
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel.probe import Outlook
from tfbuild.bazel.remote import (
    NO_REMOTE,
    CacheWatch,
    Remote,
    RemoteLost,
    open_remote,
    with_flags,
)
from tfbuild.core.environments import Services
from tfbuild.core.records import Command

BUILD = Command(argv=("bazel", "--nohome_rc", "build", "{bazel_flags}", "--jobs=2", "//a", "//b"))
CACHE = Services(cache="http://cache:80/x")
FARM = Services(executor="grpc://farm:1/team", jobs=9, properties=(("OSFamily", "linux"),))


@pytest.fixture
def outlooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Outlook]]:
    """What the probes find, by address."""
    found: dict[str, Outlook] = {}
    for name in ("probe_cache", "probe_executor"):
        monkeypatch.setattr(bazel_remote, name, lambda url, _: found.get(url, Outlook()))
    monkeypatch.setattr(bazel_remote, "farm_trouble", lambda *_: "")
    yield found


def flags(services: Services, env: FakeEnvironment) -> tuple[str, ...]:
    with open_remote(services, env) as remote:
        return remote.flags


def warnings(env: FakeEnvironment) -> list[str]:
    return [words[1] for words in env.reporter.said if words[0] == "warn"]


def test_flags_stand_before_the_targets_and_after_all_others() -> None:
    assert with_flags(BUILD, ("--x",)).argv[-4:] == ("--jobs=2", "--x", "//a", "//b")
    parted = replace(BUILD, argv=("bazel", "build", "--", "-//a"))
    assert with_flags(parted, ("--x",)).argv == ("bazel", "build", "--x", "--", "-//a")
    bare = replace(BUILD, argv=("bazel", "--nohome_rc", "build", "//a"))
    assert with_flags(bare, ("--x",)).argv == ("bazel", "--nohome_rc", "build", "--x", "//a")


def test_nothing_is_asked_for(fake_env: FakeEnvironment) -> None:
    with open_remote(Services(), fake_env) as remote:
        assert remote == NO_REMOTE
        assert remote.applied(BUILD) == BUILD


def test_a_cache(fake_env: FakeEnvironment, outlooks: dict[str, Outlook]) -> None:
    found = flags(CACHE, fake_env)
    assert "--remote_cache=http://cache:80/x" in found
    assert "--remote_local_fallback" in found
    assert "--noremote_upload_local_results" not in found
    outlooks[CACHE.cache] = Outlook(can_write=False, note="it takes no results")
    assert "--noremote_upload_local_results" in flags(CACHE, fake_env)
    assert warnings(fake_env) == ["the cache http://cache:80/x: it takes no results"]


def test_a_farm(fake_env: FakeEnvironment, outlooks: dict[str, Outlook]) -> None:
    found = flags(FARM, fake_env)
    assert "--remote_executor=grpc://farm:1" in found
    assert "--remote_instance_name=team" in found
    assert "--remote_default_exec_properties=OSFamily=linux" in found
    assert "--jobs=9" in found


@pytest.mark.parametrize("version", ["4.2.3", "7.7.1"])
def test_a_bazel_before_5_uses_a_farm_alone(
    fake_env: FakeEnvironment, outlooks: dict[str, Outlook], version: str
) -> None:
    fake_env.toolchain = replace(fake_env.toolchain, bazel_version=version)
    is_old = version == "4.2.3"
    with open_remote(replace(FARM, cache=CACHE.cache), fake_env) as remote:
        assert ("--disk_cache=" in remote.flags) == is_old
        assert (remote.flags.count("--remote_cache=") == 1) == is_old
        assert remote.has_disk == (not is_old)


def test_what_is_of_no_use_is_left_out(
    fake_env: FakeEnvironment, outlooks: dict[str, Outlook]
) -> None:
    outlooks[FARM.executor] = Outlook(why_not="connection refused")
    both = replace(FARM, cache="grpc://farm:2")
    assert "--remote_cache=grpc://farm:2" in flags(both, fake_env)
    assert not any("executor" in flag for flag in flags(both, fake_env))
    assert "connection refused" in warnings(fake_env)[0]
    outlooks["grpc://farm:2"] = Outlook(why_not="no answer in time")
    with open_remote(both, fake_env) as remote:
        assert remote == NO_REMOTE


def test_a_farm_with_another_compiler_is_left_out(
    fake_env: FakeEnvironment, outlooks: dict[str, Outlook], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_remote, "farm_trouble", lambda *_: "its compiler is another one")
    with open_remote(FARM, fake_env) as remote:
        assert remote == NO_REMOTE
    assert "its compiler is another one" in warnings(fake_env)[0]


def test_what_is_required_must_be_there(
    fake_env: FakeEnvironment, outlooks: dict[str, Outlook]
) -> None:
    outlooks[CACHE.cache] = Outlook(why_not="connection refused")
    with fails("remote-service-unfit", "connection refused"):
        flags(replace(CACHE, is_required=True), fake_env)
    remote = Remote(names=("the cache",), is_required=True)
    with fails("remote-service-unfit", "it stopped"):
        remote.without("it stopped", fake_env.reporter)


def test_secrets_are_in_a_file_of_the_caller_alone_and_gone_afterwards(
    fake_env: FakeEnvironment, outlooks: dict[str, Outlook], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGIN", 'Bearer "a\\b"')
    services = replace(CACHE, headers=(("authorization", "LOGIN"), ("x-team", "LOGIN")))
    rc_file = fake_env.toolchain.work / "remote.bazelrc"
    rc_file.write_text("left by a killed build")
    rc_file.chmod(0o644)
    with open_remote(services, fake_env) as remote:
        assert rc_file.stat().st_mode & 0o777 == 0o600
        cache = fake_env.toolchain.cache  # where Bazel's server writes its log
        assert cache.stat().st_mode & 0o777 == 0o700
        assert rc_file.read_text().splitlines() == [
            r'build "--remote_header=authorization=Bearer \"a\\b\""',
            r'build "--remote_header=x-team=Bearer \"a\\b\""',
        ]
        command = remote.applied(BUILD)
        assert command.argv[:3] == ("bazel", "--nohome_rc", f"--bazelrc={rc_file}")
        assert "Bearer" not in " ".join(command.argv)
    assert not rc_file.exists()


def test_the_login_of_one_service_is_not_sent_to_the_other(
    fake_env: FakeEnvironment,
    outlooks: dict[str, Outlook],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    cache, farm = "https://cache.example/c", "grpcs://farm.example:443"
    netrc = tmp_path / "netrc"
    netrc.write_text(
        "machine cache.example login c password CACHE\nmachine farm.example login f password FARM\n"
    )
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("TEAM", "us")
    services = Services(cache=cache, executor=farm, headers=(("x-team", "TEAM"),))
    logins = {name: base64.b64encode(name.encode()).decode() for name in ("c:CACHE", "f:FARM")}
    rc_file = fake_env.toolchain.work / "remote.bazelrc"
    with open_remote(services, fake_env):
        assert rc_file.read_text().splitlines() == [
            'build "--remote_header=x-team=us"',
            f'build "--remote_exec_header=authorization=Basic {logins["f:FARM"]}"',
            f'build "--remote_cache_header=authorization=Basic {logins["c:CACHE"]}"',
        ]
    outlooks[cache] = Outlook(why_not="connection refused")
    with open_remote(services, fake_env):
        assert logins["c:CACHE"] not in rc_file.read_text()
        assert f"--remote_header=authorization=Basic {logins['f:FARM']}" in rc_file.read_text()


def test_netrc_is_read(
    fake_env: FakeEnvironment,
    outlooks: dict[str, Outlook],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "netrc").write_text("machine cache login me password word\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with open_remote(CACHE, fake_env) as remote:
        assert remote.rc_file
        assert "authorization=Basic bWU6d29yZA==" in remote.rc_file.read_text()


# --- while it builds -----------------------------------------------------------------------------


def test_a_service_that_stops_answering_is_given_up() -> None:
    watch = CacheWatch()
    for digit in "112":
        watch.take(f"Download of '/ac/{digit}' timed out. Received 0 bytes.", 0.0)
    with pytest.raises(RemoteLost):
        watch.take("Download of '/ac/3' timed out. Received 0 bytes.", 0.0)


def test_a_wait_for_one_action_has_its_limit() -> None:
    watch = CacheWatch()
    watch.take("[6 / 8] Compiling a.cc; 59s remote-cache ... (8 actions, 7 running)", 0.0)
    watch.take("[6 / 8] Compiling a.cc; 1,900s remote-cache, linux-sandbox", 0.0)  # it compiles
    with pytest.raises(RemoteLost, match="61 s"):
        watch.take("[6 / 8] Compiling a.cc; 61s remote-cache", 0.0)


def test_a_queue_without_machines_has_its_limit() -> None:
    queued = "[1 / 9] [Sched] Compiling a.cc; 3s ... (8 actions, 0 running)"
    watch = CacheWatch()
    watch.take(queued, 10.0)
    watch.take("[2 / 9] Compiling b.cc; 1s remote ... (8 actions, 1 running)", 100.0)
    watch.take(queued, 101.0)
    watch.take(queued, 220.0)
    with pytest.raises(RemoteLost, match="queue"):
        watch.take(queued, 222.0)


def sends(watch: CacheWatch, seconds: range, *, done: Callable[[int], int]) -> None:
    """Show an action every second that has compiled and sends its result, or compiles still."""
    for second in seconds:
        watch.take(f"[{done(second)} / 900] 2 actions running", 1000.0 + second)
        watch.take(f"    Compiling a.cc; {second}s remote-cache, linux-sandbox", 1000.0 + second)


def test_a_cache_that_takes_results_endlessly_is_given_up() -> None:
    watch = CacheWatch(runs_here=lambda: False)
    sends(watch, range(61), done=lambda _: 3)
    with pytest.raises(RemoteLost, match="61 s"):
        sends(watch, range(61, 70), done=lambda _: 3)


def test_what_compiles_or_goes_forward_is_not_held_up() -> None:
    sends(CacheWatch(), range(300), done=lambda _: 3)
    sends(CacheWatch(runs_here=lambda: False), range(300), done=lambda second: second // 50)
    watch = CacheWatch(runs_here=lambda: False)  # loading takes long, and asks no cache
    sends(watch, range(2), done=lambda _: 3)
    watch.take("    Fetching @zlib; 290s", 1290.0)
    sends(watch, range(300, 330), done=lambda _: 3)


def test_damage_is_noticed() -> None:
    watch = CacheWatch()
    watch.take("[6 / 8] Compiling a.cc", 0.0)
    assert not watch.has_met_damage
    watch.take("Expected digest 'a/1' does not match received digest 'b/1'", 0.0)
    assert watch.has_met_damage


def test_which_ends_are_a_services_fault() -> None:
    assert Remote(names=("the cache",)).is_cause(34)
    assert not Remote(names=("the cache",)).is_cause(1)
    assert not NO_REMOTE.is_cause(34)
