"""Lays out the folder that is delivered, of what the build has installed."""

import errno
import itertools
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tfbuild.core.any_tree import remove_what_can
from tfbuild.core.errors import BadRecipe, BuildFailed, CommandFailed
from tfbuild.core.foreign_tree import ForeignTree, LeadsOut, TooLarge
from tfbuild.core.interfaces import Runner, literal
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import file_digest, is_text, real_path
from tfbuild.core.records import Command
from tfbuild.core.versions import did_you_mean
from tfbuild.fetch.seals import SEAL, discard
from tfbuild.inputs.unpack import MOST_MEMBERS
from tfbuild.places.folders import BuildFolders
from tfbuild.products.folder import elf_files, files_below, pattern_of
from tfbuild.products.obeyed import leading_out
from tfbuild.products.promises import require_promised
from tfbuild.products.relocation import held_paths, relocate
from tfbuild.recipes.records import ProductFile, ProductPlan
from tfbuild.wheels.audit_subject import some

LICENSES = "share/licenses"
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EIO}  # and not the fault of a file
_LEAVE_OUT = "leave it out: product.leave_out"
_NOT_STRIPPED = "the libraries and programs could not be stripped"
_ALIGNED = 1 << 16  # bytes by which strip may make a file larger
_WHOLE = "see whether they are whole, and for the target"


def lay_out(plan: ProductPlan, folders: BuildFolders, place: Runner) -> tuple[ProductFile, ...]:
    """Make folders.product the folder of the product, and say what is in it.

    It is made of what was installed below the stage, of the files that the plan names in the build
    folder or else in the source tree, and of the licences; a link of these folders counts only
    where it stays in them. Libraries and programs are stripped, and all of it can lie anywhere.
    Raises BuildFailed for what is missing or holds a path of this machine, BadRecipe for files that
    the recipe may not name, EnvironmentFailed without patchelf.
    """
    source, stage, build = folders.source, folders.stage, folders.build
    folders.product.parent.mkdir(parents=True, exist_ok=True)
    with part_folder(folders.product.parent) as aside:
        folder = aside / "product"
        folder.mkdir()
        product = _Product(ForeignTree(folder), plan.product.max_size_mb * 1_000_000)
        _take_installed(plan, ForeignTree(stage), product)
        for name, file in plan.product.files:
            _take_named(name, file, (ForeignTree(build), ForeignTree(source)), product)
        _take_licenses(plan, ForeignTree(source), product)
        _check_links(folder)
        _strip(folder, folders.exchange, place)
        relocate(folder, plan.prefix)
        _check_paths(folder, (plan.prefix, str(stage), str(build), str(source)))
        require_promised(plan.product, folder)
        if os.path.lexists(folders.product):
            discard(folders.product)
        folder.rename(folders.product)
    return list_files(folders.product)


def list_files(folder: Path) -> tuple[ProductFile, ...]:
    """The files and links of a product, in order."""
    return tuple(_described(folder, name) for name in files_below(folder))


# --- inside ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Product:
    """The folder of the product, which takes so many bytes of the build and no more."""

    tree: ForeignTree
    most: int
    size: int = 0
    count: int = 0

    def take(self, source: ForeignTree, name: str, place: str, *, is_text: bool = False) -> None:
        """Copy a file; BuildFailed where the product becomes too large, OSError as the tree."""
        self._count(place)
        left = self.most - self.size
        try:
            self.size += self.tree.take(source, name, place, is_text=is_text, most=left)
        except TooLarge as error:
            raise _too_large(f"{self.most / 1e6:,.0f} MB", place) from error

    def make_link(self, name: str, text: str) -> None:
        """Make a link; raises as `take`."""
        self._count(name)
        self.tree.make_link(name, text)

    def _count(self, place: str) -> None:
        self.count += 1
        if self.count > MOST_MEMBERS:
            raise _too_large(f"{MOST_MEMBERS:,} files", place)


def _too_large(most: str, place: str) -> BuildFailed:
    return BuildFailed(
        f"the product is larger than {most}, before anything is stripped",
        code="product-too-large",
        why=f"{place} is the first that is too much",
        hint="leave out what nobody needs: product.leave_out; a recipe allows more bytes with "
        "product.max_size_mb",
    )


