"""Trees as the kernel shows them in /proc, made up: a server, wrappers below it, compilers."""

import os
from dataclasses import dataclass
from pathlib import Path

PAGES_PER_MB = 1_000_000 // os.sysconf("SC_PAGE_SIZE")
SERVER = 100
COMPILE = ("/usr/bin/gcc", "-c", "lib/a.cc", "-o", "bazel-out/k8/bin/lib/_objs/lib/{}.o")


@dataclass(frozen=True, kw_only=True)
class ProcTree:
    """A folder that stands for /proc."""

    folder: Path

    def add(
        self, pid: int, parent: int, *words: str, memory_mb: int = 0, began: int = 0, name: str = ""
    ) -> None:
        """A process, and its number among its parent's children."""
        place = self.folder / str(pid)
        (place / "task" / str(pid)).mkdir(parents=True)
        (place / "task" / str(pid) / "children").write_text("")
        (place / "cmdline").write_bytes("\0".join((*words, "")).encode())
        (place / "comm").write_text((name or Path(words[0]).name) + "\n")
        fields = ["0"] * 19 + [str(began or pid), "0"]
        (place / "stat").write_text(f"{pid} (a (b) c) " + " ".join(fields))
        self.set_memory(pid, memory_mb)
        if parent:
            children = self.folder / str(parent) / "task" / str(parent) / "children"
            children.write_text(f"{children.read_text()}{pid} ")

    def set_memory(self, pid: int, megabytes: int) -> None:
        pages = megabytes * PAGES_PER_MB
        (self.folder / str(pid) / "statm").write_text(f"99999 {pages + 300} 300 1 0 1 0\n")

    def compiles(self, pid: int, name: str, memory_mb: int) -> None:
        """A compile action: the sandbox with that number, and the compiler with the next one."""
        words = tuple(word.format(name) for word in COMPILE)
        self.add(pid, SERVER, "/opt/linux-sandbox", "-t", "15", "--", *words)
        self.add(pid + 1, pid, "/usr/lib/cc1plus", "-o", "/tmp/x.s", memory_mb=memory_mb)

    def end(self, pid: int) -> None:
        """No such child any more."""
        for children in (self.folder / str(SERVER) / "task").glob("*/children"):
            left = [word for word in children.read_text().split() if word != str(pid)]
            children.write_text(" ".join([*left, ""]))


def a_server(folder: Path) -> ProcTree:
    """A server of Bazel that runs nothing."""
    tree = ProcTree(folder=folder)
    tree.add(SERVER, 0, "bazel(tree)", "-Xserver", memory_mb=230)
    return tree
