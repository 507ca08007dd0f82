"""The papers' tables: ScreenSpot's platforms by text and icon, ScreenSpot-Pro's groups of applications, OSWorld-G's capabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.core.layout import PAPER, By, Column, Layout
from snellen.exams.grounding.marking.metrics import CELLS, CLICK
from snellen.exams.grounding.marking.screenspot import CELLS as SIX

KINDS = ("text", "icon")
_PLATFORMS = tuple(dict.fromkeys(platform for platform, _kind in SIX))


def tables(protocol: str, parts: Sequence[By]) -> Iterator[Layout]:
    """Yield a table for each whole; a subject that looks at the answer has a whole, and so a table, of its own."""
    for whole in dict.fromkeys(by["part"] for by in parts if "part" in by):
        own = [by for by in parts if by.get("part") == whole]
        capabilities = [by["capability"] for by in own if set(by) == {"part", "capability"}]
        splits = dict.fromkeys(by["split"] for by in own if set(by) == {"part", "split", "kind"})
        if capabilities:
            columns = [_click({"part": whole, "capability": one}, one.replace("_", " ")) for one in capabilities]
        elif splits:
            columns = list(_by_split(whole, tuple(splits)))
        else:
            continue
        average = [
            _click({"part": whole}, "samples", "average"),
            Column("cells", {"part": whole}, CELLS.name, "average"),
        ]
        yield Layout(PAPER, f"{CLICK.label} ({whole})", [*columns, *average])


def _by_split(whole: str, splits: tuple[str, ...]) -> Iterator[Column]:
    """Yield ScreenSpot's platforms in the paper's order; other splits (ScreenSpot-Pro's groups) with an average each."""
    known = set(splits) <= set(_PLATFORMS)
    for split in _PLATFORMS if known else splits:
        for kind in KINDS:
            yield _click({"part": whole, "split": split, "kind": kind}, kind, split)
        if not known:
            yield _click({"part": whole, "split": split}, "average", split)


def _click(by: By, name: str, group: str = "") -> Column:
    return Column(name, by, CLICK.name, group)
