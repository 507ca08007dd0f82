"""One column of byte strings of a Parquet file, a value at a time, whatever the size of its row groups and pages.

DuckDB holds a row group's column, and some copies of it, also to give a single row: 760 MB for 270 MB of pictures (docs/performance.md).
Writers cut pages by the number of values, so a page of pictures may be 100 MB, too. Here a page is a stream: what is in memory is one value
and a buffer. What the footer says comes from DuckDB. What is not read here (lists, rare encodings and codecs) raises `Unfit`.
"""

from __future__ import annotations

import struct
import tempfile
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

BUFFER = 1 << 16
WINDOW = 1 << 16
SMALL = 1 << 20
"""Bytes of a dictionary that is held in memory."""
_LENGTH = struct.Struct("<I")
_DATA, _INDEX, _DICTIONARY, _DATA_2 = 0, 1, 2, 3
_PLAIN, _PLAIN_DICTIONARY, _RLE, _RLE_DICTIONARY = 0, 2, 3, 8


class Unfit(Exception):
    """This column, or this page of it, is not read here."""


class Chunk(NamedTuple):
    """The column in one row group: its first row and number of rows in the file, how it is compressed, and where it is."""

    first: int
    rows: int
    codec: str
    begin: int
    end: int


class Column:
    """A column that has no list in it. `optional` is how many of the levels above and at its values may be missing."""

    def __init__(self, path: Path, chunks: Sequence[Chunk], optional: int) -> None:
        self._path, self._chunks, self._optional = path, chunks, optional
        self._firsts = [chunk.first for chunk in chunks]

    def values(self, rows: Sequence[int]) -> Iterator[bytes | None]:
        """The values in some rows, which are in order; each chunk is gone through once. Whatever is wrong with the file raises `Unfit`."""
        at = 0
        with self._path.open("rb", buffering=BUFFER) as file:
            while at < len(rows):
                chunk = self._chunks[bisect_right(self._firsts, rows[at]) - 1]
                end = bisect_left(rows, chunk.first + chunk.rows, at)
                if end == at:
                    raise Unfit("fewer rows than the file says")
                try:
                    yield from _Pages(file, chunk, self._optional).values(rows, at, end)
                except Unfit:
                    raise
                except Exception as error:  # a damaged file can go wrong in every way; DuckDB then says what is wrong
                    raise Unfit(str(error)) from None
                at = end


# ---------------------------------------------------------------- pages


class _Header(NamedTuple):
    kind: int
    size: int
    stored: int
    values: int
    encoding: int
    levels: int
    levels_encoding: int
    compressed: bool


class _Pages:
    """The pages of one column chunk."""

    def __init__(self, file: IO[bytes], chunk: Chunk, optional: int) -> None:
        self._file, self._chunk, self._optional = file, chunk, optional
        self._dictionary: Callable[[int], bytes] | None = None

    def values(self, rows: Sequence[int], done: int, end: int) -> Iterator[bytes | None]:
        """Those of rows[done:end], all of which are in this chunk."""
        first, place = self._chunk.first, self._chunk.begin
        while done < end:
            if place >= self._chunk.end:
                raise Unfit("a column chunk ends before its last row")
            self._file.seek(place)
            header = _header(self._file)
            place = self._file.tell() + header.stored
            if header.kind == _DICTIONARY:
                self._dictionary = _dictionary(self._stream(header, header.stored), header, self._file)
            elif header.kind != _INDEX:
                page, at = self._page(header), first
                first += header.values
                while done < end and rows[done] < first:
                    yield next(islice(page, rows[done] - at, None))
                    at = rows[done] + 1
                    done += 1

    def _stream(self, header: _Header, stored: int) -> _Readable:
        """The bytes of a page from here on, as they were before they were compressed."""
        codec = self._chunk.codec if header.compressed else "UNCOMPRESSED"
        if codec == "UNCOMPRESSED":
            return self._file
        return _opened(codec, _Part(self._file, stored))

    def _page(self, header: _Header) -> Iterator[bytes | None]:
        """All values of a data page. The caller takes as many as it wants, and what comes before them is read over."""
        there: Iterator[int] | None = None
        if header.kind == _DATA_2:
            levels = _exactly(self._file, header.levels) if header.levels else b""
            stream = self._stream(header, header.stored - header.levels)
        else:
            stream = self._stream(header, header.stored)
            levels = b""
            if self._optional:
                if header.levels_encoding != _RLE:
                    raise Unfit("levels in an old encoding")
                levels = _exactly(stream, _LENGTH.unpack(_exactly(stream, 4))[0])
        if self._optional:
            there = islice(_hybrid(levels, self._optional.bit_length()), header.values)
        values = self._encoded(header.encoding, stream)
        if there is None:
            yield from islice(values, header.values)
            return
        for level in there:
            yield next(values) if level == self._optional else None

    def _encoded(self, encoding: int, stream: _Readable) -> Iterator[bytes]:
        if encoding == _PLAIN:
            return _plain(stream)
        if encoding in (_PLAIN_DICTIONARY, _RLE_DICTIONARY) and self._dictionary is not None:
            width = _exactly(stream, 1)[0]
            return map(self._dictionary, _hybrid_from(stream, width))
        raise Unfit(f"encoding {encoding}")


