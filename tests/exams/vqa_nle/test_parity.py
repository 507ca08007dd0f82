"""Equality with the originals, row by row: post-processing, nlxgpt, official VQA accuracy, prompts byte by byte."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen.core.protocol import protocol_for
from snellen.core.types import Picture, Question, Sample, Text
from snellen.exams.vqa_nle import vqa_official
from snellen.exams.vqa_nle.formats.images import coco_filename
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL, shot_count
from snellen.exams.vqa_nle.prompts import ask
from snellen.exams.vqa_nle.protocols import protocols_of
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading import multimodal_vqa_eval as original
from snellen.exams.vqa_nle.reading import nlxgpt as reading_nlxgpt
from snellen.exams.vqa_nle.rows import sample_from_row

PROTOCOLS = protocols_of("")  # of no exam in particular

ROOT = Path(__file__).parents[3]
GOLDEN = json.loads((ROOT / "tests" / "parity" / "nle.json").read_text(encoding="utf-8"))
# rows that quote real annotations are not ours to keep: they are used where they lie, if they are there
SHARED = Path(os.environ.get("SNELLEN_SHARED", ROOT.parent / "shared")) / "golden" / "nle.json"
needs_shared = pytest.mark.skipif(not SHARED.is_file(), reason="the rows with real annotations are not on this machine")


def choices(name: str | None) -> list[str] | None:
    return None if name is None else GOLDEN["choices"][name]


def letter(choice: int | None) -> str:
    return "unknown" if choice is None else "abcd"[choice]


def stored(found: VqaReading) -> str:
    """What multimodal-vqa-eval stores, and reads again when it writes its CSV files."""
    return f"{found.answer} because {found.explanation}"


PLAIN: dict[str, Callable[..., Any]] = {
    "normalize_generated_text": original.normalize_generated_text,
    "normalize_answer": original.normalize_answer,
    "force_label_space": original.force_label_space,
    "is_yes_no_or_number": original.is_yes_no_or_number,
    "clean_text": original.clean_text,
    "resolve_shot_count": shot_count,
    "accuracy_from_results": original.accuracy,
    "majority_vqa_answer": original.majority_answer,
    "nlxgpt_prep_ans": reading_nlxgpt.prep_answer,
    "coco_filename": lambda given: coco_filename(*given),
}


@pytest.mark.parametrize("group", PLAIN)
def test_functions_of_one_value(group: str) -> None:
    assert GOLDEN[group]
    for given, expected in GOLDEN[group]:
        assert PLAIN[group](given) == expected, given


@pytest.mark.parametrize(("text", "named", "letter"), GOLDEN["parse_vcr_letter"])
def test_vcr_letters(text: str | None, named: str | None, letter: str | None) -> None:
    assert original.parse_vcr_letter(text, choices(named)) == letter


ANSWERS_ALONE = [
    row for row in GOLDEN["postprocess_answer_only"] if row[2] == original.ANSWER_WORDS.get(row[1], row[2])
]


@pytest.mark.parametrize(("text", "task", "_words", "named", "answer"), ANSWERS_ALONE)
def test_answers_alone(text: str, task: str, _words: int, named: str | None, answer: str) -> None:
    assert original.postprocess_answer_only(text, task, choices(named)) == answer
    sample = Sample(id="1", tags={"task": task}, facts={"choices": choices(named)})
    verdict = protocol_for(PROTOCOLS[MULTIMODAL_VQA_EVAL], "answer-only").judge(text, sample)
    assert verdict.reading == {"answer": answer, "explanation": None}


@pytest.mark.parametrize(("text", "task", "named", "expected"), GOLDEN["postprocess_prediction"])
def test_answers_with_explanations(text: str, task: str, named: str | None, expected: dict[str, str]) -> None:
    found = original.postprocess_prediction(text, task, choices(named))
    raw = letter(found.choice) if task == "vcr" else found.answer
    assert {
        "answer": found.answer,
        "explanation": found.explanation,
        "full_text": stored(found),
        "raw_answer": raw,
    } == expected
    sample = Sample(id="1", tags={"task": task}, facts={"choices": choices(named)})
    reading = PROTOCOLS[MULTIMODAL_VQA_EVAL].judge(text, sample).reading
    assert reading == {"answer": expected["answer"], "explanation": expected["explanation"]}


@pytest.mark.parametrize(("text", "task", "named", "first", "second"), GOLDEN["csv_reparse_roundtrip"])
def test_what_the_csv_files_read_again(
    text: str, task: str, named: str | None, first: list[str], second: list[str]
) -> None:
    once = original.postprocess_prediction(text, task, choices(named))
    assert [once.answer, once.explanation, stored(once)] == first
    again = original.postprocess_prediction(stored(once), task, choices(named))
    assert [again.answer, again.explanation] == second


@pytest.mark.parametrize("row", GOLDEN["vcr_csv_reparse_bug"])
def test_choices_that_the_csv_files_misread(row: list[str]) -> None:
    text, named, answer, full_text, csv_answer, csv_explanation = row
    once = original.postprocess_prediction(text, "vcr", choices(named))
    again = original.postprocess_prediction(stored(once), "vcr", choices(named))
    assert [once.answer, stored(once), again.answer, again.explanation] == [
        answer,
        full_text,
        csv_answer,
        csv_explanation,
    ]


@pytest.mark.parametrize(("text", "answer", "explanation"), GOLDEN["nlxgpt_split"])
def test_nlxgpt_splits(text: str, answer: str, explanation: str) -> None:
    assert reading_nlxgpt.split(text) == (answer, explanation)
    reading = PROTOCOLS["nlxgpt"].judge(text, Sample(id="1", tags={"task": "vqax"})).reading
    assert reading == {"answer": answer, "explanation": explanation}


@pytest.mark.parametrize(("said", "answers", "expected"), GOLDEN["official_vqa_accuracy"])
def test_official_soft_accuracy(said: str, answers: list[str], expected: float) -> None:
    assert vqa_official.soft_accuracy(said, answers) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("given", "expected"), GOLDEN["evil_average_nlg"])
def test_e_vil_scores(given: dict[str, float], expected: dict[str, float]) -> None:
    nlg = pytest.importorskip("snellen.stats.nlg")
    scores = {("ROUGE-L" if k == "ROUGE_L" else k): v for k, v in given.items() if k != "accuracy"}
    found = nlg.e_vil(scores, given["accuracy"])
    wanted = [expected[k] for k in ("avg_overlap", "avg_all", "global_score")]
    assert [found.overlap, found.explanation, found.overall] == pytest.approx(wanted, abs=1e-12)


# ---------------------------------------------------------------- prompts


def question_of(name: str) -> Question:
    task, _, mode = name.partition("_")
    given = GOLDEN["prompts"]["inputs"]
    facts = {
        "question": given["vcr_question" if task == "vcr" else "question"],
        "hypothesis": given["hypothesis"],
        "choices": given["vcr_choices"],
    }
    if mode == "zero_two_choices":
        mode, facts = "zero", {"question": "Q?", "choices": given["vcr_choices"][:2]}
    pictures = (Picture(data=b"an image"),)
    return ask(mode.replace("_", "-"), Sample(id="1", tags={"task": task}, facts=facts, pictures=pictures))


@pytest.mark.parametrize("name", GOLDEN["prompts"]["conversations"])
def test_conversations_are_the_originals(name: str) -> None:
    question = question_of(name)
    turns = [*((t.role, t.parts) for t in question.history), ("user", question.parts)]
    found = [[role, [p.text if isinstance(p, Text) else None for p in parts]] for role, parts in turns]
    assert found == GOLDEN["prompts"]["conversations"][name]
    assert question.system is None


@pytest.mark.parametrize("name", GOLDEN["llava_rendered_prompts"])
def test_conversations_in_llavas_template(name: str) -> None:
    """LLaVA's template puts a turn's images before its texts and a space after each text."""
    question = question_of(name)
    turns = [*((t.role, t.parts) for t in question.history), ("user", question.parts)]
    shown = ""
    for role, parts in turns:
        shown += f"{role.upper()}: " + "<image>\n" * sum(isinstance(p, Picture) for p in parts)
        shown += "".join(f"{p.text} " for p in parts if isinstance(p, Text))
    assert shown + "ASSISTANT:" == GOLDEN["llava_rendered_prompts"][name]


# ---------------------------------------------------------------- rows with real annotations


@needs_shared
def test_majorities_of_real_answers() -> None:
    golden = json.loads(SHARED.read_text(encoding="utf-8"))
    for row in golden["majority_vqa_answer"]:
        assert original.majority_answer(row["answers"]) == row["output"]
    for row in golden["nlxgpt_proc_ans"]:
        assert reading_nlxgpt.gold(row["answers"]) == row["output"]


@needs_shared
def test_the_runner_from_annotation_to_mark() -> None:
    golden = json.loads(SHARED.read_text(encoding="utf-8"))
    protocol = PROTOCOLS[MULTIMODAL_VQA_EVAL]
    for row in csv.DictReader(io.StringIO(golden["vqax_csv_end_to_end"]["csv"])):
        notes = golden["vqax_csv_end_to_end"]["annotations"].values()
        note = next(n for n in notes if n["question"] == row["question"])
        verdict = protocol.judge(f"{row['generated_answer']} because demo", sample_from_row("vqax", {"id": 1} | note))
        assert original.majority_answer(note["answers"]) == row["gt_answer"]
        assert verdict.metrics["accuracy"] == float(row["correct"])
    labels = csv.DictReader(io.StringIO(golden["esnlive_csv_end_to_end"]["csv"]))
    for row, note in zip(labels, golden["esnlive_csv_end_to_end"]["annotations"].values(), strict=True):
        verdict = protocol.judge(f"{row['generated_label']} because demo", sample_from_row("esnlive", {"id": 1} | note))
        assert verdict.reading == {"answer": row["generated_label"], "explanation": row["generated_explanation"]}
        assert verdict.metrics["accuracy"] == float(row["correct"])


@needs_shared
def test_the_runner_and_the_csv_file_of_vcr() -> None:
    golden = json.loads(SHARED.read_text(encoding="utf-8"))["vcr_end_to_end"]
    rows = csv.DictReader(io.StringIO(golden["csv"]))
    for reply, note, correct, row in zip(
        golden["raw_outputs"], golden["annotations"], golden["runner_correct"], rows, strict=True
    ):
        once = original.postprocess_prediction(reply, "vcr", note["answer_choices"])
        again = original.postprocess_prediction(stored(once), "vcr", note["answer_choices"])
        assert [again.answer, again.explanation] == [row["generated_answer"], row["generated_explanation"]]
        if isinstance(note["label"], int):  # a label that is a text is refused here; the original does not mark it
            sample = sample_from_row("vcr", {"id": note["question_id"]} | note)
            assert PROTOCOLS[MULTIMODAL_VQA_EVAL].judge(reply, sample).metrics["accuracy"] == float(correct)
