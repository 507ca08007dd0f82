"""Which proxy the environment names for an address: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, in capitals or not."""

from __future__ import annotations

import base64
import ipaddress
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from snellen.core.errors import SnellenError

PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
ALIASES = {"socks": "socks5h"}  # as desktops write it


class Proxy(NamedTuple):
    """A proxy. `socks5` looks a host's name up here, `socks5h` leaves that to the proxy."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""

    @property
    def is_socks(self) -> bool:
        return self.scheme.startswith("socks")

    @property
    def credentials(self) -> str:
        """What `Proxy-Authorization` says; nothing without a user."""
        login = f"{self.user}:{self.password}".encode()
        return f"Basic {base64.b64encode(login).decode()}" if self.user else ""

    def __repr__(self) -> str:
        """The address alone: a password is nobody's business."""
        return f"{self.scheme}://{self.host}:{self.port}"


def proxy_for(url: str) -> Proxy | None:
    """The proxy for an address, from the environment, else from the settings of macOS and Windows; None where there is none."""
    parts = urlsplit(url)
    found = getproxies()
    address = found.get(parts.scheme) or found.get("all")
    if not address:
        return None
    port = parts.port or PORTS[parts.scheme]
    if left_out(parts.hostname or "", port, found["no"]) if "no" in found else proxy_bypass(parts.netloc):
        return None
    return parse_proxy(address)


def parse_proxy(address: str) -> Proxy:
    """The proxy that an address names; raises SnellenError, which never repeats a password.

    >>> parse_proxy("proxy.example:3128"), parse_proxy("socks://10.0.0.1")
    (http://proxy.example:3128, socks5h://10.0.0.1:1080)
    """
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SnellenError("the proxy in the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) is no address") from None
    scheme = ALIASES.get(parts.scheme, parts.scheme)
    if scheme not in PORTS:
        said = f"{scheme}://{host or ''}"
        raise SnellenError(
            f"the proxy {said} in the environment is of a kind that does not work here: use one of {', '.join(PORTS)}"
        )
    if not host:
        raise SnellenError("the proxy in the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) has no host")
    return Proxy(scheme, host, port or PORTS[scheme], unquote(parts.username or ""), unquote(parts.password or ""))


def left_out(host: str, port: int, no_proxy: str) -> bool:
    """Whether NO_PROXY leaves a host out: `*`, a name with all below it, an address, a range; each maybe with a port.

    >>> [left_out("a.lan", 80, n) for n in ("*", "lan", ".lan", "*.lan", "a.lan:80", "a.lan:81", "an")]
    [True, True, True, True, True, False, False]
    >>> [left_out("10.1.2.3", 80, n) for n in ("10.0.0.0/8", "10.1.2.3", "10.1.2.0/24:80", "11.0.0.0/8", "2.3")]
    [True, True, True, False, False]
    >>> [left_out("::1", 80, n) for n in ("::1", "[::1]", "[::1]:80", "::/64", "[::1]:81")]
    [True, True, True, True, False]
    """
    host = host.lower().rstrip(".")
    return any(_matches(host, port, entry) for entry in no_proxy.lower().replace(",", " ").split())


def _matches(host: str, port: int, entry: str) -> bool:
    before, _, only = entry.rpartition(":")
    if before and only.isdigit() and (":" not in before or before.endswith("]")):  # else it is part of an IPv6 address
        if int(only) != port:
            return False
        entry = before
    entry = entry.strip("[]") if entry.startswith("[") else entry
    if entry == "*":
        return True
    address = _address(host)
    if address is None:
        name = entry.removeprefix("*").strip(".")
        return bool(name) and (host == name or host.endswith(f".{name}"))
    try:
        return address in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
