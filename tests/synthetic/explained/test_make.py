"""Synthetic sets of the four tasks: real formats and layout, labels that hold, answers that words alone do not give away."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.synthetic.explained import actx as made_actx
from snellen.synthetic.explained import esnlive as made_esnlive
from snellen.synthetic.explained import vcr as made_vcr
from snellen.synthetic.explained import vqax as made_vqax
from snellen.synthetic.explained.make import LAYOUTS, make
from snellen.synthetic.scenes.canvas import CanvasBox
from snellen.synthetic.scenes.model import Person, Scene, Thing

COUNT, SEED = 12, 4
LABEL = {"generator": "vqa_nle", "version": 2, "seed": SEED}
MAKERS = {"vqax": made_vqax, "actx": made_actx, "esnlive": made_esnlive, "vcr": made_vcr}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All four tasks in one folder, as the original lays them out."""
    out = tmp_path_factory.mktemp("nle")
    for task, layout in LAYOUTS.items():
        seen: list[tuple[int, int]] = []
        files = make(
            task, out, count=COUNT, seed=SEED, workers=1, progress=lambda done, total, to=seen: to.append((done, total))
        )
        assert all(f.is_file() for f in files)
        total = sum(2 * COUNT if split == "train" else COUNT for split in layout.splits)
        assert seen == [(i + 1, total) for i in range(total)]
    return out


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records without drawing, for statistics."""
    for module in MAKERS.values():
        monkeypatch.setattr(module, "picture", lambda scene: (b"", tuple(CanvasBox(0, 0, 1, 1) for _ in scene.items())))


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / "nle_data" / name).read_text())


def picture(path: Path) -> tuple[str | None, str, tuple[int, int]]:
    with Image.open(path) as image:
        return image.format, image.mode, image.size


def test_the_layout_is_that_of_the_original(made: Path) -> None:
    assert {p.name for p in (made / "images").iterdir()} == {"train2014", "val2014", "mpi", "flickr30k", "vcr1images"}
    names = {p.relative_to(made / "nle_data").as_posix() for p in (made / "nle_data").rglob("*.*")}
    assert names == {
        *(f"VQA-X/vqaX_{split}.json" for split in ("train", "val", "test")),
        *(f"ACT-X/actX_{split}.json" for split in ("train", "test")),
        *(f"eSNLI-VE/esnlive_{split}.{ending}" for split in ("train", "test") for ending in ("json", "csv")),
        *(f"VCR/{name}" for split in ("train", "val", "test") for name in (f"vcr_{split}.json", f"{split}.jsonl")),
    }
    mark = json.loads((made / "snellen_synthetic.json").read_text())
    assert mark == LABEL | {"count": COUNT}


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_vqax_records(made: Path, split: str) -> None:
    records = read(made, f"VQA-X/vqaX_{split}.json")
    assert len(records) == (2 * COUNT if split == "train" else COUNT)
    folder = "train2014" if split == "train" else "val2014"
    for key, record in records.items():
        assert list(record) == ["question", "answers", "image_id", "image_name", "explanation", "snellen.synthetic"]
        assert record["image_name"] == f"snellen_vqax_{split}_{int(record['image_id'].split('-')[-1]):06d}.jpg"
        assert re.fullmatch(rf"{record['image_id']}-[12]", key)
        assert record["snellen.synthetic"] == LABEL
        assert picture(made / "images" / folder / record["image_name"]) == ("JPEG", "RGB", (320, 240))
        assert [a["answer_id"] for a in record["answers"]] == list(range(1, 11))
        assert {a["answer_confidence"] for a in record["answers"]} <= {"yes", "maybe", "no"}
        assert Counter(a["answer"] for a in record["answers"]).most_common(1)[0][1] >= 7
        assert len(set(record["explanation"])) == 3
        assert all(text == text.lower() and "." not in text for text in record["explanation"])
    shared = Counter(record["image_name"] for record in records.values())
    assert set(shared.values()) == {1, 2}, "a few pictures have two questions"


def test_no_picture_is_in_two_splits(made: Path) -> None:
    seen = [
        {r["image_name"] for r in read(made, f"VQA-X/vqaX_{split}.json").values()} for split in ("train", "val", "test")
    ]
    assert not seen[0] & seen[1]
    assert not seen[1] & seen[2]
    assert not seen[0] & seen[2]


@pytest.mark.parametrize("split", ["train", "test"])
def test_actx_records(made: Path, split: str) -> None:
    records = read(made, f"ACT-X/actX_{split}.json")
    assert len(records) == (2 * COUNT if split == "train" else COUNT)
    for record in records.values():
        assert list(record) == ["answers", "image_id", "image_name", "explanation", "snellen.synthetic"]
        assert record["answers"] in made_actx.LABELS
        assert re.fullmatch(rf"snellen_actx_{split}_\d{{6}}", record["image_id"])
        assert record["image_name"] == record["image_id"] + ".jpg"
        assert picture(made / "images" / "mpi" / record["image_name"]) == ("JPEG", "RGB", (320, 240))
        assert len(set(record["explanation"])) == 3
    assert any("," in label for label in made_actx.LABELS)
    heads = Counter(label.split(",")[0] for label in made_actx.LABELS)
    assert max(heads.values()) > 2, "labels share heads, as the real ones do"


@pytest.mark.parametrize("split", ["train", "test"])
def test_esnlive_csv_and_json_say_the_same(made: Path, split: str) -> None:
    text = (made / "nle_data" / "eSNLI-VE" / f"esnlive_{split}.csv").read_text()
    assert text.splitlines()[0] == ",pairID,Flickr30kID,hypothesis,gold_label,explanation,snellen.synthetic"
    rows = list(csv.DictReader(io.StringIO(text)))
    short = read(made, f"eSNLI-VE/esnlive_{split}.json")
    assert len(rows) == len({row["pairID"] for row in rows}) == (2 * COUNT if split == "train" else COUNT)
    assert [row[""] for row in rows] == list(short)
    by_picture = Counter(row["Flickr30kID"] for row in rows)
    assert set(by_picture.values()) == {3}
    for row in rows:
        assert re.fullmatch(rf"{row['Flickr30kID']}#\dr1{row['gold_label'][0]}", row["pairID"])
        assert picture(made / "images" / "flickr30k" / row["Flickr30kID"]) == ("JPEG", "RGB", (320, 240))
        other = short[row[""]]
        assert other == {
            "hypothesis": row["hypothesis"],
            "answers": row["gold_label"],
            "image_name": row["Flickr30kID"],
            "explanation": row["explanation"].lower().replace(".", ""),
            "snellen.synthetic": json.loads(row["snellen.synthetic"]),
        }
        assert other["snellen.synthetic"] == LABEL
    assert Counter(row["gold_label"] for row in rows) == dict.fromkeys(made_esnlive.LABELS, len(rows) // 3)


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_vcr_lines_items_and_metadata_agree(made: Path, split: str) -> None:
    lines = [json.loads(line) for line in (made / "nle_data" / "VCR" / f"{split}.jsonl").read_text().splitlines()]
    items = read(made, f"VCR/vcr_{split}.json")
    assert len(lines) == len(items) == (2 * COUNT if split == "train" else COUNT)
    for line, item in zip(lines, items, strict=True):
        assert line["annot_id"] == item["question_id"]
        assert line["img_fn"] == item["raw_img_id"]
        assert line["objects"] == item["objects"]
        assert line["answer_label"] == item["label"]
        assert picture(made / "images" / "vcr1images" / line["img_fn"]) == ("JPEG", "RGB", (320, 240))
        metadata = json.loads((made / "images" / "vcr1images" / line["metadata_fn"]).read_text())
        assert metadata["names"] == line["objects"]
        assert metadata["snellen.synthetic"] == line["snellen.synthetic"] == item["snellen.synthetic"] == LABEL
        assert (metadata["width"], metadata["height"]) == (320, 240)
        assert len(metadata["boxes"]) == len(metadata["segms"]) == len(line["objects"])
        for x1, y1, x2, y2, score in metadata["boxes"]:
            assert 0 <= x1 < x2 <= 320
            assert 0 <= y1 < y2 <= 240
            assert 0 < score <= 1
        texts = [line["question"], *line["answer_choices"], *line["rationale_choices"]]
        for reference in (token for tokens in texts for token in tokens if isinstance(token, list)):
            assert all(0 <= index < len(line["objects"]) for index in reference)
        for tokens, tagged in zip(
            [line["question"], *line["answer_choices"], line["rationale_choices"][line["rationale_label"]]],
            [item["sent"], *item["answer_choices"], item["explanation"]],
            strict=True,
        ):
            assert " ".join(f"<|det{t[0]}|>" if isinstance(t, list) else t for t in tokens) == tagged
        assert len({json.dumps(c) for c in line["answer_choices"]}) == 4
        assert len({json.dumps(c) for c in line["rationale_choices"]}) == 4
        assert all(choice[-1] == "." for choice in line["answer_choices"])
        assert line["question_orig"].endswith("?")


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(made: Path, tmp_path: Path) -> None:
    for task in ("vqax", "esnlive"):
        for path in make(task, tmp_path / task, count=COUNT, seed=SEED, workers=2):
            assert path.read_bytes() == (made / path.relative_to(tmp_path / task)).read_bytes(), path.name
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("task", LAYOUTS)
def test_a_record_depends_on_seed_split_and_index_alone(task: str, made: Path) -> None:
    one, again = (MAKERS[task].made("test", SEED, 5) for _ in range(2))
    assert one == again
    others = [MAKERS[task].made("test", SEED + 1, 5), MAKERS[task].made("train", SEED, 5)]
    assert all(json.dumps(one.record) != json.dumps(other.record) for other in others)
    if task == "vqax":
        assert read(made, "VQA-X/vqaX_test.json")[one.key] == one.record | {"snellen.synthetic": LABEL}


def test_a_folder_with_something_else_is_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="no task 'vqa': choose one of vqax, actx, esnlive, vcr"):
        make("vqa", tmp_path / "x", count=1, seed=0)
    with pytest.raises(SnellenError, match="choose another folder"):
        make("vqax", made, count=COUNT, seed=SEED + 1)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(SnellenError, match="not made here"):
        make("vqax", tmp_path, count=1, seed=0)


# ---------------------------------------------------------------- what subjects that never look would score


def guessed(train: list[tuple[str, str]], test: list[tuple[str, str]]) -> float:
    """Accuracy of giving the answer that this very text had most often."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for text, answer in train:
        seen[text][answer] += 1
    usual = Counter(answer for _, answer in train).most_common(1)[0][0]
    return sum((seen[t].most_common(1)[0][0] if t in seen else usual) == answer for t, answer in test) / len(test)


