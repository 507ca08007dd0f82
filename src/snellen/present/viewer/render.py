"""The viewer's templates and files."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from snellen.core.gallery import Gallery
from snellen.core.text import one_line
from snellen.present.html.rendering import Templates, TextDetail
from snellen.present.viewer.sample_filter import asked

LONG = 20_000
HERE = "snellen.present.viewer"


def templates_of(own: str = HERE) -> Templates:
    """Return the templates of the viewer, or of another application that looks like it."""
    return Templates(own, TextDetail(LONG, True), filters={"short": _short, "asked": asked})


def static() -> dict[str, tuple[bytes, str]]:
    """Return the files beside the pages, by name: bytes and type. The report's style comes first, so that both look alike."""
    here = files(HERE) / "static"
    shared = (files(Gallery.package) / "templates" / "style.css").read_bytes()
    style = shared + b"\n" + (here / "view.css").read_bytes()
    return {
        "view.css": (style, "text/css; charset=utf-8"),
        "view.js": ((here / "view.js").read_bytes(), "text/javascript; charset=utf-8"),
        **{name: ((here / name).read_bytes(), "image/svg+xml") for name in ("icon.svg", "none.svg")},
    }


def _short(text: Any, limit: int) -> str:
    """Return the beginning of a text on one line."""
    return one_line(str(text)[: 4 * limit], limit)
