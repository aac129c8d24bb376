"""What a container engine says when it fails, as errors with their remedy.

The SDK has one class for nearly everything and puts the cause into its text, so the text is read.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tfbuild.core.errors import BadRequest, DiskFull, EnvironmentFailed, FetchFailed, TfbuildError
from tfbuild.core.masking import mask
from tfbuild.core.process import find_program

_ASKING = "Error while fetching server API version: "
# As in ('Connection aborted.', FileNotFoundError(2, 'No such file or directory')).
_NESTED = re.compile(r"""\(["']([^"']*?)\.?["'], \w+\((?:\d+, )?["']([^"']*)["']\)\)""")
# module of the exception's class -> that it comes from the engine or from the way to it
_FROM_ENGINE = ("docker.", "requests.", "urllib3.")
# How Python says that an answer has not the fields, or the types, that the API gives it.
_NOT_AS_STATED = (AttributeError, TypeError, LookupError, ValueError)
_NO_ROOM = re.compile(
    r"no space left on device|disk quota exceeded|enough free space in /", re.IGNORECASE
)


@contextmanager
def explained(doing: str, *, image: str = "") -> Iterator[None]:
    """Turn what the engine, or the way to it, says into a TfbuildError; answers are read inside."""
    try:
        yield
    except TfbuildError:
        raise
    except Exception as error:
        kinds = [kind.__module__ for kind in type(error).__mro__]
        if isinstance(error, (ConnectionError, BrokenPipeError, TimeoutError)) or any(
            module.startswith(_FROM_ENGINE) for module in kinds
        ):
            raise meant(doing, error, image=image) from error
        if isinstance(error, _NOT_AS_STATED):
            raise EnvironmentFailed(
                f"{doing} failed: the answer of the container engine is not one of its API",
                code="container-engine-garbled",
                why=f"{type(error).__name__}: {error}",
                hint="see that DOCKER_HOST names a container engine; `tfbuild doctor --check "
                "container` looks at it",
            ) from error
        raise


@contextmanager
def address_explained(address: str) -> Iterator[None]:
    """Turn what the SDK says of an address that is none into EnvironmentFailed."""
    try:
        yield
    except ValueError as error:
        raise EnvironmentFailed(
            f"'{address}' is no address of a container engine",
            code="engine-address-invalid",
            why=str(error),
            hint="set DOCKER_HOST to one, as in unix:///var/run/docker.sock, or unset it",
        ) from error


def meant(doing: str, error: Exception, *, image: str = "") -> TfbuildError:
    """The error that the engine's words mean."""
    said = _text(error)
    # Errors that hold errors are shown as sentences, and not as Python writes them.
    text = _NESTED.sub(r"\1: \2", said)
    for pattern, make in _KNOWN:
        if re.search(pattern, said, re.IGNORECASE):
            return make(doing, text, image)
    return EnvironmentFailed(
        f"{doing} failed",
        code="container-engine-failed",
        why=text,
        hint="the engine's own log has more; `tfbuild doctor --check container` looks at it",
    )


def not_built(tag: str, last_lines: Sequence[str], said: str) -> TfbuildError:
    """The error of an image whose making failed; addresses may hold passwords, and are left out."""
    why = re.sub(r"https?://\S+", "(address)", "\n".join([*last_lines[-12:], said]).strip())
    if _NO_ROOM.search(why):
        return _full(f"building the image {tag}", why, tag)
    what = f"the image {tag} could not be built"
    if re.search(r"\b401 +Unauthorized", why):
        return FetchFailed(
            what,
            code="mirror-login-missing",
            why=why,
            hint="the mirror wants a password: tfbuild takes it from /etc/apt/auth.conf and "
            "auth.conf.d, which this user must be able to read",
        )
    return FetchFailed(
        what,
        code="image-not-built",
        why=why,
        hint="the last lines say which step failed; packages come from the distribution's own "
        "index, so check the network, its proxy and its mirror; finished steps are kept",
    )


def require_folders(places: Iterable[str]) -> None:
    """Raise EnvironmentFailed for the first that is not there, so that no container can see it."""
    for place in places:
        if not Path(place).exists():
            raise EnvironmentFailed(
                f"there is no {place} to show to a container", code="mounted-folder-missing"
            )


def no_limits(why: str) -> TfbuildError:
    """The error of an engine that cannot keep a container within limits."""
    return EnvironmentFailed(
        "this engine cannot limit processors or memory",
        code="container-limits-unsupported",
        why=why,
        hint="leave --cpus, --memory and --pids out, or use an engine with root; without root it "
        "takes cgroups of version 2 that are delegated to this user",
    )


# --- inside ------------------------------------------------------------------------------------


def _text(error: Exception) -> str:
    said = getattr(error, "explanation", None) or str(error)
    if isinstance(said, bytes):
        said = said.decode("utf-8", "replace")
    return str(said)[:600]


def _down(_doing: str, text: str, _image: str) -> TfbuildError:
    """No engine at all, one that does not run, or an address where none is."""
    why = text.removeprefix(_ASKING)
    address = os.environ.get("DOCKER_HOST", "")
    engines = [name for name in ("docker", "podman") if find_program(name)]
    if address:
        return EnvironmentFailed(
            f"no container engine answers at DOCKER_HOST={mask(address)}",
            code="engine-not-answering",
            why=why,
            hint="start the one that it names, unset it, or build with --env host",
        )
    if not engines:
        return EnvironmentFailed(
            "no docker or podman here",
            code="container-engine-missing",
            hint="install docker or podman (Debian and Ubuntu: apt-get install docker.io), "
            "or build with --env host",
        )
    start = f"start it (sudo systemctl start {engines[0]}), or build with --env host"
    return EnvironmentFailed(
        f"the service of {engines[0]} does not run",
        code="container-engine-stopped",
        why=why,
        hint=start,
    )


