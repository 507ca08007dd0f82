"""The original's own set: annotations bit for bit, screens that show what they say."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.grounding.data import GroundingData
from snellen.synthetic.screens.canvas import rgb
from snellen.synthetic.screens.make import annotations_form, make, sample_text
from snellen.synthetic.screens.original import clashes, counts, draw, metadata, plan

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "grounding_data.json").read_text())


@pytest.mark.parametrize("count", [10, 50, 100])
def test_annotations_equal_the_originals_bit_for_bit(count: int) -> None:
    expected = GOLDEN["generator_seed42"][str(count)]
    scenes = plan(count, 42)
    opening, between, closing = annotations_form("synthetic", metadata(len(scenes)))
    text = opening + between.join(sample_text(s.record) for s in scenes) + closing
    assert len(scenes) == expected["num_samples"]
    assert sum(len(s.record["elements"]) for s in scenes) == expected["total_elements"]
    assert len(text) == expected["annotations_json_chars"]
    assert hashlib.sha256(text.encode()).hexdigest() == expected["annotations_json_sha256"]


def test_the_first_sample_is_the_originals() -> None:
    assert plan(10, 42)[0].record == GOLDEN["first_sample"]


def test_counts_are_cut_down_as_in_the_original() -> None:
    for count, expected in GOLDEN["count_truncation"].items():
        cells = {f"{difficulty}_{theme}": n for (difficulty, theme), n in counts(int(count)).items()}
        assert cells == expected["per_cell"] and sum(cells.values()) == expected["total"]
    with pytest.raises(SnellenError, match="no screenshot at all for count 3"):
        plan(3, 42)


def test_gaps_between_elements() -> None:
    for row in GOLDEN["overlaps_margin10"]:
        assert clashes(tuple(row["rect"]), [tuple(o) for o in row["occupied"]]) is row["overlaps"]


def test_known_faults_of_the_original_are_still_there() -> None:
    """They are why `layouts` exists; if this changed, the set would no longer be the original's."""
    stats = GOLDEN["dataset_stats_seed42"]["count100"]
    scenes = plan(100, 42)
    repeated = 0
    for scene in scenes:
        said = Counter(e["instruction"] for e in scene.record["elements"])
        repeated += sum(n for n in said.values() if n > 1)
    assert repeated == stats["non_unique_instruction"]
    kinds = Counter(e["element_type"] for s in scenes for e in s.record["elements"])
    assert kinds == stats["type"]


def test_screens_show_background_buttons_and_fields_where_the_boxes_are() -> None:
    for scene in plan(10, 42)[:3]:
        pixels = np.asarray(Image.open(io.BytesIO(draw(scene))).convert("RGB"))
        assert pixels.shape == (1080, 1920, 3)
        assert tuple(pixels[3, 3]) == rgb(scene.background)
        for shape in scene.shapes:
            x, y, w, h = shape.rect
            if shape.kind == "button":
                assert tuple(pixels[y + 1, x + w - 6]) == rgb(shape.colour)
            inside = pixels[y : y + h + 1, x : x + w + 1].reshape(-1, 3)
            assert len(np.unique(inside, axis=0)) > 1  # something is drawn there


def test_a_written_set_is_read_back(tmp_path: Path) -> None:
    files = make(tmp_path, count=10, seed=42, workers=1, style="original")
    assert (
        hashlib.sha256((tmp_path / "annotations.json").read_bytes()).hexdigest()
        == (GOLDEN["generator_seed42"]["10"]["annotations_json_sha256"])
    )
    assert sum(f.suffix == ".png" for f in files) == 8 and (tmp_path / "samples" / "synthetic_0007.png").is_file()
    data = GroundingData(tmp_path, Selection())
    assert data.synthetic and len(data) == 169
    assert all(v == round(v) for s in data.light() for v in s.truth["boxes"][0])  # whole pixels come back whole
    assert Counter(s.tags["area"] for s in data.light()).keys() <= {"small", "medium", "large"}
