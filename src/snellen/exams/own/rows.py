"""From a row of a table to its question, or to its problems by column. Pure.

There are two passes: the first (`survey.py`) finds how the whole file writes its answers, and the second reads each row accordingly.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.choice.letters import LETTERS, fold, letter_place
from snellen.core.reply import minus_signs
from snellen.core.types import Sample
from snellen.data.workbook import FormattedCell
from snellen.exams.own.columns import TableColumns
from snellen.exams.own.names import KINDS, SEPARATOR, STYLE_WORDS

LONGEST_ID = 200
_ONE_COMMA = re.compile(r"[-+]?\d+,\d+")
_SHEET_ERROR = re.compile(r"#(?:[A-Z]+(?:/0)?[!?]|N/A|GETTING_DATA)")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
MOST_IMAGES = 64


class BadCell(Exception):
    """A problem with a cell; `column` is the column's name."""

    def __init__(self, column: str, what: str) -> None:
        super().__init__(what)
        self.column = column


class QuestionCells(NamedTuple):
    """A row's cells, before the answer is interpreted."""

    question: str
    images: tuple[str, ...]
    options: tuple[str, ...]
    answers: tuple[Any, ...]
    kind: str
    tolerance: float | None


def asked(cells: Mapping[str, Any], columns: TableColumns, binary: bool = False) -> QuestionCells:
    """Return the cells of a row; raise BadCell at the first invalid one. With `binary`, pictures are in the table itself."""
    _formats(cells, columns)
    options = options_of(cells, columns)
    return QuestionCells(
        question_of(cells, columns),
        () if binary else images_of(cells, columns),
        options,
        _answers(cells, columns, options),
        _kind(cells, columns),
        _tolerance(cells, columns),
    )


def wrongs(cells: Mapping[str, Any], columns: TableColumns, binary: bool = False) -> list[BadCell]:
    """Return all problems with the cells of a row, each checked separately."""
    found: list[BadCell] = []
    for part in (_formats, question_of, options_of, _answers, _kind, _tolerance, *(() if binary else (images_of,))):
        try:
            part(cells, columns)
        except BadCell as error:
            found.append(error)
    return found


def _formats(cells: Mapping[str, Any], columns: TableColumns) -> None:
    """Refuse a workbook's errors, and its shares and dates: people see something else than the stored value."""
    for name in (
        columns.question,
        columns.answer,
        columns.options,
        *columns.letters,
        columns.plain.get("tolerance", ""),
    ):
        cell = cells.get(name)
        if isinstance(cell, FormattedCell):
            raise BadCell(
                name, f"{cell!s} is shown in another way by the workbook: format the cell as text or as a plain number"
            )
        if isinstance(cell, str) and _SHEET_ERROR.fullmatch(cell):
            raise BadCell(name, f"{cell} is an error of the spreadsheet")


def question_of(cells: Mapping[str, Any], columns: TableColumns) -> str:
    """Return the question of a row."""
    question = text_of(cells.get(columns.question))
    if not question:
        raise BadCell(columns.question, "the question is empty")
    return question


def images_of(cells: Mapping[str, Any], columns: TableColumns) -> tuple[str, ...]:
    """Return the names of a row's pictures."""
    filled = [found for name in columns.images if (found := listed(cells.get(name)))]
    images = tuple(text_of(one) for some in filled[: 1 if columns.either else None] for one in some)
    if not all((images, *images)):
        raise BadCell(columns.image, "no picture is named")
    if len(images) > MOST_IMAGES:
        raise BadCell(columns.image, f"{len(images)} pictures; at most {MOST_IMAGES} are shown at once")
    return images


def _answers(cells: Mapping[str, Any], columns: TableColumns, options: tuple[str, ...] = ("",)) -> tuple[Any, ...]:
    answers = listed(cells.get(columns.answer))
    if not answers:
        raise BadCell(columns.answer, "the answer is empty")
    if any(isinstance(a, bool) for a in answers) and not options:
        raise BadCell(columns.answer, 'the answer is true or false: write the words, such as "yes" or "no"')
    return tuple(answers)


def options_of(cells: Mapping[str, Any], columns: TableColumns) -> tuple[str, ...]:
    """Return the options of a row; none if it has none."""
    at = columns.options or ", ".join(columns.letters)
    if columns.letters:
        given = [text_of(cells.get(name)) for name in columns.letters]
        while given and not given[-1]:  # a question with fewer options than others
            given.pop()
    else:
        given = [text_of(o) for o in listed(cells.get(columns.options))] if columns.options else []
    if not given:
        return ()
    if len(given) > len(LETTERS):
        raise BadCell(at, f"{len(given)} options; at most {len(LETTERS)} can be lettered")
    if not all(given):
        raise BadCell(at, f"option {LETTERS[given.index('')]} is empty")
    if len(given) < 2:
        raise BadCell(at, f"only one option: write a JSON list, or put {SEPARATOR} between them")
    folded = [fold(o) for o in given]
    for i, option in enumerate(folded):
        if option in folded[:i]:
            raise BadCell(at, f"the option {given[i]!r} is there twice")
        if letter_place(option, len(given)) not in (None, i):
            raise BadCell(at, f"the option {given[i]!r} is another option's letter: a reply could mean either")
    return tuple(given)


def _kind(cells: Mapping[str, Any], columns: TableColumns) -> str:
    said = text_of(_plain(cells, columns, "kind")).lower()
    if said and said not in KINDS:
        raise BadCell(columns.plain["kind"], f"{said!r} is no kind: choose from {', '.join(KINDS)}, or leave it empty")
    return said


