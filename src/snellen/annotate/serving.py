"""Start the server of `snellen annotate` behind the viewer's guard, while the annotator's lock is held."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from snellen.annotate.annotator_files import AnnotatorAnswers, AnnotatorBoxes, now
from snellen.annotate.app import AnswerPages, BoxPages, Pages
from snellen.annotate.exporting import known
from snellen.annotate.pictures import find
from snellen.annotate.questions import exam_questions, file_questions
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.present.viewer.guard import Guard, Keys
from snellen.present.viewer.serving import listening, until_stopped


def boxes(folder: Path, annotator: str, correct: bool) -> BoxPages:
    """Return pages for boxes on the folder's images. With `correct` they start with those of annotations.json."""
    found = find(folder)
    return BoxPages(
        AnnotatorBoxes(folder, annotator, known(folder, found.shots, annotator, now()) if correct else ()), found
    )


def answers(
    folder: Path, annotator: str, file: Path | None, exam: str, selection: Selection, correct: bool
) -> AnswerPages:
    """Return pages for the questions of a file or an exam."""
    if not folder.is_dir():
        raise SnellenError(f"no folder {folder}")
    questions = exam_questions(exam, folder, selection) if file is None else file_questions(folder, file, correct)
    return AnswerPages(AnnotatorAnswers(folder, annotator, questions.ids, questions.corrected), questions)


def serve(pages: Pages, port: int | None, opened: Callable[[Keys], None]) -> None:
    """Serve until Ctrl-C. `opened` is called with the session's keys as soon as the server listens."""
    with pages.files:
        pages.files.begin()
        until_stopped(lambda keys: Guard(pages.app(keys.token), keys, writes=True), listening(port), "annotate", opened)
