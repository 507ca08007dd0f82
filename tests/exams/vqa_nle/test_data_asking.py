"""The ask stage of the data set: examples with their images, and prompts handed on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.exams.vqa_nle.test_data import everything, jpeg, put, vqax, vqax_record
from tests.exams.vqa_nle.test_data_formats import vcr, vcr_line

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.pixels import check_image
from snellen.core.types import Picture, Question, Text
from snellen.exams.vqa_nle.data import NleData
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX
from snellen.exams.vqa_nle.formats.images import coco_filename
from snellen.exams.vqa_nle.prompts import gold_reply

EXAMS = {exam.name: exam for exam in (VQAX, ACTX, ESNLIVE, VCR)}


def asked(task: str, where: Path, prompt: str, options: Selection | None = None) -> list[Question]:
    exam = EXAMS[task]
    data = exam.open(where, options or Selection())
    shots = data.shots(prompt)
    return [exam.ask(prompt, sample, shots(sample)) for sample in data.full(everything)]


def images_of(question: Question) -> list[bytes]:
    return [p.data for turn in question.history for p in turn.parts if isinstance(p, Picture)]


def esnlive(where: Path, images: int, split: str = "test") -> Path:
    rows = [",pairID,Flickr30kID,hypothesis,gold_label,explanation"]
    for i in range(images):
        put(where / f"images/flickr30k/{i}.jpg", jpeg(i))
        rows += [f"0,{i}.jpg#{k},{i}.jpg,h{i}{k},{k},w{i}{k}" for k in ("entailment", "contradiction", "neutral")]
    put(where / f"nle_data/eSNLI-VE/esnlive_{split}.csv", "\n".join(rows) + "\n")
    return where


def test_other_prompts_are_handed_on(tmp_path: Path) -> None:
    vqax(tmp_path, 2)
    (first, _second) = asked("vqax", tmp_path, "zero")
    assert first.id == "vqax/val/0001" and first.prompt == "zero" and first.history == () and first.shots == ()
    assert "Is lamp 0 lit?" in first.text and first.pictures[0].data == jpeg(0)
    (shot, _second) = asked("vqax", tmp_path, "1shot")
    assert len(shot.history) == 2 and images_of(shot) == []


def test_examples_come_from_train_with_image_text_and_gold_answer(tmp_path: Path) -> None:
    vqax(vqax(tmp_path, 3, "val"), 9, "train")
    questions = asked("vqax", tmp_path, "3shot-images")
    for question in questions:
        assert question.prompt == "3shot-images" and len(question.shots) == 3
        assert [t.role for t in question.history] == ["user", "assistant"] * 3
        assert all(s.startswith("vqax/train/") for s in question.shots)
        for at, shot in enumerate(question.shots):
            user, assistant = question.history[2 * at : 2 * at + 2]
            number = int(shot.rpartition("/")[2].removesuffix("001"))
            assert isinstance(user.parts[0], Text) and f"Is lamp {number} lit?" in user.parts[0].text
            assert isinstance(user.parts[1], Picture) and user.parts[1].data == jpeg(number)
            assert assistant.parts == (Text(text="yes because it glows"),)
        assert question.pictures[0].data == jpeg(int(question.id.rpartition("/")[2].removesuffix("001")))
    assert len({q.shots for q in questions}) == 1, "the same examples for all"
    one = asked("vqax", tmp_path, "1shot-images")
    assert one[0].shots == questions[0].shots[:1]


def test_examples_follow_the_seed(tmp_path: Path) -> None:
    vqax(vqax(tmp_path, 1, "val"), 30, "train")
    shots = [asked("vqax", tmp_path, "3shot-images", Selection(seed=s))[0].shots for s in (1, 1, 2)]
    assert shots[0] == shots[1] != shots[2]


def test_without_train_they_come_from_the_split_and_never_show_the_querys_image(tmp_path: Path) -> None:
    vqax(tmp_path, 5)
    records = {
        f"{i}00{q}": vqax_record(i, question=f"Q{q}?") for i in range(5) for q in (1, 2)
    }  # two questions an image
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", records)
    questions = asked("vqax", tmp_path, "3shot-images")
    assert len(questions) == 10
    for question in questions:
        shown = images_of(question)
        assert len(set(shown)) == 3 and question.pictures[0].data not in shown
        assert question.id not in question.shots


def test_a_selection_still_has_the_whole_split_to_take_examples_from(tmp_path: Path) -> None:
    (question,) = asked("vqax", vqax(tmp_path, 9), "3shot-images", Selection(limit=1))
    assert len(question.shots) == 3


def test_examples_need_an_explanation_an_answer_and_an_image(tmp_path: Path) -> None:
    vqax(tmp_path, 8)
    records = {f"{i}001": vqax_record(i) for i in range(8)}
    records["1001"]["explanation"], records["2001"]["answers"] = [], []
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", records)
    (tmp_path / "images/val2014" / coco_filename(3, "val")).unlink()
    data = NleData("vqax", tmp_path, Selection(max_missing=1))
    assert {s.id for s in data.examples(3)} <= {f"vqax/val/{i}001" for i in (0, 4, 5, 6, 7)}
    with pytest.raises(
        SnellenError, match="7 examples need 8 samples with different images and explanations, and there are 5"
    ):
        data.examples(7)


def test_esnlive_examples_show_each_label_once(tmp_path: Path) -> None:
    esnlive(tmp_path, 8)
    for question in asked("esnlive", tmp_path, "3shot-images"):
        gold = [s.rpartition("#")[2] for s in question.shots]
        assert sorted(gold) == ["contradiction", "entailment", "neutral"]
        assert question.pictures[0].data not in images_of(question)
        replies = [t.parts[0].text for t in question.history if isinstance(t.parts[0], Text) and t.role == "assistant"]
        assert [r.partition(" because ")[0] for r in replies] == gold


def test_vcr_examples_answer_with_a_letter(tmp_path: Path) -> None:
    lines = []
    for i in range(4):
        lines.append(vcr_line(annot_id=f"val-{i}", img_fn=f"m/{i}@0.jpg", metadata_fn="", answer_label=i % 4))
        put(tmp_path / f"images/vcr1images/m/{i}@0.jpg", jpeg(i))
    vcr(tmp_path, *lines)
    for question in asked("vcr", tmp_path, "3shot-images"):
        for at, shot in enumerate(question.shots):
            reply = question.history[2 * at + 1].parts[0]
            letter = "ABCD"[int(shot[-1])]
            assert reply == Text(text=f"{letter} because Rain falls on <det0>, <det1> and <det2>.")


def test_a_broken_example_image_stops_before_anything_is_asked(tmp_path: Path) -> None:
    vqax(vqax(tmp_path, 1, "val"), 4, "train")
    for i in range(4):
        put(tmp_path / "images/train2014" / coco_filename(i, "train"), b"not an image")
    with pytest.raises(SnellenError, match=r"images/train2014/.*does not decode"):
        asked("vqax", tmp_path, "3shot-images")


def test_an_unusable_train_file_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    vqax(tmp_path, 5)
    put(tmp_path / "nle_data/VQA-X/vqaX_train.json", "{")
    assert len(asked("vqax", tmp_path, "zero")) == 5
    with pytest.raises(SnellenError, match=r"vqaX_train\.json: not valid JSON"):
        asked("vqax", tmp_path, "1shot-images")


def test_the_gold_reply_says_the_commonest_answer(tmp_path: Path) -> None:
    vqax(tmp_path, 1)
    answers = [{"answer": a} for a in ("teal", "blue", "blue", "teal", "Blue")]
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", {"1": vqax_record(0, answers=answers, explanation=["paint", "x"])})
    (sample,) = NleData("vqax", tmp_path, Selection()).light()
    assert gold_reply(sample) == "blue because paint"


def test_boxes_are_drawn_with_the_numbers_of_the_text(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line(), size=(64, 48))
    (question,) = asked("vcr", tmp_path, "zero-boxes")
    assert "[2]" in question.text and "<det" not in question.text
    assert "numbered boxes drawn: 0, 1, 2, 3" in question.pictures[0].transforms
    check_image(question.pictures[0])


def test_a_question_holds_no_truth(tmp_path: Path) -> None:
    vqax(tmp_path, 6)
    records = {f"{i}001": vqax_record(i, explanation=[f"secret{i}"]) for i in range(6)}
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", records)
    for question in asked("vqax", tmp_path, "3shot-images"):
        number = question.id.rpartition("/")[2].removesuffix("001")
        said = json.dumps([p.text for t in question.history for p in t.parts if isinstance(p, Text)]) + question.text
        assert f"secret{number}" not in said and "secret" in said
