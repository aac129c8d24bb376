"""What a plan decides of a TensorFlow source tree: answers, options, targets, the step after."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tfbuild.builds.tree_packages import packages_of
from tfbuild.containers.dockerfile import choose_image, nvidia_image
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.errors import TreeLacks
from tfbuild.core.identity import plan_id
from tfbuild.core.layout import BUILT, EFFECTIVE
from tfbuild.core.plans import NO_TREE, BazelPlan, Plan, TreePlan, WheelPlan
from tfbuild.core.records import Command, Host, Request
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.versions import minor
from tfbuild.facts.tables import Tables
from tfbuild.sources.answers import Answers, make_answers, written_options
from tfbuild.sources.build_file import (
    NO_BUILD_FILE,
    BuildFile,
    check_build_file,
    planned_patches,
    read_build_file,
)
from tfbuild.sources.products import Product, library_product, wheel_product
from tfbuild.sources.tensorflow_tree import TensorFlowTree, read_tree
from tfbuild.sources.values import PLACES, capabilities, check_values

_CUDA_OF_IMAGES = "/usr/local/cuda,/usr"  # NVIDIA's images have cuDNN with the system's files
_OF_BUILDS = ("--build_event", "--explain", "--profile")  # files that describe what is compiled
_CONFIGURE_SECONDS = 600.0
# The tree's own rc file decides what actions see, and its last step looks for bazel-bin.
_LEFT_TO_THE_TREE = ("--incompatible_strict_action_env", "--symlink_prefix=/")


def make_tree_plan(plan: Plan, request: Request, tables: Tables, host: Host) -> Plan:
    """The plan of a TensorFlow source tree, out of what every plan of its recipe has.

    Raises BadRequest where tree, build file and request do not go together, and TreeLacks where
    the tree cannot fetch what was chosen.
    """
    tree = read_tree(request.source)
    rows = tables.variables()
    said = read_build_file(Path(request.build_file)) if request.build_file else NO_BUILD_FILE
    check_build_file(said, tree, rows)
    words = decided_words(tree, plan, host)
    answers = make_answers(tree, rows, plan.device, words, _said_variables(said))
    variables = dict(answers.variables)
    check_values(tree, answers.rows, variables)
    product = _product(tree, plan, request, said)
    passed = (*product.flags, *_python_options(tree, plan), *_gpu_options(variables))
    options = tuple(dict.fromkeys((*passed, *said.options())))
    written = written_options(answers.rows, variables)
    made = replace(
        plan,
        environment=_place(plan, tables),
        configure_answers=answers.variables,
        bazel=_bazel(plan.bazel, product, options, said),
        wheel=_wheel(plan.wheel, tree, said),
        tree=TreePlan(
            release=tree.release,
            said_by=tree.said_by,
            written=written,
            holding=(*written, *options),
            places=tuple(
                (row.name, row.kind)
                for row in answers.rows
                if row.kind in PLACES and row.name in variables
            ),
            patches=planned_patches(said, tree.release),
            rc_changes=tuple((change.line, change.to) for change in said.rc_changes),
            needs=product.needs,
            **packages_of(tree, plan, tables.build_tools()),
            numpy="" if tree.fetches_python else plan.versions.value("numpy"),
            build_file=request.build_file,
            product=request.product,
            warnings=(*tree.warnings, *answers.warnings, *_warnings(tree, plan, variables)),
        ),
    )
    made = replace(_tried(made), commands=_commands(made, product, answers, jobs=0))
    return replace(
        made,
        id=plan_id(made),
        commands=_commands(made, product, answers, jobs=plan.jobs),
    )


def is_tree(plan: Plan) -> bool:
    """Whether a plan is of a TensorFlow source tree."""
    return plan.tree != NO_TREE


def decided_words(tree: TensorFlowTree, plan: Plan, host: Host) -> Mapping[str, str]:
    """What the plan decided, as the tree's own configure.py writes it."""
    if plan.device == "cpu":
        return {}
    cuda, cudnn = plan.versions.value("cuda"), plan.versions.value("cudnn")
    words = {
        "cuda_version": minor(cuda),
        "cudnn_version": minor(cudnn),
        "capabilities": capabilities(plan.architectures, tree),
    }
    if tree.fetches_cuda:
        words["hermetic_cuda"] = _fetched(tree, "CUDA", cuda, tree.cuda_releases)
        words["hermetic_cudnn"] = _fetched(tree, "cuDNN", cudnn, tree.cudnn_releases)
    elif folder := _cuda_folder(plan, cuda, host):
        words["cuda"] = folder
    return words


