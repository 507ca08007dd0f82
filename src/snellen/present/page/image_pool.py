"""Every image of a page, stored once however often it is shown, and all small enough for the page's budget.

Templates refer to an image by its name in the page (`<use href="#p12">`), so the bytes are in one place, at the page's end. Sizes are
chosen when the rest of the page is known. Images are made smaller until all fit; some are left out only if the smallest sizes do not fit.
Before that, each image is compared with what the ledger says was sent.
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snellen.core.digest import rank
from snellen.core.gallery import Region, UnshortenedText
from snellen.core.images import MIME, sniff
from snellen.core.pixels import BadPicture, decoded, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image
import hashlib

from snellen.core.errors import SnellenError
from snellen.core.gallery import Gallery, GalleryPicture
from snellen.core.text import one_line
from snellen.core.types import Answer, Picture, Sample
from snellen.present.html.pictures import WEB, as_webp
from snellen.present.model.sample_view import MISSING, ledger_note

ORIGINAL_BYTES = 4_000
"""A web image with at most this many bytes stays unchanged if it fits."""
STEPS = ((1.0, 78), (0.75, 68), (0.5, 60), (0.36, 50), (0.25, 40))
"""The steps of reduction until images fit: the scale of their sides, and the compression quality."""
AROUND = 110
"""Bytes of markup around an image."""


@dataclass(slots=True)
class HeldImage:
    """An image, or a part of one, on the page: its name there, the region in pixels of the original, and its bytes.

    `largest` are the bytes in the largest size that a page may show, with at most `side` pixels.
    """

    code: bytes
    mime: str
    place: Region
    side: int
    scaled: bool
    """True if the page shows a copy that is smaller than the image."""
    name: str = ""
    largest: bytes = b""

    @property
    def cost(self) -> int:
        """Return the number of bytes that it takes."""
        return 4 * ((len(self.code) + 2) // 3) + AROUND

    @property
    def width(self) -> float:
        return self.place[2] - self.place[0]

    @property
    def height(self) -> float:
        return self.place[3] - self.place[1]

    @property
    def url(self) -> UnshortenedText:
        """Return the bytes as a data URL."""
        return UnshortenedText(f"data:{self.mime};base64,{base64.b64encode(self.code).decode('ascii')}")


class ImagePool:
    """The images of one page."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int, Region | None], HeldImage] = {}
        self._left_out: set[str] = set()

    def add(self, sha: str, data: bytes, side: int, region: Region | None = None) -> HeldImage:
        """Hold an image, or a part of it in its own pixels, with sides of at most `side` pixels. A larger copy in the pool is reused.

        Raises BadPicture.
        """
        larger = (k for k in self._held if region is None and k[0] == sha and k[1] >= side and k[2] is None)
        key = next(larger, (sha, side, region))
        return self._held[key] if key in self._held else self._kept(key, _held(data, side, region))

    def hold(self, sha: str, image: Image, place: Region) -> HeldImage:
        """Hold pixels without loss: a part of an image, or a drawing. They are reduced only if the budget requires it."""
        key = sha, max(image.size), place
        if key in self._held:
            return self._held[key]
        out = io.BytesIO()
        image.save(out, "WEBP", lossless=True, quality=50, method=2)
        return self._kept(key, HeldImage(out.getvalue(), MIME["webp"], place, max(image.size), scaled=False))

    def _kept(self, key: tuple[str, int, Region | None], held: HeldImage) -> HeldImage:
        held.name, held.largest = f"p{len(self._held) + 1}", held.code
        self._held[key] = held
        return held

    @property
    def cost(self) -> int:
        """Return the number of bytes that all images take now."""
        return sum(held.cost for held in self._held.values())

    @property
    def left_out(self) -> frozenset[str]:
        """Return the references of images that were left out."""
        return frozenset(f"#{name}" for name in self._left_out)

    def fit(self, room: int) -> None:
        """Make the images smaller until all of them take at most `room` bytes. Leave some out only if nothing else helps."""
        self._left_out.clear()
        for share, quality in STEPS:
            for held in self._held.values():
                held.code = held.largest if share == 1 else _smaller(held, share, quality)
            total = self.cost
            if total <= room:
                return
        for held in sorted(self._held.values(), key=lambda one: rank(0, one.name), reverse=True):
            total -= held.cost
            self._left_out.add(held.name)
            if total <= room:
                return

    def prints(self) -> list[HeldImage]:
        """Return every image that has room."""
        return [held for held in self._held.values() if held.name not in self._left_out]