def majority(record: dict[str, Any]) -> str:
    return Counter(a["answer"] for a in record["answers"]).most_common(1)[0][0]


@pytest.mark.usefixtures("blind")
def test_vqax_answers_are_balanced() -> None:
    train, test = (
        [made_vqax.made(split, 0, i).record for i in range(n)] for split, n in (("train", 2400), ("test", 1200))
    )
    said = Counter(majority(r) for r in test)
    assert 0.42 < (said["yes"] + said["no"]) / len(test) < 0.6
    assert abs(said["yes"] - said["no"]) < 0.08 * len(test)
    colours = Counter(majority(r) for r in test if r["question"].startswith("What color"))
    assert max(colours.values()) < 0.2 * sum(colours.values())
    asked = [[(r["question"], majority(r)) for r in part] for part in (train, test)]
    assert guessed(*asked) < 0.42
    present = [[(q, answer) for q, answer in part if q.startswith("Is there")] for part in asked]
    assert 0.4 < guessed(*present) < 0.6, "no kind is asked for only where it is"
    kinds = {q.split()[0] + " " + q.split()[1] for q, _ in asked[1]}
    assert {"Is there", "How many", "What color", "Where is", "What is", "Is the"} <= kinds


@pytest.mark.usefixtures("blind")
def test_esnlive_words_do_not_give_the_label_away() -> None:
    rows = [[made_esnlive.made(split, 0, i).extra for i in range(n)] for split, n in (("train", 2400), ("test", 1200))]
    assert Counter(r["gold_label"] for r in rows[1]) == dict.fromkeys(made_esnlive.LABELS, 400)
    assert guessed(*([(r["hypothesis"], r["gold_label"]) for r in part] for part in rows)) < 0.52
    labels: dict[str, set[str]] = defaultdict(set)
    for row in rows[0]:
        labels[row["hypothesis"]].add(row["gold_label"])
    for text in (
        "It is raining.",
        "There is a ball in the box.",
        "The box is empty.",
        "There is juice on the worktop.",
        "The man has black hair.",
    ):
        assert labels[text] == set(made_esnlive.LABELS)


