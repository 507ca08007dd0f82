"""Which column of a table is the picture, the question, the options and the answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple

from snellen.choice.letters import LETTERS
from snellen.core.errors import SnellenError
from snellen.exams.own.names import PLAIN, ROLES, STYLES, TAUGHT


class Columns(NamedTuple):
    """The columns of a table by what they are for. `letters` are columns A, B, C and so on, one for each option."""

    image: str
    question: str
    answer: str
    options: str = ""
    letters: tuple[str, ...] = ()
    style: str = ""
    """How the name of the answer's column says that options are named in it; empty where it does not."""
    plain: Mapping[str, str] = MappingProxyType({})
    """The columns id, split, kind and tolerance, as far as there are any, as the table spells them."""
    others: tuple[str, ...] = ()


def columns_of(names: Sequence[str]) -> Columns:
    """What the columns are for; raises SnellenError where one is missing, or two could be the same.

    >>> found = columns_of(["img", "Question", "A", "B", "answer", "topic"])
    >>> found.image, found.question, found.letters, found.answer, found.others
    ('img', 'Question', ('A', 'B'), 'answer', ('topic',))
    """
    known = {name.strip().lower().replace(" ", "_"): name for name in names}
    styled = [name for name in STYLES if name in known]
    found = {role: _one(role, known) for role in ROLES if role != "answer" or not styled}
    if len(styled) > 1:
        raise SnellenError(f"both {styled[0]!r} and {styled[1]!r} could be the answer: keep one of them")
    answer = known[styled[0]] if styled else found["answer"]
    letters = _letters(names)
    for role, name in (("image", found["image"]), ("question", found["question"]), ("answer", answer)):
        if not name:
            also = f" (or {', '.join(ROLES[role][1:4])})"
            raise SnellenError(
                f"no column {role!r}{also}; it has {', '.join(map(repr, names)) or 'none'}{_meant(known)}"
            )
    plain = {name: known[name] for name in PLAIN if name in known}
    used = {*found.values(), answer, *letters, *plain.values()}
    return Columns(
        image=found["image"],
        question=found["question"],
        answer=answer,
        options=found["options"],
        letters=() if found["options"] else letters,
        style=STYLES[styled[0]] if styled else "",
        plain=plain,
        others=tuple(name for name in names if name not in used),
    )


def _meant(known: Mapping[str, str]) -> str:
    """What a column may be that is called nearly as one that we teach, for questions, screenshots or pairs.

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
    """The column of a role: by the name that we teach, else by the only other one that it may have."""
    there = [name for name in ROLES[role] if name in known]
    if len(there) > 1 and there[0] != role:
        raise SnellenError(f"both {there[0]!r} and {there[1]!r} could be the {role}: call one of them {role!r}")
    return known[there[0]] if there else ""


def _letters(names: Sequence[str]) -> tuple[str, ...]:
    """The columns A, B and so on, as far as they go without a gap; two at least."""
    count = 0
    while count < len(LETTERS) and LETTERS[count] in names:
        count += 1
    return LETTERS[:count] if count > 1 else ()
