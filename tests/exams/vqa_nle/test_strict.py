"""The strict reader: what it fixes, and what holds for every reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.exams.vqa_nle.names import LABELS
from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.exams.vqa_nle.reading.reply_text import LONGEST
from snellen.exams.vqa_nle.reading.strict import is_valid, read_open

CHOICES = ["He is sad.", "A man is angry.", "She is happy because she won.", "Because it is raining."]
TAGGED = ["No, <det1> lives far away.", "Yes, <det1> works there.", "No, <det1> is a guest.", "No <det2> does not."]
OBJECTS = ["car", "person", "person"]


@pytest.mark.parametrize(
    ("reply", "answer", "explanation"),
    [
        ("yes because a dog is visible", "yes", "a dog is visible"),
        ("Yes, because there is a dog.", "yes", "there is a dog."),
        ("no because because it rains", "no", "it rains"),
        ("yes because", "yes", None),
        ("no it is not sunny", "no", "it is not sunny"),
        ("Yes, it is. The sky is blue.", "yes", "it is. The sky is blue."),
        ("no one because the bench is empty", "no one", "the bench is empty"),
        ("2 because two dogs", "2", "two dogs"),
        ("2 dogs because I count them", "2 dogs", "I count them"),
        ("5 pm because of the clock", "5 pm", "of the clock"),
        ("747 jet because of its hump", "747 jet", "of its hump"),
        ("10 feet\nIt is tall.", "10 feet", "It is tall."),
        ('{"answer": "7 eleven", "explanation": "the sign"}', "7 eleven", "the sign"),
        ("2 there are two dogs in it", "2", "there are two dogs in it"),
        ("red\nIt is red", "red", "It is red"),
        ("red\nIt is red because of the paint", "red", "It is red because of the paint"),
        ("Answer: red\nExplanation: it is painted", "red", "it is painted"),
        ("The answer is:\nred\nReason: because of the paint", "red", "of the paint"),
        ("red\n\nbecause of the paint", "red", "of the paint"),
        ("St. Bernard\nIt is a dog with long fur", "st. bernard", "It is a dog with long fur"),
        ("1,000 because many", "1,000", "many"),
        ("3.5 because it says so", "3.5", "it says so"),
        ("nan bread because of the shape", "nan bread", "of the shape"),
        ("The answer is yes because sunny", "yes", "sunny"),
        ("It is red because of the paint", "red", "of the paint"),
        ("a red bus", "a red bus", None),
        ("St. Bernard", "st. bernard", None),
        ("red, white and blue because it is a flag", "red, white and blue", "it is a flag"),
        ("café because of the sign", "café", "of the sign"),
        ("**Yes** because bold", "yes", "bold"),
        ("Assistant: Answer: blue because sky", "blue", "sky"),
        ("<think>red because</think>blue because sky", "blue", "sky"),
        ('{"answer": "blue", "explanation": "the sky"}', "blue", "the sky"),
        ("Because it rains, the answer is yes.", "yes", "it rains"),
        ("yes because the answer is in the explanation", "yes", "the answer is in the explanation"),
        ("<answer> because <explanation>", None, "explanation"),
        ("", None, None),
        ("...", None, None),
    ],
)
def test_open_answers(reply: str, answer: str | None, explanation: str | None) -> None:
    found = read_open(reply, short=True)
    assert (found.answer, found.explanation) == (answer, explanation)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("riding bike, because they move", "riding bike"),
        ("The activity is cooking because pans", "cooking"),
        ("The man is surfing because of the wave", "surfing"),
        ("Doing yoga outside", "doing yoga outside"),
        ("Activity: <cooking> because <pans>", "cooking"),
        ("because they run", None),
        ("Activity: yoga\nExplanation: pose", "yoga"),
    ],
)
def test_activities(reply: str, answer: str | None) -> None:
    assert read_open(reply, short=False).answer == answer


@pytest.mark.parametrize(
    ("reply", "label", "explanation"),
    [
        ("entailment because he skis", "entailment", "he skis"),
        ("Not entailment because it differs", None, "it differs"),
        ("This is not a contradiction, it is neutral because unclear", "neutral", "unclear"),
        ("contradiction, not entailment because x", "contradiction", "x"),
        ("it is neutral, no contradiction", "neutral", "no contradiction"),
        ("neither entailment nor contradiction because x", None, "x"),
        ("entailment or contradiction because x", None, "x"),
        ("entailment, contradiction, or neutral", None, None),
        ("Contradiction, the man is outdoors", "contradiction", "the man is outdoors"),
        ("Neutral. It is unclear", "neutral", "It is unclear"),
        ("The label is neutral", "neutral", None),
        ("Because he skis, the label is entailment.", "entailment", "he skis"),
        ("The hypothesis is contradicted because of snow", "contradiction", "of snow"),
        ('{"label": "neutral"}', "neutral", None),
        ("yes because true", None, "true"),
        ("neutralise because x", None, "x"),
        ("neither a clear entailment nor a contradiction; it is neutral", "neutral", None),
        ("not entailment or a contradiction, so neutral", "neutral", None),
        ("There is no dog and it contradicts the sentence", "contradiction", None),
        ("There is not enough information, so neutral because of the dark", "neutral", "of the dark"),
        ("Neutral\nIt is unclear", "neutral", "It is unclear"),
        ("Neutral\nExplanation: it does not contradict because x", "neutral", "it does not contradict because x"),
        ("Entailment\nNo, it is neutral because x", None, "x"),
    ],
)
def test_labels(reply: str, label: str | None, explanation: str | None) -> None:
    found = read_label(reply)
    assert (found.answer, found.explanation) == (label, explanation)


@pytest.mark.parametrize(
    "form",
    [
        *("{} because x", "{}) because x", "({}) because x", "{}, because x", "{}. because x", "**{}** because x"),
        *("Option {} because x", "The answer is {} because x", "The correct option is ({}) because x", "{}: because x"),
        *(
            "Answer: {} because x",
            "{} is the correct answer because x",
            "[{}] because x",
            '"{}" because x',
            "{}\nbecause x",
        ),
    ],
)
@pytest.mark.parametrize("at", range(4))
def test_letters_in_every_common_writing(form: str, at: int) -> None:
    for letter in ("ABCD"[at], "abcd"[at]):
        found = read_choice(form.format(letter), CHOICES)
        assert (found.choice, found.answer, found.explanation) == (at, CHOICES[at], "x")


@pytest.mark.parametrize(
    ("reply", "choice", "explanation"),
    [
        ("A man is angry because he frowns", 1, "he frowns"),
        ("She is happy because she won. because of the medal", 2, "of the medal"),
        ("C) She is happy because she won because of the medal", 2, "of the medal"),
        ("she is happy because she won", 2, None),
        ("Because it is raining because of the umbrella", 3, "of the umbrella"),
        ("B: A man is angry. because he frowns", 1, "he frowns"),
        ("B - A man is angry because he frowns", 1, "he frowns"),
        ("Because he frowns, the answer is B.", 1, "he frowns"),
        ("A or B because I cannot tell", None, "I cannot tell"),
        ("A, B because I cannot tell", None, "I cannot tell"),
        ("He is sad or a man is angry because I cannot tell", None, "I cannot tell"),
        ("He is sad. or B because I cannot tell", None, "I cannot tell"),
        ("HE IS SAD because he weeps", 0, "he weeps"),
        ("E because x", None, "x"),
        ("A dog barks because x", None, "x"),
        ("I do not know", None, None),
        ("B\nExplanation: he frowns", 1, "he frowns"),
        ("A man is angry.\nReason: he frowns", 1, "he frowns"),
        ("", None, None),
    ],
)
def test_choices(reply: str, choice: int | None, explanation: str | None) -> None:
    found = read_choice(reply, CHOICES)
    assert (found.choice, found.explanation) == (choice, explanation)


@pytest.mark.parametrize("who", ["<det1>", "<|det1|>", "[1]", "person1", "1"])
def test_objects_in_every_writing(who: str) -> None:
    found = read_choice(f"No, {who} is a guest because <det1> smiles", TAGGED, OBJECTS)
    assert (found.choice, found.explanation) == (2, "<det1> smiles")


def test_class_names_of_several_words() -> None:
    choices = ["The <det0> is old.", "<det1> broke <det0>.", "No one sits.", "It is new."]
    found = read_choice("person1 broke dining table0 because it fell", choices, ["dining table", "person"])
    assert (found.choice, found.explanation) == (1, "it fell")


def test_letters_without_choices_and_beyond_them() -> None:
    assert read_choice("B) because x", []) == ("B", "x", 1)
    assert read_choice("D) because x", CHOICES[:2]) == (None, "x", None)


# ---------------------------------------------------------------- what always holds

WORDS = st.sampled_from(
    [
        "yes",
        "no",
        "because",
        "Because",
        "A",
        "B)",
        "(C)",
        "D.",
        "not",
        "entailment",
        "neutral",
        "contradiction",
        "or",
        "and",
        "the",
        "answer",
        "is",
        "2",
        "1,000",
        ",",
        ".",
        ":",
        "\n",
        "<det1>",
        "[1]",
        "**",
        "{",
        "}",
        '"',
        ":",
        "option",
        "he",
        "won",
    ]
)
REPLIES = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=20).map(" ".join))


@given(REPLIES)
def test_no_reply_breaks_a_reader(reply: str) -> None:
    for found in (read_open(reply, short=True), read_open(reply, short=False), read_label(reply)):
        assert found.answer is None or found.answer.strip()
        assert found.explanation is None or not found.explanation.lower().startswith("because ")
    assert read_label(reply).answer in (None, *LABELS)
    chosen = read_choice(reply, CHOICES)
    assert (chosen.choice is None) == (chosen.answer is None)
    assert chosen.choice is None or chosen.answer == CHOICES[chosen.choice]
    assert not chosen.explanation or not chosen.explanation.lower().startswith("because ")


@given(st.sampled_from(["yes", "no", "7", "1,000"]), st.text("abcdefgh ", min_size=1, max_size=30))
def test_the_demanded_format_is_read_as_written(answer: str, why: str) -> None:
    found = read_open(f"{answer} because {why}", short=True)
    assert (found.answer, found.explanation) == (answer, " ".join(why.split()) or None)


@given(
    st.sampled_from(LABELS), st.sampled_from(["not", "no", "not a", "isn't", "never", "rather than", "not really an"])
)
def test_a_negated_label_is_never_that_label(label: str, no: str) -> None:
    assert read_label(f"It is {no} {label} because of x").answer is None
    for other in set(LABELS) - {label}:
        assert read_label(f"{other}, {no} {label} because of x").answer == other


@pytest.mark.parametrize(
    "text",
    [
        *("not a clear entailment", "not exactly a contradiction", "not a case of entailment", "fails to entail"),
        *("can not be considered entailment", "There is no direct contradiction", "unlikely to be entailment"),
        *("It doesn't quite amount to a contradiction", "There is nothing to contradict", "a non-contradiction"),
    ],
)
def test_a_negation_some_words_away_denies_a_label(text: str) -> None:
    assert read_label(f"{text} because of x").answer is None


@given(st.integers(0, 3), st.text("abcdefgh ", max_size=30))
def test_a_choice_said_in_full_is_that_choice_whatever_it_holds(at: int, why: str) -> None:
    found = read_choice(f"{CHOICES[at]} because {why}", CHOICES)
    assert (found.choice, found.explanation) == (at, " ".join(why.split()) or None)


@pytest.mark.parametrize("piece", ["because ", "(A) ", "<think>", "not ", "the answer is ", "<det1>", "A, ", "{", "1,"])
def test_of_a_long_reply_only_the_start_is_read(piece: str) -> None:
    """These are what would keep a reader busy that goes back in its tracks."""
    start = (piece * LONGEST)[:LONGEST]
    reply = start + "Answer: no because the end is near"
    assert read_open(reply, short=True) == read_open(start, short=True)
    assert read_label(reply) == read_label(start)
    assert read_choice(reply, CHOICES, OBJECTS) == read_choice(start, CHOICES, OBJECTS)


@pytest.mark.parametrize(
    "text", [None, "explanation missing", "no further details", "<explanation>", "Explanation.", "n/a"]
)
def test_placeholders_are_no_explanations(text: str | None) -> None:
    assert not is_valid(text)
    assert is_valid("it is red")
