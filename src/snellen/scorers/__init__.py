"""Scorers tell how well a text fits a picture. The engine holds captions against pictures with them, between answering and marking.

A scorer is neither subject nor exam: it gives vectors, and knows nothing of questions or truths. Kinds of scorers are found by name
in the entry point group `snellen.scorers`, ours and yours alike: `NAME` or `NAME:CHECKPOINT`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from snellen.core.errors import SnellenError, unknown
from snellen.core.scorer import MODES, Scorer, ScorerKind
from snellen.core.text import one_line

GROUP = "snellen.scorers"
FOR_SYNTHETIC = "tiny-siglip"
"""The scorer of synthetic data, where the user names none."""


def found() -> dict[str, EntryPoint]:
    """Every kind of scorer by its name, not loaded yet."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name)}


def kind(name: str) -> ScorerKind:
    """A kind of scorer by its name; an unknown one is an error that says which there are."""
    every = found()
    if name not in every:
        raise unknown("scorer", name, every)
    try:
        loaded = every[name].load()
    except Exception as error:  # of a package that is not ours
        said = one_line(f"{type(error).__name__}: {error}", 200)
        raise SnellenError(f"scorer {name} ({every[name].value}) does not load: {said}") from error
    if not isinstance(loaded, ScorerKind):
        raise SnellenError(f"scorer {name}: {every[name].value} is no ScorerKind")
    return loaded


def forms() -> dict[str, str]:
    """All spellings and what they mean."""
    return {spelling: about for name in found() for spelling, about in kind(name).forms.items()}


def build(spec: str, *, mode: str = "trained", device: str = "auto", cache: Path | None = None) -> Scorer:
    """A scorer by name. `cache` is the folder that keeps vectors between runs."""
    from snellen.scorers.cache import Cached, Vectors

    if mode not in MODES:
        raise SnellenError(f"--scorer-mode {mode}: choose from {', '.join(MODES)}")
    scorer = kind(spec.partition(":")[0]).build(spec, mode=mode, device=device)
    return Cached(scorer, Vectors(cache)) if cache is not None else scorer


def doubt(name: str) -> str:
    """What to say of a scorer's scores on real data, where they mean nothing. `name` is the one that a run has for it, with its mode."""
    plain, every = name.partition(":")[0], found()
    for one in (plain, *(plain.removesuffix(f"-{mode}") for mode in MODES)):
        if one in every:
            return kind(one).doubt
    return ""
