"""`python -m snellen.grounding`: openadapt-grounding's commands, flags, variables and files."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.extras import of
from tests.support.omniparser import Item, OmniParserServer, text_item
from tests.support.uitars import MARK, PIXEL_FORMS, UitarsServer, png

from snellen.core.errors import SnellenError
from snellen.core.extras import HubData, hub_data_of
from snellen.doors.openadapt.commands import main
from snellen.doors.openadapt.settings import settings
from snellen.exams.grounding import fetch
from snellen.exams.grounding.exam import EXAM

GOLDEN = json.loads((Path(__file__).parents[1] / "parity" / "grounding_data.json").read_text())
ORIGINAL_KEYS = [
    "method_name",
    "dataset_name",
    "detection_rate",
    "mean_iou",
    "mean_latency_ms",
    "mean_attempts",
    "detection_rate_small",
    "detection_rate_medium",
    "detection_rate_large",
    "detection_rate_by_type",
    "total_elements",
    "detected_elements",
    "results",
]
ORIGINAL_ROW = [
    "sample_id",
    "element_id",
    "found",
    "iou",
    "latency_ms",
    "attempts",
    "size_category",
    "element_type",
    "distance_from_target",
    "method_info",
]


class Shell:
    """A working folder, and what a command said there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.out = self.err = ""

    def __call__(self, *words: object) -> int:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as done:
            main([str(w) for w in words])
        self.out, self.err = self._capsys.readouterr()
        return int(done.value.code or 0)

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text())


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    for name in [n for n in os.environ if n.startswith("EVAL_")]:
        monkeypatch.delenv(name)
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return Shell(place, capsys)


def write_set(folder: Path, screens: int = 3) -> Path:
    """Screenshots of 400x300 with a marked patch at (100, 60)-(160, 90) and an empty target elsewhere."""
    (folder / "samples").mkdir(parents=True)
    samples = []
    for i in range(screens):
        (folder / "samples" / f"{i}.png").write_bytes(png(400, 300, {(100, 60, 160, 90): MARK}))
        box = [100 / 400, 60 / 300, 60 / 400, 30 / 300]
        other = [300 / 400, 200 / 300, 20 / 400, 20 / 300]
        samples.append(
            {
                "id": f"s{i}",
                "image_path": f"samples/{i}.png",
                "width": 400,
                "height": 300,
                "elements": [
                    {
                        "id": f"s{i}_a",
                        "bbox": box,
                        "text": "Save",
                        "element_type": "button",
                        "instruction": "Click on 'Save'",
                    },
                    {
                        "id": f"s{i}_b",
                        "bbox": other,
                        "text": "Open",
                        "element_type": "icon",
                        "instruction": "Click on 'Open'",
                    },
                ],
                "metadata": {"difficulty": "easy", "theme": "light"},
            }
        )
    root = {"name": "own", "version": "1.0", "metadata": {}, "samples": samples}
    (folder / "annotations.json").write_text(json.dumps(root))
    return folder


def test_generate_writes_the_originals_set_where_the_original_does(shell: Shell) -> None:
    assert shell("generate", "--type", "synthetic", "--count=10", "--output_dir", "ds") == 0
    data = (shell.folder / "ds/synthetic/annotations.json").read_bytes()
    assert hashlib.sha256(data).hexdigest() == GOLDEN["generator_seed42"]["10"]["annotations_json_sha256"]
    assert "Generator: original" in shell.out and "Generated 8 samples of 10 asked for" in shell.out


def test_generate_layouts_takes_size_seed_and_folder_from_dotenv(shell: Shell) -> None:
    (shell.folder / ".env").write_text(
        "EVAL_DATASETS_DIR='my sets'\nEVAL_SYNTHETIC_WIDTH=800\nEVAL_SYNTHETIC_HEIGHT=600\nEVAL_SYNTHETIC_SEED=7\n"
    )
    assert shell("generate", "--style", "layouts", "--count", "2") == 0
    found = shell.json("my sets/synthetic/annotations.json")
    assert {(s["width"], s["height"]) for s in found["samples"]} == {(800, 600)} and found["metadata"]["seed"] == 7
    assert "Generator: layouts" in shell.out and "Generated 2 samples\n" in shell.out
    with Image.open(shell.folder / "my sets/synthetic" / found["samples"][0]["image_path"]) as image:
        assert image.size == (800, 600)
    assert shell("generate", "--type", "layouts", "--count", "1", "--seed", "9") == 0
    assert shell.json("my sets/layouts/annotations.json")["metadata"]["seed"] == 9
    # the original's set has one size
    assert shell("generate", "--output-dir", "x", "--count", "10") == 2 and "--style layouts" in shell.err


