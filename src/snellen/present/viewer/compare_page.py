"""The page of two runs side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.comparison.results import Comparison
from snellen.present.model import formatting
from snellen.present.model.comparison_view import compared_tables
from snellen.present.model.formatting import plain
from snellen.present.viewer.pairs import WHICH, Pairs
from snellen.present.viewer.records import SampleRecord
from snellen.present.viewer.render import asked
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.sample_filter import PAGE, SampleFilter
from snellen.present.viewer.samples_page import ListedSample, sample_row


class SamplePair(NamedTuple):
    """A sample with what both runs said, and what the protocol read in it."""

    id: str
    truth: str
    sides: tuple[tuple[ListedSample, str, str], ...]


def shared(one: RunHandle, other: RunHandle) -> list[str]:
    """The protocols that both runs were marked by, in the order of the first."""
    return [name for name in one.plain if name in other.plain]


def compare_context(
    handles_: tuple[RunHandle, RunHandle], protocol: str, which: str, page: int, found: Comparison | None, problem: str
) -> dict[str, Any]:
    """What the template gets before its list of samples; `found` is None while the comparison is being made."""
    one, other = handles_
    keys = [("run", one.entry.key), ("run", other.entry.key)]
    return {
        "sides": [
            (letter, v.entry, formatting.title(v.entry.manifest)) for letter, v in zip("AB", handles_, strict=True)
        ],
        "synthetic": any(v.entry.manifest.data.synthetic for v in handles_),
        "protocols": shared(one, other),
        "protocol": protocol,
        "which": which,
        "kinds": WHICH,
        "page": page,
        "keys": keys,
        "address": lambda **other: (
            "/compare" + asked([*keys, *({"protocol": protocol, "only": which} | other).items()])
        ),
        "found": found,
        "problem": problem,
        "tables": compared_tables(found, every=True) if found is not None else [],
    }


def pairs_context(
    handles_: tuple[RunHandle, RunHandle],
    pairs: Pairs,
    records: tuple[list[SampleRecord], list[SampleRecord]],
    protocol: str,
) -> dict[str, Any]:
    """What the template's list of samples gets. What one of the runs no longer has is passed over."""
    found = []
    second = {record.sample.id: record for record in records[1]}
    for record in records[0]:
        other = second.get(record.sample.id)
        if other is not None:
            sides = tuple(_side(v, r, protocol) for v, r in zip(handles_, (record, other), strict=True))
            found.append(SamplePair(record.sample.id, plain(record.sample.truth), sides))
    return {"pairs": found, "counts": pairs.counts, "total": len(pairs.first), "size": PAGE}


def _side(handle: RunHandle, record: SampleRecord, protocol: str) -> tuple[ListedSample, str, str]:
    mark = record.marks.get(protocol)
    row = sample_row(handle, record, f"/run/{handle.entry.key}", SampleFilter())
    arm = handle.protocols[protocol].prompt
    answer = record.answers.get(arm)
    if answer is None:
        reply = ""
    elif answer.failure is not None:
        reply = f"no reply: {answer.failure.kind}: {answer.failure.reason}"
    else:
        reply = answer.text
    return row, reply, plain(mark.reading) if mark is not None else ""