# --- inside --------------------------------------------------------------------------------------


def _tried(plan: Plan) -> Plan:
    """The plan with what will be tried of its product: a library is installed nowhere, and not."""
    if plan.tree.product != "cc":
        return plan
    return replace(plan, smoke_probes=(), smoke_requirements=(), perf_probes=(), baselines=())


def _place(plan: Plan, tables: Tables) -> EnvironmentPlan:
    """Where it is built: a container for CUDA is made on an image that has CUDA and cuDNN."""
    place = plan.environment
    if plan.device == "cpu" or place.kind == "host" or place.image:
        return place
    image = choose_image(tables.images(), plan.versions.value("cuda"), place.system)
    return replace(place, base=nvidia_image(image))


def _fetched(tree: TensorFlowTree, title: str, wanted: str, known: tuple[str, ...]) -> str:
    """The newest release of the tree's lists that is the wanted one; as it is without lists."""
    found = [v for v in known if f"{v}.".startswith(f"{wanted}.") or wanted.startswith(f"{v}.")]
    if known and not found:
        raise TreeLacks(
            f"TensorFlow {tree.release} cannot fetch {title} {wanted}",
            code="tree-lacks-cuda",
            why=f"the lists in its tree have {', '.join(known)}",
            hint=f"ask for {title.lower()}={minor(known[-1])}",
        )
    return found[-1] if found else wanted


def _cuda_folder(plan: Plan, cuda: str, host: Host) -> str:
    if plan.environment.kind == "docker":
        return _CUDA_OF_IMAGES
    found = [t.path for t in host.toolkits if f"{t.version}.".startswith(f"{cuda}.")]
    return f"{_root(found[0])},/usr" if found else ""


def _root(path: str) -> str:
    """The folder of a toolkit, of which a survey names the compiler or the folder."""
    place = Path(path)
    return str(place.parents[1] if place.name == "nvcc" else place)


def _said_variables(said: BuildFile) -> tuple[tuple[str, str], ...]:
    libs = ",".join(sorted(said.system_libs))
    return (*said.variables, *((("TF_SYSTEM_LIBS", libs),) if libs else ()))


def _product(tree: TensorFlowTree, plan: Plan, request: Request, said: BuildFile) -> Product:
    product = (
        library_product(tree)
        if request.product == "cc"
        else wheel_product(tree, plan.device, name=said.wheel_name)
    )
    return replace(product, targets=said.targets) if said.targets else product


def _python_options(tree: TensorFlowTree, plan: Plan) -> tuple[str, ...]:
    """Which Python the tree's rules shall bring; none where it takes the machine's."""
    python = plan.versions.value("python")
    if tree.pythons and python not in tree.pythons:
        raise TreeLacks(
            f"TensorFlow {tree.release} cannot be built for Python {python}",
            code="tree-lacks-python",
            why=f"its rules bring {', '.join(tree.pythons)} and take no other",
            hint=f"ask for python={tree.pythons[-1]}",
        )
    return tuple(f"--repo_env={name}={python}" for name in tree.python_variables)


