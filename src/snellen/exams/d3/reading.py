"""The read stage: from a reply to one caption for each picture. A reply is only read as text, and never run as code.

Thinking is removed first, as in all our readers. Then the readers are tried in this order: valid JSON; almost-JSON; tags, tables and
labelled lines such as `Left image: ...` (reading_labels.py). The last captions in the reply count, so that a final version replaces a
draft. A reply without a caption for every picture is unparsable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from snellen.core.reply import every_json, plain, spoken
from snellen.exams.d3.names import PAIR, asked_keys, slot_of
from snellen.exams.d3.reading_labels import from_labels, from_table, from_tags

LONGEST = 40_000
"""Characters to read, from the end of the reply's text."""

_STARTS = 200
_DEEPEST = 12
_QUOTED_KEY = re.compile(
    r"""(?:^|[{,"'”’}\]])[\s>*-]{0,20}["'“‘`]([^"'“”‘’`:\n\\]{1,60})["'”’`]\s{0,20}:""", re.MULTILINE
)
_TEXT_KEYS = ("caption", "description", "text", "value", "content")
_WHICH_KEYS = ("image", "position", "side", "name", "id", "key", "label", "which")
_POSITION = re.compile(r"\b(?:left|right|other)[\s-]+image\b", re.IGNORECASE)
_PICTURE = r"(?:image|picture|photo|photograph)"
_WIDER = re.compile(
    rf"\b(?:left|right|other|first|second)(?:[\s-]+(?:hand|side))?[\s-]+{_PICTURE}\b|\bthe\s+{_PICTURE}\s+(?:on|to)\s+the\s+(?:left|right)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"<?(?:your |the |insert )?(?:caption|description|text|string)(?: here| text)?>?\.?|n/a\.?",
    re.IGNORECASE,
)
_NO_CAPTION = re.compile(  # a refusal in place of a caption
    r"(?:(?:i'm|i am) sorry|sorry|unfortunately)?[,.]?\s?(?:but )?(?:i|we)(?:'m| am| are)?\s(?:cannot|can't|can not"
    r"|unable to|not able to)\s"
    r"(?:\w{1,12}\s){0,2}?(?:view|see|access|describe|caption|help|assist|analy[sz]e|provide|identify)\b",
    re.IGNORECASE,
)


def read(reply: str, names: tuple[str, ...] = PAIR) -> tuple[str, ...] | None:
    """Return a caption for each slot; None if one is missing.

    >>> read("Sure! ```json\\n{'left_image': 'A dog's tail', 'right_image': 'A cat'}```")
    ("A dog's tail", 'A cat')
    >>> read("They look the same to me.") is None
    True
    """
    text = spoken(reply)[-LONGEST:]
    found = _read(_unquoted(text), names)
    if found is None and (not text.isascii() or "&" in text):
        found = _read(spoken(plain(reply))[-LONGEST:], names)  # full-width brackets, HTML's quotation marks
    return found


def _read(text: str, names: tuple[str, ...]) -> tuple[str, ...] | None:
    after_keys = _after_keys(text, names)
    found = _in_json(text, names, mend=False) or _complete(after_keys, names) or _in_json(text, names, mend=True)
    for captions in (from_tags(text, names), from_table(text, names)):
        found = found or _complete(captions, names)
    if found is None and not after_keys:  # such a key shows that JSON was intended, and a caption is missing there
        found = _complete(from_labels(text, names), names)
    return found


def _in_json(text: str, names: tuple[str, ...], *, mend: bool) -> tuple[str, ...] | None:
    return _from_values([value for value, *_place in every_json(text, _STARTS, mend=mend)], names)


