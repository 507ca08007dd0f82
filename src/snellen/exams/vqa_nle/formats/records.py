"""One reader for all published formats: `formats.toml` declares their fields, and each record becomes a VqaRecord.

The reader never guesses: input that it cannot use is a Problem with file and place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from snellen.core.dataset import Problem
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.data.declared import declared
from snellen.data.files import PICTURES
from snellen.data.synthetic_marker import MARK, label_from
from snellen.exams.vqa_nle.formats import tags
from snellen.exams.vqa_nle.formats.files import BadRow, rows_in
from snellen.exams.vqa_nle.names import LABELS, LETTERS

EXPLANATION_FIELDS = ("explanation", "explanations", "rationale", "nle", "exp")
_KEY_FIELDS = ("question_id", "annot_id", "pairID", "id", "sample_id")
_FEATURES = re.compile(r"(?:flickr30k_)?0*(\d+)")

Fields = Mapping[str, Any]
Names = tuple[str, ...]
_Kind = TypeVar("_Kind")


class VqaFormat(Struct, frozen=True):
    """A published format, as `formats.toml` declares it."""

    name: str
    task: str
    needs: tuple[Names, ...]
    image: Names
    without: Names = ()
    image_id: Names = ()
    pair_names_image: bool = False
    text: Names = ()
    answers: Names = ()
    choices: Names = ()
    label: Names = ()
    rationales: Names = ()
    rationale: Names = ()
    explanations: Names = EXPLANATION_FIELDS
    objects: Names = ()
    tokens: bool = False
    refused: str = ""

    def knows(self, names: frozenset[str]) -> bool:
        """Return whether a file is in this format, given the fields of its first record."""
        return names.isdisjoint(self.without) and not any(names.isdisjoint(group) for group in self.needs)


class VqaRecord(Struct, frozen=True):
    """One item of any format. Object tags have the form `<det2>`, 0-based; `images` are file names to try, best first.

    Its id is `task/split/key`, with `#2`, `#3` for a repeated key. `text` is the question or the hypothesis. `rationales` are VCR's four
    reasons to choose from, and `rationale` is the number of the right one, if the format has them. `origin` is the label of a synthetic
    set, if the record has it.
    """

    key: str
    images: Names
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
    origin: dict[str, Any] | None = None

    @property
    def repeats(self) -> bool:
        """True if an earlier record has the same key."""
        return not self.id.endswith(f"/{self.key}")

    @property
    def truth(self) -> dict[str, Any] | None:
        """The truth for marking; None if the data does not give the answer."""
        if not self.answers:
            return None
        truth: dict[str, Any] = {"answers": list(self.answers), "explanations": list(self.explanations)}
        return truth if self.label is None else truth | {"label": self.label}


class _VqaFormats(Struct, frozen=True):
    formats: tuple[VqaFormat, ...]


FORMATS = declared("snellen.exams.vqa_nle.formats", "formats.toml", _VqaFormats).formats


def read(form: VqaFormat, path: Path, label: str, split: str) -> Iterator[VqaRecord | Problem]:
    """Yield every record of a file, and every problem in it."""
    times = Counter[str]()
    for number, row in enumerate(rows_in(path, label)):
        try:
            if row.wrong:
                raise BadRow(row.wrong)
            key = row.key or _name_text(row.fields, _KEY_FIELDS) or str(number)
            record = _record_of(form, key, row.fields)
        except BadRow as error:
            yield problem(f"{label} {row.place}", str(error))
            continue
        times[key] += 1
        again = f"#{times[key]}" if times[key] > 1 else ""
        yield msgspec.structs.replace(record, id=f"{form.task}/{split}/{key}{again}", split=split)


def problem(where: str, what: str, fatal: bool = True) -> Problem:
    """Return a Problem on one safe line: keys and values come from the data, which can contain anything."""
    return Problem(one_line(where), one_line(what), fatal)


def _record_of(form: VqaFormat, key: str, fields: Fields) -> VqaRecord:
    """Return a record from its fields; raise BadRow if it cannot be used."""
    image_id = _name_text(fields, form.image_id)
    images = _image_names(_name_text(fields, form.image), key if form.pair_names_image else "")
    if not images and not (form.task == "vqax" and image_id.isdecimal()):
        raise BadRow(f"no image name (field {' or '.join(form.image)})")
    objects = _class_names(first(fields, form.objects))
    tokens = len(objects) if form.tokens else None
    text = first(fields, form.text)
    if form.text and text is None:
        raise BadRow(f"no {'hypothesis' if form.task == 'esnlive' else 'question'} (field {' or '.join(form.text)})")
    choices, label = _choices(fields, form.choices, form.label, tokens)
    rationales, rationale = _choices(fields, form.rationales, form.rationale, tokens)
    if form.choices and not choices:
        raise BadRow(f"no choices (field {' or '.join(form.choices)})")
    answers = _answers(form, fields) if label is None else (choices[label],)
    explanations = texts(first(fields, form.explanations), "explanation", tokens)
    answer_type = fields.get("answer_type")
    return VqaRecord(
        key=key,
        images=images,
        image_id=image_id,
        text="".join(texts([text] if form.text else None, "question", tokens)),
        choices=choices,
        answers=answers,
        label=label,
        explanations=explanations if rationale is None else (rationales[rationale],),
        rationales=rationales,
        rationale=rationale,
        answer_type=answer_type if answer_type in ("yes/no", "number", "other") else "",
        objects=objects,
        origin=label_from(fields.get(MARK)),
    )


def _choices(fields: Fields, names: Names, label: Names, tokens: int | None) -> tuple[tuple[str, ...], int | None]:
    """Return four texts to choose from and the number of the right one, as far as the format has them."""
    found = texts(first(fields, names), "choice", tokens)
    if found and len(found) != len(LETTERS):
        raise BadRow(f"{len(found)} of {' or '.join(names)}, not {len(LETTERS)}")
    return found, label_of(first(fields, label), len(found))


def _answers(form: VqaFormat, fields: Fields) -> tuple[str, ...]:
    if form.task == "esnlive":
        return entailment_of(first(fields, form.answers))
    if form.task == "actx":  # a list is ignored
        labels = (value.strip() for name in form.answers if isinstance(value := fields.get(name), str))
        return tuple(filter(None, labels))[:1]
    return texts(first(fields, form.answers), "answer")


def _image_names(name: str, pair: str = "") -> Names:
    """Return possible names of an image, best first. A feature file (.npz) and an id are not images, but the name of an image follows from
    them.

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


