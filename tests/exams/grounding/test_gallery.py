"""The gallery of a grounding run on the page: overlays where they belong, orders without script, hostile predictions, oracles apart."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.present.pages import HOSTILE, inert, report

import snellen
from snellen.core.errors import SnellenError
from snellen.core.types import Answer, Picture, Sample
from snellen.engine.remark import remark
from snellen.exams.grounding.gallery import ScreenGallery
from snellen.exams.grounding.reading.predictions import Detection, Prediction, to_text
from snellen.present.page.image_pool import ImagePool, PagePictures

SCREENS = ScreenGallery()


def prediction(point: tuple[float, float] | None = (900.0, 400.0), **more: Any) -> Prediction:
    return Prediction(**{"method": "mine", "status": "found", "size": (1000, 500), "point": point} | more)


# ---------------------------------------------------------------- a run on a page


ELEMENTS = [
    # name, box in pixels of 1000 x 500, type, where the method clicks
    ("big", (100, 50, 300, 150), "button", (200.0, 100.0)),  # hit
    ("small", (500, 50, 510, 60), "icon", (540.0, 55.0)),  # 30 px off
    ("middle", (500, 300, 560, 340), "checkbox", (10.0, 320.0)),  # 490 px off
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    Image.new("RGB", (1000, 500), "white").save(folder / "a.png")
    elements = [
        {
            "id": name,
            "bbox": [x1 / 1000, y1 / 500, (x2 - x1) / 1000, (y2 - y1) / 500],
            "element_type": kind,
            "instruction": f"Click {name}{HOSTILE}",
        }
        for name, (x1, y1, x2, y2), kind, _at in ELEMENTS
    ]
    sample = {"id": "a", "image_path": "a.png", "width": 1000, "height": 500, "elements": elements}
    root = {"name": "mine", "version": "1.0", "metadata": {}, "samples": [sample]}
    (folder / "annotations.json").write_text(json.dumps(root))
    return folder


def run_of(tmp_path: Path, data: Path, texts: dict[str, str], method: str = "center") -> snellen.Run:
    """A run whose replies are put in place of the baseline's."""
    run = snellen.evaluate("grounding", model=f"method/{method}", data=data, out=tmp_path / "runs")
    path = run.path / "answers.jsonl"
    answers = [json.loads(line) for line in path.read_text().splitlines()]
    for answer in answers:
        answer["text"] = texts.get(answer["id"], answer["text"])
    path.write_text("".join(json.dumps(a) + "\n" for a in answers))
    remark(run.path)
    return snellen.Run(run.path)


def told(**more: Any) -> dict[str, str]:
    seen = (Detection(box=(100.0, 50.0, 300.0, 150.0), text=HOSTILE, kind=HOSTILE),)
    return {
        f"a/{name}": to_text(
            prediction(at, detections=seen, detections_total=1, crops=((0.0, 0.0, 400.0, 250.0),), text=HOSTILE, **more)
        )
        for name, _box, _kind, at in ELEMENTS
    }


def test_the_page_draws_target_prediction_crops_and_detections(tmp_path: Path, data: Path) -> None:
    page = report(run_of(tmp_path, data, told()), tmp_path=tmp_path)
    inert(page)
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    small = _article(text, "a/small")
    drawn, _, rest = small.partition("</svg>")
    assert '<rect class="l-target line" x="500" y="50" width="10" height="10"/>' in drawn
    assert 'x1="540" y1="55" x2="510" y2="55"' in drawn
    assert '<rect class="l-crops" x="0" y="0" width="400" height="250">' in drawn
    name = drawn.partition('<g id="')[2].partition('"')[0]
    whole = rest.partition("</svg>")[0]
    assert 'viewBox="0 0 1000 500"' in whole
    assert f'<use href="#{name}"/>' in whole
    assert '<circle cx="540" cy="55"' in whole
    assert rest.count(f'<use href="#{name}"/>') == 1 + rest.count('class="part"')
    assert "Missed by 30 px." in small
    assert "did not see the target (1 detections)" in small
    assert "Hit." in _article(text, "a/big")
    # one screenshot and one set of detections are held once, and used by all
    screens = [i for i in page.all("image") if (i["width"], i["height"]) == ("1000", "500")]
    assert len(screens) == 1
    assert len([r for r in page.all("rect") if r.get("class") == "one-seen"]) == 1
    held = {str(tag["id"]) for tag in page.all("image") + page.all("g") if tag.get("id")}
    assert {str(use["href"])[1:] for use in page.all("use")} == held
    assert {"seen-1-0", str(screens[0]["id"])} < held
    assert {f"d-{x}" for x in ("target", "prediction", "crops", "seen")} <= {str(i["class"]) for i in page.all("input")}


def _article(text: str, name: str) -> str:
    return next(a for a in text.split("<article")[1:] if f"<h4>{name} " in a).partition("</article>")[0]


def test_orders_are_places_by_size_type_and_distance_with_failures_first(tmp_path: Path, data: Path) -> None:
    page = report(run_of(tmp_path, data, told()), tmp_path=tmp_path)
    articles = [a for a in page.all("article") if a.get("style")]
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    names = re.findall(r"<h4>a/(\w+) ", text.partition('class="items"')[2])
    found = {name: str(a["style"]) for name, a in zip(names, articles, strict=True)}
    assert found == {
        "small": "--by-size:1;--by-type:3;--by-distance:2",
        "middle": "--by-size:2;--by-type:2;--by-distance:1",
        "big": "--by-size:3;--by-type:1;--by-distance:3",
    }
    assert names[-1] == "big"  # the only hit
    for key in SCREENS.sorts:
        assert f".gallery:has(.s-{key}:checked) .item{{order:var(--by-{key})}}" in text
        assert any(i["class"] == f"s-{key}" for i in page.all("input"))


