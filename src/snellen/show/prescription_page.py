"""The prescription as one self-contained page."""

from __future__ import annotations

from pathlib import Path

from snellen.comparison.thresholds import Examined
from snellen.show.album import Album
from snellen.show.page import write_page
from snellen.show.prescription_view import prescription_view

MOST = 4
"""Names in the title."""


def write_prescription(found: Examined, page: Path) -> None:
    """Write the page."""
    album = Album()
    view = prescription_view(found, album)
    names = [one.name for one in found.each]
    who = ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
    write_page(page, "prescription.html", album, rx=view, who=who, when=found.first.manifest.created[:10])
