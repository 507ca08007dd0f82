"""Parameters that an endpoint refuses are left out, once for the run, and the run says so; thinking is kept apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

import snellen
from snellen.subjects.remote.format import Said
from snellen.subjects.remote.refusals import refused_parameters

REFUSAL = {
    "error": {
        "message": "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    }
}


def refuse_temperature(request: dict[str, Any], _nth: int) -> tuple[int, dict[str, str], bytes] | None:
    return (400, {}, json.dumps(REFUSAL).encode()) if "temperature" in request else None


def test_a_refused_temperature_is_left_out_and_told(tmp_path: Path) -> None:
    data = write_set(tmp_path / "d", 4)
    with Endpoint(script=refuse_temperature) as endpoint, pytest.warns(UserWarning, match="refused temperature"):
        run = snellen.evaluate("salbench", model="api/m", data=data, base_url=endpoint.url, out=tmp_path / "runs")
    answers = list(run.folder.answers())
    assert answers
    assert all(a.failure is None and a.calls[0].tries == 1 and a.calls[0].left_out == ("temperature",) for a in answers)
    identity = run.manifest.subject.identity
    assert identity["parameters"]["temperature"] == 0.0
    assert "temperature" not in identity["applied"]
    assert "unsupported value" in identity["not_applied"]["temperature"].lower()


def test_what_was_thought_is_kept_apart(tmp_path: Path) -> None:
    def think(request: dict[str, Any], _nth: int) -> tuple[int, dict[str, str], bytes]:
        reply = completion("Size")
        reply["choices"][0]["message"]["reasoning_content"] = "Is it color? No, size."
        reply["usage"]["completion_tokens_details"] = {"reasoning_tokens": 7}
        return 200, {"x-request-id": "req-1"}, json.dumps(reply).encode()

    data = write_set(tmp_path / "d", 2)
    with Endpoint(script=think) as endpoint:
        run = snellen.evaluate("salbench", model="api/m", data=data, base_url=endpoint.url, out=tmp_path / "runs")
    for answer in run.folder.answers():
        assert (answer.text, answer.thinking) == ("Size", "Is it color? No, size.")
        assert answer.calls[0].usage.reasoning_tokens == 7
        assert answer.calls[0].request_id == "req-1"


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        (Said("`temperature` may only be set to 1 when thinking is enabled."), ["temperature"]),
        (Said("temperature: Extra inputs are not permitted"), ["temperature"]),
        (Said("Thinking level is not supported for this model."), ["thinkingLevel"]),
        (Said("Invalid JSON payload received. Unknown name \"seed\" at 'generation_config'"), ["seed"]),
        (Said("Invalid value", "invalid_value", "reasoning.effort"), ["reasoning"]),
        (Said("The image is too large"), []),
        (Said("invalid image url"), []),
        (Said("The temperature of the picture is lovely"), []),
    ],
)
def test_which_parameter_a_refusal_names(said: Said, refused: list[str]) -> None:
    sent = {name: (name,) for name in ("temperature", "seed", "reasoning", "thinkingLevel")}
    assert refused_parameters(said, sent) == refused
