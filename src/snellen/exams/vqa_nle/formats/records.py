"""One reader for all published formats: `formats.toml` declares their fields, and each record becomes a VqaRecord.

The reader never guesses: what it cannot use is a Problem with file and key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.dataset import Problem
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.data.declared import declared
from snellen.data.files import PICTURES
from snellen.data.synthetic_marker import MARK, label_from
from snellen.exams.vqa_nle.formats import tags
from snellen.exams.vqa_nle.formats.files import UNDECODABLE, BadRow, rows_in
from snellen.exams.vqa_nle.names import LABELS, LETTERS

EXPLANATION_FIELDS = ("explanation", "explanations", "rationale", "nle", "exp")
KEY_FIELDS = ("question_id", "annot_id", "pairID", "id", "sample_id")
_FEATURES = re.compile(r"(?:flickr30k_)?0*(\d+)")

Fields = Mapping[str, Any]
ReadText = Callable[[Any, str], str]


class VqaFormat(Struct, frozen=True):
    """A published format, as `formats.toml` declares it."""

    name: str
    task: str
    needs: tuple[tuple[str, ...], ...]
    image: tuple[str, ...]
    without: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("object", "list")
    key: tuple[str, ...] = ()
    image_id: tuple[str, ...] = ()
    pair_names_image: bool = False
    text: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()
    rationale: tuple[str, ...] = ()
    explanations: tuple[str, ...] = EXPLANATION_FIELDS
    objects: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    tags: str = ""
    refused: str = ""

    def knows(self, kind: str, names: frozenset[str]) -> bool:
        """Return whether a file of this kind whose first record has these fields is in this format."""
        has_needed = all(not names.isdisjoint(group) for group in self.needs)
        return kind in self.kinds and has_needed and names.isdisjoint(self.without)


class VqaRecord(Struct, frozen=True):
    """One item of any format. Object tags are in the form `<det2>`, 0-based; `images` are names to look for, best first.

    Its id is `task/split/key`, with `#2`, `#3` where a key repeats. `text` is the question or the hypothesis. `rationales` are VCR's four
    reasons to choose from and `rationale` the number of the right one, where the format has them. `origin` is the label of a
    synthetic set, where the record has it.
    """

    key: str
    images: tuple[str, ...]
    id: str = ""
    split: str = ""
    image_id: str = ""
    text: str = ""
    choices: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    label: int | None = None
    explanations: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()
    rationale: int | None = None
    answer_type: str = ""
    objects: tuple[str, ...] = ()
    metadata: str = ""
    origin: dict[str, Any] | None = None

    @property
    def repeats(self) -> bool:
        """Whether another record before it has the same key."""
        return not self.id.endswith(f"/{self.key}")

    @property
    def truth(self) -> dict[str, Any] | None:
        """What marking compares with; None where the data does not say the answer."""
        if not self.answers:
            return None
        truth: dict[str, Any] = {"answers": list(self.answers), "explanations": list(self.explanations)}
        return truth if self.label is None else truth | {"label": self.label}


class _VqaFormats(Struct, frozen=True):
    formats: tuple[VqaFormat, ...]


FORMATS = declared("snellen.exams.vqa_nle.formats", "formats.toml", _VqaFormats).formats


def read(form: VqaFormat, path: Path, label: str, kind: str, split: str) -> Iterator[VqaRecord | Problem]:
    """Yield every record of a file, and what is wrong in it."""
    key_fields = form.key or (KEY_FIELDS if kind == "list" else ())
    times = Counter[str]()
    for row in rows_in(path, label, kind):
        key = row.key
        try:
            fields = row.fields()
            key = _name_text(fields, key_fields) or key
            record = _record_of(form, key, fields)
        except (BadRow, *UNDECODABLE) as error:
            why = str(error) if isinstance(error, BadRow) else f"not a usable record ({error or 'nested too deeply'})"
            yield problem(f"{label} line {row.line}" if row.line else place(label, key), why)
            continue
        times[key] += 1
        again = f"#{times[key]}" if times[key] > 1 else ""
        yield msgspec.structs.replace(record, id=f"{form.task}/{split}/{key}{again}", split=split)


def place(label: str, key: str) -> str:
    """Return how messages name a record."""
    return f"{label} record {key!r}"


def problem(where: str, what: str, fatal: bool = True) -> Problem:
    """Return a Problem on one safe line: keys and values come from the data, and data can hold anything."""
    return Problem(one_line(where), one_line(what), fatal)


def _record_of(form: VqaFormat, key: str, fields: Fields) -> VqaRecord:
    """Return a record from its fields; raise BadRow where it cannot be used."""
    if not key:
        raise BadRow(f"empty {' or '.join(form.key) or 'key'}")
    image_id = _name_text(fields, form.image_id)
    images = _image_names(_name_text(fields, form.image), key if form.pair_names_image else "")
    if not images and not (form.task == "vqax" and image_id.isdecimal()):
        raise BadRow(f"no image name (field {' or '.join(form.image)})")
    objects = _class_names(first(fields, form.objects))
    read_text = _text_reader(form.tags, objects)
    text = first(fields, form.text)
    if form.text and text is None:
        raise BadRow(f"no {'hypothesis' if form.task == 'esnlive' else 'question'} (field {' or '.join(form.text)})")
    choices = texts(first(fields, form.choices), "choice", read_text)
    if form.choices and len(choices) != len(LETTERS):
        raise BadRow(f"{len(choices)} answer choices, not {len(LETTERS)}")
    label = label_of(first(fields, form.label), len(choices))
    rationales = texts(first(fields, form.rationales), "rationale", read_text)
    if rationales and len(rationales) != len(LETTERS):
        raise BadRow(f"{len(rationales)} rationales, not {len(LETTERS)}")
    rationale = label_of(first(fields, form.rationale), len(rationales))
    explanations = texts(first(fields, form.explanations), "explanation", read_text)
    answer_type = fields.get("answer_type")
    return VqaRecord(
        key=key,
        images=images,
        image_id=image_id,
        text="" if text is None else read_text(text, form.text[0]).strip(),
        choices=choices,
        answers=_answers(form, fields, read_text) if label is None else (choices[label],),
        label=label,
        explanations=explanations if rationale is None else (rationales[rationale],),
        rationales=rationales,
        rationale=rationale,
        answer_type=answer_type if answer_type in ("yes/no", "number", "other") else "",
        objects=objects,
        metadata=_name_text(fields, form.metadata),
        origin=label_from(fields.get(MARK)),
    )


def _answers(form: VqaFormat, fields: Fields, read_text: ReadText) -> tuple[str, ...]:
    if form.task == "esnlive":
        return entailment_of(first(fields, form.answers))
    if form.task == "actx":  # a list is passed over
        labels = (value.strip() for name in form.answers if isinstance(value := fields.get(name), str))
        return tuple(filter(None, labels))[:1]
    return texts(first(fields, form.answers), "answer", read_text)


def _image_names(name: str, pair: str = "") -> tuple[str, ...]:
    """Names that an image may have, best first. A feature file (.npz) and an id are not images, but the name of one follows from them.

    >>> _image_names("flickr30k_000003416050.npz"), _image_names("34.jpg", "34.jpg#4r1c")
    (('3416050.jpg', '000003416050.jpg', 'flickr30k_000003416050.jpg'), ('34.jpg',))
    """
    names = [pair.partition("#")[0]] if ".jpg#" in pair else []
    if name.lower().endswith(PICTURES):
        names.append(name)
    elif name:
        stem = name.removesuffix(".npz")
        number = _FEATURES.fullmatch(stem) if stem != name else None
        names += [f"{number.group(1)}.jpg"] if number else []
        names += [f"{stem.removeprefix('flickr30k_')}.jpg", f"{stem}.jpg"]
    return tuple(dict.fromkeys(names))


# ---------------------------------------------------------------- fields


def first(fields: Fields, names: tuple[str, ...]) -> Any:
    """Return the first of these fields that says something (not null, not blank, not empty)."""
    values = (fields.get(name) for name in names)
    return next((v for v in values if v not in (None, []) and not (isinstance(v, str) and not v.strip())), None)


def _name_text(fields: Fields, names: tuple[str, ...]) -> str:
    """Return an id or a name: a text or a whole number; empty where there is none."""
    value = first(fields, names)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRow(f"field {' or '.join(n for n in names if n in fields)} must be a text, not {kind_of(value)}")
    return str(value).strip()


def _text_of(value: Any, what: str) -> str:
    """Return a text, or an annotator's answer with its confidence."""
    value = value.get("answer") if isinstance(value, dict) else value
    if not isinstance(value, str):
        raise BadRow(f"{what} must be a text, not {kind_of(value)}")
    return value


