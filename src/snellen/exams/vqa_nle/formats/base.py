"""What all published formats of the explanation data sets become: one Record, and the tools that the readers share.

A reader gives Records and Problems in file order. It never guesses: what it cannot use is a Problem with file and key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.data.synthetic_marker import MARK, label_from
from snellen.exams.vqa_nle.formats.tags import TAG
from snellen.exams.vqa_nle.names import LABELS

EXPLANATION_FIELDS = ("explanation", "explanations", "rationale", "nle", "exp")
KEY_FIELDS = ("question_id", "annot_id", "pairID", "id", "sample_id")

Box = tuple[float, ...]
Fields = Mapping[str, Any]


class BadRecord(Exception):
    """Why a record cannot be used; the reader adds file and key."""


class VqaRecord(Struct, frozen=True):
    """One item of any format. Object tags are in the form `<det2>`, 0-based; `images` are names to look for, best first.

    `rationales` are VCR's four reasons to choose from and `rationale` the number of the right one, where the format has them.
    `origin` is the label of a synthetic set, where the record has it.
    """

    key: str
    images: tuple[str, ...]
    image_id: str = ""
    question: str = ""
    hypothesis: str = ""
    choices: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    label: int | None = None
    explanations: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()
    rationale: int | None = None
    answer_type: str = ""
    objects: tuple[str, ...] = ()
    boxes: tuple[Box, ...] | None = None
    size: tuple[float, float] | None = None
    metadata: str = ""
    origin: dict[str, Any] | None = None


Item = VqaRecord | Problem
Parser = Callable[[str, Fields], VqaRecord]


class VqaFormat(NamedTuple):
    """A published format: for which task, in which kinds of file, and the fields by which its first record is known.

    Each entry of `needs` is a group of names of which one must be there; none of `without` may be.
    """

    name: str
    task: str
    kinds: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]
    read: Callable[[Path, str], Iterator[Item]]
    without: tuple[str, ...] = ()

    def knows(self, kind: str, fields: frozenset[str]) -> bool:
        """Whether a file of this kind whose first record has these fields is in this format."""
        return (
            kind in self.kinds
            and all(any(name in fields for name in group) for group in self.needs)
            and not any(name in fields for name in self.without)
        )


# ---------------------------------------------------------------- fields


def first(fields: Fields, names: tuple[str, ...]) -> Any:
    """The first of these fields that says something (not null, not blank, not empty)."""
    values = (fields.get(name) for name in names)
    return next((v for v in values if v not in (None, []) and not (isinstance(v, str) and not v.strip())), None)


def need_text(fields: Fields, names: tuple[str, ...], what: str) -> str:
    """A text that must be there."""
    value = first(fields, names)
    if value is None:
        raise BadRecord(f"no {what} (field {' or '.join(names)})")
    if not isinstance(value, str):
        raise BadRecord(f"{what} must be a text, not {kind_of(value)}")
    return value.strip()


def name_text(fields: Fields, names: tuple[str, ...]) -> str:
    """An id or a name: a text or a whole number; empty where there is none."""
    value = first(fields, names)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRecord(f"field {' or '.join(n for n in names if n in fields)} must be a text, not {kind_of(value)}")
    return str(value).strip()


def texts(value: Any, what: str, field: str = "") -> tuple[str, ...]:
    """A text, a list of texts, or a list of objects that hold one in `field`; blank ones are left out."""
    if value is None:
        return ()
    found = []
    for at, item in enumerate(value if isinstance(value, list) else [value]):
        text = item.get(field) if field and isinstance(item, dict) else item
        if not isinstance(text, str):
            raise BadRecord(f"{what} {at} must be a text, not {kind_of(text)}")
        if text.strip():
            found.append(text.strip())
    return tuple(found)


def class_names(value: Any) -> tuple[str, ...]:
    """The class names of the objects, each at its own index."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise BadRecord("objects must be a list of class names")
    return tuple(value)


def explanations_of(fields: Fields) -> tuple[str, ...]:
    """All explanations of a record."""
    return texts(first(fields, EXPLANATION_FIELDS), "explanation")


