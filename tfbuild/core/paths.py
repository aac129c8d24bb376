"""Where data, state, work folder and cache are; writes files aside and moves them."""

import errno
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.any_tree import walk
from tfbuild.core.errors import BadRecipe, BadRequest, EnvironmentFailed
from tfbuild.core.layout import ARTIFACTS, MEMO, PROJECTS, UNPACKED
from tfbuild.core.parts import is_part, part_file

PACKAGE = Path(__file__).resolve().parent.parent
_LONGEST_PROJECT = 40  # letters of its name in that of its work folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The folders of one run."""

    cache: Path
    work: Path  # the project's, below the state folder
    run: Path  # runs/ID/ in it

    @property
    def artifacts(self) -> Path:
        """Downloaded files: sha256/<hash>/<filename>."""
        return ARTIFACTS.path(self.cache)

    @property
    def unpacked(self) -> Path:
        """Unpacked wheels and packages: <hash>/."""
        return UNPACKED.path(self.cache)

    @property
    def memo(self) -> Path:
        """Remembered results of stages: <stage>/<key>.json."""
        return MEMO.path(self.work)


def names_file(path: Path) -> bool:
    """Whether there is a regular file; not where no system could have one of that name."""
    try:
        return path.is_file()
    except OSError:  # a name that is too long
        return False


def is_text(name: str) -> bool:
    """Whether a file's name is UTF-8; Python stands for other bytes by halves of pairs."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def data_folder(name: str) -> Path:
    """A folder with data, such as `matrices`: inside the package, else in the checkout.

    Raises BadRecipe when the installation lacks it.
    """
    for base in (PACKAGE / "_data", PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise BadRecipe(
        f"the folder {name}/ of tfbuild is missing",
        code="own-data-missing",
        why=f"neither {PACKAGE / '_data' / name} nor {PACKAGE.parent / name} is a folder",
        hint="install tfbuild again",
    )


def cache_folder() -> Path:
    """TFBUILD_CACHE_DIR, else tfbuild/ in the XDG cache folder; not necessarily there yet."""
    named = os.environ.get("TFBUILD_CACHE_DIR")
    if named:
        return _whole(named)
    return usual_cache()


def usual_cache() -> Path:
    """The cache if none is named: tfbuild/ in the XDG cache folder; not necessarily there yet."""
    return _xdg_folder("XDG_CACHE_HOME", "~/.cache") / "tfbuild"


def state_folder() -> Path:
    """tfbuild/ in the XDG state folder; not necessarily there yet."""
    return _xdg_folder("XDG_STATE_HOME", "~/.local/state") / "tfbuild"


def work_folder() -> Path:
    """That of the current folder; not necessarily there yet."""
    return work_folder_of(Path.cwd())


def work_folder_of(project: Path) -> Path:
    """TFBUILD_WORK_DIR, else that of the project in the state folder, where no checkout reaches."""
    if named := os.environ.get("TFBUILD_WORK_DIR"):
        return _whole(named)
    project = real_path(project)
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", project.name)[:_LONGEST_PROJECT].strip("-")
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    return PROJECTS.path(state_folder()) / f"{name or 'project'}-{digest}"


def _xdg_folder(variable: str, usual: str) -> Path:
    """What a variable of XDG names; a relative path counts as none, as its specification says."""
    named = os.environ.get(variable, "")
    return _whole(named if os.path.isabs(named) else usual)  # noqa: PTH117  (text, maybe none)


def _whole(named: str) -> Path:
    """A folder by one name everywhere: a container engine mounts no path with `..` in it."""
    folder = named_path(named).absolute()
    return real_path(folder) if ".." in folder.parts else folder


def named_path(text: str) -> Path:
    """What is called a path, with the home folder for `~`; BadRequest where that is not known."""
    path = os.path.expanduser(text)  # noqa: PTH111  (Path.expanduser raises a RuntimeError)
    if path.startswith("~"):
        raise BadRequest(
            f"the home folder in {text} is not known",
            code="home-folder-unknown",
            why="the system knows no user of that name, or not who runs this",
            hint="set HOME, or write ./~ for a file whose name begins so",
        )
    return Path(path)


def real_path(path: Path) -> Path:
    """An absolute path without links and `..`, whether or not anything is there.

    A link that leads to itself stays in it, and whoever opens it gets the system's error:
    `Path.resolve` raises a RuntimeError for one up to Python 3.12.
    """
    return Path(os.path.realpath(path))


def nearest_there(path: Path) -> Path:
    """The path itself, or the nearest above it that is there."""
    return next(place for place in (path, *path.parents) if os.path.lexists(place))


def require_writable(folder: Path, *, hint: str) -> None:
    """Raise EnvironmentFailed, with the hint, where files cannot be put into a folder.

    One that is not there yet counts by the place where it would be made; nothing is left there.
    """
    try:
        with tempfile.TemporaryFile(dir=nearest_there(folder)):
            pass
    except OSError as error:
        raise EnvironmentFailed(
            f"no files can be put into {folder}",
            code="folder-not-writable",
            why=error.strerror or str(error),
            hint=hint,
        ) from error


def refuse_link(folder: Path) -> None:
    """Raise EnvironmentFailed where a folder that is to be written to is a link.

    So it does where one on the way lies in the checkout, or in the current folder.
    """
    if folder.is_symlink():
        raise _is_link(folder)
    refuse_link_on_way(folder)


def refuse_link_on_way(path: Path) -> None:
    """Raise EnvironmentFailed where a folder above, in the current one or its checkout, is a link.

    A link elsewhere is the user's own, and what he types may lead through it.
    """
    here = real_path(Path.cwd())
    checkout = next((p for p in (here, *here.parents) if os.path.lexists(p / ".git")), here)
    for place in path.absolute().parents:
        if place.is_symlink() and real_path(place.parent).is_relative_to(checkout):
            raise _is_link(place)


def _is_link(folder: Path) -> EnvironmentFailed:
    return EnvironmentFailed(
        f"the output folder {folder} is a link",
        code="output-folder-is-link",
        why=f"it leads to {real_path(folder)}, and a checkout can bring such a link along",
        hint="remove it, or name the folder itself with --output",
    )


def write_aside(
    path: Path, content: str | bytes, *, within: Path | None = None, mode: int = 0o666
) -> Path:
    """Write beside path, flush to disk and move into place, so that no half file is ever seen.

    Meanwhile it lies in within, where nothing strange may be seen in the folder of path. From
    the beginning it has that mode, less what the umask takes away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = content.encode() if isinstance(content, str) else content
    try:
        with part_file(within or path.parent, mode=mode) as aside:
            with aside.open("wb") as stream:
                stream.write(raw)
                stream.flush()
                os.fsync(stream.fileno())
            aside.replace(path)
    except OSError as error:
        raise _named(error, path) from error
    return path


