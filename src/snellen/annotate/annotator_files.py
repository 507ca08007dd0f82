"""An annotator's files in a folder: read once, rewritten at every change. A lock allows one writer for each annotator."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from snellen.annotate.agreement import AnnotatorAgreement, of_answers, of_boxes
from snellen.annotate.pictures import AnnotatedPicture
from snellen.annotate.questions import QuestionRow, corrected
from snellen.annotate.rows import LONGEST, AnswerRow, BoxRow, DrawnBox, box_rows, checked_name, lines, read_lines
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.engine.runs.writing import replacing, unlink_link

BOXES, ANSWERS, CORRECTIONS, CORRECTED = "annotations", "answers", "corrections", "corrected"
_ROWS: dict[str, type[Any]] = {BOXES: BoxRow, ANSWERS: AnswerRow, CORRECTIONS: AnswerRow}


class StalePage(SnellenError):
    """An error for a page with outdated content: it was changed elsewhere."""


def now() -> str:
    """Return the time of a change."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def load(folder: Path, kind: str, annotator: str) -> list[Any]:
    """Return the rows of an annotator's file of a kind, or none if there is no file."""
    path = folder / f"{kind}.{annotator}.jsonl"
    if path.is_symlink():
        raise SnellenError(f"{path} is a link: nothing is read or written through it; remove it first")
    return read_lines(path.read_bytes(), _ROWS[kind], path.name) if path.is_file() else []


def everyone(folder: Path, kind: str, but: str = "") -> dict[str, list[Any]]:
    """Return the rows of all annotators with a file of a kind, by name, except `but`."""
    names = (path.name.split(".") for path in folder.glob(f"{kind}.*.jsonl") if path.is_file())
    return {parts[1]: load(folder, kind, parts[1]) for parts in sorted(names) if len(parts) == 3 and parts[1] != but}


def agreements(folder: Path) -> list[AnnotatorAgreement]:
    """Return the agreement of each pair of annotators of a folder."""
    if not folder.is_dir():
        raise SnellenError(f"no folder {folder}")
    found = of_boxes(everyone(folder, BOXES))
    for kind in (ANSWERS, CORRECTIONS):
        found += of_answers(everyone(folder, kind), kind)
    return found


class AnnotatorFiles:
    """The files of one annotator. As a context manager it holds the lock."""

    def __init__(self, folder: Path, annotator: str) -> None:
        self.folder, self.annotator = folder, checked_name(annotator)
        self._mutex = threading.Lock()
        self._lock: Any = None

    def __enter__(self) -> AnnotatorFiles:
        from filelock import FileLock, Timeout

        path = self.folder / f".annotate.{self.annotator}.lock"
        try:
            unlink_link(path)
            self._lock = FileLock(path)
            self._lock.acquire(timeout=0)
        except Timeout:
            raise SnellenError(
                f"'{self.annotator}' is annotating {self.folder} in another window; stop that first, or use another --as"
            ) from None
        except OSError as error:
            raise SnellenError(f"cannot write into {self.folder} ({error.strerror or error})") from None
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self._lock.release()

    def begin(self) -> None:
        """Prepare the files, under the lock. Report problems now, not at the first change."""

    def written(self) -> str:
        """Return a line on what to do with the written files."""
        return ""

    def _file(self, kind: str) -> Path:
        return self.folder / f"{kind}.{self.annotator}.jsonl"

    def _write(self, kind: str, rows: Iterable[Any]) -> None:
        with replacing(self.folder, self._file(kind).name) as out:
            out.write(lines(rows))


class AnnotatorBoxes(AnnotatorFiles):
    """Boxes on the images of a folder. If there are none yet, it starts with those in `start`."""

    def __init__(self, folder: Path, annotator: str, start: Sequence[BoxRow] = ()) -> None:
        super().__init__(folder, annotator)
        self._start = start

    def begin(self) -> None:
        if self._start and not self._file(BOXES).exists():
            self._write(BOXES, self._start)
        self.all()

    def written(self) -> str:
        path = self._file(BOXES)
        if not path.exists():
            return "Nothing was drawn."
        return f"Boxes are in {path}; next: snellen annotate {self.folder} --as {self.annotator} --export"

    def all(self) -> dict[str, list[BoxRow]]:
        """Return the boxes of every image, by the image's name."""
        found: dict[str, list[BoxRow]] = {}
        for row in load(self.folder, BOXES, self.annotator):
            found.setdefault(row.image, []).append(row)
        return found

    def save(self, shot: AnnotatedPicture, drawn: list[DrawnBox], revision: str) -> list[BoxRow]:
        """Replace an image's boxes. `revision` is that of the boxes on the page."""
        with self._mutex:
            every: list[BoxRow] = load(self.folder, BOXES, self.annotator)
            known = [row for row in every if row.image == shot.name]
            if revision_of(known) != revision:
                raise StalePage("This picture was changed in another window: load the page again.")
            size = shot.width, shot.height
            rows = box_rows(drawn, known, shot.title, shot.name, size, self.annotator, now())
            if rows != known:
                self._write(BOXES, [*(row for row in every if row.image != shot.name), *rows])
            return rows


class AnnotatorAnswers(AnnotatorFiles):
    """Answers to questions. With `rows`, the answers correct those of a file of questions, which is rewritten with them."""

    def __init__(self, folder: Path, annotator: str, ids: Sequence[str], rows: Sequence[QuestionRow] = ()) -> None:
        super().__init__(folder, annotator)
        self._ids, self._rows = ids, rows
        self.kind = CORRECTIONS if rows else ANSWERS

    def begin(self) -> None:
        answers = self.all()
        if self._rows and self._file(self.kind).exists():  # a crash may have happened between writing the two files
            self._write(CORRECTED, corrected(self._rows, answers))

    def written(self) -> str:
        path = self._file(CORRECTED if self._rows else ANSWERS)
        if not path.exists():
            return "Nothing was answered."
        if self._rows:
            return f"The corrected questions are in {path}."
        return f"Answers are in {path}; next: snellen run ... --model human/{path}"

    def all(self) -> dict[str, AnswerRow]:
        """Return the answers by id."""
        return {row.id: row for row in load(self.folder, self.kind, self.annotator)}

    def save(self, name: str, text: str, revision: str) -> AnswerRow | None:
        """Keep the answer to the question with this id. An empty text removes the answer."""
        if len(text) > LONGEST:
            raise SnellenError(f"an answer has at most {LONGEST} characters")
        with self._mutex:
            every = self.all()
            old = every.get(name)
            if revision_of(old) != revision:
                raise StalePage("This question was answered in another window: load the page again.")
            said = text.strip()
            if said == (old.text if old is not None else ""):
                return old
            row = AnswerRow(name, said, self.annotator, now())
            every = {one: answer for one, answer in every.items() if one != name} | ({name: row} if said else {})
            # answers to questions outside this selection (--limit) are kept, too
            order = {one: at for at, one in enumerate(self._ids)}
            self._write(self.kind, sorted(every.values(), key=lambda one: order.get(one.id, len(order))))
            if self._rows:
                self._write(CORRECTED, corrected(self._rows, every))
            return row if said else None


def revision_of(known: Any) -> str:
    """Return a token that changes with the saved data."""
    return digest(msgspec.to_builtins(known))[:16]
