"""JSON in replies: the object or list that a text is or holds, even if it is only almost JSON, and fields by name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from snellen.core.reply.wrappers import FENCE

_OPENING = re.compile(r"[{\[]")
_ATTEMPTS, _DEEPEST = 40, 8
_DECODER = json.JSONDecoder(strict=False)
_SINGLE_QUOTED = re.compile(r"(?<=[\[{,:\s])'((?:[^'\\]|\\.|'(?=\w)){0,2000})'(?=\s{0,20}[,:\]}])")
_BARE_WORDS = {"True": "true", "False": "false", "None": "null"}
_BARE = re.compile(r"(?<=[\[:,\s])(?:True|False|None)(?=\s{0,20}[,\]}])")
_TRAILING = re.compile(r",(?=\s{0,20}[\]}])")
_BARE_KEY = re.compile(r"(?<=[{,\s])([A-Za-z_]\w{0,40})(?=\s?:)")


def holds_json(text: str) -> tuple[dict[str, Any] | list[Any] | None, str]:
    """Return the JSON object that a text is or holds (the last one; a list if it has no object), and the text beside it.

    >>> holds_json("So: {'answer': 'red', 'sure': True}")
    ({'answer': 'red', 'sure': True}, 'So:')
    """
    if text[:1] == '"' and "\\" in text:  # JSON in a JSON text
        try:
            inner = _DECODER.decode(text)
        except (ValueError, RecursionError):
            inner = None
        if isinstance(inner, str) and inner[:1] in ("{", "["):
            return holds_json(inner)
    best: tuple[Any, int, int] | None = None
    for value, start, end in every_json(text):
        if best is None or isinstance(value, dict) or isinstance(best[0], list):
            best = value, start, end
    if best is None:
        return None, text
    around = FENCE.sub(" ", text[: best[1]] + " " + text[best[2] :]) if len(text) > best[2] - best[1] else ""
    return best[0], around.strip()


def every_json(text: str, attempts: int = _ATTEMPTS, *, mend: bool = True) -> Iterator[tuple[Any, int, int]]:
    """Yield every outermost object and list with its start and end; also almost-JSON, if that is to be mended.

    >>> list(every_json("[1] and {'a': 2}")), list(every_json("[1] and {'a': 2}", mend=False))
    ([([1], 0, 3), ({'a': 2}, 8, 16)], [([1], 0, 3)])
    """
    at = 0
    for _ in range(attempts):
        found = _OPENING.search(text, at)
        if found is None:
            return
        at = found.start()
        try:
            value, end = _DECODER.raw_decode(text, at)
        except RecursionError:
            return
        except ValueError:
            value, end = _almost_json(text, at) if mend else (None, at)
        if end > at:
            yield value, at, end
        at = max(end, at + 1)


def _almost_json(text: str, at: int) -> tuple[Any, int]:
    """Read a Python literal, bare keys or an extra comma as JSON, if mending makes it valid."""
    opener, closer = text[at], "}" if text[at] == "{" else "]"
    if opener == "[" and "'" not in text[at : at + 400] and '"' not in text[at : at + 400]:
        return None, at  # [Color, Size] is not a JSON list
    end, depth = at, 0
    for found in re.finditer(r"[{}\[\]]", text[at : at + 4000]):
        depth += 1 if found.group() in "{[" else -1
        if depth == 0:
            end = at + found.end() if found.group() == closer else at
            break
    if end == at:
        return None, at
    piece = _SINGLE_QUOTED.sub(lambda m: json.dumps(m[1].replace("\\'", "'")), text[at:end])
    piece = _TRAILING.sub("", _BARE.sub(lambda m: _BARE_WORDS[m.group()], piece))
    for mended in (piece, _BARE_KEY.sub(r'"\1"', piece)):
        try:
            value = _DECODER.decode(mended)
        except (ValueError, RecursionError):
            continue
        return (value, end) if isinstance(value, dict | list) else (None, at)
    return None, at


ANSWER_KEYS = (
    "final_answer",
    "answer",
    "final",
    "label",
    "prediction",
    "choice",
    "option",
    "result",
    "output",
    "response",
)


def field(value: Any, names: tuple[str, ...] = ANSWER_KEYS, depth: int = 0) -> Any:
    """Return the value of a JSON value under one of some names, at the outermost place it occurs; None if it does not. Texts that are
    themselves JSON are opened.

    >>> field({"response": {"answer": "red"}}), field({"x": 1}), field([{"Final Answer": 2}])
    ('red', None, 2)
    """
    if depth > _DEEPEST:
        return None
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = holds_json(value.strip())[0]
    if isinstance(value, list):
        found = [inner for inner in (field(item, names, depth + 1) for item in value[:50]) if inner is not None]
        return found[-1] if found else None
    if not isinstance(value, dict):
        return None
    keys = {key_of(key): inner for key, inner in value.items()}
    for name in names:
        if name in keys and keys[name] is not None:
            inner = keys[name]
            deeper = field(inner, names, depth + 1)
            return inner if deeper is None else deeper
    for inner in value.values():
        deeper = field(inner, names, depth + 1) if isinstance(inner, dict | list | str) else None
        if deeper is not None:
            return deeper
    return None


def key_of(key: Any) -> str:
    """Return a key in the form in which names are compared.

    >>> key_of("Final Answer"), key_of("finalAnswer")
    ('final_answer', 'final_answer')
    """
    return re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(key)[:60]).strip().lower())
