"""The contract of a scorer, which compares texts with images, and of how one is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from typing import Protocol as Interface

from snellen.core.errors import SnellenError
from snellen.core.options import Option

SCORERS = Option(
    "scorers",
    "Image-text models that score captions: siglip, siglip:NAME or DIR, tiny-siglip (default: siglip; for synthetic data tiny-siglip).",
    flags=("--scorer", "--scorers"),
    kind="words",
    default=(),
    metavar="S,...",
)
SCORER_MODE = Option(
    "scorer_mode",
    "trained: texts padded as the scorer was trained; original: unpadded, as the D3 script.",
    default="trained",
)


MODES = ("trained", "original")
"""The ways in which a scorer may treat texts."""


class Similarities(NamedTuple):
    """One scorer's similarities for a reply: how well each text (a row) fits each image (a column), in the order shown.

    `truncated` tells for each text whether it was cut to fit the model.
    """

    scorer: str
    table: Sequence[Sequence[float]]
    truncated: Sequence[bool] = ()


Evidence = Sequence[Similarities]
"""The evidence of a run's scorers on a reply; the first decides the headline."""


class EmbeddedTexts(NamedTuple):
    """Vectors of texts, of length 1 each, and whether each text was cut to fit the model."""

    vectors: Sequence[Sequence[float]]
    truncated: Sequence[bool]


class Scorer(Interface):
    """A measure of how well texts and images go together: their vectors' inner product."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides its vectors: they are stored under it."""

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Return the vectors of texts."""

    def images(self, images: Sequence[bytes]) -> Sequence[Sequence[float]]:
        """Return the vectors of image files, of length 1 each."""


class ScorerKind:
    """A kind of scorer, found by its name in the entry point group `snellen.scorers`: `NAME` or `NAME:CHECKPOINT`."""

    forms: Mapping[str, str] = {}
    """Spellings and their meanings, for `snellen list scorers`."""
    doubt: str = ""
    """A warning about its scores on real data, if it was made for synthetic data alone."""

    def build(self, spec: str, *, mode: str, device: str = "auto") -> Scorer:
        """Return the scorer that `NAME` or `NAME:CHECKPOINT` means; `mode` is one of MODES. Its vectors are stored between runs."""
        raise SnellenError(f"the scorer {spec} cannot be built")
