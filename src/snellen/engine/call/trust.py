"""Trust in stored replies: a check that the server would still give them today.

A server on one's own machine or network may have been started with another model under the same name. Yesterday's replies may then be
another model's. So the first few stored replies are asked again there. If each comes out the same, the rest is taken from the store. If one
does not, none is. If a server reports that its model is another than at that time, that is believed at once. Asking a private server again
costs no money. Paid replies are never bought again: a provider's replies are taken as they are, including those that came through a gateway
here and have a cost.

A model's mark is the information in its server's model list that stays as long as the model does: a digest (Ollama), the source of the
weights (vLLM's `root`), a version, and the time of creation. Some servers report there the time of the request or of their start, which has
no value as a mark.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from snellen.core.text import one_line

NEEDED = 3


def is_own(url: str) -> bool:
    """Tell whether an address is on this machine or in a private network.

    >>> [is_own(u) for u in ("http://localhost:1/v1", "http://10.1.2.3/v1", "http://gpu7:8000/v1", "https://api.openai.com/v1")]
    [True, True, True, False]
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".internal"))


class Trust:
    """The evidence about the stored replies of one endpoint."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lock = asyncio.Lock()
        self._alike, self._differs = 0, False
        self.settled = self.holds = not is_own(url)
        self.other_model = 0
        """The number of stored replies by another model than the server now reports."""

    def compare(self, stored: str, said: str | None) -> None:
        """Compare a stored reply with the server's reply to the same request now. None means that the request failed, which ends the
        trial.
        """
        self._differs = said is not None and stored != said
        self._alike += stored == said
        self.holds = stored == said and self._alike >= NEEDED
        self.settled = stored != said or self.holds

    @property
    def note(self) -> str:
        """A note for the user, once the replies were found to differ."""
        if self.other_model:
            return (
                f"the server at {self.url} has another model under this name than when {self.other_model} stored answers were given: "
                "they are not taken, the questions are asked"
            )
        if not self._differs:
            return ""
        return (
            f"the server at {self.url} does not say what it said before to the same request (another model under the same name, or "
            "one that varies): nothing is taken from the store, everything is asked"
        )


# ---------------------------------------------------------------- the mark of a model

STABLE = ("root", "version", "canonical_slug")
CREATED = "created"
JUST_NOW = 3600
"""Seconds. A model created more recently than this before it was asked for counts as one whose server makes the time up."""
LONGEST = 120


def mark_of(listed: Mapping[str, Any], at: float) -> str:
    """Return a mark of the model in a model list, asked for at this time. Empty if the list does not tell models apart.

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
    """Tell whether two marks belong to two models: 'surely', 'perhaps' if only the times of creation differ, or empty.

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
