"""Pictures for the page: the bytes that the model was sent where the ledger says so, or a copy scaled for the page."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Callable, Sequence

from snellen.core.gallery import Region, Shown, Whole
from snellen.core.images import MIME, sniff
from snellen.core.pixels import open_picture
from snellen.core.text import one_line
from snellen.core.types import Answer, ImageSent, Picture, Sample

WEB = frozenset({"png", "jpeg", "webp", "gif"})
MOST_BYTES = 250_000
MOST_PIXELS = 25_000_000
QUERY_SIDE = 640
SCREEN_SIDE = 1600
EXAMPLE_SIDE = 160
EXAMPLE_BYTES = 20_000
MISSING = "image not available: "
SCALED = "scaled for this page"
Regions = Callable[[Sample, Answer | None], Sequence[Region] | None]


class Pictures:
    """Pictures for the page, each encoded once, after comparing them with what the ledger says was sent.

    Subjects of some exams (`cuts_out`) may send parts of a picture only, so that the ledger does not have the whole.
    """

    def __init__(self, regions: Regions, cuts_out: bool = False) -> None:
        self._embedded: dict[tuple[str, int], Shown] = {}
        self._regions, self._cuts_out = regions, cuts_out

    def query(self, picture: Picture, sample: Sample, at: int, answer: Answer | None) -> Shown:
        """The image that the question is about; larger, and with parts of it in its own pixels, where it is a screen."""
        regions = self._regions(sample, answer)
        shown = self._show(picture, at, answer, QUERY_SIDE if regions is None else SCREEN_SIDE, MOST_BYTES)
        if regions is None or shown.url is None or SCALED not in shown.note:
            return shown
        return shown._replace(cuts=cut(picture.data, regions))

    def example(self, picture: Picture, name: str, at: int, answer: Answer | None) -> Shown:
        """The image of a few-shot example, small."""
        return self._show(picture, at, answer, EXAMPLE_SIDE, EXAMPLE_BYTES)._replace(alt=f"example {name}")

    def _show(self, picture: Picture, at: int, answer: Answer | None, side: int, most_bytes: int) -> Shown:
        sha = hashlib.sha256(picture.data).hexdigest()
        said = compare(sha, at, [c.images for c in answer.calls] if answer else [])
        if said.startswith(MISSING) and self._cuts_out:
            said = "from the data set; parts of it were sent"
        if said.startswith(MISSING):
            return Shown(None, "", said)
        if (sha, side) not in self._embedded:
            self._embedded[sha, side] = embed(picture.data, side, most_bytes)
        shown = self._embedded[sha, side]
        return shown if shown.url is None else shown._replace(note="; ".join(x for x in (said, shown.note) if x))


def compare(sha: str, at: int, sent: list[tuple[ImageSent, ...]]) -> str:
    """How picture number `at` of the question stands to the images that the ledger records, in words."""
    everything = [image for images in sent for image in images]
    if any(image.sha256 == sha for image in everything):
        return "as sent (the SHA-256 is the one in the ledger)"
    if not everything:
        return "from the data set; no image was sent to an endpoint"
    for images in sent:
        if at < len(images) and images[at].transforms:
            return f"from the data set; before sending: {', '.join(images[at].transforms)}"
    return f"{MISSING}the data set's image is not the one that was sent"


def embed(data: bytes, side: int = QUERY_SIDE, most_bytes: int = MOST_BYTES) -> Shown:
    """A picture as a data URL: the original bytes of a small web image, otherwise a copy scaled for the page."""
    head = sniff(data)
    if head.codec not in MIME:
        return Shown(None, "", MISSING + "not a known image format")
    if head.codec in WEB and len(data) <= most_bytes and 0 < head.width * head.height <= MOST_PIXELS:
        return Shown(_url(data, MIME[head.codec]), "", "")
    try:
        small, codec = _scaled(data, side)
    except Exception as error:  # Pillow has many ways to say that a file is damaged
        why = one_line(f"{type(error).__name__}: {error}", 120)
        return Shown(None, "", f"{MISSING}it does not decode ({why})")
    return Shown(_url(small, MIME[codec]), "", SCALED)


def cut(data: bytes, regions: Sequence[Region], side: int = QUERY_SIDE) -> tuple[Whole | None, ...]:
    """Parts of a picture in its own pixels (or `side` of them at most); None where a part cannot be had."""
    found: list[Whole | None] = []
    with open_picture(data) as image:
        for region in regions:
            x1, y1, x2, y2 = (round(v) for v in region)
            if not (0 <= x1 < x2 <= image.width and 0 <= y1 < y2 <= image.height):
                found.append(None)
                continue
            part = image.crop((x1, y1, x2, y2)).convert("RGB")
            part.thumbnail((side, side))
            out = io.BytesIO()
            part.save(out, "JPEG", quality=85)
            found.append(_url(out.getvalue(), MIME["jpeg"]))
    return tuple(found)


def _scaled(data: bytes, side: int) -> tuple[bytes, str]:
    with open_picture(data) as image:
        image.draft("RGB", (side, side))
        clear = "A" in image.getbands() or "transparency" in image.info
        copy = image.convert("RGBA" if clear else "RGB")
    copy.thumbnail((side, side))
    out = io.BytesIO()
    if clear:
        copy.save(out, "PNG")
    else:
        copy.save(out, "JPEG", quality=85)
    return out.getvalue(), "png" if clear else "jpeg"


def _url(data: bytes, mime: str) -> Whole:
    return Whole(f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}")
