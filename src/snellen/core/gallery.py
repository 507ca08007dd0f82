"""What the page shows of single samples, and how an exam may show its own: the vocabulary between `present` and an exam's `gallery.py`.

A gallery is data and the name of a template. The page escapes whatever a template prints, so an exam cannot put markup into it.
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
    """A picture on the page, or why there is none (`url` None).

    The page holds every picture once, in the units of the picture's own pixels: `url` says where (`#p12`), for a `<use>` in an SVG whose
    viewBox is `width` by `height`. `beside` are the pictures that the same question shows before it. `cuts` are the regions that were
    asked for, held likewise and in the picture's own pixels, where the page has only a smaller copy of it.
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
        """Every picture of the question, in order."""
        return (*self.beside, self)


class GalleryItem(NamedTuple):
    """All that the gallery shows of one sample."""

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
        """The sample without pictures."""
        return Sample(id=self.pick.id, tags=self.tags, truth=self.truth, facts=self.facts)


class GalleryFacts(NamedTuple):
    """What a gallery may know of its run.

    `evidence` gives what scorers said of an answer, by sample id and prompt; `doubt` what to say of a scorer, by its name, whose
    scores mean nothing on this run's data (else nothing). `protocols` are the run's, the main one first.
    """

    synthetic: bool
    evidence: Callable[[str, str], Evidence | None]
    doubt: Callable[[str], str] = lambda _scorer: ""
    protocols: tuple[str, ...] = ()


class GalleryView(NamedTuple):
    """What a gallery makes of its items: `each` is handed to the item's template, `common` to the one above the items.

    `orders` has each item's place under each of the gallery's `sorts`.
    """

    each: Sequence[Any] = ()
    common: Any = None
    orders: Sequence[Mapping[str, int]] = ()


class Gallery:
    """How the page shows samples. The default shows pictures, prompt, reply and marks; an exam overrides what it does otherwise."""

    template: str = "plain.html"
    """The template of one item; it gets `item` and `own`, what `view` gave for it. The plain one where that is None."""
    above: str = ""
    """A template above the items; it gets `common`."""
    package: str = "snellen.present.html"
    """The package whose folder `templates` has them."""
    kinds: Sequence[str] = tuple(KINDS)
    """The order in which kinds of samples are chosen."""
    first: str = "first where protocols disagree, then non-answers, wrong and correct ones"
    """The order of the items, in words."""
    sorts: Mapping[str, str] = {}
    """Other orders that a reader may choose, and their names; offered where `view` gives the items' places under them."""

    sent_in_parts: bool = False
    """Whether subjects may send parts of a picture only, so that the ledger does not have the whole."""

    def hardness(self, sample_id: str, prompt: str) -> float | None:
        """What decides which samples of a kind are shown, lowest first; None for a seeded draw."""
        return None

    def regions(self, sample: Sample, answer: Answer | None) -> Sequence[Region] | None:
        """The parts of the picture that are shown in its own pixels; None where the picture is no screen."""
        return None

    def arranged(self, items: Sequence[GalleryItem]) -> list[GalleryItem]:
        """The items in the order in which they come."""
        return list(items)

    def view(self, items: Sequence[GalleryItem]) -> GalleryView:
        """What the templates are handed."""
        return GalleryView([None for _ in items], None, [{} for _ in items])


def ranks(values: Sequence[tuple[Any, ...]]) -> list[int]:
    """The place of each value in order, from 1; equal values keep the order that they have.

    >>> ranks([(3,), (1,), (3,)])
    [2, 1, 3]
    """
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    places = [0] * len(values)
    for place, i in enumerate(order, 1):
        places[i] = place
    return places
