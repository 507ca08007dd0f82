"""The addresses of `snellen annotate`. Images and questions have numbers: no part of an address or a request is ever used as a path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from snellen.annotate.annotator_files import (
    BOXES,
    AnnotatorAnswers,
    AnnotatorBoxes,
    AnnotatorFiles,
    StalePage,
    everyone,
    revision_of,
)
from snellen.annotate.pictures import AnnotatedPicture, PictureFolder
from snellen.annotate.questions import Questions
from snellen.annotate.rows import DrawnBox
from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.data.files import read_picture
from snellen.exams.grounding.formats.annotations import ElementType
from snellen.present.viewer.pictures import SMALL, large, scaled
from snellen.present.viewer.site import Site, picture_response


class _BoxesSent(Struct, frozen=True):
    """The message from the page of an image when something changed."""

    revision: str
    boxes: list[DrawnBox]


class _AnswerSent(Struct, frozen=True):
    """The message from the page of a question."""

    revision: str
    text: str


class Pages(Site, ABC):
    """Shared code of the pages for boxes and for questions. `thing` is the word for what is annotated, in addresses and templates."""

    thing = ""

    def __init__(self, files: AnnotatorFiles, name: str, count: int) -> None:
        super().__init__("snellen.annotate")
        self.files = files
        self._count = count
        self._common: dict[str, Any] = {"title": f"{name}, as {files.annotator}", "thing": self.thing}

    def app(self, token: str) -> Starlette:
        """Return the application, to be put behind a `Guard` that lets pages with this token write."""
        self._common["token"] = token
        return self.application(
            Route("/", lambda _request: self.page(f"{self.thing}s", self.rows())),
            Route("/small/{number:int}", lambda request: self._image(request, 0, lambda data: scaled(data, SMALL))),
            Route(
                "/picture/{number:int}/{which:int}",
                lambda request: self._image(request, request.path_params["which"], large),
            ),
            Route("/" + self.thing + "/{number:int}", self._one),
            Route("/" + self.thing + "/{number:int}/saved", lambda request: _json(self.saved(self._number(request)))),
            Route("/" + self.thing + "/{number:int}/save", self._save, methods=["POST"]),
        )

    def page(self, name: str, context: Mapping[str, Any], status: int = 200) -> Response:
        return super().page(name, {**self._common, **context}, status)

    @abstractmethod
    def rows(self) -> dict[str, Any]:
        """Return the data for the list."""

    @abstractmethod
    def facts(self, number: int) -> dict[str, Any]:
        """Return the data for the page of one item."""

    @abstractmethod
    def saved(self, number: int) -> dict[str, Any]:
        """Return the saved data of one item, for the script of its page."""

    @abstractmethod
    def save(self, number: int, body: bytes) -> dict[str, Any]:
        """Save a page's message and return the saved data."""

    @abstractmethod
    def image(self, number: int, which: int) -> bytes | None:
        """Return the bytes of an image."""

    def _one(self, request: Request) -> Response:
        number = self._number(request)
        after = number + 1 if number + 1 < self._count else None
        around = {"number": number, "count": self._count, "before": number - 1 if number else None, "after": after}
        return self.page(self.thing, around | self.facts(number))

    async def _save(self, request: Request) -> Response:
        number = self._number(request)
        try:
            body = await request.body()
            return _json(await run_in_threadpool(self.save, number, body))
        except ClientDisconnect:  # an incomplete request is not saved
            return Response(status_code=400)
        except StalePage as error:
            return _json({"wrong": str(error)}, 409)
        except (SnellenError, msgspec.DecodeError, UnicodeDecodeError) as error:
            return _json({"wrong": one_line(str(error))}, 422)
        except OSError as error:
            return _json({"wrong": f"cannot be written ({error.strerror or 'the disk says no'})"}, 500)

    def _image(self, request: Request, which: int, made: Callable[[bytes], Any]) -> Response:
        data = self.image(self._number(request), which)
        return picture_response(made(data) if data is not None else None)

    def _number(self, request: Request) -> int:
        number: int = request.path_params["number"]
        if number >= self._count:
            raise HTTPException(404, f"There is no {self.thing} with this number.")
        return number