def _described(folder: Path, name: str) -> ProductFile:
    path = folder / name
    if path.is_symlink():
        return ProductFile(name=name, size=0, target=str(path.readlink()))
    return ProductFile(name=name, size=path.stat().st_size, sha256=file_digest(path))


def _take_installed(plan: ProductPlan, stage: ForeignTree, product: _Product) -> None:
    prefix = plan.prefix.lstrip("/")
    try:
        if not stage.require_inside(prefix) or not stage.is_folder(prefix):
            if plan.product.files:
                return
            raise BuildFailed(
                "the build has installed nothing",
                code="nothing-installed",
                why=f"there is no {stage.root / prefix}",
                hint="see whether the build has an install step, or name product.files in the "
                "recipe",
            )
        installed = stage.files(prefix)
    except OSError as error:
        why, hint = f"{stage.root / prefix}: {error.strerror}", "see what its install step does"
        if isinstance(error, LeadsOut):
            raise BuildFailed(
                "the build has installed a link in the place of a folder",
                code="installed-folder-is-link",
                why=why,
                hint=hint,
            ) from error
        raise BuildFailed(
            "what the build has installed cannot be read",
            code="installed-files-unreadable",
            why=why,
            hint=hint,
        ) from error
    left_out = pattern_of(plan.product.leave_out)
    for name in installed:
        if not is_text(name):
            raise BuildFailed(
                f"the build has installed {name}, a name that is not UTF-8",
                code="installed-name-not-utf8",
                hint="see what its install step does",
            )
        is_static = name.endswith(".a") and name not in plan.product.libraries
        if is_static or name.endswith(".la") or left_out.search(name):
            continue
        with _explained(f"{name}, which the build has installed, cannot be delivered", _LEAVE_OUT):
            _take(stage, f"{prefix}/{name}", name, product, plan.prefix)


def _take(stage: ForeignTree, path: str, name: str, product: _Product, prefix: str) -> None:
    """Copy a file or a link; nothing behind a link is read, as the build may lead it anywhere."""
    mode = stage.own_mode(path)
    if stat.S_ISLNK(mode):
        text = stage.link(path)
        if text.startswith(f"{prefix}/"):
            text = os.path.relpath(text.removeprefix(f"{prefix}/"), str(PurePosixPath(name).parent))
        product.make_link(name, text)
    elif stat.S_ISREG(mode):
        product.take(stage, path, name)
    else:
        raise BuildFailed(
            f"the build has installed {name}, which is neither a file nor a link",
            code="installed-file-special",
            hint=_LEAVE_OUT,
        )


@contextmanager
def _explained(what: str, hint: str) -> Iterator[None]:
    """Say of a file that cannot be taken which it is, and why."""
    try:
        yield
    except OSError as error:
        if error.errno in _OF_THE_DISK:
            raise
        raise BuildFailed(
            what, code="product-file-undeliverable", why=error.strerror or str(error), hint=hint
        ) from error


def _take_named(name: str, file: str, roots: Sequence[ForeignTree], product: _Product) -> None:
    """A file, all files of a folder or of a pattern, from the build or from the source tree."""
    for text in (name, file):
        if PurePosixPath(text).is_absolute() or ".." in PurePosixPath(text).parts or not text:
            raise BadRecipe(
                f"product.files names '{text}'",
                code="recipe-path-leads-out",
                why="it leads out of its folder",
                hint="write places below the product, and files below the build folder",
            )
    if "*" in file:
        _take_matching(name, file, roots, product)
        return
    for root in roots:
        try:
            if not root.require_inside(file):
                continue
        except LeadsOut as error:
            raise BuildFailed(
                f"{file} leads out of the folder of the build",
                code="built-file-leads-out",
                why=str(error.strerror),
            ) from error
        with _explained(
            f"{file}, which is to be {name}, cannot be delivered", "correct product.files"
        ):
            if root.is_folder(file):
                for below in root.files(file):
                    _take_named(f"{name}/{below}", f"{file}/{below}", (root,), product)
            else:
                product.take(root, file, name)
        return
    folder = str(PurePosixPath(file).parent)
    beside = [name for root in roots for name in root.names(folder) if name != SEAL]
    raise BuildFailed(
        f"the build has not made {file}, which is to be {name}",
        code="product-file-not-made",
        why=f"it is neither in {roots[0].root} nor in the source code",
        hint=did_you_mean(PurePosixPath(file).name, beside) if beside else "correct product.files",
    )