def _forbidden(_doing: str, text: str, _image: str) -> TfbuildError:
    return EnvironmentFailed(
        "this user may not talk to the container engine",
        code="container-engine-forbidden",
        why=text,
        hint="run: sudo usermod -aG docker $USER, then log in again; or use a rootless Podman",
    )


def _address(_doing: str, text: str, _image: str) -> TfbuildError:
    return EnvironmentFailed(
        "DOCKER_HOST does not name an engine",
        code="engine-address-invalid",
        why=text,
        hint="write for example DOCKER_HOST=unix:///run/podman/podman.sock, or leave it out",
    )


def _gone(doing: str, text: str, _image: str) -> TfbuildError:
    return EnvironmentFailed(
        f"the container engine went away while {doing}",
        code="container-engine-gone",
        why=text,
        hint="see that it runs again, then run the same command; finished work is kept",
    )


def _no_image(_doing: str, text: str, image: str) -> TfbuildError:
    return EnvironmentFailed(
        f"there is no image {image}" if image else "there is no such image",
        code="image-missing",
        why=text,
        hint="name one that `docker images` lists or a registry has, or leave --image out: "
        "then one is made from the distribution's own packages",
    )


def _no_registry(_doing: str, text: str, image: str) -> TfbuildError:
    named = f"image {image}" if image else "such image"
    return EnvironmentFailed(
        f"there is no {named} here, and its registry does not answer",
        code="registry-not-answering",
        why=text,
        hint="check the engine's network and its proxy (`docker info` names it), or leave --image "
        "out: then one is made from the distribution's own packages",
    )


def _login(_doing: str, text: str, image: str) -> TfbuildError:
    return EnvironmentFailed(
        f"the registry of {image} wants a login" if image else "a registry wants a login",
        code="registry-login-missing",
        why=text,
        hint="run `docker login` for it: tfbuild uses what that keeps",
    )


def _unknown_ca(_doing: str, text: str, image: str) -> TfbuildError:
    return EnvironmentFailed(
        f"the engine does not trust the registry of {image or 'an image'}",
        code="registry-certificate-unknown",
        why=text,
        hint="put its CA where the engine looks: /etc/docker/certs.d/HOST:PORT/ca.crt",
    )


def _full(doing: str, text: str, _image: str) -> TfbuildError:
    return DiskFull(
        f"the container engine has no room left: {doing} failed",
        code="container-engine-full",
        why=text,
        hint="`tfbuild cache prune` removes what no recent build used, `docker system df` shows "
        "the rest; then run the same command again: finished work is kept",
    )


def _no_gpu(_doing: str, text: str, _image: str) -> TfbuildError:
    return EnvironmentFailed(
        "the container engine passes no GPU on",
        code="container-gpu-missing",
        why=text,
        hint="install nvidia-container-toolkit, then: nvidia-ctk runtime configure "
        "--runtime=docker",
    )


def _no_init(_doing: str, text: str, _image: str) -> TfbuildError:
    return EnvironmentFailed(
        "the container engine lacks the program that begins a container",
        code="container-init-missing",
        why=text,
        hint="run: sudo apt-get install catatonit (Podman only recommends it)",
    )


def _limit(_doing: str, text: str, _image: str) -> TfbuildError:
    return BadRequest(
        "the engine refuses this limit",
        code="container-limit-refused",
        why=text,
        hint="give --cpus or --memory another value",
    )


def _elsewhere(_doing: str, text: str, _image: str) -> TfbuildError:
    return EnvironmentFailed(
        "the engine does not see this machine's folders",
        code="container-engine-elsewhere",
        why=text,
        hint="it must run on this very machine, or share its folders: see DOCKER_HOST",
    )


_KNOWN = (
    (_NO_ROOM.pattern, _full),
    (r"Permission ?denied.*(fetching|Connection aborted)|PermissionError", _forbidden),
    (r"Range of CPUs|Minimum memory limit|specify the units|CPUs are not available", _limit),
    (r"unable to set memory limit", _limit),
    (r"controller \W?\w+\W? is not available", lambda _doing, text, _image: no_limits(text)),
    (r"could not select device driver|Unknown runtime specified nvidia", _no_gpu),
    (r"container-init binary not found", _no_init),
    (r"bind source path does not exist|Mounts denied", _elsewhere),
    (r"No such image|manifest unknown|pull access denied|repository does not exist", _no_image),
    (r"x509: |server gave HTTP response to HTTPS client", _unknown_ca),
    (r"dial tcp|lookup .*no such host|Client\.Timeout exceeded|TLS handshake", _no_registry),
    (r"unauthorized: |no basic auth credentials|requested access .*denied", _login),
    (r"initializing source|invalid reference format", _no_image),
    (r"Invalid bind address|port is required|Install paramiko|No host specified", _address),
    (r"Error while fetching server API version.*404", _address),
    (r"Error while fetching server API version", _down),
    (r"Connection aborted|Connection refused|RemoteDisconnected|Connection broken", _gone),
    (r"Read timed out|IncompleteRead|ended prematurely|Broken pipe|Connection reset", _gone),
    (r"No such exec|No such container|is not running|container .*removed", _gone),
    (r"container state improper", _gone),  # Podman's word for a container that has ended
)
