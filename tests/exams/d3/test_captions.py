"""Captions from anywhere: the captions file of the D3 script as recorded replies, and the 247 real pairs where they are on this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.extras import of

from snellen.core.cells import json_bytes
from snellen.core.errors import SnellenError
from snellen.core.extras import CaptionScoring, ReplayFormat, probes_of
from snellen.core.options import Selection
from snellen.core.types import Sample
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.exams.d3.data import D3Data
from snellen.exams.d3.exam import EXAM as BENCHMARK
from snellen.exams.d3.reading import read, says_position
from snellen.exams.d3.recorded import SWAPPED, recorded, rows
from snellen.subjects.replay import Replay
from snellen.synthetic.pairs.make import make

CAPTIONS = {"3": {"left": "The dog is facing left.", "right": 'It says "hi".'}, "0": {"left": "a", "right": "b"}}
SHARED = Path(os.environ.get("SNELLEN_SHARED", Path(__file__).parents[3].parent / "shared")) / "data"
needs_shared = pytest.mark.skipif(
    not (SHARED / "d3_dataset.json").is_file(), reason="the real D3 files are not on this machine"
)
PROBE = probes_of(BENCHMARK)[0]


def test_every_entry_becomes_the_reply_that_the_prompt_asks_for() -> None:
    found = dict(rows(CAPTIONS))
    assert list(found) == ["d3/3", "d3/0"]
    assert json.loads(found["d3/3"]) == {"left_image": "The dog is facing left.", "right_image": 'It says "hi".'}
    assert of(BENCHMARK, CaptionScoring).captions(found["d3/3"], PROBE) == ("The dog is facing left.", 'It says "hi".')


def test_in_the_swapped_order_every_caption_stays_with_its_picture() -> None:
    assert json.loads(dict(rows(CAPTIONS, swapped=True))["d3/0"]) == {"left_image": "b", "right_image": "a"}
    found = of(BENCHMARK, ReplayFormat).read(CAPTIONS)
    assert found is not None
    assert {(r.id, r.prompt): read(r.text) for r in found} == {  # type: ignore[union-attr]
        ("d3/3", None): ("The dog is facing left.", 'It says "hi".'),
        ("d3/0", None): ("a", "b"),
        ("d3/3", SWAPPED.text): ('It says "hi".', "The dog is facing left."),
        ("d3/0", SWAPPED.text): ("b", "a"),
    }


def test_the_prompts_own_keys_are_captions_too() -> None:
    keyed = {"0": {"left_image": "a", "right_image": "b"}}
    assert recorded(keyed) is not None
    assert dict(rows(keyed)) == dict(rows({"0": {"left": "a", "right": "b"}}))


def test_one_bad_entry_is_named_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "captions.json"
    file.write_text(json.dumps(CAPTIONS | {"17": {"left": "only this"}}))
    with pytest.raises(SnellenError, match=r"captions\.json: captions of '17': expected an object with left and right"):
        Replay(file, of(BENCHMARK, ReplayFormat).read)


def test_sets_are_recorded_by_their_own_keys() -> None:
    found = recorded({"s": {"image1": "a", "image2": "b", "image3": "c"}})
    assert found is not None
    assert [json.loads(r.text) for r in found] == [
        {"image1": "a", "image2": "b", "image3": "c"},
        {"image1": "c", "image2": "b", "image3": "a"},
    ]


@pytest.mark.parametrize(
    "other",
    [
        {"d3/0": "a reply"},
        [{"id": "d3/0", "text": "x"}],
        {},
        None,
        {"0": {"left": "a"}},
        {"0": {"id": "x", "text": "y"}},
        "text",
    ],
)
def test_other_documents_are_left_to_the_replay(other: object) -> None:
    assert recorded(other) is None


def test_an_entry_without_both_captions_is_named() -> None:
    with pytest.raises(SnellenError, match="captions of '1': expected an object with left and right"):
        list(rows({"0": {"left": "a", "right": "b"}, "1": {"left": "a"}}))


def test_a_written_file_reads_back_as_the_same_replies() -> None:
    awkward = {"0": {"left": 'quote " and \\ and é 😀', "right": "line\nbreak"}}
    again = json.loads(json_bytes(awkward))
    assert again == awkward
    assert read(next(rows(again))[1]) == tuple(awkward["0"].values())  # type: ignore[union-attr]


@needs_shared
def test_all_247_real_pairs_import_with_the_counts_of_the_spec() -> None:
    captions = json.loads((SHARED / "d3_captions_gpt4o.json").read_text(encoding="utf-8"))
    replies = dict(rows(captions))
    read_back = {i: of(BENCHMARK, CaptionScoring).captions(text, PROBE) for i, text in replies.items()}
    assert len(replies) == 247
    assert all(found is not None for found in read_back.values())
    assert {i: tuple(captions[i.removeprefix("d3/")].values()) for i in replies} == read_back
    texts = [text for found in read_back.values() for text in found or ()]
    lengths = [len(text.split()) for text in texts]
    assert (len(texts), min(lengths), max(lengths), round(sum(lengths) / 494, 2)) == (494, 19, 89, 41.51)
    assert [sum(n > limit for n in lengths) for limit in (48, 55, 60)] == [113, 60, 32]
    assert sum(says_position(text) for text in texts) == 54


@needs_shared
def test_the_real_list_without_images_says_what_is_needed_and_where_from(tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_bytes((SHARED / "d3_dataset.json").read_bytes())
    with pytest.raises(SnellenError) as caught:
        D3Data(tmp_path, Selection())
    message = str(caught.value)
    for words in ("247 of 247 pairs", "494 images", "dataset.zip"):
        assert words in message
    assert "--max-missing" not in message, "with every image missing there would be nothing left"
    assert "\n" not in message
    problems = list(BENCHMARK.check(tmp_path))
    assert len(problems) == 1 + 494
    assert "247 of 247 pairs lack an image" in str(problems[0])


@needs_shared
def test_the_real_list_with_images_gives_every_pair(tmp_path: Path) -> None:
    raw = (SHARED / "d3_dataset.json").read_bytes()
    (tmp_path / "dataset.json").write_bytes(raw)
    for entry in json.loads(raw).values():
        for path in entry.values():
            file = tmp_path / path
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(b"picture of " + file.name.encode())
    data = D3Data(tmp_path, Selection())
    samples = list(data.full(lambda _id: True))
    assert (len(data), len(samples), data.missing) == (247, 247, ())
    assert {s.tags["task"] for s in samples} == {"pair"}
    first: Sample = samples[0]
    assert first.facts == {
        "left": "images/COCO_val2014_000000471601.jpg",
        "right": "images/COCO_val2014_000000556966.jpg",
        "uid": "0",
    }
    assert first.pictures[1].data == b"picture of COCO_val2014_000000556966.jpg"


def test_captions_of_a_few_pairs_mark_these_pairs_and_say_so(tmp_path: Path) -> None:
    where = tmp_path / "data"
    make(where, count=4, seed=1)
    (tmp_path / "one.json").write_text(json.dumps({"2": {"left": "a red ball", "right": "a blue ball"}}))
    request = RunRequest("d3", f"replay/{tmp_path / 'one.json'}", where, options={"scorers": ("tiny-siglip",)})
    plan = make_plan(request)
    assert [s.id for s in plan.data.light()] == ["d3/2"] and sum(plan.questions.values()) == 1
    assert plan.notes == (f"{plan.subject.spec} has replies to 1 of 4 samples: only these are marked",)
    (tmp_path / "one.json").write_text(json.dumps({"99": {"left": "a red ball", "right": "a blue ball"}}))
    with pytest.raises(SnellenError, match=r"one\.json has no reply to any of the 4 samples"):
        make_plan(request)
