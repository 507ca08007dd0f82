from __future__ import annotations

import io
import json
import math
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.exams.grounding.charts import charts
from snellen.exams.grounding.charts.png import SCALE, to_png
from snellen.exams.grounding.charts.results import is_comparison, metrics_of, read_folder, read_result, rows_of
from snellen.exams.grounding.charts.scatter import APART, BADGE, DOT
from snellen.exams.grounding.charts.shapes import ChartDrawing, ChartRect, ChartText, Dot, DrawnLine, to_svg

SVG = "{http://www.w3.org/2000/svg}"


def result(method: str = "ocr", found: int = 12, n: int = 20, **more: Any) -> dict[str, Any]:
    sizes, types = ("small", "medium"), ("button", "icon", "text_field")
    rows = [
        {
            "sample_id": f"s{i % 5}",
            "element_id": f"e{i}",
            "found": i < found,
            "iou": 0.0,
            "latency_ms": 100.0 + i,
            "attempts": 1,
            "size_category": sizes[i % 2],
            "element_type": types[i % 3],
            "distance_from_target": 0.0,
            "method_info": {},
        }
        for i in range(n)
    ]
    return {
        "method_name": method,
        "dataset_name": "set",
        "detection_rate": found / n,
        "mean_iou": 0.0,
        "mean_latency_ms": 110.0,
        "mean_attempts": 1.0,
        "detection_rate_small": 0.5,
        "detection_rate_medium": 0.5,
        "detection_rate_large": 0.0,
        "detection_rate_by_type": {"button": 0.5},
        "total_elements": n,
        "detected_elements": found,
        "results": rows,
    } | more


def ours(method: str = "ocr", found: int = 12, n: int = 20, oracle: bool = False, **more: Any) -> dict[str, Any]:
    return result(method, found, n, oracle=oracle, protocol={"name": "click"}, **more)


def read(given: dict[str, Any]) -> Any:
    return read_result(json.dumps(given).encode(), "r.json")


def drawn(*given: dict[str, Any]) -> dict[str, ChartDrawing]:
    return charts.draw([read(g) for g in given])


def words(picture: ChartDrawing) -> list[str]:
    return [s.text for s in picture.shapes if isinstance(s, ChartText)]


def test_all_four_charts_are_well_formed_and_self_contained() -> None:
    made = drawn(ours(), ours("oracle: center-fixed", 18, oracle=True))
    assert sorted(made) == [
        "accuracy_vs_latency",
        "detection_rate_by_size",
        "detection_rate_by_type",
        "detection_rate_overall",
    ]
    for picture in made.values():
        svg = to_svg(picture)
        root = ET.fromstring(svg)  # noqa: S314  (our own text)
        assert root.find(f"{SVG}title") is not None
        assert "href" not in svg and "<script" not in svg and "<style" not in svg
        assert svg == to_svg(picture)


def test_bars_are_as_long_as_their_rates_and_whiskers_lie_around_them() -> None:
    picture = drawn(ours(found=10))["detection_rate_overall"]
    (bar,) = [s for s in picture.shapes if isinstance(s, ChartRect)]
    row = rows_of([read(ours(found=10))])[0]
    full = bar.width / 0.5
    caps = [s for s in picture.shapes if isinstance(s, DrawnLine) and s.width == 1.8 and s.x1 == s.x2]
    assert row.overall.low is not None and row.overall.high is not None
    assert sorted(c.x1 - bar.x for c in caps) == pytest.approx([row.overall.low * full, row.overall.high * full])
    assert row.overall.low < 0.5 < row.overall.high
    assert any("n = 20" in w for w in words(picture)) and "50.0 %" in words(picture)


