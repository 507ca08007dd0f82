"""Multiple choice as a library: letters, a prompt, readers, options in another order, and the floor of guessing from the text alone.

An exam of multiple-choice questions extends `ChoiceExam` (docs/examples/blink.py); others use the parts that they need.
"""

from snellen.choice.exam import ChoiceExam, choice_sample
from snellen.choice.letters import LETTERS, letter_place, lettered
from snellen.choice.order import new_order, reordered
from snellen.choice.protocols import ChoiceProtocol
from snellen.choice.reading import exact_choice, exact_labels, read_choice, read_labels

__all__ = [
    "LETTERS",
    "ChoiceExam",
    "ChoiceProtocol",
    "choice_sample",
    "exact_choice",
    "exact_labels",
    "letter_place",
    "lettered",
    "new_order",
    "read_choice",
    "read_labels",
    "reordered",
]
