"""A model's name: the same in every exam, or the label that a user gives it for tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from snellen.core.records import Manifest

WHOLE_PICTURE = "vlm/"
"""The prefix of a model's name if grounding shows it only the whole image: the model alone, as in other exams."""
_LABELS: ContextVar[Mapping[str, str] | None] = ContextVar("_LABELS", default=None)


def model_name(manifest: Manifest) -> str:
    """Return the name of a run's model: 'api/model-a', whatever the exam."""
    labels, spec = _LABELS.get() or {}, manifest.subject.spec
    name = spec.removeprefix(WHOLE_PICTURE)
    return labels.get(spec) or labels.get(name) or name


@contextmanager
def labelled(labels: Mapping[str, str]) -> Iterator[None]:
    """Show models under other names, given by their specs."""
    token = _LABELS.set({**(_LABELS.get() or {}), **labels})
    try:
        yield
    finally:
        _LABELS.reset(token)
