"""The page of two runs side by side: the result of `snellen compare`, and the samples on which the runs differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException

from snellen.comparison.comparing import compare_runs
from snellen.comparison.results import Comparison
from snellen.core.types import Outcome
from snellen.data.line_offsets import NOWHERE
from snellen.engine.runs.folder import Stamp, stamp
from snellen.engine.runs.sample_index import CODES, NONE, SampleRecord
from snellen.present.model import formatting
from snellen.present.model.comparison_view import compared_tables
from snellen.present.viewer.run_index import RunHandle
from snellen.present.viewer.sample_filter import PAGE, asked, page_of, wanted_from

KEPT = 8
WHICH = {
    "first": "only A right",
    "second": "only B right",
    "both": "both right",
    "neither": "neither right",
    "any": "any difference in outcome",
}
Sides = tuple[RunHandle, RunHandle]
Side = tuple[str, Outcome | None, str, str]
"""A sample on one side: its address, the outcome, the reply, and the reading."""


def compare_context(
    sides: Sides, given: QueryParams, read: Callable[[RunHandle, list[int]], list[SampleRecord]]
) -> dict[str, Any]:
    """Return the template's data. `read` reads samples of a run."""
    one, other = sides
    protocols = [name for name in one.plain if name in other.plain]
    if not protocols:
        raise HTTPException(409, "These runs share no protocol, or one of them is not marked yet.")
    protocol = given.get("protocol", "") if given.get("protocol") in protocols else protocols[0]
    which = given.get("only", "first") if given.get("only", "first") in WHICH else "first"
    found, problem = _compared(one.entry.path, other.entry.path)
    first, second, counts = _pairs(sides, protocol, which)
    shown, page, pages = page_of(first, wanted_from(given.multi_items(), ()).page)
    records = [read(handle, rows.tolist()) for handle, rows in ((one, shown), (other, page_of(second, page)[0]))]
    seconds = {record.sample.id: record for record in records[1]}
    pairs = [  # samples that one of the runs no longer has are skipped
        (record, [_side(h, r, protocol) for h, r in zip(sides, (record, seconds[record.sample.id]), strict=True)])
        for record in records[0]
        if record.sample.id in seconds
    ]
    keys = [("run", handle.entry.key) for handle in sides]
    return {
        "sides": [(letter, h.entry, formatting.title(h.entry.manifest)) for letter, h in zip("AB", sides, strict=True)],
        "synthetic": any(h.entry.manifest.data.synthetic for h in sides),
        "protocols": protocols,
        "protocol": protocol,
        "which": which,
        "kinds": WHICH,
        "keys": keys,
        "address": lambda page: (
            f"/compare{asked([*keys, ('protocol', protocol), ('only', which), ('page', page if page > 1 else '')])}"
        ),
        "found": found,
        "problem": problem,
        "tables": compared_tables(found, every=True) if found is not None else [],
        "pairs": pairs,
        "counts": counts,
        "total": len(first),
        "page": page,
        "pages": pages,
        "size": PAGE,
    }


def _side(handle: RunHandle, record: SampleRecord, protocol: str) -> Side:
    mark, answer = record.marks.get(protocol), record.answers.get(handle.protocols[protocol].prompt)
    reply = "" if answer is None else answer.text
    if answer is not None and answer.failure is not None:
        reply = f"no reply: {answer.failure.kind}: {answer.failure.reason}"
    outcome, reading = (mark.outcome, formatting.plain(mark.reading)) if mark is not None else (None, "")
    return f"/run/{handle.entry.key}/sample/{record.row}", outcome, reply, reading


def _pairs(sides: Sides, protocol: str, which: str) -> tuple[NDArray[np.intp], NDArray[np.intp], dict[str, int]]:
    """Return the rows in both runs of samples with one, both or neither right, and the number of each kind."""
    one, other = (handle.index for handle in sides)
    places = other.rows_of(one.hashes)
    first = np.flatnonzero(places != NOWHERE)
    second = places[first]
    a, b = one.usual(protocol)[first], other.usual(protocol)[second]
    marked = (a != NONE) & (b != NONE)
    first, second, a, b = first[marked], second[marked], a[marked], b[marked]
    a_right, b_right = a == CODES[Outcome.CORRECT], b == CODES[Outcome.CORRECT]
    sets = {
        "first": a_right & ~b_right,
        "second": ~a_right & b_right,
        "both": a_right & b_right,
        "neither": ~a_right & ~b_right,
        "any": a != b,
    }
    keep = sets[which]
    return first[keep], second[keep], {name: int(some.sum()) for name, some in sets.items()}


def _compared(one: Path, other: Path) -> tuple[Comparison | None, str]:
    """Return the result of `snellen compare` for two runs, or why there is none."""
    try:
        return _kept(one, other, stamp(one / "summary.json"), stamp(other / "summary.json")), ""
    except Exception as error:
        return None, str(error) or type(error).__name__


@lru_cache(KEPT)
def _kept(one: Path, other: Path, *_stamps: Stamp | None) -> Comparison:
    return compare_runs([one, other], flips=False)
