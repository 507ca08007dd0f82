"""`compare --explain`: two runs under every reading that both have, paired on the samples that both have. Reads, writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from snellen.comparison.choices import DIMENSIONS, Choice
from snellen.comparison.columns import MarkColumns
from snellen.comparison.explained import ChoiceLeads, LeadReading, Leads
from snellen.comparison.pairing import Common, OpenedRun
from snellen.comparison.readings import Readings, kept_rows, weighed
from snellen.comparison.remarking import marked_again
from snellen.comparison.verdict import CHANCE
from snellen.core.errors import SnellenError
from snellen.stats.jackknife import moved_interval
from snellen.stats.means import of_samples
from snellen.stats.significance import sign_flips

SAME = 1e-9
FIRST_ONLY = "Of questions that were asked several times, these readings count the first time alone."
CHOSEN = {name: field for name, field in DIMENSIONS.items() if name != "samples"} | {"metric": "label"}
"""By which choices readings are counted, and the field that each is in."""
COUNTED = ("protocol", "prompt", "metric", "average", "non-answers")
Letters = tuple[str, str]


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
    pair = Readings(first, second), Readings(second, first)
    scope = pair[0].main_scope()
    choices = dict.fromkeys(choice for side in pair for choice in side.every(scope))
    letters = runs[0].letter, runs[1].letter
    rows = [row for choice in choices if (row := _row(pair, choice, letters)) is not None]
    own = _row(pair, pair[0].base(scope), letters)
    if own is None:
        path = runs[1].run.path
        raise SnellenError(f"{path} has no number for '{scope}' under '{main}': there is nothing to explain")
    turning = [r for r in rows if len(_changes(r, own)) == 1 and r.winner != own.winner]
    counts = _counts(rows, letters)
    made = Leads(
        part=scope,
        first_run=letters[0],
        second_run=letters[1],
        **counts,
        turns=tuple(turn for name in COUNTED for turn in _turns(name, rows, letters)),
        turning=tuple(turning),
        rows=tuple(rows),
        verdict=(_counted(counts, letters), _turned(own, turning)),
    )
    if any(p.repeats > 1 for one in runs for p in one.summary.protocols):
        return replace(made, verdict=(*made.verdict, FIRST_ONLY))
    return made


def _paired(first: MarkColumns, second: MarkColumns, samples: Iterable[str]) -> tuple[MarkColumns, MarkColumns]:
    """Return both runs' marks of the same samples in the same order; items that several samples make up are left out."""
    sides = [{row.id: row for row in one.rows} for one in (first, second)]
    ids = [name for name in samples if all(name in side for side in sides)]
    a, b = (
        MarkColumns(one.protocol, one.prompt, [side[name] for name in ids])
        for one, side in zip((first, second), sides, strict=True)
    )
    return a, b


# ---------------------------------------------------------------- one reading


def _row(pair: tuple[Readings, Readings], choice: Choice, letters: Letters) -> LeadReading | None:
    a, b = (side.number(choice) for side in pair)
    found = [side.columns(choice) for side in pair]
    if a is None or b is None or found[0] is None or found[1] is None:
        return None
    move = b.value - a.value
    leader = "" if abs(move) < SAME else letters[move > 0]
    p = _p(pair, choice, found[0], found[1]) if leader else 1.0
    clear = p < CHANCE if p is not None else _clear(pair, choice, found[0], found[1], move)
    return LeadReading(
        protocol=choice.protocol,
        prompt=choice.prompt,
        metric=choice.metric,
        label=found[0].about(choice.metric).label_of(choice.metric),
        average=choice.average,
        non_answers=choice.non_answers,
        n=min(a.n, b.n),
        first=a.value,
        second=b.value,
        leader=leader,
        clear=bool(leader) and clear,
        p=p,
    )


