"""The synthetic set: the real format and names, the same bytes every time, a shape in the coarse brightness."""

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
from snellen.exams.illusionbench import names
from snellen.synthetic.hidden import make as maker
from snellen.synthetic.hidden import scenery, silhouettes
from snellen.synthetic.hidden.make import make

COUNT, SEED = 12, 5
SPLITS = ("Illusion_IN", "Illusion_LOGO", "Illusion_ICON")
NAME = re.compile(r"([a-z_]+)-(?:(\d+)-)?([A-Z][A-Za-z_]+)-(Easy|Hard)-(\d\.\d+)-(syn\d+)\.png")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("illusionbench")
    seen: list[tuple[int, int]] = []
    files = make(out, count=COUNT, seed=SEED, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert [f.relative_to(out).as_posix() for f in files] == sorted(f"{s}/shard_000.parquet" for s in SPLITS)
    assert seen == [(i + 1, 3 * COUNT) for i in range(3 * COUNT)]
    return out


def rows(folder: Path, split: str) -> list[dict[str, object]]:
    out: list[dict[str, object]] = pq.ParquetFile(folder / split / "shard_000.parquet").read().to_pylist()
    return out


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_workers(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "again", count=COUNT, seed=SEED, workers=2)
    for split in SPLITS:
        name = f"{split}/shard_000.parquet"
        assert (made / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    assert not list((tmp_path / "again").rglob("*.part"))


def test_a_sample_depends_on_seed_and_index_alone(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "small", count=2, seed=SEED)
    for split in SPLITS:
        assert rows(tmp_path / "small", split) == rows(made, split)[:2]
    assert maker.sample(SPLITS[0], SEED + 1, 0)[1] != rows(made, SPLITS[0])[0]["image"]["bytes"]  # type: ignore[index]


def test_columns_and_metadata(made: Path) -> None:
    for split in SPLITS:
        file = pq.ParquetFile(made / split / "shard_000.parquet")
        assert file.schema_arrow.names == ["image_name", "image"]
        notes = file.metadata.metadata
        features = {"image_name": {"dtype": "string", "_type": "Value"}, "image": {"_type": "Image"}}
        assert json.loads(notes[b"huggingface"]) == {"info": {"features": features}}
        origin = {"generator": "illusionbench", "version": 2, "seed": SEED, "count": COUNT}
        assert json.loads(notes[b"snellen.synthetic"]) == origin


def test_names_are_real_names_and_pictures_are_small_pngs(made: Path) -> None:
    for split in SPLITS:
        for index, row in enumerate(rows(made, split)):
            name, image = str(row["image_name"]), row["image"]
            found = NAME.fullmatch(name)
            assert found is not None, name
            shape, number, scene, level, strength, ident = found.groups()
            assert shape in silhouettes.shapes(split)
            assert scene in scenery.SCENES
            assert (number is not None) == (split == "Illusion_ICON")
            assert (1.25 <= float(strength) <= 1.6) if level == "Easy" else (0.75 <= float(strength) <= 1.2)
            assert ident == f"syn{index}"
            assert image["path"] == name  # type: ignore[index]
            data = image["bytes"]  # type: ignore[index]
            assert len(data) < 350_000
            assert Image.open(io.BytesIO(data)).size == (384, 384)


def test_the_classes_are_those_of_the_data() -> None:
    assert tuple(scenery.SCENES) == names.WORDS.simple_scenes + names.WORDS.complex_scenes
    for split in SPLITS:
        assert set(silhouettes.shapes(split)) == set(names.SHAPES[split])


@pytest.mark.parametrize("split", SPLITS)
def test_shapes_scenes_and_levels_are_dealt_evenly(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blank = np.zeros((4, 4, 3), dtype=np.uint8)
    monkeypatch.setattr(scenery, "scene", lambda name, rng: None)
    monkeypatch.setattr(scenery, "compose", lambda *_: blank)
    size = len(silhouettes.shapes(split))
    found = [names.parse(maker.sample(split, 3, i)[0]) for i in range(2 * 11 * size)]
    for values, block in (([f.shape for f in found], size), ([f.scene for f in found], 11)):
        for start in range(0, len(values), block):
            assert len(set(values[start : start + block])) == block
    assert set(Counter(f.difficulty for f in found).values()) == {11 * size}


def test_shards_hold_fifty_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maker, "sample", lambda split, seed, index: (f"cat-City-Easy-1.5-{index}.png", b"x"))
    files = make(tmp_path, count=51, seed=1, workers=1)
    assert [f.name for f in files] == ["shard_000.parquet", "shard_001.parquet"] * 3
    assert [pq.ParquetFile(f).metadata.num_rows for f in files] == [50, 1] * 3


def test_another_set_is_not_overwritten(made: Path, tmp_path: Path) -> None:
    before = (made / "Illusion_IN/shard_000.parquet").read_bytes()
    for count, seed in ((COUNT, SEED + 1), (COUNT + 1, SEED)):
        with pytest.raises(SnellenError, match="choose another folder") as caught:
            make(made, count=count, seed=seed)
        assert "\n" not in str(caught.value)
    assert (made / "Illusion_IN/shard_000.parquet").read_bytes() == before
    (tmp_path / "Illusion_IN").mkdir()
    (tmp_path / "Illusion_IN" / "shard_000.parquet").write_bytes(b"not ours")
    with pytest.raises(SnellenError, match="not made here"):
        make(tmp_path, count=1, seed=1)
    with pytest.raises(SnellenError, match="not a folder"):
        make(tmp_path / "Illusion_IN" / "shard_000.parquet", count=1, seed=1)


@pytest.mark.parametrize(("count", "seed"), [(0, 1), (-3, 1), (1, -1)])
def test_senseless_numbers_are_refused_in_one_line(count: int, seed: int, tmp_path: Path) -> None:
    with pytest.raises(SnellenError) as caught:
        make(tmp_path, count=count, seed=seed)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("split", SPLITS)
def test_silhouettes_are_masks_and_all_differ(split: str) -> None:
    seen = set()
    for shape in silhouettes.shapes(split):
        for variant in range(silhouettes.VARIANTS[split]):
            mask = silhouettes.silhouette(split, shape, variant, np.random.default_rng(1))
            assert mask.dtype == np.float32
            assert mask.shape == (384, 384)
            assert mask.min() == 0
            assert mask.max() == 1
            assert 0.04 < mask.mean() < 0.6, shape
            seen.add(silhouettes.render(split, shape, variant, size=64).tobytes())
    assert len(seen) == len(silhouettes.shapes(split)) * silhouettes.VARIANTS[split]


@pytest.mark.parametrize("scene", list(scenery.SCENES))
def test_a_stronger_shape_moves_the_coarse_brightness_more(scene: str) -> None:
    mask = silhouettes.render("Illusion_IN", "teapot")
    swings = []
    for strength in (0.75, 1.2, 1.6):
        picture = scenery.compose(
            scenery.scene(scene, np.random.default_rng(2)), mask, strength, np.random.default_rng(3)
        )
        empty = scenery.compose(
            scenery.scene(scene, np.random.default_rng(2)), 0 * mask + 0.5, strength, np.random.default_rng(3)
        )
        change = (picture.astype(np.float32) - empty) @ scenery.LUMA
        swings.append(abs(float(change[mask > 0.5].mean() - change[mask < 0.5].mean())))
    assert 8 < swings[0] < swings[1] < swings[2]
