"""Parquet files, read and written through pyarrow.

Text columns are read whole, as dictionaries: a few bytes of a file may stand for the same long text a million times.
Images are read a few at a time and only the requested columns and row groups. pyarrow decodes
a page at a time, so the memory needed depends on the page size of the file (docs/performance.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import SnellenError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

PICTURE = "picture"
"""The column type of images as the Hugging Face hub has them: a struct of `bytes` and `path`."""
LONGEST_CELL = 16 << 20
"""The most bytes of a cell of text, here and in other tables."""
_MOST_TEXT = 1 << 30
_TEXT_ROWS = 1024
_MOST_VALUES = 1 << 26
"""The most values of a list column in one row group: pyarrow takes memory for each, even if all are missing or the same."""
_VALUE = 8  # bytes that a value takes in a list of Python
_BATCH_BYTES = 1 << 19
_MOST_BYTES = 1 << 28
_BUFFER = 1 << 16
_PAGE_BYTES = 1 << 20
_WRITE_ROWS = 8


class ParquetFile:
    """One file: its columns, notes and number of rows. `name` is its name in messages; `binary` are the columns that hold bytes."""

    def __init__(self, path: Path, name: str) -> None:
        self.name, self._path = name, path
        if not path.is_file():  # a pipe would block
            raise SnellenError(f"{name}: not a regular file")
        self._metadata: Any = None
        with self._open("not a readable parquet file") as file:
            self._metadata, schema = file.metadata, file.schema_arrow
            leaves = [file.schema.column(i) for i in range(len(file.schema))]
        self.columns: tuple[str, ...] = tuple(schema.names)
        doubled = sorted({column for column in self.columns if self.columns.count(column) > 1})
        if doubled:
            raise SnellenError(f"{name}: the column {', '.join(doubled)!r} is there twice")
        self.binary = tuple(field.name for field in schema if _holds_bytes(field.type))
        self._pictures = {field.name for field in schema if _is_picture(field.type)}
        self._texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        widest = max((leaf.length or 0 for leaf in leaves), default=0)  # of bytes of a fixed length
        nested = [i for i, leaf in enumerate(leaves) if leaf.max_repetition_level]
        widest = max(widest, _VALUE * max(map(self._longest, nested), default=0))
        self._text_rows = min(_TEXT_ROWS, max(1, LONGEST_CELL // max(1, widest)))
        self.notes: dict[bytes, bytes] = self._metadata.metadata or {}
        self.rows: int = self._metadata.num_rows

    def texts(self, columns: Sequence[str]) -> list[list[str]]:
        """Return some columns of the whole file as text; a missing value is empty."""
        found: list[list[str]] = [[] for _ in columns]
        room = _MOST_TEXT
        for size, batch in self._batches(columns):
            room -= size
            if room < 0:
                raise SnellenError(f"{self.name}: more than {_MOST_TEXT >> 30} GiB of text")
            for texts, values in zip(found, batch, strict=True):
                texts.extend(map(_text, values))
        return found

    def records(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows with some columns, their values as they are (lists and structs too)."""
        if not columns:
            yield from ({} for _ in range(self.rows))
            return
        for _bytes, batch in self._batches(columns):
            yield from (dict(zip(columns, row, strict=True)) for row in zip(*batch, strict=True))

    def _batches(self, columns: Sequence[str]) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield values by column and their size, in batches of rows whose texts are not too large when written out."""
        if not self.binary and any(self._mean(g) > LONGEST_CELL for g in range(self._metadata.num_row_groups)):
            raise SnellenError(f"{self.name}: a cell is larger than {LONGEST_CELL >> 20} MiB")
        with self._open("cannot be read", self._texts) as file:
            for batch in file.iter_batches(self._text_rows, columns=columns, use_threads=False):
                for part in self._parted(batch.select(columns)):
                    yield sum(map(_size, part.columns)), [_listed(values) for values in part.columns]

    def _longest(self, leaf: int) -> int:
        """Return the mean length of the lists of a column, in the row group with the longest."""
        found = 0
        for group in map(self._metadata.row_group, range(self._metadata.num_row_groups)):
            values = group.column(leaf).num_values
            if values > _MOST_VALUES:
                raise SnellenError(
                    f"{self.name}: more than {_MOST_VALUES:,} values of lists in one row group; split it"
                )
            found = max(found, values // max(1, group.num_rows))
        return found

    def _mean(self, group: int) -> int:
        """Return the mean size of the cells of a row group, according to the file's metadata."""
        found = self._metadata.row_group(group)
        return int(found.total_byte_size // max(1, found.num_rows * len(self.columns)))

    def _parted(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        sizes = dict(zip(batch.schema.names, map(_size, batch.columns), strict=True))
        if sum(sizes.values()) <= LONGEST_CELL:
            yield batch
        elif len(batch) > 1:
            yield from self._parted(batch.slice(0, len(batch) // 2))
            yield from self._parted(batch.slice(len(batch) // 2))
        else:
            for name, size in sizes.items():
                if size > LONGEST_CELL:
                    raise SnellenError(
                        f"{self.name}: a cell of the column {name!r} is larger than {LONGEST_CELL >> 20} MiB"
                    )
            yield batch

    def first(self, column: str) -> Any:
        """Return the value of one column in the first row; None if there are no rows."""
        return next(self.cells(column, range(min(1, self.rows))), None)

    def cells(self, column: str, rows: Sequence[int]) -> Iterator[Any]:
        """Yield the values of one column in some rows, which are in order; of a struct with `bytes`, those bytes."""
        groups, places = self._places(rows)
        if not groups:
            return
        inside = column in self._pictures
        names = [f"{column}.bytes" if inside else column]
        begin = done = 0
        with self._open("cannot be read") as file:
            for batch in file.iter_batches(self._few, row_groups=groups, columns=names, use_threads=False):
                values = batch.column(column)
                if inside:
                    values = values.flatten()[0]  # missing if the struct is missing
                while done < len(places) and places[done] < begin + len(values):
                    yield values[places[done] - begin].as_py()
                    done += 1
                if done == len(places):
                    return
                begin += len(values)

    def _places(self, rows: Sequence[int]) -> tuple[list[int], Sequence[int]]:
        """Return the row groups that hold some rows, and for each row its number in these groups together."""
        starts, groups, places = self._starts, [-1], array("q")
        group = skipped = 0
        for row in rows:
            while row >= starts[group + 1]:
                if group != groups[-1]:
                    skipped += starts[group + 1] - starts[group]
                group += 1
            if group != groups[-1]:
                groups.append(group)
            places.append(row - skipped)
        return groups[1:], places

    @cached_property
    def _starts(self) -> list[int]:
        """The first row of each row group, followed by the number of rows."""
        sizes = (self._metadata.row_group(g).num_rows for g in range(self._metadata.num_row_groups))
        return list(accumulate(sizes, initial=0))

    @cached_property
    def _few(self) -> int:
        """The number of rows of images to decode at once, by the row group with the largest rows."""
        groups = map(self._metadata.row_group, range(self._metadata.num_row_groups))
        sizes = [(group.num_rows, max(1, group.total_byte_size)) for group in groups if group.num_rows]
        # by the mean row; but an image that is stored once may be every row's
        most = min((min(_BATCH_BYTES * rows // size, _MOST_BYTES // size) for rows, size in sizes), default=1)
        return max(1, min(_TEXT_ROWS, most))

    @contextmanager
    def _open(self, problem: str, dictionaries: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
        """Open the file for reading by a small buffer, not by whole column chunks; some columns as dictionaries."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(
                self._path,
                metadata=self._metadata,
                read_dictionary=list(dictionaries),
                buffer_size=_BUFFER,
                pre_buffer=False,
            ) as file:
                yield file
        # ValueError: texts that are not UTF-8; OverflowError: dates that Python does not have
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            reason = (str(error).splitlines() or [""])[0]
            raise SnellenError(f"{self.name}: {problem} ({reason})") from None
        finally:
            pa.default_memory_pool().release_unused()  # a page of images is large, and there may be no further read


def _is_bytes(kind: pa.DataType) -> bool:
    import pyarrow.types as is_

    return bool(is_.is_binary(kind) or is_.is_large_binary(kind) or is_.is_binary_view(kind))


def _is_picture(kind: pa.DataType) -> bool:
    """Tell whether a type is a struct with `bytes`, the hub's form of images."""
    import pyarrow.types as is_

    return bool(is_.is_struct(kind) and kind.get_field_index("bytes") >= 0 and _is_bytes(kind.field("bytes").type))


def _holds_bytes(kind: pa.DataType) -> bool:
    """Tell whether a type contains bytes anywhere."""
    return _is_bytes(kind) or any(_holds_bytes(kind.field(i).type) for i in range(kind.num_fields))


def _size(values: pa.Array) -> int:
    """Return the size of values in bytes when they are written out, with their places in a Python list."""
    import pyarrow.types as is_

    kind, places = values.type, _VALUE * len(values)
    if is_.is_dictionary(kind) and (is_.is_string(kind.value_type) or is_.is_binary(kind.value_type)):
        return places + _written_out(values)
    if is_.is_struct(kind):
        return places + sum(map(_size, values.flatten()))
    if is_.is_map(kind):
        first, last = values.offsets[0].as_py(), values.offsets[-1].as_py()
        return places + sum(_size(part.slice(first, last - first)) for part in (values.keys, values.items))
    if is_.is_nested(kind):
        return places + _size(values.flatten())
    return places + int(values.nbytes)


def _written_out(values: pa.DictionaryArray) -> int:
    """Return the size of the texts of a dictionary in bytes, each counted as often as it is used."""
    texts = values.dictionary
    ends = memoryview(texts.buffers()[1]).cast("i")[texts.offset : texts.offset + len(texts) + 1] if len(texts) else ()
    return sum(ends[at + 1] - ends[at] for at in values.indices.to_pylist() if at is not None)


def _listed(values: pa.Array) -> list[Any]:
    """Return values as Python objects; equal texts of a dictionary are one object."""
    import pyarrow.types as is_

    if not is_.is_dictionary(values.type):
        found: list[Any] = values.to_pylist()
        return found
    texts = values.dictionary.to_pylist()
    return [None if at is None else texts[at] for at in values.indices.to_pylist()]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def write(
    path: Path, types: Mapping[str, str], columns: Sequence[Sequence[Any]], notes: Mapping[str, str], packed: bool
) -> None:
    """Write whole columns, None for a missing value, as one row group; the same values give the same bytes.

    Types are `picture`, `string`, `binary`, `int64`, `double` and `bool`. Text that is not valid Unicode is kept with escapes.
    Pages are small, so that images are read back in little memory.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    kinds = {name: picture if kind == PICTURE else pa.type_for_alias(kind) for name, kind in types.items()}
    arrays = [
        pa.array([_valid(v) for v in values] if kind == pa.string() else values, kind)
        for kind, values in zip(kinds.values(), columns, strict=True)
    ]
    table = pa.table(arrays, schema=pa.schema(list(kinds.items())))
    pages: dict[str, Any] = {"data_page_size": _PAGE_BYTES} | (
        {} if packed else {"write_batch_size": _WRITE_ROWS, "use_dictionary": False, "compression": "none"}
    )
    try:
        with pq.ParquetWriter(path, table.schema, store_schema=False, **pages) as out:
            out.write_table(table, max(1, len(table)))
            out.add_key_value_metadata(dict(notes))
    except (pa.ArrowException, OSError) as error:
        reason = (str(error).splitlines() or [""])[0]
        full = "No space left on device" in reason
        raise SnellenError(
            f"{path}: cannot be written ({'no space is left on the disk' if full else reason})"
        ) from None


def _valid(text: str | None) -> str | None:
    return text if text is None else text.encode("utf-8", "backslashreplace").decode()
