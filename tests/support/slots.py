"""A second generator, built differently from `wrapping`: a reply is assembled slot by slot, each chosen independently.

The slots are an opening, the evidence, the words that name an answer, marks around it, a joint and a reason. For exams that ask for an
answer and an explanation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from tests.support.wrapping import Said, Topic

OPENINGS = (
    *("", "", "", "", "Sure!\n", "Certainly. ", "Thank you for the image. ", "Great, let's look. ", "Hello! ", "Here's my analysis.\n\n"),
    *("Let's think step by step.\n", "Okay, so ", "Alright: ", "*Thinking it over*... ", "Hmm, ", "### Response\n", "[Assistant] "),
    *("Model output: ", "> ", "Output:\n"),
)  # fmt: skip
GROUNDS = (
    *("", "", "", "", "Looking closely at the photo, ", "From the visual cues, ", "Considering the scene, ", "In this photograph, "),
    *("Judging from the picture, ", "As can be seen, ", "As shown in the image, ", "Given what is visible, ", "According to the image, "),
    *("After examining the image, ", "Based on what I see, "),
)  # fmt: skip
NAMINGS = (
    *("X!", "X!", "X!", "the answer is X!", "the answer would be X!", "I'd say X!", "I would answer X!", "my answer is X!"),
    *("I believe the answer is X!", "it seems to be X!", "it must be X!", "it is probably X!", "I conclude that it is X!"),
    *("the most plausible answer is X!", "the correct response is X!", "we can say it is X!", "it's definitely X!", "Answer \u2192 X!"),
    *("ANSWER: X!", "Final Answer - X!", "I will go with X!", "I'm going with X!", "I'm confident it's X!", "that would be X!"),
)  # fmt: skip
MARKS = (
    *("X!", "X!", "X!", "**X!**", "*X!*", '"X!"', "'X!'", "`X!`", "\u201cX!\u201d", "__X!__", "<b>X!</b>", "\u00abX!\u00bb", "(X!)"),
    *("[X!]", "<X!>", "\\boxed{X!}", "$\\boxed{\\text{X!}}$", "\\textbf{X!}", "***X!***"),
)  # fmt: skip
JOINTS = (
    *(" because E!.", " because E!", ", because E!.", ". Because E!.", " since E!.", ", since E!.", ", as E!.", " \u2014 E!."),
    *(" \u2013 because E!.", " - E!.", " (because E!).", ". This is because E!.", ". The reason is that E!.", ", given that E!."),
    *(", considering that E!.", ".\n\nExplanation: E!.", "\nBecause E!.", "\n\n**Explanation:** E!.", ".\nReason: E!."),
    *(", due to the fact that E!.", "; E!.", "", ".", " because E!. Let me know if you need more details!", ": E!.", ", seeing that E!."),
    *(". Rationale: E!.", ". Why? Because E!."),
)  # fmt: skip
TWISTS = (
    *("X!", "X!", "X!", "X!", "X!", "X!", "X!, not Y!", "not Y! but X!", "X! rather than Y!", "Y!... no, wait, X!", "Y!. Hold on, X!"),
    *("Y! - correction: X!", "Y!, sorry, I mean X!", "Y!. Actually, X!"),
)  # fmt: skip
NOTHINGS = (
    *("It is not X!.", "It might be X! or Y!.", "I really can't say whether it's X! or Y!.", "Neither X! nor Y!.", "<think>X! because E!"),
    *("<think>So the answer is X!.\n\nAnswer: X!", "X!? Y!? Hard to say.", "It could be X!, or it could be Y!.", "I don't think it is X!."),
    *("Definitely not X! because E!.", "The image is too dark to tell if it is X!.", "Is it X!?", "I'm sorry, I can't tell if it's X!."),
    *("Possible answers: X!, Y!.", "I would not say X! because E!."),
)  # fmt: skip
_CASES: tuple[Callable[[str], str], ...] = (str, str, str, str.capitalize, str.upper, str.lower)


def say(topic: Topic, rng: random.Random, nothing: bool) -> Said:
    """Return one reply about a topic."""
    answer, other = topic.answers[0], rng.choice(topic.others)
    if nothing:
        form = rng.choice(NOTHINGS)
        reply = rng.choice(OPENINGS[:8]) + form if form[0] in "XI" else form
        return Said(_filled(reply, answer, other, topic.because), False, form, topic)
    said = rng.choice(TWISTS).replace("X!", rng.choice(_CASES)(answer)).replace("Y!", other)
    form = (
        rng.choice(OPENINGS)
        + rng.choice(GROUNDS)
        + rng.choice(NAMINGS).replace("X!", rng.choice(MARKS))
        + rng.choice(JOINTS)
    )
    before = f"<think>maybe {other}, hmm {answer}</think>\n" if rng.random() < 0.15 else ""
    return Said(before + _filled(form, said, other, topic.because), True, form, topic)


def _filled(form: str, answer: str, other: str, because: str) -> str:
    return form.replace("E!", because).replace("X!", answer).replace("Y!", other)


def generate(
    make: Callable[[random.Random], Topic], count: int, seed: int = 0, _skip: Sequence[str] = ()
) -> Iterator[Said]:
    """Yield replies, every seventh without an answer."""
    rng = random.Random(seed)
    for i in range(count):
        yield say(make(rng), rng, i % 7 == 0)