def test_oracles_are_hatched_and_below_the_blind() -> None:
    picture = drawn(ours("oracle: x", 20, oracle=True), ours("ocr", 12), ours("center", 1))["detection_rate_overall"]
    bars = [s for s in picture.shapes if isinstance(s, ChartRect)]
    assert [bool(b.hatch) for b in sorted(bars, key=lambda b: b.y)] == [False, False, True]
    note = next(s for s in picture.shapes if isinstance(s, ChartText) and s.text.startswith("ORACLE"))
    assert max(b.y for b in bars if not b.hatch) < note.y < min(b.y for b in bars if b.hatch)
    assert "ORACLE" in picture.about and 'fill="url(#h0)"' in to_svg(picture)
    scatter = drawn(ours("oracle: x", 20, oracle=True), ours())["accuracy_vs_latency"]
    assert {s.diamond for s in scatter.shapes if isinstance(s, Dot)} == {True, False}
    assert any(w.startswith("ORACLE") for w in words(scatter))


def test_without_oracles_nothing_says_oracle() -> None:
    for picture in drawn(ours()).values():
        assert "oracle" not in to_svg(picture).lower()


def test_an_empty_bucket_is_not_zero_percent() -> None:
    row = rows_of([read(ours())])[0]
    assert row.sizes["large"].value is None and row.sizes["large"].n == 0
    picture = drawn(ours())["detection_rate_by_size"]
    assert words(picture).count("no elements") == 1


def test_no_two_places_of_the_time_axis_have_the_same_name() -> None:
    quick = ours("center")
    for row in quick["results"]:
        row["latency_ms"] = 0.2
    ticks = [w for w in words(drawn(quick)["accuracy_vs_latency"]) if w.endswith(" ms")]
    assert len(ticks) >= 4
    assert len(set(ticks)) == len(ticks)


def test_a_file_may_say_that_a_class_is_empty_and_sizes_follow_one_rule_for_all() -> None:
    given = ours("pixels", mean_iou=None, mean_attempts=None, detection_rate_large=None)
    for row in given["results"]:
        row |= {"size_category": "large", "size_px_category": "large", "size_area_category": "small"}
    other = ours("area")
    assert {r.method: r.sizes["small"].n for r in rows_of([read(given), read(other)])}["pixels"] == 20
    assert rows_of([read(given)])[0].sizes["large"].n == 20


def test_sizes_say_what_they_are_measured_on() -> None:
    given = ours()
    assert any("share of the screen" in w for w in words(drawn(given)["detection_rate_by_size"]))
    for row in given["results"]:
        row["size_px_category"] = "large"
    pixels = drawn(given)["detection_rate_by_size"]
    assert any("32 to 100 px" in w for w in words(pixels))
    # one file without pixel sizes: all are shown on the basis that all have
    assert any("share of the screen" in w for w in words(drawn(given, ours("b"))["detection_rate_by_size"]))


def test_hostile_names_are_escaped_and_cut() -> None:
    evil = "</text><script>alert(1)</script>\x1b[31m" + "w" * 500
    for picture in drawn(ours(evil, dataset_name='"><img src=x>'), ours("b")).values():
        svg = to_svg(picture)
        ET.fromstring(svg)  # noqa: S314  (our own text)
        assert "<script" not in svg and "<img" not in svg and "\x1b" not in svg
        assert picture.width < 2000
    to_png(drawn(ours(evil))["detection_rate_overall"])


def test_many_types_go_into_bands() -> None:
    given = ours(n=60)
    for i, row in enumerate(given["results"]):
        row["element_type"] = f"kind {i % 30}"
    picture = drawn(given)["detection_rate_by_type"]
    assert picture.width < 1600 and picture.height > 700
    assert all(f"kind {i}" in words(picture) for i in range(30))


