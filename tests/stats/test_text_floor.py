"""The learner that reads questions and never sees a picture."""

from __future__ import annotations

import pytest

from snellen.stats import text_floor
from snellen.stats.text_floor import Choices


def test_an_answer_is_learnt_from_the_words() -> None:
    texts = ["what color is the bus?", "is there a dog?", "what color is the cat?", "is there a cat?"] * 5
    worth = [{"red": 1.0}, {"no": 1.0}, {"red": 1.0}, {"no": 1.0}] * 5
    clusters = [str(i) for i in range(20)]
    asked = ["what color is the boat?", "is there a boat?"]
    found = text_floor.answers(texts, worth, clusters, asked)
    assert found == ["red", "no"]
    assert found == text_floor.answers(texts, worth, clusters, asked), "the same data give the same guesses"


def test_where_words_say_nothing_the_commonest_answer_is_given() -> None:
    texts = ["what?"] * 9
    worth = [{"yes": 1.0}] * 5 + [{"no": 1.0}] * 4
    assert text_floor.answers(texts, worth, list("abcdefghi"), ["what?", "who?"]) == ["yes", "yes"]


def test_an_answer_that_scores_half_counts_half() -> None:
    worth = [{"grey": 0.5, "black": 1.0}, {"grey": 0.5, "white": 1.0}, {"grey": 0.5, "blue": 1.0}]
    assert text_floor.answers(["a"] * 3, worth, ["1", "2", "3"], ["a"]) == ["grey"]


def test_a_choice_is_learnt_from_its_words_and_length() -> None:
    known = [Choices("why?", ("because of rain", "no", "maybe", "yes"), 0) for _ in range(30)]
    known += [Choices("why?", ("no", "yes", "because of snow", "maybe"), 2) for _ in range(30)]
    asked = [Choices("why?", ("yes", "because of wind", "no", "maybe"))]
    assert text_floor.choices(known, asked) == [1]


def test_likeness_is_of_rare_words() -> None:
    known = ["click the save button", "click the search field", "click the open button"]
    (like,) = text_floor.likeness(known, ["click the search"])
    assert like.argmax() == 1
    assert like.max() <= 1


@pytest.mark.parametrize("folds", [2, 5])
def test_folds_are_always_the_same_and_all_used(folds: int) -> None:
    found = [text_floor.fold_of(f"image{i}", folds) for i in range(100)]
    assert set(found) == set(range(folds))
    assert found == [text_floor.fold_of(f"image{i}", folds) for i in range(100)]
