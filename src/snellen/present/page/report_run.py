"""A run on the report: its view, the samples that its exam's gallery shows, and where its protocols disagree."""

from __future__ import annotations

from typing import NamedTuple

from snellen.core.finding import Finding
from snellen.core.gallery import Gallery, GalleryItem, GalleryView
from snellen.core.results import ProtocolSummary
from snellen.engine.runs.run import Run
from snellen.present.model.findings import loaded
from snellen.present.model.run_view import RunView, run_view
from snellen.present.model.sample_view import run_gallery
from snellen.present.page import gallery


class _RunGallery(NamedTuple):
    """The gallery of a run: the exam's layout of samples, the chosen ones, and the data for its templates."""

    gallery: Gallery
    survey: gallery.GallerySurvey
    items: list[GalleryItem]
    view: GalleryView
    prompts: int


class ReportRun(NamedTuple):
    """A run with its number on the page."""

    number: int
    run: Run
    view: RunView
    parting: gallery.DisagreementView
    gallery: _RunGallery

    @property
    def protocols(self) -> dict[str, ProtocolSummary]:
        """Return the run's protocols, for the templates of samples."""
        return self.view.protocols

    def place_of(self, finding: Finding) -> str:
        """Return the section with more on a finding, or the start of the run if there is no such section."""
        there: dict[str, object] = {"controls": self.view.all_controls.rows or self.view.position.rows}
        there |= {"flips": self.parting.pairs.rows, "gallery": self.gallery.items}
        known = finding.place in ("what", "scores", "outcomes") or there.get(finding.place)
        return f"{finding.place if known else 'run'}-{self.number}"


def report_run(number: int, run: Run, samples: int, sources: gallery.Sources) -> ReportRun:
    """Make the page's view of a run, with `samples` of them in its gallery."""
    hook = run_gallery(run.folder, run.manifest, [p.protocol for p in run.protocols])
    found = gallery.survey(run, samples, hook)
    items = hook.arranged(gallery.items(run, found.picks, hook, sources))
    shown = _RunGallery(hook, found, items, hook.view(items), len({p.prompt for p in run.protocols}))
    parting = gallery.parting(run, samples, sources)
    calls = (call for head in run.folder.answers() for call in head.calls)
    latencies = sorted(call.latency for call in calls if call.latency is not None and not call.stored)
    view = run_view(run, loaded(run.manifest), stages=parting.counts, latencies=latencies)
    return ReportRun(number, run, view, parting, shown)
