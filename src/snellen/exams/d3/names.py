"""The slots for the pictures of a pair (or of a larger set) in a question: `left` and `right`, or `image1` to `imageN`.

A slot is a position as shown. The data set decides which picture takes it, and the control `swapped` reverses the order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from snellen.core.types import Sample
from snellen.synthetic.pairs.folder import MOST, PAIR, set_names

__all__ = ["MOST", "PAIR", "set_names"]

_ORDINALS_TEXT = "first second third fourth fifth sixth seventh eighth ninth tenth"
_ORDINALS = tuple(_ORDINALS_TEXT.split())
_CARDINALS_TEXT = "one two three four five six seven eight nine ten"
_CARDINALS = tuple(_CARDINALS_TEXT.split())
_NOISE_TEXT = "image images img picture pic photo caption captions description the of for"
_NOISE = frozenset(_NOISE_TEXT.split())
_LONGEST_KEY = 60


def names_in(entry: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the slots in a mapping, `left` and `right` or `image1` to `imageN`; None if it has neither.

    >>> names_in({"left": "a.jpg", "right": "b.jpg", "uid": "0"})
    ('left', 'right')
    >>> names_in({"image2": "b.jpg", "image1": "a.jpg"})
    ('image1', 'image2')
    """
    if entry.keys() >= set(PAIR):
        return PAIR
    count = 0
    while f"image{count + 1}" in entry:
        count += 1
    return set_names(count) if count >= 2 else None


def names_of(sample: Sample) -> tuple[str, ...]:
    """Return the slots of a sample, in the order of its pictures."""
    return names_in(sample.facts) or PAIR


def asked_keys(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the JSON keys that the prompt asks for."""
    return tuple(f"{name}_image" for name in names) if names == PAIR else names


def task_of(names: tuple[str, ...]) -> str:
    """Return `pair` or `set of N`. Chance differs between them, so results are never mixed."""
    return "pair" if names == PAIR else f"set of {len(names)}"


def names_for(task: str) -> tuple[str, ...]:
    """Return the slots of a task with a name from `task_of`.

    >>> names_for("pair"), names_for("set of 3")
    (('left', 'right'), ('image1', 'image2', 'image3'))
    """
    return PAIR if task == "pair" else set_names(int(task.rpartition(" ")[2]))


# ---------------------------------------------------------------- keys in replies


@lru_cache(maxsize=64)
def words_of(names: tuple[str, ...]) -> dict[str, int]:
    """Return every word that a reply may use for a slot, and the slot's position."""
    words: dict[str, int] = {}
    for i in range(len(names)):
        said = [str(i + 1), chr(ord("a") + i)]
        if i < len(_ORDINALS):
            said += [_ORDINALS[i], _CARDINALS[i]]
        if names == PAIR:
            said.append(names[i])
        words.update(dict.fromkeys(said, i))
    return words


@lru_cache(maxsize=4096)
def slot_of(key: str, names: tuple[str, ...]) -> int | None:
    """Return the slot of a key in a reply: `left_image`, `Left Image`, `leftImage`, `left`, `image1`, `caption 1`, `image A`.

    >>> [slot_of(k, PAIR) for k in ("left_image", "RightImage", "image 2", "left arm", "image_0")]
    [0, 1, 1, None, None]
    """
    if len(key) > _LONGEST_KEY:
        return None
    parts = re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower())
    meant = [p for p in parts if p not in _NOISE]
    return words_of(names).get(meant[0]) if len(meant) == 1 else None
