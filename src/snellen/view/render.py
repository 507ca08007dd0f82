"""Jinja for the viewer: its own templates, those of the report that it shares, and those of each exam's gallery.

All that a template prints is made inert and then escaped; no data is ever marked as safe.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import jinja2
from markupsafe import Markup

from snellen import __version__
from snellen.core.errors import SnellenError
from snellen.core.gallery import KINDS, Gallery, Whole
from snellen.core.text import for_terminal, one_line
from snellen.core.types import Mark
from snellen.show import words
from snellen.show.page import Detail
from snellen.show.page_compare import digits
from snellen.show.page_facts import plain
from snellen.view.wanted import TAG

SHORT = 300
LONG = 20_000
HERE = "snellen.view"


class Renderer:
    """Makes pages. The names of the `own` package come first, so that no exam's template can take their place."""

    def __init__(self, own: str = HERE) -> None:
        self._own = own
        self._found: dict[str, jinja2.Environment] = {}

    def page(self, name: str, **given: Any) -> str:
        """A page of the viewer."""
        return self.of(Gallery(), f"{name}.html").render(version=__version__, **given)

    def of(self, gallery: Gallery, name: str) -> jinja2.Template:
        """A template of a gallery, or of the viewer."""
        try:
            if gallery.package not in self._found:
                self._found[gallery.package] = self._environment(gallery.package)
            return self._found[gallery.package].get_template(name)
        except (ValueError, ImportError, jinja2.TemplateError) as error:
            raise SnellenError(f"the template {name} of {gallery.package} cannot be used: {error}") from None

    def _environment(self, package: str) -> jinja2.Environment:
        names = dict.fromkeys((self._own, Gallery.package, package))
        found = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in names]),
            autoescape=True,
            finalize=_inert,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        found.globals.update(words=words, KINDS=KINDS, LONG=LONG, template_of=self.of)
        found.globals.update(left_out=(), detail=Detail(LONG, True), digits=digits, readings=_readings)
        del found.filters["safe"]
        found.filters.update(
            plain=plain,
            cut=lambda text: Whole(text[:LONG]),
            share=_share,
            px=_px,
            short=_short,
            asked=asked,
            tagged=_tagged,
        )
        return found


def static() -> dict[str, tuple[bytes, str]]:
    """The files beside the pages, by name: bytes and type. The report's style comes first, so that both look alike."""
    here = files(HERE) / "static"
    report = (files(Gallery.package) / "templates" / "style.css").read_bytes()
    style = report + b"\n" + (here / "view.css").read_bytes()
    return {
        "view.css": (style, "text/css; charset=utf-8"),
        "view.js": ((here / "view.js").read_bytes(), "text/javascript; charset=utf-8"),
        **{name: ((here / name).read_bytes(), "image/svg+xml") for name in ("icon.svg", "none.svg")},
    }


def _inert(value: Any) -> Any:
    """What a template prints: control characters shown as escapes, short facts kept short."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value  # Markup: the templates' own macros, whose data came through here already
    return for_terminal(value, None if isinstance(value, Whole) else SHORT)


def _readings(columns: Iterable[tuple[Any, Mark]]) -> list[str]:
    """What protocols read, as text."""
    return [plain(mark.reading) for _names, mark in columns]


def _short(text: Any, limit: int) -> str:
    """The beginning of a text on one line."""
    return one_line(str(text)[: 4 * limit], limit)


def asked(pairs: Iterable[tuple[str, str]]) -> Whole:
    """The end of an address that asks for something."""
    said = urlencode([(k, v) for k, v in pairs if v], errors="replace")
    return Whole(f"?{said}" if said else "")


def _tagged(pair: tuple[str, str]) -> tuple[str, str]:
    """A tag as the filter's form names it."""
    return TAG + pair[0], pair[1]


def _share(value: float | None) -> str:
    """A place on a scale from 0 to 1, in percent for SVG."""
    return f"{100 * min(1.0, max(0.0, value or 0.0)):.2f}%"


def _px(value: float) -> str:
    """A place in a picture, to tenths, for SVG."""
    return f"{value:.1f}".removesuffix(".0")