def _plain(stream: _Readable) -> Iterator[bytes]:
    read = stream.read
    while True:
        (size,) = _LENGTH.unpack(_exactly(stream, 4))
        value = read(size)
        if len(value) != size:
            raise EOFError("a page ends within a value")
        yield value


def _dictionary(stream: _Readable, header: _Header, file: IO[bytes]) -> Callable[[int], bytes]:
    """Gives a value by its number. A small dictionary is held; one of pictures stays in a file: the one that is read, or its own."""
    if header.size <= SMALL:
        return list(islice(_plain(stream), header.values)).__getitem__
    places, sizes = array("q"), array("q")
    kept: IO[bytes] = file if stream is file else tempfile.TemporaryFile()  # noqa: SIM115 (closed when nobody has it any more)
    for _ in range(header.values):
        (size,) = _LENGTH.unpack(_exactly(stream, 4))
        places.append(kept.tell())
        sizes.append(size)
        if kept is file:
            kept.seek(size, 1)
        else:
            kept.write(_exactly(stream, size))

    def value(number: int) -> bytes:
        here = kept.tell()
        kept.seek(places[number])
        found = _exactly(kept, sizes[number])
        kept.seek(here)
        return found

    return value


# ---------------------------------------------------------------- runs of small numbers


def _hybrid(data: bytes, width: int) -> Iterator[int]:
    """Numbers in runs: one number so many times, or eight at a time with so many bits each."""
    return _hybrid_from(_Bytes(data), width)


def _hybrid_from(stream: _Readable, width: int) -> Iterator[int]:
    size = (width + 7) // 8
    if width > 32:
        raise Unfit(f"numbers of {width} bits")
    while True:
        head = _varint(stream)
        if head & 1:
            for _ in range(head >> 1):
                bits = int.from_bytes(_exactly(stream, width), "little")
                for shift in range(0, 8 * width, width) if width else ():
                    yield bits >> shift & (1 << width) - 1
                yield from (0,) * (0 if width else 8)
        else:
            number = int.from_bytes(_exactly(stream, size), "little")
            for _ in range(head >> 1):
                yield number


# ---------------------------------------------------------------- streams


class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


def _exactly(stream: _Readable, size: int) -> bytes:
    found = stream.read(size)
    if len(found) != size:
        raise EOFError("a page ends too early")
    return found


class _Bytes:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read(self, size: int = 0) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]


