"""Access control, and the headers of every response.

Any page in any browser on this machine can reach a local port, and so can its other users.

- Host has to be this machine's own name with our port: a foreign name that was made to point here (DNS rebinding) is refused.
- Origin and Sec-Fetch-Site have to be ours: no other page may read, embed or link into the viewer.
- A cookie has to hold the session's secret. It comes with the link that the command prints, or with the one-time link that it opens.
- Only GET and HEAD are allowed, unless the application writes. Then a POST is accepted if it is small JSON from a page of ours: it has to
  name our Origin and include the session's token, which only our pages contain.
- Every response, including errors, has a policy under which nothing runs or loads except our own files.

Both `snellen view` and `snellen annotate` run behind it.
"""

from __future__ import annotations

import secrets
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
LONGEST = 8192
LARGEST_BODY = 1 << 20
TOKEN_HEADER = "x-snellen-token"  # noqa: S105 (a name, not a secret)


class Keys:
    """The secrets of a session: the key in the printed link, the keys of one-time links, and the token for writing.

    `command` is the word after `snellen` that started the server.
    """

    def __init__(self, port: int, command: str = "view") -> None:
        self.port, self.command = port, command
        self.secret = secrets.token_urlsafe(24)
        self.token = secrets.token_urlsafe(24)
        self._once: set[str] = set()

    @property
    def cookie(self) -> str:
        """Return the cookie's name. It includes the port, since cookies do not distinguish ports."""
        return f"snellen_{self.command}_{self.port}"

    def link(self) -> str:
        """Return the address to open. It works as long as the server runs."""
        return f"http://127.0.0.1:{self.port}/?key={self.secret}"

    def link_once(self) -> str:
        """Return an address that works once: every user of the machine can see a browser's command line."""
        code = secrets.token_urlsafe(24)
        self._once.add(code)
        return f"http://127.0.0.1:{self.port}/?key={code}"

    def lets_in(self, given: str) -> bool:
        """Return whether a link's key is valid."""
        if given in self._once:
            self._once.discard(given)
            return True
        return same(given, self.secret)


class Guard:
    """A layer in front of the application that refuses requests that are not allowed."""

    def __init__(self, app: ASGIApp, keys: Keys, *, writes: bool = False) -> None:
        self._app, self._keys, self._writes = app, keys, writes
        self._hosts = frozenset(f"{name}:{keys.port}" for name in LOOPBACK)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _value in HEADERS}
                kept = [(k, v) for k, v in message.get("headers", ()) if k.lower() not in names]
                if not any(k.lower() == b"cache-control" for k, _v in kept):
                    kept.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*kept, *HEADERS]}
            await send(message)

        app = self._answer(HTTPConnection(scope)) or self._app
        await app(scope, receive, guarded)

    def _answer(self, asked: HTTPConnection) -> Response | None:
        """Return the response that replaces the application's, or None if the request may pass."""
        refusal = self._refusal(asked.scope, asked.headers)
        if refusal is not None:
            return PlainTextResponse(f"{refusal[1]}\n", refusal[0])
        brought = parse_qs(asked.scope["query_string"].decode("latin-1")[:LONGEST]).get("key", [""])[0]
        if brought and self._keys.lets_in(brought):
            cookie = f"{self._keys.cookie}={self._keys.secret}; Path=/; HttpOnly; SameSite=Strict"
            return PlainTextResponse("Come in.\n", 303, {"set-cookie": cookie, "location": "/"})
        if not same(asked.cookies.get(self._keys.cookie, ""), self._keys.secret):
            said = f"This page needs the link that 'snellen {self._keys.command}' printed: open that one."
            return PlainTextResponse(f"{said}\n", 403)
        return None

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the reason to refuse a request, as a status and a sentence."""
        host = headers.getlist("host")
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return 403, f"Refused: this server answers to 127.0.0.1:{self._keys.port} only (Host header)."
        if any(origin not in {f"http://{name}" for name in self._hosts} for origin in headers.getlist("origin")):
            return 403, "Refused: asked for by a page from elsewhere (Origin header)."
        if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")):
            return 403, "Refused: linked from a page from elsewhere. Open the link from the terminal, or paste it."
        if scope["method"] == "POST" and self._writes:
            refusal = self._no_writing(headers)
            if refusal is not None:
                return refusal
        elif scope["method"] not in ("GET", "HEAD"):
            return 405, "Refused: this server only shows things (GET and HEAD)."
        if len(scope["path"]) + len(scope["query_string"]) > LONGEST:
            return 414, "Refused: the address is too long."
        return None

    def _no_writing(self, headers: Headers) -> tuple[int, str] | None:
        """Return the reason to refuse a request to write. Browsers send Origin with every POST, so one without it is not ours."""
        if headers.getlist("origin") != [f"http://{headers['host'].lower()}"]:
            return 403, "Refused: only a page of this server may write (Origin header)."
        if not same("".join(headers.getlist(TOKEN_HEADER)), self._keys.token):
            return 403, "Refused: this page is of an earlier session. Load it again."
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "Refused: only JSON is taken."
        length = "".join(headers.getlist("content-length"))
        if "transfer-encoding" in headers or not length.isascii() or not length.isdigit():
            return 411, "Refused: the request does not say how long it is."
        if len(length) > 9 or int(length) > LARGEST_BODY:
            return 413, f"Refused: more than {LARGEST_BODY >> 10} KiB at once."
        return None


def same(given: str, secret: str) -> bool:
    """Return whether two texts are equal, in a time that does not reveal where they differ."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())
