"""Matching of log rows with samples of a data set: by id, by image, or by place, and never against the target."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.importers.log import LogRow

Pictures = Callable[[], Mapping[str, Sequence[str]]]
"""Gives the ids of the samples that show an image, by its SHA-256. Only called if a log has images and no matching ids."""
PART_FIELDS = ("config", "part", "task", "split", "subset")
NAMED = 3


class _UnmatchedRow(NamedTuple):
    """A row without a sample, and the reason."""

    row: LogRow
    why: str


class MatchedRows(NamedTuple):
    """Rows with their samples, in the order of the samples. `ways` counts how they were found.

    `unsure` were found by their place alone, with no target to confirm it.
    """

    pairs: tuple[tuple[LogRow, Sample], ...]
    ways: Mapping[str, int]
    left: tuple[_UnmatchedRow, ...]
    unsure: int


def match(rows: Sequence[LogRow], samples: Sequence[Sample], pictures: Pictures) -> MatchedRows:
    """Find every row's sample. Two rows of one sample are an error: a run has one answer to a question."""
    index = _Index(samples, pictures)
    ways: Counter[str] = Counter()
    left: list[_UnmatchedRow] = []
    taken: dict[str, LogRow] = {}
    unsure = 0
    shifted = _shifted(rows)
    for row in rows:
        way, found = index.find(row)
        if way == "place" and shifted:
            found = []
        if len(found) != 1:
            left.append(
                _UnmatchedRow(row, "several samples would fit" if found else "no sample has its id or its place")
            )
            continue
        sample = found[0]
        asking = index.asking(row)
        if asking and sample.id not in asking:
            left.append(_UnmatchedRow(row, f"its question is that of {min(asking)}, not that of {sample.id}"))
            continue
        if _disagrees(row.target, sample.truth):
            left.append(
                _UnmatchedRow(row, f"its target is {row.target!r}, and that of {sample.id} is {sample.truth!r}")
            )
            continue
        if sample.id in taken:
            raise SnellenError(
                f"{taken[sample.id].where} and {row.where} are both about the sample {sample.id}: keep one reply for each sample"
            )
        taken[sample.id] = row
        ways[way] += 1
        confirmed = asking == {sample.id} or way == "picture" or _comparable(row.target, sample.truth)
        unsure += (way == "place" or index.by_row) and not confirmed
    order = [(taken[s.id], s) for s in samples if s.id in taken]
    return MatchedRows(tuple(order), dict(ways), tuple(left), unsure)


def _shifted(rows: Sequence[LogRow]) -> bool:
    """Return whether ids are numbers that do not count the rows in order, from 0 or from 1. Then a place has no meaning."""
    apart = {
        int(row.id) - row.number
        for row in rows
        if row.number is not None and row.id and row.id.isdecimal() and len(row.id) < 20 and not row.numbered
    }
    return not (apart <= {0} or apart <= {1})


def refusal(left: Sequence[_UnmatchedRow], rows: int, source: str) -> SnellenError:
    """Return the error for rows without a sample."""
    some = "; ".join(f"{one.row.where}: {one.why}" for one in left[:NAMED])
    more = f"; and {len(left) - NAMED} more" if len(left) > NAMED else ""
    cure = (
        "another exam, another data set, or another order" if len(left) == rows else "--skip-unmatched leaves them out"
    )
    return SnellenError(
        f"{len(left)} of {rows} row{'s fit' if rows != 1 else ' fits'} no sample of {source} ({some}{more}): {cure}"
    )


