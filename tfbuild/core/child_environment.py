"""What programs that are started get to see: which variables, which folders, which modules."""

import os
import stat
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tfbuild.core.records import Pairs

# keep: as it is. drop: not handed on. folders: a list whose entries are kept where they begin at
# the root. path: kept where it begins at the root, and opening it ends. libraries: as folders, bare
# names too.
Treatment = Literal["keep", "drop", "folders", "path", "libraries"]

USUAL_PATH = "/usr/local/bin:/usr/bin:/bin"
_OF_ANY_PROGRAM = ("HOME", "PATH", "TMPDIR", "USER", "LOGNAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRule:
    """What happens to the variables whose names begin like this, and why."""

    names: tuple[str, ...]  # one that ends in * stands for all that begin so
    treatment: Treatment
    why: str


def _rule(treatment: Treatment, why: str, *names: str) -> VariableRule:
    return VariableRule(names=names, treatment=treatment, why=why)


# The longest name that fits decides. A variable that none fits is handed on: the user set it.
RULES: tuple[VariableRule, ...] = (
    _rule("folders", "a relative or empty entry is the current folder", "PATH"),
    _rule("path", "files put aside do not belong into a checkout", "TMPDIR", "TMP", "TEMP"),
    _rule(
        "path",
        "where programs keep what is theirs",
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
        "XDG_RUNTIME_DIR",
    ),
    _rule("drop", "they change what Python imports, warns of and writes", "PYTHON*"),
    _rule("folders", "modules of the user's own folders, as clusters set it", "PYTHONPATH"),
    _rule("path", "the folder of the user's own packages", "PYTHONUSERBASE"),
    _rule(
        "keep", "they make Python read or write less", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE"
    ),
    _rule("keep", "answers to a tree's configure.py, which the plan removes itself", "PYTHON_*"),
    _rule("drop", "they write into what programs print, or load further code", "LD_*"),
    _rule("folders", "where programs of the user find their libraries", "LD_LIBRARY_PATH"),
    _rule("libraries", "allocators and fakeroot are loaded so", "LD_PRELOAD"),
    _rule("drop", "they load code into every program of the C library", "GCONV_PATH", "LOCPATH"),
    _rule("drop", "git hooks set them, and another repository would be meant", "GIT_*"),
    _rule(
        "keep",
        "how repositories are reached, and by whom",
        *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_TERMINAL_PROMPT"),
        *("GIT_SSL_*", "GIT_HTTP_*", "GIT_PROXY_COMMAND"),
    ),
    _rule("path", "the user's own settings of git", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"),
    _rule("drop", "the plan decides how CMake, make and ninja build", "CMAKE_*", "NINJA_*"),
    _rule("drop", "the plan decides it", "MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS", "MFLAGS"),
    _rule("drop", "options of pip that say what it installs, from where it runs and to", "PIP_*"),
    _rule(
        "keep",
        "the user's indexes, and how they are reached",
        *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_PROXY"),
        *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_TRUSTED_HOST", "PIP_TIMEOUT", "PIP_DEFAULT_TIMEOUT"),
        *(
            "PIP_RETRIES",
            "PIP_KEYRING_PROVIDER",
            "PIP_USE_FEATURE",
            "PIP_USE_DEPRECATED",
            "PIP_CONSTRAINT",
        ),
        *("PIP_NO_CACHE_DIR", "PIP_PRE", "PIP_PREFER_BINARY", "PIP_DISABLE_PIP_VERSION_CHECK"),
    ),
    _rule("path", "settings that lie in a folder of the user", "PIP_CONFIG_FILE", "PIP_CACHE_DIR"),
    _rule("drop", "settings of uv would win over those of pip", "UV_*"),
    _rule("drop", "shells run or define what is in them", "BASH_ENV", "ENV", "BASH_FUNC_*"),
    _rule(
        "drop",
        "they change what the words of a script mean",
        *("SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "IFS", "PS4", "PROMPT_COMMAND"),
        *("POSIXLY_CORRECT", "GREP_OPTIONS", "TAR_OPTIONS", "PATCH_GET", "XZ_OPT", "GZIP"),
    ),
    _rule("drop", "modules and options of other languages", "PERL5*", "PERLLIB", "RUBY*", "NODE_*"),
    _rule("path", "where GCC finds its own programs", "GCC_EXEC_PREFIX"),
    _rule("folders", "where GCC finds its own programs", "COMPILER_PATH"),
    _rule(
        "folders",
        "where headers and libraries of the user lie",
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH"),
    ),
    _rule(
        "drop",
        "compilers write files where they say, or take other flags",
        *("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "GCC_COMPARE_DEBUG"),
        *("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CUDA_INJECTION*"),
    ),
    _rule("folders", "where Java finds classes", "CLASSPATH"),
    _rule("keep", "trust stores and proxies of companies", "JAVA_TOOL_OPTIONS"),
    _rule("drop", "they win over what Bazel gives its server", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"),
    _rule("path", "the Java of the user", "JAVA_HOME"),
    _rule("path", "they name code to load", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES"),
    _rule("path", "apt runs what its settings name", "APT_CONFIG"),
    _rule("keep", "what rules of Bazel and its starter read, which the user sets", "BAZEL*"),
)
_BY_NAME = {name: rule.treatment for rule in RULES for name in rule.names}
_PREFIXES = sorted((n[:-1] for n in _BY_NAME if n.endswith("*")), key=len, reverse=True)


def child_environment(
    environ: Mapping[str, str], unset: Collection[str] = (), named: "Pairs" = ()
) -> dict[str, str]:
    """The variables that a program gets: those of environ by RULES, without unset, and named.

    It speaks English, and its PATH leads to no place in the current folder.
    """
    found = ((name, _treated(treatment_of(name), value)) for name, value in environ.items())
    kept = {name: value for name, value in found if value is not None and name not in unset}
    # Of LC_ALL alone, LANGUAGE would make messages in its language of those of C.UTF-8.
    kept |= {"LC_ALL": "C.UTF-8", "LANGUAGE": ""} | dict(named)
    return kept | {"PATH": search_path(kept.get("PATH", ""))}


def treatment_of(name: str) -> Treatment:
    """What RULES say of a variable."""
    prefix = next((p for p in _PREFIXES if name.startswith(p)), "")
    usual: Treatment = _BY_NAME[f"{prefix}*"] if prefix else "keep"
    return _BY_NAME.get(name, usual)


def search_path(path: str | None = None) -> str:
    """A PATH, that of this process by itself, without entries that are the current folder."""
    text = os.environ.get("PATH", USUAL_PATH) if path is None else path
    return _treated("folders", text) or USUAL_PATH


def closed_start(named: "Pairs") -> tuple[str, ...]:
    """The words before those of a program of strangers: it gets what is named, and no secret.

    Of the caller's variables it sees those that any program needs, his home and his PATH.
    """
    basic = {name: os.environ[name] for name in _OF_ANY_PROGRAM if name in os.environ}
    kept = child_environment(basic, named=named)
    given = (f"{name}={value}" for name, value in kept.items())
    # `env` would take a program's path with a `=` for one more variable; a shell does not.
    return ("env", "-i", *given, "sh", "-c", 'exec "$0" "$@"')


def own_module(module: str) -> tuple[str, ...]:
    """The words that start a module beside tfbuild; none of the current folder is imported."""
    return sys.executable, "-P", "-m", module


def _is_channel(path: str) -> bool:
    """Whether opening it waits for another program: a named pipe or a socket."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False  # programs make it, or say themselves what is wrong with it
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _treated(treatment: Treatment, value: str) -> str | None:
    if treatment == "drop":
        return None
    if treatment == "path":
        return value if value.startswith("/") and not _is_channel(value) else None
    if treatment == "keep":
        return value
    entries = value.replace(" ", ":") if treatment == "libraries" else value
    kept = [entry for entry in entries.split(":") if entry and _is_safe(entry, treatment)]
    return ":".join(kept) or None


def _is_safe(entry: str, treatment: Treatment) -> bool:
    return entry.startswith("/") or (treatment == "libraries" and "/" not in entry)