class _Said(Struct, frozen=True):
    """An annotator's answer with its confidence."""

    answer: str


_Token = str | list[int]
_TEXTS, _TOKEN_LISTS = list[str | _Said], list[list[_Token]]


def first(fields: Fields, names: Names) -> Any:
    """Return the first of these fields with a value (not null, not blank, not empty)."""
    for name in names:
        value = fields.get(name)
        if value not in (None, []) and not (isinstance(value, str) and not value.strip()):
            return value
    return None


def _converted(value: Any, kind: type[_Kind], what: str) -> _Kind:
    """Return a value as this type; raise BadRow if it is another. Types are not guessed: "1" is not a number."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise BadRow(f"{what}: {error}") from None


def _name_text(fields: Fields, names: Names) -> str:
    """Return an id or a name, given as a text or a whole number; empty if there is none."""
    value = first(fields, names)
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise BadRow(f"{' or '.join(names)}: must be a text")
    return "" if value is None else str(value).strip()


def texts(value: Any, what: str, tokens: int | None = None) -> tuple[str, ...]:
    """Return one text or a list of them, without blank ones. `tokens` is the number of objects if they are lists of tokens."""
    if value is None:
        return ()
    if tokens is not None:
        found = [sentence(one, tokens) for one in _converted(value, _TOKEN_LISTS, what)]
    else:
        each = _converted(value if isinstance(value, list) else [value], _TEXTS, what)
        found = [tags.canonical(one if isinstance(one, str) else one.answer).strip() for one in each]
    return tuple(filter(None, found))


def _class_names(value: Any) -> tuple[str, ...]:
    """Return the class names of the objects, each at its own index. In some copies of e-ViL's files they are a text."""
    if isinstance(value, str):
        value = value.strip("[] ").replace("'", "").split(", ")
    return _converted(value or (), tuple[str, ...], "objects")


def label_of(value: Any, choices: int) -> int | None:
    """Return the index of the right choice; None if the data does not give it."""
    if value is None:
        return None
    label = _converted(value, int, "label")
    if not 0 <= label < choices:
        raise BadRow(f"label {label} is out of range (0 to {choices - 1})")
    return label


def entailment_of(value: Any) -> tuple[str, ...]:
    """Return the gold label of e-SNLI-VE; none if the data does not give it."""
    if value is None:
        return ()
    text = _converted(value, str, "label").strip().lower()
    if text not in LABELS:
        raise BadRow(f"label {text!r} is not one of {', '.join(LABELS)}")
    return (text,)


_CLOSING = re.compile(r" (?=(?:[,.?!;:%)]|n't\b|'(?:s|re|ve|ll|d|m)(?!\w)))")


def sentence(tokens: list[_Token], objects: int) -> str:
    """Return VCR's tokens as a sentence, with object references as tags.

    >>> sentence(["Is", [0, 2], "'s", "friend", "here", "?"], 3)
    "Is <det0> and <det2>'s friend here?"
    """
    words = []
    for token in tokens:
        if isinstance(token, str):
            words.append(token)
            continue
        wrong = [i for i in token if not 0 <= i < objects]
        if wrong:
            raise BadRow(f"refers to object {wrong[0]}, but there are {objects}")
        *names, last = [f"<det{i}>" for i in token] or [""]
        words.append(f"{', '.join(names)} and {last}" if names else last)
    return _CLOSING.sub("", " ".join(" ".join(words).split()))
