"""A comparison in sentences: which run leads, under which protocols, whether that could be chance, and how much of the lead is replies that
could not be read. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen.comparison.results import ComparisonRow, RankedRun, Ranking
from snellen.core.figures import between, counted, every, listed
from snellen.core.grouping import grouped
from snellen.core.unanswered import LOUD
from snellen.stats.intervals import LEVEL
from snellen.stats.significance import clusters_needed

CHANCE = 1 - LEVEL
"""A difference whose p is this or more could be chance."""
WORTH_SAYING = 0.1
"""The part of a lead from which on non-answers are mentioned."""


class _AgreeingProtocols(NamedTuple):
    """Protocols that agree on all samples: their names, and the first one's row."""

    names: tuple[str, ...]
    row: ComparisonRow

    @property
    def clear(self) -> bool:
        """True if the difference is more than chance."""
        return self.row.p < CHANCE and self.row.gain != 0


def verdict(rows: Sequence[ComparisonRow], ranking: Ranking | None = None) -> tuple[str, ...]:
    """Return the closing sentences."""
    if ranking is not None:
        return tuple(_of_many(ranking, rows))
    wholes = _wholes(rows)
    if not wholes:
        return tuple(_by_part(rows))
    if not wholes[0].able:
        return (_too_few(wholes[0]),)
    found = together([row for row in wholes if row.able])
    return (*map(_lead, found), *_parts(rows), *_again(found[0].row), *_conclusion(found))


def leading(rows: Sequence[ComparisonRow], ranking: Ranking | None = None) -> str:
    """Return the sentences on the leader, for places with room for one thing only."""
    if ranking is not None:
        return " ".join(_of_places(ranking))
    wholes = _wholes(rows)
    if not wholes:
        return " ".join(_by_part(rows))
    return " ".join(_conclusion(together(wholes)) if wholes[0].able else [_too_few(wholes[0])])


