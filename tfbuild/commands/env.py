"""What `tfbuild env` does: a plan's environment as files that people and other tools can use."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.commands.choices import IMAGES
from tfbuild.commands.context import open_tools, read_request, read_settings, request_of, write_file
from tfbuild.containers.devcontainer import devcontainer_files
from tfbuild.containers.dockerfile import choose_image, dockerfile_text
from tfbuild.containers.systems import read_system
from tfbuild.core.environments import System
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import data_folder, refuse_link, write_aside
from tfbuild.core.plans import Plan
from tfbuild.core.records import Request
from tfbuild.core.safe_files import text_of
from tfbuild.core.settings import Settings
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.build_rows import ImageRow
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter, print_file, print_json, print_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan of a container, and NVIDIA's image if it is to stand on one."""

    plan: Plan
    image: ImageRow | None = None

    @property
    def text(self) -> str:
        """Its Dockerfile."""
        folder = data_folder("dockerfiles")
        return dockerfile_text(self.plan, folder, image=self.image)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvOptions:
    """The options of what is written for a plan."""

    image_from: str = "wheels"
    output: str = ""
    network: bool = False  # files for apt and pip beside it
    force: bool = False


def dockerfile(words: tuple[str, ...], flags: Mapping[str, str], asked: EnvOptions) -> None:
    """Print the Dockerfile of a plan, or write it to a file."""
    if asked.network and asked.output in {"", "-"}:
        raise BadRequest(
            "--network writes a folder beside the file, and there is no file",
            code="network-without-file",
            hint="name one, such as --output image/Dockerfile",
        )
    with ConsoleReporter() as reporter:
        planned = plan_container(words, flags, reporter, image_from=asked.image_from)
        _deliver(planned.text, asked.output)
        if asked.network:
            _write_network(
                Path(asked.output).absolute().parent, planned.plan.environment.system, reporter
            )


def devcontainer(words: tuple[str, ...], flags: Mapping[str, str], asked: EnvOptions) -> None:
    """Write a .devcontainer folder; BadRequest where there is one of another making."""
    with ConsoleReporter() as reporter:
        planned = plan_container(words, flags, reporter, image_from=asked.image_from)
        folder = _write_devcontainer(planned, asked)
        if asked.network:
            _write_network(folder, planned.plan.environment.system, reporter)


def conda(words: tuple[str, ...], flags: Mapping[str, str], *, output: str) -> None:
    """Print the environment.yml of a plan, or write it to a file; NoSolution for none.

    TensorFlow is asked for without its tree: then it is that of the answer to the question.
    """
    from tfbuild.builds.decide import decide_on
    from tfbuild.containers.conda_file import conda_file
    from tfbuild.facts.targets import target_of

    with ConsoleReporter() as reporter:
        settings = read_settings(words, flags, reporter)
        if settings.get("tensorflow"):
            text = _conda_of_answer(settings)
        else:
            with open_tools(reporter) as tools:
                request = request_of(settings, reporter)
                # Conda brings what this machine lacks.
                plan = decide_on(request, open_tables(), tools.host).plan
                text = conda_file(plan, target_of(tools.host))
    _deliver(text, output)


def base(name: str, *, anew: bool, as_json: bool) -> None:
    """Make or find a base image and print its name."""
    from tfbuild.containers.base_image import make_base
    from tfbuild.containers.engine import open_engine
    from tfbuild.core.serialization import to_plain

    system = read_system(name, open_tables().axis("os"))
    with ConsoleReporter() as reporter, open_tools(reporter) as tools, open_engine() as engine:
        reporter.stage("base")
        started = time.monotonic()
        made = make_base(system, tools, engine, is_anew=anew)
        state, seconds = "passed" if made.is_new else "reused", time.monotonic() - started
        reporter.done("base", seconds=seconds, state=state, detail=made.tag)
    if as_json:
        print_json({"schema": "tfbuild.base/1", **to_plain(made)})
    else:
        print_text(made.tag)


def shell(words: tuple[str, ...], flags: Mapping[str, str], *, command: str) -> int:
    """Open the environment of a plan and give it the terminal, or one command; its exit code.

    It is the container that `tfbuild build --env docker` compiles in: no network, sources
    read-only, and gone when left.
    """
    from tfbuild.builds.decide import decide
    from tfbuild.builds.stages.container import open_container
    from tfbuild.containers.shell import enter, own_streams, require_terminal, run_line

    if not command:
        require_terminal()
    started = time.monotonic()
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        request = read_request(words, {**flags, "env": "docker"}, reporter)
        tables = open_tables()
        reporter.stage("environment")
        plan = decide(request, tables, tools).plan
        with open_container(plan, tools) as env:
            seconds = time.monotonic() - started
            reporter.done("environment", seconds=seconds, state="passed", detail=plan.id)
            env.hold()  # whoever is inside may call Bazel
            container, cwd = env.runner.container, str(env.toolchain.source)
            if command:
                plain = {"LC_ALL": "C.UTF-8"}
                return run_line(container, command, env=plain, cwd=cwd, streams=own_streams())
            return enter(container, env=_shell_words(plan), cwd=cwd)


