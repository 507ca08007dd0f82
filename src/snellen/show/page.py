"""One self-contained HTML page of runs: no script, nothing fetched, and every text from outside inert.

All that a template prints goes through `_inert` and then through Jinja's escaping; no data is ever marked as safe. That holds for the
templates of an exam's own gallery too: they are rendered here.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from snellen import __version__
from snellen.comparison.verdict import p_of
from snellen.core.errors import SnellenError
from snellen.core.gallery import KINDS, Gallery, Whole
from snellen.core.text import for_terminal
from snellen.engine.mark.holding import check_answers, check_summary
from snellen.engine.runs.run import Run
from snellen.show import prescription_words, words
from snellen.show.album import Album
from snellen.show.findings import loaded
from snellen.show.gallery import Sources
from snellen.show.page_compare import digits, exam_views
from snellen.show.page_facts import plain
from snellen.show.page_views import run_view

SAMPLES = 48
IN_ALL = 400
"""How many samples of a run a page shows that nobody said a number for, and how many of all runs together."""
BUDGET = 5_000_000
A_SAMPLE = 5_000
"""The bytes that a page may take, and those of a sample where more than a thousand are asked for."""
FOR_PICTURES = 0.35
"""The share of them that pictures get where they want it, before texts."""
FIRST_SCREEN = 10
"""Findings that the first screen has room for."""
SHORT = 300
HOME = Gallery.package


class Detail(NamedTuple):
    """How much is told of a sample: characters of a long text, and whether thoughts, prompt and ledger are there."""

    long: int
    evidence: bool


DETAILS = (Detail(2000, True), Detail(800, True), Detail(300, False))
"""From the most to the least; the first that leaves room for the pictures is taken."""


def write_report(
    runs: Sequence[Run],
    page: Path,
    samples: int | None = None,
    *,
    data: Sequence[Path] = (),
    passed_over: Sequence[str] = (),
    checked: bool = False,
) -> None:
    """Write the page of some runs; `samples` of each get into its gallery, with pictures from `data` where that has them.

    Without a number there are 48 of each, or fewer of many runs.

    It takes five megabytes at most, or five kilobytes a sample where more than a thousand are asked for: pictures get smaller, then texts
    shorter, then samples fewer, and the page says so. `passed_over` is said on it, too. `checked`: `check` was called for all runs.
    """
    for run in () if checked else runs:
        check(run)
    samples = max(SAMPLES // 12, min(SAMPLES, IN_ALL // max(1, len(runs)))) if samples is None else samples
    room = max(BUDGET, A_SAMPLE * samples * len(runs))
    shown = samples
    while True:
        sources = Sources(Album(), tuple(data))
        views = [run_view(number, run, shown, sources) for number, run in enumerate(runs, 1)]
        given = {
            "runs": views,
            "exams": exam_views(runs, views, shown, sources),
            "each": max(2, FIRST_SCREEN // max(1, len(runs))),
            "passed_over": passed_over,
            "fewer": shown < samples,
        }
        made = _made("report.html", sources.album, room, given, at_any_size=shown == 0)
        if made is not None:
            break
        shown //= 2
    _write(page, made)


def write_page(page: Path, name: str, album: Album, **given: Any) -> None:
    """Write a template's page with its pictures, these small enough for the budget."""
    _write(page, _made(name, album, BUDGET, given, at_any_size=True) or ())


def _made(
    name: str, album: Album, room: int, given: dict[str, Any], *, at_any_size: bool
) -> tuple[bytes, bytes] | None:
    """A page in two pieces, the pictures being the second; None where it does not fit, however little is told."""
    given = given | {"version": __version__, "made": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
    text, longest, last = b"", 0, None
    for detail in DETAILS:
        if last is None or last.evidence != detail.evidence or longest > detail.long:  # else it would be the same page
            text, longest = _rendered(name, album, detail, given)
            last = detail
        if len(text) + min(album.cost, FOR_PICTURES * room) <= room:
            break
    else:
        if len(text) > room and not at_any_size:
            return None
    album.fit(max(0, room - len(text)))
    if album.left_out:
        text, _longest = _rendered(name, album, detail, given)
    return text, _rendered("album.html", album, detail, {})[0]


def _rendered(name: str, album: Album, detail: Detail, given: dict[str, Any]) -> tuple[bytes, int]:
    """A page, and the length of its longest text that may be cut."""
    templates = _Templates(album, detail)
    try:
        made = templates.of(Gallery(), name).render(album=album, detail=detail, **given)
    except jinja2.TemplateError as error:
        raise SnellenError(f"the page cannot be made: a template failed: {error}") from None
    return made.encode("utf-8", "backslashreplace"), templates.longest


def _write(page: Path, pieces: Sequence[bytes]) -> None:
    """Write a page as a whole or not at all."""
    part = page.with_name(page.name + ".part")
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        if page.is_dir():
            raise IsADirectoryError(21, "it is a folder; name a file such as report.html")
        with part.open("wb") as out:
            out.writelines(pieces)
        part.replace(page)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise SnellenError(f"cannot write {page}: {error.strerror or error}") from None


def check(run: Run) -> None:
    """Refuse a run that was never marked, or whose answers or marks were changed."""
    if not run.folder.has("summary.json"):
        raise SnellenError(
            f"{run.path} has no summary.json: mark its answers with 'snellen remark {run.path}', "
            "or finish it with the 'snellen run' that began it"
        )
    summary = run.summary
    check_answers(run, summary)
    check_marks(run)


def check_marks(run: Run) -> None:
    """Refuse a run whose marks were changed, as far as its exam is at hand."""
    exam = loaded(run.manifest)
    if exam is not None:
        check_summary(run, run.summary, exam)


# ---------------------------------------------------------------- Jinja


class _Compiled(jinja2.BytecodeCache):
    """Compiled templates in memory: a page may be rendered several times, each time by an environment of its own."""

    def __init__(self) -> None:
        self._found: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.key in self._found:
            bucket.bytecode_from_string(self._found[bucket.key])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._found[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


class _Templates:
    """The page's templates, and beside them those of each exam's gallery. The page's own names cannot be replaced."""

    def __init__(self, album: Album, detail: Detail) -> None:
        self._found: dict[str, jinja2.Environment] = {}
        self._album, self._detail = album, detail
        self.longest = 0

    def of(self, gallery: Gallery, name: str) -> jinja2.Template:
        """A template of a gallery."""
        try:
            if gallery.package not in self._found:
                self._found[gallery.package] = self._environment(gallery.package)
            return self._found[gallery.package].get_template(name)
        except (ValueError, ImportError, jinja2.TemplateError) as error:
            raise SnellenError(f"the template {name} of {gallery.package} cannot be used: {error}") from None

    def _cut(self, text: str) -> Whole:
        self.longest = max(self.longest, len(text))
        return Whole(text[: self._detail.long])

    def _environment(self, package: str) -> jinja2.Environment:
        found = jinja2.Environment(
            bytecode_cache=_COMPILED,
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in dict.fromkeys((HOME, package))]),
            autoescape=True,
            finalize=_inert,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        most = self._detail.long
        found.globals.update(words=words, KINDS=KINDS, LONG=most, template_of=self.of, left_out=self._album.left_out)
        found.globals.update(p_of=p_of, digits=digits, said=prescription_words)
        found.globals.update(readings=lambda columns: [plain(mark.reading) for _names, mark in columns])
        del found.filters["safe"]  # nothing that a template prints is beyond escaping
        found.filters.update(plain=plain, cut=self._cut, share=_share, px=_px)
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
