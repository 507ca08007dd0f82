"""Shared code of the pages of `snellen view` and `snellen annotate`: templates, static files, errors as pages."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from snellen.core.errors import SnellenError
from snellen.core.gallery import Gallery
from snellen.present.html.rendering import Templates, TextDetail
from snellen.present.viewer.pictures import ServedImage

HERE = "snellen.present.viewer"
LONG = 20_000
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
KEPT = {"cache-control": "private, max-age=3600"}


class Site:
    """The pages of one application. `package` has its templates and files, besides those of the viewer."""

    def __init__(self, package: str = HERE) -> None:
        self._templates = Templates(package, TextDetail(LONG, True))
        self._files = {"style.css": (files(Gallery.package) / "templates" / "style.css").read_bytes()}
        for place in dict.fromkeys((HERE, package)):
            self._files |= {one.name: one.read_bytes() for one in (files(place) / "static").iterdir()}

    def application(self, *routes: Route) -> Starlette:
        """Return the application, to be put behind a `Guard`."""
        handlers: Any = {HTTPException: self._refused, SnellenError: self._failed, OSError: self._failed}
        return Starlette(
            routes=[*routes, Route("/static/{name}", lambda request: self.file(request.path_params["name"]))],
            exception_handlers=handlers,
        )

    def page(self, name: str, context: Mapping[str, Any], status: int = 200) -> Response:
        """Return a page from a template."""
        text = self._templates.page(f"{name}.html", **context)
        return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)

    def file(self, name: str) -> Response:
        """Return a static file of the pages."""
        if name not in self._files:
            raise HTTPException(404, "There is no such file.")
        return Response(self._files[name], headers={"content-type": TYPES[name.rpartition(".")[2]], **KEPT})

    def _refused(self, request: Request, error: HTTPException) -> Response:
        said = error.detail if error.status_code != 404 or error.detail != "Not Found" else "There is no such page."
        return self.page("message", {"said": said}, error.status_code)

    def _failed(self, request: Request, error: Exception) -> Response:
        return self.page("message", {"said": str(error)}, 500)


def picture_response(found: ServedImage | None) -> Response:
    """Return an image, or an error if it cannot be shown."""
    if found is None:
        raise HTTPException(404, "This picture cannot be shown.")
    data, kind = found
    return Response(data, headers={"content-type": kind, **KEPT})
