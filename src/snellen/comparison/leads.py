"""`compare --explain`: two runs under every reading that both have, paired on their common samples. Reads, writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from snellen.comparison.columns import MarkColumns
from snellen.comparison.explained import ChoiceLeads, LeadReading, Leads
from snellen.comparison.pairing import Common, OpenedRun
from snellen.comparison.readings import Choice, Readings, weighed, without_each
from snellen.comparison.remarking import marked_again
from snellen.comparison.verdict import CHANCE
from snellen.core.errors import SnellenError
from snellen.core.grouping import grouped
from snellen.stats.jackknife import moved_interval
from snellen.stats.means import of_samples
from snellen.stats.significance import sign_flips

SAME = 1e-9
_FIRST_ONLY = "Of questions that were asked several times, these readings count the first time alone."
_CHOSEN = {
    "protocol": "protocol",
    "prompt": "prompt",
    "metric": "label",
    "average": "average",
    "non-answers": "non_answers",
}
"""The choices by which readings are counted, each with its field."""


class _Pair(NamedTuple):
    """The readings of two runs, and the runs' letters."""

    first: Readings
    second: Readings
    letters: tuple[str, str]


def leads_of(runs: Sequence[OpenedRun], shared: Common) -> Leads:
    """Return under how many choices each of two runs leads."""
    if len(runs) != 2:
        raise SnellenError("--explain compares two runs: name two")
    prompts = {arm.text for _protocol, arm in shared.protocols.values()}
    sides = [marked_again(one.run).times[0] for one in runs]
    main, (_protocol, arm) = next(iter(shared.protocols.items()))
    keys = [key for key in sides[0] if key in sides[1] and key[1] in prompts]
    keys.sort(key=lambda key: key != (main.partition("@")[0], arm.text))  # the main protocol comes first
    both = {key: _paired(sides[0][key], sides[1][key], shared.samples) for key in keys}
    first, second = ({key: columns[side] for key, columns in both.items()} for side in (0, 1))
    pair = _Pair(Readings([first], second), Readings([second], first), (runs[0].letter, runs[1].letter))
    scope = pair.first.main_scope()
    choices = dict.fromkeys(choice for side in (pair.first, pair.second) for choice in side.every(scope))
    rows = [row for choice in choices if (row := _row(pair, choice)) is not None]
    own = _row(pair, pair.first.base(scope))
    if own is None:
        path = runs[1].run.path
        raise SnellenError(f"{path} has no number for '{scope}' under '{main}': there is nothing to explain")
    turning = [row for row in rows if len(_changes(row, own)) == 1 and row.winner != own.winner]
    counts = _counts(rows, pair.letters)
    repeated = any(p.repeats > 1 for one in runs for p in one.summary.protocols)
    return Leads(
        part=scope,
        first_run=pair.letters[0],
        second_run=pair.letters[1],
        **counts,
        turns=tuple(turn for name in _CHOSEN for turn in _turns(name, rows, pair.letters)),
        turning=tuple(turning),
        rows=tuple(rows),
        verdict=(_counted(counts, pair.letters), _turned(own, turning), *([_FIRST_ONLY] if repeated else [])),
    )


def _paired(first: MarkColumns, second: MarkColumns, samples: Iterable[str]) -> list[MarkColumns]:
    """Return both runs' marks of the same samples in the same order. Items made of several samples are left out."""
    sides = [{row.id: row for row in one.rows} for one in (first, second)]
    ids = [name for name in samples if all(name in side for side in sides)]
    return [MarkColumns(first.protocol, first.prompt, [side[name] for name in ids]) for side in sides]


# ---------------------------------------------------------------- one reading


def _row(pair: _Pair, choice: Choice) -> LeadReading | None:
    a, b = pair.first.number(choice), pair.second.number(choice)
    if a is None or b is None:
        return None
    (first,), (second,) = pair.first.columns(choice), pair.second.columns(choice)
    move = b.value - a.value
    leader = "" if abs(move) < SAME else pair.letters[move > 0]
    p = _p(pair, choice, first, second) if leader else 1.0
    return LeadReading(
        protocol=choice.protocol,
        prompt=choice.prompt,
        metric=choice.metric,
        label=pair.first.label_of(choice),
        average=choice.average,
        non_answers=choice.non_answers,
        n=min(a.n, b.n),
        first=a.value,
        second=b.value,
        leader=leader,
        clear=p < CHANCE if p is not None else _clear(pair, choice, first, second, move),
        p=p,
    )


