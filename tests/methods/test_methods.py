"""Methods: they see an image and an instruction, and say where to click, whatever their parser or model does."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import pytest
from PIL import Image
from tests.support.uitars import MARK, PIXEL_FORMS, THOUSAND_FORMS, InProcess, UitarsServer, find_mark, png

from snellen.core.errors import SnellenError
from snellen.core.subject import Caller, Reply, Request, Subject
from snellen.core.types import Answer, Call, Failure, Picture, Question, Text, Token
from snellen.exams.grounding.reading.predictions import Detection, Prediction
from snellen.methods import catalogue as methods
from snellen.methods import prompts
from snellen.methods.base import MethodView, Parse, ToolFailure
from snellen.methods.chooser_model import listed, read_id
from snellen.methods.formats import FORMATS
from snellen.methods.ocr import missing
from snellen.methods.parsers import ParseCache
from snellen.methods.subject import MethodSubject, Outside

SIZE = (1920, 1080)
TARGET = (460, 530, 500, 550)
SCREEN = png(*SIZE, {TARGET: MARK})
CENTRE = (480.0, 540.0)


def view(
    instruction: str = "Click on the 'Save' button", image: bytes = SCREEN, size: tuple[int, int] = SIZE
) -> MethodView:
    return MethodView(id="s/e", image=image, width=size[0], height=size[1], instruction=instruction)


def locate(name: str, tools: InProcess, seen: MethodView | None = None, **options: Any) -> Prediction:
    return asyncio.run(methods.build(name, options).locate(seen or view(), tools))


def model(form: str = "bare", thousand: bool = False) -> InProcess:
    """A UI-TARS that never fails to see the mark."""
    server = UitarsServer((THOUSAND_FORMS if thousand else PIXEL_FORMS)[form], thousand=thousand)
    return InProcess(say=lambda image, _question: server.reply(image))


def seen(*detections: Detection, size: tuple[int, int] = SIZE) -> InProcess:
    return InProcess(see=lambda _image: Parse(width=size[0], height=size[1], detections=detections))


# ---------------------------------------------------------------- the contract


def test_a_view_is_made_of_a_question_and_knows_no_truth() -> None:
    question = Question(
        id="a", exam="grounding", prompt="instruction", parts=(Picture(data=SCREEN), Text(text="Click on it"))
    )
    made = MethodView.of(question)
    assert (made.width, made.height, made.instruction) == (*SIZE, "Click on it")
    assert set(MethodView.__struct_fields__) == {"id", "image", "width", "height", "instruction"}
    with pytest.raises(SnellenError, match="2 pictures"):
        MethodView.of(Question(id="a", exam="g", prompt="p", parts=(Picture(data=SCREEN), Picture(data=SCREEN))))


def test_the_catalogue_lists_the_originals_six_names_the_baselines_and_the_oracles_apart() -> None:
    entries = methods.catalogue()
    names = [e.name for e in entries]
    assert len(names) == len(set(names))
    for name in (
        "omniparser",
        "omniparser-fixed",
        "omniparser-screenseeker",
        "uitars",
        "uitars-fixed",
        "uitars-screenseeker",
    ):
        assert name in names
        assert f"oracle/{name}" in names
    assert {"ocr", "vlm", "center", "random", "sliding-window"} <= set(names)
    assert all(e.oracle == e.name.startswith("oracle/") for e in entries)
    assert all(("truth" in e.needs) == e.oracle for e in entries)
    needs = {e.name: e.needs for e in entries}
    assert needs["omniparser"] == ("parser:omniparser",)
    assert needs["ocr"] == ("parser:ocr", "extra:ocr")
    assert needs["uitars+screenseeker"] == ("model", "planner")
    assert needs["center"] == ()
    assert all(e.about for e in entries)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("omni", {}, "unknown method 'omni'"),
        ("uitars+zoom", {}, "unknown method"),
        ("uitars", {"crop": "zoom"}, "zoom.*crop.*choose from none, fixed"),
        ("uitars-fixed", {"crop": "narrow"}, "already crops"),
        ("uitars", {"version": "2"}, "version.*choose from 1, 1.5"),
        ("uitars", {"prompt": "mine"}, "prompt.*choose from official"),
        ("uitars", {"space": "inches"}, "inches.*space"),
        ("vlm", {"format": "llava"}, "llava.*format"),
        ("ocr", {"chooser": "dice"}, "dice.*chooser.*choose from lexical, model"),
        ("ocr", {"confidence": "high"}, "Expected `float.*confidence"),
        ("ocr", {"confidence": 2}, "Expected `float` <= 1.*confidence"),
        ("center", {"confidence": 0.5}, "'confidence' has no effect with method 'center': it takes crop"),
        ("uitars", {"format": "molmo"}, "'format' has no effect with method 'uitars'"),
        ("uitars", {"chooser": "model"}, "'chooser' has no effect"),
        ("uitars", {"refusals": "true"}, "'refusals' has no effect"),
        ("uitars", {"sizes": "200"}, "'sizes' has no effect"),
        ("uitars+narrow", {"sizes": "200"}, "'sizes' has no effect"),
        ("ocr", {"refusals": "true"}, "'refusals' has no effect"),
        ("ocr", {"max_calls": 3}, "'max_calls' has no effect"),
        ("ocr", {"seed": 3}, "'seed' has no effect"),
        ("uitars+fixed", {"sizes": "200,big"}, "expected whole pixels"),
        ("uitars+screenseeker", {"max_calls": 1}, "at least 2 calls"),
        ("vlm", {"refusals": "perhaps"}, "Expected `bool`.*refusals"),
        ("ocr", {"colour": "red"}, "unknown option 'colour'"),
    ],
)
def test_bad_names_and_options_say_what_to_do(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(SnellenError, match=says) as caught:
        methods.build(name, options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("oracle/center", {"nosuch": 1}, "unknown option 'nosuch'"),
        ("oracle/uitars", {"confidence": 0.5}, "'confidence' has no effect"),
        ("oracle/uitars-fixed", {"sizes": "200"}, "'sizes' has no effect"),
        ("oracle/ocr", {"chooser": "model"}, "'chooser' has no effect with method 'oracle/ocr': it takes none"),
        ("oracle/sliding-window", {"seed": 1}, "'seed' has no effect"),
    ],
)
def test_oracles_take_only_options_that_mean_something(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(SnellenError, match=says):
        methods.build_oracle(name, options)
    methods.build_oracle("oracle/uitars", {"version": "1"})
    methods.build_oracle("oracle/random", {"seed": 1})


def test_options_that_mean_something_are_taken() -> None:
    methods.build("uitars", {"crop": "fixed", "sizes": "100", "max_calls": 3, "confidence": 0.1, "min_pixels": 3136})
    methods.build("ocr", {"chooser": "model", "refusals": True})
    methods.build("vlm+narrow", {"format": "gpt", "space": "unit", "refusals": True, "max_calls": 2})
    assert methods.takes_seed("random+fixed")
    assert not methods.takes_seed("ocr")
    assert methods.takes_seed("oracle/random-fixed")
    assert not methods.takes_seed("oracle/sliding-window")


# ---------------------------------------------------------------- UI-TARS


@pytest.mark.parametrize("form", PIXEL_FORMS)
def test_uitars_15_finds_the_same_pixel_in_every_reply_form(form: str) -> None:
    prediction = locate("uitars", model(form))
    assert prediction.status == "found"
    assert prediction.point == pytest.approx(CENTRE, abs=1e-6)
    assert (prediction.attempts, prediction.calls) == (1, 1)
    assert (prediction.box is not None) == (form in ("four numbers", "bbox"))


@pytest.mark.parametrize("form", THOUSAND_FORMS)
def test_uitars_v1_finds_the_same_pixel_in_thousandths(form: str) -> None:
    prediction = locate("uitars", model(form, thousand=True), version="1")
    assert prediction.point == pytest.approx(CENTRE, abs=1e-6)


def test_uitars_sends_the_official_prompt_after_an_image_of_the_servers_size() -> None:
    tools = model()
    locate("uitars", tools)
    (question,) = tools.questions
    picture, text = question.parts
    assert isinstance(picture, Picture)
    assert Image.open(io.BytesIO(picture.data)).size == (1932, 1092)
    assert picture.transforms == ("resize 1932x1092",)
    assert isinstance(text, Text)
    assert text.text == (
        "Output only the coordinate of one point in your response. "
        "What element matches the following task: Click on the 'Save' button"
    )
    assert question.prompt == "ground"
    locate("uitars", tools, prompt="grounding")
    assert tools.questions[-1].text.startswith(
        "You are a GUI agent. You are given a task and your action history, with screenshots."
    )
    assert tools.questions[-1].text.endswith("## User Instruction\nClick on the 'Save' button")


def test_uitars_limits_are_the_servers_and_can_be_set() -> None:
    small = view(image=png(200, 200, {(90, 90, 110, 110): MARK}), size=(200, 200))
    tools = model()
    assert locate("uitars", tools, small).point == pytest.approx((100, 100), abs=0.6)
    locate("uitars", tools, small, min_pixels=78_400)
    assert [Image.open(io.BytesIO(q.pictures[0].data)).size for q in tools.questions] == [(196, 196), (280, 280)]


def test_a_wrongly_declared_space_gives_a_wrong_point_and_not_a_guess() -> None:
    assert locate("uitars", model(), space="relative_1000").point == pytest.approx((483 * 1.92, 546 * 1.08))


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ("I would press Save.", "unparsable", "no point"),
        ("Action: drag(start_box='(1,2)', end_box='(3,4)')", "unparsable", "drag"),
        ("none", "refused", "not there"),
        ("   ", "unparsable", "empty"),
        (
            Answer(id="s/e", prompt="ground", failure=Failure(kind="context", reason="longer than the context")),
            "error",
            "context",
        ),
        (Answer(id="s/e", prompt="ground", text="no", refused=True), "refused", "refuses"),
        (Answer(id="s/e", prompt="ground", text="", finish_reason="length"), "unparsable", "cut off"),
        (Answer(id="s/e", prompt="ground", text="not (1,2), but", finish_reason="length"), "unparsable", "cut off"),
    ],
)
def test_what_is_no_point_has_its_own_status(said: str | Answer, status: str, reason: str) -> None:
    prediction = locate("uitars", InProcess(say=lambda _image, _question: said))
    assert prediction.status == status
    assert reason in prediction.reason
    assert prediction.point is None


def test_a_point_outside_the_picture_stays_outside() -> None:
    prediction = locate("uitars", InProcess(say=lambda _image, _question: "(5000,5000)"))
    assert prediction.status == "found"
    assert prediction.point is not None
    assert prediction.point[0] > 1920
    assert "outside" in prediction.reason


# ---------------------------------------------------------------- other models

SAYS = {
    "qwen2-vl": lambda x, y, w, h: f"<|box_start|>({1000 * x:.0f},{1000 * y:.0f})<|box_end|>",
    "qwen2.5-vl": lambda x, y, w, h: f'```json\n[{{"point_2d": [{x * w:.0f}, {y * h:.0f}], "label": "Save"}}]\n```',
    "qwen3-vl": lambda x, y, w, h: f'{{"point_2d": [{1000 * x:.0f}, {1000 * y:.0f}]}}',
    "gpt": lambda x, y, w, h: f'{{"x": {x * w:.2f}, "y": {y * h:.2f}}}',
    "claude": lambda x, y, w, h: f'{{"action": "left_click", "coordinate": [{x * w:.2f}, {y * h:.2f}]}}',
    "molmo": lambda x, y, w, h: f'<point x="{100 * x:.1f}" y="{100 * y:.1f}" alt="Save">Save</point>',
    "pixels": lambda x, y, w, h: f"({x * w:.0f}, {y * h:.0f})",
    "unit": lambda x, y, w, h: f'{{"x": {x:.4f}, "y": {y:.4f}}}',
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_point_format_finds_the_same_place(form: str) -> None:
    def say(image: Image.Image, question: Question) -> str:
        at = find_mark(image)
        assert at is not None
        return SAYS[form](*at, *image.size)

    prediction = locate("vlm", InProcess(say=say), format=form)
    assert prediction.point == pytest.approx(CENTRE, abs=1.2)


def test_a_model_may_be_told_that_it_can_refuse() -> None:
    tools = InProcess(say=lambda _image, question: "none" if prompts.REFUSAL in question.text else "(1,2)")
    assert locate("vlm", tools).status == "found"
    assert locate("vlm", tools, refusals="true").status == "refused"


def test_confidence_comes_from_the_tokens_and_the_threshold_refuses() -> None:
    def say(_image: Image.Image, question: Question) -> Answer:
        tokens = (Token(text="(5,", logprob=-1.0), Token(text="5)", logprob=-2.0))
        return Answer(id=question.id, prompt=question.prompt, text="(5,5)", tokens=tokens)

    found = locate("vlm", InProcess(say=say), confidence=0.1)
    assert found.confidence == pytest.approx(0.2231, abs=1e-4)
    held = locate("vlm", InProcess(say=say), confidence=0.5)
    assert held.status == "refused"
    assert held.point is None
    assert "0.22 is under the threshold 0.50" in held.reason
    # an endpoint without token probabilities cannot be held to a threshold: that is said, not ignored
    blind = locate("vlm", InProcess(say=lambda _i, _q: "(5,5)"), confidence=0.5)
    assert blind.status == "error"
    assert "no token probabilities" in blind.reason


# ---------------------------------------------------------------- parsers and choosers


def test_the_lexical_chooser_clicks_the_words() -> None:
    tools = seen(
        Detection(box=(10, 10, 60, 30), text="Cancel", kind="button"),
        Detection(box=(460, 530, 500, 550), text="Save", kind="button"),
        Detection(box=(100, 100, 300, 120), text="Save your work often", kind="text"),
    )
    prediction = locate("omniparser", tools)
    assert (prediction.point, prediction.text, prediction.status) == (CENTRE, "Save", "found")
    assert prediction.detections[0].text == "Save"
    assert prediction.detections_total == 3
    assert prediction.confidence == pytest.approx(1.0)


def test_nothing_that_fits_is_a_refusal_and_nothing_seen_is_one_too() -> None:
    far = seen(Detection(box=(0, 0, 9, 9), text="Weather", kind="text"))
    assert locate("omniparser", far, view("Click on the 'Save' link")).status == "refused"
    assert locate("omniparser", seen()).reason == "the parser sees nothing"


def test_a_parser_that_fails_is_an_error() -> None:
    broken = InProcess(see=lambda _image: ToolFailure("server-500", "it fell over"))
    prediction = locate("omniparser", broken)
    assert prediction.status == "error"
    assert prediction.reason == "server-500: it fell over"


def test_the_model_chooser_follows_omniparsers_protocol() -> None:
    detections = (
        Detection(box=(0, 0, 100, 40), text="File", kind="text"),
        Detection(box=(460, 530, 500, 550), text='a "disk" icon', kind="icon"),
    )
    tools = InProcess(
        see=lambda _image: Parse(width=1920, height=1080, detections=detections),
        say=lambda _image, _question: "```json\n{'Analysis': 'the disk saves', 'Click BBox ID': '1'}\n```",
    )
    prediction = locate("omniparser", tools, chooser="model")
    assert (prediction.point, prediction.calls) == (CENTRE, 2)
    (question,) = tools.questions
    assert [type(p) for p in question.parts] == [Text, Picture, Picture]
    assert question.prompt == "choose"
    assert '<p id=0 class="text" alt="File"> </p>' in question.text
    assert '<img id=1 class="icon" alt="a \'disk\' icon"> </img>' in question.text
    assert question.parts[2] != question.parts[1]
    assert listed(()) == ""


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ('{"Analysis": "x", "Click BBox ID": "12"}', 12),
        ('{"Analysis": "x", "Click BBox ID": 7}', 7),
        ("{'Analysis': 'it\\'s', 'Click BBox ID': '3'}", 3),
        ("Click BBox ID: 4", 4),
        ('{"Click BBox ID": "none"}', -1),
        ("box twelve", None),
        ('{"Click BBox ID": true}', None),
        ('{"Click BBox ID": "99999999999999"}', None),
    ],
)
def test_box_ids_are_read(reply: str, chosen: int | None) -> None:
    assert read_id(reply) == chosen


def test_box_ids_in_unfinished_replies_are_not_read() -> None:
    assert read_id('<think>{"Click BBox ID": 3} or') is None
    assert read_id('<think>Click BBox ID: 3</think>{"Click BBox ID": 4}') == 4
    assert read_id("Is it Click BBox ID: 1", cut=True) is None
    assert read_id('{"Click BBox ID": 12} since', cut=True) == 12


@pytest.mark.parametrize(
    ("said", "status"),
    [("{'Click BBox ID': '9'}", "unparsable"), ("{'Click BBox ID': 'none'}", "refused"), ("hm", "unparsable")],
)
def test_a_choice_that_is_none(said: str, status: str) -> None:
    tools = InProcess(
        see=lambda _image: Parse(width=1920, height=1080, detections=(Detection(box=(0, 0, 9, 9)),)),
        say=lambda _image, _question: said,
    )
    assert locate("omniparser", tools, chooser="model", refusals=True).status == status


def test_a_picture_is_parsed_once_for_all_who_want_it() -> None:
    made: list[bytes] = []

    async def parse(image: bytes) -> Parse:
        made.append(image)
        await asyncio.sleep(0)
        if image == b"bad":
            raise ToolFailure("server-500", "no", lasting=True)
        if image == b"flaky":
            raise ToolFailure("network", "no")
        return Parse(width=1, height=1, detections=())

    async def run() -> None:
        kept = ParseCache(keep=3)

        async def cache(image: bytes) -> Parse:
            return await kept(image, lambda: parse(image))

        await asyncio.gather(*(cache(b"a") for _ in range(20)), cache(b"b"))
        await cache(b"a")
        for image, tries in ((b"bad", 1), (b"flaky", 2)):
            for _ in range(2):
                with pytest.raises(ToolFailure):
                    await cache(image)
            assert made.count(image) == tries  # only what would fail again is remembered
        for other in (b"c", b"d", b"e"):
            await cache(other)
        await cache(b"a")

    asyncio.run(run())
    assert made.count(b"a") == 2  # once, and once more after it was pushed out


def answered(name: str, count: int = 1) -> list[float]:
    """The seconds of samples that one method answers at the same time."""
    outside = Outside(model=Model() if name == "vlm" else None, planner=None, parser=None)
    question = Question(
        id="s/e", exam="grounding", prompt="instruction", parts=(Picture(data=SCREEN), Text(text="Click on 'Save'"))
    )

    async def run() -> list[Answer]:
        subject = MethodSubject(methods.build(name, {}), outside, {})
        return list(await asyncio.gather(*(subject.answer(question, view(), nothing_called) for _ in range(count))))

    return [Prediction(**json.loads(answer.text)).seconds or 0.0 for answer in asyncio.run(run())]


class Model(Subject):
    """A model that is asked in another way."""

    def __init__(self) -> None:
        self.spec, self.identity = "model", {}


async def nothing_called(_request: Request) -> Reply:
    raise AssertionError


@pytest.mark.skipif(missing() is not None, reason="the extra ocr is not installed")
def test_a_parse_counts_once_in_time_and_waiting_never(monkeypatch: pytest.MonkeyPatch) -> None:
    async def parse(_subject: MethodSubject, _image: bytes, *_more: Any) -> Parse:
        await asyncio.sleep(0.2)  # a queue
        found = (Detection(box=(0, 0, 9, 9), text="Save"),)
        return Parse(width=1920, height=1080, detections=found, seconds=50.0)

    monkeypatch.setattr(MethodSubject, "parse", parse)
    # one pays for the parse, the others do not pay for waiting
    assert [round(seconds, 1) for seconds in sorted(answered("ocr", 4))] == [0.0, 0.0, 0.0, 50.0]


def test_a_models_time_is_its_calls_and_not_the_queue_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Call(key="k", kind="api", endpoint="e", model="m", latency=7.0)

    async def ask(_subject: MethodSubject, _question: Question, _call: Caller) -> Answer:
        await asyncio.sleep(0.2)
        return Answer(id="s/e", prompt="ground", text="(1, 2)", calls=(call,))

    monkeypatch.setattr(MethodSubject, "ask", ask)
    (seconds,) = answered("vlm")
    assert 7.0 <= seconds < 7.2


@pytest.mark.parametrize("name", ["uitars", "uitars-fixed", "uitars+screenseeker", "vlm"])
def test_a_screenshot_that_does_not_decode_is_an_error(name: str) -> None:
    broken = view(image=SCREEN[:200])
    prediction = locate(name, InProcess(say=lambda _image, _question: "(1,2)"), broken)
    assert prediction.status == "error"
    assert "does not decode" in prediction.reason


# ---------------------------------------------------------------- baselines


def test_baselines_answer_without_any_tool_and_the_same_every_time() -> None:
    assert locate("center", InProcess()).point == (960, 540)
    first, again = locate("random", InProcess(), seed=3), locate("random", InProcess(), seed=3)
    assert first.point == again.point
    assert first.point != locate("random", InProcess(), seed=4).point
    window = locate("sliding-window", InProcess(), seed=1)
    assert window.box is not None
