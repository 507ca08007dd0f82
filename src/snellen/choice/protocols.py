"""Mark choices: `robust`, our reader, and `exact`, as a strict script would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from snellen.choice.reading import exact_choice, read_choice, takes_back
from snellen.core.protocol import TEXT_ALONE, Protocol, ReplyContext, Seen, Verdict
from snellen.core.reply import finished, says_only, spoken
from snellen.core.results import Metric
from snellen.core.types import Mark, Metrics, Sample

Read = Callable[[str, Sample], Any]


class ChoiceProtocol(Protocol):
    """One way to read a reply; marks are by the option's text, whatever letter it had."""

    headline = "accuracy"
    metrics: tuple[Metric, ...] = (Metric(name="accuracy", label="accuracy"),)

    def __init__(self, name: str, about: str, read: Read, version: str = "1") -> None:
        super().__init__(name, about, version=version)
        self._answer = read

    def score(self, read: Any, sample: Sample) -> Metrics:
        """Score an answer, or None for a missing one."""
        return {"accuracy": float(read is not None and read == sample.truth)}

    def is_bare(self, text: str, sample: Sample) -> bool:
        """Tell whether a text is an answer and hardly a word more."""
        read = self._answer(text, sample)
        return says_only(text, read if isinstance(read, list) else [str(read)] if read is not None else [])

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        if context.cut:
            closed = bool(sample.facts.get("options")) and sample.tags.get("task") != "labels"  # a list may go on
            kept = finished(reply, lambda text: self.is_bare(text, sample), closed=closed)
            reply = "" if kept and takes_back(spoken(reply).rpartition(kept)[2].casefold()) else kept
        read = self._answer(reply, sample)
        metrics = self.score(read, sample)
        return Verdict(read, read is not None, metrics["accuracy"] == 1.0, metrics)

    def blank(self, sample: Sample) -> Metrics:
        return self.score(None, sample)

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        """Return the kept part of a mark. Questions about the same picture stand or fall together."""
        shown = sample.facts.get("image", "")
        values = {k: v for k, v in mark.metrics.items() if isinstance(v, float)}
        return Seen(values, mark.outcome, shown if isinstance(shown, str) else "\x1f".join(shown))


def _robust(reply: str, sample: Sample) -> str | None:
    return read_choice(reply, tuple(sample.facts["options"]))


def _exact(reply: str, sample: Sample) -> str | None:
    return exact_choice(reply, tuple(sample.facts["options"]))


PROTOCOLS = {
    p.name: p
    for p in (
        ChoiceProtocol("robust", "a letter or an option's text, whatever stands around it", _robust, version="3"),
        ChoiceProtocol("exact", "nothing but the letter or the option's text", _exact, version="3"),
    )
}
