"""The wording of numbers, metrics and groups, the same in the terminal and on the page.

Nothing is inferred from a metric's name: labels and units are those that the protocol declared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from snellen.comparison.results import ComparisonRow
from snellen.core import figures
from snellen.core.model_names import model_name
from snellen.core.prescription import BOUNDS, CREDIBLE, amount, figure
from snellen.core.records import ControlRow, DifferenceRow, Manifest, Summary, Totals
from snellen.core.results import CHANCE, Consistency, GroupSummary, ProtocolSummary, Score, declared
from snellen.core.types import NON_ANSWERS, Mark

T = TypeVar("T")
FLOOR = (
    "Floor: the best that one constant answer gets, of those that the prompt allows, or chance if that is more; "
    "picked with the test labels."
)
FLOOR_OF_PLACES = (
    "Floor: the best of one point for everything, a random point, or always a refusal; picked with the test labels."
)
FLOOR_OF_CHANCE = "Floor: chance."
SPREAD_LEGEND = "±: the standard deviation of the score from one repeat to the next."
LEGEND = (
    "* marks a protocol's headline. (n=...) is shown when a metric covers fewer samples. Non-answers count as wrong."
)
CONTROLS = (
    "Controls: the same questions without the image (none), with a grey image (blank), with another sample's image (shuffled), "
    "or with the options in another order (options). Differences in points [95 % interval, paired]."
)
DRAWN = "SYNTHETIC: made by a program, not the real data set."
POSITION = "Position bias: the same pictures in the other order. Differences in points [95 % interval, paired]."
SYNTHETIC = "SYNTHETIC DATA. Do not compare these scores with published results."
SAID_UNITS = ("px", "s", "nats", "cosine")
"""Units that follow a metric's label. The label of a count says what is counted."""
COUNTS = ("count", "words", "looks", "calls")
percent = figures.percent
number = figures.number
part_name = figures.part_name
counted = figures.counted
every = figures.every
on_clusters = figures.on_clusters
listed = figures.listed


def span(values: Iterable[tuple[float, str]], between: str = " to ") -> str:
    """Return the lowest and the highest of some values as printed: '93.3 to 97.8', or '93.3' if they are equal."""
    ordered = sorted(values)
    low, high = ordered[0][1], ordered[-1][1]
    return low if low == high else f"{low}{between}{high}"


# ---------------------------------------------------------------- metrics


def metric_name(protocol: ProtocolSummary | None, key: str) -> str:
    """Return a metric's display name, with the unit of its scores unless that is a percentage."""
    if protocol is None:
        return declared((), key).label_of(key)
    scores = [g.metrics[key] for g in protocol.groups if key in g.metrics]
    unit = scores[0].unit if scores else _unit_of(protocol, key)
    has_unit = unit in SAID_UNITS and not any(map(is_threshold, scores))  # a threshold has its own unit
    return declared(protocol.metrics, key).label_of(key) + (f", {unit}" if has_unit else "")


def _unit_of(protocol: ProtocolSummary | None, key: str) -> str | None:
    """Return the unit of a sample's value: empty for a share, None if neither a declaration nor a score gives it."""
    if protocol is None:
        return ""
    if protocol.metrics:
        return declared(protocol.metrics, key).unit
    return next((g.metrics[key].unit for g in protocol.groups if key in g.metrics), None)


def sample_value(protocol: ProtocolSummary | None, key: str, value: float | str | None) -> str:
    """Return a single sample's value of a metric, without decimals for a count."""
    unit = _unit_of(protocol, key)
    if unit in COUNTS and isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return number(value, unit)


def is_threshold(score: Score) -> bool:
    """Return whether a score is a threshold on a dial with its own unit."""
    return bool(score.unit) and (score.interval == CREDIBLE or score.interval in BOUNDS)


def value(score: Score) -> str:
    """Return a score's value. Units other than percent are in the metric's name; a threshold has its own: 'at most 2.0 px'."""
    if is_threshold(score) and score.value is not None:
        return amount(score.value, score.unit, score.interval if score.interval in BOUNDS else "")
    return number(score.value, score.unit)


