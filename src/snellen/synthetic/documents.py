"""Sets of pictures with JSON documents.

The process that draws a picture also writes it, and returns the text of its record; one process joins the texts. The bytes are those of
`json.dumps` of the whole document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.writing import Origin, claim, making, write_text

_Key = TypeVar("_Key")
Written = tuple[list[Path], tuple[str, ...]]
"""The pictures of a record, and its text in each document."""


class DocumentForm(NamedTuple):
    """The text before, between and after the records of a document."""

    opening: str
    between: str
    closing: str

    def of(self, records: Iterable[str]) -> str:
        """Return the document of some records, at least one."""
        return self.opening + self.between.join(records) + self.closing


OBJECT = DocumentForm("{\n ", ",\n ", "\n}\n")
LIST = DocumentForm("[\n ", ",\n ", "\n]\n")
LINES = DocumentForm("", "", "")


def in_document(value: Any, *, indent: int = 1, depth: int = 1, ascii_only: bool = False) -> str:
    """Return a value as in a document with this indentation, `depth` levels deep.

    >>> LIST.of([in_document({"a": [1, 2]})]) == json.dumps([{"a": [1, 2]}], indent=1) + "\\n"
    True
    """
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    return text.replace("\n", "\n" + " " * (indent * depth))  # a line end inside a string is written \n


def member(key: str, value: Any) -> str:
    """Return a value under its key, for an OBJECT."""
    return f"{json.dumps(key, ensure_ascii=False)}: {in_document(value)}"


def write_set(
    out: Path,
    origin: Origin,
    work: Callable[[_Key], Written],
    parts: Iterable[tuple[Mapping[str, DocumentForm], Sequence[_Key]]],
    workers: int | None,
    progress: Progress | None,
    *,
    indent: int = 1,
) -> list[Path]:
    """Write a set into its folder and return the files. The documents of a part are written when all of its pictures are there.

    `work` writes the pictures of a record, in other processes. `indent` is that of the marker.
    """
    files = [claim(out, origin, indent=indent)]
    parts = list(parts)
    all_keys = [key for _, keys in parts for key in keys]
    with making(out), closing(in_order(work, all_keys, workers, progress)) as made:
        for forms, keys in parts:
            pictures, texts = zip(*islice(made, len(keys)), strict=True)
            files += [path for paths in pictures for path in paths]
            for (name, form), records in zip(forms.items(), zip(*texts, strict=True), strict=True):
                files.append(write_text(out / name, form.of(records)))
    return sorted(files)
