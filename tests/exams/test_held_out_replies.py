"""A reply or two for each fault that a second, independent set of generated replies found."""

from __future__ import annotations

import pytest

from snellen.exams.d3.reading import text_of
from snellen.exams.d3.reading_labels import from_labels
from snellen.exams.grounding.reading.points import read_point
from snellen.exams.illusionbench.reading import answer_robust
from snellen.exams.salbench.reading import read_robust
from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.exams.vqa_nle.reading.strict import read_open

O3 = ("orientation", "color", "focus", "shape", "size", "location", "pattern")
CHOICES = (
    "He is angry with <det3>.",
    "They are waiting for a train.",
    "<det2> just told a joke.",
    "It is a birthday party.",
)


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        ("Short answer: Focus, Location.\nLong answer: one item is blurry.", {"focus", "location"}),
        ("Color.\n\nHmm, let me look again. One bar is tilted. It's orientation.", {"orientation"}),
        ("Ruling out size and shape, the only remaining choice is color.", {"color"}),
        ("The image is too blurry to answer.", set()),
        (
            "Given this list of low level visual features defined according to some theory: Orientation, Color, Size.",
            set(),
        ),
        ("Were the picture sharper, one could perhaps say color.", set()),
        ("Before answering size, I need to see the image.", set()),
        ("I wouldn't call it color, shape, focus.", set()),
    ],
)
def test_salbench(reply: str, labels: set[str]) -> None:
    assert read_robust(reply, O3) == labels


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("**Dolphin**\n\nThe overall silhouette is unmistakable. Dog would have a different outline.", "dolphin"),
        ("Fork would have a different outline. The shape formed by the scene is Bird.", "bird"),
        ("Step 1: I look.\nStep 2: It is not a dog.\n\nCat\n\nI hope this helps!", "cat"),
        ("I could pretend that it is a cat, but I cannot see the image.", None),
    ],
)
def test_illusionbench(reply: str, name: str | None) -> None:
    assert answer_robust(reply, "Illusion_IN", "shape") == name


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Respuesta: red", "red"),
        ("\u7b54\u6848\uff1ared", "red"),
        ("Die Antwort ist red.", "red"),
        ("A: in the street", "in the street"),
        ("USER: What is it?\nASSISTANT: pizza", "pizza"),
        ("<p><strong>Answer:</strong> zoo<br>The furniture shows this.</p>", "zoo"),
        ("I initially thought it was a dog, but looking closer, it is a frisbee.", "a frisbee"),
        ("We can rule out a laptop. That leaves umbrella.", "umbrella"),
        ("Eight would not fit what is shown. The number is four.", "four"),
        ("It is certainly not blue. I would say red.", "red"),
        ("Final decision: **red**", "red"),
        ("In one word: red.", "red"),
        ("I count 8.", "8"),
        ("No, I cannot see a dog.", "no"),
        ("No, I cannot help with that.", None),
        ("No, sorry - I can't see the image.", None),
        ("No image detected.", None),
        ("Let me consider the possibilities: 4, 3, 12.", None),
        ("At first I thought red, but that is wrong.", None),
        ("The image is too blurry to answer.", None),
        ("\u7b54\u3048\u306f\u300cbrown\u300d\u3067\u3059", None),
    ],
)
def test_answers_in_words(reply: str, answer: str | None) -> None:
    assert read_open(reply, short=True).answer == answer


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("neutral (the image does not show whether they are siblings)", "neutral"),
        ("I would label this as Neutral. Entailment would require something else to be visible.", "neutral"),
        (
            "It may look like neutral. However, he is outdoors as the sentence says. The answer is entailment.",
            "entailment",
        ),
        ("At first I thought neutral, but that is wrong.", None),
        ("Suppose it were entailment. Then the picture would look different.", None),
    ],
)
def test_labels(reply: str, label: str | None) -> None:
    assert read_label(reply).answer == label


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("I would go with A. He is angry with <det3> instead of B. They are waiting for a train.", 0),
        ("The option is not B) They are waiting for a train. but A) He is angry with <det3>.", 0),
        ("The option is (B) rather than (D).", 1),
        ("It is not (D).", None),
        ("The option isn't C: <det2> just told a joke.", None),
        ("I don't want to guess, so I won't say D) or B).", None),
        ("I'm torn between B) They are waiting for a train. and D) It is a birthday party..", None),
        ("If the image were clearer, D. It is a birthday party might be the answer.", None),
        ("N/A", None),
        ("A/B", None),
        ("There is a 50/50 chance between option D and option B.", None),
    ],
)
def test_choices(reply: str, choice: int | None) -> None:
    assert read_choice(reply, CHOICES).choice == choice


def test_grounding() -> None:
    assert read_point("If the Search button were visible, it would be at (1101, 35).").kind == "nothing"
    assert read_point("If you want to search, the button is at (1101, 35).").numbers == (1101.0, 35.0)


def test_captions() -> None:
    names = ("left", "right")
    html = "<b>Left image:</b> A dog.<br><b>Right image:</b> A cat."
    said = "The left image can be captioned as: A dog.\nThe right image can be captioned as: A cat."
    assert from_labels(html, names) == from_labels(said, names) == {0: "A dog.", 1: "A cat."}
    assert text_of("N/A") == text_of("I'm sorry, I cannot view the image.") == ""
    assert text_of("I can see a dog.") == "I can see a dog."
