"""Methods as subjects: which method a run has, which model it asks, what it takes, and what is refused instead of ignored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.extras import of

from snellen.core.cores import cores
from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.extras import ExamRequest, OptionMeaning
from snellen.core.options import Option, Selection
from snellen.core.subject import BuildContext, Subject
from snellen.core.types import Sample
from snellen.exams.grounding.exam import EXAM
from snellen.methods.kind import KIND, UITARS, UITARS_AT
from snellen.methods.subject import MethodSubject

CHAT = (Option("base_url", ""), Option("max_tokens", ""), Option("extra", ""))
TARGET = Sample(
    id="a", tags={}, truth={"boxes": [[0, 0, 10, 10]], "absent": False}, facts={"width": 100, "height": 100}
)


class Model(Subject):
    """A model that is never asked."""

    def __init__(self, spec: str, changed: Mapping[str, Any]) -> None:
        self.spec, self.changed = spec, changed
        self.identity = {"kind": "model", "model": spec}
        self.endpoints = (SimpleNamespace(kind="api", model=spec),)  # type: ignore[assignment]


class Targets(Dataset):
    """One target."""

    def light(self) -> Any:
        yield TARGET


def options_of(spec: str) -> tuple[Option, ...]:
    return () if spec.startswith("hf/") else CHAT


def wanted(model: str | None = None, **options: Any) -> ExamRequest:
    return of(EXAM, OptionMeaning).applied(ExamRequest(model, None, Selection(), options))


def takes(name: str, **given: Any) -> set[str]:
    return {option.name for option in KIND.takes(name, given, options_of)}


def build(name: str, seed: int = 3, **options: Any) -> MethodSubject:
    given = BuildContext(options, EXAM, Targets(), seed, False, Model)
    made = KIND.build(name, given)
    assert isinstance(made, MethodSubject)
    return made


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine."""
    monkeypatch.chdir(tmp_path)
    for name in ("EVAL_UITARS_URL", "EVAL_OMNIPARSER_URL"):
        monkeypatch.delenv(name, raising=False)


# ---------------------------------------------------------------- who answers


def test_a_model_alone_is_asked_by_the_method_vlm_with_its_options() -> None:
    found = wanted("vllm/x", method_options={"format": "qwen3-vl"})
    assert found.model == "method/vlm"
    assert found.options == {"method_options": {"format": "qwen3-vl"}, "model": "vllm/x"}


def test_a_method_asks_the_model_and_is_the_subject() -> None:
    assert wanted("vllm/x", method="uitars")[::3] == ("method/uitars", {"model": "vllm/x"})
    assert wanted(method="ocr")[::3] == ("method/ocr", {})
    assert wanted("method/ocr")[::3] == ("method/ocr", {})
    assert wanted("replay/file.json")[::3] == ("replay/file.json", {})
    assert wanted("baseline/constant:(1, 2)").model == "baseline/constant:(1, 2)"


@pytest.mark.parametrize(
    ("model", "options", "says"),
    [
        (None, {}, "Specify --method or --model"),
        (None, {"planner": "vllm/x"}, "Specify --method or --model"),
        ("method/ocr", {"method": "center"}, "two methods"),
        ("replay/f.json", {"planner": "vllm/x"}, "--planner has no effect with --model replay/f.json"),
        ("baseline/chance", {"method_options": {"crop": "fixed"}}, "--method-option has no effect"),
        ("baseline/chance", {"omniparser_url": "http://x"}, "--omniparser-url has no effect"),
    ],
)
def test_what_does_not_go_together_is_refused(model: str | None, options: dict[str, Any], says: str) -> None:
    with pytest.raises(SnellenError, match=says):
        wanted(model, **options)


# ---------------------------------------------------------------- options