def _held(data: bytes, side: int, region: Region | None) -> HeldImage:
    head = sniff(data)
    fits = 0 < head.width <= side and 0 < head.height <= side
    if region is None and fits and head.codec in WEB and len(data) <= ORIGINAL_BYTES:
        return HeldImage(data, MIME[head.codec], (0, 0, head.width, head.height), side, scaled=False)
    with open_picture(data) as image:
        width, height = image.size
    with decoded(data) if region is not None else _drafted(data, side) as image:
        place = (0.0, 0.0, float(width), float(height)) if region is None else _inside(region, width, height)
        part = image if region is None else image.crop(place)
        scaled = max(place[2] - place[0], place[3] - place[1]) > side
        return HeldImage(as_webp(part, side, STEPS[0][1]), MIME["webp"], place, side, scaled)


def _drafted(data: bytes, side: int) -> Image:
    """Return an image decoded at the least sufficient size, if its format supports that."""
    image = open_picture(data)
    image.draft("RGB", (side, side))
    try:
        image.load()
    except Exception as error:  # Pillow raises many kinds of errors for a damaged file
        image.close()
        raise BadPicture(f"image does not decode ({type(error).__name__}: {error})") from None
    return image


def _inside(region: Region, width: int, height: int) -> Region:
    x1, y1, x2, y2 = (float(round(v)) for v in region)
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        raise BadPicture("a part that is not in the picture")
    return x1, y1, x2, y2


def _smaller(held: HeldImage, share: float, quality: int) -> bytes:
    """Return a smaller version of the largest copy, or the copy itself if that would not save bytes."""
    side = max(16, round(held.side * share))
    with decoded(held.largest) as image:
        made = as_webp(image, min(side, max(image.size)), quality)
    return min(made, held.code, key=len)


# ---------------------------------------------------------------- the images of a question, compared with the ledger


QUERY_SIDE = 320
SCREEN_SIDE = 800
CUT_SIDE = 360
EXAMPLE_SIDE = 96
SCALED = "smaller on this page"


class PagePictures:
    """The images of one question, put into a pool after comparing them with what the ledger says was sent."""

    def __init__(self, pool: ImagePool, gallery: Gallery, sample: Sample, answer: Answer | None) -> None:
        self._pool, self._gallery, self._sample, self._answer = pool, gallery, sample, answer

    def query(self, picture: Picture, at: int) -> GalleryPicture:
        """Return the image that the question is about. A screen is larger, with parts of it in its own pixels."""
        regions = self._gallery.regions(self._sample, self._answer)
        shown = self._show(picture, at, QUERY_SIDE if regions is None else SCREEN_SIDE)
        if regions is None or shown.url is None or SCALED not in shown.note:
            return shown
        return shown._replace(cuts=tuple(self._cut(picture.data, region) for region in regions))

    def example(self, picture: Picture, at: int) -> GalleryPicture:
        """Return an image of an example."""
        return self._show(picture, at, EXAMPLE_SIDE)

    def _show(self, picture: Picture, at: int, side: int) -> GalleryPicture:
        note = ledger_note(picture, at, self._answer, sent_in_parts=self._gallery.sent_in_parts)
        if note.startswith(MISSING):
            return GalleryPicture(None, "", note)
        try:
            held = self._pool.add(hashlib.sha256(picture.data).hexdigest(), picture.data, side)
        except SnellenError as error:
            return GalleryPicture(None, "", f"{MISSING}{one_line(str(error), 160)}")
        note = "; ".join([note, *([SCALED] if held.scaled else [])])
        return GalleryPicture(UnshortenedText(f"#{held.name}"), "", note, width=held.width, height=held.height)

    def _cut(self, data: bytes, region: Region) -> UnshortenedText | None:
        """Return a part of an image in its own pixels (or at most `CUT_SIDE` of them), or None if it is not available."""
        try:
            return UnshortenedText(f"#{self._pool.add(hashlib.sha256(data).hexdigest(), data, CUT_SIDE, region).name}")
        except SnellenError:
            return None