def interval(score: Score) -> str:
    """Return '[55.1, 67.0]', or an empty text.

    If questions were asked several times, '±1.2' follows: the standard deviation over repeats.
    """
    if is_threshold(score):
        ends = (score.low, score.high)
        return "" if None in ends else f"[{', '.join(figure(end) for end in ends if end is not None)}]"
    between = figures.between(score.low, score.high, score.unit)
    return between if score.spread is None else f"{between} ±{number(score.spread.sd, score.unit)}".lstrip()


def floor(score: Score) -> str:
    """Return the floor, or an empty text."""
    return "" if score.floor is None else number(score.floor, score.unit)


def floor_legend(protocols: Iterable[ProtocolSummary]) -> str:
    """Return an explanation of the floors of some protocols, from what they are based on, or an empty text if there are none."""
    answers = {
        s.floor_answer or "" for p in protocols for g in p.groups for s in g.metrics.values() if s.floor is not None
    }
    if not answers:
        return ""
    if answers == {CHANCE}:
        return FLOOR_OF_CHANCE
    return FLOOR_OF_PLACES if all(map(_in_words, answers)) else FLOOR


def legend(protocols: Iterable[ProtocolSummary]) -> str:
    """Return an explanation of the marks in a table of scores."""
    return f"{floor_legend(protocols)} {LEGEND}".lstrip()


def _in_words(answer: str) -> bool:
    """Return whether a floor's answer is described in words (a place on the screen), not as an answer is written."""
    return answer in ("the middle", "a random point", "always refuse") or (
        answer.startswith("the point ") and answer.endswith(" of the screen")
    )


def floor_word(protocol: ProtocolSummary, key: str, score: Score | None) -> str:
    """Return 'at floor' or 'below floor' if a score is not better than one without looking."""
    if score is None:
        return ""
    return against_floor(score.value, score.floor, score.unit, declared(protocol.metrics, key).better)


def against_floor(value: float | None, floor: float | None, unit: str, better: str) -> str:
    """Return 'at floor' or 'below floor', judged by the printed figures. Return an empty text for a better value, or without a floor."""
    if value is None or floor is None or not better:
        return ""
    if number(value, unit) == number(floor, unit):
        return "at floor"
    worse = value > floor if better == "lower" else value < floor
    return "below floor" if worse else ""


def floor_why(score: Score) -> str:
    """Return what a floor is based on: "floor 16.7: always 'cat'; 100.0 by an answer that the prompt forbids: 'cat, dog'"."""
    if score.floor is None:
        return ""
    said = score.floor_answer or "unknown"
    known = said == CHANCE or _in_words(said)
    lines = [f"floor {floor(score)}: {said if known else f'always {said!r}'}"]
    if score.forbidden is not None:
        lines.append(
            f"{number(score.forbidden, score.unit)} by an answer that the prompt forbids: {score.forbidden_answer!r}"
        )
    return "; ".join(lines)


def headlines(protocol: ProtocolSummary) -> list[tuple[str, Score]]:
    """Return the headline of each part."""
    groups = [g for g in protocol.groups if g.whole and protocol.headline in g.metrics]
    return [(part_name(g.by), g.metrics[protocol.headline]) for g in groups]


def forbidden(protocol: ProtocolSummary) -> str:
    """Return one line on forbidden answers that still score more than the headline's floor, or an empty text."""
    found = [score for _part, score in headlines(protocol) if score.forbidden is not None]
    if not found:
        return ""
    gets = span((s.forbidden or 0.0, number(s.forbidden, s.unit)) for s in found)
    answers = list(dict.fromkeys(s.forbidden_answer or "" for s in found))
    short = answers[0] if len(answers[0]) <= 40 else f"{answers[0][:37]}..."
    more = " and the like." if len(answers) > 1 else "."
    return f"More than the floor, with answers that the prompt forbids: {gets}, by always saying {short!r}{more}"


