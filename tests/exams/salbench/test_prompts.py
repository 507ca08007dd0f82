"""What is sent: wording byte by byte, examples in order, a support set that never holds the query."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.sets import question, write_set

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Picture, Question, Sample, Text
from snellen.exams.salbench.data import SalBenchData
from snellen.exams.salbench.exam import EXAM
from snellen.exams.salbench.prompts import written
from snellen.exams.salbench.shots import draw_support

ALL = ("P3", "P3_box", "P3_box_img", "O3", "O3_box", "O3_box_img")
TASKS = {"P3": "D", "P3_box": "R", "P3_box_img": "VR", "O3": "D", "O3_box": "R", "O3_box_img": "VR"}


def sample(config: str, truth: str = "color", text: str | None = None) -> Sample:
    tags = {"config": config, "split": config[:2], "task": TASKS[config]}
    return Sample(
        id=f"{config}/i", tags=tags, truth=truth, facts={"question": text or question(config), "where": "f row 1"}
    )


def asker(data: SalBenchData, prompt: str) -> Callable[[Sample], Question]:
    shots = data.shots(prompt)
    return lambda s: EXAM.ask(prompt, s, shots(s))


def test_the_data_sets_question_is_sent_verbatim_after_the_image(tmp_path: Path) -> None:
    data = SalBenchData(write_set(tmp_path, 6, ALL), Selection())
    ask = asker(data, "question")
    for s in data.full(lambda _i: True):
        asked = ask(s)
        assert asked.parts == (*s.pictures, Text(text=s.facts["question"]))
        assert asked.answer_kind == ("one-of" if s.tags["split"] == "P3" else "any-of")
        assert len(asked.options) == (3 if s.tags["split"] == "P3" else 7)


def test_lmms_eval_adds_its_sentence(tmp_path: Path) -> None:
    data = SalBenchData(write_set(tmp_path, 3), Selection())
    asked = asker(data, "lmms-eval")(next(data.full(lambda _i: True)))
    assert asked.text == question("P3").strip() + "\nAnswer the question using a single word or phrase."


def test_plan_v2_wording() -> None:
    assert written("plan_v2", sample("P3")) == (
        "Context: Given this list of low-level visual features defined according to feature integration theory: Orientation, Color, Size.\n"
        "Task: Examine the provided image and identify the feature(s) in which one object notably differs from the others.\n"
        "Write out all applicable features separated by comma."
    )
    assert written("plan_v2", sample("O3_box")) == (
        "Context: This image depicts a scene with 13 toys. Among those, one toys at location given by this bounding box "
        "(xmin=0.20, ymin=0.19, xmax=0.26, ymax=0.25), is different from the others.\n"
        "Given this list of low-level visual features defined according to feature integration theory: "
        "Orientation, Color, Focus, Shape, Size, Location, Pattern.\n"
        "Task: In which way does the special object differ from the rest. Write out all applicable features separated by comma."
    )
    assert written("plan_v2", sample("P3_box_img")) == (
        "Context: This image depicts a scene with many similar objects. Among those, one similar objects highlighted in a red box "
        "is different from the others.\n"
        "Task: Given this list of low-level visual features defined according to feature integration theory: Orientation, Color, Size. "
        "In which way does the special object differ from the rest. Write out all applicable feature(s) separated by comma."
    )


FIGURES = {
    "P3_box": (
        "This image depicts a scene with  49 objects. Among those, one object at location given by this bounding box x_min=0.20, "
        "y_min=0.19, x_max=0.26, y_max=0.25, is different in color compared to the others.",
        "Task: This image depicts a scene with  49 objects. Among those, one object at location given by this bounding box x_min=0.20, "
        "y_min=0.19, x_max=0.26, y_max=0.25, is different from the others. Identify how the special object differs from the rest. "
        "Answer the question using a single word or phrase.",
    ),
    "P3_box_img": (
        "This image depicts a scene with many similar objects, among those, one object highlighted in a red box is different color "
        "compares to the others",
        "Task: This image depicts a scene with many similar objects. Among those, one object highlighted in a red box is different from "
        "the others. In which way does the special object differ from the rest. Answer the question using a single word or phrase.",
    ),
    "O3": (
        "This image shows an object with different color compares to the others.",
        "Task: Examine the provided image and identify the feature(s) in which one object notably differs from the others. Write out all "
        "applicable features separated by comma.  Do not output any explanations, other texts or special characters rather than the "
        "provided categories.",
    ),
    "O3_box": (
        "This image depicts a scene with 13 toys. Among those, one object at location given by this bounding box x_min=0.20, y_min=0.19, "
        "x_max=0.26, y_max=0.25, is different in color compared to the others.",
        "Task: This image depicts a scene with 13 toys. Among those, one object at location given by this bounding box x_min=0.20, "
        "y_min=0.19, x_max=0.26, y_max=0.25, is different from the others.in which way does the special object differ from the rest. "
        "Write out all applicable feature(s) separated by comma. Do not output any explanations, other texts or special characters "
        "rather than the provided categories.",
    ),
    "O3_box_img": (
        "This image depicts a scene with 13 toys. Among those, one toy highlighted in a red box is different in color compared to the others.",
        "Task: This image depicts a scene with 13 toys. Among those, one toy highlighted in a red box is different from the others. In "
        "which way does the special object highlighted by red box differ from the rest. Write out all applicable feature(s) separated by "
        "comma. Do not output any explanations, other texts or special characters rather than the provided categories.",
    ),
}


@pytest.mark.parametrize("config", FIGURES)
def test_few_shot_sentences_are_those_of_the_papers_figures(config: str) -> None:
    assert (written("caption", sample(config, "Color")), written("query", sample(config))) == FIGURES[config]


@pytest.mark.parametrize("shots", [3, 5])
@pytest.mark.parametrize("config", ALL)
def test_examples_are_interleaved_recorded_and_never_the_query(tmp_path: Path, shots: int, config: str) -> None:
    data = SalBenchData(write_set(tmp_path, 24, (config,)), Selection(shots=shots, seed=4))
    ask = asker(data, "question")
    seen = set()
    for s in data.full(lambda _i: True):
        asked = ask(s)
        assert len(asked.shots) == len(set(asked.shots)) == shots
        assert s.id not in asked.shots
        kinds = "".join("i" if isinstance(p, Picture) else "t" for p in asked.parts)
        assert kinds == "t" + "it" * shots + "it"
        assert asked.pictures[-1] == s.pictures[0]
        assert asked.parts[0].text.endswith("\nFor examples:")  # type: ignore[union-attr]
        if config.startswith("P3") and shots == 3:
            texts = " ".join(p.text for p in asked.parts[1:-1] if isinstance(p, Text))
            assert all(label in texts for label in ("color", "orientation", "size"))
        seen.add(asked.shots)
    assert len(seen) <= shots + 1  # one fixed set, with a stand-in only where the query itself was drawn


def test_plan_v2_shows_examples_with_their_answers(tmp_path: Path) -> None:
    data = SalBenchData(write_set(tmp_path, 24), Selection(shots=3))
    first = next(data.full(lambda _i: True))
    shown = data.shots("plan-v2")(first)
    asked = asker(data, "plan-v2")(first)
    said = [Text(text=f"{written('plan_v2', s)}\nAnswer: {s.truth}") for s in shown]
    examples = [part for s, text in zip(shown, said, strict=True) for part in (*s.pictures, text)]
    assert asked.parts == (*examples, *first.pictures, Text(text=written("plan_v2", first)))
    assert shown == data.shots("question")(first), "the examples are those of the data, whatever the prompt"


def test_the_support_set_follows_the_seed() -> None:
    pool = [
        Sample(id=f"P3/{i}", tags={"split": "P3"}, truth=("color", "size", "orientation")[i % 3]) for i in range(30)
    ]
    ids = [[s.id for slot in draw_support(pool, 5, seed) for s in slot] for seed in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]
    assert len(set(ids[0])) == len(ids[0])


def test_too_few_samples_for_the_shots_is_said(tmp_path: Path) -> None:
    data = SalBenchData(write_set(tmp_path, 4), Selection(shots=3))
    with pytest.raises(SnellenError, match="--shots 3 needs more samples"):
        data.shots("question")  # before anything is asked


def test_a_prompt_without_few_shot_form_is_refused(tmp_path: Path) -> None:
    data = SalBenchData(write_set(tmp_path, 24), Selection(shots=3))
    with pytest.raises(SnellenError, match="no few-shot form"):
        data.shots("lmms-eval")
