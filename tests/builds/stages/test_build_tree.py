"""What a tree made is collected: by its last step, or from bazel-bin."""

from dataclasses import replace
from pathlib import Path

from tests.builds.stages.test_configure_tree import plan_of
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.builds.stages.build_tree import build_tree
from tfbuild.core.interfaces import Watch
from tfbuild.core.process import run
from tfbuild.core.records import Command, Completed
from tfbuild.facts.tables import Tables


def bazel_of(bazel_bin: Path, made: tuple[str, ...]) -> object:
    """A Bazel that puts files into bazel-bin."""

    def answer(command: Command, _watch: Watch | None) -> Completed:
        if "info" in command.argv:
            return Completed(code=0, stdout=f"{bazel_bin}\n")
        for name in made:
            (bazel_bin / name).parent.mkdir(parents=True, exist_ok=True)
            (bazel_bin / name).write_text(name)
        return Completed(code=0, stdout="INFO: 3 processes: 2 linux-sandbox, 1 disk cache hit.\n")

    return answer


def prepared(fake_env: FakeEnvironment, tmp_path: Path, *made: str) -> FakeEnvironment:
    fake_env.runner.answers["bazel"] = bazel_of(tmp_path / "bin", made)  # type: ignore[assignment]
    for name in ("find", "sh"):
        fake_env.runner.answers[name] = lambda command, _watch: run(command)
    return fake_env


def test_a_wheel_target_is_delivered_by_its_name(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.21.0")
    place = "tensorflow/tools/pip_package/wheel_house"
    env = prepared(fake_env, tmp_path, f"{place}/tf-1-py3-none-any.whl", f"{place}/other.txt")
    output = build_tree(plan, env)
    assert [name for name, _ in output.files] == ["tf-1-py3-none-any.whl"]
    assert output.files[0][1].read_text().endswith(".whl")


def test_a_last_step_gets_bazel_bin_and_a_fresh_folder(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    env = prepared(fake_env, tmp_path, "x")
    (tmp_path / "key").write_text("of the user")
    (env.toolchain.work / "built").mkdir()
    (env.toolchain.work / "built/old-1-py3-none-any.whl").write_text("of an earlier build")

    def pack(command: Command, _watch: Watch | None) -> Completed:
        assert command.argv[0].startswith(str(tmp_path / "bin"))
        Path(command.argv[1], "new-1-py3-none-any.whl").write_text("new")
        Path(command.argv[1], "key-1-py3-none-any.whl").symlink_to(tmp_path / "key")
        return Completed(code=0)

    env.runner.answers["build_pip_package"] = pack
    assert [name for name, _ in build_tree(plan, env).files] == ["new-1-py3-none-any.whl"]


def test_a_last_step_that_fails_is_reported_in_its_own_words(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    env = prepared(fake_env, tmp_path, "x")
    env.runner.answers["build_pip_package"] = lambda *_: Completed(
        code=1, last_lines=("Could not find bazel-bin.",)
    )
    with fails("packaging-step-failed", "build_pip_package", "Could not find bazel-bin"):
        build_tree(plan, env)


def test_the_library_comes_with_its_headers(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.21.0")
    outputs = ("tensorflow/libtensorflow_cc.so*", "tensorflow/include/**")
    plan = replace(plan, bazel=replace(plan.bazel, outputs=outputs))
    files = ("tensorflow/libtensorflow_cc.so.2", "tensorflow/include/a/b.h", "tensorflow/no.so")
    output = build_tree(plan, prepared(fake_env, tmp_path, *files))
    assert [name for name, _ in output.files] == [files[1], files[0]]


def test_nothing_at_all_is_a_failure(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.21.0")
    with fails("build-made-nothing", "wheel_house"):
        build_tree(plan, prepared(fake_env, tmp_path, "tensorflow/x"))
