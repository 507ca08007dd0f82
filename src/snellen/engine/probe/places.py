"""From places and numbers in replies to the coordinate space, and to the order in which several images are seen. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from snellen.engine.probe.questions import Charts
from snellen.engine.probe.reading import places, two_digits
from snellen.engine.probe_records.kept import WORDS, reads_space
from snellen.engine.probe_records.results import ProbeResult, Proposal, Replies, cannot_tell, fine, found
from snellen.subjects.families import FORMATS, PLAIN, Family, families
from snellen.synthetic.charts import COLOURS, Chart

BLIND = "the model does not find the discs"
CLOSE = 0.03
"""The largest distance of a factor from its assumed value, as a share."""
STRAIGHT = 0.025
"""The largest error of a place that counts as found, in widths of the image."""
FOUND = 5


class CoordinateFit(NamedTuple):
    """The factors from a reply's numbers to the true places, and whether y came before x."""

    x: float
    y: float
    swapped: bool


def fitted(discs: Chart, said: Mapping[str, tuple[float, float]]) -> CoordinateFit | None:
    """Return the factors that bring at least five discs to their place. Return None if there are none."""
    for swapped in (False, True):
        pairs = [(discs.middles[c], p[::-1] if swapped else p) for c, p in said.items()]
        if len(pairs) < FOUND:
            return None
        x = median(p[0] / true[0] for true, p in pairs)
        y = median(p[1] / true[1] for true, p in pairs)
        if x <= 0 or y <= 0:
            continue
        hits = sum(
            abs(p[0] / x - true[0]) <= STRAIGHT * discs.width and abs(p[1] / y - true[1]) <= STRAIGHT * discs.width
            for true, p in pairs
        )
        if hits >= FOUND:
            return CoordinateFit(x, y, swapped)
    return None


def space_of(sizes: Sequence[tuple[int, int]], fits: Sequence[CoordinateFit]) -> str:
    """Return the space of the numbers, by the factors of images of different sizes. Empty if it is not a known space."""
    spaces = {
        "image_pixels": [(1.0, 1.0) for _ in sizes],
        "relative_1000": [(1000 / w, 1000 / h) for w, h in sizes],
        "unit": [(1 / w, 1 / h) for w, h in sizes],
        "percent": [(100 / w, 100 / h) for w, h in sizes],
    }
    for name, expected in spaces.items():
        if all(_near(f, *e) for f, e in zip(fits, expected, strict=True)):
            return name
    same_shape = all(abs(f.x / f.y - 1) <= 2 * CLOSE for f in fits)
    return "resized_pixels" if same_shape and fits[0].x < 1 - CLOSE and fits[0].x > 10 / sizes[0][0] else ""


def _near(fit: CoordinateFit, x: float, y: float) -> bool:
    return abs(fit.x / x - 1) <= CLOSE and abs(fit.y / y - 1) <= CLOSE


def judge_coordinates(drawn: Charts, replies: Replies, family: Family | None) -> ProbeResult:
    """Tell which space the coordinates of replies are in."""
    fits = []
    for n, discs in enumerate(drawn.discs):
        fit = fitted(discs, places(replies[f"discs-{n}"][0].text, COLOURS))
        if fit is None:
            return cannot_tell(BLIND)
        fits.append(fit)
    sizes = _sizes(drawn)
    space, swapped = space_of(sizes, fits), fits[0].swapped
    factors = "; ".join(
        f"in {w} x {h} x by {f.x:.4g} and y by {f.y:.4g}" for (w, h), f in zip(sizes, fits, strict=True)
    )
    measured = {"space": space, "swapped": swapped, "scale": round(fits[0].x, 5), "factors": [[f.x, f.y] for f in fits]}
    order = " with y before x" if swapped else ""
    if not space:
        return found(f"places come back scaled, {factors}, which is no known space{order}", measured=measured)
    said = f"coordinates count {WORDS[space]}{order} ({factors})"
    documented = family is not None and family.space == space and _as_documented(family, space, sizes, fits)
    if swapped or not (space == "image_pixels" or documented):
        return found(said, measured=measured)
    if documented and family is not None and space != "image_pixels":
        known = family.space_sure == "documented"
        said += f", as {family.name} documents" if known else f", as is reported of {family.name}"
    return fine(said, measured)


def proposal_of(result: ProbeResult, drawn: Charts, family: Family | None) -> Proposal | None:
    """Return how to ask for points, from the result about coordinates. Return None if that found no space."""
    measured = result.measured
    if not measured:
        return None
    fits = [CoordinateFit(x, y, measured["swapped"]) for x, y in measured["factors"]]
    return _proposed(measured["space"], _sizes(drawn), fits, family, measured["swapped"])


def _sizes(drawn: Charts) -> list[tuple[int, int]]:
    return [(discs.width, discs.height) for discs in drawn.discs]


def _as_documented(family: Family, space: str, sizes: Sequence[tuple[int, int]], fits: Sequence[CoordinateFit]) -> bool:
    """Tell whether the factors match the family's own sizes, if they depend on these."""
    if space != "resized_pixels":
        return True
    seen = [family.seen(*size) for size in sizes]
    return all(_near(f, s[0] / w, s[1] / h) for f, s, (w, h) in zip(fits, seen, sizes, strict=True))


def _proposed(
    space: str, sizes: Sequence[tuple[int, int]], fits: Sequence[CoordinateFit], family: Family | None, swapped: bool
) -> Proposal:
    """Return the grounding format that matches the measurements."""
    note = "y comes before x, which no format expects" if swapped else ""
    if space == "resized_pixels":
        own = [family] if family is not None else []
        for known in (*own, *families()):
            if FORMATS.get(known.format) == space and _as_documented(known, space, sizes, fits):
                return Proposal(space=space, format=known.format, note=note)
        longest = round(max(sizes[0]) * fits[0].x)
        told = f"send pictures with no side over {longest} px, so that nothing is resized"
        return Proposal(space=space, format="", note="; ".join(n for n in (told, note) if n))
    if family is not None and family.format and reads_space(family.format, space):
        return Proposal(space=space, format=family.format, note=note)
    return Proposal(space=space, format=PLAIN.get(space, ""), note=note or ("" if space else "no format fits"))


def judge_order(drawn: Charts, replies: Replies, _family: Family | None) -> ProbeResult:
    """Tell whether several images are seen, and in the order in which they were sent."""
    told = [
        ([one.number for one in some], two_digits(replies[f"numbers-{n}"][0].text))
        for n, some in enumerate(drawn.numbers)
    ]
    shown = "; ".join(f"{_list(true)} came back as {_list(said)}" for true, said in told)
    if all(true == said for true, said in told):
        return fine(f"{len(told[0][0])} pictures are seen in their order")
    if all(sorted(true) == sorted(said) for true, said in told):
        return found(f"pictures are seen in another order: {shown}")
    seen = [[n for n in true if n in said] for true, said in told]
    if all(len(some) == len(seen[0]) and 0 < len(some) < len(true) for some, (true, _) in zip(seen, told, strict=True)):
        return found(f"{len(seen[0])} of {len(told[0][0])} pictures are seen: {shown}", "likely")
    return cannot_tell("the model does not read the numbers")


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "nothing"
