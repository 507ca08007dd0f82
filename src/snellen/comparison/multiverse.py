"""`compare --explain`: two runs under every reading that both have, paired on the samples that both have. Reads, writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from snellen.comparison.choices import AnalysisChoice
from snellen.comparison.columns import MarkColumns
from snellen.comparison.explaining import LeadReadings
from snellen.comparison.lead_records import ChoiceLeads, LeadReading, Leads
from snellen.comparison.pairing import Common, OpenedRun
from snellen.comparison.readings import Readings
from snellen.comparison.remarking import marked_again
from snellen.comparison.resampling import clusters_of, kept_places, only
from snellen.comparison.verdict import CHANCE
from snellen.core.errors import SnellenError
from snellen.stats.jackknife import moved_interval
from snellen.stats.means import of_samples
from snellen.stats.significance import sign_flips

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

SAME = 1e-9
FIRST_ONLY = "Of questions that were asked several times, these readings count the first time alone."
Pair = tuple[Readings, Readings]


def leads_of(runs: Sequence[OpenedRun], shared: Common) -> Leads:
    """Under how many choices each of two runs leads."""
    if len(runs) != 2:
        raise SnellenError("--explain compares two runs: name two")
    first, second = runs
    prompts = {arm.text for _protocol, arm in shared.protocols.values()}
    columns = [
        {key: found for key, found in marked_again(one.run).columns.items() if key[1] in prompts} for one in runs
    ]
    main, (_protocol, arm) = next(iter(shared.protocols.items()))
    keys = [key for key in columns[0] if key in columns[1]]
    keys.sort(key=lambda key: key != (main.partition("@")[0], arm.text))  # the main protocol comes first
    both = {key: _paired(columns[0][key], columns[1][key], shared.samples) for key in keys}
    pair = _pair({k: v[0] for k, v in both.items()}, {k: v[1] for k, v in both.items()})
    scope = LeadReadings(pair[0]).scope()
    choices = dict.fromkeys(choice for side in pair for choice in side.every(scope))
    letters = first.letter, second.letter
    without = _Without(pair)
    rows = [row for choice in choices if (row := _row(pair, choice, letters, without)) is not None]
    own = _row(pair, LeadReadings(pair[0]).choice(scope), letters, without)
    if own is None:
        raise SnellenError(f"{second.run.path} has no number for '{scope}' under '{main}': there is nothing to explain")
    made = leads(scope, letters, own, rows)
    if any(p.repeats > 1 for one in runs for p in one.summary.protocols):
        return replace(made, verdict=(*made.verdict, FIRST_ONLY))
    return made


def _pair(first: Mapping[tuple[str, str], MarkColumns], second: Mapping[tuple[str, str], MarkColumns]) -> Pair:
    """Two runs' readings of the same samples: a sample that one of them leaves out is left out for both."""
    return Readings(first, second), Readings(second, first)


def leads(part: str, letters: tuple[str, str], own: LeadReading, rows: Sequence[LeadReading]) -> Leads:
    """Readings counted, in all and by choice; `own` is the one that the first run leads with."""
    a, b, clear_a, clear_b = _counts(rows, letters)
    turning = [r for r in rows if len(_changes(r, own)) == 1 and _clear(r) != _clear(own)]
    return Leads(
        part=part,
        first_run=letters[0],
        second_run=letters[1],
        readings=len(rows),
        first=a,
        second=b,
        clear_first=clear_a,
        clear_second=clear_b,
        turns=tuple(turn for name in CHOSEN for turn in _turns(name, rows, letters)),
        turning=tuple(turning),
        rows=tuple(rows),
        verdict=(_counted((a, clear_a), (b, clear_b), letters, len(rows)), *_turned(own, turning)),
    )


# ---------------------------------------------------------------- samples that both have


def _paired(first: MarkColumns, second: MarkColumns, samples: Iterable[str]) -> tuple[MarkColumns, MarkColumns]:
    """Both runs' marks of the same samples in the same order; items that several samples make up are left out."""
    places = [{name: at for at, name in enumerate(one.ids)} for one in (first, second)]
    ids = [name for name in samples if name in places[0] and name in places[1]]
    return only(first, [places[0][i] for i in ids]), only(second, [places[1][i] for i in ids])


# ---------------------------------------------------------------- one reading


def _row(pair: Pair, choice: AnalysisChoice, letters: tuple[str, str], without: _Without) -> LeadReading | None:
    a, b = (side.number(choice) for side in pair)
    found = pair[0].columns(choice)
    if a is None or b is None or found is None:
        return None
    move = b.value - a.value
    leader = "" if abs(move) < SAME else letters[move > 0]
    p = _p(pair, choice) if leader else 1.0
    clear = p < CHANCE if p is not None else without.clear(choice, move)
    return LeadReading(
        protocol=choice.marker,
        prompt=choice.prompt,
        metric=choice.metric,
        label=found.about(choice.metric).label_of(choice.metric),
        average=choice.average,
        non_answers=choice.silent,
        n=min(a.n, b.n),
        first=a.value,
        second=b.value,
        leader=leader,
        clear=bool(leader) and clear,
        p=p,
    )


