"""What a run takes from a folder: splits, selection, missing images, fingerprints, memory of nothing that is not asked for."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.vqa_nle.check import check
from snellen.exams.vqa_nle.data import NleData
from snellen.exams.vqa_nle.formats.images import ImageIndex, coco_filename


def everything(_id: str) -> bool:
    return True


def jpeg(number: int = 0, size: tuple[int, int] = (8, 6)) -> bytes:
    out = io.BytesIO()
    note = f"image {number}".encode()  # so that images of nearly the same colour differ
    Image.new("RGB", size, (number % 256, number // 256, 90)).save(out, "JPEG", comment=note)
    return out.getvalue()


def put(path: Path, content: bytes | str | Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def vqax_record(number: int, part: str = "val", **changes: Any) -> dict[str, Any]:
    answers = [
        {"answer": a, "answer_confidence": "yes", "answer_id": i} for i, a in enumerate(["yes"] * 7 + ["no"] * 3)
    ]
    return {
        "question": f"Is lamp {number} lit?",
        "answers": answers,
        "image_id": str(number),
        "image_name": coco_filename(number, part),
        "explanation": ["it glows", "the room is bright", "light falls on the table"],
    } | changes


def vqax(where: Path, count: int, split: str = "val", images: bool = True) -> Path:
    part = "train" if split == "train" else "val"
    put(where / f"nle_data/VQA-X/vqaX_{split}.json", {f"{i}001": vqax_record(i, part) for i in range(count)})
    for i in range(count if images else 0):
        put(where / f"images/{part}2014/{coco_filename(i, part)}", jpeg(i))
    return where


def actx(where: Path, count: int, split: str) -> Path:
    records = {
        str(i): {
            "answers": "juggling",
            "image_id": f"{i:09d}",
            "image_name": f"{i:09d}.jpg",
            "explanation": ["a", "b", "c"],
        }
        for i in range(count)
    }
    put(where / f"nle_data/ACT-X/actX_{split}.json", records)
    for i in range(count):
        put(where / f"images/mpi/{i:09d}.jpg", jpeg(i))
    return where


# ---------------------------------------------------------------- samples


def test_samples_carry_id_tags_truth_facts_and_the_files_bytes(tmp_path: Path) -> None:
    data = NleData("vqax", vqax(tmp_path, 3), Selection(splits=("val",)))
    light, full = list(data.light()), list(data.full(everything))
    assert [s.id for s in light] == [s.id for s in full] == ["vqax/val/0001", "vqax/val/1001", "vqax/val/2001"]
    assert light[1].pictures == ()
    assert full[1].pictures[0].data == jpeg(1)
    assert full[1].pictures[0].name == f"images/val2014/{coco_filename(1, 'val')}"
    assert light[1].tags == {"split": "val", "task": "vqax", "answer_type": "yes/no"}
    assert light[1].truth["answers"] == ["yes"] * 7 + ["no"] * 3
    assert light[1].truth["explanations"] == ["it glows", "the room is bright", "light falls on the table"]
    assert light[1].facts == {
        "key": "1001",
        "image_id": "1",
        "image_name": "COCO_val2014_000000000001.jpg",
        "question": "Is lamp 1 lit?",
    }
    assert len(data) == 3 and data.missing == [] and not data.synthetic and data.source == str(tmp_path)


def test_only_wanted_images_are_read(tmp_path: Path) -> None:
    data = NleData("vqax", vqax(tmp_path, 5), Selection())
    for i in (0, 1, 3, 4):
        (tmp_path / "images/val2014" / coco_filename(i, "val")).unlink()
    assert [s.id for s in data.full({"vqax/val/2001"}.__contains__)] == ["vqax/val/2001"]
    with pytest.raises(SnellenError, match=r"images/val2014/COCO_val2014_000000000000\.jpg: cannot be read"):
        list(data.full(everything))


def test_a_sample_without_gold_answers_is_read_and_has_no_truth(tmp_path: Path) -> None:
    vqax(tmp_path, 1)
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", {"7": vqax_record(0, answers=[])})
    (sample,) = NleData("vqax", tmp_path, Selection()).light()
    assert sample.truth is None and sample.tags["answer_type"] == "none"


def test_two_questions_on_one_image_keep_their_own_truth(tmp_path: Path) -> None:
    vqax(tmp_path, 1)
    records = {"1": vqax_record(0, explanation=["first"]), "2": vqax_record(0, question="And?", explanation=["second"])}
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", records)
    samples = list(NleData("vqax", tmp_path, Selection()).full(everything))
    assert [(s.id, s.facts["question"], s.truth["explanations"]) for s in samples] == [
        ("vqax/val/1", "Is lamp 0 lit?", ["first"]),
        ("vqax/val/2", "And?", ["second"]),
    ]


# ---------------------------------------------------------------- splits


def test_a_split_that_is_not_there_is_an_error_that_names_what_is(tmp_path: Path) -> None:
    actx(actx(tmp_path, 3, "train"), 2, "test")
    with pytest.raises(SnellenError, match=r"^actx has no split 'val' here: it has train, test$"):
        NleData("actx", tmp_path, Selection(splits=("val",)))
    with pytest.raises(SnellenError, match="unknown split 'minival' of actx: choose from train, val, test"):
        NleData("actx", tmp_path, Selection(splits=("minival",)))
    assert {s.tags["split"] for s in NleData("actx", tmp_path, Selection()).light()} == {"test"}
    both = NleData("actx", tmp_path, Selection(splits=("test", "train")))
    assert [s.id for s in both.light()] == [f"actx/train/{i}" for i in range(3)] + [f"actx/test/{i}" for i in range(2)]


def test_without_a_split_it_is_val_then_test_then_train(tmp_path: Path) -> None:
    vqax(tmp_path, 2, "train")
    assert next(iter(NleData("vqax", tmp_path, Selection()).light())).tags["split"] == "train"
    vqax(tmp_path, 2, "test")
    assert next(iter(NleData("vqax", tmp_path, Selection()).light())).tags["split"] == "test"
    vqax(tmp_path, 2, "val")
    assert next(iter(NleData("vqax", tmp_path, Selection()).light())).tags["split"] == "val"
    assert len(NleData("vqax", tmp_path, Selection(splits=("dev",)))) == 2


def test_folders_that_hold_nothing_useful_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="no folder"):
        NleData("vqax", tmp_path / "nowhere", Selection())
    with pytest.raises(
        SnellenError, match=r"no annotations of vqax; expected files such as .*nle_data/VQA-X/vqaX_val.json"
    ):
        NleData("vqax", tmp_path, Selection())
    vqax(tmp_path, 1)
    with pytest.raises(SnellenError, match="unknown task 'vcr' of vqax"):
        NleData("vqax", tmp_path, Selection(tasks=("vcr",)))


def test_annotations_may_lie_without_the_usual_folders(tmp_path: Path) -> None:
    vqax(tmp_path, 2)
    (tmp_path / "nle_data/VQA-X/vqaX_val.json").rename(tmp_path / "vqax_val.json")
    assert len(NleData("vqax", tmp_path, Selection())) == 2


# ---------------------------------------------------------------- selection and identity


def test_limits_nest_and_follow_the_seed(tmp_path: Path) -> None:
    vqax(tmp_path, 40)

    def ids(limit: int, seed: int) -> list[str]:
        data = NleData("vqax", tmp_path, Selection(limit=limit, seed=seed))
        assert len(data) == limit
        return [s.id for s in data.light()]

    assert set(ids(5, 1)) < set(ids(20, 1))
    assert ids(20, 1) != ids(20, 2)
    order = [s.id for s in NleData("vqax", tmp_path, Selection()).light()]
    assert ids(20, 1) == [i for i in order if i in set(ids(20, 1))]


def test_the_fingerprint_follows_records_and_images_and_not_the_place(tmp_path: Path) -> None:
    prints = [NleData("vqax", vqax(tmp_path / n, 4), Selection()).fingerprint for n in ("one", "two", "three", "four")]
    assert len(set(prints)) == 1
    records = {f"{i}001": vqax_record(i) for i in range(4)}
    records["0001"]["explanation"] = ["it shines"]
    put(tmp_path / "two/nle_data/VQA-X/vqaX_val.json", records)
    put(tmp_path / "three/images/val2014" / coco_filename(2, "val"), jpeg(2, (40, 40)))
    (tmp_path / "four/images/val2014" / coco_filename(2, "val")).unlink()
    again = [
        NleData("vqax", tmp_path / n, Selection(max_missing=1)).fingerprint for n in ("one", "two", "three", "four")
    ]
    assert again[0] == prints[0] and len(set(again)) == 4


# ---------------------------------------------------------------- images


@pytest.mark.parametrize(
    ("image_id", "part", "name"),
    [
        (262284, "val", "COCO_val2014_000000262284.jpg"),
        (9, "train", "COCO_train2014_000000000009.jpg"),
        ("42", "val", "COCO_val2014_000000000042.jpg"),
        (1234567890123, "val", "COCO_val2014_1234567890123.jpg"),
    ],
)
def test_coco_names(image_id: int | str, part: str, name: str) -> None:
    assert coco_filename(image_id, part) == name


def test_missing_images_stop_the_run_unless_so_many_are_allowed(tmp_path: Path) -> None:
    vqax(tmp_path, 10)
    for i in (2, 5):
        (tmp_path / "images/val2014" / coco_filename(i, "val")).unlink()
    with pytest.raises(
        SnellenError,
        match=r"vqax: 2 of 10 samples have no image under .*images \(val2014/COCO_val2014_000000000002.jpg, val2014/COCO_val2014_000000000005.jpg\).*--max-missing",
    ):
        NleData("vqax", tmp_path, Selection(max_missing=1))
    data = NleData("vqax", tmp_path, Selection(max_missing=2))
    assert data.missing == ["vqax/val/2001", "vqax/val/5001"]
    assert len(data) == 8 == len(list(data.light())) == len(list(data.full(everything)))
    assert not set(data.missing) & {s.id for s in data.light()}


def test_missing_images_count_among_the_selected_samples_only(tmp_path: Path) -> None:
    vqax(tmp_path, 20)
    chosen = [s.facts["image_name"] for s in NleData("vqax", tmp_path, Selection(limit=5)).light()]
    for path in (tmp_path / "images/val2014").iterdir():
        if path.name not in chosen:
            path.unlink()
    assert len(NleData("vqax", tmp_path, Selection(limit=5))) == 5
    (tmp_path / "images/val2014" / chosen[0]).unlink()
    with pytest.raises(SnellenError, match="1 of 5 samples"):
        NleData("vqax", tmp_path, Selection(limit=5))


def test_no_image_at_all_is_an_error_however_many_are_allowed(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match=r"no sample of .* has its image"):
        NleData("vqax", vqax(tmp_path, 3, images=False), Selection(max_missing=99))


def test_the_order_in_which_vqax_images_are_looked_for(tmp_path: Path) -> None:
    records = {
        "in-its-own-folder": vqax_record(1, "train"),  # a train image in a val file
        "by-number": vqax_record(2, image_name="lost.jpg"),
        "without-name": vqax_record(3, image_name=None),
        "elsewhere": vqax_record(4, image_name="COCO_val2014_000000000004.jpg", image_id="x"),
        "bare-name": vqax_record(5, image_name="five.jpg", image_id="x"),
    }
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", records)
    for at, name in enumerate(
        (
            f"train2014/{coco_filename(1, 'train')}",
            f"val2014/{coco_filename(2, 'val')}",
            f"val2014/{coco_filename(3, 'val')}",
            f"more/deep/{coco_filename(4, 'val')}",
            "val2014/five.jpg",
            "train2014/five.jpg",
        )
    ):
        put(tmp_path / "images" / name, jpeg(at))
    found = {s.facts["key"]: s.pictures[0].name for s in NleData("vqax", tmp_path, Selection()).full(everything)}
    assert found == {
        "in-its-own-folder": "images/train2014/COCO_train2014_000000000001.jpg",
        "by-number": "images/val2014/COCO_val2014_000000000002.jpg",
        "without-name": "images/val2014/COCO_val2014_000000000003.jpg",
        "elsewhere": "images/more/deep/COCO_val2014_000000000004.jpg",
        "bare-name": "images/val2014/five.jpg",
    }


def test_a_train_image_known_by_its_number_alone_is_in_the_train_folder(tmp_path: Path) -> None:
    put(tmp_path / "nle_data/VQA-X/vqaX_train.json", {"1": vqax_record(8, image_name=None, image_id=8)})
    put(tmp_path / "images/val2014" / coco_filename(8, "val"), jpeg(1))
    put(tmp_path / "images/train2014" / coco_filename(8, "train"), jpeg(2))
    (sample,) = NleData("vqax", tmp_path, Selection()).full(everything)
    assert sample.pictures[0].data == jpeg(2) and sample.facts["image_name"] == coco_filename(8, "train")


def test_several_files_of_one_name_are_used_only_if_they_are_copies(tmp_path: Path) -> None:
    actx(tmp_path, 1, "test")
    (tmp_path / "images/mpi/000000000.jpg").unlink()
    put(tmp_path / "images/mpi/b/000000000.jpg", jpeg(3))
    put(tmp_path / "images/mpi/a/000000000.jpg", jpeg(3))
    (sample,) = NleData("actx", tmp_path, Selection()).full(everything)
    assert sample.pictures[0].name == "images/mpi/a/000000000.jpg"
    put(tmp_path / "images/mpi/b/000000000.jpg", jpeg(3, (50, 50)))
    with pytest.raises(SnellenError, match="1 of 1 samples have no image"):
        NleData("actx", tmp_path, Selection())


def test_links_are_followed_and_do_not_loop(tmp_path: Path) -> None:
    vqax(tmp_path / "real", 2)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/nle_data").symlink_to(tmp_path / "real/nle_data")
    (tmp_path / "linked/images").symlink_to(tmp_path / "real/images")
    (tmp_path / "real/images/val2014/up").symlink_to(tmp_path / "real/images")
    assert len(NleData("vqax", tmp_path / "linked", Selection())) == 2


def test_a_records_path_cannot_leave_the_image_folder(tmp_path: Path) -> None:
    put(tmp_path / "secret.jpg", jpeg(1))
    vqax(tmp_path / "data", 1)
    for name in ("../../../secret.jpg", str(tmp_path / "secret.jpg"), "..\\..\\..\\secret.jpg"):
        put(tmp_path / "data/nle_data/VQA-X/vqaX_val.json", {"1": vqax_record(0, image_name=name, image_id="x")})
        with pytest.raises(SnellenError, match="1 of 1 samples have no image"):
            NleData("vqax", tmp_path / "data", Selection())


def test_an_image_folder_without_the_usual_name_is_searched_too(tmp_path: Path) -> None:
    vqax(tmp_path, 2)
    (tmp_path / "images/val2014").rename(tmp_path / "coco")
    (tmp_path / "images").rmdir()
    names = [s.pictures[0].name for s in NleData("vqax", tmp_path, Selection()).full(everything)]
    assert names == [f"coco/{coco_filename(i, 'val')}" for i in range(2)]
    assert ImageIndex("vqax", tmp_path).root == tmp_path


# ---------------------------------------------------------------- check


def test_check_lists_every_problem_of_every_split(tmp_path: Path) -> None:
    vqax(tmp_path, 4, "val")
    vqax(tmp_path, 1, "train")
    records = {
        "gone": vqax_record(90),
        "cut": vqax_record(1),
        "no-question": vqax_record(2, question=" "),
        "silent": vqax_record(2, explanation=[]),
        "no-gold": vqax_record(3, answers=[]),
        "odd": vqax_record(3, answers=[7]),
    }
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", records)
    put(tmp_path / "nle_data/VQA-X/vqaX_test.json", "[")
    put(tmp_path / "images/val2014" / coco_filename(1, "val"), jpeg(1)[:40])
    put(tmp_path / "images/train2014" / coco_filename(0, "train"), b"text")
    problems = list(check("vqax", tmp_path))
    file = "nle_data/VQA-X/vqaX_val.json record"
    expected = [
        (f"{file} 'gone'", "image val2014/COCO_val2014_000000000090.jpg is missing", True),
        ("images/val2014/COCO_val2014_000000000001.jpg", "does not decode", True),
        (f"{file} 'no-question'", "no question", True),
        (f"{file} 'silent'", "no explanation", False),
        (f"{file} 'no-gold'", "no gold answer", False),
        (f"{file} 'odd'", "answer: Expected `str | object`, got `int`", True),
        ("nle_data/VQA-X/vqaX_test.json", "not valid JSON", True),
        ("images/train2014/COCO_train2014_000000000000.jpg", "does not decode", True),
    ]
    for where, what, fatal in expected:
        assert any(p.where == where and what in p.what and p.fatal is fatal for p in problems), (where, what, problems)
    assert len(problems) == len(expected)
    with pytest.raises(SnellenError, match=r"'no-question': no question .*and 1 more problems.*data check vqax"):
        NleData("vqax", tmp_path, Selection())


def test_a_sound_folder_has_no_problem(tmp_path: Path) -> None:
    assert list(check("vqax", vqax(tmp_path, 5))) == []
    assert list(check("actx", actx(tmp_path, 5, "test"))) == []


def test_messages_from_hostile_data_stay_on_one_short_line(tmp_path: Path) -> None:
    vqax(tmp_path, 1)
    key = "\x1b[31m" + "k" * 5000 + "\n"
    put(tmp_path / "nle_data/VQA-X/vqaX_val.json", {key: vqax_record(0, question=["x" * 9000])})
    (problem,) = check("vqax", tmp_path)
    assert len(str(problem)) < 700 and "\x1b" not in str(problem) and "\n" not in str(problem)
