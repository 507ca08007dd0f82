"""Starts the server of `snellen annotate` behind the viewer's guard, with the lock of whoever annotates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from snellen.annotate.annotator_files import AnnotatorAnswers, AnnotatorBoxes, AnnotatorFiles, now
from snellen.annotate.app import AnswerPages, BoxPages, Pages
from snellen.annotate.exporting import known
from snellen.annotate.pictures import find
from snellen.annotate.questions import ExamQuestions, FileQuestions, QuestionList, QuestionRow
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.present.viewer.guard import Guard, Keys
from snellen.present.viewer.serving import listening, until_stopped

Made = Callable[[Keys], Pages]


def boxes(folder: Path, annotator: str, correct: bool) -> tuple[AnnotatorFiles, Made]:
    """A desk for boxes on the folder's pictures; with `correct` it begins with those of annotations.json."""
    found = find(folder)
    desk = AnnotatorBoxes(folder, annotator)
    start = known(folder, found.shots, annotator, now()) if correct else None

    def made(keys: Keys) -> Pages:
        if start is not None:
            desk.start(start)
        desk.all()  # says now what is wrong with the file, not at the first change
        return BoxPages(keys, found, desk)

    return desk, made


def answers(
    folder: Path, annotator: str, file: Path | None, exam: str, selection: Selection, correct: bool
) -> tuple[AnnotatorFiles, Made]:
    """A desk for the questions of a file or an exam."""
    if not folder.is_dir():
        raise SnellenError(f"no folder {folder}")
    rows: tuple[QuestionRow, ...] = ()
    questions: QuestionList
    if file is None:
        questions = ExamQuestions(exam, folder, selection)
    else:
        from_file = FileQuestions(folder, file, with_answers=correct)
        questions, rows = from_file, from_file.asked if correct else ()
    desk = AnnotatorAnswers(folder, annotator, questions.ids, rows)

    def made(keys: Keys) -> Pages:
        desk.all()
        desk.complete()
        return AnswerPages(keys, questions, desk)

    return desk, made


def serve(desk: AnnotatorFiles, made: Made, port: int | None, opened: Callable[[Keys], None]) -> None:
    """Serve until Ctrl-C. `opened` is called with the session's keys as soon as the server listens."""
    with desk:
        until_stopped(lambda keys: Guard(made(keys).app(), keys, writes=True), listening(port), "annotate", opened)
