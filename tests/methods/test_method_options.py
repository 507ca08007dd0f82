"""Options of methods are refused where they have no effect or are misspelt.

What is not used is refused with one line, on the command line and in Python.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen

import snellen as api

REFUSED = {
    ("--model", "baseline/constant:(1, 2)", "--method-option", "format=unit"): "--method-option has no effect",
    ("--model", "baseline/constant:(1, 2)", "--planner", "openai/x"): "--planner has no effect",
    ("--model", "baseline/constant:(1, 2)", "--omniparser-url", "http://x"): "--omniparser-url has no effect",
    ("--model", "baseline/constant:(1, 2)", "--batch", "4"): "--batch has no effect",
    ("--model", "baseline/constant:(1, 2)", "--device", "cpu"): "--device has no effect",
    ("--model", "method/center", "--planner", "openai/x"): "--planner has no effect with the method center",
    ("--model", "method/center", "--batch", "4"): "--batch has no effect",
    ("--model", "method/center", "--method-option", "formt=unit"): "unknown option 'formt'",
    (
        "--model",
        "method/center",
        "--method-option",
        "format=unit",
    ): "option 'format' has no effect with method 'center'",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    made = snellen("data", "make", "grounding", "--out", folder / "set", "--count", 3, cache=folder)
    assert made.returncode == 0, made.stderr
    return folder / "set"


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_is_not_used_is_refused(tmp_path: Path, data: Path, words: tuple[str, ...]) -> None:
    done = snellen("run", "grounding", "--data", data, "--out", tmp_path / "runs", *words, cache=tmp_path)
    assert done.returncode == 2
    assert REFUSED[words] in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": "vllm/x", "planner": "vllm/y"}, "--planner has no effect with the method vlm"),
        ({"model": "vllm/x", "omniparser_url": "http://x"}, "--omniparser-url has no effect with the method vlm"),
        ({"model": "vllm/x", "method_options": {"formt": "unit"}}, "unknown option 'formt' of method 'vlm'"),
        ({"model": "vllm/x", "batch": 4}, "--batch has no effect"),
        ({"model": "baseline/constant:(1, 2)", "method_options": {"format": "unit"}}, "--method-option has no effect"),
        ({"method": "ocr", "model": "vllm/x"}, "--model has no effect with the method ocr"),
        ({"method": "center", "metod_options": {}}, "--metod-options has no effect"),
    ],
)
def test_and_in_python(tmp_path: Path, data: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(api.SnellenError, match=told):
        api.evaluate("grounding", data=data, out=tmp_path / "runs", **options)


def test_a_model_without_a_method_uses_the_methods_options(tmp_path: Path) -> None:
    from tests.support.marked_screens import write_screens
    from tests.support.uitars import UitarsServer

    data, scores = write_screens(tmp_path / "set"), {}
    with UitarsServer(lambda x, y: f'{{"point_2d": [{x:.0f}, {y:.0f}]}}', thousand=True) as server:
        for form in ("pixels", "qwen3-vl"):
            run = api.evaluate(
                "grounding",
                model="vllm/ui-tars",
                method_options={"format": form},
                base_url=server.url,
                data=data,
                out=tmp_path / "runs",
            )
            scores[form] = run.protocols[0].groups[0].metrics["click_accuracy"].value
    assert scores == {"pixels": 0.0, "qwen3-vl": 1.0}