def _complete(said: Mapping[int, str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the captions of all slots; None if a slot has none."""
    found = {slot: caption for slot, text in said.items() if (caption := text_of(text))}
    return tuple(found[i] for i in range(len(names))) if len(found) == len(names) else None


def _unquoted(text: str) -> str:
    """Decode JSON that is itself a JSON string."""
    bare = text.strip()
    if bare[:2] not in ('"{', '"['):
        return text
    try:
        inner = json.loads(bare)
    except (ValueError, RecursionError):
        return text
    return inner if isinstance(inner, str) else text


# ---------------------------------------------------------------- almost JSON

_STRING = re.compile(
    r"""\s*(?:"{3}(?P<long>(?:[^\\]|\\.)*?)"{3}|["“”](?P<double>(?:[^\\]|\\.)*?)["”]|['‘’`](?P<single>(?:[^\\]|\\.)*?)['’`])"""
    r"""\s{0,40}[,;]?\s{0,40}(?:[}\]]|//|\Z)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "b": " ", "f": " "}
_NO_TEXT = ("null", "None", "undefined", "true", "false", "True", "False")


def _after_keys(text: str, names: tuple[str, ...]) -> dict[int, str]:
    """Return the text after each quoted key up to the next: almost-JSON that lost a brace, a comma or a quotation mark."""
    found: dict[int, str] = {}
    keys = list(_QUOTED_KEY.finditer(text))
    for key, end in zip(keys, [*(key.start() for key in keys[1:]), len(text)], strict=False):
        slot = slot_of(key.group(1), names)
        if slot is None:
            continue
        value = text[key.end() : end]
        string = _STRING.match(value)
        if string is not None:
            said = string["long"] or string["double"] or string["single"] or ""
        elif value.lstrip()[:1] in "\"'“‘`":  # truncated before its end
            said = value.strip().lstrip("\"'“‘`").rstrip("`}] \n")
        else:
            said = re.split(r"[{}\[\]\n]", value.lstrip(), maxsplit=1)[0].strip(" ,")
        said = "" if said in _NO_TEXT else said
        found[slot] = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES.get(m[2], m[2]), said)
    return found


# ---------------------------------------------------------------- captions in the values


def _from_values(values: list[Any], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the captions of the last value that has them all. Otherwise merge those of all values, with later ones replacing earlier
    ones.
    """
    for exact in (True, False):
        each = [_collect(value, names, exact, 0) for value in values]
        for found in reversed(each):
            if len(found) == len(names):
                return tuple(found[i] for i in range(len(names)))
        together: dict[int, str] = {}
        for found in each:
            together.update(found)
        if len(together) == len(names):
            return tuple(together[i] for i in range(len(names)))
    return None


def _collect(value: Any, names: tuple[str, ...], exact: bool, depth: int) -> dict[int, str]:
    """Return captions by slot: those of this object first, then those of nested values."""
    found: dict[int, str] = {}
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):  # JSON in a JSON string
        value = [inner for inner, *_place in every_json(value, 1, mend=False)]
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return found
    if isinstance(value, dict):
        found = _own(value, names, exact)
    if len(found) < len(names):
        for inner in value.values() if isinstance(value, dict) else value:
            for slot, text in _collect(inner, names, exact, depth + 1).items():
                found.setdefault(slot, text)
    return found


def _own(value: Mapping[str, Any], names: tuple[str, ...], exact: bool) -> dict[int, str]:
    """Return the captions in an object's own keys, or in the form `{"image": "left", "caption": "..."}`."""
    found: dict[int, str] = {}
    for key, inner in value.items():
        slot = slot_of(str(key), names)
        if slot is None or (exact and re.sub(r"[\s_-]+", "_", str(key).strip().lower()) != asked_keys(names)[slot]):
            continue
        text = text_of(inner)
        if text:
            found[slot] = text
    if not found and not exact:
        which = next((value[k] for k in _WHICH_KEYS if isinstance(value.get(k), str | int)), None)
        said = next((value[k] for k in _TEXT_KEYS if k in value), None)
        slot = None if which is None else slot_of(str(which), names)
        if slot is not None and text_of(said):
            found[slot] = text_of(said)
    return found


def text_of(value: Any, depth: int = 0) -> str:
    """Return a value as a caption: a text as it is, a list or an object joined.

    Return nothing for a text without letters and digits, and for a placeholder.
    """
    if isinstance(value, str):
        text = value.strip()
    elif isinstance(value, dict) and depth < _DEEPEST:
        plain = next((value[k] for k in _TEXT_KEYS if isinstance(value.get(k), str) and value[k].strip()), None)
        inner = (text_of(v, depth + 1) for v in value.values()) if plain is None else (plain.strip(),)
        text = " ".join(t for t in inner if t)
    elif isinstance(value, list) and depth < _DEEPEST:
        text = " ".join(t for t in (text_of(v, depth + 1) for v in value) if t)
    elif value is None or isinstance(value, bool | dict | list):
        text = ""
    else:
        text = str(value)
    said = (
        any(c.isalnum() for c in text)
        and not (len(text) < 40 and _PLACEHOLDER.fullmatch(text))
        and not _NO_CAPTION.match(text)
    )
    return _whole(text) if said else ""


def _whole(text: str) -> str:
    """Repair half characters from escapes such as \\ud83d, which no file can store: join the two halves if both are there, else mark the
    place.
    """
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ---------------------------------------------------------------- facts about captions


def says_position(caption: str) -> bool:
    """Return whether a caption mentions the left, the right or the other image, which does not help a scorer that sees one image.

    >>> says_position("Brighter than the left image."), says_position("A dog on the left.")
    (True, False)
    """
    return _POSITION.search(caption) is not None


def speaks_of_images(caption: str) -> bool:
    """Return whether a caption mentions the images, in more words than `says_position` and the count of GPT-4o's captions use.

    These include photos, and things "on the left".

    >>> [speaks_of_images(c) for c in ("Unlike the left-hand photo.", "The picture on the right.", "The second image.", "A left turn.")]
    [True, True, True, False]
    """
    return _WIDER.search(caption) is not None
