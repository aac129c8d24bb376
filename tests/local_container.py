"""A container that is none: its programs run here, and speak through frames as an engine's do."""

import contextlib
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tfbuild.containers.engine import ContainerSpec

ORDER = ContainerSpec(image="sha256:1", kind="build", memory_mb=500)


class BoxSession:
    """A program and our end of the wire to it."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, tty: bool) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._process = subprocess.Popen(
            argv, env={**os.environ, **env}, cwd=cwd or "/", start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        self._lock, self._open = threading.Lock(), 2
        streams = [(1, self._process.stdout), (2, self._process.stderr)]
        self._pumps = [threading.Thread(target=self._pump, args=(n, s, tty)) for n, s in streams]
        self._pumps.append(threading.Thread(target=self._hear))
        self.is_closed = False
        assert self._process.stdin
        self._process.stdin.write(b"\n")
        for pump in self._pumps:
            pump.start()

    def _hear(self) -> None:
        """Carry what is said to the program; the end of it too."""
        assert self._process.stdin
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._theirs.recv(1000):
                self._process.stdin.write(chunk)
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _pump(self, number: int, stream: IO[bytes], tty: bool) -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more
            while chunk := stream.read(1000):
                head = b"" if tty else struct.pack(">BxxxL", number, len(chunk))
                with self._lock:
                    for part in (head[:3], head[3:] + chunk):  # frames come in any pieces
                        self._theirs.sendall(part)
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._theirs.shutdown(socket.SHUT_WR)

    def fileno(self) -> int:
        return self._ours.fileno()

    def code(self) -> int | None:
        code = self._process.poll()
        return 128 - code if code is not None and code < 0 else code

    def close(self) -> None:
        self.is_closed = True
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._ours.close()
        for pump in self._pumps:
            pump.join(1)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        self._theirs.close()


@dataclass
class Box:
    """Stands in for a Container."""

    spec: ContainerSpec = ORDER
    files: dict[str, bytes] = field(default_factory=dict)
    sessions: list[BoxSession] = field(default_factory=list)
    is_short_of_memory: bool = False
    is_gone: bool = False

    def execute(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str, terminal: bool
    ) -> BoxSession:
        self.sessions.append(BoxSession(argv, env, cwd, terminal))
        return self.sessions[-1]

    def is_running(self) -> bool:
        return not self.is_gone

    def ended_for_memory(self) -> bool:
        return self.is_short_of_memory

    def read(self, path: str) -> bytes:
        return self.files[path]

    def copy_out(self, path: str, target: Path) -> Path:
        target.write_bytes(self.files[path])
        return target
