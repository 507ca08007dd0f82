"""VQA-X leads with soft accuracy, `nlxgpt` counts every annotated answer, and `e-vil` leads with the majority's share."""

from __future__ import annotations

import pytest

from snellen.core.extras import rows_of
from snellen.core.outcomes import mark_reply
from snellen.core.results import GroupSummary, declared
from snellen.core.types import Outcome
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX, VqaNle
from snellen.stats.tally import summarised

TEN = ["red"] * 6 + ["The maroon"] * 3 + ["1,000"]
CHOICES = ["He is sad.", "He is sad.", "She won.", "It rains."]


def summary(exam: VqaNle, protocol: str, rows: list[tuple[dict[str, object], str]]) -> GroupSummary:
    chosen = exam.protocols[protocol]
    samples = [rows_of(exam).sample({"id": i, "split": "val"} | truth) for i, (truth, _reply) in enumerate(rows)]
    marks = [mark_reply(chosen, s, reply) for s, (_truth, reply) in zip(samples, rows, strict=True)]
    return summarised(chosen, zip(samples, marks, strict=True))[0]


def test_what_leads_in_vqa_x() -> None:
    leads = {name: p.headline for name, p in VQAX.protocols.items()}
    assert leads == {
        "multimodal-vqa-eval": "accuracy",
        "strict": "soft_accuracy",
        "nlxgpt": "accuracy",
        "e-vil": "soft_accuracy",
    }
    assert {p.headline for exam in (ACTX, ESNLIVE, VCR) for p in exam.protocols.values()} == {"accuracy"}


def test_the_headline_is_the_first_metric_that_is_shown() -> None:
    for protocol in ("strict", "e-vil"):
        whole = summary(VQAX, protocol, [({"answers": TEN}, "maroon because x"), ({"answers": TEN}, "red because x")])
        assert next(iter(whole.metrics)) == "soft_accuracy"
        assert whole.metrics["soft_accuracy"].value == pytest.approx((0.9 + 1.0) / 2)


@pytest.mark.parametrize(
    ("said", "right", "in_filter"),
    [("red", 1.0, 1.0), ("maroon", 1.0, 0.0), ("The maroon", 0.0, 0.0), ("1000", 1.0, 0.0), ("blue", 0.0, 0.0)],
)
def test_nlxgpts_accuracy_is_any_annotators_answer_and_its_filter_the_majoritys(
    said: str, right: float, in_filter: float
) -> None:
    sample = rows_of(VQAX).sample({"id": 1, "answers": TEN, "explanation": ["a wall"]})
    mark = mark_reply(VQAX.protocols["nlxgpt"], sample, f"{said} because a wall")
    assert (mark.metrics["accuracy"], mark.metrics["majority_accuracy"]) == (right, in_filter)
    assert mark.outcome is (Outcome.CORRECT if right else Outcome.WRONG)


def test_nlxgpts_filtered_scores_are_over_the_majoritys_answers() -> None:
    truth = {"answers": TEN, "explanation": ["a wall is there", "it is a wall"]}
    rows = [(truth, f"{said} because a wall is there") for said in ("red", "maroon", "blue")]
    whole = summary(VQAX, "nlxgpt", rows)
    assert whole.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert whole.metrics["majority_accuracy"].value == pytest.approx(1 / 3)
    assert (whole.metrics["bleu4_filtered"].n, whole.metrics["bleu4_unfiltered"].n) == (1, 3)
    assert whole.metrics["accuracy"].floor is None  # the truths are all the same
    other = ({"answers": ["green"] * 10, "explanation": ["a wall"]}, "green because a wall")
    assert summary(VQAX, "nlxgpt", [*rows, other]).metrics["accuracy"].floor == 0.75  # any of the annotators' answers


def test_nlxgpts_activities_are_cut_and_normalised_as_its_files_are() -> None:
    protocol = ACTX.protocols["nlxgpt"]
    for label, said, right in (
        ("skating, ice", "skating", 1.0),
        ("skating, ice", "skating, ice", 0.0),
        ("t-ball", "t ball", 1.0),
        ("t-ball", "t-ball", 0.0),
    ):
        sample = rows_of(ACTX).sample({"id": 1, "label": label})
        assert mark_reply(protocol, sample, f"{said} because x").metrics["accuracy"] == right, (label, said)


def test_e_vil_leads_with_its_task_score_and_names_it() -> None:
    for exam, headline in ((VQAX, "soft_accuracy"), (ESNLIVE, "accuracy"), (VCR, "accuracy")):
        protocol = exam.protocols["e-vil"]
        assert protocol.headline == headline
        assert "task score S_T" in declared(protocol.metrics, headline).label
    assert declared(VQAX.protocols["e-vil"].metrics, "accuracy").label == "any annotator's answer"


def test_e_vil_compares_vcrs_choices_by_their_text() -> None:
    sample = rows_of(VCR).sample({"id": 1, "choices": CHOICES, "label": 0})
    said = {name: mark_reply(VCR.protocols[name], sample, "B because x").metrics for name in ("strict", "e-vil")}
    assert (said["strict"]["accuracy"], said["e-vil"]["accuracy"]) == (0.0, 1.0)
    assert mark_reply(VCR.protocols["e-vil"], sample, "C because x").metrics["accuracy"] == 0.0


def test_versions_say_that_marks_changed() -> None:
    assert int(VQAX.protocols["nlxgpt"].version) >= 2
    assert int(VQAX.protocols["e-vil"].version) >= 3
