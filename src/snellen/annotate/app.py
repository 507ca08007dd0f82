"""The addresses of `snellen annotate`. Pictures and questions go by number; nothing in an address or a request is ever used as a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, get_args

import anyio.to_thread
import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from snellen.annotate.annotator_files import BOXES as BOX_FILES
from snellen.annotate.annotator_files import (
    AnnotatorAnswers,
    AnnotatorBoxes,
    StalePage,
    annotators,
    load_answers,
    load_boxes,
    revision_of,
)
from snellen.annotate.pictures import AnnotatedPicture, PictureFolder
from snellen.annotate.questions import AnnotationItem, QuestionList
from snellen.annotate.rows import DrawnBox
from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.data.files import read_picture
from snellen.exams.grounding.formats.annotations import ElementType
from snellen.present.viewer.guard import Keys
from snellen.present.viewer.pictures import SMALL, large, scaled
from snellen.present.viewer.render import static, templates_of

HERE = "snellen.annotate"
PRIVATE = {"cache-control": "private, max-age=3600"}


class BoxesSent(Struct, frozen=True):
    """What the page of a picture sends when something changed."""

    revision: str
    boxes: list[DrawnBox]


class AnswerSent(Struct, frozen=True):
    """What the page of a question sends."""

    revision: str
    text: str


class Pages:
    """What boxes and questions have in common: templates, own files, errors."""

    thing = ""

    def __init__(self, keys: Keys, title: str) -> None:
        self._keys, self._title = keys, title
        self._templates = templates_of(HERE)
        here = files(HERE) / "static"
        self._static = {
            name: (data + b"\n" + (here / "annotate.css").read_bytes() if name == "view.css" else data, kind)
            for name, (data, kind) in static().items()
        }
        for name in ("boxes.js", "answers.js", "saving.js"):
            self._static[name] = (here / name).read_bytes(), "text/javascript; charset=utf-8"

    def app(self) -> Starlette:
        """The application, to be put behind a `Guard` that lets it write."""
        routes = [
            Route("/", self.list),
            Route("/small/{number:int}", self.small),
            Route("/picture/{number:int}/{which:int}", self.picture),
            Route("/" + self.thing + "/{number:int}", self.one),
            Route("/" + self.thing + "/{number:int}/saved", self.saved),
            Route("/" + self.thing + "/{number:int}/save", self.save, methods=["POST"]),
            Route("/static/{name}", self.file),
        ]
        handlers: Any = {HTTPException: self._refused, SnellenError: self._failed, OSError: self._failed}
        return Starlette(routes=routes, exception_handlers=handlers)

    # ------------------------------------------------------------ what differs

    def count(self) -> int:
        """How many there are."""
        return 0

    def rows(self) -> dict[str, Any]:
        """What the list shows."""
        return {}

    def facts(self, number: int) -> dict[str, Any]:
        """What the page of one shows."""
        return {}

    def state(self, number: int) -> dict[str, Any]:
        """What is saved of one."""
        return {}

    def keep(self, number: int, body: bytes) -> dict[str, Any]:
        """Save what a page sent."""
        return {}

    def image(self, number: int, which: int) -> bytes | None:
        """The bytes of a picture."""
        return None

    # ------------------------------------------------------------ addresses

    async def list(self, request: Request) -> Response:
        """All of them, with what is done."""
        return await self._page(f"{self.thing}s", self.rows)

    async def one(self, request: Request) -> Response:
        """One of them, to work on."""
        number = self._number(request)

        def context() -> dict[str, Any]:
            count = self.count()
            around = {"before": number - 1 if number else None, "after": number + 1 if number + 1 < count else None}
            return {"number": number, "count": count, **around, **self.facts(number)}

        return await self._page(self.thing, context)

    async def saved(self, request: Request) -> Response:
        """What is saved, for the script of the page."""
        number = self._number(request)
        return _json(await anyio.to_thread.run_sync(lambda: self.state(number)))

    async def save(self, request: Request) -> Response:
        """Save, and say what is saved now."""
        number = self._number(request)
        try:
            body = await request.body()
        except ClientDisconnect:  # the browser has left, and half a request is not saved
            return Response(status_code=400)
        try:
            return _json(await anyio.to_thread.run_sync(lambda: self.keep(number, body)))
        except StalePage as error:
            return _json({"wrong": str(error)}, 409)
        except (SnellenError, msgspec.DecodeError, UnicodeDecodeError) as error:
            return _json({"wrong": one_line(str(error))}, 422)
        except OSError as error:
            return _json({"wrong": f"cannot be written ({error.strerror or 'the disk says no'})"}, 500)

    async def picture(self, request: Request) -> Response:
        """A picture as a browser can show it."""
        return await self._image(request, request.path_params["which"], large)

    async def small(self, request: Request) -> Response:
        """A small copy of the first picture."""
        return await self._image(request, 0, lambda data: scaled(data, SMALL))

    async def file(self, request: Request) -> Response:
        """A file that comes with the pages."""
        found = self._static.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404, "There is no such file.")
        return Response(found[0], headers={"content-type": found[1], **PRIVATE})

    # ------------------------------------------------------------ common to all

    def _number(self, request: Request) -> int:
        number: int = request.path_params["number"]
        if number >= self.count():
            raise HTTPException(404, f"There is no {self.thing} with this number.")
        return number

    async def _image(self, request: Request, which: int, made: Callable[[bytes], Any]) -> Response:
        number = self._number(request)

        def work() -> Any:
            data = self.image(number, which)
            return made(data) if data is not None else None

        found = await anyio.to_thread.run_sync(work)
        if found is None:
            raise HTTPException(404, "This picture cannot be shown.")
        return Response(found.data, headers={"content-type": found.mime, **PRIVATE})

    async def _page(self, name: str, context: Callable[[], dict[str, Any]], status: int = 200) -> Response:
        def made() -> str:
            common = {"token": self._keys.token, "title": self._title, "thing": self.thing}
            return self._templates.page(f"{name}.html", **common, **context())

        text = await anyio.to_thread.run_sync(made)
        return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)

    async def _refused(self, request: Request, error: HTTPException) -> Response:
        said = error.detail if error.status_code != 404 or error.detail != "Not Found" else "There is no such page."
        return await self._page("wrong", lambda: {"said": said}, error.status_code)

    async def _failed(self, request: Request, error: Exception) -> Response:
        return await self._page("wrong", lambda: {"said": str(error)}, 500)


class BoxPages(Pages):
    """Boxes and instructions on pictures."""

    thing = "shot"

    def __init__(self, keys: Keys, found: PictureFolder, desk: AnnotatorBoxes) -> None:
        super().__init__(keys, f"{desk.folder.resolve().name}, as {desk.annotator}")
        self._found, self._desk = found, desk

    def count(self) -> int:
        return len(self._found.shots)

    def rows(self) -> dict[str, Any]:
        mine = self._desk.all()
        others = [name for name in annotators(self._desk.folder, BOX_FILES) if name != self._desk.annotator]
        theirs = {name: _counted(load_boxes(self._desk.folder, name)) for name in others}
        shots = [
            {
                "shot": shot,
                "boxes": len(mine.get(shot.name, ())),
                "bare": sum(not row.instruction.strip() for row in mine.get(shot.name, ())),
                "others": [theirs[name].get(shot.name, 0) for name in others],
            }
            for shot in self._found.shots
        ]
        started = sum(bool(one["boxes"]) for one in shots)
        return {"shots": shots, "others": others, "passed": self._found.passed, "started": started}

    def facts(self, number: int) -> dict[str, Any]:
        return {"shot": self._shot(number), "types": get_args(ElementType)}

    def state(self, number: int) -> dict[str, Any]:
        return _boxes(self._desk.all().get(self._shot(number).name, []))

    def keep(self, number: int, body: bytes) -> dict[str, Any]:
        sent = msgspec.json.decode(body, type=BoxesSent)
        return _boxes(self._desk.save(self._shot(number), sent.boxes, sent.revision))

    def image(self, number: int, which: int) -> bytes | None:
        return read_picture(self._shot(number).path) if which == 0 else None

    def _shot(self, number: int) -> AnnotatedPicture:
        return self._found.shots[number]


class AnswerPages(Pages):
    """Answers to questions, or corrections of the answers that there are."""

    thing = "question"

    def __init__(self, keys: Keys, questions: QuestionList, desk: AnnotatorAnswers) -> None:
        super().__init__(keys, f"{questions.source}, as {desk.annotator}")
        self._questions, self._desk = questions, desk

    def count(self) -> int:
        return len(self._questions.ids)

    def rows(self) -> dict[str, Any]:
        folder, kind = self._desk.folder, self._desk.kind
        mine = self._desk.all()
        others = [name for name in annotators(folder, kind) if name != self._desk.annotator]
        theirs = [{row.id for row in load_answers(folder, name, kind)} for name in others]
        asked = [
            {"id": name, "answer": mine[name].text if name in mine else "", "others": [name in one for one in theirs]}
            for name in self._questions.ids
        ]
        done = sum(bool(one["answer"]) for one in asked)
        return {"asked": asked, "others": others, "done": done, "kind": kind}

    def facts(self, number: int) -> dict[str, Any]:
        item = self._item(number)
        heads = [sniff(data) for data in item.pictures]
        sizes = [(head.width or 1, head.height or 1) for head in heads]
        return {"item": item, "kind": self._desk.kind, "sizes": sizes}

    def state(self, number: int) -> dict[str, Any]:
        saved = _answer(self._desk.all().get(self._questions.ids[number]))
        return saved | {"options": self._item(number).options}

    def keep(self, number: int, body: bytes) -> dict[str, Any]:
        sent = msgspec.json.decode(body, type=AnswerSent)
        return _answer(self._desk.save(self._questions.ids[number], sent.text, sent.revision))

    def image(self, number: int, which: int) -> bytes | None:
        pictures = self._item(number).pictures
        return pictures[which] if which < len(pictures) else None

    def _item(self, number: int) -> AnnotationItem:
        return self._questions.item(number)


def _boxes(rows: Sequence[Any]) -> dict[str, Any]:
    return {"revision": revision_of(list(rows)), "boxes": rows}


def _answer(row: Any) -> dict[str, Any]:
    return {"revision": revision_of(row), "text": row.text if row is not None else ""}


def _counted(rows: Sequence[Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        found[row.image] = found.get(row.image, 0) + 1
    return found


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, headers={"content-type": "application/json"})
