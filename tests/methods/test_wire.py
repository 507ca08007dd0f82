"""The wire: local servers that speak OmniParser's and UI-TARS's API, reached over HTTP as in a run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PIL import Image
from tests.support import openadapt_reference as reference
from tests.support.omniparser import READY, OmniParserServer, icon_item, text_item
from tests.support.uitars import MARK, PIXEL_FORMS, THOUSAND_FORMS, UitarsServer, find_mark, png

from snellen.core.errors import SnellenError
from snellen.core.outcomes import mark_answer
from snellen.core.types import Answer, Failure, Outcome, Picture, Question, Sample
from snellen.exams.grounding.protocols import PROTOCOLS
from snellen.exams.grounding.reading.predictions import Detection, Prediction, to_text
from snellen.methods import catalogue as methods
from snellen.methods import wire_omniparser as wire
from snellen.methods.base import MethodView, Parse, ToolFailure
from snellen.methods.parsers import ParseCache
from snellen.methods.pictures import opened

GOLDEN = json.loads((Path(__file__).parents[1] / "parity" / "grounding.json").read_text())
SIZE = (1920, 1080)
SCREEN = png(*SIZE, {(460, 530, 500, 550): MARK})
CENTRE = (480.0, 540.0)


class Http:
    """Tools over HTTP, as a run has them: one parser, one model, both on this machine."""

    def __init__(self, session: aiohttp.ClientSession, parser: str = "", model: str = "") -> None:
        self.session, self.parser, self.model = session, parser, model
        self.cache = ParseCache(64)

    async def parse(self, image: bytes, note: str) -> Parse:
        return await self.cache(image, lambda: wire.parse_image(self._post, image))

    async def _post(self, body: bytes) -> bytes | None:
        headers = {"content-type": "application/json"}
        async with self.session.post(wire.parse_url(self.parser), data=body, headers=headers) as response:
            return None if response.status == 500 else await response.read()

    async def compute(self, function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)

    async def ask(self, question: Question) -> Answer:
        import base64

        content = [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + base64.b64encode(p.data).decode()}}
            if isinstance(p, Picture)
            else {"type": "text", "text": p.text}
            for p in question.parts
        ]
        body = {"model": "ui-tars", "messages": [{"role": "user", "content": content}], "temperature": 0}
        async with self.session.post(f"{self.model}/chat/completions", json=body) as response:
            data = await response.json()
            if response.status != 200:
                failure = Failure(kind="context", reason=data["message"])
                return Answer(id=question.id, prompt=question.prompt, failure=failure)
        return Answer(id=question.id, prompt=question.prompt, text=data["choices"][0]["message"]["content"])


def over_http(work: Callable[[Http], Awaitable[Any]], parser: str = "", model: str = "") -> Any:
    async def run() -> Any:
        async with aiohttp.ClientSession() as session:
            return await work(Http(session, parser, model))

    return asyncio.run(run())


def locate(name: str, *, parser: str = "", model: str = "", image: bytes = SCREEN, **options: Any) -> Prediction:
    width, height = opened(image).size
    view = MethodView(id="s/e", image=image, width=width, height=height, instruction="Click on the 'Save' button")
    done = over_http(lambda tools: methods.build(name, options).locate(view, tools), parser, model)
    assert isinstance(done, Prediction)
    return done


# ---------------------------------------------------------------- UI-TARS


@pytest.mark.parametrize("form", PIXEL_FORMS)
def test_every_reply_form_of_uitars_15_ends_on_the_same_pixel(form: str) -> None:
    with UitarsServer(PIXEL_FORMS[form]) as server:
        prediction = locate("uitars", model=server.url)
    assert prediction.point == pytest.approx(CENTRE, abs=1e-6)
    assert server.sizes == [(1932, 1092)]  # the server's own resize had nothing to do


@pytest.mark.parametrize("form", THOUSAND_FORMS)
def test_every_reply_form_of_uitars_v1_ends_on_the_same_pixel(form: str) -> None:
    with UitarsServer(THOUSAND_FORMS[form], thousand=True) as server:
        prediction = locate("uitars", model=server.url, version="1")
    assert prediction.point == pytest.approx(CENTRE, abs=1e-6)


def test_the_picture_comes_before_the_official_prompt_on_the_wire() -> None:
    with UitarsServer(PIXEL_FORMS["bare"]) as server:
        locate("uitars", model=server.url)
    (request,) = server.requests
    image, text = request["messages"][0]["content"]
    assert image["type"] == "image_url"
    assert text["text"].startswith("Output only the coordinate of one point in your response.")


def test_a_screenshot_beyond_the_servers_context_is_an_error_and_no_miss() -> None:
    with UitarsServer(PIXEL_FORMS["bare"], context=1000) as server:
        prediction = locate("uitars", model=server.url)
    assert prediction.status == "error"
    assert "maximum context length" in prediction.reason


def test_crops_map_back_through_the_servers_resize() -> None:
    with UitarsServer(PIXEL_FORMS["decimals"]) as server:
        prediction = locate("uitars-fixed", model=server.url)
    assert server.sizes == [(1932, 1092), (196, 196), (308, 308), (504, 504)]
    assert prediction.point == pytest.approx(CENTRE, abs=1.0)


# ---------------------------------------------------------------- OmniParser


def sees_save(image: Image.Image) -> list[dict[str, Any]]:
    """A Save button where the mark is, and a title if the picture is large."""
    found = [text_item((0.01, 0.01, 0.1, 0.03), "Untitled document")] if image.width > 1000 else []
    at = find_mark(image)
    if at:
        wide, high = 20 / image.width, 10 / image.height
        found.append(icon_item((at[0] - wide, at[1] - high, at[0] + wide, at[1] + high), "Save "))
    return found


def test_omniparser_finds_the_button_and_is_asked_at_the_right_address() -> None:
    with OmniParserServer(sees_save) as server:
        prediction = locate("omniparser", parser=server.url)
        assert prediction.point == pytest.approx(CENTRE, abs=1)
        assert prediction.text == "Save"
        for given in (server.url, server.url + "/", server.url + "/parse", server.url + "/parse/"):
            assert wire.parse_url(given) == f"{server.url}/parse/"
    assert server.statuses == [200]
    with pytest.raises(SnellenError, match="must begin with http"):
        wire.parse_url("localhost:8000")


def small_crop() -> bytes:
    """A crop around an icon: no text anywhere in it."""
    return png(200, 200, {(80, 90, 120, 110): MARK})


def test_a_text_free_picture_is_tried_again_with_a_strip_of_text() -> None:
    with OmniParserServer(sees_save) as server:
        prediction = locate("omniparser", parser=server.url, image=small_crop())
    assert server.statuses == [500, 200]
    assert server.parsed == [(200, 200), (420, 264)]
    assert prediction.status == "found"
    assert prediction.point == pytest.approx((100, 100), abs=1)
    assert all(d.text != wire.STRIP_TEXT for d in prediction.detections)


def test_a_text_free_picture_with_nothing_on_it_is_nothing_found_and_no_error() -> None:
    with OmniParserServer(lambda _image: []) as server:
        prediction = locate("omniparser", parser=server.url, image=png(200, 200))
    assert server.statuses == [500, 200]
    assert prediction.status == "refused"


@pytest.mark.parametrize(
    "server", [OmniParserServer(sees_save, reads_strip=False), OmniParserServer(sees_save, broken=True)]
)
def test_a_500_that_stays_is_an_error_and_not_a_wrong_answer(server: OmniParserServer) -> None:
    with server:
        prediction = locate("omniparser", parser=server.url, image=small_crop())
    assert prediction.status == "error"
    assert "status 500" in prediction.reason
    sample = Sample(
        id="s/e",
        tags={},
        truth={"boxes": [[80, 90, 120, 110]], "absent": False},
        facts={"width": 200, "height": 200, "image": "a.png"},
    )
    # whoever runs a method hands an error on as a failure
    answer = Answer(id="s/e", prompt="instruction", failure=Failure(kind="method", reason=prediction.reason))
    assert mark_answer(PROTOCOLS["click"], sample, answer).outcome is Outcome.ERROR
    assert not PROTOCOLS["click"].judge(to_text(prediction), sample).readable


def test_many_targets_of_one_screenshot_make_one_parse() -> None:
    async def work(tools: Http) -> list[Prediction]:
        method = methods.build("omniparser", {})
        views = [
            MethodView(id=str(i), image=SCREEN, width=1920, height=1080, instruction=f"Click on the '{word}' button")
            for i, word in enumerate(["Save", "Open", "Untitled document"] * 7)
        ]
        return list(await asyncio.gather(*(method.locate(v, tools) for v in views)))

    with OmniParserServer(sees_save) as server:
        found = over_http(work, parser=server.url)
    assert len(server.parsed) == 1
    assert [p.status for p in found[:3]] == ["found", "refused", "found"]


def test_other_failures_say_what_they_are() -> None:
    ok = b'{"parsed_content_list": [], "latency": 0.1}'
    assert wire.read_reply(ok, 10, 10) == Parse(width=10, height=10, detections=())
    endpoint = wire.OmniParserEndpoint("http://localhost:8000")
    for body in (b"<html>", b"[]", b'{"latency": 1}'):
        with pytest.raises(ToolFailure) as caught:
            wire.read_reply(body, 10, 10)
        assert caught.value.kind == "garbled"
        assert "\n" not in caught.value.reason
        with pytest.raises(ValueError, match=r"not JSON|no parsed_content_list"):
            endpoint.parse(body)
    for status, body in ((307, b""), (422, b'{"detail":\n"field required"}'), (503, b"busy")):
        failure = endpoint.explain(status, body).error
        assert failure is not None
        assert (failure.kind, f"status {status}" in failure.reason) == ("parser", True)
        assert "\n" not in failure.reason
    assert endpoint.explain(500, b"Internal Server Error").refused


def test_the_server_redirects_without_the_slash_and_probes() -> None:
    async def work(tools: Http) -> tuple[int, Any]:
        async with tools.session.post(f"{tools.parser}/parse", data=b"{}", allow_redirects=False) as response:
            status = response.status
        async with tools.session.get(wire.probe_url(tools.parser)) as response:
            return status, await response.json()

    with OmniParserServer(sees_save) as server:
        assert over_http(work, parser=server.url) == (307, {"message": READY})


# ---------------------------------------------------------------- conversion

CONVERT = GOLDEN["omniparser_convert"]


@pytest.mark.parametrize("row", CONVERT, ids=lambda r: json.dumps(r["item"])[:40])
def test_the_originals_conversion_is_kept_row_by_row(row: dict[str, Any]) -> None:
    if isinstance(row["out"], dict):
        with pytest.raises(AttributeError, match="startswith"):
            reference.convert_omniparser(row["item"])
    else:
        assert reference.convert_omniparser(row["item"]) == row["out"]


@pytest.mark.parametrize("row", CONVERT, ids=lambda r: json.dumps(r["item"])[:40])
def test_ours_keeps_at_least_what_the_original_keeps(row: dict[str, Any]) -> None:
    found = wire.convert(row["item"], 1000, 500)
    for theirs in row["out"] if isinstance(row["out"], list) else ():
        x, y, w, h = theirs["bounds"]
        assert found is not None
        assert found.box == pytest.approx((1000 * x, 500 * y, 1000 * (x + w), 500 * (y + h)))
        assert found.text == theirs["text"]
        if theirs["element_type"] != "unknown":
            assert found.kind == theirs["element_type"]


def test_what_the_original_drops_for_rounding_or_null_is_kept() -> None:
    assert wire.convert({"bbox": [-0.01, 0.2, 1.0001, 0.4], "content": "edge"}, 100, 100) == Detection(
        box=(0.0, 20.0, 100.0, 40.0), text="edge"
    )
    assert wire.convert({"type": "icon", "bbox": [0.1, 0.2, 0.3, 0.4], "content": None}, 10, 10) is not None
    for bad in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1, 0.4], ["a", 0, 1, 1], [True, 0, 1, 1], [0, 0, float("nan"), 1], None):
        assert wire.convert({"bbox": bad, "content": "x"}, 10, 10) is None
    assert wire.convert("text", 10, 10) is None


def test_padding_goes_and_comes_back() -> None:
    data, size = wire.padded(png(640, 480))
    assert opened(data).size == size == (640, 544)
    seen = Parse(
        width=640,
        height=544,
        detections=(Detection(box=(10, 460, 60, 490), text="kept"), Detection(box=(10, 490, 300, 530), text="strip")),
    )
    back = wire.unpadded(seen, 640, 480)
    assert [(d.text, d.box) for d in back.detections] == [("kept", (10, 460, 60, 480))]
    assert (back.width, back.height) == (640, 480)
