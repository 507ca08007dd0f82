"""Pictures for the page, small: compared with what the ledger says was sent, and held once in the page's pool."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from snellen.core.errors import SnellenError
from snellen.core.gallery import GalleryPicture, Region, UnshortenedText
from snellen.core.text import one_line
from snellen.core.types import Answer, Picture, Sample
from snellen.present.model.sample_view import MISSING, compare_with_ledger
from snellen.present.page.image_pool import ImagePool

QUERY_SIDE = 320
SCREEN_SIDE = 800
CUT_SIDE = 360
EXAMPLE_SIDE = 96
SCALED = "smaller on this page"
Regions = Callable[[Sample, Answer | None], Sequence[Region] | None]


class PagePictures:
    """The pictures of questions, put into an pool after comparing them with what the ledger says was sent.

    Subjects of some exams (`cuts_out`) may send parts of a picture only, so that the ledger does not have the whole.
    """

    def __init__(self, pool: ImagePool, regions: Regions, cuts_out: bool = False) -> None:
        self._album, self._regions, self._cuts_out = pool, regions, cuts_out

    def query(self, picture: Picture, sample: Sample, at: int, answer: Answer | None) -> GalleryPicture:
        """The image that the question is about; larger, and with parts of it in its own pixels, where it is a screen."""
        regions = self._regions(sample, answer)
        shown = self._show(picture, at, answer, QUERY_SIDE if regions is None else SCREEN_SIDE)
        if regions is None or shown.url is None or SCALED not in shown.note:
            return shown
        return shown._replace(cuts=tuple(self._cut(picture.data, region) for region in regions))

    def example(self, picture: Picture, name: str, at: int, answer: Answer | None) -> GalleryPicture:
        """The image of a few-shot example, smaller still."""
        return self._show(picture, at, answer, EXAMPLE_SIDE)._replace(alt=f"example {name}")

    def _show(self, picture: Picture, at: int, answer: Answer | None, side: int) -> GalleryPicture:
        sha = hashlib.sha256(picture.data).hexdigest()
        said = compare_with_ledger(sha, at, [c.images for c in answer.calls] if answer else [])
        if said.startswith(MISSING) and self._cuts_out:
            said = "from the data set; parts of it were sent"
        if said.startswith(MISSING):
            return GalleryPicture(None, "", said)
        return self._held(sha, picture.data, side, said)

    def _held(self, sha: str, data: bytes, side: int, said: str) -> GalleryPicture:
        try:
            held = self._album.add(sha, data, side)
        except SnellenError as error:
            return GalleryPicture(None, "", f"{MISSING}{one_line(str(error), 160)}")
        note = "; ".join(x for x in (said, SCALED if self._album.scaled(held.name) else "") if x)
        return GalleryPicture(UnshortenedText(f"#{held.name}"), "", note, width=held.width, height=held.height)

    def _cut(self, data: bytes, region: Region) -> UnshortenedText | None:
        """A part of a picture in its own pixels (or `CUT_SIDE` of them at most); None where it cannot be had."""
        try:
            return UnshortenedText(f"#{self._album.add(hashlib.sha256(data).hexdigest(), data, CUT_SIDE, region).name}")
        except SnellenError:
            return None
