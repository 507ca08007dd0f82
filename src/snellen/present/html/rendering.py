"""Jinja for the page and the viewer: their own templates, the shared ones, and those of each exam's gallery.

All template output is made inert and then escaped. No data is ever marked as safe. That holds for the templates of exams too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from snellen import __version__
from snellen.core.errors import SnellenError
from snellen.core.gallery import KINDS, Gallery, UnshortenedText
from snellen.core.text import for_terminal, one_line
from snellen.core.types import Mark
from snellen.present.model import formatting, threshold_text
from snellen.present.model.formatting import plain

SHORT = 300


class TextDetail(NamedTuple):
    """The level of detail for a sample: the most characters of a long text, and whether thoughts, prompt and ledger are included."""

    long: int
    evidence: bool


class Templates:
    """The templates of one skin. Names of its `own` package and the shared ones come first, so no exam's template can replace them."""

    def __init__(self, own: str, detail: TextDetail, left_out: Collection[str] = ()) -> None:
        self._own, self._detail, self._left_out = own, detail, left_out
        self._environments: dict[str, jinja2.Environment] = {}

    def page(self, name: str, **given: Any) -> str:
        """Render one of the skin's own templates."""
        return self.of(Gallery(), name).render(version=__version__, **given)

    def of(self, gallery: Gallery, name: str) -> jinja2.Template:
        """Return a template of a gallery, of the skin, or a shared one."""
        try:
            if gallery.package not in self._environments:
                self._environments[gallery.package] = self._environment(gallery.package)
            return self._environments[gallery.package].get_template(name)
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
        found.globals.update(formatting=formatting, threshold_text=threshold_text, KINDS=KINDS)
        found.globals.update(readings=_readings, outcome_of=lambda mark: mark.outcome)
        found.globals.update(template_of=self.of, left_out=self._left_out, LONG=self._detail.long, detail=self._detail)
        del found.filters["safe"]
        found.filters.update(plain=plain, cut=self._cut, short=_short, share=_share, px=_px)
        return found

    def _cut(self, text: str) -> UnshortenedText:
        return UnshortenedText(text[: self._detail.long])


def _inert(value: Any) -> Any:
    """Return a value that a template may print: control characters shown as escapes, short facts kept short."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value  # Markup: from the templates' own macros, whose data is already escaped
    return for_terminal(value, None if isinstance(value, UnshortenedText) else SHORT)


def _readings(columns: Iterable[tuple[Any, Mark]]) -> list[str]:
    """Return the values that protocols read, as text."""
    return [plain(mark.reading) for _names, mark in columns]


def _short(text: Any, limit: int) -> str:
    """Return the beginning of a text on one line."""
    return one_line(str(text)[: 4 * limit], limit)


def _share(value: float | None) -> str:
    """Return a place on a scale from 0 to 1, in percent for SVG."""
    return f"{100 * min(1.0, max(0.0, value or 0.0)):.2f}%"


def _px(value: float) -> str:
    """Return a coordinate in an image, to tenths, for SVG.

    >>> _px(10.0), _px(10.26)
    ('10', '10.3')
    """
    return f"{value:.1f}".removesuffix(".0")