def copy_aside(source: Path, target: Path) -> Path:
    """Copy a file beside target and move it into place, so that no half file is ever seen."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with part_file(target.parent) as aside:
            shutil.copyfile(source, aside)
            with aside.open("rb") as stream:
                os.fsync(stream.fileno())
            aside.replace(target)
    except OSError as error:
        raise _named(error, target) from error
    return target


def _named(error: OSError, path: Path) -> OSError:
    """The error with its file: a write that is refused names none, or a name made up here."""
    known = error.filename and not is_part(Path(error.filename))
    return error if known else OSError(error.errno, error.strerror, str(path))


def file_digest(path: Path) -> str:
    """The sha256 of a regular file, in hexadecimal; OSError for what is none.

    A pipe in its place is not waited for.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "It is not a regular file", str(path))
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def tree_digest(root: Path, *, skip: Iterable[str] = ()) -> str:
    """One sha256 over names and contents of all files below root; skip names folders and files."""
    skipped = {"__pycache__", *skip}
    total = hashlib.sha256()
    for folder, names, files in walk(root):
        names[:] = sorted(n for n in names if n not in skipped and not n.startswith("bazel-"))
        for name in sorted(files):
            path = Path(folder, name)
            if name in skipped or name.endswith(".pyc") or not path.is_file():
                continue
            total.update(f"{path.relative_to(root)}\0{file_digest(path)}\n".encode())
    return total.hexdigest()
