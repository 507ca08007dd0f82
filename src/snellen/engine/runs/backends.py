"""Backends: one model's name may be served by several of them, which count as different models for a score."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from snellen.core.records import BackendRow
from snellen.core.text import one_line

MOST = 20
OTHERS = "others"


class Backends:
    """The backends behind the answers of a run, counted call by call."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str | None, str | None]] = Counter()
        self._marks: dict[tuple[str, str | None, str | None], Counter[str]] = {}
        self.server = ""
        """The model name that a private server reported last."""

    def add(self, call: Any) -> None:
        """Count one call (a Call or the part of it that was read back) if it was answered and names its backend."""
        self.server = call.server or self.server
        if call.latency is None or (call.provider or call.model_returned or call.fingerprint) is None:
            return
        mark = call.fingerprint
        key = (f"{call.kind}/{call.model}", call.provider, call.model_returned)
        self._answers[key] += 1
        if mark is not None:
            marks = self._marks.setdefault(key, Counter())
            marks[mark if mark in marks or len(marks) < MOST else OTHERS] += 1

    def rows(self) -> tuple[BackendRow, ...]:
        """Return the backends, those with most answers first. If an endpoint returns a new name each time, only the first is kept."""
        ordered = sorted(self._answers.items(), key=lambda x: (-x[1], *(part or "" for part in x[0])))
        rows = [
            BackendRow(
                asked=key[0],
                provider=key[1],
                model=key[2],
                answers=n,
                fingerprints=dict(sorted(self._marks.get(key, Counter()).items())),
            )
            for key, n in ordered[:MOST]
        ]
        rest: Counter[str] = Counter()
        for key, n in ordered[MOST:]:
            rest[key[0]] += n
        rows += [BackendRow(asked=asked, provider=OTHERS, model=None, answers=n) for asked, n in rest.items()]
        return tuple(rows)


# ---------------------------------------------------------------- as text

SHOWN = 4
_BATCH = re.compile(r", batch of \d+$")
"""A local model's description of its batch size. A batch of another size is not another model."""
_PLAIN_NAME = re.compile(r"[\w .+()/-]{1,60}")


def mixed_notes(rows: Sequence[BackendRow]) -> list[str]:
    """Return a line for each model name with several backends, and a hint how to get only one. Empty for most runs."""
    found = []
    for asked in dict.fromkeys(row.asked for row in rows):
        same = [row for row in rows if row.asked == asked]
        if len({(_BATCH.sub("", row.provider or ""), row.model) for row in same}) > 1:
            said = ", ".join(f"{row.answers} by {_named(row, same)}" for row in same[:SHOWN])
            more = sum(row.answers for row in same[SHOWN:])
            said += f", {more} by {len(same) - SHOWN} more" if more else ""
            found.append(f"mixed: the answers of {one_line(asked, 120)} are {said}. {_pin(same)}")
    return found


def _named(row: BackendRow, same: Sequence[BackendRow]) -> str:
    """Return the part of a backend's name that differs from the others."""
    provider, model = (one_line(name, 60) if name else "" for name in (row.provider, row.model))
    if len({other.model for other in same}) == 1 and provider:
        return provider
    if len({other.provider for other in same}) == 1 and model:
        return model
    return " · ".join(name for name in (provider, model) if name) or "one that does not say"


def _pin(same: Sequence[BackendRow]) -> str:
    first = same[0].provider
    if first and len({row.provider for row in same}) > 1:
        if not _PLAIN_NAME.fullmatch(first):
            return "Choose one with --extra."
        return f'One alone: --extra \'{{"provider": {{"order": ["{first}"], "allow_fallbacks": false}}}}\''
    return "The name stands for more than one model: give the dated one, if there is one."
