"""The prescription as one self-contained page."""

from __future__ import annotations

from pathlib import Path

from snellen.comparison.thresholds import ExamThresholds
from snellen.present.page.image_pool import ImagePool
from snellen.present.page.prescription_view import prescription_view
from snellen.present.page.report import write_page

MOST = 4
"""Names in the title."""


def write_prescription(found: ExamThresholds, page: Path) -> None:
    """Write the page."""
    pool = ImagePool()
    view = prescription_view(found, pool)
    names = [one.name for one in found.each]
    who = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
    write_page(page, "prescription.html", pool, rx=view, who=who, when=found.first.manifest.created[:10])
