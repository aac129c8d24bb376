"""What an engine keeps of ours, and what may go; the engine is a stand-in with rows."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import docker.errors
import pytest

from tests.failing import fails
from tfbuild.containers.engine import Engine
from tfbuild.containers.ownership import CACHE_ID_OF, OWNER, cache_labels
from tfbuild.containers.retention import RetainedItem, list_kept, may_go, prune_kept
from tfbuild.core.cache_mark import make_cache
from tfbuild.fetch.cache import hold_cache, last_use, note_use

DAY = 86400.0
BASE = "org.opencontainers.image.base.name"


class Said:
    """An HTTP answer that is a document."""

    ok = True

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def raise_for_status(self) -> None:
        """It is a good one."""

    def json(self) -> dict[str, Any]:
        return self.document


class Api:
    """An engine's answers, and what was removed."""

    base_url, api_version = "http://engine", "1.41"

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {
            "Images": [], "Volumes": [], "Containers": [], "BuildCache": [],
        }  # fmt: skip
        self.tagged: dict[str, str] = {}
        self.gone: list[str] = []
        self.busy = ""

    def get(self, url: str, **_: Any) -> Said:
        assert url == "http://engine/v1.41/system/df"
        bare = [{**row, "Labels": {}} for row in self.rows["Images"]]  # as Podman counts
        return Said({**self.rows, "Images": bare})

    def post(self, url: str, params: dict[str, str], **_: Any) -> Said:
        (name,) = [row["ID"] for row in self.rows["BuildCache"] if row["ID"] in params["filters"]]
        self.gone.append(name)
        return Said({"CachesDeleted": [name]})

    def containers(self, **_: Any) -> list[dict[str, Any]]:
        return [{"Labels": {}, **one} for one in self.rows["Containers"]]

    def images(self) -> list[dict[str, Any]]:
        return [{**row, "SharedSize": -1} for row in self.rows["Images"]]

    def volumes(self) -> dict[str, Any]:
        return {"Volumes": [{**row, "UsageData": None} for row in self.rows["Volumes"]]}

    def inspect_image(self, name: str) -> dict[str, Any]:
        return {"Metadata": {"LastTagTime": self.tagged.get(name, "0001-01-01T00:00:00Z")}}

    def remove_image(self, name: str) -> None:
        if name == self.busy:
            raise docker.errors.APIError("conflict: a container uses it")
        self.gone.append(name)

    def remove_volume(self, name: str) -> None:
        self.gone.append(name)

    def remove_container(self, name: str, **_: Any) -> None:
        self.rows["Containers"] = [c for c in self.rows["Containers"] if c["Id"] != name]
        self.gone.append(name)

    # --- what is there ---

    def image(self, name: str, *tags: str, **more: Any) -> None:
        days = more.pop("days", 0.0)
        label = {k.replace("__", "."): v for k, v in more.items()}
        self.rows["Images"].append(
            {"Id": f"sha256:{name}", "RepoTags": list(tags) or None, "Labels": label, "Size": 1000,
             "SharedSize": 400, "Created": time.time() - days * DAY}
        )  # fmt: skip

    def volume(self, name: str, days: float = 0.0, **labels: str) -> None:
        made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * DAY))
        self.rows["Volumes"].append(
            {"Name": name, "Labels": {k.replace("__", "."): v for k, v in labels.items()},
             "CreatedAt": made, "UsageData": {"Size": 700, "RefCount": 0}}
        )  # fmt: skip

    def step(self, name: str, said: str, *, days: float) -> None:
        used = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * DAY))
        self.rows["BuildCache"].append(
            {"ID": name, "Type": "regular", "Description": said, "Size": 5, "LastUsedAt": used}
        )


OURS = {"org__tfbuild": "1", "org__tfbuild__kind": "environment"}


def of(cache: Path) -> dict[str, str]:
    """The labels of what was made for a cache."""
    return {key.replace(".", "__"): text for key, text in cache_labels(cache).items()}