@pytest.mark.usefixtures("blind")
def test_vcr_choices_do_not_give_the_answer_away() -> None:
    worth: Counter[tuple[str, str, bool]] = Counter()

    def parts(line: dict[str, Any]) -> list[tuple[str, str]]:
        return [(json.dumps(line["question"]), json.dumps(choice)) for choice in line["answer_choices"]]

    for index in range(2800):
        line = made_vcr.made("train", 0, index).record
        worth.update((*part, place == line["answer_label"]) for place, part in enumerate(parts(line)))
    right, labels = 0, Counter()
    for index in range(1400):
        line = made_vcr.made("test", 0, index).record
        labels[line["answer_label"]] += 1
        scores = [(worth[*p, True] + 0.25) / (worth[*p, True] + worth[*p, False] + 1) for p in parts(line)]
        right += scores.index(max(scores)) == line["answer_label"]
    assert labels == dict.fromkeys(range(4), 350)
    assert right / 1400 < 0.34


@pytest.mark.usefixtures("blind")
def test_actx_labels_are_dealt_evenly() -> None:
    said = Counter(made_actx.made("test", 0, index).record["answers"] for index in range(27 * 12))
    assert set(said) <= set(made_actx.LABELS)
    assert len(said) > 30
    assert max(said.values()) == 12


