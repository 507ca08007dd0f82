"""The page of two runs side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.comparison.results import Comparison, Row, with_headlines
from snellen.comparison.verdict import p_of
from snellen.show import words
from snellen.show.page_facts import plain
from snellen.view.library import Volume
from snellen.view.pairs import WHICH, Pairs
from snellen.view.records import Record
from snellen.view.render import asked
from snellen.view.samples_page import SampleRow, sample_row
from snellen.view.wanted import PAGE, Wanted


class Pair(NamedTuple):
    """A sample with what both runs said, and what the protocol read in it."""

    id: str
    truth: str
    sides: tuple[tuple[SampleRow, str, str], ...]


def shared(one: Volume, other: Volume) -> list[str]:
    """The protocols that both runs were marked by, in the order of the first."""
    return [name for name in one.plain if name in other.plain]


def compare_context(
    volumes: tuple[Volume, Volume], protocol: str, which: str, page: int, found: Comparison | None, problem: str
) -> dict[str, Any]:
    """What the template gets before its list of samples; `found` is None while the comparison is being made."""
    one, other = volumes
    keys = [("run", one.entry.key), ("run", other.entry.key)]
    return {
        "sides": [(letter, v.entry, words.title(v.entry.manifest)) for letter, v in zip("AB", volumes, strict=True)],
        "synthetic": any(v.entry.manifest.data.synthetic for v in volumes),
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
        "rows": _rows(found) if found is not None else [],
        "said": _said,
        "p": p_of,
    }


def pairs_context(
    volumes: tuple[Volume, Volume], pairs: Pairs, records: tuple[list[Record], list[Record]], protocol: str
) -> dict[str, Any]:
    """What the template's list of samples gets. What one of the runs no longer has is passed over."""
    found = []
    second = {record.sample.id: record for record in records[1]}
    for record in records[0]:
        other = second.get(record.sample.id)
        if other is not None:
            sides = tuple(_side(v, r, protocol) for v, r in zip(volumes, (record, other), strict=True))
            found.append(Pair(record.sample.id, plain(record.sample.truth), sides))
    return {"pairs": found, "counts": pairs.counts, "total": len(pairs.first), "size": PAGE}


def _side(volume: Volume, record: Record, protocol: str) -> tuple[SampleRow, str, str]:
    mark = record.marks.get(protocol)
    row = sample_row(volume, record, f"/run/{volume.entry.key}", Wanted())
    arm = volume.protocols[protocol].prompt
    answer = record.answers.get(arm)
    if answer is None:
        reply = ""
    elif answer.failure is not None:
        reply = f"no reply: {answer.failure.kind}: {answer.failure.reason}"
    else:
        reply = answer.text
    return row, reply, plain(mark.reading) if mark is not None else ""


def _rows(found: Comparison) -> list[tuple[str, list[Row]]]:
    return [(name, with_headlines(row for row in found.rows if row.protocol == name)) for name in found.protocols]


def _said(row: Row) -> str:
    """'+28.3 [+15.1, +40.2]'."""
    scale, digits = (1, 2) if row.unit else (100, 1)
    value, low, high = (None if v is None else f"{scale * v:+.{digits}f}" for v in (row.difference, row.low, row.high))
    return f"{value}" if low is None or high is None else f"{value} [{low}, {high}]"
