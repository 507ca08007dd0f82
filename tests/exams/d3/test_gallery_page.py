"""The gallery of a captioning run on the page: all pictures, the scorer's table, what each caption picked, hardest first."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import pytest
from tests.present.pages import HOSTILE, inert, report
from tests.support.sets import png

import snellen
from snellen.core.scorer import EmbeddedTexts
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan

# for each pair: which way its captions lean, from -1 (the other's image) to 1 (their own)
LEANINGS = {"0": (0.9, 0.9), "1": (-0.5, 0.8), "2": (-0.9, -0.7), "3": (0.0, 0.3)}


class Leaning:
    """A scorer that says what LEANINGS says: captions begin with their pair and place, pictures are known by their bytes."""

    def __init__(self, name: str) -> None:
        self.name, self.identity = name, {"kind": "leaning", "mode": HOSTILE}
        self._sides = {png(2 * int(uid) + side): side for uid in LEANINGS for side in (0, 1)}

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        vectors = []
        for text in texts:
            uid, side = text[0], int(text[1])
            lean = LEANINGS[uid][side] * (1 if side == 0 else -1)
            vectors.append((lean, sqrt(1 - lean * lean)))
        return EmbeddedTexts(vectors, [text.startswith("00") for text in texts])

    def images(self, images: Sequence[bytes]) -> list[tuple[float, float]]:
        return [(0.6, 0.8) if self._sides[image] == 0 else (-0.6, 0.8) for image in images]


@pytest.fixture
def run(tmp_path: Path) -> snellen.Run:
    return scored(tmp_path, "leaning/main", "leaning/other")


def scored(tmp_path: Path, *scorers: str) -> snellen.Run:
    folder = tmp_path / "set"
    (folder / "images").mkdir(parents=True)
    for uid in LEANINGS:
        for side, name in enumerate("lr"):
            (folder / "images" / f"{name}{uid}.png").write_bytes(png(2 * int(uid) + side))
    entries = {uid: {"left": f"./images/l{uid}.png", "right": f"./images/r{uid}.png"} for uid in [*LEANINGS, "4"]}
    (folder / "images" / "l4.png").write_bytes(png(50))  # and its right one is missing
    (folder / "dataset.json").write_text(json.dumps(entries))
    told = {"1": {"kind": "count", "about": "dogs", "left": f"two dogs{HOSTILE}", "right": "three dogs"}}
    (folder / "differences.json").write_text(json.dumps(told))
    captions = {uid: {"left": f"{uid}0 dogs {HOSTILE}", "right": f"{uid}1 cats {HOSTILE}"} for uid in LEANINGS}
    captions["3"] = {"left": "30 dogs, unlike the right image", "right": "31 cats, unlike the left image"}
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    request = RunRequest(
        "d3",
        f"replay/{tmp_path / 'captions.json'}",
        folder,
        controls=("swapped",),
        options={"max_missing": 1},
        out=tmp_path / "runs",
    )
    plan = make_plan(request, offline=True)._replace(scorers=tuple(map(Leaning, scorers)))
    return run_plan(plan).run


def articles(tmp_path: Path) -> dict[str, str]:
    text = (tmp_path / "new" / "report.html").read_text("utf-8").partition('class="items"')[2]
    return {a.partition("<h4>")[2].partition(" ")[0]: a for a in text.split("<article")[1:]}


def test_hardest_pairs_come_first_with_both_pictures(tmp_path: Path, run: snellen.Run) -> None:
    page = report(run, tmp_path=tmp_path)
    inert(page)
    found = articles(tmp_path)
    assert list(found) == ["d3/2", "d3/1", "d3/3", "d3/0"]
    shown = [hashlib.sha256(image).hexdigest() for image in page.images()]
    sent = [hashlib.sha256(png(2 * uid + side)).hexdigest() for uid in (2, 1, 3, 0) for side in (0, 1)]
    assert shown[-8:] == sent
    assert all(f"image {i} of 2 of sample d3/2" in found["d3/2"] for i in (1, 2))


def test_the_table_marks_what_each_caption_picked_and_words_say_it(tmp_path: Path, run: snellen.Run) -> None:
    report(run, tmp_path=tmp_path)
    found = articles(tmp_path)
    rows = found["d3/1"].partition("<tbody>")[2].partition("</tbody>")[0].split("<tr>")[1:]
    assert 'class="number own">' in rows[0]
    assert '<td class="number astray">▶ ' in rows[0]
    assert '<td class="number own right">▶ ' in rows[1]
    assert '<td class="number bad">-0.6000</td>' in rows[0]
    assert '<td class="number good">+0.9600</td>' in rows[1]
    assert "1 of 2 captions found their own image." in found["d3/1"]
    assert "The wrong way round: each caption picked the other&#39;s image." in found["d3/2"]
    assert "1 of 2 captions found their own image." in found["d3/3"]
    assert "2 of 2 captions found their own image." in found["d3/0"]
    assert "the scorer cut this caption" in found["d3/0"]
    assert "Similarity by leaning/main" in found["d3/0"]
    assert "No scorer tells them apart." in found["d3/2"]
    assert "No scorer" not in found["d3/0"]
    assert json.loads((run.path / "exports" / "no_scorer.json").read_text()) == ["1", "2"]


def test_the_tiny_scorer_on_photographs_is_shown_with_a_warning(tmp_path: Path) -> None:
    report(scored(tmp_path, "tiny-siglip"), tmp_path=tmp_path)
    warned = "Similarity by tiny-siglip (trained on drawn scenes alone; its scores on photographs"
    assert warned in articles(tmp_path)["d3/0"]


def test_a_count_of_captions_is_shown_as_a_count_and_its_share_in_percent(tmp_path: Path, run: snellen.Run) -> None:
    page = report(run, tmp_path=tmp_path)
    (mark,) = (m for m in run.marks("original") if m.id == "d3/3")
    assert mark.metrics["position_captions"] == 2.0
    assert run.protocols[0].groups[0].metrics["position_captions"].value == 0.25
    after = articles(tmp_path)["d3/3"].partition("position captions")[2]
    assert re.sub(r"<[^>]+>", " ", after).split()[0] == "2"
    assert "25.0" in page.text


def test_captions_and_facts_from_outside_are_inert(tmp_path: Path, run: snellen.Run) -> None:
    page = report(run, tmp_path=tmp_path)
    inert(page)
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    assert "<script" not in text
    assert "\u202e" not in text
    assert "What differs: left: two dogs" in page.text
    assert "20 dogs &#34;&gt;&lt;img src=x" in articles(tmp_path)["d3/2"]


def test_scorers_missing_images_and_position_are_told(tmp_path: Path, run: snellen.Run) -> None:
    page = report(run, tmp_path=tmp_path)
    assert "scorer (main) leaning/main: kind = leaning" in page.text
    assert "scorer 2 leaning/other: kind = leaning" in page.text
    assert "1 left out, as run.json lists them" in page.text
    assert "Position bias" in page.text
    assert run.controls == [], "the order of pictures has a table of its own"
    row = run.summary.position[0]
    assert (row.n, row.flipped) == (4, 0)
    table = (tmp_path / "new" / "report.html").read_text("utf-8").partition("Position bias")[2].partition("</table>")[0]
    assert f'<td class="number">{100 * row.slot.second:.1f}</td>' in table
    assert "control, &#39;pair&#39; with the pictures in the other order" in articles_before(tmp_path)


def articles_before(tmp_path: Path) -> str:
    return (tmp_path / "new" / "report.html").read_text("utf-8").partition("<article")[0]


def test_order_by_kind_and_replies_that_were_not_scored_come_last(tmp_path: Path, run: snellen.Run) -> None:
    (path,) = (run.path / "evidence").glob("leaning-main-*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"d3/2"' not in line))
    page = report(run, tmp_path=tmp_path)
    inert(page)
    found = articles(tmp_path)
    assert list(found) == ["d3/1", "d3/3", "d3/0", "d3/2"]
    assert "Not scored." in found["d3/2"]
    styles = [str(a["style"]) for a in page.all("article") if a.get("style")]
    assert styles == ["--by-kind:4", "--by-kind:1", "--by-kind:2", "--by-kind:3"]


def test_the_few_that_are_chosen_are_the_hardest(tmp_path: Path, run: snellen.Run) -> None:
    report(run, tmp_path=tmp_path, samples=1)
    assert list(articles(tmp_path)) == ["d3/2"]
