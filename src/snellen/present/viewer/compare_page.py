"""The page of two runs side by side."""

from __future__ import annotations

from typing import Any

from snellen.comparison.results import Comparison
from snellen.present.model import formatting
from snellen.present.model.comparison_view import compared_tables
from snellen.present.model.formatting import plain
from snellen.present.viewer.pairs import WHICH, Pairs
from snellen.present.viewer.records import SampleRecord
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.sample_filter import PAGE, SampleFilter, asked
from snellen.present.viewer.samples_page import ListedSample, sample_row


def shared(one: RunHandle, other: RunHandle) -> list[str]:
    """Return the protocols that both runs were marked by, in the order of the first."""
    return [name for name in one.plain if name in other.plain]


def compare_context(
    handles_: tuple[RunHandle, RunHandle], protocol: str, which: str, page: int, found: Comparison | None, problem: str
) -> dict[str, Any]:
    """Return what the template gets before its list of samples; `found` is None while the comparison is being made."""
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
    """Return what the template's list of samples gets: what both runs said. What one of them no longer has is passed over."""
    second = {record.sample.id: record for record in records[1]}
    found = [
        (record.sample, [_side(v, r, protocol) for v, r in zip(handles_, (record, other), strict=True)])
        for record in records[0]
        if (other := second.get(record.sample.id)) is not None
    ]
    return {"pairs": found, "counts": pairs.counts, "total": len(pairs.first), "size": PAGE}


def _side(handle: RunHandle, record: SampleRecord, protocol: str) -> tuple[ListedSample, str, str]:
    """Return a sample of a run, its reply, and what the protocol read in it."""
    mark = record.marks.get(protocol)
    row = sample_row(handle, record, f"/run/{handle.entry.key}", SampleFilter())
    answer = record.answers.get(handle.protocols[protocol].prompt)
    reply = "" if answer is None else answer.text
    if answer is not None and answer.failure is not None:
        reply = f"no reply: {answer.failure.kind}: {answer.failure.reason}"
    return row, reply, plain(mark.reading) if mark is not None else ""
