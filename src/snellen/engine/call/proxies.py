"""The proxy from the environment: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in upper or lower case."""

from __future__ import annotations

import ipaddress
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from snellen.core.errors import SnellenError

KINDS = ("http", "https")


def proxy_for(url: URL) -> URL | None:
    """Return the proxy for an address: from the environment, else from the settings of macOS and Windows. None means no proxy.

    It may hold a user and a password, so it is never shown whole. Raises SnellenError for a proxy that cannot be used.
    """
    found = getproxies()
    address = found.get(url.scheme) or found.get("all")
    host, port = url.host or "", url.port or 0
    if not address or (is_left_out(host, port, found["no"]) if "no" in found else proxy_bypass(f"{host}:{port}")):
        return None
    try:
        proxy = URL(address if "://" in address else f"http://{address}")
    except ValueError:
        proxy = URL()
    if not proxy.host:
        raise SnellenError("the proxy in the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) is not an address")
    if proxy.scheme not in KINDS:
        kind = "SOCKS proxies are" if proxy.scheme.startswith("socks") else f"a proxy of the kind {proxy.scheme}:// is"
        raise SnellenError(
            f"{kind} not supported ({proxy.scheme}://{proxy.host} in the environment): set HTTPS_PROXY and HTTP_PROXY to an "
            "HTTP proxy, or name the endpoint's host in NO_PROXY"
        )
    return proxy


def is_left_out(host: str, port: int, no_proxy: str) -> bool:
    """Tell whether NO_PROXY covers a host. Entries are `*`, a name (with all subdomains), an address or a range, each with or without a
    port.

    >>> [is_left_out("a.lan", 80, n) for n in ("*", "lan", ".lan", "*.lan", "a.lan:80", "a.lan:81", "an")]
    [True, True, True, True, True, False, False]
    >>> [is_left_out("10.1.2.3", 80, n) for n in ("10.0.0.0/8", "10.1.2.3", "10.1.2.0/24:80", "11.0.0.0/8")]
    [True, True, True, False]
    """
    host = host.lower().rstrip(".")
    for entry in no_proxy.lower().replace(",", " ").split():
        name = entry.removesuffix(f":{port}").removeprefix("*").strip(".[]")
        if entry == "*" or host == name or host.endswith(f".{name}") or _is_in_range(host, name):
            return True
    return False


def _is_in_range(host: str, addresses: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(addresses, strict=False)
    except ValueError:
        return False
