"""Thresholds in words, the same in the terminal, on the page and in findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snellen.comparison.thresholds import ExamThresholds, RunThresholds
from snellen.core.prescription import FacultyComparison, Range, Share, Threshold, amount, figure, in_unit
from snellen.present.model import formatting
from snellen.present.model.table_view import Heading, TableView, headings

DRAWN = "SYNTHETIC sheets"
NOT = "not measurable"
SHORT = {
    "few": "too few of the easiest sheets answered",
    "silent": "the replies choose nothing",
    "wrong": "the easiest sheets are not seen either",
    "blind": "blank sheets get the same answers",
}
"""Short reasons for a missing threshold. `Threshold.reason` is the whole sentence."""
LEGEND = "Where half is seen, guessing taken out [95 % credible interval]. Easiest: catch trials right; blank: right without a picture."
SLOPE = (
    "Slope: the factor on the dial from a quarter seen to three quarters. Lapses: wrong answers to what is seen well."
)
NAMED = 3


def threshold(row: Threshold | None) -> str:
    """Return '7.7 px', 'at most 2.0 px', 'not measurable', or a dash if the faculty was not examined."""
    if row is None:
        return "–"
    return NOT if row.threshold is None else amount(row.threshold.value, row.unit, row.bound)


def interval(row: Threshold | None) -> str:
    """Return '[6.3, 9.0]', or an empty text for a bound, which has only one meaningful end."""
    return "" if row is None or row.threshold is None or row.bound else between(row.threshold)


def between(found: Range) -> str:
    """Return '[6.3, 9.0]'."""
    return f"[{figure(found.low)}, {figure(found.high)}]"


def whole(row: Threshold | None) -> str:
    """Return '7.7 px [6.3, 9.0]'."""
    return f"{threshold(row)} {interval(row)}".rstrip()


def ratio(found: Range) -> str:
    """Return '1.8 [1.4, 2.3]'."""
    return f"{figure(found.value)} {between(found)}"


def of(share: Share) -> str:
    """Return '5/5', or a dash for an empty share."""
    return f"{share.right}/{share.n}" if share.n else "–"


def slope(row: Threshold) -> str:
    """Return 'x 1.4 [1.1, 3.8]': the factor on the dial between 25% and 75% seen."""
    return "–" if row.slope is None else f"x {ratio(row.slope)}"


def lapse(row: Threshold) -> str:
    """Return '1 % [0, 11]'."""
    if row.lapse is None:
        return "–"
    return f"{100 * row.lapse.value:.0f} % [{100 * row.lapse.low:.0f}, {100 * row.lapse.high:.0f}]"


def seeds(found: ExamThresholds) -> str:
    """Return 'seed 0', 'seeds 0, 7'."""
    return f"seed{'s' * (len(found.seeds) > 1)} {', '.join(map(str, found.seeds))}"


# ---------------------------------------------------------------- one model


def sees(row: Threshold) -> str:
    """Return 'reads letters of 7.7 px and more'."""
    if row.threshold is None:
        return f"could not be measured in {row.faculty}"
    value = amount(row.threshold.value, row.unit)
    if row.bound and row.threshold.value == row.ladder[-1]:
        return f"sees nothing finer than {value} in {row.faculty}"
    said = row.sees.format(value) if row.sees else f"has a threshold of {value} in {row.faculty}"
    said += f" (sent as {row.sent_as})" if row.sent_as else ""
    return f"{said} (the finest asked)" if row.bound else said


def sentence(one: RunThresholds) -> str:
    """Return a sentence on what one model sees."""
    known = [row for row in one.rows if row.threshold is not None]
    lost = list(dict.fromkeys(row.name for row in one.rows if row.threshold is None))
    if not known:
        return f"{one.name} could not be measured in any faculty."
    some = list({row.faculty: row for row in reversed(known)}.values())[::-1][:NAMED]
    said = f"{one.name} {formatting.listed([sees(row) for row in some])}."
    return said + (f" Not measurable: {formatting.listed(lost)}." if lost else "")


def reasons(rows: Iterable[Threshold]) -> list[str]:
    """Return why faculties have no threshold, grouped by reason."""
    found = formatting.together((row.name, row.reason) for row in rows if row.threshold is None and row.reason)
    return [f"{formatting.listed(names)}: {NOT}: {reason}." for names, reason in found]


def faculties(rows: Iterable[Threshold]) -> TableView:
    """Return a row for each faculty: its threshold, and the number of questions behind it."""
    heads = (
        *headings("score", "faculty", "threshold", "95 % interval"),
        *headings("number", "asked", "easiest", "blank"),
    )
    cells = (
        (row.name, threshold(row), interval(row), str(row.questions), of(row.catch), of(row.blank)) for row in rows
    )
    return TableView("", heads, tuple(cells))


def details(rows: Iterable[Threshold]) -> TableView:
    """Return how steep each curve is, how often easy sheets were answered wrong, and the replies without a choice."""
    cells = (
        (row.name, slope(row), lapse(row), ", ".join(f"{n} {kind}" for kind, n in row.silent.items()) or "–")
        for row in rows
    )
    return TableView("", (*headings("score", "faculty", "slope", "lapses"), Heading("no choice")), tuple(cells))


# ---------------------------------------------------------------- several


def beside(found: ExamThresholds, *, intervals: bool = True, kind: str = "score") -> TableView:
    """Return a column for each model, and the ratios to the first."""
    first, *others = (one.letter for one in found.each)
    heads = headings(kind, "faculty", first, *others, *(f"{other} / {first}" for other in others))
    rows = (
        (
            *(row.name, *(whole(own) if intervals else threshold(own) for own in row.rows)),
            *("–" if one is None else ratio(one) for one in row.ratios),
        )
        for row in found.compared
    )
    return TableView("", heads, tuple(rows))


def needs(row: FacultyComparison, at: int) -> str:
    """Return 'letters 1.8 [1.4, 2.3] times as large', for the run at a place after the first."""
    found = row.ratios[at]
    first = next(one for one in row.rows if one is not None)
    if found is None:
        return ""
    how = first.needs or f"{{}} times the {first.dial}"
    said = how.format(ratio(found))
    return f"{said} ({first.sent_as})" if first.sent_as else said


def finer(row: FacultyComparison, at: int) -> int:
    """Return which run sees finer: 1 for the run at this place, -1 for the first, 0 if that is not known."""
    found = row.ratios[at]
    if found is None or found.low <= 1 <= found.high:
        return 0
    smaller = next(one for one in row.rows if one is not None).smaller_is_finer
    return 1 if (found.high < 1) == smaller else -1


def verdict(found: ExamThresholds, at: int) -> str:
    """Return a sentence that compares a run with the first: where it sees finer, where less, and what is not known."""
    first, other = found.first.letter, found.each[at + 1].letter
    held = [row for row in found.compared if row.ratios[at] is not None]
    if not held:
        return f"{other} and {first} have no faculty with a threshold of both: nothing can be compared."
    worse, better, same = ([row for row in held if finer(row, at) == way] for way in (-1, 1, 0))
    parts = []
    if worse:
        some = formatting.listed([needs(row, at) for row in _largest(worse, at)])
        parts.append(f"needs {some} as {first} does{_more(worse, at, 'sees less in')}")
    if better:
        some = formatting.listed([needs(row, at) for row in _largest(better, at)])
        parts.append(f"makes do with {some} as {first} needs{_more(better, at, 'sees finer in')}")
    if same:
        none = "cannot be told apart from it" if parts else f"cannot be told apart from {first}"
        parts.append(f"{none} in {formatting.listed([row.name for row in same])}")
    return f"{other} {'; '.join(parts)}."


def _largest(rows: Sequence[FacultyComparison], at: int) -> list[FacultyComparison]:
    """Return the few with the greatest ratio in either direction."""

    def far(row: FacultyComparison) -> float:
        found = row.ratios[at]
        return 0.0 if found is None else max(found.value, 1 / found.value)

    return sorted(rows, key=far, reverse=True)[:NAMED]


def _more(rows: Sequence[FacultyComparison], at: int, what: str) -> str:
    """Return ', and sees less in size, too' for those that have no room."""
    named = _largest(rows, at)
    rest = [row.name for row in rows if row not in named]
    return f", and {what} {formatting.listed(rest)}, too" if rest else ""


def dial(row: Threshold) -> str:
    """Return the dial and its ends: 'letter height in pixels as sent, from 2.0 to 48 px'."""
    low, high = sorted((row.ladder[0], row.ladder[-1]))
    return f"{row.dial}, from {figure(low)} to {in_unit(figure(high), row.unit)}"
