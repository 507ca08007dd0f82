"""Scorers tell how well a text fits a picture. The engine holds captions against pictures with them, between answering and marking.

A scorer is neither subject nor benchmark: it gives vectors, and knows nothing of questions or truths. It may use what
`subjects.local` has for finding and loading models.
"""

from __future__ import annotations

from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.core.scorer import Scorer

SIGLIP = "google/siglip-so400m-patch14-384"
TINY = "tiny-siglip"
MODES = ("trained", "original")
FORMS = {
    "siglip": f"SigLIP, {SIGLIP}, as the D3 paper (extra local; fetched from the hub at first use)",
    "siglip:NAME": "any SigLIP, SigLIP 2 or CLIP checkpoint, by hub name or folder (extra local)",
    TINY: "a few MB, shipped with Snellen, trained on its synthetic scenes and good for nothing else (extra local)",
}
NOT_FOR_PHOTOGRAPHS = (
    "trained on drawn scenes alone; its scores on photographs mean nothing (--scorer siglip is the real one)"
)


def is_tiny(name: str) -> bool:
    """Whether a scorer is the packaged one, in whatever mode."""
    return name in (TINY, *(f"{TINY}-{mode}" for mode in MODES))


def build(spec: str, *, mode: str = "trained", device: str = "auto", cache: Path | None = None) -> Scorer:
    """A scorer by name. `cache` is the folder that keeps vectors between runs."""
    from snellen.scorers.cache import Cached, Vectors
    from snellen.scorers.dual import DualEncoder
    from snellen.subjects.local.source import packaged

    if mode not in MODES:
        raise SnellenError(f"--scorer-mode {mode}: choose from {', '.join(MODES)}")
    kind, _, checkpoint = spec.partition(":")
    if spec == TINY:
        model = DualEncoder(TINY, packaged(TINY), mode, device)
    elif kind == "siglip":
        model = DualEncoder(spec, checkpoint or SIGLIP, mode, device)
    else:
        raise SnellenError(f"unknown scorer '{spec}': choose from {', '.join(FORMS)}")
    return Cached(model, Vectors(cache)) if cache is not None else model
