"""Makes synthetic sets of the four tasks with explanations, in the real formats and the folder layout of the originals.

All four may go into one folder, with the same seed and count: they share nothing but the mark that says where it comes from.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.errors import SnellenError
from snellen.data.label import MARK, Label
from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.writing import (
    LATEST,
    claim,
    label_of,
    making,
    origin_of,
    signed,
    stamped,
    write_bytes,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from snellen.synthetic.explained.records import Made

GENERATOR = "vqa_nle"
CSV_COLUMNS = ("", "pairID", "Flickr30kID", "hypothesis", "gold_label", "explanation")
Key = tuple[str, str, int, int, int]


class Layout(NamedTuple):
    """The splits of a task and how the annotations of one split are written."""

    splits: tuple[str, ...]
    annotate: Callable[[Path, str, list[Made], Label], list[Path]]


def make(
    task: str,
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
    version: int = LATEST,
) -> list[Path]:
    """Writes `count` records of val and of test, and twice as many of train; gives the files.

    Record i of a split depends on (seed, i) alone. The annotations of a split appear when all its pictures are there.
    """
    if task not in LAYOUTS:
        raise SnellenError(f"no task {task!r}: choose one of {', '.join(LAYOUTS)}")
    layout = LAYOUTS[task]
    files = [claim(out, origin_of(GENERATOR, version, seed=seed, count=count))]
    label = label_of(GENERATOR, version, seed)
    keys = [(task, split, seed, index, version) for split in layout.splits for index in range(size(split, count))]
    made: dict[str, list[Made]] = {split: [] for split in layout.splits}
    with making(out):
        for key, one in zip(keys, in_order(record, keys, workers, progress), strict=True):
            if one.picture is not None:
                name, data = one.picture
                files.append(write_bytes(out / "images" / name, signed(data, label)))
            made[key[1]].append(one._replace(picture=None, record=stamped(one.record, label)))
        for split, records in made.items():
            files += layout.annotate(out, split, records, label)
    return sorted(files)


def size(split: str, count: int) -> int:
    """How many records a split has."""
    return 2 * count if split == "train" else count


def record(key: Key) -> Made:
    """One record (it runs in other processes)."""
    from snellen.synthetic.explained import actx, esnlive, vcr, vqax

    task, split, seed, index, version = key
    makers = {"vqax": vqax.made, "actx": actx.made, "esnlive": esnlive.made, "vcr": vcr.made}
    return makers[task](split, seed, index, version)


def _vqax(out: Path, split: str, records: list[Made], _label: Label) -> list[Path]:
    return [write_json(out / "nle_data" / "VQA-X" / f"vqaX_{split}.json", {one.key: one.record for one in records})]


def _actx(out: Path, split: str, records: list[Made], _label: Label) -> list[Path]:
    return [write_json(out / "nle_data" / "ACT-X" / f"actX_{split}.json", {one.key: one.record for one in records})]


def _esnlive(out: Path, split: str, records: list[Made], label: Label) -> list[Path]:
    sink = io.StringIO()
    said = {MARK: json.dumps(label)} if label else {}
    writer = csv.DictWriter(sink, (*CSV_COLUMNS, *said), lineterminator="\n")
    writer.writeheader()
    writer.writerows(one.extra | said for one in records)
    folder = out / "nle_data" / "eSNLI-VE"
    short = {one.key: one.record for one in records}
    return [
        write_text(folder / f"esnlive_{split}.csv", sink.getvalue()),
        write_json(folder / f"esnlive_{split}.json", short),
    ]


def _vcr(out: Path, split: str, records: list[Made], label: Label) -> list[Path]:
    files = []
    for one in records:
        name, metadata = one.extra["metadata"]
        files.append(write_json(out / "images" / name, stamped(metadata, label)))
    folder = out / "nle_data" / "VCR"
    lines = "".join(json.dumps(one.record, ensure_ascii=False) + "\n" for one in records)
    files.append(write_text(folder / f"{split}.jsonl", lines))
    files.append(write_json(folder / f"vcr_{split}.json", [stamped(one.extra["item"], label) for one in records]))
    return files


LAYOUTS = {
    "vqax": Layout(("train", "val", "test"), _vqax),
    "actx": Layout(("train", "test"), _actx),
    "esnlive": Layout(("train", "test"), _esnlive),
    "vcr": Layout(("train", "val", "test"), _vcr),
}

make_vqax, make_actx, make_esnlive, make_vcr = (partial(make, task) for task in ("vqax", "actx", "esnlive", "vcr"))
