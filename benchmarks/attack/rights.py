"""Root gives up the rights by which it passes over the modes of files, as `cold` does by a program.

A user of containers is no root of the machine: what a container has left with odd modes has to be
read and removed by whoever owns it, and no more.
"""

import ctypes
import os
import struct

_PASSING_OVER = (1, 2, 3)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
_VERSION, _BOUNDING_DROP = 0x20080522, 24


def drop_rights() -> None:
    """Give them up, for this process and those that it starts; nothing where it is not root."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    head = ctypes.create_string_buffer(struct.pack("Ii", _VERSION, 0))
    held = ctypes.create_string_buffer(24)
    _heed(libc.capget(head, held))
    lost = ~sum(1 << right for right in _PASSING_OVER) & 0xFFFFFFFF
    low = [mask & lost for mask in struct.unpack("6I", held.raw)[:3]]
    left = struct.pack("6I", *low, *struct.unpack("6I", held.raw)[3:])
    for right in _PASSING_OVER:
        _heed(libc.prctl(_BOUNDING_DROP, right, 0, 0, 0))
    _heed(libc.capset(head, ctypes.create_string_buffer(left, 24)))


def _heed(answer: int) -> None:
    if answer:
        raise OSError(ctypes.get_errno(), "the kernel does not take rights away")