def test_a_method_takes_what_it_needs_and_the_options_of_the_model_that_it_asks() -> None:
    chat = {option.name for option in CHAT}
    assert takes("center") == takes("ocr") == {"method_options"}
    assert takes("omniparser") == {"method_options", "omniparser_url"}
    assert takes("vlm", model="vllm/x") == {"method_options", "model"} | chat
    assert takes("vlm", model="hf/x") == {"method_options", "model"}
    assert takes("uitars") == {"method_options", "model", "uitars_url"} | chat
    assert takes("uitars", model="hf/x") == {"method_options", "model"}
    assert takes("ocr+screenseeker", planner="vllm/x") == {"method_options", "model", "planner"} | chat
    assert takes("ocr", method_options={"chooser": "model"}) == {"method_options", "model"}


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("ocr", {"planner": "vllm/x"}, "--planner has no effect with the method ocr, which does not need it"),
        (
            "vlm",
            {"model": "vllm/x", "omniparser_url": "http://x"},
            "--omniparser-url has no effect with the method vlm",
        ),
        ("vlm", {"model": "vllm/x", "uitars_url": "http://x"}, "--uitars-url has no effect with the method vlm"),
        ("uitars", {"model": "hf/x", "uitars_url": "http://x"}, "--uitars-url has no effect with the method uitars"),
        ("center", {"model": "vllm/x"}, "--model has no effect with the method center, which does not need it"),
        ("center", {"method_options": {"format": "gpt"}}, "option 'format' has no effect"),
        ("nobody", {}, "unknown method 'nobody'"),
        ("oracle/nobody", {}, "unknown oracle"),
    ],
)
def test_an_option_that_a_method_does_not_need_is_refused(name: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(SnellenError, match=says) as caught:
        takes(name, **given)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- building


def test_spec_and_identity_are_what_names_of_run_folders_are_made_of() -> None:
    assert (build("center").spec, build("center").identity) == (
        "center",
        {"kind": "method", "method": "center", "options": {}},
    )
    assert build("random", seed=7).identity["options"] == {"seed": 7}
    vlm = build("vlm", model="vllm/x", method_options={"format": "qwen3-vl"})
    assert vlm.spec == "vlm/vllm/x"
    assert vlm.identity == {
        "kind": "method",
        "method": "vlm",
        "options": {"format": "qwen3-vl"},
        "model": {"kind": "model", "model": "vllm/x"},
    }
    seeker = build("omniparser+screenseeker", planner="openai/p", omniparser_url="http://host:1")
    assert seeker.spec == "omniparser+screenseeker/openai/p"
    assert seeker.identity["parser"] == "http://host:1/parse/"
    assert seeker.identity["planner"] == {"kind": "model", "model": "openai/p"}
    assert [endpoint.kind for endpoint in seeker.endpoints] == ["omniparser", "api"]
    assert seeker.parallel == max(16, 2 * cores()) and seeker.beside == 0
    assert [asked.subject.spec for asked in seeker.asked()] == ["openai/p"]


def test_what_waits_for_a_parse_takes_no_place_among_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snellen.methods.subject.cores", lambda: 10)
    monkeypatch.setattr("snellen.methods.subject.missing", lambda: None)
    for subject in (build("ocr"), build("omniparser", omniparser_url="http://host:1")):
        subject.parses.waiting = 7
        assert (subject.parallel, subject.beside) == (20, 7)


def test_an_oracle_is_called_so_and_gets_the_truths_apart() -> None:
    assert build("oracle/center-fixed").identity["oracle"] == "looks at the answer; for comparison only"
    given = BuildContext({}, EXAM, None, 0, False, Model)
    with pytest.raises(SnellenError, match="needs a data set"):
        KIND.build("oracle/center", given)


def test_a_method_without_its_model_says_how_to_name_one() -> None:
    with pytest.raises(SnellenError, match="name it with --model"):
        build("vlm")
    with pytest.raises(SnellenError, match="--planner"):
        build("omniparser+screenseeker")


def changed(subject: MethodSubject) -> Mapping[str, Any]:
    asked = subject.asked()[0].subject
    assert isinstance(asked, Model)
    return asked.changed


def test_uitars_is_asked_where_it_is_and_as_its_maintainers_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = build("uitars")
    assert alone.spec == f"uitars/{UITARS}"
    assert changed(alone) == {"base_url": UITARS_AT, "max_tokens": 128, "extra": {"top_p": 1}}
    assert changed(build("oracle/uitars-fixed"))["base_url"] == UITARS_AT
    assert changed(build("uitars", uitars_url="http://u/v1"))["base_url"] == "http://u/v1"
    monkeypatch.setenv("EVAL_UITARS_URL", "http://e/v1")
    assert changed(build("uitars"))["base_url"] == "http://e/v1"
    assert changed(build("uitars", base_url="http://b/v1"))["base_url"] == "http://b/v1"
    named = build("uitars", model="vllm/own", max_tokens=99, extra={"top_p": 0.5, "k": 2})
    assert changed(named) == {"extra": {"top_p": 0.5, "k": 2}}
    assert changed(build("uitars", model="vllm/own", uitars_url="http://u/v1"))["base_url"] == "http://u/v1"
    with pytest.raises(SnellenError, match="two addresses"):
        build("uitars", base_url="http://b/v1", uitars_url="http://u/v1")


def test_a_uitars_that_plans_or_has_another_prompt_is_asked_as_any_model() -> None:
    assert changed(build("uitars", model="vllm/own", method_options={"prompt": "grounding"})) == {}
    assert changed(build("uitars+screenseeker", model="vllm/own")) == {}
    assert changed(build("uitars+screenseeker", model="vllm/own", planner="openai/p"))["max_tokens"] == 128


def test_the_catalogue_says_what_is_needed_and_whether_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_OMNIPARSER_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("EVAL_UITARS_URL", "http://127.0.0.1:9/v1")
    rows = {row["name"]: row for row in KIND.catalogue()}
    assert "a server at http://127.0.0.1:9 (not reachable)" in rows["omniparser"]["needs"]
    assert "UI-TARS-1.5-7B at http://127.0.0.1:9/v1 (not reachable)" in rows["uitars"]["needs"]
    assert rows["center"]["needs"] == "nothing"
    assert rows["oracle/uitars"]["oracle"]
    assert not rows["uitars"]["oracle"]