def label_of(value: Any, choices: int) -> int | None:
    """The index of the right choice; None where the data does not say. A text such as "1" is refused, never guessed."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRecord(f"label must be a whole number, not {kind_of(value)} {value!r}")
    if not 0 <= value < choices:
        raise BadRecord(f"label {value} is out of range (0 to {choices - 1})")
    return value


def entailment_of(value: Any) -> tuple[str, ...]:
    """The gold label of e-SNLI-VE; none where the data does not say."""
    if value is None:
        return ()
    text = value.strip().lower() if isinstance(value, str) else value
    if text not in LABELS:
        raise BadRecord(f"label {value!r} is not one of {', '.join(LABELS)}")
    return (str(text),)


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {"dict": "an object", "list": "a list", "str": "the text", "NoneType": "null", "bool": "a truth value"}
    return names.get(type(value).__name__, "a number")


# ---------------------------------------------------------------- object tags


def canonical_tags(text: str) -> str:
    """Object tags in one form.

    >>> canonical_tags("Is <|det1|> near <det02>?")
    'Is <det1> near <det2>?'
    """
    return TAG.sub(lambda m: f"<det{int(m.group(1))}>", text)


# ---------------------------------------------------------------- JSON files


class _Key:
    """A key of the outermost object. Not equal to any other, so that a key that is there twice is seen twice."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_OBJECT = msgspec.json.Decoder(dict[_Key, msgspec.Raw], dec_hook=lambda kind, value: kind(value))
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_RECORD = msgspec.json.Decoder(dict[str, Any])
UNDECODABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BYTE = re.compile(r"\(byte (\d+)\)")


@contextmanager
def readable(label: str) -> Iterator[None]:
    """A file that cannot be read is an error with its name."""
    try:
        yield
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def read_bytes(path: Path, label: str) -> bytes:
    """A file's content without byte order mark."""
    with readable(label):
        return path.read_bytes().removeprefix(BYTE_ORDER_MARK)


def raw_records(path: Path, label: str) -> Iterator[tuple[str | None, msgspec.Raw]]:
    """The records of a JSON object (with their keys) or list (key None), still undecoded, so that memory stays small."""
    data = read_bytes(path, label)
    try:
        if data.lstrip()[:1] == b"[":
            yield from ((None, raw) for raw in _LIST.decode(data))
        else:
            yield from ((key.text, raw) for key, raw in _OBJECT.decode(data).items())
    except UNDECODABLE as error:
        raise SnellenError(f"{label}: not valid JSON{json_place(data, str(error))}; get the file again") from None


def json_place(data: bytes, message: str) -> str:
    """Where and why JSON breaks, in words.

    >>> json_place(b'{"a":\\n1,}', "JSON is malformed: object keys must be strings (byte 8)")
    ' (line 2: object keys must be strings)'
    """
    byte = _BYTE.search(message)
    why = _BYTE.sub("", message.removeprefix("JSON is malformed: ")).strip() or "nested too deeply"
    if byte is None:
        return f" ({why})"
    line = data.count(b"\n", 0, int(byte.group(1))) + 1
    return f" (line {line}: {why})"


def read_json(path: Path, label: str, parse: Parser) -> Iterator[Item]:
    """Every record of a JSON file, parsed; what does not parse is a Problem with its key (or number, in a list)."""
    for at, (key, raw) in enumerate(raw_records(path, label)):
        name = key or ""
        try:
            fields = _RECORD.decode(raw)
            name = key if key is not None else name_text(fields, KEY_FIELDS) or str(at)
            if not name:
                raise BadRecord("empty key")
            yield with_origin(parse(name, fields), fields.get(MARK))
        except (BadRecord, *UNDECODABLE) as error:
            yield unusable(place(label, name or at), error)


def with_origin(record: VqaRecord, label: Any) -> VqaRecord:
    """The record with its label, where it has one."""
    return record if label is None else msgspec.structs.replace(record, origin=label_from(label))


def unusable(where: str, error: Exception) -> Problem:
    """What is wrong with a record that cannot be used."""
    why = str(error) if isinstance(error, BadRecord) else f"not a usable record ({error or 'nested too deeply'})"
    return problem(where, why)


def place(label: str, key: str | int) -> str:
    """How messages name a record."""
    return f"{label} record {key!r}"


def problem(where: str, what: str, fatal: bool = True) -> Problem:
    """A Problem on one safe line: keys and values come from the data, and data can hold anything."""
    return Problem(one_line(where), one_line(what), fatal)
