"""The synthetic set: the real format and wording, the same bytes every time, pictures that match the truth."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.synthetic.chance import dealt_number
from snellen.synthetic.patterns import drawing, scenes_o3, scenes_p3, wording
from snellen.synthetic.patterns.make import make

CONFIGS = ("P3", "P3_box", "P3_box_img", "O3", "O3_box", "O3_box_img")
COUNT, SEED = 21, 5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("salbench")
    seen: list[tuple[int, int]] = []
    files = make(out, count=COUNT, seed=SEED, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert [f.relative_to(out).as_posix() for f in files] == sorted(f"{c}/shard_000.parquet" for c in CONFIGS)
    assert seen == [(i + 1, 2 * COUNT) for i in range(2 * COUNT)]
    return out


def rows(folder: Path, config: str) -> list[dict[str, object]]:
    table = pq.ParquetFile(folder / config / "shard_000.parquet").read()
    out: list[dict[str, object]] = table.to_pylist()
    return out


def picture(row: dict[str, object]) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(row["image"]["bytes"])))  # type: ignore[index]


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "again", count=COUNT, seed=SEED, workers=2)
    for config in CONFIGS:
        name = f"{config}/shard_000.parquet"
        assert (made / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    assert not list((tmp_path / "again").rglob("*.part"))


def test_a_sample_does_not_depend_on_the_count_but_on_the_seed(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "small", count=2, seed=SEED)
    make(tmp_path / "other", count=2, seed=SEED + 1)
    assert rows(tmp_path / "small", "P3_box_img") == rows(made, "P3_box_img")[:2]
    assert rows(tmp_path / "small", "O3_box") == rows(made, "O3_box")[:2]
    assert rows(tmp_path / "other", "P3")[0]["image"] != rows(made, "P3")[0]["image"]


def test_columns_and_metadata_are_those_of_the_real_set(made: Path) -> None:
    for config in CONFIGS:
        file = pq.ParquetFile(made / config / "shard_000.parquet")
        assert file.metadata.num_rows == COUNT
        schema = file.schema_arrow
        assert schema.names == ["image", "image_id", "question", "answer", "difficulty"]
        assert str(schema.field("image").type) == "struct<bytes: binary, path: string>"
        features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
        assert features["image"] == {"_type": "Image"}
        assert list(features) == schema.names
        origin = json.loads(schema.metadata[b"snellen.synthetic"])
        assert origin == {"generator": "salbench", "version": 2, "seed": SEED, "count": COUNT}


def test_ids_tell_nothing_and_join_the_three_configs(made: Path) -> None:
    for split in ("P3", "O3"):
        ids = [row["image_id"] for row in rows(made, split)]
        assert ids == [f"syn-{split.lower()}-s{SEED}-{i:05d}" for i in range(COUNT)]
        for other in (f"{split}_box", f"{split}_box_img"):
            assert [row["image_id"] for row in rows(made, other)] == ids
            assert [row["answer"] for row in rows(made, other)] == [row["answer"] for row in rows(made, split)]
        assert rows(made, split)[3]["image"] == rows(made, f"{split}_box")[3]["image"]


def test_questions_are_the_data_sets_own_words(made: Path) -> None:
    assert wording.question("P3_box", box=(0.2, 0.19, 0.26, 0.25)) == (
        "Context: This image depicts a scene with  49 objects. Among those, one object at location given by this "
        "bounding box x_min=0.20, y_min=0.19, x_max=0.26, y_max=0.25, is different from the others. Given this list "
        "of low level visual features defined according to feature integration theory: Orientation, Color and Size. "
        "Identify how the special object differs from the rest. Answer the question using a single word or phrase."
    )
    assert rows(made, "P3")[0]["question"] == (
        "Context: Given this list of low level visual features defined according to feature integration theory: "
        "Orientation, Color, Size. Task: Examine this image and identify the feature that makes one object notably "
        "different from the others. Answer the question using a single word or phrase."
    )
    assert rows(made, "P3_box_img")[0]["question"] == (
        "Context: This image depicts a scene with many similar objects. Among those, one object highlighted in a red "
        "box is different from the others. Task: Given this list of low level visual features defined according to "
        "Feature Integration Theory: size, color, orientation. In which way does the special object differ from the "
        "rest. Answer the question using a single word or phrase."
    )
    assert rows(made, "O3")[0]["question"] == (
        "Context: Given this list of low level visual features defined according to feature integration theory: "
        "Orientation, Color, Focus, Shape, Size, Location, Pattern. Task: Examine the provided image and identify the "
        "feature(s) in which one object notably differs from the others. Write out all applicable features separated "
        "by comma.  Do not output any explanations, other texts or special characters rather than the provided "
        "categories."
    )
    assert wording.question("O3_box", n=101, plural="toothbrushes", box=(0.3, 0.47, 0.45, 0.9)) == (
        "Context: This image depicts a scene with 101 toothbrushes. Among those, one object at location given by this "
        "bounding box x_min=0.30, y_min=0.47, x_max=0.45, y_max=0.90, is different from the others. Task: Given this "
        "list of low level visual features defined according to Feature Integration Theory: Orientation, Color, Focus, "
        "Shape, Size, Location, Pattern; in which way does the special object differ from the rest. Write out all "
        "applicable feature(s) separated by comma. Do not output any explanations, other texts or special characters "
        "rather than the provided categories."
    )
    assert wording.question("O3_box_img", n=101, plural="toothbrushes", singular="toothbrush") == (
        "Context: This image depicts a scene with 101 toothbrushes. Among those, one toothbrush highlighted in a red "
        "box is different from the others. Task: Given this list of low level visual features defined according to "
        "Feature Integration Theory: Orientation, Color, Focus, Shape, Size, Location, Pattern. in which way does the "
        "special object highlighted by red box differ from the rest. Write out all applicable feature(s) separated by "
        "comma. Do not output any explanations, other texts or special characters rather than the provided categories."
    )


def test_the_box_in_the_text_is_the_red_box_in_the_picture(made: Path) -> None:
    for split in ("P3", "O3"):
        for said, drawn in zip(rows(made, f"{split}_box"), rows(made, f"{split}_box_img"), strict=True):
            plain, marked = picture(said), picture(drawn)
            changed = (plain != marked).any(axis=-1)
            assert (marked[changed] == [255, 0, 0]).all()
            y, x = np.nonzero((marked == [255, 0, 0]).all(axis=-1))
            height, width = plain.shape[:2]
            red = np.array([x.min() / width, y.min() / height, (x.max() + 1) / width, (y.max() + 1) / height])
            numbers = re.findall(r"=(\d\.\d\d)", str(said["question"]))
            margin = 5 / np.array([width, height, width, height])
            assert (np.abs(np.array(numbers, dtype=float) - red) <= margin + 0.0051).all()


def test_the_box_fits_the_targets_ink() -> None:
    for index in range(18):
        scene = scenes_p3.scene(8, index)
        x0, y0, x1, y1 = scene.box
        ink = (scene.image != scene.image[0, 0]).any(axis=-1)
        inside = ink[y0:y1, x0:x1]
        assert inside[0].any() and inside[-1].any() and inside[:, 0].any() and inside[:, -1].any()
        around = ink[max(0, y0 - 5) : y1 + 5, max(0, x0 - 5) : x1 + 5]
        assert around.sum() == inside.sum()


def test_every_nine_p3_samples_show_every_condition_in_an_order_of_the_seeds() -> None:
    orders = [[dealt_number(9, i, seed, 3, 0) for i in range(18)] for seed in (1, 2)]
    for order in orders:
        assert sorted(order[:9]) == sorted(order[9:]) == list(range(9))
        assert order[:9] != order[9:]
    assert orders[0] != orders[1]
    scenes = [scenes_p3.scene(4, i) for i in range(9)]
    assert Counter(s.features[0] for s in scenes) == {"color": 3, "orientation": 3, "size": 3}
    assert Counter(s.difficulty for s in scenes) == {"easy": 3, "medium": 3, "hard": 3}
    assert all(s.image.shape == (1024, 1024, 3) and s.count == 49 for s in scenes)


def test_o3_scenes_have_one_to_three_features_and_all_difficulties(made: Path) -> None:
    answers = [str(row["answer"]) for row in rows(made, "O3")]
    order = [feature.title() for feature in wording.FEATURES_O3]
    for answer in answers:
        places = [order.index(label) for label in answer.split(", ")]
        assert places == sorted(places) and 1 <= len(places) <= 3
    assert {label for answer in answers for label in answer.split(", ")} == set(order)
    assert Counter(row["difficulty"] for row in rows(made, "O3")) == {"easy": 7, "medium": 7, "hard": 7}
    assert min(scenes_o3.scene(SEED, i).count for i in range(6)) >= 8


def test_a_turn_is_never_one_that_the_shape_does_not_show() -> None:
    rng = np.random.default_rng(1)
    for shape, period in drawing.PERIOD.items():
        cover = drawing.coverage(drawing.turned(drawing.OUTLINES[shape], period) * 60, 4)[0]
        same = drawing.coverage(drawing.OUTLINES[shape] * 60, 4)[0]
        assert np.abs(cover - same).mean() < 0.01 if cover.shape == same.shape else period == 0
        if period:
            turns = [abs(scenes_p3._turn(rng, shape, "easy")) for _ in range(50) if period >= 60]
            assert all(turn <= period / 2 for turn in turns)


def test_a_folder_with_another_set_is_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="choose another folder"):
        make(made, count=COUNT, seed=SEED + 1)
    with pytest.raises(SnellenError, match="choose another folder"):
        make(made, count=COUNT + 1, seed=SEED)
    (tmp_path / "P3").mkdir()
    (tmp_path / "P3" / "shard_000.parquet").write_bytes(b"someone's data")
    with pytest.raises(SnellenError, match="not made here"):
        make(tmp_path, count=1, seed=1)
    assert (tmp_path / "P3" / "shard_000.parquet").read_bytes() == b"someone's data"


@pytest.mark.parametrize(("count", "seed"), [(0, 1), (-3, 1), (1, -1)])
def test_impossible_sizes_are_refused(tmp_path: Path, count: int, seed: int) -> None:
    with pytest.raises(SnellenError):
        make(tmp_path, count=count, seed=seed)


@pytest.mark.parametrize(("seed", "index"), [(0, 386), (1, 154)])
def test_a_large_object_at_the_edge_stays_in_the_picture(seed: int, index: int) -> None:
    from snellen.synthetic.patterns.scenes_p3 import SIDE, scene

    made = scene(seed, index)
    x1, y1, x2, y2 = made.box
    assert 0 <= x1 < x2 <= SIDE
    assert 0 <= y1 < y2 <= SIDE
