"""Prompts and option lists in words: how two texts and two lists of names differ. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import NamedTuple

OPTIONS = "<options>"


def fold(name: str) -> str:
    """A name without case, underscores and hyphens."""
    return " ".join(re.sub(r"[_-]", " ", name).casefold().split())


def near(name: str, pool: Iterable[str]) -> str | None:
    """The name of a pool that is the same, or the same thing in another spelling."""
    folded = {fold(p): p for p in pool}
    own = fold(name)
    if own in folded:
        return folded[own]
    close = get_close_matches(own, folded, 1, 0.75)
    words = set(own.split())
    within = [f for f in folded if words < set(f.split()) or set(f.split()) < words]
    return folded[(close or within)[0]] if close or within else None


def respelled(first: Sequence[str], other: Sequence[str]) -> list[tuple[str, str]]:
    """Names of two lists that mean the same and differ by more than case and underscores."""
    there, here = {fold(n) for n in first}, {fold(n) for n in other}
    left = [n for n in other if fold(n) not in there]
    pairs = ((n, near(n, left)) for n in first if fold(n) not in here)
    return [(a, b) for a, b in pairs if b is not None]


def difference(first: Sequence[str], other: Sequence[str]) -> str:
    """How a list of names differs from another: what is missing or new, spelling, writing, order."""
    if not other or not first:
        return "none offered" if not other else f"{len(other)} names where the first has none"
    pairs = respelled(first, other)
    known = {fold(a): fold(a) for a in first} | {fold(b): fold(a) for a, b in pairs}
    back = {fold(a) for a in first}
    common = [known[fold(o)] for o in other if fold(o) in known]
    gone = [a for a in first if fold(a) in back - set(common)]
    new = [o for o in other if fold(o) not in known]
    plain = {fold(a): a for a in first}
    written = [(plain[fold(o)], o) for o in other if fold(o) in plain and plain[fold(o)] != o]
    parts = ["same set" if not (gone or new or pairs) else f"{len(common)} names in common"]
    parts += [f"spelled {b} for {a}" for a, b in pairs]
    if written:
        parts.append(f"{len(written)} in other case or writing ({' for '.join(reversed(written[0]))}, ...)")
    parts += [f"without {', '.join(gone)}"] if gone else []
    parts += [f"with {', '.join(new)}"] if new else []
    parts.append("same order" if common == [fold(a) for a in first if fold(a) in common] else "other order")
    return "; ".join(parts)


def word_diff(first: str, other: str) -> str:
    """What becomes of the words of a text: `[-gone-] {+new+}`; line ends count as words."""
    if first == other:
        return "the same"
    a, b = (re.findall(r"\S+|\n", text) for text in (first, other))
    if a == b:
        return "the same words, other white space"
    out: list[str] = []
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        gone, new = (" ".join("⏎" if w == "\n" else w for w in side) for side in (a[i:j], b[k:m]))
        out += [gone] if tag == "equal" else [f"[-{gone}-]"] * bool(gone) + [f"{{+{new}+}}"] * bool(new)
    return " ".join(out)


class RenderedPrompt(NamedTuple):
    """A rendered prompt: its text, the text with the option list cut out, and the options in the order printed."""

    text: str
    frame: str
    options: tuple[str, ...]


def take_apart(text: str, names: Sequence[str]) -> RenderedPrompt:
    """Find the list of these names in a prompt."""
    if not names:
        return RenderedPrompt(text, text, ())
    one = "|".join(re.escape(o) for o in sorted(names, key=len, reverse=True))
    joint = r"(?:\s*[,;/|]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)"
    lists = list(re.finditer(rf"(?<!\w)(?:{one})(?:{joint}(?:{one}))+(?!\w)", text, re.IGNORECASE))
    if not lists:
        return RenderedPrompt(text, text, tuple(names))
    span = max(lists, key=lambda m: len(m.group()))
    options = tuple(re.findall(rf"(?<!\w)(?:{one})(?!\w)", span.group(), re.IGNORECASE))
    return RenderedPrompt(text, text[: span.start()] + OPTIONS + text[span.end() :], options)


def sentences(frame: str) -> list[str]:
    """The sentences of a prompt; the option list ends one, and what ends in a colon takes the next line in. A bare label of
    the list ("Options:") is left out.
    """
    cut = re.sub(rf"({OPTIONS}[\]).]*)\s*", r"\1\n", frame)
    found: list[str] = []
    for piece in re.split(r"\n+|(?<=[.!?])\s+", cut):
        if found and found[-1].endswith(":"):
            found[-1] += " " + piece.strip()
        elif piece.strip():
            found.append(piece.strip())
    return [s for s in found if len(re.findall(r"\w+", s.replace(OPTIONS, ""))) > 1]
