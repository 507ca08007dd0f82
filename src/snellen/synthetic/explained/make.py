"""Makes synthetic sets of the four tasks with explanations, in the real formats and the folder layout of the originals.

All four may go into one folder, with the same seed and count: they share nothing but the mark that says where it comes from.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.errors import SnellenError
from snellen.data.synthetic_marker import MARK, Label
from snellen.synthetic.documents import LINES, LIST, OBJECT, DocumentForm, in_document, member, write_records
from snellen.synthetic.pool import Progress
from snellen.synthetic.writing import (
    claim,
    label_of,
    making,
    origin_of,
    signed,
    stamped,
    write_bytes,
    write_json,
)

if TYPE_CHECKING:
    from snellen.synthetic.explained.records import MadeRecord

GENERATOR = "vqa_nle"
CSV_COLUMNS = ("", "pairID", "Flickr30kID", "hypothesis", "gold_label", "explanation")
Key = tuple[str, str, int, int]


class SplitLayout(NamedTuple):
    """The splits of a task, the documents of a split, and what each of them says of a record."""

    splits: tuple[str, ...]
    documents: Callable[[Label], Mapping[str, DocumentForm]]
    said: Callable[[MadeRecord, Label], tuple[str, ...]]


def make(
    task: str,
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes `count` records of val and of test, and twice as many of train; gives the files.

    Record i of a split depends on (seed, i) alone. The annotations of a split appear when all its pictures are there.
    """
    if task not in LAYOUTS:
        raise SnellenError(f"no task {task!r}: choose one of {', '.join(LAYOUTS)}")
    layout = LAYOUTS[task]
    marker = claim(out, origin_of(GENERATOR, seed=seed, count=count))
    label = label_of(GENERATOR, seed)
    parts = []
    for split in layout.splits:
        forms = {out / name.format(split): form for name, form in layout.documents(label).items()}
        parts.append((forms, [(task, split, seed, index) for index in range(size(split, count))]))
    with making(out):
        return sorted([marker, *write_records(partial(_written, out, label), parts, workers, progress)])


def size(split: str, count: int) -> int:
    """How many records a split has."""
    return 2 * count if split == "train" else count


def record(key: Key) -> MadeRecord:
    """One record (it runs in other processes)."""
    from snellen.synthetic.explained import actx, esnlive, vcr, vqax

    task, split, seed, index = key
    makers = {"vqax": vqax.made, "actx": actx.made, "esnlive": esnlive.made, "vcr": vcr.made}
    return makers[task](split, seed, index)


def _written(out: Path, label: Label, key: Key) -> tuple[list[Path], tuple[str, ...]]:
    """Makes a record and writes its picture (it runs in other processes); gives the files, and what each document says of it."""
    one = record(key)
    files = []
    if one.picture is not None:
        name, data = one.picture
        files.append(write_bytes(out / "images" / name, signed(data, label)))
    if key[0] == "vcr":
        name, metadata = one.extra["metadata"]
        files.append(write_json(out / "images" / name, stamped(metadata, label)))
    return files, LAYOUTS[key[0]].said(one._replace(record=stamped(one.record, label)), label)


def _esnlive_documents(label: Label) -> dict[str, DocumentForm]:
    columns = ",".join((*CSV_COLUMNS, *([MARK] if label else [])))
    folder = "nle_data/eSNLI-VE/esnlive_{}"
    return {f"{folder}.csv": DocumentForm(f"{columns}\n", "", ""), f"{folder}.json": OBJECT}


def _in_object(one: MadeRecord, _label: Label) -> tuple[str, ...]:
    return (member(one.key, one.record),)


def _esnlive(one: MadeRecord, label: Label) -> tuple[str, ...]:
    sink = io.StringIO()
    said = {MARK: json.dumps(label)} if label else {}
    csv.DictWriter(sink, (*CSV_COLUMNS, *said), lineterminator="\n").writerow(one.extra | said)
    return sink.getvalue(), member(one.key, one.record)


def _vcr(one: MadeRecord, label: Label) -> tuple[str, ...]:
    return json.dumps(one.record, ensure_ascii=False) + "\n", in_document(stamped(one.extra["item"], label))


LAYOUTS = {
    "vqax": SplitLayout(("train", "val", "test"), lambda _label: {"nle_data/VQA-X/vqaX_{}.json": OBJECT}, _in_object),
    "actx": SplitLayout(("train", "test"), lambda _label: {"nle_data/ACT-X/actX_{}.json": OBJECT}, _in_object),
    "esnlive": SplitLayout(("train", "test"), _esnlive_documents, _esnlive),
    "vcr": SplitLayout(
        ("train", "val", "test"),
        lambda _label: {"nle_data/VCR/{}.jsonl": LINES, "nle_data/VCR/vcr_{}.json": LIST},
        _vcr,
    ),
}

make_vqax, make_actx, make_esnlive, make_vcr = (partial(make, task) for task in ("vqax", "actx", "esnlive", "vcr"))