ID = CACHE_ID_OF.replace(".", "__")
FETCH = "mount / from exec /bin/sh -c cat /run/network/apt.conf"


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def engine(api: Api) -> Engine:
    client = type("Client", (), {"api": api})()
    return Engine(client=client, name="docker", version="20.10")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> None:
    """The cache that each test is about, before anything else lies there."""
    make_cache(tmp_path)


def used(cache: Path, name: str, *, days: float) -> None:
    note_use(cache, name)
    then = time.time() - days * DAY
    os.utime(cache / "containers" / f"{name.removeprefix('sha256:')}.used", (then, then))


def by_name(found: tuple[RetainedItem, ...]) -> dict[str, RetainedItem]:
    return {one.name: one for one in found}


def test_what_is_ours_is_distinguished_from_what_was_made_of_ours(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    api.image("a", "tfbuild/env:a", days=3, **OURS)
    api.image("b", "localhost/tfbuild/base:b", org__tfbuild__base="trixie")
    api.image("c", days=2, **OURS)
    api.image("i", days=2, **OURS)  # made of ours by hand, and given no name
    used(tmp_path, "sha256:c", days=2)
    api.image("h", "docker.io/tfbuild/trial:h", **OURS)
    api.image("d", "mine:1", **OURS)  # labels are inherited
    api.image("e", "mine:2", "tfbuild/env:e", **OURS)
    api.image("f", "debian:trixie")
    api.image("g", org__tfbuild__base="trixie")
    api.volume("tfbuild-v", org__tfbuild="1")
    api.volume("tfbuild-by-hand")
    api.step("s", "mount / from exec /bin/sh -c cat /run/network/apt.conf", days=4)
    api.step("t", "mount / from exec /bin/sh -c make", days=4)
    api.step("u", "mount / from exec /bin/sh -c touch /run/network/ifstate", days=4)
    found = by_name(list_kept(engine, tmp_path))
    assert {name: one.kind for name, one in found.items()} == {
        "tfbuild/env:a": "environment", "tfbuild/base:b": "base", "c": "environment",
        "tfbuild/trial:h": "environment",
        "tfbuild-v": "volume", "s": "step",
    }  # fmt: skip
    assert (found["tfbuild/env:a"].bytes, found["tfbuild-v"].bytes) == (600, 700)
    assert found["tfbuild/env:a"].age_days == pytest.approx(3, abs=0.01)
    assert found["s"].age_days == pytest.approx(4, abs=0.01)
    assert not api.gone


def test_our_record_of_the_last_use_counts(engine: Engine, api: Api, tmp_path: Path) -> None:
    mine = of(tmp_path)
    api.image("old", "tfbuild/env:old", days=90, **OURS, **mine)
    api.image("used", "tfbuild/env:used", days=90, **OURS, **mine)
    api.volume("lately", days=90, org__tfbuild="1", **mine)
    api.volume("never", days=90, org__tfbuild="1", **mine)
    used(tmp_path, "sha256:used", days=2)
    used(tmp_path, "lately", days=2)
    gone = prune_kept(engine, tmp_path, older_than_days=30)
    assert [one.name for one in gone] == ["tfbuild/env:old", "never"]
    assert api.gone == ["tfbuild/env:old", "never"]
    prune_kept(engine, tmp_path, older_than_days=0)
    assert last_use(tmp_path, "sha256:used") == last_use(tmp_path, "lately") == 0


def test_a_base_is_used_with_what_stands_on_it(engine: Engine, api: Api, tmp_path: Path) -> None:
    label = {BASE.replace(".", "__"): "tfbuild/base:b"}
    api.image("b", "tfbuild/base:b", org__tfbuild__base="trixie", days=90)
    api.image("a", "tfbuild/env:a", days=90, **OURS, **label)
    used(tmp_path, "sha256:a", days=1)
    assert prune_kept(engine, tmp_path, older_than_days=30) == ()


def test_what_has_no_date_counts_from_now(engine: Engine, api: Api, tmp_path: Path) -> None:
    """Base images are dated 1980, and an engine does not remember when it got them."""
    api.image("b", "tfbuild/base:b", org__tfbuild__base="trixie", days=365 * 46)
    (one,) = list_kept(engine, tmp_path)
    assert one.age_days == 0
    assert prune_kept(engine, tmp_path, older_than_days=30) == ()
    assert last_use(tmp_path, "sha256:b") == 0, "another cache may have made it"
    api.image("c", "tfbuild/env:c", days=365 * 46, **OURS, **of(tmp_path))
    assert prune_kept(engine, tmp_path, older_than_days=30) == ()
    assert last_use(tmp_path, "sha256:c") == pytest.approx(time.time(), abs=60)
    api.tagged["sha256:c"] = "2020-01-01T00:00:00.5Z"
    (tmp_path / "containers" / "c.used").unlink()
    assert [one.name for one in prune_kept(engine, tmp_path, older_than_days=30)] == [
        "tfbuild/env:c"
    ]


def test_what_a_container_uses_stays(engine: Engine, api: Api, tmp_path: Path) -> None:
    mine = of(tmp_path)
    api.image("a", "tfbuild/env:a", days=90, **OURS, **mine)
    api.image("busy", "tfbuild/env:busy", days=90, **OURS, **mine)
    api.volume("v", days=90, org__tfbuild="1", **mine)
    api.busy = "tfbuild/env:busy"  # a container that came in the meantime
    api.rows["Containers"] = [{"Id": "c", "ImageID": "sha256:a", "Mounts": [{"Name": "v"}]}]
    assert prune_kept(engine, tmp_path, older_than_days=0) == ()
    used = {one.name for one in list_kept(engine, tmp_path) if one.is_used}
    assert used == {"tfbuild/env:a", "v"}


def test_containers_that_nobody_owns_go_first(engine: Engine, api: Api, tmp_path: Path) -> None:
    code = "from tfbuild.containers.ownership import owner; print(owner())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    api.image("a", "tfbuild/env:a", days=90, **OURS, **of(tmp_path))
    labels = {OWNER: said.stdout.strip()}
    api.rows["Containers"] = [{"Id": "c", "ImageID": "sha256:a", "Labels": labels}]
    prune_kept(engine, tmp_path, older_than_days=30)
    assert api.gone == ["c", "tfbuild/env:a"]


@contextlib.contextmanager
def locked(path: Path) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def test_a_volume_that_a_build_holds_stays(engine: Engine, api: Api, tmp_path: Path) -> None:
    api.volume("v", days=90, org__tfbuild="1", **of(tmp_path))
    with locked(tmp_path / "containers" / "v.lock"):
        assert prune_kept(engine, tmp_path, older_than_days=0) == ()
    assert [one.name for one in prune_kept(engine, tmp_path, older_than_days=30)] == ["v"]


def test_a_cache_that_is_gone_is_pruned_by_its_name(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    api.volume("w", days=90, org__tfbuild="1", **of(gone))
    api.volume("x", days=90, org__tfbuild="1", **{**of(gone), ID: "a@elsewhere"})
    shutil.rmtree(gone)
    assert prune_kept(engine, tmp_path, older_than_days=30) == ()
    assert [one.name for one in prune_kept(engine, gone, older_than_days=30)] == ["w"]


def test_a_cache_keeps_what_is_its_own_when_it_is_moved(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    api.volume("v", days=90, org__tfbuild="1", **of(tmp_path / "old"))
    used(tmp_path / "old", "v", days=80)
    (tmp_path / "old").rename(tmp_path / "new")
    (shown,) = list_kept(engine, tmp_path / "new")
    assert (shown.is_ours, round(shown.age_days)) == (True, 80)
    with locked(tmp_path / "new" / "containers" / "v.lock"):
        assert prune_kept(engine, tmp_path / "new", older_than_days=0) == ()
    assert prune_kept(engine, tmp_path / "new", older_than_days=85) == ()
    assert [one.name for one in prune_kept(engine, tmp_path / "new", older_than_days=70)] == ["v"]


def test_another_machines_cache_in_the_same_folder_is_another_one(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    theirs = of(tmp_path)
    shutil.rmtree(tmp_path / "containers", ignore_errors=True)
    (tmp_path / "id.json").unlink()
    api.volume("theirs", days=90, org__tfbuild="1", **theirs)
    api.image("a", "tfbuild/env:a", days=90, **OURS, **theirs)
    api.volume("mine", days=90, org__tfbuild="1", **of(tmp_path))
    before = {key: text for key, text in theirs.items() if key != ID}
    api.volume("before", days=90, org__tfbuild="1", **before)
    api.volume("remembered", days=90, org__tfbuild="1", **before)
    used(tmp_path, "remembered", days=90)
    gone = prune_kept(engine, tmp_path, older_than_days=30)
    assert [one.name for one in gone] == ["mine", "remembered"]


def test_what_another_cache_made_is_shown_and_stays(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    other = {**of(tmp_path / "other"), BASE.replace(".", "__"): "tfbuild/base:b"}
    api.image("a", "tfbuild/env:a", days=90, **OURS, **other)
    api.image("old", "tfbuild/env:old", days=90, **OURS)  # of a release without that label
    api.image("b", "tfbuild/base:b", org__tfbuild__base="trixie", days=90)
    api.volume("v", days=90, org__tfbuild="1", **other)
    api.volume("mine", days=90, org__tfbuild="1", **of(tmp_path))
    api.step("s", FETCH, days=90)
    used(tmp_path, "sha256:b", days=90)  # we have used it too, and they stand on it
    shown = by_name(list_kept(engine, tmp_path))
    assert {name for name, one in shown.items() if not one.is_ours} == {
        "tfbuild/env:a", "tfbuild/env:old", "tfbuild/base:b", "v", "s",
    }  # fmt: skip
    assert [one.name for one in prune_kept(engine, tmp_path, older_than_days=0)] == ["mine"]
    assert api.gone == ["mine"]


def test_a_cache_that_never_had_an_engine_leaves_its_build_cache(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    api.step("s", FETCH, days=90)
    api.step("foreign", "mount / from exec /bin/sh -c make", days=90)
    assert prune_kept(engine, tmp_path, older_than_days=0) == ()
    note_use(tmp_path, "sha256:gone")
    assert [one.name for one in prune_kept(engine, tmp_path, older_than_days=0)] == ["s"]


def test_only_what_was_agreed_to_goes(engine: Engine, api: Api, tmp_path: Path) -> None:
    for name in ("v", "w"):
        api.volume(name, days=90, org__tfbuild="1", **of(tmp_path))
    (shown, _) = list_kept(engine, tmp_path)
    assert may_go(shown, older_than_days=30)
    assert not may_go(shown, older_than_days=120)
    gone = prune_kept(engine, tmp_path, older_than_days=0, agreed={"v"})
    assert [one.name for one in gone] == api.gone == ["v"]


def test_a_volume_of_a_cache_that_cannot_be_read_stays(
    engine: Engine, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything, so the refusal of another user's folder is played."""
    theirs = tmp_path / "theirs"
    api.volume("w", days=90, org__tfbuild="1", org__tfbuild__cache=str(theirs))
    api.volume("x", days=90, org__tfbuild="1", **of(tmp_path))

    def refusing(real: Any) -> Any:
        def ask(path: Path, *words: Any, **more: Any) -> Any:
            if Path(path).is_relative_to(theirs):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *words, **more)

        return ask

    for name in ("stat", "touch", "unlink"):
        monkeypatch.setattr(Path, name, refusing(getattr(Path, name)))
    monkeypatch.setattr(os, "open", refusing(os.open))
    assert [one.name for one in prune_kept(engine, tmp_path, older_than_days=0)] == ["x"]
    assert api.gone == ["x"]


def test_nothing_goes_while_a_build_uses_the_cache(
    engine: Engine, api: Api, tmp_path: Path
) -> None:
    api.image("a", "tfbuild/env:a", days=90, **OURS)
    with hold_cache(tmp_path), fails("cache-in-use"):
        prune_kept(engine, tmp_path, older_than_days=0)
    assert api.gone == []
