"""Where a redirect leads. It is followed on the same origin only: the key goes nowhere else. Pure."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.engine.call.exchange import Response

MOVES = frozenset({301, 302, 303, 307, 308})
HOPS = 5


class Elsewhere(SnellenError):
    """A request that would have had to go where the key must not go."""


class Hop(NamedTuple):
    """The next request of a redirect."""

    method: str
    url: str


def next_hop(response: Response, method: str, url: str) -> Hop | None:
    """The request that a response to `method` `url` sends on to; None where it is no redirect. Raises Elsewhere.

    307 and 308 keep the method, 303 makes it GET. A POST that 301 or 302 moved would become GET in most clients, which no
    endpoint of models answers: it is refused with the address to use.
    """
    location = response.headers.get("location")
    if response.status not in MOVES or not location:
        return None
    try:
        there = urljoin(url, location.strip())
        moved = not same_origin(there, url)
    except ValueError:
        raise Elsewhere(f"{origin(url)} sends requests on to an address that is none") from None
    if moved:
        raise Elsewhere(
            f"{origin(url)} sends requests on to {origin(there)}, and a key goes only to the address that was given: "
            "if that is the right one, give it instead"
        )
    if method not in ("GET", "HEAD") and response.status in (301, 302):
        path = one_line(urlsplit(there).path)
        raise Elsewhere(f"{origin(url)} has moved {urlsplit(url).path} to {path}: give that address instead")
    return Hop("GET" if response.status == 303 else method, there)


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port.

    >>> [same_origin("http://a.b/x", u) for u in ("http://A.b:80/y", "https://a.b/x", "http://a.b:81/x", "http://a.b.c/x")]
    [True, False, False, False]
    """
    return _place(urlsplit(one)) == _place(urlsplit(other))


def _place(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def origin(url: str) -> str:
    """Scheme, host and port of an address, for people: never a user or a password that it holds.

    >>> origin("https://me:secret@a.b:8443/v1?x=1")
    'https://a.b:8443'
    """
    parts = urlsplit(url)
    return one_line(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")


def target(url: str) -> str:
    """The path and query of an address, as they stand in a request's first line.

    >>> target("http://a.b"), target("http://a.b/v1/é x?q=1%20")
    ('/', '/v1/%C3%A9%20x?q=1%20')
    """
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return quote(path, safe="%/?:@!$&'()*+,;=-._~[]|^{}\"<>\\`")
