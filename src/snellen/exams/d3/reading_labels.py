"""Captions that a reply gives without JSON: in tags, in a table, or after labels such as `Left image:`.

Each function returns its texts by slot; later ones replace earlier ones. Every repeat is bounded, so that no reply can make it slow.
"""

from __future__ import annotations

import re
from functools import lru_cache

from snellen.core.reply import trimmed
from snellen.exams.d3.names import PAIR, slot_of, words_of

_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9_ -]{0,40})>")
_MOST_ROWS = 60
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
_FIRST_TAG = re.compile(r"^(?:</?(?:b|i|u|em|strong|p|span|div|br|h[1-6])\s?/?>\s{0,4}){1,4}", re.IGNORECASE)
_LAST_TAG = re.compile(r"(?:</?[A-Za-z_]{1,20}>\s{0,4}){1,4}$")
_BLOCK = re.compile(r"[|>][+-]?[^\S\n]{0,4}\n")


def from_tags(text: str, names: tuple[str, ...]) -> dict[int, str]:
    """Read `<left_image>...</left_image>`."""
    found: dict[int, str] = {}
    lowered = text.lower() if "</" in text else ""
    for tag in _TAG.finditer(text) if lowered else ():
        slot = slot_of(tag.group(1), names)
        end = lowered.find(f"</{tag.group(1).lower()}>", tag.end()) if slot is not None else -1
        if slot is not None and end >= 0:
            found[slot] = _bare(text[tag.end() : end])
    return found


def from_table(text: str, names: tuple[str, ...]) -> dict[int, str]:
    """Read a row for each picture with its name first, or a column for each with its name on top."""
    lines = [line.strip() for line in text.split("\n") if line.count("|") > 1][:_MOST_ROWS]
    rows = [[cell.strip(" *_`") for cell in line.strip("|").split("|")] for line in lines]
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]
    if len(rows) < 2:
        return {}
    slots = [slot_of(cell, names) for cell in rows[0]]
    if len({slot for slot in slots if slot is not None}) == len(names):
        return {slot: _bare(cell) for slot, cell in zip(slots, rows[1], strict=False) if slot is not None}
    return {slot: _bare(row[-1]) for row in rows if len(row) > 1 and (slot := slot_of(row[0], names)) is not None}


@lru_cache(maxsize=16)
def _label(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match `Left image:`, `**Image 1**:`, `right_image_caption:` anywhere; plain `Left:`, `Left image -` and headings only at the start of
    a line.
    """
    known = sorted(words_of(names), key=len, reverse=True)
    words, before = "|".join(known), "|".join(w for w in known if len(w) > 3 and w.isalpha())
    noun = r"(?:image|img|picture|photo)"
    tail = r"(?:[ _-]?(?:caption|description))?"
    plain = "|".join(n for n in names if n in PAIR) or "(?!)"
    start = r"(?P<line>^[ \t]{0,8}(?:(?:[-+>#\u2022]{1,6}|\*(?=[ ])|\d{1,2}[.)])[ \t]{0,4}){0,3}[*_\"'`(]{0,4})?"
    of = r"(?:(?:caption|description)[ ](?:for|of)[ ])?(?:the[ ]+)?"
    body = (
        rf"(?:(?P<a>{before})(?:[ -]hand)?(?:[ -]side)?[ _-]?(?:{noun}{tail}|caption\b)"
        rf"|{noun}[ ](?:on|to|at)[ ]the[ ](?P<d>{plain})(?:[ ]side)?|(?:{noun}|caption)[ _-]?(?P<b>{words}){tail}"
        rf"|(?(line)(?P<c>{plain})(?=\W)|(?!)))"
    )
    aside = r"(?:[*_]{0,3}[ ]\([^()\n]{1,30}\))?"
    ends = (
        r"(?:[ ](?:can|could|may|might)[ ]be[ ](?:captioned|described)(?:[ ]as)?)?(?:[*_\"'`\u201d)]{0,4}[ ]?[:=][*_]{0,3}"
        r"|(?(line)(?:\)(?=[ ])|[*_)]{0,4}[ ](?:\u2013|\u2014|->|-)[ ]|[*_)]{0,4}[ ]{0,4}$)|\*\*[ ]*$))"
    )
    return re.compile(rf"{start}(?<![^\W_]){of}{body}{aside}{ends}", re.IGNORECASE | re.MULTILINE)


def from_labels(text: str, names: tuple[str, ...]) -> dict[int, str]:
    """Return the paragraph after each label, up to the next one."""
    labels = list(_label(names).finditer(text))
    found: dict[int, str] = {}
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=False):
        said = _bare(text[label.end() : end])
        word = label["a"] or label["b"] or label["c"] or label["d"]
        if said:
            found[words_of(names)[word.lower()]] = said
    return found


def _bare(text: str) -> str:
    """Return the first paragraph of a text, without surrounding marks and quotation marks."""
    text = _FIRST_TAG.sub("", text.strip(" \t\r\n*_,{}[]#")).lstrip(" *_")
    if block := _BLOCK.match(text):
        text = text[block.end() :].strip()
    text = re.split(r"\n[^\S\n]{0,20}\n", text, maxsplit=1)[0]
    text = trimmed(_LAST_TAG.sub("", text), " \t\r\n*_`,{}[]#>|-")
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        inner = text[1:-1]
        # the next quotation mark must open another quotation: "A sign says "STOP"", not "STOP" and "GO"
        opens = inner.partition(text[0])[0]
        if opens == inner or opens[-1:].isspace() or opens[-1:] == "\\":
            text = inner.replace('\\"', '"').strip()
    return text
