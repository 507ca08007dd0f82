"""Redirects are followed on the same origin only, since a key goes nowhere else. Pure."""

from __future__ import annotations

from yarl import URL

from snellen.core.text import one_line
from snellen.engine.call.exchange import RefusedRedirect, Response

MOVES = frozenset({301, 302, 303, 307, 308})
KEEPS_METHOD = frozenset({307, 308})
HOPS = 5


def next_url(response: Response, method: str, url: URL) -> URL | None:
    """Return the address that a response redirects to; None where it is not a redirect. Raises Elsewhere.

    A GET follows every redirect, another method those that keep it (307, 308).
    """
    location = response.headers.get("location")
    if response.status not in MOVES or not location:
        return None
    try:
        there = url.join(URL(location.strip()))
        here, origin = origin_of(url), origin_of(there)
    except ValueError:
        raise RefusedRedirect(f"{origin_of(url)} redirects to something that is not a web address") from None
    if here != origin:
        raise RefusedRedirect(
            f"{here} redirects to {origin}, and a key goes only to the address that was given: "
            "if that is the right one, give it instead"
        )
    if method != "GET" and response.status not in KEEPS_METHOD:
        raise RefusedRedirect(f"{here} has moved {url.path} to {one_line(there.path)}: give that address instead")
    return there


def origin_of(url: URL) -> str:
    """Return the scheme, host and port of an address, without its user and password. Raises ValueError where it has none.

    >>> [origin_of(URL(u)) for u in ("https://me:secret@A.b:8443/v1?x=1", "http://a.b:80/")]
    ['https://a.b:8443', 'http://a.b']
    """
    return one_line(str(url.origin()))
