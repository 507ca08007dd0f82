"""Columns of bytes, read page by page: equal to what pyarrow and DuckDB say, whatever wrote the file, and small in memory."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.core.errors import SnellenError
from snellen.data import pages
from snellen.data.parquet import ParquetFile

STRUCT = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def values(count: int, seed: int, missing: float = 0.2) -> list[bytes | None]:
    """Noise, text that compresses well, empty and missing values, and some that repeat."""
    draw = random.Random(seed)
    repeated = [draw.randbytes(300) for _ in range(3)]
    kinds = (
        lambda: draw.randbytes(draw.randrange(2000)),
        lambda: b"abcd" * draw.randrange(400),
        lambda: b"x" * draw.randrange(70_000),
        lambda: b"",
        lambda: draw.choice(repeated),
    )
    return [None if draw.random() < missing else draw.choice(kinds)() for _ in range(count)]


def cells(file: ParquetFile, rows: Any = None) -> list[bytes | None]:
    return list(file.cells("image", range(file.rows) if rows is None else rows))


WRITTEN: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "uncompressed": {"compression": "none"},
    "gzip": {"compression": "gzip"},
    "zstd": {"compression": "zstd"},
    "no dictionary": {"use_dictionary": False},
    "small pages": {"data_page_size": 500, "write_batch_size": 3, "use_dictionary": False},
    "small pages and dictionary": {"data_page_size": 500, "write_batch_size": 3},
    "small dictionary": {"dictionary_pagesize_limit": 2000, "write_batch_size": 4},
    "second format": {"data_page_version": "2.0", "write_batch_size": 7, "data_page_size": 3000},
    "second format, uncompressed": {"data_page_version": "2.0", "compression": "none"},
    "statistics": {"write_statistics": True, "write_page_index": True},
}


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("bare", [False, True])
def test_equal_to_what_was_written(tmp_path: Path, how: str, bare: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    given = values(150, seed=1)
    column = (
        pa.array(given, pa.binary())
        if bare
        else pa.array([None if i % 9 == 0 else {"bytes": v, "path": None} for i, v in enumerate(given)], STRUCT)
    )
    told = given if bare else [None if i % 9 == 0 else v for i, v in enumerate(given)]
    pq.write_table(
        pa.table({"n": list(range(150)), "image": column}), tmp_path / "a", row_group_size=64, **WRITTEN[how]
    )
    monkeypatch.setattr(ParquetFile, "_through_duckdb", lambda *_: pytest.fail("not read here"))
    monkeypatch.setattr(pages, "SMALL", 4000)
    file = ParquetFile(tmp_path / "a", "a")
    assert cells(file) == told
    some = sorted(random.Random(2).sample(range(150), 31))
    assert cells(file, some) == [told[i] for i in some]
    assert cells(file, range(60, 70)) == told[60:70]
    assert cells(file, []) == []
    assert file.first("image") == told[0]


def test_duckdbs_own_files_and_required_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    given = values(300, seed=3, missing=0)
    images = pa.table(
        [pa.array(given, pa.binary())], schema=pa.schema([pa.field("image", pa.binary(), nullable=False)])
    )
    pq.write_table(images, tmp_path / "required.parquet")
    for codec in ("uncompressed", "snappy", "gzip", "zstd"):
        duckdb.sql("SELECT image FROM images").write_parquet(str(tmp_path / f"{codec}.parquet"), compression=codec)
    monkeypatch.setattr(ParquetFile, "_through_duckdb", lambda *_: pytest.fail("not read here"))
    for path in sorted(tmp_path.glob("*.parquet")):
        assert cells(ParquetFile(path, path.name)) == given, path


def test_what_is_not_read_here_is_read_by_duckdb(tmp_path: Path) -> None:
    given = values(80, seed=4)
    lists = [None if v is None else [v, v] for v in given]
    pq.write_table(pa.table({"image": pa.array(lists, pa.list_(pa.binary()))}), tmp_path / "lists")
    pq.write_table(
        pa.table({"image": pa.array(given, pa.binary())}),
        tmp_path / "deltas",
        use_dictionary=False,
        column_encoding={"image": "DELTA_LENGTH_BYTE_ARRAY"},
    )
    pq.write_table(pa.table({"image": pa.array(given, pa.binary())}), tmp_path / "brotli", compression="brotli")
    assert cells(ParquetFile(tmp_path / "lists", "a")) == lists
    for name in ("deltas", "brotli"):
        file = ParquetFile(tmp_path / name, "a")
        assert cells(file) == given
        assert cells(file, [3, 4, 70]) == [given[3], given[4], given[70]]


def test_a_damaged_page_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    pq.write_table(pa.table({"image": pa.array([b"x" * 5000] * 40, pa.binary())}), path, use_dictionary=False)
    whole = path.read_bytes()
    draw = random.Random(5)
    for _ in range(150):
        damaged = bytearray(whole)
        at = draw.randrange(4, 400)
        damaged[at] = draw.randrange(256)
        path.write_bytes(damaged)
        try:
            found = cells(ParquetFile(path, "data a"))
        except SnellenError as error:
            assert "data a" in str(error)
        else:
            assert len(found) == 40


def test_a_large_row_group_is_not_held(tmp_path: Path) -> None:
    draw = random.Random(6)
    column = pa.array([{"bytes": draw.randbytes(100_000), "path": None} for _ in range(1200)], STRUCT)
    pq.write_table(pa.table({"image": column}), tmp_path / "a", row_group_size=1200)
    code = (
        "import resource, sys; from pathlib import Path; from snellen.data.parquet import ParquetFile\n"
        "file = ParquetFile(Path(sys.argv[1]), 'a'); most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = most(); assert sum(map(len, file.cells('image', range(file.rows)))) == 120_000_000; print(most() - before)"
    )
    said = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, text=True, check=True)
    assert int(said.stdout) < 60_000, "kilobytes; all of the row group is 120,000, and DuckDB took 350,000"
