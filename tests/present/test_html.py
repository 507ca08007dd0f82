"""The report page: complete in itself, inert whatever a model says, and honest about the images it shows."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.present.pages import HOSTILE, Page, inert, report
from tests.support.command import snellen as command
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_config, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.gallery import KINDS, Gallery, Pick
from snellen.core.types import Answer, Call, ImageSent, Picture
from snellen.engine.runs.data_again import DataAgain
from snellen.present.model.sample_view import ledger_note
from snellen.present.page import gallery
from snellen.present.page.image_pool import ImagePool
from snellen.present.page.report import DETAILS, write_report


def answered(tmp_path: Path, replies: Callable[[int], Any], data: Path, **more: Any) -> snellen.Run:
    """A run of a model that replies as told; a tuple is (status, body)."""
    count = 0

    def script(request: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
        nonlocal count
        reply = replies(count)
        count += 1
        if isinstance(reply, tuple):
            return reply[0], {}, json.dumps({"error": {"message": reply[1]}}).encode()
        return 200, {}, json.dumps(completion(reply, request["model"] + HOSTILE, 0.001)).encode()

    with Endpoint(script=script) as endpoint:
        return snellen.evaluate(
            "salbench", model="api/fake", base_url=endpoint.url, data=data, out=tmp_path / "runs", concurrency=1, **more
        )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set", 9, ("P3", "O3"))


def baseline(tmp_path: Path, data: Path, name: str = "chance", **more: Any) -> snellen.Run:
    return snellen.evaluate("salbench", model=f"baseline/{name}", data=data, out=tmp_path / "runs", **more)


def test_page_is_well_formed_complete_in_itself_and_holds_every_section(tmp_path: Path, data: Path) -> None:
    run = answered(tmp_path, lambda i: ("Color", "The answer is color.", (400, "no <b>way</b>"))[i % 3], data)
    page = report(run, tmp_path=tmp_path)
    inert(page)
    for words in (
        "What to know", "macro F1", "api/fake", "INCOMPLETE", "bad-request", "no <b>way</b>", "max_tokens = 256",
        "robust", "words, aliases, negation", "0.0120 USD", "Where protocols disagree", "Possible range of exact match",
        "O3 · color", "real (not marked as synthetic)", f"fake{HOSTILE[:20]}",
    ):  # fmt: skip
        assert words in page.text
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(th.get("scope") for th in page.all("th"))
    assert not page.all("img")
    pictures_of_samples = [svg for svg in page.all("svg") if svg.get("class") == "query"]
    assert pictures_of_samples
    assert all(svg.get("aria-label") for svg in pictures_of_samples)


def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path, data: Path) -> None:
    long = HOSTILE + "y" * 100_000
    run = answered(tmp_path, lambda i: (HOSTILE, long, (400, HOSTILE))[i % 3], data)
    page = report(run, tmp_path=tmp_path)
    inert(page)
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script" not in text
    assert "\\x1b[31m\\u202e" in page.text
    assert "<script>alert(1)</script>" in page.text
    most = DETAILS[0].long
    assert f"{len(long) - most:,} of {len(long):,} characters are left out" in page.text
    assert "y" * (most + 1) not in text


def test_hostile_ids_and_truths_are_inert(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    write_config(folder, "P3", 3, image_id=[f"{HOSTILE}{i}" for i in range(3)])
    page = report(baseline(tmp_path, folder), tmp_path=tmp_path)
    inert(page)
    assert len(page.images()) == 3


def test_synthetic_data_carry_the_banner(tmp_path: Path, data: Path) -> None:
    run = baseline(tmp_path, data)
    assert "SYNTHETIC DATA" not in report(run, tmp_path=tmp_path).text
    run.folder.write_record(msgspec.structs.replace(run.summary, synthetic=True))
    page = report(run, tmp_path=tmp_path)
    assert page.text.count("SYNTHETIC DATA. Do not compare") == 2
    assert any("banner synthetic" in str(p.get("class")) for p in page.all("p"))


def test_images_are_the_bytes_of_the_ledger(tmp_path: Path, data: Path) -> None:
    run = answered(tmp_path, lambda _i: "Color", data, splits=("P3",), limit=4)
    page = report(run, tmp_path=tmp_path)
    sent = {call.images[-1].sha256 for answer in run.answers() for call in answer.calls}
    assert {hashlib.sha256(i).hexdigest() for i in page.images()} == sent
    assert page.text.count("as sent (the SHA-256 is the one in the ledger)") == 4


def test_few_shot_examples_are_shown_small_with_their_ids(tmp_path: Path, data: Path) -> None:
    run = answered(tmp_path, lambda _i: "Color", data, splits=("P3",), limit=2, shots=3)
    page = report(run, tmp_path=tmp_path)
    shots = [shot for answer in run.answers() for shot in answer.shots]
    assert len([i for i in page.all("svg") if i.get("class") == "small"]) == len(shots) == 6
    assert all(f"example {shot}: as sent" in page.text for shot in shots)


@pytest.mark.parametrize("how", ["gone", "changed", "other image"])
def test_images_that_cannot_be_trusted_are_not_shown(tmp_path: Path, data: Path, how: str) -> None:
    run = answered(tmp_path, lambda _i: "Color", data, splits=("P3",), limit=4)
    if how == "gone":
        shutil.rmtree(data)
    elif how == "changed":
        write_config(data, "P3", 8)
    else:
        lines = (run.path / "answers.jsonl").read_text().splitlines(keepends=True)
        wrong = [json.loads(line) for line in lines]
        for answer in wrong:
            answer["calls"][0]["images"][0]["sha256"] = "0" * 64
        (run.path / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in wrong))
    page = report(run, tmp_path=tmp_path)
    reasons = {"gone": "is not there", "changed": "another fingerprint", "other image": "is not the one that was sent"}
    assert page.text.count("image not available: the data") >= 4
    assert reasons[how] in page.text
    assert not page.images()


def test_transformed_images_are_called_originals() -> None:
    def note(sent: bytes) -> str:
        sha = hashlib.sha256(sent).hexdigest()
        image = ImageSent(sha256=sha, codec="png", width=1, height=1, bytes=1, transforms=("bmp to png",))
        call = Call(key="k", kind="api", endpoint="", model="", images=(image,))
        answer = Answer(id="x", prompt="p", calls=(call,))
        return ledger_note(Picture(data=b"own"), 0, answer, sent_in_parts=False)

    assert note(b"other") == "from the data set; before sending: bmp to png"
    assert note(b"own") == "as sent (the SHA-256 is the one in the ledger)"
    assert ledger_note(Picture(data=b"own"), 0, None, sent_in_parts=False).startswith("from the data set")


def test_several_runs_on_one_page(tmp_path: Path, data: Path) -> None:
    runs = [baseline(tmp_path, data, name) for name in ("chance", "constant:color")]
    page = report(*runs, tmp_path=tmp_path, samples=5)
    assert "salbench · baseline/chance" in page.text
    assert "salbench · baseline/constant:color" in page.text
    assert len([a for a in page.all("article") if a["class"] != "item"]) == 10, "the others are flips"
    links = {str(a["href"])[1:] for a in page.all("a")}
    assert links <= {str(attrs.get("id")) for _tag, attrs in page.tags}
    assert not report(*runs, tmp_path=tmp_path, samples=0).all("article")


def test_gallery_shows_disagreements_first_then_non_answers_then_wrong_then_correct(tmp_path: Path, data: Path) -> None:
    run = answered(tmp_path, lambda i: ("Color", "It is the color.", "", "Size", (400, "no"))[i % 5], data)
    found = gallery.survey(run, 48, Gallery())
    kinds = [p.kind for p in found.picks]
    assert kinds == sorted(kinds, key=list(KINDS).index)
    assert set(kinds) == set(KINDS)
    assert found.counts == found.shown
    assert sum(found.counts.values()) == 18
    assert gallery.survey(run, 48, Gallery()) == found
    parting = gallery.parting(run, 48, gallery.Sources(ImagePool(), DataAgain()))
    names = [heading.text for heading in parting.pairs.headings]
    row = dict(zip(names, next(r for r in parting.pairs.rows if r[:2] == ("paper", "robust")), strict=True))
    assert row["only first correct"] == "0"
    assert row["only second correct"] == row["flipped by reading"] == str(found.counts["disagree"]) != "0"
    cards = parting.cards["reading"]
    assert 0 < len(cards) <= gallery.EACH
    assert len({flip.id for flip, _item in cards}) == len(cards)
    assert all(item.query.url for _flip, item in cards)
    page = tmp_path / "flips.html"
    write_report([run], page)
    text = page.read_text()
    assert f"Flipped by reading: {len(cards)} of {parting.counts['reading']} samples" in text
    assert "It is the color." in text.partition("Flipped by reading")[2].partition("</details>")[0]


def test_gallery_is_spread_over_parts_and_keeps_room_for_every_kind() -> None:
    def pool(kind: str, part: str, n: int) -> list[Pick]:
        return [Pick(kind, part, f"{part}/{i}", "question", {}) for i in range(n)]

    two = [pool("disagree", "P3", 50), pool("disagree", "O3", 50)]
    pools = {"disagree": two, "correct": [pool("correct", "P3", 50)]}
    picks = gallery.choose(pools, 16)
    assert picks == two[0][:7] + two[1][:7] + pools["correct"][0][:2]
    assert [p.kind for p in gallery.choose(pools, 1)] == ["disagree"]
    assert gallery.choose(pools, 0) == []


def test_folders_that_cannot_be_reported_say_what_to_do(tmp_path: Path, data: Path) -> None:
    run = baseline(tmp_path, data)
    (run.path / "summary.json").rename(run.path / "kept.json")
    with pytest.raises(SnellenError, match=r"has no summary\.json: .*'snellen mark"):
        write_report([run], tmp_path / "report.html")
    (run.path / "kept.json").rename(run.path / "summary.json")
    marks = run.path / "marks" / "robust.jsonl"
    lines = marks.read_text().splitlines(keepends=True)
    for damaged in (lines[1:], lines[::-1], [*lines[:-1], "{\n"]):
        marks.write_text("".join(damaged))
        with pytest.raises(
            SnellenError,
            match=r"(do not give its summary: one was changed|marks are out of order|is damaged); 'snellen mark",
        ):
            write_report([run], tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_command_prints_tables_or_json_and_writes_the_page(tmp_path: Path, data: Path) -> None:
    run = baseline(tmp_path, data)
    page = tmp_path / "a" / "b" / "page.html"
    shown = command("report", run.path, "--out", page, "--samples", 3, cache=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "macro F1" in shown.stdout
    assert str(page) in shown.stdout
    assert len(Page(page.read_text("utf-8")).all("article")) == 3
    told = command("report", run.path, "--out", page, "--json", cache=tmp_path)
    document = json.loads(told.stdout)
    assert document["page"] == str(page)
    assert document["runs"][0]["subject"] == "baseline/chance"
    for folder, hint in ((data, "not a run"), (tmp_path / "none", "not a run")):
        failed = command("report", folder, "--out", page, cache=tmp_path)
        assert failed.returncode == 2
        assert hint in failed.stderr
        assert failed.stderr.count("\n") == 1
