"""Scorers tell how well a text fits a picture. The engine uses them to compare captions with pictures, between answering and marking.

A scorer is neither a subject nor an exam: it gives vectors, and knows nothing of questions or truths. It is named `NAME` or
`NAME:CHECKPOINT`. The name finds its kind in the entry point group `snellen.scorers`, ours and yours alike.
"""

from __future__ import annotations

from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.core.scorer import MODES, Scorer, ScorerKind
from snellen.registry import Registry
from snellen.registry.plugins import SCORERS

_KINDS: Registry[ScorerKind] = Registry(SCORERS, "scorer", lambda plugins: plugins.scorers)
FOR_SYNTHETIC = "tiny-siglip"
"""The scorer of synthetic data, where the user names none."""


def forms() -> dict[str, str]:
    """Return the forms of scorer names, and the meaning of each."""
    return {form: about for name in _KINDS.names() for form, about in _KINDS.get(name).forms.items()}


def build(spec: str, *, mode: str = "trained", device: str = "auto", cache: Path | None = None) -> Scorer:
    """Build a scorer by name. `cache` is the folder that keeps vectors between runs."""
    from snellen.scorers.cache import CachedScorer, Vectors

    if mode not in MODES:
        raise SnellenError(f"--scorer-mode {mode}: choose from {', '.join(MODES)}")
    scorer = _KINDS.get(spec.partition(":")[0]).build(spec, mode=mode, device=device)
    return CachedScorer(scorer, Vectors(cache)) if cache is not None else scorer


def doubt(name: str) -> str:
    """Return a warning where a scorer's scores are not meaningful on real data. `name` is the run's name for it, with its mode."""
    plain, known = name.partition(":")[0], _KINDS.names()
    for one in (plain, *(plain.removesuffix(f"-{mode}") for mode in MODES)):
        if one in known:
            return _KINDS.get(one).doubt
    return ""