def _text_reader(form: str, objects: tuple[str, ...]) -> ReadText:
    """Read texts in which objects are named in this form."""
    if form == "tokens":
        return lambda value, what: sentence(value, len(objects))
    if form == "pipes":
        return lambda value, what: tags.canonical(_text_of(value, what))
    return _text_of


def texts(value: Any, what: str, read_text: ReadText = _text_of) -> tuple[str, ...]:
    """Return one text or a list of them; blank ones are left out."""
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    found = (read_text(item, f"{what} {at}").strip() for at, item in enumerate(items))
    return tuple(filter(None, found))


def _class_names(value: Any) -> tuple[str, ...]:
    """Return the class names of the objects, each at its own index. Some copies of e-ViL's files hold them as a text."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value.replace("'", '"'))
        except msgspec.MsgspecError:
            value = None
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise BadRow("objects must be a list of class names")
    return tuple(value)


def label_of(value: Any, choices: int) -> int | None:
    """Return the index of the right choice; None where the data does not say. A text such as "1" is refused, never guessed."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRow(f"label must be a whole number, not {kind_of(value)} {value!r}")
    if not 0 <= value < choices:
        raise BadRow(f"label {value} is out of range (0 to {choices - 1})")
    return value


def entailment_of(value: Any) -> tuple[str, ...]:
    """Return the gold label of e-SNLI-VE; none where the data does not say."""
    if value is None:
        return ()
    text = value.strip().lower() if isinstance(value, str) else value
    if text not in LABELS:
        raise BadRow(f"label {value!r} is not one of {', '.join(LABELS)}")
    return (str(text),)