def signed(value: float | None) -> str:
    """Return a difference in percentage points, with its sign."""
    return "–" if value is None else f"{100 * value:+.1f}"


def difference(row: ControlRow | DifferenceRow) -> str:
    """Return a paired difference: '-12.5 [-20.1, -3.0]'."""
    return f"{signed(row.difference)} [{signed(row.low)}, {signed(row.high)}]"


def change(row: ComparisonRow) -> str:
    """Return a comparison's difference, '+28.3 [+20.1, +36.0]', in points or in the metric's own unit."""
    scale, digits = (1, 2) if row.unit else (100, 1)
    value, low, high = (None if v is None else f"{scale * v:+.{digits}f}" for v in (row.difference, row.low, row.high))
    return f"{value}" if low is None or high is None else f"{value} [{low}, {high}]"


def plain(value: Any) -> str:
    """Return a reading, truth or option as text.

    >>> plain(["color", "size"]), plain(None), plain({"x": 1})
    ('color, size', '–', '{"x":1}')
    """
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(v, str | int) for v in value):
        return ", ".join(map(str, value)) or '""'
    return msgspec.json.encode(value).decode()


# ---------------------------------------------------------------- groups and protocols


def outcomes(group: GroupSummary) -> str:
    """Return '31 correct, 5 wrong, 2 error'."""
    return ", ".join(f"{n} {name}" for name, n in group.outcomes.items())


def bounds(group: GroupSummary) -> str:
    """Return the possible range of the score: all non-answers wrong, or all right."""
    return "" if group.bounds is None else f"{percent(group.bounds[0])} to {percent(group.bounds[1])}"


def bounded(protocols: Iterable[ProtocolSummary]) -> str:
    """Return 'Possible range of exact match', with the metric of the bounds."""
    names = {metric_name(p, p.bounded or p.headline) for p in protocols}
    name = names.pop() if len(names) == 1 else ""
    return f"Possible range of {name}" if name else "Possible range"


def side_by_side(protocols: Sequence[ProtocolSummary], *, whole: bool) -> list[dict[str, GroupSummary]]:
    """Return the parts of an exam if `whole`, else the groups within them. Each maps the protocols that have it to their summaries."""
    found: dict[tuple[tuple[str, str], ...], dict[str, GroupSummary]] = {}
    for p in protocols:
        for g in p.groups:
            if g.whole is whole:
                found.setdefault(tuple(g.by.items()), {})[p.protocol] = g
    return list(found.values())


def told_apart(groups: Sequence[dict[str, str]]) -> list[str]:
    """Return the names of groups. Groups with one name get their grouping added: 'all · type text', 'all · kind text'."""
    names = [part_name(by) for by in groups]
    return [
        name
        if names.count(name) == 1
        else " · ".join(v if at == 0 else f"{k} {v}" for at, (k, v) in enumerate(by.items()))
        for name, by in zip(names, groups, strict=True)
    ]


def most(groups: Iterable[GroupSummary]) -> int:
    """Return the n of a part: that of the protocol that asks most of its samples."""
    return max(g.n for g in groups)


def size(protocol: ProtocolSummary, groups: Iterable[GroupSummary]) -> str:
    """Return the n of a part, as `most` computes it, and the number of images: '200 on 3 images'."""
    largest = max(groups, key=lambda g: g.n)
    return on_clusters(largest.n, largest.clusters, protocol.cluster)


class ProtocolNames(list[str]):
    """The names of equal things, shown as 'click, screenspot'."""

    def __str__(self) -> str:
        return ", ".join(self)


def together(
    pairs: Iterable[tuple[str, T]], key: Callable[[T], Any] = lambda thing: thing
) -> list[tuple[ProtocolNames, T]]:
    """Return equal things once, under all their names. Things are equal if their `key` is equal.

    >>> [(str(names), thing) for names, thing in together([("click", 1), ("strict", 2), ("screenspot", 1)])]
    [('click, screenspot', 1), ('strict', 2)]
    """
    found: list[tuple[ProtocolNames, T]] = []
    for name, thing in pairs:
        same = next((names for names, other in found if key(other) == key(thing)), None)
        if same is None:
            found.append((ProtocolNames([name]), thing))
        else:
            same.append(name)
    return found


