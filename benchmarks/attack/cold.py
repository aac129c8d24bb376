"""A tfbuild that is started anew for a trial, and runs real programs: slower, nothing is shut.

It has the rights of a user: root's, to pass over the modes of files, are dropped.
"""

import os
import shutil
import sys
from pathlib import Path

DELETED = "deleted"  # a current folder of this name is gone when tfbuild begins
_RIGHTS = "-dac_override,-dac_read_search,-fowner"


def start_anew() -> None:
    """Become tfbuild with the words and the variables that are set; does not return."""
    if Path.cwd().name == DELETED:
        Path.cwd().rmdir()
    program = str(Path(sys.executable).with_name("tfbuild"))
    words = [program, *sys.argv[1:]]
    setpriv = shutil.which("setpriv", path=os.defpath)
    if os.geteuid() == 0 and setpriv:
        words = [setpriv, f"--inh-caps={_RIGHTS}", f"--bounding-set={_RIGHTS}", *words]
    os.execv(words[0], words)  # noqa: S606
