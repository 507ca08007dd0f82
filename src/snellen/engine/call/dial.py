"""Opening a TCP connection: the addresses of a name race (RFC 8305), and a link that went dead is noticed."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
import ssl
from itertools import zip_longest
from typing import Any

HEAD_START = 0.25  # seconds before the next address is tried beside the first
KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPALIVE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""A link on which nothing moves is asked after a minute whether it is still there; TCP_KEEPALIVE is macOS's name of the first."""
NO_WAY = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETUNREACH})
"""This machine has no way to addresses of that family, such as `::1` where IPv6 is switched off."""
Address = tuple[Any, Any, int, str, Any]


async def dial(host: str, port: int) -> socket.socket:
    """A connected socket. Raises ConnectionRefusedError where nobody listens at any of the addresses, else OSError."""
    found = _literal(host, port)
    if found is None:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if len(found) == 1:
        return await _connected(found[0])
    return await _race(interleaved(found))


def _literal(host: str, port: int) -> list[Address] | None:
    """The address itself, where the host is one and need not be looked up."""
    try:
        four = ipaddress.ip_address(host).version == 4
    except ValueError:
        return None
    family, where = (socket.AF_INET, (host, port)) if four else (socket.AF_INET6, (host, port, 0, 0))
    return None if "%" in host else [(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", where)]


def interleaved(found: list[Address]) -> list[Address]:
    """The addresses, the two families in turns, in the system's order otherwise.

    >>> [a[0] for a in interleaved([(6, 1, 6, "", "a"), (6, 1, 6, "", "b"), (4, 1, 6, "", "c")])]
    [6, 4, 6]
    """
    first = [a for a in found if a[0] == found[0][0]]
    second = [a for a in found if a[0] != found[0][0]]
    return [a for pair in zip_longest(first, second) for a in pair if a is not None]


def new_socket(address: Address) -> socket.socket:
    """A socket for an address that asks, by itself, whether the other side is still there."""
    family, kind, protocol = address[:3]
    sock = socket.socket(family, kind, protocol)
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return sock


async def _connected(address: Address) -> socket.socket:
    sock = new_socket(address)
    try:
        await asyncio.get_running_loop().sock_connect(sock, address[4])
    except BaseException:
        sock.close()
        raise
    return sock


async def _race(addresses: list[Address]) -> socket.socket:
    """The first connection that comes about; each address has a head start before the next one."""
    left = list(reversed(addresses))
    running: set[asyncio.Task[socket.socket]] = set()
    errors: list[OSError] = []
    try:
        while left or running:
            if left:
                running.add(asyncio.create_task(_connected(left.pop())))
            pause = HEAD_START if left else None
            done, _ = await asyncio.wait(running, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                running.discard(task)
                error = task.exception()
                if error is None:
                    return task.result()
                if not isinstance(error, OSError):
                    raise error
                errors.append(error)
        raise together(errors)
    finally:
        for task in running:
            task.cancel()
            task.add_done_callback(_close)


def _close(task: asyncio.Task[socket.socket]) -> None:
    """Close what a loser of the race opened all the same."""
    if not task.cancelled() and task.exception() is None:
        task.result().close()


def together(errors: list[OSError]) -> OSError:
    """One error for all addresses. Refused wherever there is a way at all is refused.

    >>> type(together([ConnectionRefusedError(111, "refused"), OSError(errno.EADDRNOTAVAIL, "none")])).__name__
    'ConnectionRefusedError'
    """
    refused = [e for e in errors if isinstance(e, ConnectionRefusedError)]
    others = [e for e in errors if e not in refused and e.errno not in NO_WAY]
    if refused and not others:
        return refused[0]
    return (others or errors)[0]


def why(error: OSError) -> str:
    """What an error says, without its number and address.

    >>> why(ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)"))
    'Connection refused'
    """
    if isinstance(error, socket.gaierror | ssl.SSLError) or not error.errno:
        return error.strerror or str(error)
    return os.strerror(error.errno)
