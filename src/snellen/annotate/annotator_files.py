"""An annotator's files in a folder: read once, written as a whole at every change. One writer for each annotator, held by a lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
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


class StalePage(SnellenError):
    """The page shows what has been changed elsewhere since."""


def now() -> str:
    """The time of a change."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def file_of(kind: str, annotator: str) -> str:
    """The name of an annotator's file."""
    return f"{kind}.{annotator}.jsonl"


def annotators(folder: Path, kind: str) -> list[str]:
    """Who has a file of a kind in a folder."""
    names = (path.name.split(".") for path in folder.glob(f"{kind}.*.jsonl") if path.is_file())
    return sorted(parts[1] for parts in names if len(parts) == 3)


def load_boxes(folder: Path, annotator: str) -> list[BoxRow]:
    """The boxes of an annotator; none where there is no file."""
    return _load(folder, file_of(BOXES, annotator), BoxRow)


def load_answers(folder: Path, annotator: str, kind: str = ANSWERS) -> list[AnswerRow]:
    """The answers of an annotator; none where there is no file."""
    return _load(folder, file_of(kind, annotator), AnswerRow)


def agreements(folder: Path) -> list[AnnotatorAgreement]:
    """How far each two of those who annotated a folder agree."""
    if not folder.is_dir():
        raise SnellenError(f"no folder {folder}")
    boxes = {name: load_boxes(folder, name) for name in annotators(folder, BOXES)}
    found = of_boxes(boxes)
    for kind in (ANSWERS, CORRECTIONS):
        found += of_answers({name: load_answers(folder, name, kind) for name in annotators(folder, kind)}, kind)
    return found


def _load(folder: Path, name: str, kind: type[Any]) -> list[Any]:
    path = folder / name
    if path.is_symlink():
        raise SnellenError(f"{path} is a link: nothing is read or written through it; remove it first")
    return read_lines(path.read_bytes(), kind, name) if path.is_file() else []


class AnnotatorFiles:
    """Where one annotator works. As a context manager it holds the lock."""

    def __init__(self, folder: Path, annotator: str, clock: Callable[[], str] = now) -> None:
        self.folder, self.annotator = folder, checked_name(annotator)
        self._clock, self._mutex = clock, threading.Lock()
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

    def written(self) -> str:
        """What to do with what was written, in a line."""
        return ""

    def _write(self, kind: str, rows: Sequence[Any]) -> None:
        with replacing(self.folder, file_of(kind, self.annotator)) as out:
            out.write(lines(rows))


class AnnotatorBoxes(AnnotatorFiles):
    """Boxes on the pictures of a folder."""

    def written(self) -> str:
        path = self.folder / file_of(BOXES, self.annotator)
        if not path.exists():
            return "Nothing was drawn."
        return f"Boxes are in {path}; next: snellen annotate {self.folder} --as {self.annotator} --export"

    def start(self, rows: Sequence[BoxRow]) -> None:
        """Take over what the data set says already, where this annotator has nothing yet."""
        if not (self.folder / file_of(BOXES, self.annotator)).exists():
            self._write(BOXES, rows)

    def all(self) -> dict[str, list[BoxRow]]:
        """The boxes of every picture, by the picture's name."""
        found: dict[str, list[BoxRow]] = {}
        for row in load_boxes(self.folder, self.annotator):
            found.setdefault(row.image, []).append(row)
        return found

    def save(self, shot: AnnotatedPicture, drawn: list[DrawnBox], revision: str) -> list[BoxRow]:
        """Put a picture's boxes in the place of those that it had; `revision` is of those that the page knows."""
        with self._mutex:
            every = load_boxes(self.folder, self.annotator)
            known = [row for row in every if row.image == shot.name]
            if revision_of(known) != revision:
                raise StalePage("This picture was changed in another window: load the page again.")
            size = shot.width, shot.height
            rows = box_rows(drawn, known, shot.title, shot.name, size, self.annotator, self._clock())
            if rows != known:
                self._write(BOXES, [*(row for row in every if row.image != shot.name), *rows])
            return rows


class AnnotatorAnswers(AnnotatorFiles):
    """Answers to questions. With `rows`, the answers correct those of a file of questions, which is written anew with them."""

    def __init__(
        self,
        folder: Path,
        annotator: str,
        ids: Sequence[str],
        rows: Sequence[QuestionRow] = (),
        clock: Callable[[], str] = now,
    ) -> None:
        super().__init__(folder, annotator, clock)
        self._ids, self._rows = ids, rows
        self.kind = CORRECTIONS if rows else ANSWERS

    def written(self) -> str:
        path = self.folder / file_of(CORRECTED if self._rows else ANSWERS, self.annotator)
        if not path.exists():
            return "Nothing was answered."
        if self._rows:
            return f"The corrected questions are in {path}."
        return f"Answers are in {path}; next: snellen run ... --model human/{path}"

    def all(self) -> dict[str, AnswerRow]:
        """What was answered, by id."""
        return {row.id: row for row in load_answers(self.folder, self.annotator, self.kind)}

    def complete(self) -> None:
        """Write the corrected questions from the answers that are kept: a crash may have come between the two files."""
        if self._rows and (self.folder / file_of(self.kind, self.annotator)).exists():
            self._write(CORRECTED, corrected(self._rows, self.all()))

    def save(self, name: str, text: str, revision: str) -> AnswerRow | None:
        """Keep the answer to the question with this id; an empty one takes the answer back."""
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
            row = AnswerRow(name, said, self.annotator, self._clock())
            every = {one: answer for one, answer in every.items() if one != name} | ({name: row} if said else {})
            # answers to questions that are not asked this time (--limit) are kept, too
            order = {one: at for at, one in enumerate(self._ids)}
            self._write(self.kind, sorted(every.values(), key=lambda one: order.get(one.id, len(order))))
            if self._rows:
                self._write(CORRECTED, corrected(self._rows, every))
            return row if said else None


def revision_of(known: Any) -> str:
    """A word that changes with what is saved."""
    return digest(msgspec.to_builtins(known))[:16]
