"""The contract of who compares texts with pictures, and of how such a scorer is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
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


class Embedded(NamedTuple):
    """Vectors of texts, of length 1 each, and whether a text was cut to fit the model."""

    vectors: Sequence[Sequence[float]]
    truncated: Sequence[bool]


class Scorer(Interface):
    """Tells how well texts and pictures go together: their vectors' inner product."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def texts(self, texts: Sequence[str]) -> Embedded:
        """The vectors of texts."""

    def images(self, images: Sequence[bytes]) -> Sequence[Sequence[float]]:
        """The vectors of image files, of length 1 each."""


class ScorerKind:
    """A kind of scorer, found by its name in the entry point group `snellen.scorers`: `NAME` or `NAME:CHECKPOINT`."""

    forms: Mapping[str, str] = {}
    """Spellings and what they mean, for `snellen list scorers`."""
    doubt: str = ""
    """What to say where it scores photographs that it was not made for."""

    def build(self, spec: str, *, mode: str, device: str = "auto", cache: Path | None = None) -> Scorer:
        """A scorer. `cache` is a folder that may keep vectors between runs."""
        raise SnellenError(f"the scorer {spec} cannot be built")
