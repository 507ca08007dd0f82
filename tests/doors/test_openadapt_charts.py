"""Charts of result files: what they are made of, what they say, and that names from anybody do no harm."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.doors.openadapt import charts
from snellen.doors.openadapt.results import read_folder, read_result, rows_of

NAMES = ["accuracy_vs_latency", "detection_rate_by_size", "detection_rate_by_type", "detection_rate_overall"]
TEXT = "{http://www.w3.org/2000/svg}text"


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


def texts(folder: Path, *given: dict[str, Any]) -> dict[str, list[str]]:
    """All texts of each chart, which must be well-formed."""
    written = charts.write([read(g) for g in given], folder)
    assert sorted(path.name for path in written) == sorted(path.name for path in folder.iterdir())
    svgs = [path for path in written if path.suffix == ".svg"]
    roots = {path.stem: ET.fromstring(path.read_text()) for path in svgs}  # noqa: S314  (our own text)
    return {name: [node.text or "" for node in root.iter(TEXT)] for name, root in roots.items()}


def test_all_four_charts_are_written_twice_and_the_same_results_give_the_same_svg(tmp_path: Path) -> None:
    given = (ours(), ours("oracle: center-fixed", 18, oracle=True))
    found = texts(tmp_path / "a", *given)
    assert sorted(found) == NAMES and found == texts(tmp_path / "b", *given)
    for name in NAMES:
        svg = (tmp_path / "a" / f"{name}.svg").read_bytes()
        assert svg == (tmp_path / "b" / f"{name}.svg").read_bytes() and b"<script" not in svg
        with Image.open(tmp_path / "a" / f"{name}.png") as picture:
            assert picture.width > 1000
        assert any(text.startswith("Hatched or diamonds: ORACLE") for text in found[name])


def test_bars_say_rate_interval_and_n(tmp_path: Path) -> None:
    row = rows_of([read(ours(found=10))])[0]
    low, high = row.overall.low, row.overall.high
    assert low is not None and high is not None and low < 0.5 < high
    found = texts(tmp_path, ours(found=10))
    assert f"ocr (set, click): 50.0% [{100 * low:.1f}, {100 * high:.1f}], n = 20" in found["detection_rate_overall"]
    assert not any("oracle" in text.lower() for name in NAMES for text in found[name])


def test_oracles_come_last() -> None:
    given = [ours("oracle: x", 20, oracle=True), ours("ocr", 12), ours("center", 1)]
    assert [row.method for row in rows_of(map(read, given))] == ["ocr", "center", "oracle: x"]


def test_an_empty_bucket_is_not_zero_percent(tmp_path: Path) -> None:
    row = rows_of([read(ours())])[0]
    assert row.sizes["large"].value is None and row.sizes["large"].n == 0
    assert texts(tmp_path, ours())["detection_rate_by_size"].count("ocr (set, click): no elements") == 1


def test_a_file_may_say_that_a_class_is_empty_and_sizes_follow_one_rule_for_all() -> None:
    given = ours("pixels", mean_iou=None, mean_attempts=None, detection_rate_large=None)
    for row in given["results"]:
        row |= {"size_category": "large", "size_px_category": "large", "size_area_category": "small"}
    other = ours("area")
    assert {r.method: r.sizes["small"].n for r in rows_of([read(given), read(other)])}["pixels"] == 20
    assert rows_of([read(given)])[0].sizes["large"].n == 20


def test_sizes_say_what_they_are_measured_on(tmp_path: Path) -> None:
    def by_size(folder: str, *given: dict[str, Any]) -> str:
        return " ".join(texts(tmp_path / folder, *given)["detection_rate_by_size"])

    given = ours()
    assert "share of the screen" in by_size("area", given)
    for row in given["results"]:
        row["size_px_category"] = "large"
    assert "32 to 100 px" in by_size("pixels", given)
    # one file without pixel sizes: all are shown on the basis that all have
    assert "share of the screen" in by_size("mixed", given, ours("b"))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    evil = "</text><script>alert(1)</script>$x^2$\x1b[31m" + "w" * 500
    texts(tmp_path, ours(evil, dataset_name='"><img src=x>'), ours("b"))
    for name in NAMES:
        svg = (tmp_path / f"{name}.svg").read_text()
        assert "<script" not in svg and "<img" not in svg and "\x1b" not in svg


def test_many_types_go_below_each_other(tmp_path: Path) -> None:
    given = ours(n=60)
    for i, row in enumerate(given["results"]):
        row["element_type"] = f"kind {i % 30}"
    found = texts(tmp_path, given)["detection_rate_by_type"]
    assert all(f"kind {i}" in found for i in range(30))
    with Image.open(tmp_path / "detection_rate_by_type.png") as picture:
        assert picture.width < 3200 < 2 * picture.height


def test_the_time_chart_names_methods_without_a_time(tmp_path: Path) -> None:
    slow, quick = ours("slow", 5), ours("quick", 3)
    for row in slow["results"]:
        row["latency_ms"] = None
    for row in quick["results"]:
        row["latency_ms"] = 0.001
    found = " ".join(texts(tmp_path, ours("a", 10), quick, slow)["accuracy_vs_latency"])
    assert "Without a known time or without elements, not shown: slow." in found
    assert "quick" in found and "0.001 s" in found


def test_files_of_the_original_are_known_for_what_they_are(tmp_path: Path) -> None:
    peeks, blind = result("OmniParser + baseline"), result("UI-TARS + baseline")
    assert read(peeks).metrics()["oracle"] is True
    assert read(peeks).metrics()["method_name"] == "oracle: OmniParser + baseline"
    assert read(blind).metrics()["oracle"] is False
    assert "all of its methods except" in " ".join(texts(tmp_path / "peeks", peeks)["detection_rate_overall"])
    mixed = texts(tmp_path / "mixed", blind, ours())
    assert "do not compare" in " ".join(mixed["detection_rate_overall"])
    bars = " ".join(mixed["detection_rate_overall"])
    assert "(set, click)" in bars and "(set, original tool)" in bars
    legend = " ".join(mixed["accuracy_vs_latency"])
    assert "set, click" in legend and "set, original tool" in legend


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
def test_other_json_is_not_a_result(data: bytes) -> None:
    with pytest.raises(SnellenError, match=r"r\.json"):
        read_result(data, "r.json")


def test_where_charts_cannot_be_written_the_flag_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SnellenError, match="--charts_dir"):
        charts.write([read(ours())], tmp_path / "file")


def test_without_matplotlib_the_install_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SnellenError, match=r"a chart needs the extra 'charts': .*\[charts\]"):
        charts.write([read(ours())], tmp_path)


def test_counts_alone_are_drawn_without_intervals(tmp_path: Path) -> None:
    assert "60.0% no interval, n = 20" in " ".join(texts(tmp_path, ours() | {"results": []})["detection_rate_overall"])
