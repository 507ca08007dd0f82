"""An API key that cannot be printed, logged, compared into a digest or written by accident; and addresses without their logins.

A key that is a plain word (`none`, `test`, `color`, as local servers accept) is not a secret, and a reply may hold it for good reasons.
So replies, which are marked, are changed only for a key that looks like one, and the record notes the change.
A server's error messages are for people and never marked: every key is taken out of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SEEN: set[str] = set()
SHORTEST = 4
KEY_LENGTH = 16
TAKEN_OUT = "[key]"
HUBS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "MODELSCOPE_API_TOKEN")
"""The environment variables of hub tokens."""
PATHS = ("SNELLEN_CLIENT_KEY",)
"""Names that look like a key's and hold the path of a file."""
_SECRET_NAME = re.compile(
    r"(?:API|_)KEYS?(?:_[A-Z0-9]+|\d+)?$|_(?:SECRET|TOKEN|PASSWORD|PASSWD|PAT)(?:_?\d+)?$", re.IGNORECASE
)
_PREFIXES = ("sk-", "hf_", "gsk_", "xai-", "pk-", "r8_", "AIza", "nvapi-")
# scheme, login, host: all text between '//' and the last '@' before the path
_LOGIN = re.compile(r"(?<=://)[^\s/?#'\"]*@")


def redact_all(text: str) -> str:
    """Take every key of this process and every login in an address out of a text: the last net, for unexpected messages."""
    for value in _SEEN:
        text = text.replace(value, TAKEN_OUT)
    return without_logins(text)


def without_keys(environment: Mapping[str, str], *, tokens: bool = False) -> dict[str, str]:
    """Return the environment for a process of ours that calls no service; with `tokens`, a hub's stay, to fetch models.

    >>> without_keys({"PATH": "/bin", "OPENAI_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "a", "HF_TOKEN": "t"}, tokens=True)
    {'PATH': '/bin', 'HF_TOKEN': 't'}
    """
    return {
        name: value
        for name, value in environment.items()
        if name in PATHS or (tokens and name in HUBS) or not (_SECRET_NAME.search(name) or value in _SEEN)
    }


def without_logins(text: str) -> str:
    """Return a text with user names and passwords removed from its addresses.

    >>> without_logins("cannot reach http://me:secret@host:8000/v1")
    'cannot reach http://[login]@host:8000/v1'
    """
    return _LOGIN.sub("[login]@", text) if "@" in text else text


def has_login(address: str) -> bool:
    """Tell whether an address holds a user name or a password, also one without `http://`.

    >>> [has_login(a) for a in ("http://me:x@host", "me:x@host", "http://host/@x")]
    [True, True, False]
    """
    return "@" in re.split(r"[/?#]", address.partition("://")[2] or address, maxsplit=1)[0]


def _looks_secret(value: str) -> bool:
    """Tell whether a key looks like one, and not like a word for a local server that needs no key.

    >>> [_looks_secret(k) for k in ("color", "EMPTY", "not-needed", "token-abc123", "sk-or-v1-0f", "q8Zr2LxTn0Wb4")]
    [False, False, False, True, True, True]
    """
    if len(value) >= 8 and value.startswith(_PREFIXES):
        return True
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) >= 20 or (len(value) >= 12 and mixed)


def is_key_like(text: str) -> bool:
    """Tell whether a word has the form of a provider's keys, used where a name or an address belongs.

    >>> [is_key_like(t) for t in ("sk-or-v1-0f3a9c11d2e45b67", "Bearer hf_abcdefghijklmnop1", "openai/gpt-4o", "sk-learn")]
    [True, True, False, False]
    >>> is_key_like("xai-grok-4-fast-reasoning")  # no part of it is long enough
    False
    """
    words = [word for word in re.split(r"[\s=:,;'\"/]+", text) if word.startswith(_PREFIXES)]
    return any(len(part) >= KEY_LENGTH for word in words for part in word.split("-"))


class Secret:
    """Holds a key; only `reveal()` gives it out, and only the HTTP transport calls that."""

    __slots__ = ("_in_replies", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._in_replies = _looks_secret(value)
        if self._in_replies or (len(value) >= SHORTEST and not value.isalpha()):
            _SEEN.add(value)

    def reveal(self) -> str:
        return self._value

    def redact(self, text: str) -> str:
        """Take the key out of a message from elsewhere (servers echo headers in error pages)."""
        return text.replace(self._value, TAKEN_OUT) if len(self._value) >= SHORTEST else text

    def redact_reply(self, text: str) -> str:
        """Take the key out of text that is kept and marked, but only a key that looks like one. The caller notes the change."""
        return text.replace(self._value, TAKEN_OUT) if self._in_replies else text

    def is_in(self, text: str) -> bool:
        """Tell whether a text that will be written holds the key, if the key looks like one."""
        return self._in_replies and self._value in text

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({TAKEN_OUT})" if self._value else "Secret(none)"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type[Secret], tuple[str]]:
        """Keep the key out of copies and pickles."""
        return (Secret, ("",))
