"""An arm of a run: a prompt, the control that alters its questions, if any, and the number of the repeat.

Files write it as `PROMPT` or `PROMPT+CONTROL`, and from the second repeat on with the number: `PROMPT#2`, `PROMPT+CONTROL#2`.
"""

from __future__ import annotations

from typing import NamedTuple

CONTROLS = {
    "none": "no image",
    "blank": "a grey image of the same size",
    "shuffled": "another sample's image",
    "options": "the options in another order",
    "swapped": "the pictures in the other order",
}
"""The effect of each control on a question, for people."""


class Arm(NamedTuple):
    """A way to ask every sample: a prompt as it is, or under a control.

    >>> Arm.parse("question+blank"), str(Arm("question")), Arm("question").under("none").text
    (Arm(prompt='question', control='blank', repeat=1), 'question', 'question+none')
    >>> Arm.parse("question+blank#3"), Arm("question", repeat=2).text
    (Arm(prompt='question', control='blank', repeat=3), 'question#2')
    """

    prompt: str
    control: str = ""
    repeat: int = 1

    @classmethod
    def parse(cls, text: str) -> Arm:
        """Parse an arm from a file or a user."""
        base, _, number = text.rpartition("#")
        repeat = int(number) if base and number.isdecimal() and int(number) > 1 else 1
        prompt, _, control = (base if repeat > 1 else text).partition("+")
        return cls(prompt, control, repeat)

    @property
    def text(self) -> str:
        """The arm as files and tables write it."""
        control = f"+{self.control}" if self.control else ""
        return f"{self.prompt}{control}#{self.repeat}" if self.repeat > 1 else f"{self.prompt}{control}"

    @property
    def plain(self) -> Arm:
        """The prompt without its control, asked for the first time."""
        return Arm(self.prompt)

    @property
    def first(self) -> Arm:
        """The same arm, asked for the first time."""
        return self._replace(repeat=1)

    def times(self, repeats: int) -> tuple[Arm, ...]:
        """Return the arm once for each repeat."""
        return tuple(self._replace(repeat=number) for number in range(1, repeats + 1))

    def under(self, control: str) -> Arm:
        """Return the same prompt under a control."""
        return Arm(self.prompt, control)

    @property
    def about(self) -> str:
        """The effect of the control, for people; empty for a prompt as it is."""
        return f"'{self.prompt}' with {CONTROLS.get(self.control, self.control)}" if self.control else ""

    def __str__(self) -> str:
        return self.text
