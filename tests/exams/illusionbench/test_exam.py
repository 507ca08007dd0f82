"""Data in both forms, names that do not parse, `robust`, the summary, and a run from end to end."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.support.command import snellen
from tests.support.endpoint import Endpoint

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.outcomes import mark_reply
from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.illusionbench.data import IllusionData
from snellen.exams.illusionbench.exam import EXAM
from snellen.exams.illusionbench.names import SCENES, SHAPES
from snellen.exams.illusionbench.protocols import PROTOCOLS
from snellen.exams.illusionbench.reading import answer_robust
from snellen.stats.tally import summarised

NAMES = [
    "cat-Ocean-Easy-1.25-1.png",
    "dog-City-Hard-0.85-2.png",
    "paper_clip-Sand_dune-Easy-1.5-3.png",
    "mug-Museum-Hard-1.1-4.png",
]
ICONS = ["animal-1-Medieval_Village-Easy-1.5-90.png", "stationary-7-Ocean-Hard-0.9-1.png"]


def picture(i: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), (i, 9, 9)).save(out, "PNG")
    return out.getvalue()


def parquet(folder: Path, subset: str, names: list[str]) -> Path:
    path = folder / subset / "part.parquet"
    path.parent.mkdir(parents=True)
    images = [{"bytes": picture(i), "path": n} for i, n in enumerate(names)]
    pq.write_table(pa.table({"image_name": names, "image": images}), path)
    return folder


def plain(folder: Path, subset: str, names: list[str]) -> Path:
    for i, name in enumerate(names):
        path = folder / subset / "simple_prompts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture(i))
    return folder


@pytest.mark.parametrize("write", [parquet, plain])
def test_both_forms_give_every_image_once_a_task(tmp_path: Path, write: object) -> None:
    write(tmp_path, "Illusion_IN", NAMES)  # type: ignore[operator]
    data = IllusionData(tmp_path, Selection())
    full = list(data.full(lambda _i: True))
    assert len(data) == len(full) == 8
    assert [s.id for s in full] == [s.id for s in data.light()]
    first = next(s for s in full if s.tags["shape"] == "cat" and s.tags["task"] == "shape")
    assert first.tags == {
        "split": "Illusion_IN",
        "task": "shape",
        "shape": "cat",
        "scene": "Ocean",
        "difficulty": "Easy",
        "strength": "1.25",
    }
    assert first.pictures[0].data == picture(0)
    assert len(list(data.full({first.id}.__contains__))) == 1


def test_the_hubs_own_layout(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    table = pa.table({"image_name": ICONS, "image": [{"bytes": picture(i), "path": None} for i in range(2)]})
    pq.write_table(table, folder / "Illusion_ICON-00000-of-00001.parquet")
    assert len(IllusionData(tmp_path, Selection(splits=("ICON",), tasks=("shape",)))) == 2


def test_limits_take_the_same_images_for_both_tasks(tmp_path: Path) -> None:
    parquet(tmp_path, "Illusion_IN", NAMES)
    data = IllusionData(tmp_path, Selection(limit=2, seed=5))
    assert len(data) == 4
    images = [s.id.rpartition("/")[0] for s in data.light()]
    assert sorted(images) == sorted(2 * sorted(set(images)))


def test_names_that_do_not_parse_are_never_dropped_in_silence(tmp_path: Path) -> None:
    parquet(
        tmp_path, "Illusion_IN", [*NAMES, "cat-Forest.png", "unicorn-Ocean-Easy-1.5-3.png", "cat-Moon-Easy-1.5-3.png"]
    )
    with pytest.raises(
        SnellenError, match=r"part.parquet row 4: image_name 'cat-Forest.png' does not parse.*and 2 more"
    ):
        IllusionData(tmp_path, Selection())
    with pytest.raises(SnellenError, match="--max-missing 3 goes on without them"):
        IllusionData(tmp_path, Selection(max_missing=2))
    data = IllusionData(tmp_path, Selection(max_missing=3))
    assert len(data) == len(list(data.light())) == len(list(data.full(lambda _i: True))) == 2 * len(NAMES)
    assert [m.partition(":")[0] for m in data.missing] == [f"Illusion_IN/part.parquet row {i}" for i in (4, 5, 6)]
    words = ("run", "illusionbench", "--data", tmp_path, "--model", "baseline/chance", "--max-missing", 3, "--shots", 0)
    done = snellen(*words, "--protocol", "original", "--out", tmp_path / "runs", cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    listed = json.loads((next((tmp_path / "runs").iterdir()) / "run.json").read_text())["data"]["missing"]
    assert listed == list(data.missing)
    problems = [str(p) for p in EXAM.check(tmp_path)]
    assert len(problems) == 3
    assert any("'unicorn' is not a shape of Illusion_IN" in p for p in problems)
    assert any("'Moon' is not a scene" in p for p in problems)


def test_image_files_that_are_not_read_are_noted(tmp_path: Path) -> None:
    parquet(tmp_path, "Illusion_IN", NAMES)
    (tmp_path / "Illusion_IN" / "cat-City-Easy-1.5-9.png").write_bytes(picture(1))
    plain(tmp_path, "Illusion_ICON", ICONS)
    (tmp_path / "Illusion_ICON" / "simple_prompts" / "music-1-City-Easy-1.5-9.bmp").write_bytes(picture(1))
    notes = {p.where: p for p in EXAM.check(tmp_path)}
    assert not any(p.fatal for p in notes.values())
    assert notes["Illusion_IN"].what == (
        "1 image files are not read (cat-City-Easy-1.5-9.png, ...): beside a parquet file, or not .png, .jpg, .jpeg, .webp"
    )
    assert "1 image files are not read (music-1-City-Easy-1.5-9.bmp, ...)" in notes["Illusion_ICON"].what


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ({"shape": ""}, "line 2: field \"shape\": '' is no shape of Illusion_LOGO"),
        ({"shape": "unicorn"}, "line 2: field \"shape\": 'unicorn' is no shape"),
        ({"scene": "Moon"}, "line 2: field \"scene\": 'Moon' is no scene"),
    ],
)
def test_mark_knows_the_classes_and_their_aliases(truth: dict[str, str], message: str, tmp_path: Path) -> None:
    row = {"id": 1, "subset": "Illusion_LOGO", "task": "shape", "shape": "Mercedes Benz", "scene": "times square"}
    row["response"] = "Mercedes Benz"
    lines = f"{json.dumps(row)}\n{json.dumps(row | truth)}"
    done = snellen("mark", "illusionbench", "--protocol", "robust", stdin=lines, cache=tmp_path)
    assert json.loads(done.stdout.splitlines()[0])["outcome"] == "correct"
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Selection(splits=("LOGO",)), "no files for Illusion_LOGO; it has Illusion_IN"),
        (Selection(splits=("val",)), "unknown split 'val'"),
        (Selection(tasks=("colour",)), "unknown task 'colour'"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, options: Selection, message: str) -> None:
    parquet(tmp_path, "Illusion_IN", NAMES)
    with pytest.raises(SnellenError, match=message):
        IllusionData(tmp_path, options)


ROBUST = [
    ("Stationery", "Illusion_ICON", "shape", "stationary"),
    ("Transport", "Illusion_ICON", "shape", None),
    ("Answer: Mercedes Benz", "Illusion_LOGO", "shape", "benz"),
    ("mercedes-benz", "Illusion_LOGO", "shape", "benz"),
    ("McDonald's", "Illusion_LOGO", "shape", "mcdonalds"),
    ("Pineapple", "Illusion_LOGO", "shape", None),
    ("audio", "Illusion_LOGO", "shape", None),
    ("Times Square", "Illusion_LOGO", "scene", "Time_square"),
    ("sand dunes", "Illusion_IN", "scene", "Sand_dune"),
    ("electricity", "Illusion_IN", "scene", None),
    ("**Paper clip**", "Illusion_IN", "shape", "paper_clip"),
    ("The icon is not a vehicle, it is a forest", "Illusion_ICON", "shape", "Forest"),
    ("Ocean", "Illusion_IN", "shape", "Ocean"),
    ("cat", "Illusion_IN", "scene", "cat"),
    ("Ocean or City", "Illusion_IN", "shape", None),
    ("It is a cat. It is not a cat.", "Illusion_IN", "shape", None),
    ("Answer: cat. It is not a cat.", "Illusion_IN", "shape", None),
    ("It cannot be a cat", "Illusion_IN", "shape", None),
    ("It can't possibly be a cat", "Illusion_IN", "shape", None),
    ("It does not look like a cat", "Illusion_IN", "shape", None),
    ("not really a cat", "Illusion_IN", "shape", None),
    ("This isn\u2019t the shape of a cat", "Illusion_IN", "shape", None),
    ("A cat is not what I see", "Illusion_IN", "shape", None),
    ("There is no sign of a cat", "Illusion_IN", "shape", None),
    ("It is not a dog or a bird. It is a cat.", "Illusion_IN", "shape", "cat"),
    ("It is not a dog but a cat", "Illusion_IN", "shape", "cat"),
    ("I am not sure, but I would say cat", "Illusion_IN", "shape", "cat"),
    ("No, it is a cat", "Illusion_IN", "shape", "cat"),
    ("<think>dog, no</think> cat", "Illusion_IN", "shape", "cat"),
    ("maybe a dog, or a bird</think>cat", "Illusion_IN", "shape", "cat"),
    ("<think>it could be a cat", "Illusion_IN", "shape", None),
    ("The icon is not a vehicle, it is an animal", "Illusion_ICON", "shape", "animal"),
    ("A forest shaped like a vehicle", "Illusion_ICON", "scene", "Forest"),
    ("A forest shaped like a vehicle", "Illusion_ICON", "shape", "vehicle"),
    ("cat or dog", "Illusion_IN", "shape", None),
    ("Answer: cat\nAnswer: dog", "Illusion_IN", "shape", "dog"),
    ("I cannot determine the category.", "Illusion_IN", "shape", None),
    ("", "Illusion_IN", "shape", None),
]


@pytest.mark.parametrize(("reply", "subset", "task", "expected"), ROBUST)
def test_robust(reply: str, subset: str, task: str, expected: str | None) -> None:
    assert answer_robust(reply, subset, task) == expected


def test_the_scene_said_for_the_shape_is_a_wrong_answer_and_not_an_unreadable_one() -> None:
    asked = sample(1, "cat", "Ocean", subset="Illusion_IN")
    mark = mark_reply(PROTOCOLS["robust"], asked, "Ocean")
    assert (mark.outcome, mark.reading) == (Outcome.WRONG, "Ocean")
    assert mark.metrics == {"recall": 0.0, "shape_recall": 0.0, "scene_recall": 1.0}
    right = mark_reply(PROTOCOLS["robust"], asked, "cat")
    assert right.metrics == {"recall": 1.0, "shape_recall": 1.0, "scene_recall": 0.0}


def test_readers_take_long_hostile_replies_in_their_stride() -> None:
    """Quadratic readers would take minutes for these."""
    for reply in ("\n" * 200_000, "answer: " * 30_000, "not " * 50_000, "shape " * 40_000, "a" * 200_000):
        for protocol in PROTOCOLS.values():
            assert mark_reply(protocol, sample(1, "music", "City"), reply).outcome is not Outcome.CORRECT


def sample(i: int, shape: str, scene: str, task: str = "shape", subset: str = "Illusion_ICON") -> Sample:
    tags = {"split": subset, "task": task, "shape": shape, "scene": scene, "difficulty": "Easy", "strength": "1.5"}
    return Sample(id=str(i), tags=tags, truth={"shape": shape, "scene": scene})


def test_listing_every_option_wins_under_substring_protocols_and_not_under_robust() -> None:
    everything = ", ".join((*SHAPES["Illusion_ICON"], *SCENES))
    outcomes = {
        name: mark_reply(protocol, sample(1, "music", "City"), everything).outcome
        for name, protocol in PROTOCOLS.items()
    }
    assert outcomes == {
        "original": Outcome.CORRECT,
        "original-icl": Outcome.CORRECT,
        "lmms-first": Outcome.CORRECT,
        "lmms-strict": Outcome.UNPARSABLE,
        "lmms-head": Outcome.CORRECT,
        "robust": Outcome.UNPARSABLE,
    }


def test_the_summary_has_the_two_by_two_rest_and_the_line_without_stationary() -> None:
    replies = [
        ("animal", "Ocean", "animal"),
        ("animal", "City", "city"),
        ("stationary", "City", "Stationery"),
        ("music", "City", "?"),
    ]

    def marked() -> Iterator[tuple[Sample, Mark]]:
        for i, (shape, scene, reply) in enumerate(replies):
            yield sample(i, shape, scene), mark_reply(PROTOCOLS["original"], sample(i, shape, scene), reply)

    groups = summarised(PROTOCOLS["original"], marked())
    whole = groups[0]
    assert whole.by == {"split": "Illusion_ICON", "task": "shape"}
    assert {k: m.value for k, m in whole.metrics.items()} == {
        "recall": 0.25,
        "shape_recall": 0.25,
        "scene_recall": 0.25,
        "rest": 0.5,
        "multi_word": 0.0,
    }
    floor = whole.metrics["shape_recall"]
    assert (floor.floor, floor.forbidden) == (0.5, 1.0)  # one name; listing every name wins under substring matching
    without = next(g for g in groups if g.by.get("without") == "stationary")
    assert without.n == 3
    assert {tuple(g.by)[2] for g in groups[1:]} == {"class", "scene", "scenes", "difficulty", "strength", "without"}


def test_a_run_asks_each_distinct_request_once_and_marks_under_all_protocols(tmp_path: Path) -> None:
    parquet(tmp_path / "set", "Illusion_IN", NAMES)
    with Endpoint(answer="Answer: cat") as endpoint:
        done = snellen(
            "run", "illusionbench", "--data", tmp_path / "set", "--model", "api/x", "--base-url", endpoint.url,
            "--out", tmp_path / "runs", "--json", cache=tmp_path / "cache",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert set(endpoint.asked.values()) == {1}
        assert (
            len(endpoint.requests) == 3 * 8 + 6
        )  # three prompts, four images, two tasks; in context only three of them
    summary = json.loads(done.stdout)
    assert summary["complete"]
    strict = next(p for p in summary["protocols"] if p["protocol"] == "lmms-strict")
    shape = next(g for g in strict["groups"] if g["by"] == {"split": "Illusion_IN", "task": "shape"})
    assert shape["metrics"]["shape_recall"]["value"] == 0.25
    run = next((tmp_path / "runs").iterdir())
    assert (
        (run / "exports" / "recalls.csv")
        .read_text()
        .startswith("model,protocol,subset,task,group,value,n,metric,percent")
    )
    page = snellen("report", run, "--out", tmp_path / "page.html", cache=tmp_path / "cache")
    assert page.returncode == 0, page.stderr
    assert "Illusion_IN · shape" in (tmp_path / "page.html").read_text()
