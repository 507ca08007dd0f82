"""A page of samples, found by a filter."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.core.types import Outcome
from snellen.engine.runs.folder import marked_as
from snellen.present.model import formatting
from snellen.present.viewer.records import SampleRecord
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.sample_filter import KINDS, PAGE, SORTS, STATES, TAG, Rows, SampleFilter

MOST_VALUES = 400


class ListedSample(NamedTuple):
    """A sample in the list, with the outcomes of its protocols, those together that say the same."""

    record: SampleRecord
    outcomes: list[tuple[formatting.ProtocolNames, Outcome]]
    flipped: bool
    address: str


def samples_context(
    handle: RunHandle, wanted: SampleFilter, rows: Rows, page: int, pages: int, records: list[SampleRecord]
) -> dict[str, Any]:
    """Return what the template of a page of samples gets."""
    base = f"/run/{handle.entry.key}"
    first = (page - 1) * PAGE
    return {
        "rows": [sample_row(handle, record, base, wanted._replace(page=1)) for record in records],
        "found": len(rows),
        "first": first + 1 if len(rows) else 0,
        "last": min(first + PAGE, len(rows)),
        "page": page,
        "pages": pages,
        "before": base + "/samples" + wanted.query(page=page - 1) if page > 1 else "",
        "after": base + "/samples" + wanted.query(page=page + 1) if page < pages else "",
        "ends": (base + "/samples" + wanted.query(page=1), base + "/samples" + wanted.query(page=pages)),
        "version_of_data": handle.entry.manifest.data.fingerprint[:12],
    }


def form_context(handle: RunHandle, wanted: SampleFilter) -> dict[str, Any]:
    """Return what the filter's form gets, on every page about samples."""
    chosen = dict(wanted.tags)
    choices = [
        (key, TAG + key, column.values, chosen.get(key, ""))
        for key, column in handle.index.tags.items()
        if 1 < len(column.values) <= MOST_VALUES or key in chosen
    ]
    return {
        "entry": handle.entry,
        "title": formatting.title(handle.entry.manifest),
        "manifest": handle.entry.manifest,
        "wanted": wanted,
        "choices": choices,
        "protocols": handle.plain,
        "kinds": KINDS,
        "states": STATES,
        "sorts": SORTS,
        "outcomes": list(Outcome),
        "total": len(handle.index),
        "several": len(handle.index.arms) > 1,
    }


def sample_row(handle: RunHandle, record: SampleRecord, base: str, wanted: SampleFilter) -> ListedSample:
    """Return a sample for the list."""
    marks = ((name, record.marks[name].outcome) for name in handle.plain_marks if name in record.marks)
    flipped = any(_disagree(handle, record, time) for time in range(1, handle.repeats + 1))
    return ListedSample(record, formatting.together(marks), flipped, f"{base}/sample/{record.row}{wanted.query()}")


def _disagree(handle: RunHandle, record: SampleRecord, time: int) -> bool:
    """Return whether one protocol calls an answer correct and another does not."""
    marks = (record.marks.get(marked_as(name, time)) for name in handle.plain)
    return len({m.outcome is Outcome.CORRECT for m in marks if m is not None and m.outcome is not Outcome.ERROR}) > 1
