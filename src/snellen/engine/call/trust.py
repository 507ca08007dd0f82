"""Whether replies in the store are still what a server says today.

A server on one's own machine or network has whatever model it was started with, under a name that stays: yesterday's replies may be
another model's. So the first few stored ones are asked again there. Where each comes out the same, the rest is taken from the store;
where one does not, nothing is. Asking a server of one's own again costs no money. What was paid for is never bought again: a
provider's replies, also those that came through a gateway here and have a cost, are taken as they are.
"""

from __future__ import annotations

import asyncio
import ipaddress
from urllib.parse import urlsplit

NEEDED = 3


def is_own(url: str) -> bool:
    """Whether an address is on this machine or in a private network.

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

    def compare(self, stored: str, said: str | None) -> None:
        """A stored reply and what the server says to the same request now; None where it failed, which ends the trial."""
        self._differs = said is not None and stored != said
        self._alike += stored == said
        self.holds = stored == said and self._alike >= NEEDED
        self.settled = stored != said or self.holds

    @property
    def note(self) -> str:
        """What a user should know, once the replies were found to differ."""
        if not self._differs:
            return ""
        return (
            f"the server at {self.url} does not say what it said before to the same request (another model under the same name, or "
            "one that varies): nothing is taken from the store, everything is asked"
        )
