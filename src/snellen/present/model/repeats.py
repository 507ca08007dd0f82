"""What repeats say, in words: how often questions were asked, how far one time is from the next, how alike the answers are."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.core.results import Consistency, GroupSummary, ProtocolSummary
from snellen.present.model import formatting

LEGEND = "±: the standard deviation of the score from one repeat to the next."


def most(protocols: Sequence[ProtocolSummary]) -> int:
    """Return how often questions were asked."""
    return max((p.repeats for p in protocols), default=1)


def times(repeats: int) -> str:
    """Return ' · asked 3 times', or nothing for once."""
    return f" · asked {repeats} times" if repeats > 1 else ""


def first_only(protocols: Sequence[ProtocolSummary]) -> str:
    """Say what is to be said where only the first of several answers is shown; nothing where every question was asked once."""
    asked = most(protocols)
    return f"Every question was asked {asked} times: this is about the first answer to each." if asked > 1 else ""


def alike(protocol: ProtocolSummary) -> list[str]:
    """Return how many samples were right each time, and how many were answered alike; nothing where every question was asked once."""
    every = [g.consistency for g in protocol.groups if g.whole and g.consistency is not None]
    found = Consistency(
        **{name: sum(getattr(c, name) for c in every) for name in ("always", "sometimes", "never", "same")}
    )
    if not found.n:
        return []
    return [
        f"Of {formatting.counted(found.n, 'sample')} asked {protocol.repeats} times, right each time: {found.always}, some times: "
        f"{found.sometimes}, never: {found.never}; answered the same each time: {found.same}."
    ]


def consistency(group: GroupSummary) -> str:
    """Return '12 always right, 3 some times, 5 never; 15 answered the same', or nothing."""
    found = group.consistency
    if found is None or not found.n:
        return ""
    return f"{found.always} always right, {found.sometimes} some times, {found.never} never; {found.same} answered the same"
