"""The opening words to a SOCKS5 proxy (RFC 1928, passwords RFC 1929), on a socket that is connected to it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from snellen.engine.call.exchange import Fault
from snellen.engine.call.proxies import Proxy

VERSION, NOTHING, PASSWORD = 5, 0, 2
IPV4, NAME, IPV6 = 1, 3, 4
REFUSALS = {
    1: "it failed",
    2: "its rules do not allow it",
    3: "the network cannot be reached",
    4: "the host cannot be reached",
    5: "nobody listens there",
    6: "it took too long",
    7: "it does not know the command",
    8: "it does not know this kind of address",
}


async def connect_through(sock: socket.socket, proxy: Proxy, host: str, port: int) -> None:
    """Have the proxy connect to a host; from then on the socket talks to that. Raises Fault."""
    where = await _destination(proxy, host, port)
    await _introduce(sock, proxy)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(sock, bytes((VERSION, 1, 0)) + where + port.to_bytes(2, "big"))
    _version, refusal, _reserved, kind = await _read(sock, 4)
    if refusal:
        raise Fault(f"the proxy refused the connection ({REFUSALS.get(refusal, f'code {refusal}')})")
    length = {IPV4: 4, IPV6: 16}.get(kind) or (await _read(sock, 1))[0]
    await _read(sock, length + 2)  # the address that it connects from


async def _introduce(sock: socket.socket, proxy: Proxy) -> None:
    loop = asyncio.get_running_loop()
    methods = (NOTHING, PASSWORD) if proxy.user else (NOTHING,)
    await loop.sock_sendall(sock, bytes((VERSION, len(methods), *methods)))
    version, chosen = await _read(sock, 2)
    if version != VERSION:
        raise Fault(f"what answers at {proxy.host}:{proxy.port} is no SOCKS5 proxy")
    if chosen not in methods:
        raise Fault("the proxy wants a user and a password" if not proxy.user else "the proxy takes no password")
    if chosen == PASSWORD:
        login = b"".join(bytes((len(part),)) + part for part in (_short(proxy.user), _short(proxy.password)))
        await loop.sock_sendall(sock, b"\x01" + login)
        _version, refusal = await _read(sock, 2)
        if refusal:
            raise Fault("the proxy refused the user and the password")


async def _destination(proxy: Proxy, host: str, port: int) -> bytes:
    """The host as the proxy is told it: an address, or a name where the proxy is to look it up."""
    if not _is_address(host):
        if proxy.scheme == "socks5h":
            name = _short(host.encode("idna").decode())
            return bytes((NAME, len(name))) + name
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        host = str(min(found, key=lambda a: a[0] != socket.AF_INET)[4][0])  # most proxies reach IPv4
    packed = ipaddress.ip_address(host).packed
    return bytes((IPV4 if len(packed) == 4 else IPV6,)) + packed


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _short(text: str) -> bytes:
    raw = text.encode()
    if len(raw) > 255:
        raise Fault("a name for the SOCKS5 proxy is longer than 255 bytes")
    return raw


async def _read(sock: socket.socket, count: int) -> bytes:
    out = b""
    while len(out) < count:
        data = await asyncio.get_running_loop().sock_recv(sock, count - len(out))
        if not data:
            raise Fault("the proxy closed the connection")
        out += data
    return out
