"""From the letters that were read to the loss in the image: its size, and what a lossy codec removed. Pure.

A model that reads badly reads large and small images equally badly. So the height of the smallest letters alone shows nothing. Only the
difference between charts of two sizes does, and that between a chart and its copy that was damaged here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from snellen.core.types import Answer
from snellen.engine.probe.questions import QUALITY, Charts
from snellen.engine.probe.reading import letters_right
from snellen.engine.probe_records.results import ProbeResult, Replies, Sure, cannot_tell, fine, found, obeyed
from snellen.subjects.families import Family
from snellen.synthetic.charts import A_ROW, HEIGHTS, LARGE, SMALL, Chart

BLIND = "the model does not read the chart"
TOP = 3
"""The rows that must be read for a chart to count as read: the largest, or the darkest."""
TOLD = 0.7
SURE = 0.55
"""Shares of the expected size. The noise of a row in either chart stays above the first."""
WHOLE = 0.85
LOW, ROOM = 1.4, 0.4
"""The factor by which letters must be larger with detail low, and the share of its size at which an image must be seen without it, for a
verdict.
"""
IDEAL = 29
"""Thin letters, of 50, that a perfect reader gets right after JPEG of quality 30."""
SHORT_OF_IDEAL = 8
ALIKE, BETTER = 4, 7
"""The number of letters by which two charts may differ and count as equally well read, and by which one must be ahead to count as
better.
"""
FAINT = 13
"""Broad letters, of 20, that must be read: those of contrast 6. JPEG does not affect them, so a reader that misses them sees no
contrast.
"""


def _rights(chart: Chart, heard: Answer) -> list[int]:
    """Return the number of correct letters, row by row."""
    return letters_right(heard.text, [row.letters for row in chart.rows])


def _reads(rows: Sequence[int], top: int = TOP) -> bool:
    """Tell whether a chart was read at all, by its first rows."""
    return sum(rows[:top]) >= top * (A_ROW - 1)


def smallest(chart: Chart, rows: Sequence[int]) -> float:
    """Return the height of letters at which reading ends, counted by letters as on an eye chart: each is worth a fifth of a row."""
    first = HEIGHTS.index(chart.rows[0].height)
    at = min(max(first + sum(rows) / A_ROW - 1, 0.0), len(HEIGHTS) - 1.0)
    low = min(int(at), len(HEIGHTS) - 2)
    step = math.log(HEIGHTS[low + 1] / HEIGHTS[low])
    return HEIGHTS[low] * math.exp(step * (at - low))


def scale_of(small: float, large: float, reduced: float | None) -> float:
    """Return the share of its size at which a large image was seen, from the smallest letters read in the three kinds of charts.

    The chart that was reduced here to a quarter shows how much larger letters must be after scaling. Values in between are interpolated by
    logarithms.

    >>> round(scale_of(6, 6, 30), 2), round(scale_of(6, 30, 30), 2), round(scale_of(6, 12, None), 2)
    (1.0, 0.25, 0.5)
    """
    worse = max(0.0, math.log(large / small))
    if reduced is None or reduced < small * 1.5:
        return math.exp(-worse)
    return math.exp(math.log(SMALL[0] / LARGE[0]) * worse / math.log(reduced / small))


def judge_size(drawn: Charts, replies: Replies, family: Family | None) -> ProbeResult:
    """Measure the size at which a large image is seen."""
    small = [_rights(chart, replies[f"small-{n}"][0]) for n, chart in enumerate(drawn.small)]
    large = [_rights(chart, replies[f"large-{n}"][0]) for n, chart in enumerate(drawn.large)]
    if not all(map(_reads, small)):
        return cannot_tell(BLIND)
    one = fmean(smallest(c, r) for c, r in zip(drawn.small, small, strict=True))
    if not all(map(_reads, large)):
        return _unread_when_large(one, large, _expected(family))
    other = fmean(smallest(c, r) for c, r in zip(drawn.large, large, strict=True))
    reduced = _rights(drawn.reduced, replies["reduced"][0])
    scale = min(1.0, scale_of(one, other, smallest(drawn.reduced, reduced) if _reads(reduced) else None))
    expected = _expected(family)
    measured = {
        "scale": round(scale, 3),
        "small": round(one, 1),
        "large": round(other, 1),
        "expected": round(expected, 3),
    }
    seen = f"the large one is seen at about {scale:.2f} of its size, {LARGE[0] * scale:.0f} x {LARGE[1] * scale:.0f}"
    said = f"letters of {one:.0f} px are read in a picture of {_of(SMALL)}, of {other:.0f} px in one of {_of(LARGE)}"
    if scale < TOLD * expected:
        less = f", where {_source(family)} {expected:.2f}" if family is not None and family.sizes_known else ""
        sure: Sure = "sure" if scale < SURE * expected else "likely"
        return found(f"{said}: {seen}{less}", sure, measured)
    return fine(f"{said}: {_as_expected(seen, scale, expected, family)}", measured)


def _as_expected(seen: str, scale: float, expected: float, family: Family | None) -> str:
    if scale >= WHOLE:
        more = (
            f", more than the {expected:.2f} that {_source(family)}" if family is not None and expected < TOLD else ""
        )
        return f"it is seen whole{more}"
    if family is not None and family.sizes_known:
        return f"{seen}; {_source(family)} {expected:.2f}"
    return f"{seen}, or whole: that is too close to tell"


def _source(family: Family) -> str:
    return f"{family.name} documents" if family.sure == "documented" else f"others report of {family.name}"


def _unread_when_large(small: float, large: Sequence[Sequence[int]], expected: float) -> ProbeResult:
    """Judge a size at which not even the largest letters are read. If the family documents so small a size, that is to be expected."""
    got = sum(map(sum, large))
    most = f"{got} of {sum(len(rows) for rows in large) * A_ROW} letters"
    said = f"letters of {small:.0f} px are read in a picture of {_of(SMALL)}, but only {most} up to {HEIGHTS[0]} px in one of {_of(LARGE)}"
    scale = round(small / HEIGHTS[0], 3)
    if expected <= 2 * scale:
        return cannot_tell(f"{said}, and {expected:.2f} of its size is documented")
    told = f"{said}: it is seen at less than {max(scale, 0.01):.2f} of its size, or cut"
    return found(told, "likely", {"scale": scale, "small": round(small, 1)})


def _expected(family: Family | None) -> float:
    """Return the share of its size at which the family's own rule shows the large chart."""
    if family is None or not family.sizes_known:
        return 1.0
    wide, high = family.seen(*LARGE)
    return min(1.0, wide / LARGE[0], high / LARGE[1])