# ---------------------------------------------------------------- labels hold


def hypotheses(scene: Scene) -> dict[str, str]:
    from snellen.synthetic.chance import generator

    families = [*made_esnlive.plain_claims(scene, generator("x")), *made_esnlive.hidden_claims(scene)]
    return {claim.text: claim.label for claim in families}


def test_what_the_scene_shows_is_entailed_or_contradicted_and_what_it_hides_is_neutral() -> None:
    boy = Person(who="boy", column="left", shirt="red", trousers="blue", hair="black", action="standing")
    room = Scene(
        place="living room",
        weather="rainy",
        people=(boy,),
        things=(
            Thing(kind="box", column="right", colour="white", state="closed", size="small"),
            Thing(kind="window", column="centre", colour="green", state="closed"),
        ),
    )
    said = hypotheses(room)
    assert {
        said[t] for t in ("there is a ball in the box", "the box is empty", "it is raining", "the sun is shining")
    } == {"neutral"}
    assert said["the boy has black hair"] == said["the boy is wearing blue trousers"] == "entailment"
    assert said["the boy has blond hair"] == said["the boy is wearing red trousers"] == "contradiction"
    assert said["the boy is standing"] == said["the box is closed"] == "entailment"
    open_room = Scene(
        place="living room",
        weather="rainy",
        people=(
            Person(who="boy", column="left", shirt="red", trousers="blue", hair="black", action="standing", hat="red"),
        ),
        things=(
            Thing(kind="box", column="right", colour="white", state="open", size="small", inside="red"),
            Thing(kind="window", column="centre", colour="green", state="open"),
        ),
    )
    said = hypotheses(open_room)
    assert (said["there is a ball in the box"], said["the box is empty"]) == ("entailment", "contradiction")
    assert (said["it is raining"], said["the sun is shining"]) == ("entailment", "contradiction")
    assert said["the boy has black hair"] == said["the boy has blond hair"] == "neutral", "short hair is under the hat"
    swimmer = Person(who="girl", column="left", shirt="red", hair="black", action="swimming", hat="red")
    said = hypotheses(Scene(place="lake", weather="sunny", people=(swimmer,)))
    assert said["the girl is wearing blue trousers"] == "neutral"
    assert said["the girl has black hair"] == "entailment", "long hair is seen below a hat"


@pytest.mark.parametrize(
    ("things", "label"),
    [
        ([Thing(kind="glass", column="left", state="full")], "entailment"),
        ([Thing(kind="glass", column="left", state="empty")], "contradiction"),
        ([Thing(kind="cup", column="left", colour="red")], "neutral"),
        ([Thing(kind="glass", column="left", state="empty"), Thing(kind="cup", column="right", colour="red")], None),
        ([Thing(kind="apple", column="left", colour="red")], None),
    ],
)
def test_juice(things: list[Thing], label: str | None) -> None:
    said = hypotheses(Scene(place="kitchen", weather="sunny", things=tuple(things)))
    assert said.get("there is juice on the worktop") == label
