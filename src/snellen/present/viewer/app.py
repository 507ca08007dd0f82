"""The viewer's addresses. Runs are named by keys and samples by numbers: no part of an address is ever used as a path.

Each address is a plain function, which Starlette calls in a thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from functools import lru_cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from snellen.core.gallery import Gallery
from snellen.core.types import Question
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.sample_index import SampleRecord
from snellen.present.model.sample_view import run_gallery
from snellen.present.viewer.compare_page import compare_context
from snellen.present.viewer.pictures import SMALL, QuestionCache, large, scaled
from snellen.present.viewer.run_index import RunHandle, RunIndex
from snellen.present.viewer.run_page import progress_of, run_context, runs_context
from snellen.present.viewer.sample_filter import PAGE, page_of, rows_of, wanted_from
from snellen.present.viewer.sample_page import (
    form_context,
    pictures_of,
    sample_blocks,
    samples_context,
    thumbnail_of,
)
from snellen.present.viewer.site import Site, picture_response

LIST_WAIT = 0.2
DATA_WAIT = 0.8
SMALL_WAIT = 0.03
PICTURE_WAIT = 20.0
BEHIND, AHEAD = 10, 40
"""The neighbours of the current sample whose questions are loaded with it."""


class Viewer(Site):
    """The pages of one folder of runs."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        super().__init__()
        self.run_index = RunIndex(folder)
        self.pictures = QuestionCache(data)

    def app(self) -> Starlette:
        """Return the application, to be put behind a `Guard`."""
        return self.application(
            Route("/", self._runs),
            Route("/compare", self._compare),
            Route("/run/{key}", self._run),
            Route("/run/{key}/samples", self._samples),
            Route("/run/{key}/sample/{row:int}", self._sample),
            Route("/run/{key}/sample/{row:int}/picture/{arm:int}/{number:int}", self._picture),
            Route("/run/{key}/sample/{row:int}/small", self._small),
        )

    def close(self) -> None:
        """Stop the background work."""
        self.pictures.close()

    # ------------------------------------------------------------ pages

    def _runs(self, request: Request) -> Response:
        """Show all runs."""
        found = self.run_index.found(LIST_WAIT)
        return self.page("runs", runs_context(self.run_index, found, dict(request.query_params)))

    def _run(self, request: Request) -> Response:
        """Show one run."""
        handle = self._handle(request.path_params["key"])
        return self.page("run", run_context(handle, progress_of(self.run_index, handle.entry)))

    def _samples(self, request: Request) -> Response:
        """Show a page of samples."""
        handle = self._handle(request.path_params["key"])
        wanted = wanted_from(request.query_params.multi_items(), handle.plain)
        rows = rows_of(handle.index, wanted, handle.plain)
        some, page, pages = page_of(rows, wanted.page)
        found = self._read(handle, some.tolist())
        progress = progress_of(self.run_index, handle.entry)
        live = {"live": progress is not None and progress.going_on}
        shown = wanted._replace(page=page)
        context = form_context(handle, shown) | samples_context(handle, shown, rows, pages, found)
        return self.page("samples", context | live)

    def _sample(self, request: Request) -> Response:
        """Show one sample, with its neighbours under the filter."""
        handle, row = self._handle(request.path_params["key"]), request.path_params["row"]
        if row >= len(handle.index):
            raise HTTPException(404, f"This run has no sample number {row}.")
        wanted = wanted_from(request.query_params.multi_items(), handle.plain)
        listed = rows_of(handle.index, wanted, handle.plain).tolist()
        at = listed.index(row) if row in listed else None
        near = [row] if at is None else listed[max(0, at - BEHIND) : at + AHEAD]
        found = handle.index.read(near)
        record = next((one for one in found if one.row == row), None)
        if record is None:
            raise HTTPException(404, "This sample's record cannot be read.")
        key = handle.entry.key
        wait([self._load(handle, found)], 0 if self.pictures.loaded(key, record.sample.id) else DATA_WAIT)
        loaded = self.pictures.loaded(key, record.sample.id)

        def address(place: int) -> str:
            """Return the address of a neighbour, or an empty text if it does not exist."""
            there = at is not None and 0 <= place < len(listed)
            return f"/run/{key}/sample/{listed[place]}{wanted.query()}" if there else ""

        here = wanted._replace(page=1 + (at or 0) // PAGE)
        context = {
            "record": record,
            "blocks": sample_blocks(
                handle, record, loaded, _gallery(handle.entry.path, tuple(handle.plain), handle.index.version)
            ),
            "run": {"number": 1, "protocols": handle.protocols},  # read by the templates of galleries
            "place": at,
            "of": len(listed),
            "up": f"/run/{key}/samples{here.query()}",
            "before": address((at or 0) - 1),
            "after": address((at or 0) + 1),
            "live": loaded is None,
            "every": 0.7,
        }
        return self.page("sample", form_context(handle, wanted) | context)

    def _compare(self, request: Request) -> Response:
        """Show two runs side by side."""
        keys = list(dict.fromkeys(request.query_params.getlist("run")))
        if len(keys) != 2:
            raise HTTPException(400, "Choose two runs to compare: tick two in the list of runs.")
        sides = self._handle(keys[0]), self._handle(keys[1])
        return self.page("compare", compare_context(sides, request.query_params, self._read))

    # ------------------------------------------------------------ images and files

    def _small(self, request: Request) -> Response:
        """Return a thumbnail of the sample's image, or a drawing that says that there is none.

        The response does not wait for the image: a browser has six connections, and a list of thumbnails would hold them all.
        """
        for question in self._questions(request, SMALL_WAIT).values():
            picture = thumbnail_of(question) if isinstance(question, Question) else None
            found = scaled(picture.data, SMALL) if picture is not None else None
            if found is not None:
                return picture_response(found)
        return self.file("none.svg")

    def _picture(self, request: Request) -> Response:
        """Return an image of a request."""
        arm, number = request.path_params["arm"], request.path_params["number"]
        asked = list(self._questions(request, PICTURE_WAIT).values())
        question = asked[arm] if arm < len(asked) else ""
        every = pictures_of(question) if isinstance(question, Question) else []
        if number >= len(every):
            raise HTTPException(404, "No such picture.")
        return picture_response(large(every[number][1].data))

    def _questions(self, request: Request, seconds: float) -> Mapping[str, Question | str]:
        """Return the questions about a sample, in the order of its answers."""
        handle, row = self._handle(request.path_params["key"]), request.path_params["row"]
        if row >= len(handle.index):
            raise HTTPException(404, "No such sample.")
        found = handle.index.read([row])
        if not found or not found[0].answers:
            return {}
        wait([self._load(handle, found)], seconds)
        loaded = self.pictures.loaded(handle.entry.key, found[0].sample.id)
        if loaded is None:
            raise HTTPException(503, "The data set is being read: try again.")
        return {arm: loaded.get(arm, "") for arm in found[0].answers}

    # ------------------------------------------------------------ common to all

    def _read(self, handle: RunHandle, rows: list[int]) -> list[SampleRecord]:
        """Read some samples of a run, and start loading their questions."""
        found = handle.index.read(rows)
        self._load(handle, found)
        return found

    def _load(self, handle: RunHandle, some: Sequence[SampleRecord]) -> Future[None]:
        """Start loading the questions of some samples. Samples without an answer were not asked."""
        wanted = {record.sample.id: tuple(record.answers) for record in some if record.answers}
        return self.pictures.ask_for(handle.entry.key, handle.entry.path, wanted)

    def _handle(self, key: str) -> RunHandle:
        found = self.run_index.handle(key)
        if found is None:
            raise HTTPException(404, "There is no such run in this folder.")
        return found


@lru_cache(4)
def _gallery(path: Path, protocols: tuple[str, ...], _version: object) -> Gallery:
    """Return how a run's exam shows samples. It is cached for each state of the run, as it may read scorer output for all samples."""
    folder = RunFolder(path)
    return run_gallery(folder, folder.manifest(), protocols)
