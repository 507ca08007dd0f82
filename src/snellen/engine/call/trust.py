"""Whether replies in the store are still what a server says today.

A server on one's own machine or network has whatever model it was started with, under a name that stays: yesterday's replies may be
another model's. So the first few stored ones are asked again there. Where each comes out the same, the rest is taken from the store;
where one does not, nothing is. A server that says itself that it has another model than at that time is believed at once. Asking a
server of one's own again costs no money. What was paid for is never bought again: a provider's replies, also those that came through a
gateway here and have a cost, are taken as they are.
"""

from __future__ import annotations

import asyncio
import ipaddress
from urllib.parse import urlsplit

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
    """What is known of the stored replies of one endpoint."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lock = asyncio.Lock()
        self._alike, self._differs = 0, False
        self.settled = self.holds = not is_own(url)
        self.other_model = 0
        """How many stored replies are by another model than the server says that it has now."""

    def compare(self, stored: str, said: str | None) -> None:
        """Compare a stored reply with what the server says to the same request now; None where it failed, which ends the trial."""
        self._differs = said is not None and stored != said
        self._alike += stored == said
        self.holds = stored == said and self._alike >= NEEDED
        self.settled = stored != said or self.holds

    @property
    def note(self) -> str:
        """What a user should know, once the replies were found to differ."""
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
