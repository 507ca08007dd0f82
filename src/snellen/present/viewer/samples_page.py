"""A page of samples, found by a filter."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.core.types import Outcome
from snellen.engine.runs.folder import marked_as
from snellen.present.model import formatting
from snellen.present.model.formatting import plain
from snellen.present.viewer.records import SampleRecord
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.sample_filter import KINDS, PAGE, SORTS, STATES, TAG, Rows, SampleFilter

MOST_VALUES = 400
MOST_ARMS = 3


class ListedReply(NamedTuple):
    """What was said to one arm. `arm` is empty where the run has only one."""

    arm: str
    text: str
    failed: bool


class ListedSample(NamedTuple):
    """A sample in the list."""

    row: int
    id: str
    tags: list[tuple[str, str]]
    truth: str
    replies: list[ListedReply]
    more: int
    outcomes: list[tuple[formatting.ProtocolNames, Outcome]]
    flipped: bool
    address: str


class TagChoice(NamedTuple):
    """A tag that the filter offers: its values, and the one chosen."""

    name: str
    key: str
    values: list[str]
    chosen: str


def samples_context(
    handle: RunHandle, wanted: SampleFilter, rows: Rows, page: int, pages: int, records: list[SampleRecord]
) -> dict[str, Any]:
    """What the template of a page of samples gets."""
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
    """What the filter's form gets, on every page about samples."""
    chosen = dict(wanted.tags)
    choices = [
        TagChoice(key, TAG + key, column.values, chosen.get(key, ""))
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
    }


def sample_row(handle: RunHandle, record: SampleRecord, base: str, wanted: SampleFilter) -> ListedSample:
    """A sample in the list: the beginning of each reply, and the outcomes, protocols together that say the same."""
    marks = {name: record.marks[name] for name in handle.plain_marks if name in record.marks}
    several = len(handle.index.arms) > 1
    replies = [
        ListedReply(
            arm if several else "",
            f"{a.failure.kind}: {a.failure.reason}" if a.failure is not None else a.text,
            a.failure is not None,
        )
        for arm, a in record.answers.items()
    ]
    return ListedSample(
        record.row,
        record.sample.id,
        [(k, v) for k, v in record.sample.tags.items() if v],
        plain(record.sample.truth),
        replies[:MOST_ARMS],
        max(0, len(replies) - MOST_ARMS),
        formatting.together((name, mark.outcome) for name, mark in marks.items()),
        any(_disagree(handle, record, time) for time in range(1, handle.repeats + 1)),
        f"{base}/sample/{record.row}{wanted.query()}",
    )


def _disagree(handle: RunHandle, record: SampleRecord, time: int) -> bool:
    """Whether one protocol calls an answer correct and another does not."""
    marks = (record.marks.get(marked_as(name, time)) for name in handle.plain)
    return len({m.outcome is Outcome.CORRECT for m in marks if m is not None and m.outcome is not Outcome.ERROR}) > 1
