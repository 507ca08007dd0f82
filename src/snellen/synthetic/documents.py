"""JSON documents of many records, made by many processes: who draws a picture also puts its record into words, and what is left for one
core is to string them together. The bytes are those of `json.dumps` of the whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.writing import whole

_Key = TypeVar("_Key")


class DocumentForm(NamedTuple):
    """What stands before, between and after the records of a document."""

    opening: str
    between: str
    closing: str

    @property
    def empty(self) -> str:
        """The document without a record.

        >>> OBJECT.empty, LINES.empty
        ('{}\\n', '')
        """
        return self.opening.rstrip() + self.closing.lstrip() if self.closing else self.opening


OBJECT = DocumentForm("{\n ", ",\n ", "\n}\n")
LIST = DocumentForm("[\n ", ",\n ", "\n]\n")
LINES = DocumentForm("", "", "")


def in_document(value: Any, *, indent: int = 1, depth: int = 1, ascii_only: bool = False) -> str:
    """A value as it stands in a document with that indentation, so many levels deep.

    >>> whole = json.dumps([{"a": [1, 2]}], indent=1)
    >>> LIST.opening + in_document({"a": [1, 2]}) + LIST.closing == whole + "\\n"
    True
    """
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    return text.replace("\n", "\n" + " " * (indent * depth))  # a line end inside a string is written \n


def member(key: str, value: Any) -> str:
    """A value under its key, for an OBJECT."""
    return f"{json.dumps(key, ensure_ascii=False)}: {in_document(value)}"


@contextmanager
def document(path: Path, form: DocumentForm) -> Iterator[Callable[[str], None]]:
    """Writes a document record by record, by the function that it gives; the file gets its own name when it is whole."""
    with whole(path) as draft, draft.open("w", encoding="utf-8", newline="") as sink:
        some = False

        def add(text: str) -> None:
            nonlocal some
            sink.write((form.between if some else form.opening) + text)
            some = True

        yield add
        sink.write(form.closing if some else form.empty)


def write_records(
    work: Callable[[_Key], tuple[list[Path], tuple[str, ...]]],
    parts: Sequence[tuple[Mapping[Path, DocumentForm], Sequence[_Key]]],
    workers: int | None,
    progress: Progress | None,
) -> list[Path]:
    """Write the documents of each part as its records are made; they get their names when all of its pictures are there.

    `work` writes the pictures of a record (it runs in other processes) and gives the files, and what each document says of it.
    """
    made: list[Path] = []
    with closing(in_order(work, [key for _, keys in parts for key in keys], workers, progress)) as written:
        for forms, keys in parts:
            with ExitStack() as stack:
                adders = [stack.enter_context(document(path, form)) for path, form in forms.items()]
                for files, texts in islice(written, len(keys)):
                    made += files
                    for add, text in zip(adders, texts, strict=True):
                        add(text)
            made += forms
    return made
