"""Parquet files, read and written through pyarrow.

Text columns are read whole. Images are read a few at a time and only the columns and row groups that are asked for. pyarrow decodes
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
from snellen.data.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

PICTURE = "picture"
"""The column type of images as the Hugging Face hub has them: a struct of `bytes` and `path`."""
_TEXT_ROWS = 1024
_BATCH_BYTES = 1 << 19
_BUFFER = 1 << 16
_PAGE_BYTES = 1 << 20
_WRITE_ROWS = 8


class ParquetFile:
    """One file: its columns, notes and number of rows. `name` is how messages call it; `binary` are the columns that hold bytes."""

    def __init__(self, path: Path, name: str) -> None:
        self.name, self._path = name, path
        if not path.is_file():  # a pipe would be waited for
            raise SnellenError(f"{name}: not a regular file")
        self._metadata: Any = None
        with self._open("not a readable parquet file") as file:
            self._metadata, schema = file.metadata, file.schema_arrow
        self.columns: tuple[str, ...] = tuple(schema.names)
        doubled = sorted({column for column in self.columns if self.columns.count(column) > 1})
        if doubled:
            raise SnellenError(f"{name}: the column {', '.join(doubled)!r} is there twice")
        self.binary = tuple(field.name for field in schema if _holds_bytes(field.type))
        self._pictures = {field.name for field in schema if _is_picture(field.type)}
        self.notes: dict[bytes, bytes] = self._metadata.metadata or {}
        self.rows: int = self._metadata.num_rows

    def texts(self, columns: Sequence[str]) -> list[Texts]:
        """Return some columns of the whole file as text; a missing value is empty."""
        found = [Texts() for _ in columns]
        with self._open("cannot be read") as file:
            for batch in file.iter_batches(_TEXT_ROWS, columns=columns, use_threads=False):
                for texts, column in zip(found, columns, strict=True):
                    texts.extend(map(_text, batch.column(column).to_pylist()))
        return found

    def records(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows with some columns, their values as they are (lists and structs too)."""
        if not columns:
            yield from ({} for _ in range(self.rows))
            return
        with self._open("cannot be read") as file:
            for batch in file.iter_batches(_TEXT_ROWS, columns=columns, use_threads=False):
                yield from batch.select(columns).to_pylist()

    def first(self, column: str) -> Any:
        """Return the value of one column in the first row; None where there is no row."""
        return next(self.cells(column, range(min(1, self.rows))), None)

    def cells(self, column: str, rows: Sequence[int]) -> Iterator[Any]:
        """Yield the values of one column in some rows, which are in order; of a struct with `bytes`, those bytes."""
        groups, places = self._places(rows)
        if not groups:
            return
        inside = column in self._pictures
        names = [f"{column}.bytes" if inside else column]
        begin, done = 0, 0
        with self._open("cannot be read") as file:
            for batch in file.iter_batches(self._few(column), row_groups=groups, columns=names, use_threads=False):
                values = batch.column(column)
                if inside:
                    values = values.flatten()[0]  # missing where the struct is missing
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
        """The first row of each row group, and behind them the number of rows."""
        sizes = (self._metadata.row_group(g).num_rows for g in range(self._metadata.num_row_groups))
        return list(accumulate(sizes, initial=0))

    def _few(self, column: str) -> int:
        """Return how many rows of a column to decode at once, by its mean size in the first row group."""
        group = self._metadata.row_group(0)
        parts = [group.column(i) for i in range(group.num_columns)]
        size: int = sum(p.total_uncompressed_size for p in parts if p.path_in_schema.split(".")[0] == column)
        rows: int = group.num_rows
        return max(1, min(_TEXT_ROWS, _BATCH_BYTES * rows // max(1, size)))

    @contextmanager
    def _open(self, problem: str) -> Iterator[pq.ParquetFile]:
        """Open the file for reading by a small buffer, not by whole column chunks."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self._path, metadata=self._metadata, buffer_size=_BUFFER, pre_buffer=False) as file:
                yield file
        except (pa.ArrowException, OSError, ValueError) as error:  # ValueError: texts that are not UTF-8
            reason = (str(error).splitlines() or [""])[0]
            raise SnellenError(f"{self.name}: {problem} ({reason})") from None
        finally:
            pa.default_memory_pool().release_unused()  # a page of images is large, and who reads one may read no more


def _is_bytes(kind: pa.DataType) -> bool:
    import pyarrow.types as is_

    return bool(is_.is_binary(kind) or is_.is_large_binary(kind) or is_.is_binary_view(kind))


def _is_picture(kind: pa.DataType) -> bool:
    """Tell whether a type is a struct with `bytes`, as the hub has images."""
    import pyarrow.types as is_

    return bool(is_.is_struct(kind) and kind.get_field_index("bytes") >= 0 and _is_bytes(kind.field("bytes").type))


def _holds_bytes(kind: pa.DataType) -> bool:
    """Tell whether bytes stand anywhere in a type."""
    return _is_bytes(kind) or any(_holds_bytes(kind.field(i).type) for i in range(kind.num_fields))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def write(
    path: Path, types: Mapping[str, str], columns: Sequence[Sequence[Any]], notes: Mapping[str, str], packed: bool
) -> None:
    """Write whole columns, None where a value is missing, as one row group; the same values give the same bytes.

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