def _p(pair: _Pair, choice: Choice, first: MarkColumns, second: MarkColumns) -> float | None:
    """Return the paired test of two means over the same samples with the same weights. Return None for any other score."""
    a, b = (
        weighed(first, choice, pair.first.rows(first, choice)),
        weighed(second, choice, pair.second.rows(second, choice)),
    )
    if a is None or b is None or not np.array_equal(a.at, b.at) or not np.array_equal(a.weights, b.weights):
        return None
    clusters = first.clusters()
    scaled = a.weights * len(a.at)
    if np.ptp(scaled) < SAME:  # all equal: right or wrong stays so, and the test is exact
        scaled = np.ones(len(a.at))
    moves = scaled * (b.values - a.values)
    return sign_flips(of_samples(moves.tolist(), [clusters[i] for i in a.at.tolist()])).p


def _clear(pair: _Pair, choice: Choice, first: MarkColumns, second: MarkColumns, move: float) -> bool:
    """Tell whether the jackknife's interval of a lead excludes 0."""
    moves = []
    for left in without_each(first, pair.first.rows(first, choice)):  # both have the same rows
        a, b = pair.first.of_rows(first, choice, left), pair.second.of_rows(second, choice, left)
        moves.append(np.nan if a is None or b is None else b.value - a.value)
    interval = moved_interval(move, np.array(moves), 1.0, share=False) if moves else None
    return interval is not None and not interval.low <= 0 <= interval.high


# ---------------------------------------------------------------- counting and sentences


def _counts(rows: Sequence[LeadReading], letters: tuple[str, str]) -> dict[str, int]:
    found = {"readings": len(rows)}
    for side, letter in zip(("first", "second"), letters, strict=True):
        found[side] = sum(row.leader == letter for row in rows)
        found[f"clear_{side}"] = sum(row.winner == letter for row in rows)
    return found


def _turns(name: str, rows: Sequence[LeadReading], letters: tuple[str, str]) -> list[ChoiceLeads]:
    values = grouped((_chosen(row, name), row) for row in rows)
    if len(values) < 2:
        return []
    return [ChoiceLeads(choice=name, value=value, **_counts(some, letters)) for value, some in values.items()]


def _chosen(row: LeadReading, name: str) -> str:
    return str(getattr(row, _CHOSEN[name]))


def _changes(row: LeadReading, own: LeadReading) -> list[str]:
    return [name for name in _CHOSEN if _chosen(row, name) != _chosen(own, name)]


def _counted(counts: dict[str, int], letters: tuple[str, str]) -> str:
    sides = zip(letters, ("first", "second"), strict=True)
    (leader, most), (other, least) = sorted(sides, key=lambda side: -counts[side[1]])
    in_how_many = f"in {counts[most]} of {counts['readings']} readings of the same answers"
    lead = f"{leader} leads {in_how_many}, in {counts[f'clear_{most}']} by more than chance"
    if not counts[least]:
        return f"{lead}; {other} in none."
    return f"{lead}; {other} leads in {counts[least]}, in {counts[f'clear_{least}']} by more than chance."


def _turned(own: LeadReading, turning: Sequence[LeadReading]) -> str:
    """Describe which single changes make, end or reverse a lead."""
    what = f"Under '{own.protocol}' {own.label}"
    before = f"shows a lead of {own.leader}" if own.clear else "shows no lead that could not be chance"
    if not turning:
        return f"{what} {before}, and no single other choice changes that."
    said = []
    for end, rows in grouped((row.winner, row) for row in turning).items():
        named = grouped((name, f"'{_chosen(row, name)}'") for row in rows for name in _changes(row, own))
        ways = "; or ".join(f"{name} {' or '.join(values)}" for name, values in named.items())
        said.append(f"{f'{end} leads' if end else 'it is gone'} with {ways}")
    return f"{what} {before}; changed in one choice, {', and '.join(said)}."
