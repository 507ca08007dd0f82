"""Single samples on the page, and how an exam may show its own: the types shared by `present` and an exam's `gallery.py`.

A gallery is data and the name of a template. The page escapes all template output, so an exam cannot put markup into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from snellen.core.scorer import Evidence
from snellen.core.types import Answer, Mark, Sample

KINDS = {
    "disagree": "protocols disagree",
    "no-answer": "no answer",
    "wrong": "wrong",
    "correct": "correct",
}
FAILURES_FIRST = ("wrong", "no-answer", "disagree", "correct")
Region = tuple[float, float, float, float]


class UnshortenedText(str):
    """A text that the page must not shorten."""

    __slots__ = ()


class Pick(NamedTuple):
    """A chosen sample with its marks under each protocol of one prompt."""

    kind: str
    part: str
    id: str
    prompt: str
    marks: dict[str, Mark]


class GalleryPicture(NamedTuple):
    """An image on the page, or the reason why there is none (`url` None).

    The page holds every image once, in the units of the image's own pixels. `url` is its address (`#p12`), for a `<use>` in an SVG whose
    viewBox is `width` by `height`. `beside` are the images that the same question shows before it. `cuts` are the requested
    regions, stored the same way in the image's own pixels, if the page has only a smaller copy of it.
    """

    url: UnshortenedText | None
    alt: str
    note: str
    beside: tuple[GalleryPicture, ...] = ()
    cuts: tuple[UnshortenedText | None, ...] = ()
    width: float = 0.0
    height: float = 0.0

    @property
    def all(self) -> tuple[GalleryPicture, ...]:
        """Every image of the question, in order."""
        return (*self.beside, self)


class GalleryItem(NamedTuple):
    """Everything that the gallery shows of one sample."""

    pick: Pick
    tags: dict[str, str]
    truth: Any
    answer: Answer
    prompt: list[str | GalleryPicture]
    system: str | None
    query: GalleryPicture
    facts: dict[str, Any]

    @property
    def sample(self) -> Sample:
        """The sample without images."""
        return Sample(id=self.pick.id, tags=self.tags, truth=self.truth, facts=self.facts)


class GalleryFacts(NamedTuple):
    """The facts of a run that a gallery may use.

    `evidence` gives the scorers' evidence on an answer, by sample id and prompt. `doubt` gives a warning, by the scorer's name, if its
    scores are not meaningful on this run's data. `protocols` are the run's, the main one first.
    """

    synthetic: bool
    evidence: Callable[[str, str], Evidence | None]
    doubt: Callable[[str], str] = lambda _scorer: ""
    protocols: tuple[str, ...] = ()


class GalleryView(NamedTuple):
    """A gallery's input for its templates: `each` goes to the item's template, `common` to the one above the items.

    `orders` has each item's place under each of the gallery's `sorts`.
    """

    each: Sequence[Any] = ()
    common: Any = None
    orders: Sequence[Mapping[str, int]] = ()


class Gallery:
    """The way the page shows samples. The default shows images, prompt, reply and marks; an exam overrides the differences."""

    template: str = "plain.html"
    """The template of one item. It gets `item` and `own`, the item's value from `view`. If that is None, the plain template is used."""
    above: str = ""
    """A template above the items; it gets `common`."""
    package: str = "snellen.present.html"
    """The package whose folder `templates` has the templates."""
    kinds: Sequence[str] = tuple(KINDS)
    """The order in which kinds of samples are chosen."""
    first: str = "first where protocols disagree, then non-answers, wrong and correct ones"
    """The order of the items, in words."""
    sorts: Mapping[str, str] = {}
    """Other orders that a reader may choose, and their names; offered if `view` gives the items' places under them."""

    sent_in_parts: bool = False
    """True if subjects may send only parts of an image, so that the ledger does not have the whole."""

    def hardness(self, sample_id: str, prompt: str) -> float | None:
        """Return the rank that decides which samples of a kind are shown, lowest first; None for a seeded draw."""
        return None

    def regions(self, sample: Sample, answer: Answer | None) -> Sequence[Region] | None:
        """Return the parts of the image to show in its own pixels; None if the image is not a screenshot."""
        return None

    def arranged(self, items: Sequence[GalleryItem]) -> list[GalleryItem]:
        """Return the items in display order."""
        return list(items)

    def view(self, items: Sequence[GalleryItem]) -> GalleryView:
        """Return the values for the templates."""
        return GalleryView([None for _ in items], None, [{} for _ in items])


def ranks(values: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return the place of each value in order, from 1; equal values keep their order.

    >>> ranks([(3,), (1,), (3,)])
    [2, 1, 3]
    """
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    places = [0] * len(values)
    for place, i in enumerate(order, 1):
        places[i] = place
    return places