class _ProtocolColumn(NamedTuple):
    """Protocols with the same result on a part: their names, and the first of them with its group."""

    names: ProtocolNames
    protocol: ProtocolSummary
    group: GroupSummary


def columns(protocols: Sequence[ProtocolSummary], part: Mapping[str, GroupSummary]) -> list[_ProtocolColumn]:
    """Return the protocols that have a part, grouping those with the same result on it."""
    by_name = {p.protocol: p for p in protocols if p.protocol in part}
    found = together((name, (p.headline, part[name])) for name, p in by_name.items())
    return [_ProtocolColumn(names, by_name[names[0]], group) for names, (_headline, group) in found]


def sample_values(
    protocols: Mapping[str, ProtocolSummary], columns: Sequence[tuple[ProtocolNames, Mark]]
) -> Iterator[tuple[str, list[str]]]:
    """Yield every metric that a sample has under some protocol: its name, and its value in each column."""
    keys = dict.fromkeys(key for _names, mark in columns for key, value in mark.metrics.items() if value is not None)
    for key in keys:
        label = next(metric_name(protocols[names[0]], key) for names, mark in columns if key in mark.metrics)
        values = [
            sample_value(protocols[names[0]], key, mark.metrics[key]) if key in mark.metrics else ""
            for names, mark in columns
        ]
        yield label, values


# ---------------------------------------------------------------- questions that were asked several times


def times_asked(protocols: Sequence[ProtocolSummary]) -> int:
    """Return how many times questions were asked."""
    return max((p.repeats for p in protocols), default=1)


def asked_often(repeats: int) -> str:
    """Return ' · asked 3 times', or an empty text for once."""
    return f" · asked {repeats} times" if repeats > 1 else ""


def first_only(protocols: Sequence[ProtocolSummary]) -> str:
    """Return a note that only the first of several answers is shown, or an empty text if every question was asked once."""
    asked = times_asked(protocols)
    return f"Every question was asked {asked} times: this is about the first answer to each." if asked > 1 else ""


def alike(protocol: ProtocolSummary) -> list[str]:
    """Return how many samples were right each time, and how many got the same answer each time. Empty if every question was asked once."""
    every = [g.consistency for g in protocol.groups if g.whole and g.consistency is not None]
    found = Consistency(
        **{name: sum(getattr(c, name) for c in every) for name in ("always", "sometimes", "never", "same")}
    )
    if not found.n:
        return []
    return [
        f"Of {counted(found.n, 'sample')} asked {protocol.repeats} times, right each time: {found.always}, some times: "
        f"{found.sometimes}, never: {found.never}; answered the same each time: {found.same}."
    ]


# ---------------------------------------------------------------- runs


def title(manifest: Manifest) -> str:
    """Return 'salbench · baseline/pixels · 3 shots'."""
    shots = manifest.options.shots
    return f"{manifest.exam} · {model_name(manifest)}" + (f" · {shots} shots" if shots else "")


def common_samples(exam: str, samples: int, *, synthetic: bool) -> str:
    """Return the title of a comparison: 'salbench · 45 common samples · SYNTHETIC'."""
    return f"{exam} · {counted(samples, 'common sample')}" + " · SYNTHETIC" * synthetic


def no_answers(groups: Iterable[GroupSummary]) -> str:
    """Return 'No answer: 12 of 144 (8 unparsable, 4 refused), counted as wrong.', or an empty text."""
    total = 0
    found: Counter[str] = Counter()
    for group in groups:
        total += group.answers
        found.update({name: n for name, n in group.outcomes.items() if name in NON_ANSWERS})
    kinds = ", ".join(f"{n} {name}" for name, n in found.items())
    return f"No answer: {sum(found.values())} of {total} ({kinds}), counted as wrong." if found else ""