class BoxPages(Pages):
    """Boxes and instructions on images."""

    thing = "shot"
    files: AnnotatorBoxes

    def __init__(self, files: AnnotatorBoxes, found: PictureFolder) -> None:
        super().__init__(files, files.folder.resolve().name, len(found.shots))
        self._found = found

    def rows(self) -> dict[str, Any]:
        mine = self.files.all()
        others = everyone(self.files.folder, BOXES, but=self.files.annotator)
        theirs = [Counter(row.image for row in rows) for rows in others.values()]
        shots = [
            {
                "shot": shot,
                "boxes": len(mine.get(shot.name, ())),
                "bare": sum(not row.instruction.strip() for row in mine.get(shot.name, ())),
                "others": [counts[shot.name] for counts in theirs],
            }
            for shot in self._found.shots
        ]
        started = sum(bool(one["boxes"]) for one in shots)
        return {"shots": shots, "others": list(others), "passed": self._found.passed, "started": started}

    def facts(self, number: int) -> dict[str, Any]:
        return {"shot": self._shot(number), "types": get_args(ElementType)}

    def saved(self, number: int) -> dict[str, Any]:
        rows = self.files.all().get(self._shot(number).name, [])
        return {"revision": revision_of(rows), "boxes": rows}

    def save(self, number: int, body: bytes) -> dict[str, Any]:
        sent = msgspec.json.decode(body, type=_BoxesSent)
        rows = self.files.save(self._shot(number), sent.boxes, sent.revision)
        return {"revision": revision_of(rows), "boxes": rows}

    def image(self, number: int, which: int) -> bytes | None:
        return read_picture(self._shot(number).path) if which == 0 else None

    def _shot(self, number: int) -> AnnotatedPicture:
        return self._found.shots[number]


class AnswerPages(Pages):
    """Answers to questions, or corrections of existing answers."""

    thing = "question"
    files: AnnotatorAnswers

    def __init__(self, files: AnnotatorAnswers, questions: Questions) -> None:
        super().__init__(files, questions.source, len(questions.ids))
        self._questions = questions

    def rows(self) -> dict[str, Any]:
        mine, kind = self.files.all(), self.files.kind
        others = everyone(self.files.folder, kind, but=self.files.annotator)
        theirs = [{row.id for row in rows} for rows in others.values()]
        asked = [
            {"id": name, "answer": mine[name].text if name in mine else "", "others": [name in ids for ids in theirs]}
            for name in self._questions.ids
        ]
        done = sum(bool(one["answer"]) for one in asked)
        return {"asked": asked, "others": list(others), "done": done, "kind": kind}

    def facts(self, number: int) -> dict[str, Any]:
        item = self._questions.item(number)
        heads = [sniff(data) for data in item.pictures]
        sizes = [(head.width or 1, head.height or 1) for head in heads]
        return {"item": item, "kind": self.files.kind, "sizes": sizes}

    def saved(self, number: int) -> dict[str, Any]:
        row = self.files.all().get(self._questions.ids[number])
        return _answer(row) | {"options": self._questions.item(number).options}

    def save(self, number: int, body: bytes) -> dict[str, Any]:
        sent = msgspec.json.decode(body, type=_AnswerSent)
        return _answer(self.files.save(self._questions.ids[number], sent.text, sent.revision))

    def image(self, number: int, which: int) -> bytes | None:
        pictures = self._questions.item(number).pictures
        return pictures[which] if which < len(pictures) else None


def _answer(row: Any) -> dict[str, Any]:
    return {"revision": revision_of(row), "text": row.text if row is not None else ""}


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, headers={"content-type": "application/json"})
