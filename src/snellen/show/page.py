"""One self-contained HTML page of runs: no script, nothing fetched, and every text from outside inert.

All that a template prints goes through `_inert` and then through Jinja's escaping; no data is ever marked as safe. That holds for the
templates of an exam's own gallery too: they are rendered here.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from snellen import __version__
from snellen.core.errors import SnellenError
from snellen.core.gallery import KINDS, Gallery, Whole
from snellen.core.records import LAYOUT
from snellen.core.text import for_terminal
from snellen.engine.runs.run import Run
from snellen.show import words
from snellen.show.page_facts import plain
from snellen.show.page_views import overview, run_view

SAMPLES = 48
SHORT = 300
LONG = 4000
HOME = Gallery.package
BLIND = "Headline scores of all runs"
ORACLE = "ORACLE runs, which look at the answer: for comparison only"


def write_report(runs: Sequence[Run], page: Path, samples: int = SAMPLES) -> None:
    """Write the page of some runs; `samples` of each get into its gallery."""
    for run in runs:
        _check(run)
    views = [run_view(number, run, samples) for number, run in enumerate(runs, 1)]
    blind, oracles = ([v for v in views if bool(v.oracle) is peeks] for peeks in (False, True))
    overviews = [(title, overview(some)) for title, some in ((BLIND, blind), (ORACLE, oracles)) if some]
    write_page(page, "report.html", runs=views, overviews=overviews)


def write_page(page: Path, name: str, **given: Any) -> None:
    """Write a template's page as a whole or not at all."""
    made = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    pieces = _Templates().of(Gallery(), name).generate(version=__version__, made=made, **given)
    part = page.with_name(page.name + ".part")
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        if page.is_dir():
            raise IsADirectoryError(21, "it is a folder; name a file such as report.html")
        with part.open("wb", buffering=1 << 20) as out:
            out.writelines(piece.encode("utf-8", "backslashreplace") for piece in pieces)
        part.replace(page)
    except (OSError, SnellenError, jinja2.TemplateError) as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, SnellenError):
            raise
        why = (error.strerror or error) if isinstance(error, OSError) else f"a template failed: {error}"
        raise SnellenError(f"cannot write {page}: {why}") from None


def _check(run: Run) -> None:
    """A run that was never marked, or by a later version of Snellen, has to be marked first."""
    if not run.folder.has("summary.json"):
        raise SnellenError(
            f"{run.path} has no summary.json: mark its answers with 'snellen remark {run.path}', "
            "or finish it with the 'snellen run' that began it"
        )
    summary = run.summary
    if summary.layout > LAYOUT or not summary.protocols:
        raise SnellenError(f"{run.path}: summary.json is from another version; run 'snellen remark {run.path}'")


# ---------------------------------------------------------------- Jinja


class _Templates:
    """The page's templates, and beside them those of each exam's gallery. The page's own names cannot be replaced."""

    def __init__(self) -> None:
        self._found: dict[str, jinja2.Environment] = {}

    def of(self, gallery: Gallery, name: str) -> jinja2.Template:
        """A template of a gallery."""
        try:
            if gallery.package not in self._found:
                self._found[gallery.package] = self._environment(gallery.package)
            return self._found[gallery.package].get_template(name)
        except (ValueError, ImportError, jinja2.TemplateError) as error:
            raise SnellenError(f"the template {name} of {gallery.package} cannot be used: {error}") from None

    def _environment(self, package: str) -> jinja2.Environment:
        found = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in dict.fromkeys((HOME, package))]),
            autoescape=True,
            finalize=_inert,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        found.globals.update(words=words, KINDS=KINDS, LONG=LONG, template_of=self.of)
        del found.filters["safe"]  # nothing that a template prints is beyond escaping
        found.filters.update(plain=plain, cut=lambda text: Whole(text[:LONG]), share=_share, px=_px)
        return found


def _inert(value: Any) -> Any:
    """What a template expression prints: control characters shown as escapes, short facts kept short."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value  # Markup: the template's own macros, whose data came through here already
    return for_terminal(value, None if isinstance(value, Whole) else SHORT)


def _share(value: float | None) -> str:
    """A place on a scale from 0 to 1, in percent for SVG."""
    return f"{100 * min(1.0, max(0.0, value or 0.0)):.2f}%"


def _px(value: float) -> str:
    """A place in a picture, to tenths, for SVG.

    >>> _px(10.0), _px(10.26)
    ('10', '10.3')
    """
    return f"{value:.1f}".removesuffix(".0")