def _p(pair: tuple[Readings, Readings], choice: Choice, first: MarkColumns, second: MarkColumns) -> float | None:
    """Return the paired test of two means over the same samples with the same weights; None where it is not that."""
    a, b = weighed(first, choice, pair[0].rows(choice)), weighed(second, choice, pair[1].rows(choice))
    if a is None or b is None or not np.array_equal(a.at, b.at) or not np.array_equal(a.weights, b.weights):
        return None
    clusters = first.clusters()
    scaled = a.weights * len(a.at)
    if np.ptp(scaled) < SAME:  # all alike: right or wrong stays so, and the test is exact
        scaled = np.ones(len(a.at))
    moves = scaled * (b.values - a.values)
    return sign_flips(of_samples(moves.tolist(), [clusters[i] for i in a.at.tolist()])).p


def _clear(
    pair: tuple[Readings, Readings], choice: Choice, first: MarkColumns, second: MarkColumns, move: float
) -> bool:
    """Return whether the jackknife's interval of a lead leaves out 0."""
    moves = []
    for kept in kept_rows(first):
        a = pair[0].of_rows(first, choice, pair[0].rows(choice) & kept)
        b = pair[1].of_rows(second, choice, pair[1].rows(choice) & kept)
        moves.append(np.nan if a is None or b is None else b.value - a.value)
    interval = moved_interval(move, np.array(moves), 1.0, share=False) if moves else None
    return interval is not None and not interval.low <= 0 <= interval.high


# ---------------------------------------------------------------- counting and words


def _counts(rows: Sequence[LeadReading], letters: Letters) -> dict[str, int]:
    leaders, winners = [row.leader for row in rows], [row.winner for row in rows]
    first, second = letters
    return {
        "readings": len(rows),
        "first": leaders.count(first),
        "second": leaders.count(second),
        "clear_first": winners.count(first),
        "clear_second": winners.count(second),
    }


def _turns(name: str, rows: Sequence[LeadReading], letters: Letters) -> list[ChoiceLeads]:
    values: dict[str, list[LeadReading]] = {}
    for row in rows:
        values.setdefault(_chosen(row, name), []).append(row)
    if len(values) < 2:
        return []
    return [ChoiceLeads(choice=name, value=value, **_counts(some, letters)) for value, some in values.items()]


def _chosen(row: LeadReading, name: str) -> str:
    return str(getattr(row, CHOSEN[name]))


def _changes(row: LeadReading, own: LeadReading) -> list[str]:
    return [name for name in COUNTED if _chosen(row, name) != _chosen(own, name)]


def _counted(counts: Mapping[str, int], letters: Letters) -> str:
    sides = zip(letters, ("first", "second"), strict=True)
    (leader, most), (other, least) = sorted(sides, key=lambda side: -counts[side[1]])
    in_how_many = f"in {counts[most]} of {counts['readings']} readings of the same answers"
    lead = f"{leader} leads {in_how_many}, in {counts[f'clear_{most}']} by more than chance"
    if not counts[least]:
        return f"{lead}; {other} in none."
    return f"{lead}; {other} leads in {counts[least]}, in {counts[f'clear_{least}']} by more than chance."


def _turned(own: LeadReading, turning: Sequence[LeadReading]) -> str:
    """Say which single changes make or end a lead, or turn it around."""
    what = f"Under '{own.protocol}' {own.label}"
    before = f"shows a lead of {own.leader}" if own.clear else "shows no lead that could not be chance"
    if not turning:
        return f"{what} {before}, and no single other choice changes that."
    ends: dict[str, dict[str, list[str]]] = {}
    for row in turning:
        (name,) = _changes(row, own)
        ends.setdefault(row.winner, {}).setdefault(name, []).append(f"'{_chosen(row, name)}'")
    said = []
    for end, named in ends.items():
        ways = "; or ".join(f"{name} {' or '.join(values)}" for name, values in named.items())
        said.append(f"{f'{end} leads' if end else 'it is gone'} with {ways}")
    return f"{what} {before}; changed in one choice, {', and '.join(said)}."