def kind_of(value: Any) -> str:
    """Return what a JSON value is, in words."""
    names = {"dict": "an object", "list": "a list", "str": "the text", "NoneType": "null", "bool": "a truth value"}
    return names.get(type(value).__name__, "a number")


_CLOSING = re.compile(r" (?=(?:[,.?!;:%)]|n't\b|'(?:s|re|ve|ll|d|m)(?!\w)))")


def sentence(tokens: Any, objects: int) -> str:
    """VCR's tokens as a sentence, object references as tags.

    >>> sentence(["Is", [0, 2], "'s", "friend", "here", "?"], 3)
    "Is <det0> and <det2>'s friend here?"
    """
    if not isinstance(tokens, list):
        raise BadRow(f"texts must be lists of words and object numbers, not {kind_of(tokens)} {str(tokens)[:40]!r}")
    words = []
    for token in tokens:
        if isinstance(token, str):
            words.append(token)
            continue
        if not isinstance(token, list) or not all(isinstance(i, int) for i in token):
            raise BadRow(f"a token must be a text or a list of object numbers, not {str(token)[:40]}")
        wrong = [i for i in token if not 0 <= i < objects]
        if wrong or not token:
            raise BadRow(f"refers to object {wrong[0]}, but there are {objects}" if wrong else "an empty reference")
        names = [f"<det{i}>" for i in token]
        words.append(" and ".join(([", ".join(names[:-1])] if names[:-1] else []) + names[-1:]))
    return _CLOSING.sub("", " ".join(" ".join(words).split()))