class _Part:
    """So many bytes of a file from where it is, and no more."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left = file, size
        self._at = file.tell()

    def read(self, size: int = BUFFER) -> bytes:
        if self._file.tell() != self._at:  # a dictionary was looked into meanwhile
            self._file.seek(self._at)
        found = self._file.read(min(size, self._left))
        self._left -= len(found)
        self._at += len(found)
        return found


def _opened(codec: str, source: _Part) -> _Readable:
    if codec == "SNAPPY":
        return _Unpacked(_snappy(source))
    if codec == "GZIP":
        return _Unpacked(_gzip(source))
    if codec == "ZSTD":
        try:
            import zstandard
        except ImportError:
            raise Unfit("zstd is not installed") from None
        found: _Readable = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(source)  # type: ignore[arg-type]
        return found
    raise Unfit(f"compressed with {codec}")


class _Unpacked:
    """What a decompressor appends to its buffer, read from the front. The last of what was read stays there for those that look back."""

    def __init__(self, grow: Callable[[bytearray], bool]) -> None:
        self._grow, self._out, self._at = grow, bytearray(), 0

    def read(self, size: int = 0) -> bytes:
        out, end = self._out, self._at + size
        while len(out) < end and self._grow(out):
            pass
        found = bytes(memoryview(out)[self._at : end])
        self._at += len(found)
        if self._at > 2 * WINDOW:
            del out[: self._at - WINDOW]
            self._at = WINDOW
        return found


def _gzip(source: _Part) -> Callable[[bytearray], bool]:
    unpack = zlib.decompressobj(47)

    def grow(out: bytearray) -> bool:
        more = unpack.decompress(unpack.unconsumed_tail or source.read(BUFFER), BUFFER)
        out += more
        return bool(more)

    return grow


def _snappy(source: _Part) -> Callable[[bytearray], bool]:
    """Appends one element: some bytes as they are, or some that were there before. All writers look back 64 KB at most."""
    pieces = _Ahead(source)
    _varint(pieces)  # the length, which the page's header has, too

    def grow(out: bytearray) -> bool:
        tag = pieces.byte()
        if tag < 0:
            return False
        kind, size = tag & 3, (tag >> 2) + 1
        if kind == 0:
            if size > 60:
                size = int.from_bytes(pieces.read(size - 60), "little") + 1
            out += _exactly(pieces, size)
            return True
        if kind == 1:
            size, back = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | pieces.byte()
        else:
            back = int.from_bytes(_exactly(pieces, 2 if kind == 2 else 4), "little")
        begin = len(out) - back
        if not 0 < back <= len(out):
            raise Unfit("a reference further back than is kept")
        if back >= size:
            out += out[begin : begin + size]
        else:
            out += (bytes(out[begin:]) * (size // back + 1))[:size]
        return True

    return grow


class _Ahead:
    """A source read in large pieces, for those that want single bytes."""

    def __init__(self, source: _Part) -> None:
        self._source, self._data, self._at = source, b"", 0

    def byte(self) -> int:
        """The next byte; -1 at the end."""
        if self._at >= len(self._data):
            self._data, self._at = self._source.read(BUFFER), 0
            if not self._data:
                return -1
        self._at += 1
        return self._data[self._at - 1]

    def read(self, size: int = 0) -> bytes:
        if self._at + size > len(self._data):
            self._data = self._data[self._at :] + self._source.read(max(BUFFER, size))
            self._at = 0
        self._at += size
        return self._data[self._at - size : self._at]


# ---------------------------------------------------------------- page headers: Thrift's compact protocol


def _varint(stream: _Readable) -> int:
    found = shift = 0
    while shift < 70:
        (byte,) = _exactly(stream, 1)
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found
        shift += 7
    raise Unfit("a number that does not end")


def _signed(stream: _Readable) -> int:
    found = _varint(stream)
    return found >> 1 ^ -(found & 1)


def _fields(stream: _Readable, depth: int = 0) -> dict[int, Any]:
    """The fields of a struct by number. Texts, lists and floats are passed over: no page header says anything needful in them."""
    found: dict[int, Any] = {}
    number = 0
    while True:
        (head,) = _exactly(stream, 1)
        kind, step = head & 15, head >> 4
        if not kind:
            return found
        number = number + step if step else _signed(stream)
        found[number] = _value(stream, kind, depth)


def _value(stream: _Readable, kind: int, depth: int) -> Any:
    if kind in (1, 2):
        return kind == 1
    if kind == 3:
        return _exactly(stream, 1)[0]
    if kind in (4, 5, 6):
        return _signed(stream)
    if kind == 7:
        return _exactly(stream, 8)
    if kind == 8:
        return _exactly(stream, _varint(stream)) and None
    if kind == 12 and depth < 4:
        return _fields(stream, depth + 1)
    raise Unfit("a page header of another kind")


def _header(file: IO[bytes]) -> _Header:
    said = _fields(file)
    about: dict[int, Any] = said.get({_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}.get(said[1], 6)) or {}
    two = said[1] == _DATA_2
    header = _Header(
        kind=said[1],
        size=said[2],
        stored=said[3],
        values=about.get(1, 0),
        encoding=about.get(4 if two else 2, _PLAIN),
        levels=about.get(5, 0) if two else 0,
        levels_encoding=_RLE if two else about.get(3, _RLE),
        compressed=about.get(7, True) if two else True,
    )
    if said[1] not in (_DATA, _INDEX, _DICTIONARY, _DATA_2) or min(header.size, header.stored, header.values) < 0:
        raise Unfit("a damaged page header")
    if two and about.get(6):
        raise Unfit("lists")
    return header
