"""Pictures for the page, small: compared with what the ledger says was sent, and held once in the page's pool."""

from __future__ import annotations

import hashlib

from snellen.core.errors import SnellenError
from snellen.core.gallery import Gallery, GalleryPicture, Region, UnshortenedText
from snellen.core.text import one_line
from snellen.core.types import Answer, Picture, Question, Sample
from snellen.present.model.sample_view import MISSING, ledger_note, shown_prompt
from snellen.present.page.image_pool import ImagePool

QUERY_SIDE = 320
SCREEN_SIDE = 800
CUT_SIDE = 360
EXAMPLE_SIDE = 96
SCALED = "smaller on this page"
ShownQuestion = tuple[list[str | GalleryPicture], str | None, GalleryPicture]
"""The parts of a prompt, the system prompt, and the picture that it is about."""


class PagePictures:
    """The pictures of questions, put into a pool after comparing them with what the ledger says was sent."""

    def __init__(self, pool: ImagePool, gallery: Gallery) -> None:
        self._pool, self._gallery = pool, gallery

    def question(self, question: Question, sample: Sample, answer: Answer | None) -> ShownQuestion:
        """Return a question as the page shows it."""
        parts, query = shown_prompt(
            question,
            sample.id,
            lambda picture, at: self.query(picture, sample, at, answer),
            lambda picture, at: self._show(picture, at, answer, EXAMPLE_SIDE),
        )
        return parts, question.system, query

    def query(self, picture: Picture, sample: Sample, at: int, answer: Answer | None) -> GalleryPicture:
        """Return the image that the question is about; larger, and with parts of it in its own pixels, where it is a screen."""
        regions = self._gallery.regions(sample, answer)
        shown = self._show(picture, at, answer, QUERY_SIDE if regions is None else SCREEN_SIDE)
        if regions is None or shown.url is None or SCALED not in shown.note:
            return shown
        return shown._replace(cuts=tuple(self._cut(picture.data, region) for region in regions))

    def _show(self, picture: Picture, at: int, answer: Answer | None, side: int) -> GalleryPicture:
        note = ledger_note(picture, at, answer, sent_in_parts=self._gallery.sent_in_parts)
        if note.startswith(MISSING):
            return GalleryPicture(None, "", note)
        try:
            held = self._pool.add(hashlib.sha256(picture.data).hexdigest(), picture.data, side)
        except SnellenError as error:
            return GalleryPicture(None, "", f"{MISSING}{one_line(str(error), 160)}")
        note = "; ".join([note, *([SCALED] if self._pool.scaled(held.name) else [])])
        return GalleryPicture(UnshortenedText(f"#{held.name}"), "", note, width=held.width, height=held.height)

    def _cut(self, data: bytes, region: Region) -> UnshortenedText | None:
        """Return a part of a picture in its own pixels (or `CUT_SIDE` of them at most); None where it cannot be had."""
        try:
            return UnshortenedText(f"#{self._pool.add(hashlib.sha256(data).hexdigest(), data, CUT_SIDE, region).name}")
        except SnellenError:
            return None
