"""What an endpoint may say, from odd to hostile: bytes of replies, by name."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from tests.support.endpoint import completion
from tests.support.hostile_endpoint import Scenario, http

KEY = "sk-CANARY-9f31c07a55d84e21"
FOR_EVER = 10_000


def _always(*pieces: bytes, pause: float = 0.0) -> Scenario:
    async def play(_headers: dict[str, str]) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece
            await asyncio.sleep(pause)

    return play


def _endless(first: bytes, again: bytes, pause: float = 0.0) -> Scenario:
    async def play(_headers: dict[str, str]) -> AsyncIterator[bytes]:
        yield first
        for _ in range(FOR_EVER):
            yield again
            await asyncio.sleep(pause)

    return play


@cache
def _packed() -> bytes:
    packed = zlib.compressobj(level=1, wbits=31)
    pieces = [packed.compress(b" " * 1_000_000) for _ in range(300)]
    return b"".join([*pieces, packed.flush()])


def _bomb() -> Scenario:
    async def play(_headers: dict[str, str]) -> AsyncIterator[bytes]:
        yield http(200, await asyncio.to_thread(_packed), content_encoding="gzip")

    return play


def _said(**changed: Any) -> bytes:
    return http(200, json.dumps({**completion("Color"), **changed}).encode())


def _message(**changed: Any) -> bytes:
    return _said(choices=[{"message": {"role": "assistant", "content": "Color", **changed}, "finish_reason": "stop"}])


def _usage(**changed: Any) -> bytes:
    return _said(usage={"prompt_tokens": 8, "completion_tokens": 1, **changed})


STATUSES: tuple[object, ...] = (
    *(
        0,
        100,
        101,
        102,
        199,
        201,
        204,
        205,
        206,
        226,
        300,
        304,
        305,
        399,
        400,
        401,
        402,
        403,
        404,
        405,
        406,
        407,
        408,
        409,
    ),
    *(
        410,
        411,
        413,
        414,
        415,
        418,
        421,
        422,
        423,
        425,
        429,
        431,
        451,
        499,
        500,
        501,
        502,
        503,
        504,
        507,
        520,
        529,
        599,
    ),
    *(600, 999, 1000, -1, "abc", "", "2OO", "200200"),
)
_BODY = json.dumps(completion("Color")).encode()
_LOGPROBS = [{"token": KEY, "logprob": -1e400, "top_logprobs": [{"token": KEY, "logprob": float("nan")}]}]

WIRE: dict[str, Scenario] = {
    "closed": _always(),
    "silent": _endless(b"", b"", 1.0),
    "garbage": _always(bytes(range(256)) * 40),
    "http-0.9": _always(_BODY),
    "http-2": _always(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "no-reason": _always(b"HTTP/1.1 200\r\ncontent-length: %d\r\n\r\n" % len(_BODY) + _BODY),
    "endless-headers": _endless(b"HTTP/1.1 200 OK\r\n", b"x-more: " + b"y" * 60_000 + b"\r\n"),
    "endless-line": _endless(b"HTTP/1.1 200 OK\r\nx-one: ", b"y" * 60_000),
    "endless-body": _endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 60_000),
    "endless-chunks": _endless(
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"ea60\r\n" + b" " * 60_000 + b"\r\n"
    ),
    "huge-chunk": _always(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nx"),
    "bad-chunk": _always(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"),
    "no-last-chunk": _always(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":'),
    "chunked-and-length": _always(
        http(200, b"5\r\n12345\r\n0\r\n\r\n", transfer_encoding="chunked", content_length="3")
    ),
    "too-short": _always(http(200, _BODY, content_length="40")),
    "too-long": _always(http(200, _BODY, content_length="100000")),
    "negative-length": _always(http(200, _BODY, content_length="-1")),
    "huge-length": _always(http(200, _BODY, content_length="9" * 30)),
    "word-length": _always(http(200, _BODY, content_length="many")),
    "two-lengths": _always(http(200, _BODY, content_length="5\r\ncontent-length: 9")),
    "no-length": _always(http(200, _BODY, content_length="")),
    "nul-header": _always(http(200, _BODY, x_odd="a\0b")),
    "colonless": _always(b"HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n" + _BODY),
    "folded": _always(http(200, _BODY, x_odd="a\r\n  folded: yes")),
    "drip": _endless(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n", b" ", 0.3),
    "drip-head": _endless(b"", b"H", 0.3),
    "gzip": _always(http(200, gzip.compress(_BODY), content_encoding="gzip")),
    "gzip-bomb": _bomb(),
    "gzip-lie": _always(http(200, _BODY, content_encoding="gzip")),
    "deflate-cut": _always(http(200, zlib.compress(_BODY)[:-9], content_encoding="deflate")),
    "unknown-coding": _always(http(200, _BODY, content_encoding="br, zstd, rot13")),
}
WAITS: dict[str, Scenario] = {
    f"wait-{name}": _always(http(429, b"{}", retry_after=value))
    for name, value in {
        **{"huge": "9" * 40, "negative": "-5", "text": "soon", "nan": "nan", "infinite": "inf", "empty": " "},
        **{"date": "Fri, 31 Dec 9999 23:59:59 GMT", "zone": "Mon, 01 Jan 2024 00:00:00 +99999999", "float": "1e309"},
    }.items()
}
SHAPES: dict[str, Scenario] = {
    f"shape-{number}": _always(http(200, body))
    for number, body in enumerate(
        [
            *(
                b"",
                b" ",
                b"null",
                b"[]",
                b"{}",
                b'"x"',
                b"1",
                b"true",
                b"NaN",
                b"[" * 200_000,
                b'{"a":' * 50_000,
                b"\xff\xfe{\0}\0",
            ),
            *(b"\xef\xbb\xbf" + _BODY, _BODY.decode().encode("utf-16"), _BODY[:-9], _BODY * 2, _BODY + b"garbage"),
            *(
                b'{"choices": null}',
                b'{"choices": []}',
                b'{"choices": [null]}',
                b'{"choices": [{}]}',
                b'{"choices": {"0": 1}}',
            ),
            *(b'{"choices": [{"message": null}]}', b'{"choices": [{"message": []}]}', b'{"choices": [[[]]]}'),
            *(b'{"error": null}', b'{"error": "x"}', b'{"error": []}', b'{"error": {"code": {"a": 1}, "message": []}}'),
            b'{"error": {"message": "' + b"m" * 3_000_000 + b'"}}',
            _BODY.replace(b"Color", b"\\ud800"),
            _BODY.replace(b"Color", b"caf\xe9"),
            _BODY.replace(b"Color", b"\\u0000\\u001b[31m"),
        ]
    )
}
CONTENT: tuple[Any, ...] = (
    None,
    1,
    True,
    [],
    {},
    "",
    " ",
    "x" * 3_000_000,
    [None],
    [{"type": "text"}],
    [{"text": 5}],
    "\ud800",
)
WORDS: dict[str, Scenario] = (
    {f"content-{n}": _always(_message(content=value)) for n, value in enumerate(CONTENT)}
    | {
        f"refusal-{n}": _always(_message(content=None, refusal=value))
        for n, value in enumerate((1, [], {}, "no", "\ud800"))
    }
    | {
        f"tools-{n}": _always(_message(content=None, tool_calls=value))
        for n, value in enumerate((1, [1], [{"function": 1}]))
    }
    | {
        f"thought-{n}": _always(_message(reasoning_content=value))
        for n, value in enumerate((1, [], {}, "x" * 1_000_000))
    }
    | {
        f"model-{n}": _always(_said(model=value))
        for n, value in enumerate((1, None, [], "m\x1b]0;t\x07\n", "x" * 100_000))
    }
    | {f"many-{n}": _always(_said(choices=[{"message": {"content": "Color"}}] * n)) for n in (2, 3000)}
    | {
        f"id-{n}": _always(_said(id=value, created=value, system_fingerprint=value))
        for n, value in enumerate((10**400, [], {}))
    }
    | {
        f"finish-{n}": _always(_said(choices=[{"message": {"content": "Color"}, "finish_reason": v}]))
        for n, v in enumerate((1, [], "?"))
    }
)
NUMBERS: tuple[Any, ...] = (
    -1,
    1.5,
    1e308,
    float("inf"),
    float("nan"),
    10**400,
    "7",
    None,
    [],
    {},
    True,
    2**63,
    -(2**63) - 1,
)
USAGE: dict[str, Scenario] = {
    f"usage-{n}": _always(_said(usage=value)) for n, value in enumerate((*NUMBERS, {}, [[]]))
} | {
    f"{field}-{n}": _always(_usage(**{field: value}))
    for field in ("prompt_tokens", "completion_tokens", "cost", "prompt_tokens_details", "completion_tokens_details")
    for n, value in enumerate(NUMBERS)
}
KEYS: dict[str, Scenario] = {
    "key-content": _always(_message(content=f"Color {KEY}")),
    "key-thought": _always(_message(reasoning_content=f"they sent {KEY}")),
    "key-model": _always(_said(model=KEY, id=KEY, system_fingerprint=KEY, provider=KEY)),
    "key-header": _always(http(200, _BODY, x_request_id=KEY, server=KEY)),
    "key-error": _always(http(400, json.dumps({"error": {"message": f"bad key {KEY}", "code": KEY}}).encode())),
    "key-401": _always(http(401, f"no such key: {KEY}".encode())),
    "key-500": _always(http(500, f"{KEY} {KEY[::-1]}".encode())),
    "key-status": _always(f"HTTP/1.1 500 {KEY}\r\n\r\n".encode()),
    "key-logprobs": _always(_said(choices=[{"message": {"content": "Color"}, "logprobs": {"content": _LOGPROBS}}])),
    "key-finish": _always(_said(choices=[{"message": {"content": "Color"}, "finish_reason": KEY}])),
}


def redirects(trap: int) -> dict[str, Scenario]:
    """To a trap on another port, to itself, to what is no address. None is followed."""
    there = f"http://127.0.0.1:{trap}/"
    places = (
        there,
        "/",
        "",
        "//127.0.0.1",
        f"{there}{'x' * 70_000}",
        "file:///etc/passwd",
        "javascript:1",
        "http://[::1",
        "\x1b[31m",
    )
    return {
        f"to-{status}-{n}": _always(http(status, b"", location=place or " "))
        for status in (301, 302, 303, 307, 308)
        for n, place in enumerate(places)
    }


STATUS: dict[str, Scenario] = {
    f"status-{status or 'none'}-{n}": _always(http(status, body))
    for status in STATUSES
    for n, body in enumerate((b'{"error": {"message": "no"}}',))
}
ALL: dict[str, Scenario] = {**WIRE, **WAITS, **SHAPES, **WORDS, **USAGE, **KEYS, **STATUS}
SHORT = (
    "closed",
    "endless-headers",
    "huge-length",
    "wait-zone",
    "shape-9",
    "content-11",
    "cost-5",
    "key-401",
    "key-model",
    "status-101-0",
)
"""One of each kind, for the suite that runs every day."""
