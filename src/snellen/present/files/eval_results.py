"""Hugging Face's `.eval_results/*.yaml`: scores in a model's repository, for its page and the benchmark's leaderboard.

The format has one value for each task of a benchmark. So there is one file for a run, with the headline of one protocol. `notes` holds the
metric, n, interval and floor. The specification: hub-docs, eval_results.yaml and docs/hub/eval-results.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.extras import HubData
from snellen.core.figures import between, number
from snellen.core.records import Manifest
from snellen.core.text import one_line
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import ScoreRow
from snellen.present.files.portable import (
    Files,
    HubSource,
    asked_on,
    exam_of,
    one_of_each,
    portable_rows,
    slug,
    source_of,
)
from snellen.present.model.paper_table import shots_of

FOLDER = ".eval_results"


def eval_results(
    runs: Sequence[Run], *, protocol: str | None = None, dataset: str | None = None, url: str | None = None
) -> Files:
    """Return the files for one model's repository. `dataset` is its name on the hub, used if the data folder does not give one."""
    subjects = dict.fromkeys(run.manifest.subject.spec for run in runs)
    if len(subjects) > 1:
        raise SnellenError(
            f"{FOLDER} is a folder of one model's repository, and these are runs of {len(subjects)} subjects: "
            "export each into a folder of its own"
        )
    found = [_file(run, protocol, dataset, url) for run in runs]
    one_of_each((name for name, _content in found), "file")
    return found


def _file(run: Run, protocol: str | None, dataset: str | None, url: str | None) -> tuple[str, bytes]:
    rows = portable_rows(run, protocol)
    headline = [r for r in rows if r.headline and r.protocol == rows[0].protocol]
    known = source_of(run.manifest)
    source = HubSource(dataset, known.commit if known.repo == dataset else "") if dataset else known
    if not source.repo:
        hub = exam_of(run).extra(HubData)
        guess = "" if hub is None or hub.names else f" (the published one is {hub.find(None).repo})"
        raise SnellenError(
            f"{run.path}: nobody wrote down which data set of the hub it saw; say it with --dataset OWNER/NAME{guess}"
        )
    first = headline[0]
    shots = shots_of(first)
    name = "_".join([slug(first.exam), slug(first.protocol), *([f"{shots}shots"] if shots else [])])
    entries = [_entry(row, source, run.manifest, url) for row in headline]
    return f"{FOLDER}/{name}.yaml", "".join(line for entry in entries for line in _yaml(entry)).encode()


def _entry(row: ScoreRow, source: HubSource, manifest: Manifest, url: str | None) -> dict[str, Any]:
    if row.value is None:
        raise TypeError("a score without a value")
    place = {"id": source.repo, "task_id": slug("_".join(row.by.values()), "-")}
    entry: dict[str, Any] = {
        "dataset": place | ({"revision": source.commit} if source.commit else {}),
        "value": row.value if row.unit else round(100 * row.value, 2),
        "date": asked_on(manifest),
    }
    if url:
        entry["source"] = {"url": url, "name": f"snellen {row.snellen}"}
    return entry | {"notes": notes(row, manifest.imported_from)}


def notes(row: ScoreRow, imported_from: str = "") -> str:
    """Return what a reader needs to interpret the value, on one line."""
    limit = row.options.get("limit")
    said = [
        f"snellen {row.snellen}",
        f"answers imported from {imported_from}, not asked by snellen" if imported_from else "",
        f"protocol {row.protocol} version {row.version}",
        f"prompt {row.prompt}",
        f"{shots_of(row)} shots",
        f"{row.label} in {row.unit or 'percent'}",
        f"n = {row.n}" + (f" (limited to {limit} of each part)" if limit else ""),
        f"95 % interval {between(row.low, row.high, row.unit)}" if row.low is not None else "",
        f"never looking gets {number(row.floor, row.unit)}" if row.floor is not None else "",
        f"each question asked {row.repeats} times, the mean over these" if (row.repeats or 1) > 1 else "",
        f"{row.non_answers} of {row.answers} without an answer, counted as wrong" if row.non_answers else "",
        f"data {row.data_fingerprint[:16]}" if row.data_fingerprint else "",
    ]
    return one_line("; ".join(filter(None, said)), 500)


def _yaml(entry: dict[str, Any], indent: str = "- ") -> Iterator[str]:
    """Yield a mapping of texts, numbers and mappings as YAML. Texts are written as JSON strings, which YAML reads unchanged."""
    for key, value in entry.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:\n"
            yield from _yaml(value, " " * (len(indent) + 2))
        else:
            yield f"{indent}{key}: {json.dumps(value, ensure_ascii=False)}\n"
        indent = " " * len(indent)
