"""The viewer's addresses. Runs are named by keys and samples by numbers: nothing in an address is ever used as a path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from snellen.comparison.results import Comparison
from snellen.core.errors import SnellenError
from snellen.core.gallery import Gallery
from snellen.core.types import Question
from snellen.engine.runs.folder import RunFolder
from snellen.present.model.sample_view import run_gallery
from snellen.present.viewer import compare_page, records
from snellen.present.viewer.pairs import WHICH, Comparer, pairs_of
from snellen.present.viewer.pictures import QuestionCache, ServedImage, large
from snellen.present.viewer.records import SampleRecord
from snellen.present.viewer.render import static, templates_of
from snellen.present.viewer.run_handle import RunHandle, RunHandles
from snellen.present.viewer.run_index import RunIndex
from snellen.present.viewer.run_page import run_context
from snellen.present.viewer.runs_page import LineCounter, progress_of, runs_context
from snellen.present.viewer.sample_filter import PAGE, page_of, wanted_from
from snellen.present.viewer.sample_page import PageRun, pictures_of, sample_blocks, thumbnail_of
from snellen.present.viewer.samples_page import form_context, samples_context

T = TypeVar("T")
THREADS = 4
LIST_WAIT = 0.2
INDEX_WAIT = 0.15
SEARCH_WAIT = 1.5
DATA_WAIT = 0.8
COMPARE_WAIT = 0.5
SMALL_WAIT = 0.03
PICTURE_WAIT = 20.0
BEHIND, AHEAD = 10, 40
"""Samples around the one that is shown whose questions are loaded with it."""
KEPT_PICTURE = {"cache-control": "private, max-age=3600"}


class Viewer:
    """The pages of one folder of runs."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        self.run_index = RunIndex(folder)
        self.handles = RunHandles(self.run_index)
        self.pictures = QuestionCache(data)
        self.comparer = Comparer()
        self._templates = templates_of()
        self._counter = LineCounter()
        self._static = static()
        self._limit: anyio.CapacityLimiter | None = None
        self._shown: tuple[tuple[str, int], Gallery] | None = None

    def app(self) -> Starlette:
        """The application, to be put behind a `Guard`."""
        routes = [
            Route("/", self.runs),
            Route("/compare", self.compare),
            Route("/run/{key}", self.run),
            Route("/run/{key}/samples", self.samples),
            Route("/run/{key}/sample/{row:int}", self.sample),
            Route("/run/{key}/sample/{row:int}/picture/{arm:int}/{number:int}", self.picture),
            Route("/run/{key}/sample/{row:int}/small", self.small),
            Route("/static/{name}", self.file),
        ]
        handlers: Any = {HTTPException: self._refused, SnellenError: self._failed, OSError: self._failed}
        return Starlette(routes=routes, exception_handlers=handlers)

    def close(self) -> None:
        """End what goes on in the background."""
        for one in (self.handles, self.pictures, self.comparer):
            one.close()

    # ------------------------------------------------------------ pages

    async def runs(self, request: Request) -> Response:
        """All runs."""

        def context() -> dict[str, Any]:
            return runs_context(
                self.run_index, self.run_index.found(LIST_WAIT), self._counter, dict(request.query_params)
            )

        return await self._page("runs", context)

    async def run(self, request: Request) -> Response:
        """One run. Its index gets ready while its page is looked at."""
        handle = await self._handle(request, 0.0)

        def context() -> dict[str, Any]:
            return run_context(handle, progress_of(self.run_index, handle.entry, self._counter))

        return await self._page("run", context)

    async def samples(self, request: Request) -> Response:
        """A page of samples."""
        handle = await self._handle(request, INDEX_WAIT)
        if not handle.index.ready:
            return await self._waiting(handle, handle.index.done / handle.index.total)
        wanted = wanted_from(request.query_params.multi_items(), handle.plain)

        def context() -> dict[str, Any] | None:
            rows = self.handles.rows(handle, wanted, SEARCH_WAIT)
            if rows is None:
                return None
            some, page, pages = page_of(rows, wanted.page)
            found = records.read(handle.source, handle.index, some.tolist())
            self._load(handle, found)
            progress = progress_of(self.run_index, handle.entry, self._counter)
            live = {"live": progress is not None and progress.going_on, "every": 2}
            shown = wanted._replace(page=page)
            return form_context(handle, shown) | samples_context(handle, shown, rows, page, pages, found) | live

        made = await self._in_thread(context)
        if made is None:
            return await self._waiting(handle, None)
        return await self._page("samples", lambda: made)

    async def sample(self, request: Request) -> Response:
        """One sample, with its neighbours under the filter."""
        handle = await self._ready(request)
        row = request.path_params["row"]
        if row >= len(handle.index):
            raise HTTPException(404, f"This run has no sample number {row}.")
        wanted = wanted_from(request.query_params.multi_items(), handle.plain)
        rows = await self._in_thread(partial(self.handles.rows, handle, wanted, SEARCH_WAIT))
        listed = [] if rows is None else rows.tolist()
        at = listed.index(row) if row in listed else None
        near = [row] if at is None else listed[max(0, at - BEHIND) : at + AHEAD]
        found = await self._in_thread(partial(records.read, handle.source, handle.index, near))
        record = next((one for one in found if one.row == row), None)
        if record is None:
            raise HTTPException(404, "This sample's record cannot be read.")
        key = handle.entry.key
        await _wait(self._load(handle, found), 0 if self.pictures.loaded(key, record.sample.id) else DATA_WAIT)
        loaded = self.pictures.loaded(key, record.sample.id)

        def address(place: int) -> str:
            """Return the address of a neighbour; nothing where there is none."""
            there = at is not None and 0 <= place < len(listed)
            return f"/run/{key}/sample/{listed[place]}{wanted.query()}" if there else ""

        def context() -> dict[str, Any]:
            here = wanted._replace(page=1 + (at or 0) // PAGE)
            return form_context(handle, wanted) | {
                "record": record,
                "blocks": sample_blocks(handle, record, loaded, self._gallery(handle)),
                "run": PageRun(1, handle.protocols),
                "place": at,
                "of": len(listed),
                "up": f"/run/{key}/samples{here.query()}",
                "before": address((at or 0) - 1),
                "after": address((at or 0) + 1),
                "live": loaded is None,
                "every": 0.7,
            }

        return await self._page("sample", context)

    async def compare(self, request: Request) -> Response:
        """Two runs side by side."""
        keys = list(dict.fromkeys(request.query_params.getlist("run")))
        if len(keys) != 2:
            raise HTTPException(400, "Choose two runs to compare: tick two in the list of runs.")
        one, other = [await self._of(key, 10 * INDEX_WAIT) for key in keys]
        protocols = compare_page.shared(one, other)
        if not protocols:
            raise HTTPException(409, "These runs share no protocol, or one of them is not marked yet.")
        for handle in (one, other):
            if not handle.index.ready:
                return await self._waiting(handle, handle.index.done / handle.index.total)
        given = request.query_params
        protocol = given.get("protocol", "") if given.get("protocol") in protocols else protocols[0]
        which = given.get("only", "first") if given.get("only", "first") in WHICH else "first"
        going_on = self.comparer.compare(one.entry.path, other.entry.path)
        await _wait(going_on, COMPARE_WAIT)

        def context() -> dict[str, Any]:
            found, problem = _compared(going_on)
            pairs = pairs_of(one, other, protocol, which)
            first, page, pages = page_of(pairs.first, wanted_from(given.multi_items(), ()).page)
            second, _page, _pages = page_of(pairs.second, page)
            sides = one, other
            read = [records.read(v.source, v.index, r.tolist()) for v, r in zip(sides, (first, second), strict=True)]
            for handle, some in zip(sides, read, strict=True):
                self._load(handle, some)
            return (
                compare_page.compare_context(sides, protocol, which, page, found, problem)
                | compare_page.pairs_context(sides, pairs, (read[0], read[1]), protocol)
                | {"pages": pages, "live": not going_on.done()}
            )

        return await self._page("compare", context)

    # ------------------------------------------------------------ pictures and files

    async def small(self, request: Request) -> Response:
        """A thumbnail of the picture that a sample is about, or a drawing that says that there is none.

        It is not waited for: a browser has six connections, and a list of thumbnails would hold them all.
        """
        handle, questions = await self._questions(request, SMALL_WAIT)
        for arm in handle.index.arms:
            picture = thumbnail_of(questions[arm]) if arm in questions else None
            found = await self._in_thread(partial(self.pictures.small, picture.data)) if picture is not None else None
            if found is not None:
                return _picture(found)
        return self._own("none.svg")

    async def picture(self, request: Request) -> Response:
        """A picture of a request."""
        handle, questions = await self._questions(request, PICTURE_WAIT)
        arm, number = request.path_params["arm"], request.path_params["number"]
        names = list(handle.index.arms)
        question = questions.get(names[arm]) if arm < len(names) else None
        every = pictures_of(question) if question is not None else []
        if number >= len(every):
            raise HTTPException(404, "No such picture.")
        return _picture(await self._in_thread(partial(large, every[number][1].data)))

    async def _questions(self, request: Request, wait: float) -> tuple[RunHandle, Mapping[str, Question]]:
        handle = await self._handle(request, wait)
        row = request.path_params["row"]
        if not handle.index.ready:
            raise HTTPException(503, "The run is being read: try again.")
        if row >= len(handle.index):
            raise HTTPException(404, "No such sample.")
        found = await self._in_thread(partial(records.read, handle.source, handle.index, [row]))
        if not found or not found[0].answers:
            return handle, {}
        key, name = handle.entry.key, found[0].sample.id
        if self.pictures.loaded(key, name) is None:
            await _wait(self._load(handle, found), wait)
        loaded = self.pictures.loaded(key, name)
        if loaded is None:
            raise HTTPException(503, "The data set is being read: try again.")
        return handle, loaded.questions

    async def file(self, request: Request) -> Response:
        """A file that comes with the viewer."""
        return self._own(request.path_params["name"])

    def _own(self, name: str) -> Response:
        found = self._static.get(name)
        if found is None:
            raise HTTPException(404, "There is no such file.")
        return Response(found[0], headers={"content-type": found[1], **KEPT_PICTURE})

    # ------------------------------------------------------------ common to all

    def _load(self, handle: RunHandle, some: Sequence[SampleRecord]) -> Future[None]:
        """Have the questions of some samples loaded; those without an answer were not asked."""
        wanted = {record.sample.id: tuple(record.answers) for record in some if record.answers}
        return self.pictures.ask_for(handle.entry.key, handle.entry.path, handle.entry.manifest, wanted)

    def _gallery(self, handle: RunHandle) -> Gallery:
        """How a run's exam shows samples: made once for a state of the run, as it may read what scorers said of all."""
        state = handle.entry.key, handle.index.version
        if self._shown is None or self._shown[0] != state:
            self._shown = state, run_gallery(RunFolder(handle.entry.path), handle.entry.manifest, handle.plain)
        return self._shown[1]

    async def _handle(self, request: Request, wait: float) -> RunHandle:
        return await self._of(request.path_params["key"], wait)

    async def _of(self, key: str, wait: float) -> RunHandle:
        found = await self._in_thread(partial(self.handles.handle, key, wait))
        if found is None:
            raise HTTPException(404, "There is no such run in this folder.")
        return found

    async def _ready(self, request: Request) -> RunHandle:
        """A run whose index is there, however long that takes."""
        for _again in range(600):
            handle = await self._handle(request, 10 * INDEX_WAIT)
            if handle.index.ready:
                return handle
        raise HTTPException(503, "The run is still being read: try again later.")

    async def _waiting(self, handle: RunHandle, share: float | None) -> Response:
        """A page that comes again by itself."""
        context = {"entry": handle.entry, "share": share, "live": True}
        return await self._page("waiting", lambda: context)

    async def _page(self, name: str, context: Callable[[], dict[str, Any]], status: int = 200) -> Response:
        def made() -> str:
            return self._templates.page(f"{name}.html", **context())

        text = await self._in_thread(made)
        return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._limit is None:
            self._limit = anyio.CapacityLimiter(THREADS)
        return await anyio.to_thread.run_sync(work, limiter=self._limit)

    async def _refused(self, request: Request, error: HTTPException) -> Response:
        said = error.detail if error.status_code != 404 or error.detail != "Not Found" else "There is no such page."
        return await self._page("message", lambda: {"said": said, "live": False}, error.status_code)

    async def _failed(self, request: Request, error: Exception) -> Response:
        return await self._page("message", lambda: {"said": str(error), "live": False}, 500)


async def _wait(future: Future[Any], seconds: float) -> None:
    """Wait, but not for ever; the work goes on all the same, and whoever reads its result hears of its errors."""
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.wait([waiting], timeout=seconds)


def _compared(going_on: Future[Comparison]) -> tuple[Comparison | None, str]:
    """What a comparison says, or why there is none; neither while it is being made."""
    if not going_on.done():
        return None, ""
    try:
        return going_on.result(), ""
    except Exception as error:
        return None, str(error) or type(error).__name__


def _picture(found: ServedImage | None) -> Response:
    if found is None:
        raise HTTPException(404, "This picture cannot be shown.")
    return Response(found.data, headers={"content-type": found.mime, **KEPT_PICTURE})
