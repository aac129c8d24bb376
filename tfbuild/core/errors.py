"""Every way to fail: what failed, why, what to do about it, and the exit code."""

from tfbuild.core.masking import mask

NO_KNOWN_CAUSE = 14  # of `diagnose`, which has not failed: 1 is a bug of tfbuild itself
# All that a command can end with.
EXIT_CODES = {
    0: "The command has done what it was asked for.",
    1: "A bug of tfbuild itself.",
    2: "Wrong use: of the command line, a setting, or a file that was named.",
    3: "No versions are compatible with the request.",
    4: "The environment: this machine or the container lacks something.",
    5: "The configure step failed.",
    6: "Compiling, linking or packing failed.",
    7: "The audit failed: the result is not what was asked for.",
    8: "The smoke test failed.",
    9: "The performance is below its bound.",
    10: "A download failed, or a file does not have the expected hash.",
    11: "The memory ran out.",
    12: "A disk is full, or has too little free space for the build.",
    13: "The time given by `--deadline` is up.",
    NO_KNOWN_CAUSE: "`tfbuild diagnose` found no known cause in the log.",
    130: "Ctrl-C, or a signal that asks a program to end.",
}


class TfbuildError(Exception):
    """Base of all expected failures; `cli` turns one into a few lines and an exit code.

    The code is stable where the words are not: scripts and tests hold on to it, and
    `core/error_codes/` says what it means. A class of one meaning has its code itself.
    """

    exit_code = 1
    code = ""

    def __init__(
        self, message: str, *, code: str = "", why: str = "", hint: str = "", log: str = ""
    ) -> None:
        self.code = code or self.code
        self.message = mask(message)
        super().__init__(self.message)
        self.why = mask(why)
        self.hint = mask(hint)
        self.log = log
        self.report = ""  # the page of the build that it has ended
        self.is_printed = False  # whether a printed document holds it already


class BadRequest(TfbuildError):
    """The command line, the configuration file or the environment asks for something wrong."""

    exit_code = 2


class BadRecipe(TfbuildError):
    """A file in matrices/ or recipes/ does not hold what it must."""

    exit_code = 2


class NoSolution(TfbuildError):
    """No set of versions satisfies the request."""

    exit_code = 3


class TreeLacks(NoSolution):
    """The source tree itself has not what was asked for: no other machine would help."""


class EnvironmentFailed(TfbuildError):
    """The machine lacks something that the plan needs, or it could not be prepared."""

    exit_code = 4


class ConfigureFailed(TfbuildError):
    """The source tree's configure step refused."""

    exit_code = 5


class BuildFailed(TfbuildError):
    """Compiling or linking failed."""

    exit_code = 6


class WheelFailed(TfbuildError):
    """The wheel could not be packed or repaired."""

    exit_code = 6


class AuditFailed(TfbuildError):
    """The wheel is not what was asked for."""

    exit_code = 7


class SmokeFailed(TfbuildError):
    """A check of the smoke test failed."""

    exit_code = 8


class PerfRegressed(TfbuildError):
    """A speed bar was missed."""

    exit_code = 9


class FetchFailed(TfbuildError):
    """A download failed."""

    exit_code = 10


class WrongHash(FetchFailed):
    """What was fetched is not what was pinned: no other source may hide that."""


class OutOfMemory(TfbuildError):
    """A program was killed for want of memory."""

    exit_code = 11
    code = "out-of-memory"


class DiskFull(TfbuildError):
    """A disk is full, or has too little room for what is planned."""

    exit_code = 12
    code = "disk-full"


class RoomMissing(DiskFull):
    """A disk has too little room, and the message says how much is needed."""

    code = "disk-room-missing"


class DeadlineReached(TfbuildError):
    """The time that the build was given is up: it was stopped in order, and can go on."""

    exit_code = 13
    code = "deadline-reached"


class Interrupted(TfbuildError):
    """The user or the system asked to stop."""

    exit_code = 130
    code = "interrupted"


class CommandFailed(TfbuildError):
    """A program ended with a status that its caller did not expect; stages convert it."""

    exit_code = 4
    code = "command-failed"

    def __init__(
        self, message: str, *, status: int = 1, last_lines: tuple[str, ...] = (), log: str = ""
    ) -> None:
        super().__init__(message, why="\n".join(last_lines), log=log)
        self.status = status
        self.last_lines = last_lines


class CommandTimedOut(CommandFailed):
    """A program ran past its time limit and was stopped."""

    code = "command-timed-out"
