"""What a reply is judged against: the parts of a Sample that marking uses, with types."""

from __future__ import annotations

from typing import NamedTuple

from snellen.core.types import Sample


class Target(NamedTuple):
    """A sample as the protocols see it. `marked` is false where the data has no truth; then a reply is read and no more.

    `answers` are the annotators' (VQA-X), the label (ACT-X, e-SNLI-VE) or the text of the right choice (VCR).
    """

    task: str
    marked: bool
    answers: tuple[str, ...] = ()
    label: int | None = None
    explanations: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()

    @property
    def right_choice(self) -> str | None:
        """The text of VCR's right choice; None where label or choices are not known."""
        return self.choices[self.label] if self.label is not None and self.label < len(self.choices) else None


def target_of(sample: Sample) -> Target:
    """The typed view of a sample."""
    truth = sample.truth if isinstance(sample.truth, dict) else {}
    return Target(
        task=sample.tags["task"],
        marked=sample.truth is not None,
        answers=tuple(truth.get("answers") or ()),
        label=truth.get("label"),
        explanations=tuple(truth.get("explanations") or ()),
        choices=tuple(sample.facts.get("choices") or ()),
        objects=tuple(sample.facts.get("objects") or ()),
    )
