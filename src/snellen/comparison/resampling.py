"""Numbers that are no means over samples, computed again without each of some groups of clusters. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from statistics import fmean

from snellen.comparison.choices import AnalysisChoice
from snellen.comparison.columns import MarkColumns
from snellen.comparison.readings import Readings
from snellen.stats.intervals import Interval
from snellen.stats.jackknife import left_out, moved_interval

GROUPS = 20
"""As many groups are left out in turn."""


def interval_of(readings: Readings, choice: AnalysisChoice) -> Interval | None:
    """The interval of any reading: its own where it has one, else the jackknife's over groups of clusters.

    Of questions that were asked several times it is the mean of the intervals of each time: more repeats are no more samples.
    """
    import numpy as np

    if len(readings.each) > 1:
        every = [one for single in readings.each if (one := interval_of(single, choice)) is not None]
        ends = (fmean(one.low for one in every), fmean(one.high for one in every)) if every else None
        return None if ends is None else Interval(*ends, every[0].kind)
    own, number = readings.interval(choice), readings.number(choice)
    found = readings.columns(choice)
    if own is not None or number is None or found is None or choice.reader != choice.marker:
        return own
    values = []
    for places in kept_places(found):
        fewer = Readings({(choice.marker, choice.prompt): only(found, places)})
        fewer.scopes = readings.scopes
        again = fewer.number(choice)
        values.append(np.nan if again is None else again.value)
    return moved_interval(number.value, np.array(values), float(number.n)) if values else None


def kept_places(found: MarkColumns) -> Iterator[list[int]]:
    """The rows that are left without each group; clusters are dealt out by name, so that their order says nothing."""
    import numpy as np

    shared = zip(clusters_of(found), found.ids, strict=True)
    groups = [str(zlib.crc32((cluster or name).encode()) % GROUPS) for cluster, name in shared]
    return (np.flatnonzero(kept).tolist() for kept in left_out(groups))


def only(found: MarkColumns, places: Sequence[int]) -> MarkColumns:
    """Some of the rows, in this order."""
    import numpy as np

    at = np.array(places, dtype=np.int64)
    new = np.full(len(found.row), -1, dtype=np.int64)
    new[at] = np.arange(len(at))
    groups = {}
    for name, grouping in found.groups.items():
        there = new[grouping.at] >= 0
        groups[name] = grouping._replace(at=new[grouping.at[there]], which=grouping.which[there])
    parts = sorted(set(found.part[at].tolist()))
    return found._replace(
        ids=tuple(found.ids[i] for i in places),
        row=found.row[at],
        outcome=found.outcome[at],
        parts=tuple(found.parts[i] for i in parts),
        tags=tuple(found.tags[i] for i in parts),
        part=np.searchsorted(np.array(parts, dtype=np.int64), found.part[at]),
        joined=frozenset(),
        groups=groups,
        answers=tuple(found.answers[i] for i in places),
        guesses={name: column[at] for name, column in found.guesses.items()},
        values={name: column[at] for name, column in found.values.items()},
    )


def clusters_of(found: MarkColumns) -> list[str]:
    """What rows share: the image, or where there are several parts the name behind the part's, as `compare` has it."""
    several = len(found.parts) > 1
    return [
        cluster or (name.rpartition("/")[2] if several else "")
        for cluster, name in zip(found.clusters, found.ids, strict=True)
    ]