def judge_detail(drawn: Charts, replies: Replies, _family: Family | None) -> ProbeResult:
    """Tell whether an image with `detail` low is seen less well."""
    small, chart = drawn.small[0], drawn.large[0]
    near, whole, low = (
        _rights(c, replies[n][0]) for c, n in ((small, "small-0"), (chart, "large-0"), (chart, "large-low"))
    )
    reduced = _rights(drawn.reduced, replies["reduced"][0])
    if not (_reads(near) and _reads(whole)):
        return cannot_tell(BLIND)
    at = smallest(chart, whole)
    scale = scale_of(smallest(small, near), at, smallest(drawn.reduced, reduced) if _reads(reduced) else None)
    if scale < ROOM:
        return cannot_tell(
            f"without detail the picture is seen at {scale:.2f} of its size already: there is no room for less"
        )
    less = smallest(chart, low) if _reads(low) else float(HEIGHTS[0])
    said = f"letters of {at:.0f} px are read without detail, of {less:.0f} px with detail low"
    measured = {"without": round(at, 1), "low": round(less, 1)}
    return obeyed(said, less >= LOW * at, measured)


def judge_codec(drawn: Charts, replies: Replies, _family: Family | None) -> ProbeResult:
    """Tell whether the image loses what a JPEG file of low quality loses: thin faint letters, but not broad ones that are fainter."""
    names = ("fine", "fine-jpeg", "broad")
    by_name = dict(zip(names, (drawn.fine, drawn.fine, drawn.broad), strict=True))
    rows = {name: _rights(chart, replies[name][0]) for name, chart in by_name.items()}
    if not _reads(rows["fine"], 2):
        return cannot_tell(BLIND)
    got = {name: sum(some) for name, some in rows.items()}
    thin, worse, broad = (got[name] for name in names)
    said = (
        f"of 50 thin letters of falling contrast {thin} are read, and {worse} of the same as JPEG of quality {QUALITY}"
    )
    if thin >= worse + BETTER:
        return fine(f"{said}: no such loss on the way", got)
    at_its_edge = worse >= IDEAL - SHORT_OF_IDEAL and thin <= IDEAL + SHORT_OF_IDEAL
    if thin <= worse + ALIKE and at_its_edge and broad >= FAINT:
        told = f"{said}, but {broad} of 20 broad ones that are fainter: the picture is re-encoded with loss"
        return found(told, "likely", got)
    return cannot_tell(f"{said}: the model sees no difference", got)


def _of(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"