def _tolerance(cells: Mapping[str, Any], columns: TableColumns) -> float | None:
    given = _plain(cells, columns, "tolerance")
    if text_of(given) == "":
        return None
    number = number_of(given)
    if number is None or number < 0:
        raise BadCell(columns.plain["tolerance"], f"{text_of(given)!r} is no tolerance: a number from 0")
    return number


def _plain(cells: Mapping[str, Any], columns: TableColumns, role: str) -> Any:
    """Return the cell of an optional column; a column without a name does not count."""
    return cells.get(columns.plain[role]) if role in columns.plain else None


# ---------------------------------------------------------------- cells


def text_of(value: Any) -> str:
    """Return a cell as text; a number in its usual written form.

    >>> text_of(" a cat "), text_of(7.0), text_of(None), text_of(0.5)
    ('a cat', '7', '', '0.5')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.15g}"
    return str(value).strip()


def listed(value: Any) -> list[Any]:
    """Return the values of a cell: of a list, of a JSON list as text, of a text separated by |, or the single value.

    >>> listed(["a", "b"]), listed('["a"]'), listed("a | b"), listed("a"), listed("")
    (['a', 'b'], ['a'], ['a', 'b'], ['a'], [])
    """
    if isinstance(value, list | tuple):
        return [v for v in value if v is not None]
    if not isinstance(value, str):
        return [] if text_of(value) == "" else [value]
    text = value.strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return [text]
        return found if isinstance(found, list) else [text]
    parts = text.split(SEPARATOR) if SEPARATOR in text else [text]
    return [part.strip() for part in parts if part.strip()]


def number_of(value: Any) -> float | None:
    """Return the number in a cell; None if it is something else.

    >>> number_of("1,200"), number_of(3), number_of("3 cats"), number_of("0,125"), number_of(True), number_of("nan")
    (1200.0, 3.0, None, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        value = minus_signs(value.strip())
        value = value.replace(",", "") if _THOUSANDS.fullmatch(value) else value
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


# ---------------------------------------------------------------- answers


def chosen(answer: Any, options: tuple[str, ...], style: str) -> int | None:
    """Return the index of the option that an answer names in one style; None if it names none.

    >>> [chosen("b", ("cat", "dog"), s) for s in ("letter", "text", "index")], chosen("Dog", ("cat", "dog"), "text")
    ([1, None, None], 1)
    """
    text = text_of(answer)
    if style == "text":
        found = [i for i, option in enumerate(options) if fold(option) == fold(text)]
        return found[0] if found else None
    if style == "letter":
        return letter_place(text, len(options))
    number = number_of(answer)
    at = None if number is None or number != int(number) else int(number) - (style == "place")
    return at if at is not None and 0 <= at < len(options) else None


def kind_of(row: QuestionCells, several: bool) -> str:
    """Return the kind of a row's question. With `several`, some question of the file has several right options."""
    if row.kind:
        return row.kind
    if row.options:
        return "labels" if several else "choice"
    return "number" if len(row.answers) == 1 and number_of(row.answers[0]) is not None else "text"


def truth_of(row: QuestionCells, kind: str, style: str, column: str) -> Any:
    """Return the truth for marking: an option's text, a list of them, a number, or a list of accepted texts."""
    first = text_of(row.answers[0]) if row.answers else ""
    if _ONE_COMMA.fullmatch(first) and (kind == "number" or not (row.kind or row.options)):
        raise BadCell(column, f"{first!r} may be a decimal or a thousand: write 3.5 or 1200, or give the kind 'text'")
    if kind in ("choice", "labels"):
        if not row.options:
            raise BadCell(column, f"a question of the kind '{kind}' needs options")
        places = [chosen(a, row.options, style) for a in row.answers]
        for answer, place in zip(row.answers, places, strict=True):
            if place is None:
                there = ", ".join(f"{LETTERS[i]} {o}" for i, o in enumerate(row.options))
                raise BadCell(
                    column, f"{text_of(answer)!r} is none of the options by {STYLE_WORDS[style]}; there are {there}"
                )
        if kind == "choice" and len(set(places)) > 1:
            raise BadCell(
                column, "several answers, and the kind is 'choice': one option is right, or the kind is 'labels'"
            )
        texts = [row.options[i] for i in sorted({p for p in places if p is not None})]
        return texts[0] if kind == "choice" else texts
    if kind == "number":
        number = number_of(row.answers[0])
        if number is None or len(row.answers) > 1:
            raise BadCell(column, f"{text_of(row.answers[0])!r} is not one number, and the kind is 'number'")
        return int(number) if number == int(number) and abs(number) < 1e15 else number
    return [text_of(a) for a in row.answers]


def sample(row: QuestionCells, name: str, kind: str, truth: Any, tags: Mapping[str, str], template: str = "") -> Sample:
    """Return the light sample of a row."""
    facts: dict[str, Any] = {"question": row.question}
    if kind in ("choice", "labels"):
        facts["options"] = list(row.options)
    if row.tolerance is not None and kind == "number":
        facts["tolerance"] = row.tolerance
    if row.images:
        facts["image"] = row.images[0] if len(row.images) == 1 else list(row.images)
    if template:
        facts["template"] = template
    split = {"split": tags["split"]} if "split" in tags else {}
    return Sample(
        id=name, tags=split | {"task": kind} | {k: v for k, v in tags.items() if k != "split"}, truth=truth, facts=facts
    )
