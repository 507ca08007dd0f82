"""The roles of a table's columns: the picture, the question, the options and the answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple

from snellen.choice.letters import LETTERS
from snellen.core.errors import SnellenError, unknown
from snellen.exams.own.names import PLAIN, ROLES, STYLES, TAUGHT

ColumnMap = Mapping[str, str | Sequence[str]]
"""Columns by role, as given by a user: `{"image": ["image_1", "image_2"], "answer": "label"}`."""


class TableColumns(NamedTuple):
    """The columns of a table by role. `letters` are columns A, B, C and so on, one for each option."""

    images: tuple[str, ...]
    question: str
    answer: str
    options: str = ""
    letters: tuple[str, ...] = ()
    style: str = ""
    """The style in which answers name options, from the name of the answer's column; empty if it does not say."""
    plain: Mapping[str, str] = MappingProxyType({})
    """The columns id, split, kind and tolerance, as far as there are any, as spelled in the table."""
    others: tuple[str, ...] = ()
    either: bool = False
    """True if a row has its pictures in the first non-empty column of `images`, and not in all of them."""

    @property
    def image(self) -> str:
        """The names of the picture columns in messages."""
        return ", ".join(self.images)


def columns_of(names: Sequence[str], given: ColumnMap = MappingProxyType({})) -> TableColumns:
    """Return the columns by role; `given` has those that a user names. Raise SnellenError if one is missing or unclear.

    >>> found = columns_of(["img", "Question", "A", "B", "answer", "topic"])
    >>> found.image, found.question, found.letters, found.answer, found.others
    ('img', 'Question', ('A', 'B'), 'answer', ('topic',))
    >>> columns_of(["left", "right", "text", "label"], {"image": "left,right"})[:3]
    (('left', 'right'), 'text', 'label')
    """
    chosen = {role: _named(role, value, names) for role, value in given.items()}
    taken = {name for some in chosen.values() for name in some}
    listed = [name for role, some in chosen.items() if role not in STYLES for name in some]
    if doubled := [name for name in listed if listed.count(name) > 1]:
        raise SnellenError(f"--columns: the column {doubled[0]!r} stands in two places")
    known = {_folded(name): name for name in reversed(names) if name not in taken}
    known |= {role: some[0] for role, some in chosen.items()}
    styled = [name for name in STYLES if name in known and ("answer" not in chosen or name in chosen)]
    found = {role: _one(role, known) for role in ROLES if role != "answer" or not styled}
    if len(styled) > 1:
        raise SnellenError(f"both {styled[0]!r} and {styled[1]!r} could be the answer: keep one of them")
    answer = known[styled[0]] if styled else found["answer"]
    for role, name in (("image", found["image"]), ("question", found["question"]), ("answer", answer)):
        if not name:
            also = f" (or {', '.join(ROLES[role][1:4])})"
            raise SnellenError(
                f"no column {role!r}{also}; it has {', '.join(map(repr, names)) or 'none'}; "
                f"'--columns {role}=COLUMN' says which it is{_meant(known)}"
            )
    for name in (*found.values(), answer):
        twin = next((n for n in names if n not in (name, *taken) and _folded(n) == _folded(name)), "")
        if name and twin and name not in taken:
            role = next((role for role, words in ROLES.items() if _folded(name) in words), "answer")
            raise SnellenError(
                f"both {name!r} and {twin!r} could be the {role}: '--columns {role}={name}' says which it is"
            )
    either = "image" not in chosen and {"image", "images"} <= known.keys()
    images = (known["image"], known["images"]) if either else chosen.get("image", (found["image"],))
    several = chosen.get("options", ())
    letters = several if len(several) > 1 else () if found["options"] else _letters(names)
    plain = {name: known[name] for name in PLAIN if name in known}
    used = {*found.values(), answer, *images, *_letters(names), *letters, *plain.values()}
    return TableColumns(
        images=images,
        question=found["question"],
        answer=answer,
        options="" if letters else found["options"],
        letters=letters,
        style=STYLES[styled[0]] if styled else "",
        plain=plain,
        others=tuple(name for name in names if name not in used),
        either=either,
    )


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _named(role: str, value: str | Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a user names for a role."""
    roles = (*ROLES, *STYLES, *PLAIN)
    if role not in roles:
        raise unknown("role", role, roles, of="--columns")
    listed = [value] if isinstance(value, str) and value in names else value
    wanted = [name.strip() for name in (listed.split(",") if isinstance(listed, str) else listed)]
    for name in wanted:
        if name not in names:
            close = get_close_matches(name, names, n=1)
            raise SnellenError(
                f"--columns {role}={','.join(wanted)}: no column {name!r}; it has {', '.join(map(repr, names)) or 'none'}"
                + (f"; did you mean {close[0]!r}?" if close else "")
            )
    if len(wanted) != 1 and role not in ("image", "options"):
        raise SnellenError(f"--columns {role}={','.join(wanted)}: this role has one column")
    return tuple(wanted)


def _meant(known: Mapping[str, str]) -> str:
    """Return a suggestion for a column with nearly the name of a documented one, for questions, screenshots or pairs.

    >>> _meant({"image": "image", "instuction": "Instuction"}), _meant({"image": "image", "box": "box"})
    ("; did you mean 'instruction' by 'Instuction'?", '')
    """
    taught = {*TAUGHT, *PLAIN, *STYLES, *(name for names in ROLES.values() for name in names)}
    for name, written in known.items():
        close = get_close_matches(name, taught, n=1, cutoff=0.75) if name not in taught and len(name) > 2 else []
        if close:
            return f"; did you mean {close[0]!r} by {written!r}?"
    return ""


def _one(role: str, known: dict[str, str]) -> str:
    """Return the column of a role: by its documented name, else by the only other possible name in the table."""
    there = [name for name in ROLES[role] if name in known]
    if len(there) > 1 and there[0] != role:
        raise SnellenError(f"both {there[0]!r} and {there[1]!r} could be the {role}: call one of them {role!r}")
    return known[there[0]] if there else ""


def _letters(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns A, B and so on, up to the first gap; at least two."""
    count = 0
    while count < len(LETTERS) and LETTERS[count] in names:
        count += 1
    return LETTERS[:count] if count > 1 else ()
