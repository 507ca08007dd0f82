"""The contract of who compares texts with pictures, and of how such a scorer is found."""

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
"""How a scorer may treat texts."""


class Similarities(NamedTuple):
    """What one scorer says of a reply: how well each text (a row) fits each picture (a column), in the order shown.

    `truncated` says of each text whether it was cut to fit the model.
    """

    scorer: str
    table: Sequence[Sequence[float]]
    truncated: Sequence[bool] = ()


Evidence = Sequence[Similarities]
"""What the scorers of a run say of a reply; the first decides the headline."""


class EmbeddedTexts(NamedTuple):
    """Vectors of texts, of length 1 each, and whether a text was cut to fit the model."""

    vectors: Sequence[Sequence[float]]
    truncated: Sequence[bool]


class Scorer(Interface):
    """Tells how well texts and pictures go together: their vectors' inner product."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that decides its vectors: they are kept under it."""

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        """The vectors of texts."""

    def images(self, images: Sequence[bytes]) -> Sequence[Sequence[float]]:
        """The vectors of image files, of length 1 each."""


class ScorerKind:
    """A kind of scorer, found by its name in the entry point group `snellen.scorers`: `NAME` or `NAME:CHECKPOINT`."""

    forms: Mapping[str, str] = {}
    """Spellings and what they mean, for `snellen list scorers`."""
    doubt: str = ""
    """What to say of its scores on real data, where it was made for synthetic data alone."""

    def build(self, spec: str, *, mode: str, device: str = "auto") -> Scorer:
        """The scorer that `NAME` or `NAME:CHECKPOINT` means; `mode` is one of MODES. Its vectors are kept for it between runs."""
        raise SnellenError(f"the scorer {spec} cannot be built")
