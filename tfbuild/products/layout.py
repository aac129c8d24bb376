"""Lays out the folder that is delivered, of what the build has installed."""

import itertools
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from tfbuild.core.errors import BadRecipe, BuildFailed, CommandFailed
from tfbuild.core.interfaces import Runner, literal
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import file_digest, names_file, real_path
from tfbuild.core.records import Command
from tfbuild.core.versions import did_you_mean
from tfbuild.fetch.seals import discard
from tfbuild.products.folder import elf_files, files_below, pattern_of
from tfbuild.products.promises import require_promised
from tfbuild.products.relocation import absolute_in_packages, held_paths, relocate
from tfbuild.recipes.records import ProductFile, ProductPlan
from tfbuild.wheels.audit_subject import some

LICENSES = "share/licenses"


def lay_out(  # noqa: PLR0917  (each is another folder)
    plan: ProductPlan, source: Path, stage: Path, build: Path, target: Path, place: Runner
) -> tuple[ProductFile, ...]:
    """Make target the folder of the product, and say what is in it.

    It is made of what was installed below stage, of the files that the plan names in the build
    folder or else in the source tree, and of the licences. Libraries and programs are stripped, and
    all of it can lie anywhere. Raises BuildFailed for what is missing or holds a path of this
    machine, BadRecipe for files that the recipe may not name, EnvironmentFailed without patchelf.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with part_folder(target.parent) as aside:
        folder = aside / "product"
        folder.mkdir()
        _take_installed(plan, stage, folder)
        for name, file in plan.product.files:
            _take_named(name, file, (build, source), folder)
        _take_licenses(plan, source, folder)
        _check_links(folder)
        _strip(folder, place)
        relocate(folder, plan.prefix)
        _check_paths(folder, (plan.prefix, str(stage), str(build), str(source)))
        require_promised(plan.product, folder)
        if os.path.lexists(target):
            discard(target)
        folder.rename(target)
    return list_files(target)


def list_files(folder: Path) -> tuple[ProductFile, ...]:
    """The files and links of a product, in order."""
    return tuple(_described(folder, name) for name in files_below(folder))


# --- inside ------------------------------------------------------------------------------------


def _described(folder: Path, name: str) -> ProductFile:
    path = folder / name
    if path.is_symlink():
        return ProductFile(name=name, size=0, target=str(path.readlink()))
    return ProductFile(name=name, size=path.stat().st_size, sha256=file_digest(path))


def _take_installed(plan: ProductPlan, stage: Path, folder: Path) -> None:
    installed = stage / plan.prefix.lstrip("/")
    if not installed.is_dir():
        if plan.product.files:
            return
        raise BuildFailed(
            "the build has installed nothing",
            why=f"there is no {installed}",
            hint="see whether the build has an install step, or name product.files in the recipe",
        )
    if not real_path(installed).is_relative_to(real_path(stage)):
        raise BuildFailed(
            "the build has installed a link in the place of a folder",
            why=f"{installed} leads to {real_path(installed)}",
            hint="see what its install step does",
        )
    left_out = pattern_of(plan.product.leave_out)
    for name in files_below(installed):
        is_static = name.endswith(".a") and name not in plan.product.libraries
        if is_static or name.endswith(".la") or left_out.search(name):
            continue
        _take(installed, name, folder / name, plan.prefix)


def _take(installed: Path, name: str, place: Path, prefix: str) -> None:
    """Copy a file or a link; nothing behind a link is read, as the build may lead it anywhere."""
    path = installed / name
    state = path.lstat()
    place.parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISLNK(state.st_mode):
        text = str(path.readlink())
        if text.startswith(f"{prefix}/"):
            text = os.path.relpath(text.removeprefix(f"{prefix}/"), str(PurePosixPath(name).parent))
        place.symlink_to(text)
    elif stat.S_ISREG(state.st_mode):
        _copy(path, place)
    else:
        raise BuildFailed(
            f"the build has installed {name}, which is neither a file nor a link",
            hint="leave it out: product.leave_out",
        )


def _copy(path: Path, place: Path) -> None:
    shutil.copyfile(path, place)
    place.chmod(0o755 if path.stat().st_mode & 0o111 else 0o644)


def _take_named(name: str, file: str, roots: Sequence[Path], folder: Path) -> None:
    """A file, all files of a folder or of a pattern, from the build or from the source tree."""
    for text in (name, file):
        if PurePosixPath(text).is_absolute() or ".." in PurePosixPath(text).parts or not text:
            raise BadRecipe(
                f"product.files names '{text}'",
                why="it leads out of its folder",
                hint="write places below the product, and files below the build folder",
            )
    if "*" in file:
        _take_matching(name, file, roots, folder)
        return
    for root in roots:
        path = root / file
        if not path.exists():
            continue
        if not real_path(path).is_relative_to(real_path(root)):
            raise BuildFailed(
                f"{file} leads out of the folder of the build", why=f"to {real_path(path)}"
            )
        if path.is_dir():
            for below in files_below(path):
                _take_named(f"{name}/{below}", f"{file}/{below}", (root,), folder)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).unlink(missing_ok=True)
            _copy(path, folder / name)
        return
    beside = [n.name for root in roots for n in (root / file).parent.glob("*")]
    raise BuildFailed(
        f"the build has not made {file}, which is to be {name}",
        why=f"it is neither in {roots[0]} nor in the source code",
        hint=did_you_mean(PurePosixPath(file).name, beside) if beside else "correct product.files",
    )


def _take_matching(name: str, pattern: str, roots: Sequence[Path], folder: Path) -> None:
    """The files of a pattern in the folder `name`, by their places below its part without one."""
    parts = PurePosixPath(pattern).parts
    fixed = PurePosixPath(*itertools.takewhile(lambda part: "*" not in part, parts))
    wanted = pattern_of([pattern])
    taken: set[str] = set()
    for root in roots:
        for below in files_below(root / fixed) if (root / fixed).is_dir() else ():
            place = str(fixed / below)
            if wanted.search(place) and below not in taken:
                taken.add(below)
                _take_named(f"{name}/{below}", place, (root,), folder)
    if not taken:
        raise BuildFailed(
            f"nothing is as {pattern}, which is to be in {name}",
            why="neither in what the build has made nor in the source code",
            hint="correct product.files",
        )


def _take_licenses(plan: ProductPlan, source: Path, folder: Path) -> None:
    """Each under its own name; those with one name also have the folders that they come from."""
    names = [PurePosixPath(name).name for name in plan.product.licenses]
    for license_, name in zip(plan.product.licenses, names, strict=True):
        path = source / license_
        if not names_file(path) or not real_path(path).is_relative_to(real_path(source)):
            known = [p.name for p in source.iterdir() if p.is_file()]
            raise BuildFailed(
                f"the source code has no {license_}, which is to be delivered as a licence",
                why="it is not there, or leads out of the tree",
                hint=did_you_mean(license_, known),
            )
        own = license_.replace("/", "-") if names.count(name) > 1 else name
        place = folder / LICENSES / plan.recipe / own
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        place.chmod(0o644)


def _check_links(folder: Path) -> None:
    """Leave out links to what was left out, and refuse those that lead out."""
    wrong = []
    for name in list(files_below(folder)):
        path = folder / name
        if not path.is_symlink():
            continue
        if not real_path(path).is_relative_to(real_path(folder)) or path.readlink().is_absolute():
            wrong.append(f"{name} leads to {path.readlink()}")
        elif not path.exists():
            path.unlink()
    if wrong:
        raise BuildFailed(
            "links of the product lead out of it",
            why="\n".join(some(wrong)),
            hint="leave them out: product.leave_out",
        )


def _strip(folder: Path, place: Runner) -> None:
    archives = [name for name in files_below(folder) if name.endswith(".a")]
    for option, names in (("--strip-unneeded", elf_files(folder)), ("--strip-debug", archives)):
        files = [literal(str(folder / name)) for name in names if not (folder / name).is_symlink()]
        if not files:
            continue
        try:
            place.run(
                Command(
                    argv=("strip", option, *files),
                    stage="package",
                    purpose="strip libraries and programs",
                    cwd=literal(str(folder)),
                )
            )
        except CommandFailed as error:
            raise BuildFailed(
                "the libraries and programs could not be stripped",
                why="\n".join(error.last_lines[-6:]),
                hint="see whether they are whole, and for the target",
                log=error.log,
            ) from error


def _check_paths(folder: Path, paths: Sequence[str]) -> None:
    """Refuse what would only be right on this machine."""
    held = dict(_all_held(folder, paths))
    if held:
        raise BuildFailed(
            "files of the product hold paths of the machine that built it",
            why="\n".join(some([f"{name} holds {path}" for name, path in sorted(held.items())])),
            hint="leave out what nobody needs: product.leave_out; a patch may correct the others",
        )


def _all_held(folder: Path, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield from absolute_in_packages(folder)
    yield from held_paths(folder, paths)