def plan_container(
    words: Sequence[str], flags: Mapping[str, str], reporter: ConsoleReporter, *, image_from: str
) -> Planned:
    """The plan of a constraint for a container; NoSolution, BadRequest."""
    from tfbuild.builds.decide import decide

    if image_from not in IMAGES:
        raise BadRequest(
            f"--image-from is '{image_from}'",
            code="image-origin-unknown",
            hint=did_you_mean(image_from, list(IMAGES)),
        )
    tables = open_tables()
    with open_tools(reporter) as tools:
        request = read_request(tuple(words), {**flags, "env": "docker"}, reporter)
        request = replace(request, image="")  # it is about one that is yet to be made
        among = {row.os for row in tables.images() if row.cudnn_devel and image_from == "nvidia"}
        plan = decide(request, tables, tools, systems=among).plan
    image = None
    if image_from == "nvidia":
        _require_cuda(request)
        image = choose_image(tables.images(), plan.versions.value("cuda"), plan.environment.system)
    return Planned(plan=plan, image=image)


# --- inside ------------------------------------------------------------------------------------


def _conda_of_answer(settings: Settings) -> str:
    from tfbuild.builds.stages.resolve import no_solution
    from tfbuild.commands.resolve import ResolveOptions, make_question
    from tfbuild.facts.rules import load_facts
    from tfbuild.resolver.export import conda_environment
    from tfbuild.resolver.machine import NO_MACHINE
    from tfbuild.resolver.resolver import resolve

    question = make_question(settings, ResolveOptions(style="conda"), NO_MACHINE)
    tables = open_tables()
    resolution = resolve(question, load_facts(tables))
    if not resolution.is_possible:
        raise no_solution(resolution)
    return conda_environment(resolution, tables.build_tools(), tables.axis("tensorflow"))


def _write_devcontainer(planned: Planned, asked: EnvOptions) -> Path:
    folder = Path(asked.output or ".").absolute() / ".devcontainer"
    refuse_link(folder)
    files = devcontainer_files(planned.plan, planned.text)
    other = [
        name
        for name, text in files.items()
        if (folder / name).exists() and text_of(folder / name) != text
    ]
    if other and not asked.force:
        raise BadRequest(
            f"{folder} is there already, and says something else",
            code="output-folder-differs",
            why=f"{' and '.join(other)} would be written over",
            hint="give --force, or another folder with --output",
        )
    for name, text in files.items():
        write_aside(folder / name, text)
    print_text(f"written: {', '.join(str(folder / name) for name in files)}")
    return folder


def _write_network(folder: Path, system: System, reporter: ConsoleReporter) -> None:
    """This machine's way to the outside, beside a Dockerfile: for its owner, and not for git."""
    from tfbuild.containers.host_network import FOLDER, local_address, network_files

    with open_tools(reporter) as tools:
        files = network_files(tools.runner, tools.host, system)
    refuse_link(folder / FOLDER)
    for name, content in {**files, f"{FOLDER}/.gitignore": b"*\n"}.items():
        write_aside(folder / name, content, mode=0o600)
    print_text(f"written: {folder / FOLDER}/ (it may hold passwords: keep it to yourself)")
    if local := local_address(files):
        reporter.warn(
            f"they name {local}, this machine alone: docker build --network=host sees it",
            code="address-of-this-machine",
        )


def _shell_words(plan: Plan) -> dict[str, str]:
    """What the shell of a plan knows beside what the image says."""
    return {"PS1": rf"tfbuild {plan.id[:8]}:\w\$ ", "TERM": os.environ.get("TERM", "xterm")}


def _require_cuda(request: Request) -> None:
    if request.recipe != "cuda":
        raise BadRequest(
            "--image-from nvidia is about a CUDA toolkit, and none is asked for",
            code="nvidia-image-without-cuda",
            hint="add --cuda, or leave --image-from out",
        )


def _deliver(text: str, output: str) -> None:
    """The text to stdout, or into a file, which is said."""
    if not output or output == "-":
        print_file(text)
        return
    path = write_file(output, text if text.endswith("\n") else text + "\n")
    print_text(f"written: {path}")
