"""Parameters that an endpoint refuses are left out, once for the run, and the run says so; thinking is kept apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import png, write_config, write_set

import snellen
from snellen.subjects.remote.format import ErrorBody
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
        (ErrorBody("`temperature` may only be set to 1 when thinking is enabled."), ["temperature"]),
        (ErrorBody("temperature: Extra inputs are not permitted"), ["temperature"]),
        (ErrorBody("Thinking level is not supported for this model."), ["thinkingLevel"]),
        (ErrorBody("Invalid JSON payload received. Unknown name \"seed\" at 'generation_config'"), ["seed"]),
        (ErrorBody("Invalid value", "invalid_value", "reasoning.effort"), ["reasoning"]),
        (ErrorBody("The image is too large"), []),
        (ErrorBody("invalid image url"), []),
        (ErrorBody("The temperature of the picture is lovely"), []),
        (ErrorBody("Invalid image: the decoder hit an unexpected seed marker"), []),
        (ErrorBody("unsupported image format: seed.tiff"), []),
        (ErrorBody("The model `magistral-reasoning` is unknown"), []),
        (ErrorBody("Unknown error while reasoning about the invalid picture"), []),
        (ErrorBody("Invalid text: 'What temperature is it?'", "invalid_value", "messages[0].content[1].text"), []),
        (ErrorBody("Invalid picture of a temperature chart", "invalid_image", "input[0]"), []),
        (ErrorBody("seed is not supported"), ["seed"]),
        (ErrorBody("Argument not supported on this model: seed"), ["seed"]),
        (ErrorBody("Unrecognized request arguments supplied: stop, seed"), ["seed"]),
        (ErrorBody("Model m does not support parameter reasoning."), ["reasoning"]),
        (ErrorBody('"llava" does not support thinking'), ["reasoning"]),
    ],
)
def test_which_parameter_a_refusal_names(said: ErrorBody, refused: list[str]) -> None:
    sent = {name: (name,) for name in ("temperature", "seed", "reasoning", "thinkingLevel")}
    assert refused_parameters(said, sent) == refused


def test_a_parameter_that_was_taken_is_not_given_up_for_a_bad_picture(tmp_path: Path) -> None:
    """One picture of many is refused, in words that also have a parameter's name in them."""

    asked: list[Any] = []

    def refuse_one(request: dict[str, Any], _nth: int) -> tuple[int, dict[str, str], bytes] | None:
        asked.append(request)
        said = {"error": {"message": "Invalid picture: something like a chart of temperature over time"}}
        return (400, {}, json.dumps(said).encode()) if len(asked) == 3 else None

    data = write_set(tmp_path / "d", 5)
    with Endpoint(script=refuse_one) as endpoint:
        run = snellen.evaluate(
            "salbench", model="api/m", data=data, base_url=endpoint.url, out=tmp_path / "runs", concurrency=1
        )
        assert all("temperature" in request for request in endpoint.requests)
    assert run.summary.failed == 1
    assert "applied" not in run.manifest.subject.identity


def test_what_was_left_out_stays_on_record_when_the_run_goes_on(tmp_path: Path) -> None:
    images = [{"bytes": png(n) if n else b"no picture", "path": None} for n in range(4)]
    write_config(tmp_path / "d", "P3", 4, image=images)
    given: dict[str, Any] = {"model": "api/m", "data": tmp_path / "d", "out": tmp_path / "runs"}
    with Endpoint(script=refuse_temperature) as endpoint:
        with pytest.warns(UserWarning, match="refused temperature"):
            run = snellen.evaluate("salbench", base_url=endpoint.url, **given)
        before = run.manifest.subject.identity
        asked = len(endpoint.requests)
        again = snellen.evaluate("salbench", base_url=endpoint.url, **given)  # the bad picture is open, and is not sent
        assert len(endpoint.requests) == asked
    assert again.manifest.subject.identity == before
    assert "temperature" not in before["applied"]
