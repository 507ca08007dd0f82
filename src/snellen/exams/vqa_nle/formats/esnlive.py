"""e-SNLI-VE's CSV: `,pairID,Flickr30kID,hypothesis,gold_label,explanation`, read row by row. The pairID is the key."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.data.synthetic_marker import MARK, label_from
from snellen.exams.vqa_nle.formats.base import BadRecord, Item, VqaFormat, VqaRecord, entailment_of, readable, unusable

COLUMNS = ("pairID", "Flickr30kID", "hypothesis", "gold_label")


def read(path: Path, label: str) -> Iterator[Item]:
    """Every row. A quote that never closes is an error, not a field that swallows the rest of the file."""
    try:
        with readable(label), path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = [name.strip() for name in next(rows, [])]
            missing = [name for name in COLUMNS if name not in header]
            if missing:
                raise SnellenError(f"{label}: column {' and '.join(missing)} missing; it has {', '.join(header)}")
            columns = [header.index(name) if name in header else -1 for name in (*COLUMNS, "explanation", MARK)]
            line = rows.line_num + 1
            for row in rows:
                if row:
                    yield _item(label, line, columns, len(header), row)
                line = rows.line_num + 1
    except csv.Error as error:
        raise SnellenError(f"{label} line {line}: not valid CSV from there on ({error}); get the file again") from None
    except UnicodeDecodeError as error:
        raise SnellenError(f"{label}: not UTF-8 text ({error.reason}); get the file again") from None


def _item(label: str, line: int, columns: list[int], width: int, row: list[str]) -> Item:
    try:
        if len(row) != width:
            raise BadRecord(f"{len(row)} cells, but the header has {width}")
        return _record(*(row[at].strip() if at >= 0 else "" for at in columns))
    except BadRecord as error:
        return unusable(f"{label} line {line}", error)


def _record(key: str, image: str, hypothesis: str, label: str, explanation: str, origin: str) -> VqaRecord:
    if not (key and image and hypothesis):
        raise BadRecord(f"empty {'pairID' if not key else 'Flickr30kID' if not image else 'hypothesis'}")
    return VqaRecord(
        key=key,
        images=(image,),
        hypothesis=hypothesis,
        answers=entailment_of(label or None),
        explanations=(explanation,) if explanation else (),
        origin=label_from(origin),
    )


CSV = VqaFormat("csv", "esnlive", ("csv",), tuple((name,) for name in COLUMNS), read)
