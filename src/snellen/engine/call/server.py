"""Which model a server of one's own has, as a mark of what its model list says: another mark is another model under the same name.

Only what stays as long as the model does is looked at: a digest (Ollama), where the weights come from (vLLM's `root`), a version, and when
the model was made. Some servers say there the time at which they were asked, or at which they started; that tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.text import one_line

STABLE = ("root", "version", "canonical_slug")
CREATED = "created"
JUST_NOW = 3600
"""A model that was made less than so many seconds before it was asked for is taken for one whose server makes the time up."""
LONGEST = 120


def mark_of(listed: Mapping[str, Any], at: float) -> str:
    """Return a mark of the model that a list describes, asked for at this time; nothing where the list does not tell models apart.

    >>> mark_of({"id": "m", "created": 1_700_000_000}, at=1_700_000_010)
    ''
    >>> mark_of({"root": "org/one", "created": 5}, at=9e9), mark_of({"digest": "a", "created": 7}, at=9e9)
    ('root org/one, created 5', 'digest a')
    """
    if listed.get("digest"):
        return _said("digest", listed)
    told = [_said(name, listed) for name in STABLE if listed.get(name)]
    made = listed.get(CREATED)
    if type(made) is int and 0 < made < at - JUST_NOW:
        told.append(_said(CREATED, listed))
    return ", ".join(told)


def _said(name: str, listed: Mapping[str, Any]) -> str:
    return f"{name} {one_line(str(listed[name]), LONGEST).replace(', ', ',')}"


def differ(then: str, now: str) -> str:
    """Tell whether two marks are of two models: 'surely', 'perhaps' where only the times of making differ, or nothing.

    >>> differ("digest a", "digest b"), differ("created 5", "created 7"), differ("root x", "root x, created 7"), differ("", "root x")
    ('surely', 'perhaps', '', '')
    """
    models = _without_time(then), _without_time(now)
    if all(models) and models[0] != models[1]:
        return "surely"
    times = [mark.removeprefix(model).strip(" ,") for mark, model in zip((then, now), models, strict=True)]
    return "perhaps" if all(times) and times[0] != times[1] else ""


def _without_time(mark: str) -> str:
    return ", ".join(part for part in mark.split(", ") if not part.startswith(f"{CREATED} "))