def test_run_writes_the_originals_result_file_with_what_it_lacked(shell: Shell) -> None:
    write_set(shell.folder / "evaluation/datasets/own")
    assert shell("run", "--method", "center", "--dataset", "own") == 0
    result = shell.json("evaluation/results/center_own.json")
    assert (
        list(result)[: len(ORIGINAL_KEYS)] == ORIGINAL_KEYS
        and list(result["results"][0])[: len(ORIGINAL_ROW)] == ORIGINAL_ROW
    )
    assert result["detection_rate"] == 0.0 and result["total_elements"] == 6 and result["oracle"] is False
    row = result["results"][0]
    assert row["point"] == [200.0, 150.0] and row["outcome"] == "wrong" and row["target_boxes"] == [[100, 60, 160, 90]]
    assert row["size_area_category"] == "large" and row["size_category"] == row["size_px_category"] == "medium"
    assert result["protocol"]["name"] == "click" and result["versions"]["snellen"]
    assert "EVALUATION RESULTS" in shell.out and "Results saved to:" in shell.out
    assert len(list((shell.folder / "evaluation/results/runs").iterdir())) == 1


def test_limit_counts_screenshots_and_0_is_all(shell: Shell) -> None:
    write_set(shell.folder / "d/own")
    words = ("run", "--method", "center", "--dataset", "own", "--dataset_dir", "d", "--output-dir=r")
    assert shell(*words, "--limit", "2") == 0
    result = shell.json("r/center_own.json")
    assert [r["sample_id"] for r in result["results"]] == ["s0", "s0", "s1", "s1"] and result["limit"] == 2
    assert shell(*words, "--limit", "0") == 0
    result = shell.json("r/center_own.json")
    assert result["total_elements"] == 6 and result["limit"] is None
    assert len(list((shell.folder / "r/runs").iterdir())) == 2  # the limited run is another run


def test_a_run_goes_on_where_it_was_and_other_protocols_ask_nobody(shell: Shell) -> None:
    write_set(shell.folder / "d/own")
    with UitarsServer(PIXEL_FORMS["bare"]) as server:
        words = ("run", "--method=uitars", "--model=vllm/ui-tars", "--dataset=own", "--dataset_dir=d", "--output_dir=r")
        assert shell(*words, "--uitars_url", server.url) == 0
        asked = len(server.requests)
        assert 0 < asked <= 6 and shell.json("r/uitars-vllm-ui-tars_own.json")["detection_rate"] == 0.5
        assert shell(*words, "--uitars_url", server.url, "--protocol", "screenspot") == 0
        assert len(server.requests) == asked
    assert shell.json("r/uitars-vllm-ui-tars_own.json")["protocol"]["name"] == "screenspot"


