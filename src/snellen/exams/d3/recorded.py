"""The captions file of the D3 script, `{uid: {"left": ..., "right": ...}}`: read as recorded replies, and written by every run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.extras import RecordedReply
from snellen.exams.d3.names import PAIR, asked_keys, names_in
from snellen.exams.d3.pairs import captions_in
from snellen.exams.d3.reading import text_of

SWAPPED = Arm("pair", "swapped")


def sample_id(uid: str) -> str:
    """Return the sample id of a pair."""
    return f"d3/{uid}"


def _captions(entry: Any) -> dict[str, Any] | None:
    """Return an entry's captions by slot, from `left` and `right`, `left_image` and `right_image`, or `image1` to `imageN`."""
    if not isinstance(entry, Mapping):
        return None
    asked = dict(zip(asked_keys(PAIR), PAIR, strict=True))
    named = {str(asked.get(key, key)): value for key, value in entry.items()}
    names = names_in(named)
    return None if names is None else {name: named[name] for name in names}


def rows(captions: Mapping[str, Any], *, swapped: bool = False) -> Iterator[tuple[str, str]]:
    """Yield every entry as (sample id, reply text), with the reply in the form that the prompt asks for.

    With `swapped` the reply is to the pictures in the other order, so that each caption stays with its picture.
    """
    for uid, entry in captions.items():
        found = _captions(entry)
        if found is None:
            raise SnellenError(f"captions of '{uid}': expected an object with left and right, or image1 to imageN")
        said = [text_of(caption) for caption in found.values()]
        keyed = dict(zip(asked_keys(tuple(found)), said[::-1] if swapped else said, strict=True))
        yield sample_id(str(uid)), json.dumps(keyed, ensure_ascii=False)


def recorded(document: Any) -> Iterator[RecordedReply] | None:
    """Return a captions file, or rows of pairs with captions, as recorded replies to the question and to the control `swapped`.

    Return None if the document is something else. One entry with captions is enough to recognise it.
    """
    document = captions_in(document) or document
    if not isinstance(document, dict) or not any(map(_captions, document.values())):
        return None
    orders = ((None, False), (SWAPPED.text, True))
    return (RecordedReply(name, arm, text) for arm, swapped in orders for name, text in rows(document, swapped=swapped))
