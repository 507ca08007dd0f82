"""Which samples of a run a page is about: what its address asks for, and the rows that this gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from snellen.core.gallery import UnshortenedText
from snellen.core.types import NON_ANSWERS, Outcome
from snellen.present.viewer.sample_index import CODES, NOWHERE, SampleIndex

PAGE = 50
NOT_CORRECT, NO_ANSWER = "not-correct", "no-answer"
KINDS = {NOT_CORRECT: "not correct", NO_ANSWER: "any non-answer"}
"""What may be asked for beside a single outcome."""
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
Rows = NDArray[np.intp]


def asked(pairs: Iterable[tuple[str, str]]) -> UnshortenedText:
    """Return the end of an address that asks for something."""
    said = urlencode([(k, v) for k, v in pairs if v], errors="replace")
    return UnshortenedText(f"?{said}" if said else "")


class SampleFilter(NamedTuple):
    """A filter: an outcome under a protocol, flips, a state of the answer, tags, a text, and the order of what is found."""

    protocol: str = ""
    outcome: str = ""
    flips: bool = False
    state: str = ""
    text: str = ""
    sort: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    page: int = 1

    def query(self, **other: Any) -> str:
        """Return the filter as the end of an address, with some of it changed."""
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
        """Return whether it lets everything through."""
        return not (self.outcome or self.flips or self.state or self.text or self.tags)


def wanted_from(given: Sequence[tuple[str, str]], protocols: Sequence[str]) -> SampleFilter:
    """Return the filter that an address names. What makes no sense is left out: an address is no place for errors."""
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


def rows_of(
    index: SampleIndex, wanted: SampleFilter, protocols: Sequence[str], matching: NDArray[np.bool_] | None = None
) -> Rows:
    """Return the rows that a filter lets through, in its order. `protocols` are those without a control, the main one first.

    `matching` says which samples have the text that is looked for.
    """
    keep = np.ones(len(index), bool) if matching is None else matching.copy()
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
    """Return the samples with such an answer: any of them, where questions were asked several times."""
    codes = [CODES[one] for one in OUTCOMES[outcome]]
    found = np.zeros(len(index), bool)
    for column in index.times(protocol):
        found |= np.isin(column.outcome, codes)
    return found


def _in_state(index: SampleIndex, state: str) -> NDArray[np.bool_]:
    """Return the samples in a state by the answers to all arms: one is failed or open where any of its questions is."""
    failed = np.zeros(len(index), bool)
    there = np.zeros(len(index), bool)
    for arm in index.arms.values():
        has = arm.place != NOWHERE
        failed |= arm.failed & has
        there |= has & ~arm.failed
    if state == "failed":
        return failed
    return there if state == "answered" else ~(there | failed)


def _order(index: SampleIndex, rows: Rows, sort: str) -> Rows:
    """Return the order of rows by the reply to the first arm that has one."""
    value = np.zeros(len(index), np.float64)
    seen = np.zeros(len(index), bool)
    for arm in index.arms.values():
        new = (arm.place != NOWHERE) & ~seen
        value[new] = (arm.seconds if sort == "slowest" else arm.length)[new]
        seen |= new
    some = value[rows]
    some[~seen[rows]] = np.inf if sort == "shortest" else -np.inf
    return np.argsort(some if sort == "shortest" else -some, kind="stable")


def page_of(rows: Rows, page: int, size: int = PAGE) -> tuple[Rows, int, int]:
    """Return the rows of a page, which page that is (the last one where there are fewer), and how many there are.

    >>> [(some.tolist(), at, of) for some, at, of in (page_of(np.arange(5), n, 2) for n in (1, 3, 9))]
    [([0, 1], 1, 3), ([4], 3, 3), ([4], 3, 3)]
    """
    pages = max(1, -(-len(rows) // size))
    page = min(max(1, page), pages)
    return rows[(page - 1) * size : page * size], page, pages