def test_scatter_keeps_numbers_apart_markers_in_place_and_names_who_has_no_time() -> None:
    slow = ours("slow", 5)
    for row in slow["results"]:
        row["latency_ms"] = None
    picture = drawn(ours("a", 10), ours("b", 10), ours("c", 10), slow)["accuracy_vs_latency"]
    dots = [s for s in picture.shapes if isinstance(s, Dot) and s.x < 600]
    places, numbers = [d for d in dots if d.radius == DOT], [d for d in dots if d.radius == BADGE]
    assert len(places) == len(numbers) == 3
    assert len({(d.x, d.y) for d in places}) == 1  # they are equal, and nobody slides to another time
    assert all(math.dist(a[:2], b[:2]) >= APART - 1e-9 for a, b in combinations(numbers, 2))
    assert any("slow" in w and "not shown" in w for w in words(picture))


def test_log_axis_where_times_are_far_apart() -> None:
    quick = ours("quick", 3)
    for row in quick["results"]:
        row["latency_ms"] = 0.001
    picture = drawn(quick, ours("slow"))["accuracy_vs_latency"]
    assert "1 ms or less" in words(picture)
    assert "1 ms or less" not in words(drawn(ours("a"), ours("b"))["accuracy_vs_latency"])


def test_png_has_the_size_and_colours_of_the_chart() -> None:
    picture = drawn(ours(found=20))["detection_rate_overall"]
    image = Image.open(io.BytesIO(to_png(picture)))
    assert image.size == (round(picture.width * SCALE), round(picture.height * SCALE))
    bar = next(s for s in picture.shapes if isinstance(s, ChartRect))
    assert image.convert("RGB").getpixel((int((bar.x + 20) * SCALE), int((bar.y + 3) * SCALE))) == (0x79, 0xAE, 0xDE)


def test_files_of_the_original_are_known_for_what_they_are() -> None:
    peeks, blind = read(result("OmniParser + baseline")), read(result("UI-TARS + baseline"))
    assert metrics_of(peeks)["oracle"] is True and metrics_of(peeks)["method_name"] == "oracle: OmniParser + baseline"
    assert metrics_of(blind)["oracle"] is False
    assert any("original tool" in w for w in words(charts.draw([peeks])["detection_rate_overall"]))
    mixed = charts.draw([blind, read(ours())])["detection_rate_overall"]
    assert any("do not compare" in w for w in words(mixed)) and "set · protocol click" in words(mixed)
    legend = words(charts.draw([blind, read(ours())])["accuracy_vs_latency"])
    assert any("protocol click" in w for w in legend) and any("original rule" in w for w in legend)


def test_comparisons_are_passed_over_and_bad_files_named(tmp_path: Path) -> None:
    (tmp_path / "ok.json").write_text(json.dumps(ours()))
    (tmp_path / "comparison.json").write_text(json.dumps({"summary": {}, "ranking_by_detection_rate": []}))
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "wrong.json").write_text(json.dumps(ours(detection_rate=65.2)))
    (tmp_path / "short.json").write_text(json.dumps(ours(total_elements=3)))
    found, problems = read_folder(tmp_path)
    assert list(found) == ["ok.json"]
    assert [p.partition(":")[0] for p in problems] == ["bad.json", "short.json", "wrong.json"]


@pytest.mark.parametrize("data", [b"[]", b"\xff", b"null", b'{"results": []}'])
def test_other_json_is_no_comparison(data: bytes) -> None:
    assert not is_comparison(data)
    with pytest.raises(SnellenError, match=r"r\.json"):
        read_result(data, "r.json")


def test_write_makes_svg_and_png_and_says_where_it_cannot(tmp_path: Path) -> None:
    written = charts.write([read(ours())], tmp_path / "new" / "charts")
    assert sorted(p.suffix for p in written) == [".png"] * 4 + [".svg"] * 4
    assert all(p.stat().st_size > 500 for p in written)
    (tmp_path / "file").write_text("")
    with pytest.raises(SnellenError, match="--charts_dir"):
        charts.write([read(ours())], tmp_path / "file")


def test_only_counts_draws_without_intervals() -> None:
    given = ours() | {"results": []}
    picture = drawn(given)["detection_rate_overall"]
    assert any("no interval" in w for w in words(picture)) and "60.0 %" in words(picture)