def test_hostile_predictions_are_inert_and_off_the_screen_is_said(tmp_path: Path, data: Path) -> None:
    texts = told(reason=HOSTILE, failures=(HOSTILE,))
    texts["a/small"] = to_text(prediction((1e9, -5.0), text=HOSTILE))
    texts["a/middle"] = to_text(prediction(None, status="refused", reason=HOSTILE))
    texts["a/big"] = HOSTILE
    page = report(run_of(tmp_path, data, texts), tmp_path=tmp_path)
    inert(page)
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
    assert "off the screen of 1000 x 500" in page.text
    assert '<circle cx="1000" cy="0"' in text
    assert "Said that the target is not there, but it is" in page.text
    assert "No point could be read (unparsable)" in page.text
    assert all(re.fullmatch(r"[-:;a-z0-9]*", str(a.get("style") or "")) for _tag, a in page.tags)


def test_a_failed_method_still_has_its_target_drawn(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path, data, {})
    path = run.path / "answers.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    failed = [{"id": a["id"], "prompt": a["prompt"], "failure": {"kind": "method", "reason": HOSTILE}} for a in lines]
    path.write_text("".join(json.dumps(a) + "\n" for a in failed))
    remark(run.path)
    page = report(snellen.Run(run.path), tmp_path=tmp_path)
    inert(page)
    assert page.text.count("No prediction: the method failed.") == 3
    assert all(c.get("class") == "value" for c in page.all("circle"))  # dots of scores, and no click
    assert any("l-target" in str(r.get("class")) for r in page.all("rect"))


def test_oracles_stand_apart_and_are_called_so(tmp_path: Path, data: Path) -> None:
    blind = run_of(tmp_path, data, {})
    oracle = snellen.evaluate("grounding", model="method/oracle/center-fixed", data=data, out=tmp_path / "runs")
    page = report(oracle, blind, tmp_path=tmp_path)
    inert(page)
    tables = [str(t.get("class")) for t in page.all("table") if "overview" in str(t.get("class"))]
    assert tables[:2] == ["overview", "overview oracles"], "beside each other; then each run's own"
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    own = text.partition("ORACLE runs, which look at the answer")[2].partition("</table>")[0]
    assert 'href="#run-1"' in own
    assert 'href="#run-2"' not in own
    assert len([p for p in page.all("p") if p.get("class") == "banner oracle"]) == 1
    alone = report(blind, tmp_path=tmp_path)
    assert "ORACLE" not in alone.text


def test_a_large_screenshot_is_scaled_and_its_close_ups_are_cut_from_its_own_pixels() -> None:
    noise = Image.effect_noise((3000, 1500), 90).convert("RGB")
    noise.paste((0, 128, 0), (2000, 1000, 2020, 1010))
    out = io.BytesIO()
    noise.save(out, "PNG")
    truth = {"boxes": [[2000, 1000, 2020, 1010]], "absent": False}
    sample = Sample(id="x", tags={}, truth=truth, facts={"width": 3000, "height": 1500})
    answer = Answer(id="x", prompt="instruction", text=to_text(prediction((100.0, 100.0))))
    views = SCREENS.regions(sample, answer)
    assert len(views) == 2
    album = ImagePool()
    shown = PagePictures(album, SCREENS, sample, answer).query(Picture(data=out.getvalue(), name="x"), 0)
    album.fit(10_000_000)
    held = {f"#{p.name}": p for p in album.prints()}
    whole, cut = held[str(shown.url)], held[str(shown.cuts[0])]
    assert (whole.width, whole.height) == (3000, 1500), "in pixels of the screenshot, whatever the copy has"
    assert (*cut.place[:2], cut.width, cut.height) == (views[0][0], views[0][1], 420, 263)
    with Image.open(io.BytesIO(_decoded(cut.url))) as image:
        assert image.size == (360, 225)
        at = [round(v * 360 / 420) for v in (2010 - views[0][0], 1005 - views[0][1])]
        red, green, blue = image.getpixel((at[0], at[1]))  # type: ignore[misc]
        assert green > 90
        assert max(red, blue) < 60
    with Image.open(io.BytesIO(_decoded(whole.url))) as image:
        assert image.size == (800, 400)
    with pytest.raises(SnellenError):
        album.add("x", out.getvalue(), 100, (-5, 0, 10, 10))


def _decoded(url: str) -> bytes:
    return base64.b64decode(url.partition("base64,")[2])


def test_a_method_that_sends_parts_still_has_its_screenshot_shown(tmp_path: Path, data: Path) -> None:
    run = run_of(tmp_path, data, told())
    path = run.path / "answers.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    part = {"sha256": "0" * 64, "codec": "png", "width": 10, "height": 10, "bytes": 99}
    call = {"key": "k", "kind": "parser", "endpoint": "e", "model": "m", "images": [part], "tries": 1}
    path.write_text("".join(json.dumps(a | {"calls": [call]}) + "\n" for a in lines))
    remark(run.path)
    page = report(snellen.Run(run.path), tmp_path=tmp_path)
    assert "parts of it were sent" in page.text
    assert len([i for i in page.all("image") if i["width"] == "1000"]) == 1
