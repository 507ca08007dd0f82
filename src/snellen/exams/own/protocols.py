"""How replies to one's own questions are read and marked: `robust`, our reader, and `exact`, as a strict script would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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


class Readers(NamedTuple):
    """How answers of each kind are read."""

    choice: Callable[[str, Sequence[str]], str | None]
    labels: Callable[[str, Sequence[str]], list[str] | None]
    number: Callable[[str], float | None]
    text: Callable[[str], str | None]

    def read(self, reply: str, sample: Sample) -> Any:
        """The answer in a reply, of the sample's kind; None where there is none."""
        kind = sample.tags["task"]
        if kind in ("choice", "labels"):
            read: Callable[[str, Sequence[str]], Any] = self.choice if kind == "choice" else self.labels
            return read(reply, tuple(sample.facts["options"]))
        return self.number(reply) if kind == "number" else self.text(reply)


ROBUST = Readers(choice.read_choice, choice.read_labels, reading.read_number, reading.read_text)
EXACT = Readers(choice.exact_choice, choice.exact_labels, reading.exact_number, lambda reply: reply.strip() or None)


def score(read: Any, sample: Sample) -> Metrics:
    """What an answer scores. For several labels `accuracy` wants all of them and no other; F1 says how near it is."""
    kind, truth = sample.tags["task"], sample.truth
    if kind == "labels":
        said, true = set(read or ()), set(truth or ())
        hit = len(said & true)
        return {"accuracy": float(bool(true) and said == true), "f1": 2 * hit / (len(said) + len(true)) if hit else 0.0}
    if read is None or truth is None:
        return {"accuracy": 0.0}
    if kind == "number":
        allowed = float(sample.facts.get("tolerance", 0.0))
        return {"accuracy": float(abs(read - truth) <= allowed + 1e-9 * max(1.0, abs(truth)))}
    if kind == "text":
        return {"accuracy": float(signed(read) in set(map(signed, truth)))}
    return {"accuracy": float(read == truth)}


class _OwnProtocol(ChoiceProtocol):
    """One way to read answers of every kind."""

    metrics = METRICS
    extras = (MetricRoles(reported=("accuracy", "f1")),)

    def __init__(self, name: str, about: str, readers: Readers) -> None:
        super().__init__(name, about, readers.read, version="4")

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