def _take_matching(
    name: str, pattern: str, roots: Sequence[ForeignTree], product: _Product
) -> None:
    """The files of a pattern in the folder `name`, by their places below its part without one."""
    parts = PurePosixPath(pattern).parts
    fixed = PurePosixPath(*itertools.takewhile(lambda part: "*" not in part, parts))
    wanted = pattern_of([pattern])
    taken: set[str] = set()
    for root in roots:
        for below in root.files(str(fixed)) if root.is_folder(str(fixed)) else ():
            place = str(fixed / below)
            if wanted.search(place) and below not in taken:
                taken.add(below)
                _take_named(f"{name}/{below}", place, (root,), product)
    if not taken:
        raise BuildFailed(
            f"nothing is as {pattern}, which is to be in {name}",
            code="product-pattern-empty",
            why="neither in what the build has made nor in the source code",
            hint="correct product.files",
        )


def _take_licenses(plan: ProductPlan, source: ForeignTree, product: _Product) -> None:
    """Each under its own name; those with one name also have the folders that they come from."""
    names = [PurePosixPath(name).name for name in plan.product.licenses]
    for license_, name in zip(plan.product.licenses, names, strict=True):
        if not source.is_file(license_):
            known = [name for name in source.names() if source.is_file(name)]
            raise BuildFailed(
                f"the source code has no {license_}, which is to be delivered as a licence",
                code="license-file-missing",
                why="it is not there, or leads out of the tree",
                hint=did_you_mean(license_, known),
            )
        own = license_.replace("/", "-") if names.count(name) > 1 else name
        place = f"{LICENSES}/{plan.recipe}/{own}"
        what = f"the licence {license_} cannot be put to {place}"
        with _explained(what, "see what the build installs there"):
            product.take(source, license_, place, is_text=True)


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
            code="product-link-leads-out",
            why="\n".join(some(wrong)),
            hint="leave them out: product.leave_out",
        )


def _strip(folder: Path, exchange: Path, place: Runner) -> None:
    """Strip copies in the folder that the place writes to: the product itself it never sees."""
    product, aside = ForeignTree(folder), ForeignTree(exchange)
    sizes = {}
    archives = [name for name in files_below(folder) if name.endswith(".a")]
    for option, names in (("--strip-unneeded", elf_files(folder)), ("--strip-debug", archives)):
        files = [name for name in names if not (folder / name).is_symlink()]
        if not files:
            continue
        own = secrets.token_hex(8)  # nobody has put anything there before
        try:
            with _explained_strip():
                for name in files:
                    sizes[name] = aside.take(product, name, f"{own}/{name}")
                _run_strip(option, [exchange / own / name for name in files], place)
                for name in files:
                    product.take(aside, f"{own}/{name}", name, most=sizes[name] + _ALIGNED)
        finally:
            remove_what_can(exchange / own)


@contextmanager
def _explained_strip() -> Iterator[None]:
    """Say of what the strip has left that it cannot be taken back."""
    try:
        yield
    except OSError as error:
        if error.errno in _OF_THE_DISK:
            raise
        why = error.strerror or str(error)
        raise BuildFailed(
            _NOT_STRIPPED, code="product-not-stripped", why=why, hint=_WHOLE
        ) from error


def _run_strip(option: str, files: Sequence[Path], place: Runner) -> None:
    try:
        place.run(
            Command(
                argv=("strip", option, *(literal(str(file)) for file in files)),
                stage="package",
                purpose="strip libraries and programs",
                cwd="/",
            )
        )
    except CommandFailed as error:
        raise BuildFailed(
            _NOT_STRIPPED,
            code="product-not-stripped",
            why="\n".join(error.last_lines[-6:]),
            hint=_WHOLE,
            log=error.log,
        ) from error


def _check_paths(folder: Path, paths: Sequence[str]) -> None:
    """Refuse what would only be right on this machine."""
    held = dict(_all_held(folder, paths))
    if held:
        raise BuildFailed(
            "files of the product hold paths of the machine that built it",
            code="product-holds-build-paths",
            why="\n".join(some([f"{name} holds {path}" for name, path in sorted(held.items())])),
            hint="leave out what nobody needs: product.leave_out; a patch may correct the others",
        )


def _all_held(folder: Path, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield from leading_out(folder)
    yield from held_paths(folder, paths)
