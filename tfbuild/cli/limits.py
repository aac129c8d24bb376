"""How many files may be open: raised where a run needs more, told where the system refuses that."""

import resource

from tfbuild.core.errors import EnvironmentFailed

_USUAL = 256  # what programs can count on, macOS's default
_LEAST = 64  # with fewer, what cannot be opened would be taken for what is not there


def raise_file_limit() -> None:
    """Let this process open as many files as programs usually may; what it starts may, too.

    Raises EnvironmentFailed where a hard limit stands below what a run needs.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= _USUAL:
        return
    wanted = _USUAL if hard == resource.RLIM_INFINITY else min(_USUAL, hard)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    if wanted < _LEAST:
        raise EnvironmentFailed(
            f"only {wanted} files can be open at once",
            why=f"that is the hard limit, and tfbuild needs {_LEAST}",
            hint="raise it: `ulimit -Hn` shows it, and who started the shell or container sets it",
        )