def _p(pair: Pair, choice: AnalysisChoice) -> float | None:
    """The paired test of two means over the same samples with the same weights; None where it is not that."""
    import numpy as np

    found = [side.columns(choice) for side in pair]
    if found[0] is None or found[1] is None:
        return None
    first, second = pair[0].weighed(found[0], choice), pair[1].weighed(found[1], choice)
    if first is None or second is None or not np.array_equal(first[0], second[0]):
        return None
    if not np.array_equal(first[1], second[1]):
        return None
    at, weights, _values = first
    every = clusters_of(found[0])
    scaled = weights * len(at)
    if np.ptp(scaled) < SAME:  # all alike: right or wrong stays so, and the test is exact
        scaled = np.ones(len(at))
    moves = scaled * (second[2] - first[2])
    return sign_flips(of_samples(moves.tolist(), [every[i] for i in at.tolist()])).p


class _Without:
    """Both runs again without each of some groups of clusters, made when first needed."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._made: dict[tuple[str, str], list[Pair]] = {}

    def clear(self, choice: AnalysisChoice, move: float) -> bool:
        """Whether the jackknife's interval of a lead leaves out 0."""
        import numpy as np

        found = []
        for first, second in self._of((choice.marker, choice.prompt)):
            a, b = first.number(choice), second.number(choice)
            found.append(np.nan if a is None or b is None else b.value - a.value)
        interval = moved_interval(move, np.array(found), 1.0, share=False) if found else None
        return interval is not None and not interval.low <= 0 <= interval.high

    def _of(self, key: tuple[str, str]) -> list[Pair]:
        if key not in self._made:
            self._made[key] = list(self._pairs(key))
        return self._made[key]

    def _pairs(self, key: tuple[str, str]) -> Iterable[Pair]:
        found = [side.marked[key] for side in self._pair]
        for places in kept_places(found[0]):
            first, second = _pair(*({key: only(one, places)} for one in found))
            first.scopes = second.scopes = self._pair[0].scopes
            yield first, second


# ---------------------------------------------------------------- counting and words


CHOSEN: Mapping[str, str] = {
    "protocol": "protocol",
    "prompt": "prompt",
    "metric": "label",
    "average": "average",
    "non-answers": "non_answers",
}
"""By which choices readings are counted, and the field that each is in."""


def _counts(rows: Iterable[LeadReading], letters: tuple[str, str]) -> tuple[int, int, int, int]:
    own = [(row.leader, row.clear) for row in rows]
    a, b = ([clear for leader, clear in own if leader == letter] for letter in letters)
    return len(a), len(b), sum(a), sum(b)


def _turns(name: str, rows: Sequence[LeadReading], letters: tuple[str, str]) -> list[ChoiceLeads]:
    values = list(dict.fromkeys(_chosen(row, name) for row in rows))
    found = []
    for value in values if len(values) > 1 else ():
        such = [row for row in rows if _chosen(row, name) == value]
        a, b, clear_a, clear_b = _counts(such, letters)
        found.append(
            ChoiceLeads(
                choice=name,
                value=value,
                readings=len(such),
                first=a,
                second=b,
                clear_first=clear_a,
                clear_second=clear_b,
            )
        )
    return found


def _chosen(row: LeadReading, name: str) -> str:
    return str(getattr(row, CHOSEN[name]))


def _changes(row: LeadReading, own: LeadReading) -> list[str]:
    return [name for name in CHOSEN if _chosen(row, name) != _chosen(own, name)]


def _clear(row: LeadReading) -> str:
    """Who leads by more than chance, if anybody."""
    return row.leader if row.clear else ""


def _counted(first: tuple[int, int], second: tuple[int, int], letters: tuple[str, str], readings: int) -> str:
    sides = sorted(((*first, letters[0]), (*second, letters[1])), key=lambda s: (-s[0], s[2]))
    (most, clear, leader), (fewer, fewer_clear, other) = sides
    lead = f"{leader} leads in {most} of {readings} readings of the same answers, in {clear} by more than chance"
    rest = f"{other} leads in {fewer}, in {fewer_clear} by more than chance" if fewer else f"{other} in none"
    return f"{lead}; {rest}."


def _turned(own: LeadReading, turning: Sequence[LeadReading]) -> list[str]:
    """Which single changes make or end a lead, or turn it around."""
    what = f"Under '{own.protocol}' {own.label}"
    before = f"shows a lead of {own.leader}" if own.clear else "shows no lead that could not be chance"
    if not turning:
        return [f"{what} {before}, and no single other choice changes that."]
    named: dict[tuple[str, str], list[str]] = {}
    for row in turning:
        (name,) = _changes(row, own)
        named.setdefault((_clear(row), name), []).append(f"'{_chosen(row, name)}'")
    said = []
    for end in dict.fromkeys(leader for leader, _name in named):
        ways = "; or ".join(f"{name} {' or '.join(v)}" for (leader, name), v in named.items() if leader == end)
        said.append(f"{f'{end} leads' if end else 'it is gone'} with {ways}")
    return [f"{what} {before}; changed in one choice, {', and '.join(said)}."]
