"""The two protocols for a user's own questions: `robust`, our reader, and `exact`, like a strict script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from snellen.choice import reading as choice
from snellen.choice.protocols import ChoiceProtocol
from snellen.core.protocol import MetricRoles
from snellen.core.results import Metric
from snellen.core.types import Metrics, Sample
from snellen.exams.own import reading
from snellen.stats.vqa_words import signed

METRICS = (
    Metric(name="accuracy", label="accuracy"),
    Metric(name="f1", label="F1 (labels)"),
)


Readers = Mapping[str, Callable[..., Any]]
"""The readers for answers of each kind; readers for questions with options also get the options."""

ROBUST: Readers = {
    "choice": choice.read_choice,
    "labels": choice.read_labels,
    "number": reading.read_number,
    "text": reading.read_text,
}
EXACT: Readers = {
    "choice": choice.exact_choice,
    "labels": choice.exact_labels,
    "number": reading.exact_number,
    "text": lambda reply: reply.strip() or None,
}


def _read(readers: Readers, reply: str, sample: Sample) -> Any:
    """Return the answer in a reply, read as the sample's kind; None if there is none."""
    read, options = readers[sample.tags["task"]], sample.facts.get("options")
    return read(reply) if options is None else read(reply, tuple(options))


def score(read: Any, sample: Sample) -> Metrics:
    """Return the scores of an answer. For several labels, `accuracy` wants all of them and no other; F1 shows how close the answer is."""
    kind, truth = sample.tags["task"], sample.truth
    if kind == "labels":
        said, true = set(read or ()), set(truth or ())
        hit = len(said & true)
        return {"accuracy": float(bool(true) and said == true), "f1": 2 * hit / (len(said) + len(true)) if hit else 0.0}
    if read is None or truth is None:
        return {"accuracy": 0.0}
    if kind == "number":
        allowed = float(sample.facts.get("tolerance", 0.0))
        return {"accuracy": float(abs(read - truth) <= allowed + 1e-9 * max(allowed, abs(truth)))}
    if kind == "text":
        return {"accuracy": float(signed(read) in set(map(signed, truth)))}
    return {"accuracy": float(read == truth)}


class _OwnProtocol(ChoiceProtocol):
    """One protocol, with a reader for answers of each kind."""

    metrics = METRICS
    extras = (MetricRoles(reported=("accuracy", "f1")),)

    def __init__(self, name: str, about: str, readers: Readers) -> None:
        super().__init__(name, about, partial(_read, readers), version="5")

    def is_bare(self, text: str, sample: Sample) -> bool:
        if sample.tags["task"] in ("number", "text"):
            return len(text.split()) == 1 and self._answer(text, sample) is not None
        return super().is_bare(text, sample)

    def score(self, read: Any, sample: Sample) -> Metrics:
        return score(read, sample)


PROTOCOLS = {
    p.name: p
    for p in (
        _OwnProtocol(
            "robust", "a letter, an option's text, a number or a short answer, whatever stands around it", ROBUST
        ),
        _OwnProtocol("exact", "nothing but the letter or the option's text, the number, the accepted words", EXACT),
    )
}
