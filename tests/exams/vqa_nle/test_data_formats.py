"""Every published format, recognised by its content, and what happens to broken records. All records here are invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.exams.vqa_nle.test_data import everything, jpeg, put

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Sample
from snellen.exams.vqa_nle.check import check
from snellen.exams.vqa_nle.data import NleData
from snellen.exams.vqa_nle.formats.find import find


def load(task: str, where: Path, **options: Any) -> list[Sample]:
    return list(NleData(task, where, Selection(**options)).full(everything))


def problems(task: str, where: Path) -> list[str]:
    return [str(p) for p in check(task, where) if p.fatal]


# ---------------------------------------------------------------- ACT-X


def test_actx_nlxgpt_keeps_the_key_and_all_explanations(tmp_path: Path) -> None:
    record = {
        "answers": "yoga",
        "image_id": "015601864",
        "image_name": "015601864.jpg",
        "explanation": ["e1", "e2", "e3"],
    }
    put(tmp_path / "nle_data/ACT-X/actX_test.json", {"1": record})
    put(tmp_path / "images/mpi/015601864.jpg", jpeg())
    (sample,) = load("actx", tmp_path)
    assert sample.id == "actx/test/1"
    assert sample.truth == {"answers": ["yoga"], "explanations": ["e1", "e2", "e3"]}
    assert sample.facts == {"key": "1", "image_id": "015601864", "image_name": "015601864.jpg"}


def test_actx_original_files_have_a_val_split_and_full_labels(tmp_path: Path) -> None:
    put(
        tmp_path / "nle_data/ACT-X/exp_val_split.json",
        {"4": {"iid": "000000007", "ans": "sailing, solo", "exp": ["A.", "B."]}},
    )
    put(tmp_path / "images/mpi/000000007.jpg", jpeg())
    (sample,) = load("actx", tmp_path, splits=("val",))
    assert sample.id == "actx/val/4" and sample.tags["head"] == "sailing"
    assert sample.truth == {"answers": ["sailing, solo"], "explanations": ["A.", "B."]}


def test_actx_label_names_of_other_loaders(tmp_path: Path) -> None:
    records = [
        {"id": "a", "answers": ["a list is passed over"], "activity": "rowing", "image_name": "1.jpg", "nle": "oars"},
        {"id": "b", "label": " ", "class": "chess", "image": "1.jpg", "exp": ["board"]},
        {"id": "c", "label": None, "image": "1.jpg", "exp": ["board"]},
    ]
    put(tmp_path / "nle_data/ACT-X/actX_test.json", records)
    put(tmp_path / "images/mpi/1.jpg", jpeg())
    samples = load("actx", tmp_path)
    assert [s.id for s in samples] == ["actx/test/a", "actx/test/b", "actx/test/c"]
    assert [s.truth and s.truth["answers"] for s in samples] == [["rowing"], ["chess"], None]


# ---------------------------------------------------------------- e-SNLI-VE

CSV = """,pairID,Flickr30kID,hypothesis,gold_label,explanation
0,11.jpg#0r1c,11.jpg,"A cat sleeps, on a ""red"" mat.",contradiction,The mat is blue.
1,11.jpg#0r1e,11.jpg,A cat sleeps.,entailment,"It lies
still."
2,22.jpg#3r1n,22.jpg,A cat dreams.,neutral,
"""


def esnlive_images(where: Path) -> None:
    for i in (11, 22):
        put(where / f"images/flickr30k/{i}.jpg", jpeg(i))


def test_esnlive_csv_keeps_the_pair_id(tmp_path: Path) -> None:
    put(tmp_path / "nle_data/eSNLI-VE/esnlive_dev.csv", CSV)
    esnlive_images(tmp_path)
    samples = load("esnlive", tmp_path, splits=("val",))
    assert [s.id for s in samples] == [f"esnlive/val/{k}" for k in ("11.jpg#0r1c", "11.jpg#0r1e", "22.jpg#3r1n")]
    assert [s.tags["label"] for s in samples] == ["contradiction", "entailment", "neutral"]
    assert samples[0].facts["hypothesis"] == 'A cat sleeps, on a "red" mat.'
    assert samples[0].facts["image_id"] == "11" and samples[0].facts["image_name"] == "11.jpg"
    assert samples[1].truth == {"answers": ["entailment"], "explanations": ["It lies\nstill."]}
    assert samples[2].truth["explanations"] == [] and samples[2].pictures[0].data == jpeg(22)


def test_esnlive_csv_problems_have_their_line(tmp_path: Path) -> None:
    lines = CSV + "3,k,,x,neutral,y\n4,k,22.jpg,x,maybe,y\n5,k,22.jpg\n6,11.jpg#0r1c,11.jpg,x,neutral,y\n"
    put(tmp_path / "nle_data/eSNLI-VE/esnlive_test.csv", "\ufeff" + lines)
    esnlive_images(tmp_path)
    start = "nle_data/eSNLI-VE/esnlive_test.csv row"
    assert problems("esnlive", tmp_path) == [
        f"{start} 5: no image name (field Flickr30kID)",
        f"{start} 6: label 'maybe' is not one of entailment, contradiction, neutral",
        f"{start} 7: no hypothesis (field hypothesis)",
    ]
    assert any("record '11.jpg#0r1c': the key repeats" in str(p) for p in check("esnlive", tmp_path))
    with pytest.raises(SnellenError, match=r"row 5: no image name \(field Flickr30kID\) \(and 2 more problems\)"):
        NleData("esnlive", tmp_path, Selection())


def test_repeated_keys_get_ids_of_their_own(tmp_path: Path) -> None:
    put(tmp_path / "nle_data/eSNLI-VE/esnlive_test.csv", CSV + "9,11.jpg#0r1c,11.jpg,Again.,neutral,y\n")
    esnlive_images(tmp_path)
    assert [s.id for s in load("esnlive", tmp_path)][::3] == ["esnlive/test/11.jpg#0r1c", "esnlive/test/11.jpg#0r1c#2"]


def test_a_quote_that_never_closes_does_not_swallow_the_file(tmp_path: Path) -> None:
    put(
        tmp_path / "nle_data/eSNLI-VE/esnlive_test.csv",
        CSV + '3,33.jpg#1,11.jpg,"open,neutral,x\n4,k,11.jpg,x,neutral,y\n',
    )
    esnlive_images(tmp_path)
    with pytest.raises(SnellenError, match=r"esnlive_test\.csv, line \d: not valid CSV"):
        NleData("esnlive", tmp_path, Selection())


def test_esnlive_nlxgpt_and_e_vil_lists(tmp_path: Path) -> None:
    esnlive_images(tmp_path)
    derived = {
        "5": {
            "hypothesis": "A cat sleeps.",
            "answers": "entailment",
            "image_name": "11.jpg",
            "explanation": "it lies still",
        }
    }
    put(tmp_path / "nle_data/eSNLI-VE/esnlive_test.json", derived)
    listed = [
        {"question_id": "11.jpg#0r1c", "img_id": "flickr30k_000000000011.npz", "sent": "A dog.", "label": "contradiction", "explanation": ["a cat"]},
        {"question_id": "77", "img_id": "flickr30k_000000000022.npz", "sent": "A cat.", "label": "entailment", "explanation": ["a cat"]},
    ]  # fmt: skip
    put(tmp_path / "nle_data/eSNLI-VE/esnlive_dev.json", listed)
    (only,) = load("esnlive", tmp_path, splits=("test",))
    assert only.id == "esnlive/test/5" and only.truth == {"answers": ["entailment"], "explanations": ["it lies still"]}
    e_vil = load("esnlive", tmp_path, splits=("val",))
    assert [s.id for s in e_vil] == ["esnlive/val/11.jpg#0r1c", "esnlive/val/77"]
    assert [s.pictures[0].data for s in e_vil] == [jpeg(11), jpeg(22)]
    assert e_vil[0].facts["hypothesis"] == "A dog." and e_vil[0].truth["answers"] == ["contradiction"]


def test_the_csv_is_read_rather_than_what_was_derived_from_it(tmp_path: Path) -> None:
    put(tmp_path / "nle_data/eSNLI-VE/esnlive_test.csv", CSV)
    put(
        tmp_path / "nle_data/eSNLI-VE/esnlive_test.json",
        {"0": {"hypothesis": "h", "answers": "neutral", "image_name": "11.jpg"}},
    )
    esnlive_images(tmp_path)
    data = NleData("esnlive", tmp_path, Selection())
    assert data.files == ("nle_data/eSNLI-VE/esnlive_test.csv",)
    notes = [p for p in check("esnlive", tmp_path) if p.where.endswith(".json")]
    assert [p.fatal for p in notes] == [False] and "esnlive_test.csv is 'test' here" in notes[0].what


# ---------------------------------------------------------------- VCR


def vcr_line(**changes: Any) -> dict[str, Any]:
    return {
        "movie": "0001_NONE",
        "objects": ["person", "dog", "person", "umbrella"],
        "img_fn": "lsmdc_0001/0001_a@0.jpg",
        "metadata_fn": "lsmdc_0001/0001_a@0.json",
        "question_orig": "Why does 3 hold 4?",
        "question": ["Why", "does", [2], "hold", [3], "?"],
        "answer_choices": [
            ["Because", [0, 2], "are", "wet", "."],
            ["It", "is", "n't", "hers", "."],
            [[1], "'s", "tail", ",", "maybe", "."],
            [[0], "told", "her", "to", "."],
        ],
        "answer_label": 0,
        "rationale_choices": [["Rain", "falls", "on", [0, 1, 2], "."], ["No", "."], ["No", "."], ["No", "."]],
        "rationale_label": 0,
        "img_id": "val-3",
        "annot_id": "val-9",
    } | changes


METADATA = {
    "boxes": [[0, 0, 3.04, 4, 0.9], [1, 1, 2, 2, 0.8], [4, 0, 7, 5, 0.9], [5, 1, 6, 2, 0.7]],
    "names": ["person", "dog", "person", "umbrella"],
    "segms": [[[[1, 2], [3, 4]]]],
    "width": 8,
    "height": 6,
}


def vcr(where: Path, *lines: Any, split: str = "val", size: tuple[int, int] = (8, 6)) -> Path:
    text = "\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines)
    put(where / f"nle_data/VCR/{split}.jsonl", text + "\n")
    put(where / "images/vcr1images/lsmdc_0001/0001_a@0.jpg", jpeg(1, size))
    put(where / "images/vcr1images/lsmdc_0001/0001_a@0.json", METADATA)
    return where


def test_vcr_official_tokens_become_sentences_with_zero_based_tags(tmp_path: Path) -> None:
    (sample,) = load("vcr", vcr(tmp_path, vcr_line()))
    assert sample.id == "vcr/val/val-9" and sample.tags == {"split": "val", "task": "vcr"}
    assert sample.facts["question"] == "Why does <det2> hold <det3>?"
    assert sample.facts["choices"] == [
        "Because <det0> and <det2> are wet.",
        "It isn't hers.",
        "<det1>'s tail, maybe.",
        "<det0> told her to.",
    ]
    assert sample.facts["objects"] == ["person", "dog", "person", "umbrella"]
    assert sample.facts["boxes"] == [[0, 0, 3, 4], [1, 1, 2, 2], [4, 0, 7, 5], [5, 1, 6, 2]]
    assert sample.facts["image_id"] == "val-3" and sample.facts["image_name"] == "lsmdc_0001/0001_a@0.jpg"
    assert sample.truth == {
        "answers": ["Because <det0> and <det2> are wet."],
        "explanations": ["Rain falls on <det0>, <det1> and <det2>."],
        "label": 0,
    }
    assert sample.pictures[0].name == "images/vcr1images/lsmdc_0001/0001_a@0.jpg"


def test_vcr_test_lines_have_no_labels_and_so_no_truth(tmp_path: Path) -> None:
    line = {k: v for k, v in vcr_line().items() if not k.endswith("label")}
    (sample,) = load("vcr", vcr(tmp_path, line, split="test"))
    assert sample.truth is None and len(sample.facts["choices"]) == 4


def test_vcr_boxes_fit_a_resized_copy_of_the_image(tmp_path: Path) -> None:
    (sample,) = load("vcr", vcr(tmp_path, vcr_line(), size=(16, 18)))
    assert sample.facts["boxes"][2] == [8, 0, 14, 15]


def test_vcr_boxes_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    before = NleData("vcr", vcr(tmp_path, vcr_line()), Selection()).fingerprint
    moved = {**METADATA, "boxes": [[0, 0, 3.25, 4, 0.9], *METADATA["boxes"][1:]]}
    put(tmp_path / "images/vcr1images/lsmdc_0001/0001_a@0.json", moved | {"width": 80, "height": 60})
    assert NleData("vcr", tmp_path, Selection()).fingerprint != before
    assert load("vcr", tmp_path)[0].facts["boxes"][2] == [0.4, 0, 0.7, 0.5]


def test_vcr_without_metadata_has_no_boxes_and_says_so(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line())
    (tmp_path / "images/vcr1images/lsmdc_0001/0001_a@0.json").unlink()
    (sample,) = load("vcr", tmp_path)
    assert sample.facts["boxes"] == []
    assert [(p.fatal, "no boxes" in p.what) for p in check("vcr", tmp_path)] == [(False, True)]


def test_vcr_problems_have_their_line_and_field(tmp_path: Path) -> None:
    vcr(
        tmp_path,
        vcr_line(answer_choices=[["a"], ["b"]]),
        vcr_line(answer_label=4),
        vcr_line(question=["Who", "is", [7], "?"]),
        vcr_line(question="Who?"),
        vcr_line(answer_label="1"),
        '{"annot_id": "val-1", ',
        vcr_line(rationale_label=9),
        vcr_line(img_fn="lsmdc_0001/other@0.jpg"),
        vcr_line(annot_id="val-10", objects=["person"] * 5),
    )
    start = "nle_data/VCR/val.jsonl"
    found = problems("vcr", tmp_path)
    for line, what in (
        (f"{start} line 1: ", "2 of answer_choices, not 4"),
        (f"{start} line 2: ", "label 4 is out of range (0 to 3)"),
        (f"{start} line 3: ", "refers to object 7, but there are 4"),
        (f"{start} line 4: ", "question: Expected `array`, got `str`"),
        (f"{start} line 5: ", "label: Expected `int`, got `str`"),
        (f"{start} line 6: ", "not valid JSON"),
        (f"{start} line 7: ", "label 9 is out of range"),
        (f"{start} record 'val-9': ", "image vcr1images/lsmdc_0001/other@0.jpg is missing"),
        (f"{start} record 'val-10': ", "4 boxes, but 5 objects"),
    ):
        assert any(p.startswith(line) and what in p for p in found), (line, what, found)
    assert len(found) == 9


def test_a_broken_metadata_file_is_named(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line())
    put(tmp_path / "images/vcr1images/lsmdc_0001/0001_a@0.json", {"boxes": [[1, 2, 3]]})
    with pytest.raises(SnellenError, match=r"0001_a@0\.json: box 0 must be four numbers"):
        load("vcr", tmp_path)


def e_vil_record(**changes: Any) -> dict[str, Any]:
    return {
        "img_id": "vcr_val_0001_a@0.npz",
        "raw_img_id": "lsmdc_0001/0001_a@0.jpg",
        "sent": "Is <|det2|> cold ?",
        "answer_choices": ["Yes, <|det2|> shivers.", "No because <det03> is warm.", "A dog is.", "Nobody is."],
        "label": 1,
        "explanation": "<|det3|> glows",
        "question_id": "val-1",
    } | changes


def test_vcr_e_vil_lists_in_their_own_names(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line())
    (tmp_path / "nle_data/VCR/val.jsonl").unlink()
    put(tmp_path / "nle_data/VCR/vcr_dev_split.json", [e_vil_record(), e_vil_record(question_id="val-2", raw_img_id=None, img_id="0001_a@0.npz")])  # fmt: skip
    put(tmp_path / "nle_data/VCR/vcr_valtest.json", [e_vil_record(raw_img_id="vcr1images/lsmdc_0001/0001_a@0.jpg", objects="['person', 'dog']")])  # fmt: skip
    first, second = load("vcr", tmp_path)
    assert first.id == "vcr/val/val-1" and first.facts["question"] == "Is <det2> cold ?"
    assert first.facts["choices"][:2] == ["Yes, <det2> shivers.", "No because <det3> is warm."]
    assert first.truth == {"answers": ["No because <det3> is warm."], "explanations": ["<det3> glows"], "label": 1}
    assert len(first.facts["boxes"]) == 4, "from the metadata file beside the image"
    assert first.facts["objects"] == METADATA["names"]
    assert second.pictures[0].data == first.pictures[0].data and len(second.facts["boxes"]) == 4
    assert list(find("vcr", tmp_path).sources) == ["val", "test"]
    with pytest.raises(SnellenError, match="4 boxes, but 2 objects in record 'val-1'"):
        load("vcr", tmp_path, splits=("test",))


def test_vcr_field_names_of_mves_loader(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line())
    (tmp_path / "nle_data/VCR/val.jsonl").unlink()
    record = {"id": "7", "raw_img": "/lsmdc_0001/0001_a@0.jpg", "question": "Who?", "answers": ["a", "b", "c", "d"], "label": 3, "rationale": "r"}  # fmt: skip
    put(tmp_path / "nle_data/VCR/vcr_val.json", [record])
    (sample,) = load("vcr", tmp_path)
    assert sample.id == "vcr/val/7" and sample.truth == {"answers": ["d"], "explanations": ["r"], "label": 3}
    assert sample.facts["question"] == "Who?" and sample.facts["image_name"] == "lsmdc_0001/0001_a@0.jpg"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"label": "1"}, "label: Expected `int`, got `str`"),
        ({"label": True}, "label: Expected `int`, got `bool`"),
        ({"label": 4}, "label 4 is out of range"),
        ({"label": -1}, "label -1 is out of range"),
        ({"answer_choices": ["a", "b"]}, "2 of answer_choices or answers, not 4"),
        ({"answer_choices": ["a", "b", "c", ""]}, "3 of answer_choices or answers, not 4"),
        ({"sent": None}, "no question (field sent or question)"),
        ({"raw_img_id": None, "img_id": None}, "no image"),
        ({"objects": [1, 2]}, "objects: Expected `str`, got `int`"),
    ],
)
def test_vcr_e_vil_problems_name_the_record(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    put(tmp_path / "nle_data/VCR/vcr_dev_split.json", [e_vil_record(**changes)])
    assert any(p.startswith("nle_data/VCR/vcr_dev_split.json record 0: " + what) for p in problems("vcr", tmp_path))


def nlxgpt_vcr() -> dict[str, Any]:
    return {
        "9": {
            "question": "why does person2 hold umbrella3",
            "answers": "person0 and person2 are wet",
            "explanation": "rain falls on dog1",
            "annot_id": "val-9",
            "img_name": "lsmdc_0001/0001_a@0.jpg",
            "boxes_data": METADATA["boxes"],
            "image_w": 8,
            "image_h": 6,
            "objects": ["person", "dog", "person", "umbrella"],
        }
    }


def test_vcr_nlxgpt_cannot_be_asked(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line())
    (tmp_path / "nle_data/VCR/val.jsonl").unlink()
    put(tmp_path / "nle_data/VCR/vcr_val.json", nlxgpt_vcr())
    with pytest.raises(SnellenError, match=r"vcr_val\.json: nlxgpt's form of VCR has no answer choices"):
        NleData("vcr", tmp_path, Selection())
    assert any("no answer choices" in p for p in problems("vcr", tmp_path))


def test_the_official_file_is_read_before_what_was_derived_from_it(tmp_path: Path) -> None:
    vcr(tmp_path, vcr_line())
    put(tmp_path / "nle_data/VCR/vcr_val.json", nlxgpt_vcr())
    assert NleData("vcr", tmp_path, Selection()).files == ("nle_data/VCR/val.jsonl",)


# ---------------------------------------------------------------- recognising


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "not valid JSON"),
        ("{}", "holds no records"),
        ("[]", "holds no records"),
        ("[1, 2]", "holds no records"),
        ('{"1": {"question": "q"', r"not valid JSON \(Input data was truncated"),
        (
            '{"1": {"hypothesis": "h", "image_name": "x.jpg"}}',
            "not a known format of vqax .*with hypothesis, image_name",
        ),
        ("a,b\n1,2\n", "not valid JSON"),
        ("[" * 100_000, "not valid JSON|nested too deeply|holds no records"),
    ],
)
def test_files_that_are_something_else_are_refused(tmp_path: Path, content: str, what: str) -> None:
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", content)
    with pytest.raises(SnellenError, match=rf"vqaX_val\.json: .*({what})"):
        NleData("vqax", tmp_path, Selection())
    assert len(list(check("vqax", tmp_path))) == 1


def test_json_that_breaks_later_is_an_error_with_the_place(tmp_path: Path) -> None:
    good = '"1": {"question": "q", "answers": ["a"], "image_name": "x.jpg"}'
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", "{" + good + ",\n" + good + ",\n !}")
    with pytest.raises(SnellenError, match=r"vqaX_val\.json: not valid JSON \(.*byte"):
        NleData("vqax", tmp_path, Selection())


def test_an_unusable_file_of_the_wanted_split_is_named(tmp_path: Path) -> None:
    record = {"question": "q", "answers": ["a"], "image_name": "x.jpg"}
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", {"1": record})
    put(tmp_path / "nle_data/VQA-X/vqaX_test.json", "{")
    put(tmp_path / "images/val2014/x.jpg", jpeg())
    with pytest.raises(
        SnellenError, match=r"vqax has no split 'test' here: it has val \(.*vqaX_test\.json: not valid JSON"
    ):
        NleData("vqax", tmp_path, Selection(splits=("test",)))
    assert len(NleData("vqax", tmp_path, Selection())) == 1