def silence(summary: Summary) -> list[str]:
    """Return, for each part with many non-answers under the main protocol, a sentence with the possible range of its score."""
    lines = []
    for main in summary.plain[:1]:
        name = metric_name(main, main.bounded or main.headline)
        for row in summary.silent:
            if row.protocol == main.protocol:
                kinds = ", ".join(f"{n} {kind}" for kind, n in row.outcomes.items())
                said = f"NO ANSWER: {row.missing} of {row.n} in {part_name(row.by)} ({kinds}), counted as wrong."
                ends = "" if row.bounds is None else " to ".join(map(percent, row.bounds))
                lines.append(f"{said} Its {name} could be {ends}." if ends else said)
    return lines


def silent_share(summary: Summary, protocol: str, by: dict[str, str]) -> str:
    """Return '38 % no answer' for a part with many non-answers, else an empty text."""
    found = next((row for row in summary.silent if row.protocol == protocol and row.by == by), None)
    return f"{100 * found.share:.0f} % no answer" if found is not None else ""


def scored_by(summary: Summary) -> list[str]:
    """Return 'Scored by siglip (padding max_length).' for each scorer, the main one first."""
    lines = []
    for one in summary.scorers:
        still = f"; {one.unscored} answers not scored" if one.unscored else ""
        lines.append(f"Scored by {one.name} (padding {one.identity.get('padding', 'unknown')}){still}.")
    return lines


def answered_of(summary: Summary) -> tuple[int, int]:
    """Return how many questions got an answer, and how many there are in total."""
    wanted = summary.questions or summary.samples * len(summary.asked)
    return sum(summary.asked.values()) - summary.failed, wanted


def incomplete(summary: Summary) -> str:
    """Return what an incomplete run has, and what it lacks."""
    answered, wanted = answered_of(summary)
    unscored = summary.scorers[0].unscored if summary.scorers else 0
    lacks, then = f"{answered} of {wanted} questions answered, {summary.failed} failed", "ask"
    if answered == wanted and unscored:
        lacks, then = f"{unscored} of {wanted} answers not scored yet", "score"
    if summary.subject.startswith("import/"):
        return f"INCOMPLETE: {lacks}. The log that it was imported from has no answer to the rest."
    return f"INCOMPLETE: {lacks}. Run the same command again to {then} the rest."


def summed(every: Iterable[Totals]) -> Totals:
    """Return the total calls and cost of several runs."""
    found = Totals()
    for one in every:
        found.calls += one.calls
        found.stored += one.stored
        found.cost += one.cost
        found.cost_unknown += one.cost_unknown
    return found


def money(totals: Totals) -> str:
    """Return what a run cost, and whether that figure is complete."""
    if not totals.calls:
        return "no calls paid"
    if not totals.cost and totals.cost_unknown:
        return "cost unknown"
    unknown = f" (and {totals.cost_unknown} calls of unknown cost)" if totals.cost_unknown else ""
    return f"{totals.cost:.4f} USD{unknown}"


def calls(totals: Totals, subject: str = "") -> str:
    """Return a sentence on all calls that a run made to endpoints, including earlier sessions."""
    if not (totals.calls or totals.stored):
        return f"No API calls ({'imported from a log' if subject.startswith('import/') else 'local subject'})."
    retried = f" in {totals.tries} tries" if totals.tries > totals.calls else ""
    said = [f"{totals.calls} calls{retried}", f"{totals.stored} from the store"]
    if totals.calls:
        parts = token_parts(totals)
        counted_as = f"{totals.input_tokens:,} + {totals.output_tokens:,} tokens" + (f" ({parts})" if parts else "")
        said += [counted_as, money(totals)]
    return f"In all: {', '.join(said)}."


def token_parts(totals: Totals) -> str:
    """Return '1,200 thinking, 500 from a cache' for tokens with another price or meaning, or an empty text."""
    parts = (
        (totals.reasoning_tokens, "thinking"),
        (totals.cached_tokens, "from a cache"),
        (totals.cache_write_tokens, "written to a cache"),
    )
    return ", ".join(f"{n:,} {what}" for n, what in parts if n)
