"""The samples of a run that a page shows: the filter in its address, and the resulting rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.gallery import UnshortenedText
from snellen.core.types import NON_ANSWERS, Outcome
from snellen.data.line_offsets import NOWHERE
from snellen.engine.runs.folder import UNREADABLE
from snellen.engine.runs.sample_index import CODES, SampleIndex, placed

PAGE = 50
NOT_CORRECT, NO_ANSWER = "not-correct", "no-answer"
KINDS = {NOT_CORRECT: "not correct", NO_ANSWER: "any non-answer"}
"""Filters other than a single outcome."""
OUTCOMES: dict[str, Collection[Outcome]] = {
    NOT_CORRECT: [one for one in Outcome if one not in (Outcome.CORRECT, Outcome.UNMARKED)],
    NO_ANSWER: NON_ANSWERS,
    **{one.value: [one] for one in Outcome},
}
STATES = {"answered": "answered", "failed": "failed", "open": "not answered yet"}
SORTS = {
    "": "order of the data set",
    "longest": "longest reply first",
    "shortest": "shortest reply first",
    "slowest": "slowest answer first",
}
TAG = "tag."
LONGEST = 200
KEPT = 8
Rows = NDArray[np.intp]


def asked(pairs: Iterable[tuple[str, str]]) -> UnshortenedText:
    """Return the query part of an address."""
    said = urlencode([(k, v) for k, v in pairs if v], errors="replace")
    return UnshortenedText(f"?{said}" if said else "")


class SampleFilter(NamedTuple):
    """A filter: an outcome under a protocol, flips, a state of the answer, tags, a text, and the order of the results."""

    protocol: str = ""
    outcome: str = ""
    flips: bool = False
    state: str = ""
    text: str = ""
    sort: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    page: int = 1

    def query(self, **other: Any) -> str:
        """Return the filter as the query part of an address, with some changes."""
        one = self._replace(**other)
        pairs = [
            ("protocol", one.protocol),
            ("outcome", one.outcome),
            ("flips", "1" * one.flips),
            ("state", one.state),
            ("q", one.text),
            ("sort", one.sort),
            *((TAG + key, value) for key, value in one.tags),
            ("page", str(one.page) if one.page > 1 else ""),
        ]
        return asked(pairs)

    @property
    def all(self) -> bool:
        """Return whether it accepts everything."""
        return not (self.outcome or self.flips or self.state or self.text or self.tags)


def wanted_from(given: Sequence[tuple[str, str]], protocols: Sequence[str]) -> SampleFilter:
    """Return the filter in an address. Invalid values are ignored: an address is not the place to report errors."""
    values = dict(given)
    protocol, outcome, page = (values.get(name, "") for name in ("protocol", "outcome", "page"))
    return SampleFilter(
        protocol=protocol if protocol in protocols else "",
        outcome=outcome if outcome in OUTCOMES else "",
        flips=values.get("flips") == "1",
        state=values["state"] if values.get("state") in STATES else "",
        text=values.get("q", "").strip()[:LONGEST],
        sort=values["sort"] if values.get("sort") in SORTS else "",
        tags=tuple((key[len(TAG) :], value) for key, value in given if key.startswith(TAG) and value),
        page=min(int(page), 10**9) if page.isascii() and page.isdigit() and len(page) < 12 and int(page) else 1,
    )


def rows_of(index: SampleIndex, wanted: SampleFilter, protocols: Sequence[str]) -> Rows:
    """Return the rows that a filter accepts, in its order. `protocols` are those without a control, the main one first."""
    keep = _matching(index, index.version, wanted.text).copy() if wanted.text else np.ones(len(index), bool)
    by = wanted.protocol or next(iter(protocols), "")
    if wanted.outcome:
        keep &= _with_outcome(index, by, wanted.outcome)
    if wanted.flips:
        keep &= index.flipped(protocols)
    if wanted.state:
        keep &= _in_state(index, wanted.state)
    for key, value in wanted.tags:
        column = index.tags.get(key)
        if column is None or value not in column.values:
            keep[:] = False
        else:
            keep &= column.codes == column.values.index(value)
    rows = np.flatnonzero(keep)
    return rows[_order(index, rows, wanted.sort)] if wanted.sort else rows


def _with_outcome(index: SampleIndex, protocol: str, outcome: str) -> NDArray[np.bool_]:
    """Return the samples with such an answer: in any repeat, if questions were asked several times."""
    codes = [CODES[one] for one in OUTCOMES[outcome]]
    found = np.zeros(len(index), bool)
    for column in index.times(protocol):
        found |= np.isin(column.outcome, codes)
    return found


def _in_state(index: SampleIndex, state: str) -> NDArray[np.bool_]:
    """Return the samples in a state by the answers to all arms. A sample is failed or open if any of its questions is."""
    failed = np.zeros(len(index), bool)
    there = np.zeros(len(index), bool)
    for arm in index.arms.values():
        has = arm.place != NOWHERE
        failed |= arm.failed & has
        there |= has & ~arm.failed
    if state == "failed":
        return failed
    return there if state == "answered" else ~(there | failed)


# ---------------------------------------------------------------- cached reads for a search or an order


class _CallTime(msgspec.Struct):
    latency: float | None = None


class _Texts(msgspec.Struct):
    """The fields of an answer or a sample that a search and an order read."""

    id: str = ""
    text: str = ""
    thinking: str = ""
    failure: Any = None
    truth: Any = None
    facts: Any = None
    calls: tuple[_CallTime, ...] = ()


_TEXTS = msgspec.json.Decoder(_Texts)


def _lines_of(path: Path, places: NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    """Yield the current lines with the rows of their samples."""
    row_at = {place: row for row, place in enumerate(places.tolist())}
    return ((row_at[place], line) for place, line in placed(path) if place in row_at)


@lru_cache(KEPT)
def _matching(index: SampleIndex, _version: object, text: str) -> NDArray[np.bool_]:
    """Return the samples with a text in their id, truth, facts or an answer, ignoring case."""
    needle = text.casefold()
    raw = needle.encode() if needle.isascii() and needle.isprintable() and not set(needle) & {'"', "\\"} else b""
    keep = np.zeros(len(index), bool)
    answers = index.folder.answers_path
    for path, places in (
        (index.folder.samples_path, index.places),
        *((answers, arm.place) for arm in index.arms.values()),
    ):
        for row, line in _lines_of(path, places):
            if raw and line.isascii() and raw not in line.lower():
                continue  # a plain text appears unescaped in a plain line, so most need no decoding
            with suppress(*UNREADABLE):
                keep[row] |= needle in _said(_TEXTS.decode(line))
    return keep


def _said(found: _Texts) -> str:
    more = [msgspec.json.encode(x).decode() for x in (found.truth, found.failure, found.facts) if x]
    return "\n".join((found.id, found.text, found.thinking, *more)).casefold()


def _order(index: SampleIndex, rows: Rows, sort: str) -> Rows:
    """Return the order of rows by the reply to the first arm that has one."""
    value = _measured(index, index.version, sort == "slowest")[rows]
    value = value if sort == "shortest" else -value
    return np.argsort(value, kind="stable")


@lru_cache(KEPT)
def _measured(index: SampleIndex, _version: object, seconds: bool) -> NDArray[np.float64]:
    """Return the length of each sample's first reply, or its time in seconds. Without a reply it is NaN, which sorts last."""
    found = np.full(len(index), np.nan)
    for arm in index.arms.values():
        for row, line in _lines_of(index.folder.answers_path, np.where(np.isnan(found), arm.place, NOWHERE)):
            with suppress(*UNREADABLE):
                answer = _TEXTS.decode(line)
                found[row] = sum(call.latency or 0.0 for call in answer.calls) if seconds else len(answer.text)
    return found


def page_of(rows: Rows, page: int, size: int = PAGE) -> tuple[Rows, int, int]:
    """Return the rows of a page, its number (the last page if there are fewer), and the number of pages.

    >>> [(some.tolist(), at, of) for some, at, of in (page_of(np.arange(5), n, 2) for n in (1, 3, 9))]
    [([0, 1], 1, 3), ([4], 3, 3), ([4], 3, 3)]
    """
    pages = max(1, -(-len(rows) // size))
    page = min(max(1, page), pages)
    return rows[(page - 1) * size : page * size], page, pages
