"""The request as it leaves, and every kind of response, against a real local server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.endpoint import Endpoint, completion
from tests.support.remote import base_address, remote
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.secret import Secret
from snellen.core.subject import Request
from snellen.core.types import Picture, Question, Text
from snellen.subjects import build
from snellen.subjects.remote.settings import Settings


def subject(**settings: Any) -> Any:
    return remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1", **settings))


def question(*parts: Picture | Text, **more: Any) -> Question:
    return Question(id="q", exam="b", prompt="p", parts=parts, **more)


def test_the_body_is_plain_chat_json_with_the_original_image_bytes() -> None:
    first, second = png(1), png(2, 16)
    request = subject().prepare(
        question(Picture(data=first), Text(text='say "ü"\n'), Picture(data=second), system="be brief")
    )
    body = json.loads(request.body)
    assert body["model"] == "m"
    assert body["temperature"] == 0.0
    assert body["max_tokens"] == 256
    system, user = body["messages"]
    assert system == {"role": "system", "content": "be brief"}
    urls = [p["image_url"]["url"] for p in user["content"] if p["type"] == "image_url"]
    assert [base64.b64decode(u.removeprefix("data:image/png;base64,")) for u in urls] == [first, second]
    assert [p["type"] for p in user["content"]] == ["image_url", "text", "image_url"]
    assert user["content"][1]["text"] == 'say "ü"\n'
    assert [i.sha256 for i in request.images] == [hashlib.sha256(d).hexdigest() for d in (first, second)]
    assert (request.images[1].width, request.images[1].codec) == (16, "png")


def test_a_codec_the_endpoint_does_not_take_is_converted_and_recorded() -> None:
    out = io.BytesIO()
    Image.new("RGB", (6, 5), "red").save(out, "BMP")
    request = subject().prepare(question(Picture(data=out.getvalue())))
    assert request.images[0].transforms == ("bmp to png",)
    assert request.images[0].codec == "png"


def test_a_broken_image_names_its_place() -> None:
    with pytest.raises(SnellenError, match="P3/shard row 3: image does not decode"):
        subject().prepare(question(Picture(data=b"junk", name="P3/shard row 3")))


def key(question_: Question, **settings: Any) -> str:
    return subject(**settings).prepare(question_).key


def test_the_key_is_the_content_and_nothing_else() -> None:
    asked = question(Picture(data=png(1)), Text(text="a"))
    assert key(asked) == key(question(Picture(data=png(1), name="elsewhere"), Text(text="a")))
    assert key(asked) == key(asked, key=Secret("sk-other"))
    different = {
        key(asked),
        key(question(Text(text="a"), Picture(data=png(1)))),
        key(question(Picture(data=png(2)), Text(text="a"))),
        key(asked, temperature=1.0),
        key(asked, max_tokens=9),
        key(asked, extra={"provider": {"order": ["x"]}}),
        remote("api", "other", Settings(base_url="http://127.0.0.1:9/v1")).prepare(asked).key,
        remote("api", "m", Settings(base_url="http://127.0.0.1:10/v1")).prepare(asked).key,
        remote("vllm", "m", Settings()).prepare(asked).key,
    }
    assert len(different) == 9


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("ollama", None, "http://localhost:11434/v1"),
        ("ollama", "http://box:11434", "http://box:11434/v1"),
        ("ollama", "box:11434/", "http://box:11434/v1"),
        ("api", "http://x:1/v1/chat/completions", "http://x:1/v1"),
        ("api", "https://x/api/v3/", "https://x/api/v3"),
        ("openrouter", None, "https://openrouter.ai/api/v1"),
    ],
)
def test_addresses(kind: str, given: str | None, expected: str) -> None:
    assert base_address(kind, given) == expected


def test_the_seeds_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "10.0.0.5:1")
    assert base_address("ollama", None) == "http://10.0.0.5:1/v1"
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1")
    assert base_address("ollama", None) == "http://127.0.0.1:11434/v1"
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-1")
    assert remote("openrouter", "a/b", Settings()).connection.key.reveal() == "sk-or-1"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gpt-4o", "unknown kind of subject 'gpt-4o': choose from (.*, )?api, .*baseline, "),
        ("nothing/x", "unknown kind of subject 'nothing'"),
        ("api/x", "needs --base-url"),
        ("openrouter/x", "set OPENROUTER_API_KEY or give --api-key"),
        ("baseline/magic", "unknown baseline 'magic'"),
        ("baseline/constant", "needs a text"),
        ("replay/none.json", "no such file"),
    ],
)
def test_bad_specs_are_one_clear_line(spec: str, message: str) -> None:
    with pytest.raises(SnellenError, match=message) as caught:
        build(spec, Exam())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("address", ["http://me:hunter2@x/v1", "http://x/v1?api_key=hunter2", "http://x/v1#hunter2"])
def test_a_secret_in_the_address_is_refused(address: str) -> None:
    with pytest.raises(SnellenError, match="must hold no user name, password") as caught:
        base_address("api", address)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("address", ["http://localhost:80a0/v1", "http://a..b/v1", "ftp://x/v1", "http:///v1"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(SnellenError, match="not an http or https address"):
        base_address("api", address)


def test_a_key_with_a_curly_quote_is_said_to_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "\u201csk-123\u201d")
    with pytest.raises(SnellenError, match="characters that no key has") as caught:
        remote("openai", "m", Settings())
    assert "sk-123" not in str(caught.value)


# ---------------------------------------------------------------- against a server


def answers(tmp_path: Path, endpoint: Endpoint, n: int = 3, model: str = "api/m", **more: Any) -> list[snellen.Answer]:
    data = write_set(tmp_path / "set", n)
    try:
        run = snellen.evaluate("salbench", model=model, data=data, base_url=endpoint.url, out=tmp_path / "runs", **more)
    except snellen.Stopped as stopped:
        if "was answered" not in str(stopped):
            raise
        run = snellen.open_run(next(p for p in (tmp_path / "runs").iterdir() if p.is_dir()))
    return list(run.answers())


def scripted(status: int, body: object, headers: dict[str, str] | None = None) -> Any:
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _request, _times: (status, headers or {}, payload)


def test_the_ledger_has_what_the_endpoint_said(tmp_path: Path) -> None:
    with Endpoint(cost=0.002) as endpoint:
        got = answers(tmp_path, endpoint)
    call = got[0].calls[0]
    assert (call.model, call.model_returned, call.cost, call.cost_source) == ("m", "m-served", 0.002, "endpoint")
    assert (call.usage.input_tokens, call.usage.output_tokens, call.finish_reason, call.tries) == (833, 1, "stop", 1)
    assert call.endpoint == f"{endpoint.url}/chat/completions"
    assert call.images[0].sha256 == hashlib.sha256(png(0)).hexdigest()
    assert (call.latency or 0) > 0


def test_cost_from_the_price_where_the_endpoint_names_none(tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        call = answers(tmp_path, endpoint, price="1/2")[0].calls[0]
    assert call.cost == pytest.approx((833 * 1 + 1 * 2) / 1e6)
    assert call.cost_source == "--price"


def test_prices_from_the_model_list(tmp_path: Path) -> None:
    listed = [{"id": "a/b", "pricing": {"prompt": "0.000001", "completion": "0.00001"}}]
    with Endpoint(models=listed) as endpoint:
        call = answers(tmp_path, endpoint, model="openrouter/a/b", api_key="sk-x123")[0].calls[0]
        assert endpoint.requests[0]["usage"] == {"include": True}
        assert endpoint.headers[0]["authorization"] == "Bearer sk-x123"
    assert call.cost == pytest.approx(833e-6 + 1e-5)
    assert call.cost_source == "the endpoint's model list"


def test_an_unknown_model_is_said_with_near_names(tmp_path: Path) -> None:
    with Endpoint(models=[{"id": "llava:7b"}, {"id": "qwen"}]) as endpoint:
        with pytest.raises(SnellenError, match="ollama has no model 'lava:7b'; it has llava:7b"):
            answers(tmp_path, endpoint, model="ollama/lava:7b")
        assert endpoint.requests == []


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (
            401,
            {"error": {"message": "bad key sk-secret-9"}},
            r"refused the key \(status 401: bad key \[key\]\); set SNELLEN_API_KEY",
        ),
        (403, b"<html>no</html>", "refused the key"),
        (404, {"error": {"message": "no such model"}}, "does not know the model 'm'"),
        (402, {"error": {"message": "no money"}}, "asks for payment"),
    ],
)
def test_what_stops_a_run(tmp_path: Path, status: int, body: object, message: str) -> None:
    with Endpoint(script=scripted(status, body)) as endpoint:
        with pytest.raises(SnellenError, match=message):
            answers(tmp_path, endpoint, n=40, api_key="sk-secret-9")
        assert len(endpoint.requests) <= 40


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": {"message": "This model's maximum context length is 10"}}, "context"),
        (422, {"detail": "what"}, "bad-request"),
        (413, b"too big", "bad-request"),
    ],
)
def test_what_is_an_error_at_once(tmp_path: Path, status: int, body: object, kind: str) -> None:
    with Endpoint(script=scripted(status, body)) as endpoint:
        got = answers(tmp_path, endpoint)
        assert len(endpoint.requests) == 3
    assert {a.failure.kind for a in got if a.failure} == {kind}
    assert all(a.failure and a.text == "" and a.calls[0].failed[0].status == status for a in got)


def test_a_moderation_403_is_a_refusal_and_the_run_goes_on(tmp_path: Path) -> None:
    body = {
        "error": {
            "code": 403,
            "message": "Your chosen model requires moderation and your input was flagged",
            "metadata": {"reasons": ["x"]},
        }
    }
    with Endpoint(script=scripted(403, body)) as endpoint:
        got = answers(tmp_path, endpoint)
    assert all(a.refused and a.failure is None for a in got)


def test_a_mention_of_safety_is_no_refusal_and_refusals_by_status_are_not_stored(tmp_path: Path) -> None:
    with Endpoint(
        script=scripted(400, {"error": {"message": "Unrecognized request argument: safety_settings"}})
    ) as endpoint:
        got = answers(tmp_path, endpoint)
        assert {a.failure.kind for a in got if a.failure} == {"bad-request"}
        endpoint.script = scripted(400, {"error": {"code": "content_filter", "message": "no"}})
        assert all(a.refused for a in answers(tmp_path / "b", endpoint))
        endpoint.script = None
        assert all(a.text == "Color" for a in answers(tmp_path / "c", endpoint))


def test_an_error_inside_a_choice_is_tried_again_not_kept_as_an_empty_answer(tmp_path: Path) -> None:
    broken = {
        "choices": [
            {"error": {"code": 502, "message": "upstream"}, "finish_reason": "error", "message": {"content": ""}}
        ]
    }

    def script(_request: Any, times: int) -> Any:
        return (200, {}, json.dumps(broken).encode()) if times == 1 else None

    with Endpoint(script=script) as endpoint:
        got = answers(tmp_path, endpoint, n=2)
    assert [(a.text, a.calls[0].tries) for a in got] == [("Color", 2)] * 2


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": "\xff\xfe"}',
        b"[" * 5000,
        b'{"choices": [{"message": {"content": "x"}, "logprobs": {"content": [{"token": "a", "logprob": 1, "top_logprobs": [{"token": "b", "logprob": null}]}]}}]}',
    ],
)
def test_odd_bodies_do_not_kill_the_run(tmp_path: Path, body: bytes) -> None:
    def script(_request: Any, times: int) -> Any:
        return (400 if times % 2 else 200, {}, body)

    with Endpoint(script=script) as endpoint:
        for status in (400, 200):
            endpoint.script = scripted(status, body)
            assert len(answers(tmp_path / str(status), endpoint, n=2, timeout=5, tries=2)) == 2


def test_a_key_that_a_server_repeats_anywhere_is_taken_out(tmp_path: Path) -> None:
    key = "sk-canary-ABCDEFGHIJKLMNOPQRSTUVWX"
    reply = completion(f"your key is {key}")
    reply |= {"id": key, "system_fingerprint": key}
    with Endpoint(script=scripted(200, reply)) as endpoint:
        answers(tmp_path, endpoint, api_key=key)
        endpoint.script = scripted(422, b"x" * 285 + key.encode())
        answers(tmp_path / "b", endpoint, api_key=key)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert key[:20].encode() not in file.read_bytes(), file


def test_a_content_filter_is_a_refusal_not_an_error(tmp_path: Path) -> None:
    with Endpoint(script=scripted(400, {"error": {"code": "content_filter", "message": "blocked"}})) as endpoint:
        got = answers(tmp_path, endpoint)
    assert all(a.refused and a.failure is None for a in got)


@pytest.mark.parametrize(
    ("reply", "text", "finish", "refused"),
    [
        (completion(None), "", "stop", False),
        (completion("Col", finish="length"), "Col", "length", False),
        (completion("", finish="content_filter"), "", "content_filter", True),
        (
            {"choices": [{"message": {"content": [{"type": "text", "text": "Si"}, {"type": "text", "text": "ze"}]}}]},
            "Size",
            None,
            False,
        ),
        ({"choices": [{"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}]}, "no", "stop", True),
    ],
)
def test_shapes_of_replies(tmp_path: Path, reply: dict[str, Any], text: str, finish: str | None, refused: bool) -> None:
    with Endpoint(script=scripted(200, reply)) as endpoint:
        got = answers(tmp_path, endpoint)
    assert {(a.text, a.finish_reason, a.refused) for a in got} == {(text, finish, refused)}


def test_broken_replies_and_errors_inside_200_are_tried_again(tmp_path: Path) -> None:
    bad = iter(
        [
            b"{",
            b"[]",
            json.dumps({"error": {"code": 429, "message": "busy"}}).encode(),
            json.dumps({"choices": []}).encode(),
        ]
    )

    def script(_request: Any, _times: int) -> Any:
        body = next(bad, None)
        return None if body is None else (200, {"retry-after": "0"}, body)

    with Endpoint(script=script) as endpoint:
        got = answers(tmp_path, endpoint, n=1)
    assert got[0].text == "Color"
    assert got[0].calls[0].tries == 5
    assert [a.reason.split(":")[0] for a in got[0].calls[0].failed] == [
        "broken reply",
        "broken reply",
        "busy",
        "broken reply",
    ]


def test_retry_after_is_obeyed_and_recorded(tmp_path: Path) -> None:
    def script(_request: Any, times: int) -> Any:
        return (429, {"retry-after": "0.3"}, b"{}") if times == 1 else None

    with Endpoint(script=script) as endpoint:
        call = answers(tmp_path, endpoint, n=1)[0].calls[0]
    assert call.failed[0].status == 429
    assert call.failed[0].waited >= 0.3


def test_logprobs_are_kept(tmp_path: Path) -> None:
    reply = completion("Color")
    reply["choices"][0]["logprobs"] = {
        "content": [{"token": "Color", "logprob": -0.1, "top_logprobs": [{"token": "Size", "logprob": -2.0}]}]
    }
    with Endpoint(script=scripted(200, reply)) as endpoint:
        subject_ = remote("api", "m", Settings(base_url=endpoint.url, top_logprobs=5))
        body = json.loads(subject_.prepare(question(Text(text="x"))).body)
        assert (body["logprobs"], body["top_logprobs"]) == (True, 5)
        got = answers(tmp_path, endpoint, n=1)
    assert got[0].tokens[0].top == (("Size", -2.0),)


def test_a_request_holds_no_key() -> None:
    prepared: Request = subject(key=Secret("sk-canary")).prepare(question(Text(text="x")))
    assert b"canary" not in prepared.body
    assert "canary" not in repr(prepared)


def test_chance_is_even_and_sees_no_truth() -> None:
    chance = build("baseline/chance", Exam(), seed=3)

    async def draw(kind: str) -> list[str]:
        out = []
        for i in range(3000):
            asked = Question(id=str(i), exam="b", prompt="p", parts=(), answer_kind=kind, options=("A", "B", "C"))  # type: ignore[arg-type]
            out.append((await chance.answer(asked, None, None)).text)  # type: ignore[arg-type]
        return out

    ones = asyncio.run(draw("one-of"))
    assert all(900 < ones.count(o) < 1100 for o in "ABC")
    sets = asyncio.run(draw("any-of"))
    assert len(set(sets)) == 7
    assert asyncio.run(draw("one-of")) == ones


def test_a_key_of_another_service_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_API_KEY", "sk-somewhere-else")
    assert remote("openai", "gpt-4o", Settings()).about() == "the key for openai is the one in EVAL_API_KEY"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    assert remote("openai", "gpt-4o", Settings()).about() == ""
    assert remote("openai", "gpt-4o", Settings(key=Secret("sk-given"))).about() == ""