def test_addresses_come_from_dotenv_and_the_environment_wins(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(shell.folder / "evaluation/datasets/own")

    def see(_image: Image.Image) -> list[Item]:
        return [text_item((0.25, 0.2, 0.4, 0.3), "Save"), text_item((0.75, 0.67, 0.8, 0.73), "Open")]

    with OmniParserServer(see) as parser, UitarsServer(PIXEL_FORMS["bare"]) as model:
        (shell.folder / ".env").write_text(f"EVAL_OMNIPARSER_URL={parser.url}\nEVAL_UITARS_URL=http://127.0.0.1:9/v1\n")
        monkeypatch.setenv("EVAL_UITARS_URL", model.url)
        assert shell("run", "--method", "omniparser", "--dataset", "own") == 0
        assert len(parser.parsed) <= 3 and shell.json("evaluation/results/omniparser_own.json")["detection_rate"] == 1.0
        assert shell("run", "--method", "uitars", "--dataset", "own", "--model", "vllm/ui-tars") == 0
    result = shell.json("evaluation/results/uitars-vllm-ui-tars_own.json")
    assert result["method_name"] == "UI-TARS + baseline (vllm/ui-tars)" and result["detection_rate"] == 0.5


def test_a_low_result_is_kept_where_compare_looks(shell: Shell) -> None:
    """What a parser does not see it has missed: that is a result, not silence, and there is no provider to blame."""
    write_set(shell.folder / "evaluation/datasets/own", screens=1)
    with OmniParserServer(lambda _image: [text_item((0.1, 0.1, 0.3, 0.2), "Elsewhere")]) as parser:
        words = ("run", "--method", "omniparser", "--dataset", "own", "--omniparser_url", parser.url)
        assert shell(*words) == 0, shell.err
    assert "EVALUATION RESULTS" in shell.out and "provider" not in shell.err
    assert shell.json("evaluation/results/omniparser_own.json")["outcomes"] == {"wrong": 2}
    assert shell("compare") == 0 and "Found 1 result files" in shell.out


@pytest.mark.parametrize(
    ("reply", "code", "outcome"),
    [("none", 0, "refused"), ("Hm.", 3, "unparsable")],
)
def test_what_a_model_refuses_or_garbles_is_written_too(shell: Shell, reply: str, code: int, outcome: str) -> None:
    write_set(shell.folder / "evaluation/datasets/own", screens=2)
    with UitarsServer(lambda _x, _y: reply) as server:
        words = ("run", "--method=uitars", "--model=vllm/ui-tars", "--dataset=own")
        assert shell(*words, "--uitars_url", server.url) == code, shell.err
    assert "EVALUATION RESULTS" in shell.out and "most questions got no answer" in shell.err
    assert ("provider's filter" in shell.err) is (outcome == "refused")
    assert shell.json("evaluation/results/uitars-vllm-ui-tars_own.json")["outcomes"] == {outcome: 4}


def test_a_server_that_is_not_there_is_no_success(shell: Shell) -> None:
    write_set(shell.folder / "d/own")
    code = shell(
        *("run", "--method", "omniparser", "--dataset", "own", "--dataset_dir", "d", "--output_dir", "r"),
        *("--omniparser_url", "http://127.0.0.1:9"),
    )
    assert code in (2, 3) and shell.err.strip() and not (shell.folder / "r/omniparser_own.json").exists()


def test_compare_keeps_oracles_apart_everywhere(shell: Shell) -> None:
    write_set(shell.folder / "evaluation/datasets/own")
    for method in ("center", "random", "oracle/center-fixed"):
        assert shell("run", "--method", method, "--dataset", "own") == 0
    assert (shell.folder / "evaluation/results/oracle-center-fixed_own.json").is_file()
    for _ in range(2):  # the second time its own output is there
        assert shell("compare", "--charts-dir", "charts") == 0
        assert "Found 3 result files" in shell.out and not shell.err
    assert shell.out.index("EVALUATION RESULTS") < shell.out.index("ORACLE: these look at the answer")
    found = shell.json("evaluation/results/comparison.json")
    assert [r["method"] for r in found["ranking_by_detection_rate"]] == ["center", "random"]
    assert found["summary"]["total_methods"] == 2
    assert found["oracle"]["ranking_by_detection_rate"][0]["method"] == "oracle: center-fixed"
    assert [f["oracle"] for f in found["files"]] == [False, True, False]
    assert found["files"][0]["interval"][1] > 0 and found["files"][0]["n"] == 6
    table = (shell.folder / "evaluation/results/comparison.md").read_text()
    assert table.index("| center |") < table.index("ORACLE") < table.index("| oracle: center-fixed |")
    for name in ("overall", "by_size", "by_type"):
        assert "ORACLE" in (shell.folder / f"charts/detection_rate_{name}.svg").read_text()
        assert (shell.folder / f"charts/detection_rate_{name}.png").is_file()
    assert (shell.folder / "charts/accuracy_vs_latency.png").is_file()


def test_compare_elsewhere_and_with_bad_files(shell: Shell) -> None:
    write_set(shell.folder / "d/own")
    assert shell("run", "--method=center", "--dataset=own", "--dataset-dir=d", "--output_dir=r") == 0
    (shell.folder / "r/broken.json").write_text("{")
    assert shell("compare", "--results_dir", "r", "--output", "o/c.json", "--charts_dir", "c") == 2
    assert "broken.json" in shell.err and "1 files" in shell.err
    assert (
        shell.json("o/c.json")["summary"]["best_overall"] == "center" and len(list((shell.folder / "c").iterdir())) == 8
    )


def test_list_shows_methods_data_sets_and_folders(shell: Shell) -> None:
    write_set(shell.folder / "evaluation/datasets/own")
    assert shell("list") == 0
    assert "ORACLE" not in shell.out and "oracle/" not in shell.out
    first = shell.out.index("uitars-screenseeker")
    assert first < shell.out.index("\n  ocr ") and first < shell.out.index("\n  center ")
    assert shell("list", "-v") == 0
    for word in ("omniparser-fixed", "uitars-screenseeker", "ocr", "own", "screenspot-v2", "evaluation/charts"):
        assert word in shell.out
    assert shell.out.index("Available Methods") < shell.out.index("ORACLE") < shell.out.index("oracle/uitars-fixed")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which command? generate, run, compare, list"),
        (["destroy"], "generate, run, compare, list"),
        (["generate", "--type", "real"], "choose from synthetic, layouts"),
        (["generate", "--style", "x"], "choose from layouts, original"),
        (["generate", "--count", "0"], "at least 1"),
        (["generate", "--count", "many"], "many"),
        (["run", "--dataset", "own"], "--method"),
        (["run", "--method", "center", "--dataset", "none"], "no data set 'none'"),
        (["run", "--method", "nonsense", "--dataset", "own"], "unknown method 'nonsense'"),
        (["run", "--method", "oracle/nonsense", "--dataset", "own"], "unknown oracle"),
        (["run", "--method", "center", "--dataset", "own", "--protocol", "p"], "'p'"),
        (["run", "--method", "vlm", "--dataset", "own"], "--model"),
        (["compare"], "no results"),
        (["compare", "--colour", "red"], "--colour"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(shell: Shell, words: list[str], said: str) -> None:
    write_set(shell.folder / "evaluation/datasets/own", screens=1)
    assert shell(*words) == 2
    assert said in shell.err and len(shell.err.strip().splitlines()) == 1


def test_thresholds_of_the_original(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(shell.folder / "evaluation/datasets/own", screens=1)
    monkeypatch.setenv("EVAL_DEFAULT_IOU_THRESHOLD", "0.5")
    monkeypatch.setenv("EVAL_DEFAULT_CONFIDENCE_THRESHOLD", "0.5")
    assert shell("run", "--method", "center", "--dataset", "own") == 0  # a baseline has no confidence
    assert "EVAL_DEFAULT_IOU_THRESHOLD has no effect" in shell.err and "less sure" not in shell.err
    monkeypatch.setenv("EVAL_DEFAULT_CONFIDENCE_THRESHOLD", "1.5")
    assert shell("list") == 2 and "Expected `float` <= 1.0 - at `$.DEFAULT_CONFIDENCE_THRESHOLD`" in shell.err


def test_defaults_are_the_originals(tmp_path: Path) -> None:
    known = settings({"EVAL_RESULTS_DIR": "  "}, tmp_path)
    folders = (known.datasets_dir, known.results_dir, known.charts_dir)
    assert folders == ("evaluation/datasets", "evaluation/results", "evaluation/charts")
    assert known.synthetic_seed == 42 and known.omniparser_url is None and known.screen is None


def test_it_is_a_module(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "snellen.grounding", "run", "--method", "center", "--dataset", "x"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and done.stderr.startswith("snellen.grounding: no data set 'x'")


# ---------------------------------------------------------------- the real sets


def test_the_real_sets_are_named_and_unknown_ones_refused() -> None:
    assert of(EXAM, HubData).names == ("screenspot", "screenspot-v2", "screenspot-pro", "osworld-g")
    assert fetch.hub("ScreenSpot-Pro") == ("likaixin/ScreenSpot-Pro", ("annotations/*.json", "images/**"))
    repo, patterns = fetch.hub("screenspot-v2")
    assert repo == "OS-Copilot/ScreenSpot-v2" and "screenspotv2_image.zip" in patterns
    with pytest.raises(SnellenError, match="choose from screenspot, screenspot-v2, screenspot-pro, osworld-g"):
        fetch.hub("mind2web")
    with pytest.raises(SnellenError, match="get one with 'snellen data get grounding --set"):
        hub_data_of(EXAM).find(None)
    for name in ("screenspot", "osworld-g"):
        with pytest.raises(SnellenError, match=r"github\.com"):
            fetch.hub(name)


def test_archives_are_unpacked_once_and_never_outside(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "screenspotv2_image.zip", "w") as archive:
        archive.writestr("screenspotv2_image/a.png", b"image")
        archive.writestr("__MACOSX/screenspotv2_image/._a.png", b"junk")
    assert fetch.unpack("screenspot-v2", tmp_path) == [tmp_path / "screenspotv2_image/a.png"]
    assert (tmp_path / "screenspotv2_image/a.png").read_bytes() == b"image"
    assert fetch.unpack("screenspot-v2", tmp_path) == [] and not (tmp_path / "__MACOSX").exists()
    inner = tmp_path / "inner"
    inner.mkdir()
    with zipfile.ZipFile(inner / "screenspotv2_image.zip", "w") as archive:
        archive.writestr("good.png", b"x")
        archive.writestr("../evil.png", b"x")
    with pytest.raises(SnellenError, match="outside"):
        fetch.unpack("screenspot-v2", inner)
    assert not (tmp_path / "evil.png").exists() and not (inner / "good.png").exists()
    (inner / "screenspotv2_image.zip").write_bytes(b"no archive")
    with pytest.raises(SnellenError, match="cannot be unpacked"):
        fetch.unpack("screenspot-v2", inner)
    assert fetch.unpack("screenspot-pro", inner) == []
