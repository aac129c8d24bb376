"""How many files may be open, and how large the stack is: raised, or refused with a reason."""

import resource
import threading

from tfbuild.core.errors import EnvironmentFailed

_USUAL = 256  # what programs can count on, macOS's default
_LEAST = 64  # with fewer, what cannot be opened would be taken for what is not there
_USUAL_STACK = 8 << 20  # bytes, Linux's default
_LEAST_STACK = 512 << 10  # with less, Python ends without a word; with some 64 KB it does not begin


def raise_limits() -> None:
    """Let this process, and what it starts, open as many files and have as much stack as is usual.

    Raises EnvironmentFailed where a hard limit stands below what a run needs.
    """
    _raise_stack_limit()
    _raise_file_limit()


# --- inside ------------------------------------------------------------------------------------


def _raise_stack_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft == resource.RLIM_INFINITY or soft >= _USUAL_STACK:
        return
    wanted = _USUAL_STACK if hard == resource.RLIM_INFINITY else min(_USUAL_STACK, hard)
    if wanted < _LEAST_STACK:
        raise EnvironmentFailed(
            f"the stack may have no more than {wanted >> 10} KB",
            code="stack-limit-low",
            why=f"that is the hard limit, and tfbuild needs {_LEAST_STACK >> 10} KB",
            hint="raise it: `ulimit -Hs` shows it, and who started the shell or container sets it",
        )
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    threading.stack_size(wanted)  # threads have what the limit was when Python began


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= _USUAL:
        return
    wanted = _USUAL if hard == resource.RLIM_INFINITY else min(_USUAL, hard)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    if wanted < _LEAST:
        raise EnvironmentFailed(
            f"only {wanted} files can be open at once",
            code="open-files-limit-low",
            why=f"that is the hard limit, and tfbuild needs {_LEAST}",
            hint="raise it: `ulimit -Hn` shows it, and who started the shell or container sets it",
        )
