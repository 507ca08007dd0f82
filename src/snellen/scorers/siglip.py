"""The kinds of scorers that come with Snellen: SigLIP, as the D3 paper has it, and a tiny one for synthetic scenes."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.core.errors import SnellenError
from snellen.core.scorer import Scorer, ScorerKind

CHECKPOINT = "google/siglip-so400m-patch14-384"
TINY = "tiny-siglip"


class _Siglip(ScorerKind):
    """The checkpoint of the paper, or another one by hub name or folder."""

    forms: Mapping[str, str] = {
        "siglip": f"SigLIP, {CHECKPOINT}, as the D3 paper (extra local; fetched from the hub at first use)",
        "siglip:NAME": "any SigLIP, SigLIP 2 or CLIP checkpoint, by hub name or folder (extra local)",
    }

    def build(self, spec: str, *, mode: str, device: str = "auto") -> Scorer:
        from snellen.scorers.dual import DualEncoder

        return DualEncoder(spec, spec.partition(":")[2] or CHECKPOINT, mode, device)


class _TinySiglip(ScorerKind):
    """The packaged checkpoint, which needs no device but the processor."""

    forms: Mapping[str, str] = {
        TINY: "a few MB, shipped with Snellen, trained on its synthetic scenes and good for nothing else (extra onnx, which local and ocr "
        "have, too)"
    }
    doubt = "trained on drawn scenes alone; its scores on photographs mean nothing (--scorer siglip is the real one)"

    def build(self, spec: str, *, mode: str, device: str = "auto") -> Scorer:
        from snellen.scorers.tiny import TinyDual

        if spec != TINY:
            raise SnellenError(f"--scorer {spec}: {TINY} has one checkpoint; name others with siglip:NAME")
        return TinyDual(TINY, mode)


SIGLIP = _Siglip()
TINY_SIGLIP = _TinySiglip()
