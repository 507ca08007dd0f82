"""Maker of synthetic sets of the four tasks with explanations, in the real formats and the folder layout of the originals.

All four may go into one folder, with the same seed and count: they share only the file that states the origin.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.data.synthetic_marker import MARK, Label, labelled
from snellen.synthetic.documents import LINES, LIST, OBJECT, DocumentForm, Written, in_document, member, write_set
from snellen.synthetic.explained import actx, esnlive, vcr, vqax
from snellen.synthetic.explained.records import MadeRecord
from snellen.synthetic.pool import Progress
from snellen.synthetic.writing import label_of, origin_of, stamped, write_bytes, write_json

GENERATOR = "vqa_nle"
CSV_COLUMNS = ("", "pairID", "Flickr30kID", "hypothesis", "gold_label", "explanation", MARK)
Key = tuple[str, int]
"""A split, and a number in it."""


class _TaskLayout(NamedTuple):
    """The files of a task: the function that makes a record, the splits, the documents of a split, and a record's text in each of them."""

    made: Callable[[str, int, int], MadeRecord]
    splits: tuple[str, ...]
    documents: Mapping[str, DocumentForm]
    texts: Callable[[MadeRecord, Label], tuple[str, ...]]


def make(
    task: str, out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Write `count` records of val and of test, and twice as many of train; return the files.

    Record i of a split depends on (seed, i) alone.
    """
    if task not in LAYOUTS:
        raise SnellenError(f"no task {task!r}: choose one of {', '.join(LAYOUTS)}")
    parts = [
        (
            {name.format(split): form for name, form in LAYOUTS[task].documents.items()},
            [(split, index) for index in range(2 * count if split == "train" else count)],
        )
        for split in LAYOUTS[task].splits
    ]
    work = partial(_written, task, out, label_of(GENERATOR, seed))
    return write_set(out, origin_of(GENERATOR, seed=seed, count=count), work, parts, workers, progress)


def _written(task: str, out: Path, label: Label, key: Key) -> Written:
    """Make a record and write its picture."""
    split, index = key
    one = LAYOUTS[task].made(split, label["seed"], index)
    files = []
    if one.picture is not None:
        name, data = one.picture
        files.append(write_bytes(out / "images" / name, labelled(data, label)))
    if task == "vcr":
        name, metadata = one.extra["metadata"]
        files.append(write_json(out / "images" / name, stamped(metadata, label)))
    return files, LAYOUTS[task].texts(one._replace(record=stamped(one.record, label)), label)


def _in_object(one: MadeRecord, _label: Label) -> tuple[str, ...]:
    return (member(one.key, one.record),)


def _esnlive(one: MadeRecord, label: Label) -> tuple[str, ...]:
    sink = io.StringIO()
    csv.DictWriter(sink, CSV_COLUMNS, lineterminator="\n").writerow(one.extra | {MARK: json.dumps(label)})
    return sink.getvalue(), member(one.key, one.record)


def _vcr(one: MadeRecord, label: Label) -> tuple[str, ...]:
    return json.dumps(one.record, ensure_ascii=False) + "\n", in_document(stamped(one.extra["item"], label))


CSV = DocumentForm(",".join(CSV_COLUMNS) + "\n", "", "")
LAYOUTS = {
    "vqax": _TaskLayout(vqax.made, ("train", "val", "test"), {"nle_data/VQA-X/vqaX_{}.json": OBJECT}, _in_object),
    "actx": _TaskLayout(actx.made, ("train", "test"), {"nle_data/ACT-X/actX_{}.json": OBJECT}, _in_object),
    "esnlive": _TaskLayout(
        esnlive.made,
        ("train", "test"),
        {"nle_data/eSNLI-VE/esnlive_{}.csv": CSV, "nle_data/eSNLI-VE/esnlive_{}.json": OBJECT},
        _esnlive,
    ),
    "vcr": _TaskLayout(
        vcr.made,
        ("train", "val", "test"),
        {"nle_data/VCR/{}.jsonl": LINES, "nle_data/VCR/vcr_{}.json": LIST},
        _vcr,
    ),
}

make_vqax, make_actx, make_esnlive, make_vcr = (partial(make, task) for task in ("vqax", "actx", "esnlive", "vcr"))
