"""Log files, read within limits: an impossible size, a decompression bomb or invalid JSON gives one clear line."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from snellen.core.errors import SnellenError
from snellen.data.workbook import check_cells

T = TypeVar("T")
LARGEST_FILE = 2 << 30
LARGEST_MEMBER = 256 << 20
LARGEST_LINE = 64 << 20
MOST_UNPACKED = 1 << 30
MOST_VALUES = 16 << 20
"""The most values of one JSON document, or members of an archive: even an empty one takes 64 bytes of memory."""
ZSTD = 93
"""The number of zstd among the compression methods of zip files. zipfile supports it from Python 3.14 on."""
_LOCAL_HEADER = 30


def checked(path: Path) -> Path:
    """Return the path of a log that exists and has a readable size."""
    if not path.is_file():
        what = "a folder, and a log is a file: name that" if path.is_dir() else "no such file"
        raise SnellenError(f"{path}: {what}")
    if path.suffix.lower() in (".pkl", ".pickle"):
        raise SnellenError(
            f"{path}: a pickle can run code when it is opened, so Snellen opens none; VLMEvalKit's .xlsx, .tsv or .json has the same rows"
        )
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise SnellenError(f"{path}: {size:,} bytes, more than the {LARGEST_FILE:,} that are read of one log")
    return path


def decoded(raw: bytes, kind: type[T], where: str) -> T:
    """Decode JSON as a typed record. Python's own spelling of numbers (NaN) is accepted, too."""
    _values_in(raw, where)
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise SnellenError(f"{where}: not what such a log has ({error})") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        document = json.loads(raw)
        json.dumps(document, ensure_ascii=False).encode()
        return msgspec.convert(document, kind)
    except UnicodeEncodeError as error:
        raise SnellenError(
            f"{where}: text that is not Unicode, a lone surrogate ({error.object[error.start]!a})"
        ) from None
    except msgspec.ValidationError as error:
        raise SnellenError(f"{where}: not what such a log has ({error})") from None
    except (ValueError, RecursionError) as error:
        raise SnellenError(f"{where}: no readable JSON ({error})") from None


def _values_in(raw: bytes, where: str, before: int = 0) -> int:
    """Return an upper bound of the number of JSON values, including those before. Refuse more than are kept in memory."""
    values = before + sum(map(raw.count, (b",", b"[", b"{")))
    if values > MOST_VALUES:
        raise SnellenError(f"{where}: more than {MOST_VALUES:,} values of JSON; import a smaller log")
    return values


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not empty, with their numbers."""
    with checked(path).open("rb") as file:
        number = 0
        while line := file.readline(LARGEST_LINE + 1):
            number += 1
            if len(line) > LARGEST_LINE:
                raise SnellenError(f"{path} line {number}: longer than {LARGEST_LINE:,} bytes")
            if line.strip():
                yield number, line


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a file, one from each line."""
    cells = 0
    for number, line in lines(path):
        found = decoded(line, dict[str, Any], f"{path} line {number}")
        cells += len(found) or 1
        check_cells(path, cells)
        yield number, found


class Archive:
    """A zip file of JSON members, each read whole within limits."""

    def __init__(self, path: Path) -> None:
        self.path = checked(path)
        try:
            with zipfile.ZipFile(path) as found:
                self._members = {info.filename: info for info in found.infolist()}
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise SnellenError(f"{path}: no zip file, or a torn one ({error})") from None
        self._room = MOST_UNPACKED
        self._values = 0

    def names(self) -> list[str]:
        return list(self._members)

    def read(self, name: str, kind: type[T]) -> T:
        """Read a member as a typed record."""
        where = f"{self.path}: {name}"
        info = self._members.get(name)
        if info is None:
            raise SnellenError(f"{self.path}: it has no {name}, so it is no finished log of Inspect")
        raw = self._bytes(info, where)
        self._room -= len(raw)
        if self._room < 0:
            raise SnellenError(f"{self.path}: unpacked it is larger than {MOST_UNPACKED:,} bytes")
        self._values = _values_in(raw, where, self._values)
        return decoded(raw, kind, where)

    def _bytes(self, info: zipfile.ZipInfo, where: str) -> bytes:
        try:
            with self.path.open("rb") as file:
                if info.compress_type == ZSTD:
                    raw = _of_zstd(file, info)
                else:
                    with zipfile.ZipFile(file) as found, found.open(info) as member:
                        raw = member.read(LARGEST_MEMBER + 1)
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
            raise SnellenError(f"{where}: cannot be unpacked ({error})") from None
        if len(raw) > LARGEST_MEMBER:
            raise SnellenError(f"{where}: unpacked it is larger than {LARGEST_MEMBER:,} bytes")
        return raw


def _of_zstd(file: BinaryIO, info: zipfile.ZipInfo) -> bytes:
    """Unpack a member that zipfile cannot. Two lengths in the local header give the start of its bytes."""
    import pyarrow as pa

    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    packed = file.read(min(info.compress_size, LARGEST_MEMBER))
    if header[:4] != b"PK\x03\x04" or len(packed) < info.compress_size:
        raise zipfile.BadZipFile("the file is torn")
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        raw = bytes(stream.read(LARGEST_MEMBER + 1))
    if len(raw) <= LARGEST_MEMBER and zlib.crc32(raw) != info.CRC:
        raise zipfile.BadZipFile("its checksum is another: the file is damaged")
    return raw
