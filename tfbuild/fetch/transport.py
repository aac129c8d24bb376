"""The transport of HTTP requests, which believes no server's negative chunk size.

Python's `http.client` takes `-1` for the size of a chunk, and then reads to the end of the
connection into memory, however little was asked for.
"""

from http.client import HTTPException, HTTPResponse

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

_MOST_TRAILERS = 100  # lines behind the last chunk; as many as http.client takes headers


class _Response(HTTPResponse):
    """An answer whose chunks have sizes, and whose end comes."""

    def _read_next_chunk_size(self) -> int:
        size: int = super()._read_next_chunk_size()  # type: ignore[misc]
        if size < 0:
            raise HTTPException(f"a chunk of {size} bytes")
        return size

    def _read_and_discard_trailer(self) -> None:
        for _ in range(_MOST_TRAILERS):
            if self.fp.readline(65_536) in {b"\r\n", b"\n", b""}:
                return
        raise HTTPException(f"more than {_MOST_TRAILERS} lines behind the last chunk")


class _Connection(HTTPConnection):
    response_class = _Response


class _TlsConnection(HTTPSConnection):
    response_class = _Response


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


POOLS = {"http": _Pool, "https": _TlsPool}  # of connections, as urllib3's managers take them
