"""Bodies that a server compressed, whether it was asked to or not: decoded piece by piece, never beyond a size. Pure."""

from __future__ import annotations

import zlib
from typing import Any

from snellen.engine.call.exchange import TOO_LARGE

GZIP = frozenset({"gzip", "x-gzip"})
LAYERS = 2
_GZIP_MAGIC = b"\x1f\x8b"


class _Layer:
    """One coding. A gzip body may have several members, a deflate body may lack its zlib frame (many servers leave it out)."""

    def __init__(self, coding: str, largest: int) -> None:
        self._coding, self._largest, self._size = coding, largest, 0
        self._inflate: Any = None
        self._begun = b""

    def feed(self, data: bytes) -> bytes:
        if self._inflate is None:
            data, self._begun = self._begun + data, b""
            if len(data) < len(_GZIP_MAGIC):
                self._begun = data
                return b""
            self._inflate = self._start(data)
        out = []
        while data:
            out.append(self._inflate.decompress(data, self._largest - self._size + 1))
            self._size += len(out[-1])
            if self._size > self._largest:
                raise ValueError(TOO_LARGE)
            data = self._inflate.unused_data if self._inflate.eof else b""
            if not data.startswith(_GZIP_MAGIC) or self._coding not in GZIP:
                break  # what follows the end is padding
            self._inflate = self._start(data)
        return b"".join(out)

    def _start(self, data: bytes) -> Any:
        if self._coding in GZIP:
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        framed = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
        return zlib.decompressobj(zlib.MAX_WBITS if framed else -zlib.MAX_WBITS)

    @property
    def whole(self) -> bool:
        return not self._begun and (self._inflate is None or self._inflate.eof)


class Decoder:
    """Undoes the codings of one body.

    >>> import gzip
    >>> decoder = Decoder("gzip", 100)
    >>> decoder.feed(gzip.compress(b"hello"))
    b'hello'
    >>> decoder.end()
    """

    def __init__(self, codings: str, largest: int) -> None:
        """Raises ValueError for a coding that nobody asked for and that cannot be undone here."""
        names = [n for n in (part.strip().lower() for part in codings.split(",")) if n and n != "identity"]
        for name in names:
            if name not in GZIP and name != "deflate":
                raise ValueError(f"the reply is encoded as '{name[:20]}', which was not asked for")
        if len(names) > LAYERS:
            raise ValueError(f"the reply is encoded {len(names)} times over")
        self._layers = [_Layer(name, largest) for name in reversed(names)]

    def feed(self, data: bytes) -> bytes:
        """What a piece of the body says; raises ValueError where it is broken or grows too large."""
        try:
            for layer in self._layers:
                data = layer.feed(data)
        except zlib.error as error:
            raise ValueError(f"the reply's compression is broken ({error})") from None
        return data

    def end(self) -> None:
        """Raises ValueError where the body ended too early."""
        if not all(layer.whole for layer in self._layers):
            raise ValueError("the reply's compression is broken (it ends too early)")


def decoder_for(codings: str | None, largest: int) -> Decoder | None:
    """The decoder for a `Content-Encoding`; None where there is nothing to undo."""
    return None if not codings or codings.strip().lower() == "identity" else Decoder(codings, largest)
