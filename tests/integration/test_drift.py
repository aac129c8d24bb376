"""Images whose packages move on, by the real engine: a warning, or refused by a lock."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.engines import base_image
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.planning import placed
from tests.sample_report import a_report
from tests.shared_libraries import real_tools
from tfbuild.containers.drift import changes, remember, report_drift
from tfbuild.containers.engine import Engine, open_engine
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.images import BuildImage, environment_of, look_at_named, looked_at
from tfbuild.containers.systems import read_system
from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock
from tfbuild.facts.tables import Tables

pytestmark = [pytest.mark.docker, pytest.mark.network]

TAG = f"tfbuild-test/drift:{os.getpid()}"
# Packages are made with dpkg's own tools and installed by it: no network is needed.
STEPS = """\
FROM {base}
RUN set -e; for pair in {packages}; do \
      name="${{pair%%=*}}"; mkdir -p "/tmp/$name/DEBIAN"; \
      printf 'Package: %s\\nVersion: %s\\nArchitecture: all\\nMaintainer: a <a@b.c>\\n%s\\n' \
        "$name" "${{pair#*=}}" 'Description: tiny' > "/tmp/$name/DEBIAN/control"; \
      dpkg-deb --build "/tmp/$name" /tmp/one.deb; dpkg --install /tmp/one.deb; \
    done; echo {mark} > /mark
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine() as found:
        yield found
        for image in found.client.images.list(filters={"label": f"org.tfbuild.test={TAG}"}):
            with suppress(Exception):  # a test has removed it
                found.client.images.remove(image.id, force=True)


@pytest.fixture
def base(engine: Engine, tables: Tables, tmp_path: Path) -> str:
    return base_image(
        engine, read_system("debian:bookworm", tables.axis("os")), real_tools(tmp_path)
    )


def make(engine: Engine, base: str, packages: str, *, mark: str = "one") -> str:
    """An image under the tag of these tests; what had the tag is nameless then."""
    text = STEPS.format(base=base, packages=packages, mark=mark)
    labels = (("org.tfbuild.test", TAG),)
    return engine.build_image(ImageSpec(dockerfile=text, tag=TAG, labels=labels), lambda _: None)


def environment(engine: Engine, env: FakeEnvironment) -> EnvironmentLock:
    image = BuildImage(name=TAG, id=engine.image_id(TAG))
    return environment_of(engine, image, looked_at(engine, image.id, env.tools))


def test_a_name_whose_image_moves_on(
    engine: Engine, base: str, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    first = make(engine, base, "tiny=1.0-1 leaves=3-1")
    then = environment(engine, fake_env)
    assert (then.image, then.id, then.system) == (TAG, first, "debian")
    assert {("tiny", "1.0-1", "all"), ("leaves", "3-1", "all")} < {
        (p.name, p.version, p.architecture) for p in then.packages
    }
    assert {"dpkg", "libc6"} < {p.name for p in then.packages}
    plan, tools = a_report(tmp_path).plan, fake_env.tools
    plan = placed(plan, image=TAG)
    remember(plan, then, tools.folders.work)
    look_at_named(TAG, then, tools)

    second = make(engine, base, "tiny=1.0-2 arrives=1")
    assert second != first
    now = environment(engine, fake_env)
    lines = ["tiny 1.0-1 became 1.0-2", "arrives 1 came", "leaves 3-1 went"]
    report_drift(plan, now, tools)
    warnings = [words[1] for words in fake_env.reporter.said if words[0] == "warn"]
    assert warnings == [f"environment drifted: {line}" for line in lines]
    look_at_named(TAG, NO_ENVIRONMENT, tools)
    with fails("environment-drifted", f"--image {first}") as caught:
        look_at_named(TAG, then, tools)
    assert caught.value.why.splitlines() == lines
    assert look_at_named(first, then, tools)[1].host.distribution == "debian"

    engine.client.images.remove(first, force=True)
    with fails("environment-drifted") as caught:
        look_at_named(TAG, then, tools)
    assert "--image" not in caught.value.hint, "it is gone"


def test_the_same_packages_made_again_are_no_drift(
    engine: Engine, base: str, fake_env: FakeEnvironment
) -> None:
    first = make(engine, base, "tiny=1.0-1")
    then = environment(engine, fake_env)
    assert make(engine, base, "tiny=1.0-1", mark="two") != first
    assert changes(then, environment(engine, fake_env)) == ()
    look_at_named(TAG, then, fake_env.tools)