class _Index:
    """The samples by id and the end of an id, by image, and by part in their order."""

    def __init__(self, samples: Sequence[Sample], pictures: Pictures) -> None:
        self._samples, self._pictures = samples, cache(pictures)
        self._by_id = {s.id: s for s in samples}
        self._by_end = _grouped(samples, lambda sample: {_end(sample.id)})
        self._by_part = _grouped(samples, _folders), _grouped(samples, _names)
        self._by_question: defaultdict[str, set[str]] = defaultdict(set)
        for sample in samples:
            self._by_question[_squeezed(str(sample.facts.get("question") or ""))].add(sample.id)
        self.by_row = all(sample.id.isdecimal() for sample in samples)
        """True if ids are numbers, possibly of rows, which a log may count differently."""

    def asking(self, row: LogRow) -> set[str]:
        """Return the ids of the samples whose question has the row's exact words, or none."""
        return self._by_question.get(_squeezed(row.asked), set()) if row.asked else set()

    def find(self, row: LogRow) -> tuple[str, list[Sample]]:
        """Return how a row's sample was found, and the candidates."""
        if row.id is not None:
            exact = self._by_id.get(row.id)
            found = [exact] if exact is not None else _narrowed(self._by_end.get(_end(row.id), []), row)
            if found:
                return "id", found
        if row.pictures:
            first, *others = [self._pictures().get(picture, ()) for picture in row.pictures]
            showing = [i for i in first if i in self._by_id and all(i in other for other in others)]
            found = _narrowed([self._by_id[i] for i in showing], row)
            if found:
                return "picture", found
        if row.number is None or row.number < 0 or not (row.id or "0").isdecimal():
            return "", []  # a name that no sample has is not a place
        part: Sequence[Sample] = self._samples
        for index in reversed(self._by_part):  # the finest part that the row names, folders before tags
            part = min((index[word] for word in _said(row) if word in index), key=len, default=part)
        return "place", list(part[row.number : row.number + 1])


def _end(name: str) -> str:
    """Return the last piece of an id, without its folders."""
    return name.rpartition("/")[2]


def _narrowed(found: Sequence[Sample], row: LogRow) -> list[Sample]:
    """Reduce the candidates to those that are of the row's part, ask its question, or have its target, if there are any."""
    left = list(found)
    words, said = _squeezed(row.asked or ""), _said(row)
    checks: tuple[Callable[[Sample], bool], ...] = (
        lambda s: bool(_folders(s) & said),  # a folder is finer than a tag: P3_box has the split P3, too
        lambda s: bool(_names(s) & said),
        lambda s: bool(words) and _squeezed(str(s.facts.get("question") or "\0")) in words,
        lambda s: _comparable(row.target, s.truth) and not _disagrees(row.target, s.truth),
    )
    for fits in checks:
        if len(left) > 1:
            left = [s for s in left if fits(s)] or left
    return left


def _grouped(samples: Sequence[Sample], names: Callable[[Sample], set[str]]) -> dict[str, list[Sample]]:
    found: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        for name in names(sample):
            found[name].append(sample)
    return found


def _folders(sample: Sample) -> set[str]:
    return {piece.casefold() for piece in sample.id.split("/")[:-1]}


def _names(sample: Sample) -> set[str]:
    """Return the possible names of a sample's part: the folders of its id, and its tags."""
    return _folders(sample) | {tag.casefold() for tag in sample.tags.values()}


def _said(row: LogRow) -> set[str]:
    """Return a row's names for its part."""
    words = (row.part, *(row.fields.get(name) for name in PART_FIELDS))
    return {w.casefold() for w in words if isinstance(w, str) and w}


def _comparable(target: str | None, truth: Any) -> bool:
    """Return whether a log's target can be compared with a sample's truth. An option's letter cannot if the truth is a word.

    >>> _comparable("cat", "cat"), _comparable("B", "cat"), _comparable("B", "B"), _comparable("cat", {"shape": "cat"})
    (True, False, True, False)
    """
    if target is None or isinstance(truth, bool) or not isinstance(truth, str | int | float):
        return False
    return not (len(target) == 1 and target.isupper() and len(str(truth)) > 1)


def _disagrees(target: str | None, truth: Any) -> bool:
    """Return whether a log's target differs from the sample's truth. Order, case and white space are ignored.

    >>> _disagrees("color, Shape", "Shape, Color"), _disagrees("size", "color"), _disagrees(None, "color")
    (False, True, False)
    """
    return target is not None and _comparable(target, truth) and _pieces(target) != _pieces(str(truth))


def _pieces(text: str) -> set[str]:
    return {_squeezed(piece).casefold() for piece in text.split(",")}


def _squeezed(text: str) -> str:
    return " ".join(text.split())