def _wholes(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Return each protocol's row of all parts together, the main one first."""
    every = (whole(rows, name) for name in dict.fromkeys(row.protocol for row in rows))
    return [row for row in every if row is not None]


def whole(rows: Iterable[ComparisonRow], protocol: str) -> ComparisonRow | None:
    """Return a protocol's row of all parts together, or of its only part. Return None if parts have different metrics."""
    own = [row for row in rows if row.protocol == protocol]
    return next((row for row in own if not row.part), own[0] if len(own) == 1 else None)


def together(rows: Sequence[ComparisonRow]) -> list[_AgreeingProtocols]:
    """Group the protocols under which the same samples have the same scores."""

    def said(row: ComparisonRow) -> tuple[object, ...]:
        return row.unit, row.n, row.first, row.second, row.p, row.silence.by_first, row.silence.by_second

    groups = grouped((said(row), row) for row in rows)
    return [_AgreeingProtocols(tuple(r.protocol for r in some), some[0]) for some in groups.values()]


# ---------------------------------------------------------------- one protocol


def _too_few(row: ComparisonRow) -> str:
    """Return the text that replaces a verdict when none is possible."""
    few, needed = counted(row.clusters, row.cluster), clusters_needed(CHANCE)
    return (
        f"Too few {row.cluster}s to compare {row.first_run} and {row.second_run}: on {few} no difference can be told from chance, "
        f"however large. It takes at least {needed}."
    )


def _lead(found: _AgreeingProtocols) -> str:
    row = found.row
    where = f"Under {_names(found.names)}"
    if row.gain == 0:
        return f"{where} {row.first_run} and {row.second_run} score the same ({row.label} {amount(row.first, row.unit, '')})."
    size = amount(abs(row.difference), row.unit)
    if row.low is not None and row.high is not None:
        ahead, scale = _ahead(row, row.leader), 1.0 if row.unit else 100.0
        size += f" [{scale * ahead.low:.1f}, {scale * ahead.high:.1f}]"
    size += f" in {row.label}"
    if found.clear:
        lead = f"leads by {size} ({chance(row.p)})"
    elif row.able:
        lead = f"is ahead by {size}, which could be chance ({chance(row.p)})"
    else:
        lead = f"is ahead by {size}, which {counted(row.clusters, row.cluster)} cannot tell from chance"
    return f"{where} {row.leader} {lead}{_unread(row)}."


def unread(row: ComparisonRow) -> float:
    """Return how much of a lead lies in samples that at least one side did not answer. It is below 0 if these cost the leader more."""
    found = row.silence.by_first + row.silence.by_second + row.silence.by_both
    return found if row.difference > 0 else -found


def _unread(row: ComparisonRow) -> str:
    """Return ', of which 24.0 are questions without an answer (A 24 unparsable, B 0)', or an empty string."""
    lead, share = abs(row.difference), unread(row)
    if row.unit or abs(share) < max(WORTH_SAYING * lead, 0.005):
        return ""
    sides = ((row.first_run, row.silence.first), (row.second_run, row.silence.second))
    counts = (f"{run} {', '.join(f'{n} {kind}' for kind, n in counts.items()) or 0}" for run, counts in sides)
    what = f"questions without an answer ({'; '.join(counts)})"
    if share < 0:
        return f", in spite of {amount(-share, '')} lost by {what}"
    return f", all of it {what}" if share >= lead - 1e-12 else f", of which {100 * share:.1f} are {what}"


def _again(row: ComparisonRow) -> list[str]:
    """Describe the effect of repeats on the scores, if there are any."""
    if row.again is None:
        return []
    sides = (row.first_run, row.again.first), (row.second_run, row.again.second)
    known = [(letter, sd) for letter, sd in sides if sd is not None]
    moves = [
        f"{letter}'s{'' if i else ' score moves'} by ±{amount(sd, row.unit)}" for i, (letter, sd) in enumerate(known)
    ]
    said = f"Asked again, {listed(moves)} (one standard deviation)"
    if row.again.share is None:
        return [f"{said}."]
    share = f"{100 * row.again.share:.0f} % of the doubt about the difference"
    return [f"{said}, which is {share}: more repeats lessen that, the rest takes more samples."]


# ---------------------------------------------------------------- parts


def _parts(rows: Sequence[ComparisonRow]) -> list[str]:
    """Describe whether the main protocol's lead survives in the parts, with Holm's correction over them."""
    protocol = rows[0].protocol
    own = [row for row in rows if row.protocol == protocol and row.part]
    if len(own) < 2:
        return []
    won = grouped((row.leader, row.part) for row in own if row.p_holm < CHANCE and row.leader)
    if won:
        said = " and ".join(f"{letter}'s in {listed(parts)}" for letter, parts in won.items())
        verb = "survives" if sum(map(len, won.values())) == 1 else "survive"
        return [f"Of the leads in {len(own)} parts under '{protocol}', {said} {verb} Holm's correction."]
    few = [row.cluster for row in own if row.least_p >= CHANCE]
    if len(few) == len(own):
        return [f"In none of the {len(own)} parts could a lead survive Holm's correction: too few {few[0]}s."]
    enough = f"{len(own) - len(few)} parts with enough {few[0]}s" if few else f"{len(own)} parts"
    return [f"In none of the {enough} does a lead under '{protocol}' survive Holm's correction."]


def _by_part(rows: Sequence[ComparisonRow]) -> list[str]:
    """Describe the leader in each part under the main protocol, for parts with different metrics, which have no row of all parts."""
    return [
        f"{row.part}: {_lead(_AgreeingProtocols((row.protocol,), row))}"
        for row in rows
        if row.protocol == rows[0].protocol and row.part
    ]


# ---------------------------------------------------------------- all protocols


def _conclusion(found: Sequence[_AgreeingProtocols]) -> list[str]:
    protocols = len(_every(found))
    clear, unsure = [one for one in found if one.clear], [one for one in found if not one.clear]
    if not clear:
        first = found[0].row
        which = {1: "", 2: " under either protocol"}.get(protocols, f" under any of {protocols} protocols")
        shown = ""
        if first.smallest is not None and not first.unit:
            on = f" on {counted(first.clusters, first.cluster)}" if first.clusters < first.n else ""
            size = amount(first.smallest, "")
            shown = f": {counted(first.n, 'sample')}{on} show {size} or more, four times in five"
        return [f"{first.first_run} and {first.second_run} cannot be told apart{which}{shown}."]
    leader = clear[0].row.leader
    if any(one.row.leader != leader for one in clear):
        return ["Who leads depends on the protocol."]
    best = max((one.row for one in clear), key=lambda row: abs(row.difference))
    lead = abs(best.difference)
    others = [
        (one, ahead)
        for one in found
        if one.row is not best and (one.row.prompt, one.row.unit) == (best.prompt, best.unit)
        if 2 * (ahead := _ahead(one.row, leader)).lead <= lead
    ]
    if _misread(best) and others:
        other, left = min(others, key=lambda pair: pair[1].lead)
        part = f"{100 * min(lead, lead - left.lead):.1f} of {amount(lead, '')} in {best.label}"
        size = f"{amount(left.lead, '')} {between(left.low, left.high)}"
        unsure_of_it = "" if other.clear else ", which could be chance"
        return [f"{part} are parsing: the same replies, read by {_names(other.names)}, leave {size}{unsure_of_it}."]
    if _misread(best):
        misread = [one for one in clear if _misread(one.row)]
        where = "" if len(misread) == len(found) else f" under {_names(_every(misread))}"
        return [f"At least half of {leader}'s lead{where} is questions without an answer, not wrong answers."]
    if unsure:
        return [f"The lead of {leader} is not sure: under {_names(_every(unsure))} it could be chance."]
    return [f"{leader} leads under {every(protocols, 'protocol')}." if protocols > 1 else f"{leader} leads."]


class _Margin(NamedTuple):
    """The lead of one of two sides, with its interval. Below 0 if it is behind."""

    lead: float
    low: float
    high: float


def _ahead(row: ComparisonRow, side: str) -> _Margin:
    sign = (1 if side == row.second_run else -1) * (-1 if row.better == "lower" else 1)
    low, high = sorted((sign * (-1 if row.low is None else row.low), sign * (1 if row.high is None else row.high)))
    return _Margin(sign * row.difference, low, high)


def _misread(row: ComparisonRow) -> bool:
    """Tell whether at least half of a lead is non-answers."""
    return not row.unit and 2 * unread(row) >= abs(row.difference)


def _every(found: Iterable[_AgreeingProtocols]) -> list[str]:
    return [name for one in found for name in one.names]


# ---------------------------------------------------------------- many runs


def _of_many(ranking: Ranking, rows: Sequence[ComparisonRow]) -> list[str]:
    said = [*_of_places(ranking), *_silent(rows)]
    if ranking.front:
        measures = listed([{"seconds": "time"}.get(m, m) for m in ranking.measures])
        runs = f"{ranking.front[0]} is" if len(ranking.front) == 1 else f"{listed(ranking.front)} are"
        said.append(f"{runs} on the Pareto front of {measures}: no other run is better in one and as good in the rest.")
    return said


def _of_places(ranking: Ranking) -> list[str]:
    """Describe the leader under the main protocol, and under others that read the same replies if they disagree."""
    parts = list(dict.fromkeys(r.part for r in ranking.rows))
    shown = [""] if "" in parts else parts
    said = []
    for part in shown:
        name = f" in {part}" if len(shown) > 1 else ""
        own = [r for r in ranking.rows if r.part == part]
        said.append(f"Under '{ranking.protocol}'{name} {_places(own)}.")
        others = ((one.protocol, [r for r in one.rows if r.part == part]) for one in ranking.others)
        otherwise = grouped((_places(rows), name) for name, rows in others if rows and _otherwise(own, rows))
        said += [
            f"Under {_names(names)}{name}, read out of the same replies, {places}."
            for places, names in otherwise.items()
        ]
    return said


def _otherwise(one: Sequence[RankedRun], other: Sequence[RankedRun]) -> bool:
    """Tell whether two rankings have different leaders (ties included), or one reverses an order that the other is sure of."""
    if (one[0].run, set(_near(one))) != (other[0].run, set(_near(other))):
        return True
    order = [r.run for r in one], [r.run for r in other]
    return any(
        order[1 - at].index(better.run) > order[1 - at].index(worse.run)
        for at, ranks in enumerate((one, other))
        for i, better in enumerate(ranks)
        for worse in ranks[i + 1 :]
        if not set(better.groups) & set(worse.groups) and worse.run in order[1 - at]
    )


def _silent(rows: Sequence[ComparisonRow]) -> list[str]:
    """Name runs with many non-answers, which count as wrong: their ranks are weaker evidence about what they see."""
    found: dict[str, tuple[int, int, dict[str, int]]] = {}
    every = [row for row in rows if not row.part] or rows
    for row in every:
        for run, counts in ((row.first_run, row.silence.first), (row.second_run, row.silence.second)):
            missing = sum(counts.values())
            if missing > LOUD * row.n and missing > found.get(run, (0, 0, {}))[0]:
                found[run] = missing, row.n, counts
    return [
        f"{run} gave no answer to {missing:,} of {n:,} ({', '.join(f'{k} {kind}' for kind, k in counts.items())}), counted as wrong."
        for run, (missing, n, counts) in sorted(found.items())
    ]


def _near(rows: Sequence[RankedRun]) -> list[str]:
    """Return the runs that cannot be told apart from the first."""
    return [r.run for r in rows[1:] if set(r.groups) & set(rows[0].groups)]


def _places(rows: Sequence[RankedRun]) -> str:
    """Return text such as 'B is first with 80.0 and cannot be told apart from C; A is behind it'."""
    best, near = rows[0], _near(rows)
    score = f"{amount(best.score, best.unit, '')} ({best.label})"
    said = f"{best.run} {'is first' if near or best.needed is not None else 'leads'} with {score}"
    if best.needed is not None:
        few = counted(best.clusters, best.cluster)
        return (
            f"{said}; {few} cannot tell {len(rows)} runs apart, whatever their scores: it takes at least {best.needed}"
        )
    behind = [r.run for r in rows[1:] if r.run not in near]
    if near:
        said += f" and cannot be told apart from {listed(near)}"
    if behind:
        said += f"; {listed(behind)} {'is' if len(behind) == 1 else 'are'} behind it"
    return said


# ---------------------------------------------------------------- formatting


def amount(value: float, unit: str, noun: str = " points") -> str:
    """Return '28.3 points', or '12.40 px' for a metric that is not a share."""
    return f"{value:.2f} {unit}" if unit else f"{100 * value:.1f}{noun}"


def chance(p: float) -> str:
    """Return text such as 'p = 0.25', 'p = 0.0031', 'p < 0.0001'."""
    said = p_value(p)
    return f"p < {said[1:]}" if said.startswith("<") else f"p = {said}"


def p_value(p: float) -> str:
    """Return a p in the form of every table and page: '0.25', '0.029', '0.0031', '<0.0001'."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.0095 else f"{p:.3f}" if p < 0.095 else f"{p:.2f}"


def p_of(row: ComparisonRow) -> str:
    """Return the p of a row, a dash if no difference on so few clusters could be significant, or an empty string without a test."""
    if not row.tested:
        return ""
    return p_value(row.p_holm) if row.least_p < CHANCE else "–"


def _names(names: Sequence[str]) -> str:
    return listed([f"'{name}'" for name in names])