def _gpu_options(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The GPUs on the command line: configs of the tree have lists of their own."""
    names = ("TF_CUDA_COMPUTE_CAPABILITIES", "HERMETIC_CUDA_COMPUTE_CAPABILITIES")
    return tuple(f"--repo_env={n}={variables[n]}" for n in names if n in variables)


def _bazel(
    bazel: BazelPlan, product: Product, options: tuple[str, ...], said: BuildFile
) -> BazelPlan:
    left = _LEFT_TO_THE_TREE if product.last_step else _LEFT_TO_THE_TREE[:1]
    return replace(
        bazel,
        startup_flags=(*bazel.startup_flags, *said.startup),
        flags=(*(f for f in bazel.flags if f not in left), *options),
        targets=product.targets,
        outputs=product.outputs,
    )


def _wheel(wheel: WheelPlan, tree: TensorFlowTree, said: BuildFile) -> WheelPlan:
    """What the tree's own wheel is: its name and tags are the tree's matter."""
    name = (said.wheel_name or wheel.distribution).replace("_", "-")
    return replace(wheel, distribution=name, version=tree.release, build_tag="", extension="")


def _warnings(
    tree: TensorFlowTree, plan: Plan, variables: Mapping[str, str]
) -> tuple[CodedWarning, ...]:
    found = []
    bazel = plan.versions.value("bazel")
    if tree.bazel and tree.bazel != bazel:
        text = f".bazelversion of the tree asks for Bazel {tree.bazel}; the plan has {bazel}"
        found.append(CodedWarning(code="bazel-differs-from-tree", text=text))
    if "{cuda}" in variables.get("TF_CUDA_PATHS", ""):
        text = (
            f"no CUDA {plan.versions.value('cuda')} was found on this machine: "
            "name its folders in the build file, variables: {TF_CUDA_PATHS: ...}"
        )
        found.append(CodedWarning(code="cuda-folders-unknown", text=text))
    return tuple(found)


# --- commands ------------------------------------------------------------------------------------


def _commands(plan: Plan, product: Product, answers: Answers, *, jobs: int) -> tuple[Command, ...]:
    limits = (f"--jobs={jobs}", f"--local_cpu_resources={jobs}") if jobs else ()
    patches = tuple(
        Command(
            argv=("patch", "--force", f"--strip={patch.strip}", f"--input={patch.path}"),
            stage="patch",
            purpose=patch.name,
            cwd="{source}",
        )
        for patch in plan.tree.patches
    )
    configure = Command(
        argv=("{python}", "{source}/configure.py", "--workspace={source}"),
        stage="configure",
        purpose="write .tf_configure.bazelrc, and ask nothing",
        cwd="{source}",
        env=answers.variables,
        timeout=_CONFIGURE_SECONDS,
    )
    last = Command(
        argv=product.last_step,
        stage="last step",
        purpose="make the wheel of what was built",
        cwd="{source}",
        env=(("PYTHON_BIN_PATH", "{python}"),),
    )
    return (
        *patches,
        configure,
        _bazel_command(plan.bazel, (), is_readback=True),
        _bazel_command(plan.bazel, limits),
        *((last,) if product.last_step else ()),
    )


def _bazel_command(
    bazel: BazelPlan, limits: tuple[str, ...], *, is_readback: bool = False
) -> Command:
    flags = bazel.flags
    if is_readback:
        flags = tuple(f for f in flags if not f.startswith(_OF_BUILDS))
        flags += ("--nobuild", f"--build_event_json_file={{work}}/{EFFECTIVE.name}")
    return Command(
        argv=(
            "{bazel}",
            "{bazel_startup_flags}",
            *bazel.startup_flags,
            "build",
            "{bazel_flags}",
            *flags,
            *limits,
            *bazel.targets,
        ),
        stage="readback" if is_readback else "build",
        purpose="see which options hold" if is_readback else "compile and link",
        cwd="{source}",
        pty=not is_readback,
    )


def result_folder(work: Path) -> Path:
    """Where the last step of a tree puts its wheel."""
    return BUILT.path(work)
