"""An arm of a run: a prompt, and the control that alters its questions, if any. Files write it as `PROMPT` or `PROMPT+CONTROL`."""

from __future__ import annotations

from typing import NamedTuple

CONTROLS = {
    "none": "no image",
    "blank": "a grey image of the same size",
    "shuffled": "another sample's image",
    "options": "the options in another order",
    "swapped": "the pictures in the other order",
}
"""What each control does to a question, for people."""


class Arm(NamedTuple):
    """What is asked of every sample: a prompt as it is, or under a control.

    >>> Arm.parse("question+blank"), str(Arm("question")), Arm("question").under("none").text
    (Arm(prompt='question', control='blank'), 'question', 'question+none')
    """

    prompt: str
    control: str = ""

    @classmethod
    def parse(cls, text: str) -> Arm:
        """The arm that a file or a user names."""
        prompt, _, control = text.partition("+")
        return cls(prompt, control)

    @property
    def text(self) -> str:
        """As files and tables write it."""
        return f"{self.prompt}+{self.control}" if self.control else self.prompt

    @property
    def plain(self) -> Arm:
        """The prompt without its control."""
        return Arm(self.prompt)

    def under(self, control: str) -> Arm:
        """The same prompt under a control."""
        return Arm(self.prompt, control)

    @property
    def about(self) -> str:
        """What the control does, for people; nothing for a prompt as it is."""
        return f"'{self.prompt}' with {CONTROLS.get(self.control, self.control)}" if self.control else ""

    def __str__(self) -> str:
        return self.text
