"""Questions that a person is asked: those of a file (image, question, options, answer), or those of an exam as a model gets them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.annotate.pictures import shot
from snellen.annotate.rows import AnswerRow
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Question
from snellen.data.files import read_picture

IMAGES = ("image", "images", "image_path", "img", "picture")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SEPARATOR = "|"
LARGEST = 64 << 20


class AnnotationItem(NamedTuple):
    """A question as a person sees it. `many` means that several options may be right; `clicked`, that the answer is a place."""

    id: str
    text: str
    options: tuple[str, ...] = ()
    many: bool = False
    clicked: bool = False
    answer: str = ""
    pictures: tuple[bytes, ...] = ()


class QuestionList:
    """Questions in a fixed order, made when they are looked at."""

    ids: tuple[str, ...] = ()
    source: str = ""

    def item(self, number: int) -> AnnotationItem:
        """One of them."""
        raise SnellenError(f"there is no question {number}")


class QuestionRow(NamedTuple):
    """A row of a file of questions, checked. `row` is all that the file has of it."""

    id: str
    question: str
    images: tuple[str, ...]
    options: tuple[str, ...]
    answer: str
    row: Mapping[str, Any]


class FileQuestions(QuestionList):
    """The questions of a file in the folder: JSON lines, a JSON list, or CSV."""

    def __init__(self, folder: Path, path: Path, *, with_answers: bool = False) -> None:
        self._folder, self._answers = folder, with_answers
        self.source = path.name
        self.asked = read_questions(path)
        self.ids = tuple(one.id for one in self.asked)
        for one in self.asked:
            for name in one.images:
                try:
                    shot(folder, name)
                except (SnellenError, OSError) as error:
                    raise SnellenError(f"{path.name}, question {one.id}: {error}") from None

    def item(self, number: int) -> AnnotationItem:
        one = self.asked[number]
        pictures = tuple(read_picture(shot(self._folder, name).path) for name in one.images)
        answer = one.answer if self._answers else ""
        return AnnotationItem(one.id, one.question, one.options, answer=answer, pictures=pictures)


class ExamQuestions(QuestionList):
    """The questions of an exam, exactly as a model is asked them: no truth is in them."""

    def __init__(self, exam: str, data: Path, selection: Selection) -> None:
        from snellen.engine.plan.plan import applies, make_plan
        from snellen.engine.plan.request import RunRequest

        self.source = exam
        whoever = "baseline/constant:nothing"  # a plan needs a subject; this one is never asked
        self._plan = make_plan(RunRequest(exam, model=whoever, data=data, selection=selection), offline=True)
        self._arm = self._plan.firsts[0]
        light = self._plan.data.light()
        self.ids = tuple(sample.id for sample in light if applies(self._plan.exam, self._arm, sample))
        self._latest: tuple[int, AnnotationItem] | None = None

    def item(self, number: int) -> AnnotationItem:
        from snellen.engine.ask.questions import questions

        if self._latest is None or self._latest[0] != number:
            name, plan = self.ids[number], self._plan
            some = questions(
                plan.exam, plan.data, [self._arm], lambda one: one[0] == name, lambda _a, _s: True, plan.selection.seed
            )
            self._latest = number, _item(next(iter(some)))
        return self._latest[1]


def _item(question: Question) -> AnnotationItem:
    clicked = question.exam == "grounding"
    pictures = tuple(picture.data for picture in question.pictures)
    many = question.answer_kind == "any-of"
    return AnnotationItem(question.id, question.text, question.options, many, clicked, pictures=pictures)


# ---------------------------------------------------------------- files of questions


def read_questions(path: Path) -> tuple[QuestionRow, ...]:
    """The rows of a file of questions; SnellenError names the row and the column that is wrong."""
    found: list[QuestionRow] = []
    seen: set[str] = set()
    for number, row in enumerate(_rows(path), 1):
        where = f"{path.name} row {number}"
        if not isinstance(row, dict):
            raise SnellenError(f"{where}: expected an object with image, question, options and answer")
        one = _asked(row, number, where)
        if one.id in seen:
            raise SnellenError(f"{where}: the id '{one.id}' repeats")
        seen.add(one.id)
        found.append(one)
    if not found:
        raise SnellenError(f"{path.name}: no questions")
    return tuple(found)


def corrected(asked: Iterable[QuestionRow], answers: Mapping[str, AnswerRow]) -> list[dict[str, Any]]:
    """The file of questions again, with the answers that a person gave in place of its own, and who said so when."""
    rows: list[dict[str, Any]] = []
    for one in asked:
        row, said = dict(one.row), answers.get(one.id)
        if said is not None:
            row |= {"id": one.id, "answer": said.text, "corrected_by": said.annotator, "corrected_at": said.time}
        rows.append(row)
    return rows


def _asked(row: dict[str, Any], number: int, where: str) -> QuestionRow:
    images = next((row[name] for name in IMAGES if row.get(name)), None)
    names = listed(images) if images is not None else ()
    if not names:
        raise SnellenError(f"{where}, column image: no picture is named (columns: {', '.join(row) or 'none'})")
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise SnellenError(f"{where}, column question: empty, or not a text")
    options = listed(row.get("options", row.get("choices"))) or tuple(
        str(row[letter]).strip() for letter in LETTERS if str(row.get(letter) or "").strip()
    )
    answer = row.get("answer")
    said = SEPARATOR.join(listed(answer)) if isinstance(answer, list) else "" if answer is None else str(answer)
    return QuestionRow(str(row.get("id") or number), question, names, options, said, row)


def listed(value: Any) -> tuple[str, ...]:
    """The values of a cell: a list, a list written as JSON, or values with | between them.

    >>> listed(["a", 2]), listed('["a", "b"]'), listed("a | b"), listed("a, b"), listed(None)
    (('a', '2'), ('a', 'b'), ('a', 'b'), ('a, b',), ())
    """
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                return listed(msgspec.json.decode(text, type=list[Any]))
            except msgspec.DecodeError:
                return (text,)
        return tuple(part.strip() for part in text.split(SEPARATOR) if part.strip())
    if isinstance(value, Sequence):
        return tuple(str(one) for one in value if one is not None)
    return () if value is None else (str(value),)


def _rows(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > LARGEST:
            raise SnellenError(f"{path.name}: more than {LARGEST >> 20} MiB of questions; take a part of it")
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        ending = path.suffix.lower()
        if ending == ".csv":
            return list(csv.DictReader(raw.decode().splitlines(keepends=True)))
        if ending in (".jsonl", ".ndjson"):
            kept = (line.strip() for line in raw.splitlines())
            return [msgspec.json.decode(line) for line in kept if line and not line.startswith(b"#")]
        if ending == ".json":
            return msgspec.json.decode(raw, type=list[Any])
    except OSError as error:
        raise SnellenError(f"--questions {path}: cannot be read ({error.strerror})") from None
    except (ValueError, csv.Error) as error:
        raise SnellenError(f"{path.name}: cannot be read ({error})") from None
    raise SnellenError(f"--questions {path.name}: a file of JSON lines (.jsonl), a JSON list (.json) or .csv")
