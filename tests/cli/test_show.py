"""`snellen show`: a run, its wrong samples, its flips, and one sample with all that is known of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen as command
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.present.model.sample_view import sample_view
from snellen.present.terminal.sample import print_sample
from snellen.present.terminal.sample_lists import flipped, print_wrong, wrong

HOSTILE = "\x1b]0;owned\x07\x1b[2J[red]Color[/red]\ntruth: size\u202e"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data set and a run of it by an endpoint, whose replies only some protocols can read."""
    folder = tmp_path_factory.mktemp("made")
    write_set(folder / "data", 6)
    replies = iter(["The answer is color.", "Color", "size", "I cannot tell", "color", "Orientation, Color"])

    def script(_body: dict[str, Any], _n: int) -> tuple[int, dict[str, str], bytes]:
        said = {"role": "assistant", "content": next(replies), "reasoning_content": "let me\nthink " * 100}
        usage = {"prompt_tokens": 1234, "completion_tokens": 5}
        reply = {"id": "x", "model": "m-2026", "choices": [{"message": said, "finish_reason": "stop"}], "usage": usage}
        return 200, {"x-request-id": "req_77"}, json.dumps(reply).encode()

    with Endpoint(script=script) as server:
        run = snellen.evaluate(
            "salbench",
            model="api/m",
            data=folder / "data",
            out=folder / "runs",
            base_url=server.url,
            use_store=False,
            concurrency=1,
        )
    run.path.rename(folder / "run")
    yield folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "run", tmp_path / "run"))


def shown(path: Path, *words: object, tmp: Path) -> str:
    done = command("show", path, *words, cache=tmp / "cache", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_reply(run: Path, reply: str) -> str:
    """Another first reply, marked; gives the sample's id."""
    lines = (run / "answers.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    first |= {"text": reply, "thinking": reply}
    first["calls"][0] |= {"model_returned": reply, "request_id": reply, "left_out": [reply]}
    (run / "answers.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    snellen.remark(run)
    return str(first["id"])


def test_without_an_id_the_summary_and_samples_to_look_at(made: Path, tmp_path: Path) -> None:
    out = shown(made / "run", tmp=tmp_path)
    assert out.startswith("salbench · api/m · 6 samples")
    assert "macro F1" in out and "Look at (not correct): P3/img" in out
    assert max(len(line) for line in out.splitlines() if str(made) not in line) <= 80
    next_step = next(line for line in out.splitlines() if line.startswith("Next: "))
    assert "truth: " in shown(*next_step.split()[3:], tmp=tmp_path)


def test_a_sample_has_all_that_is_known_of_it(made: Path, tmp_path: Path) -> None:
    run = snellen.open_run(made / "run")
    one = next(run.answers())
    truth = next(s.truth for s in run.samples() if s.id == one.id)
    out = shown(made / "run", one.id, tmp=tmp_path)
    said = " ".join(out.split())
    assert f"truth: {truth}" in said
    assert "question: Context: Given this list of low level visual features" in said
    assert "options: Orientation, Color, Size" in said
    assert f"reply: {one.text}" in said
    assert "thinking, 1,300 characters: let me think" in said and said.count("think") < 60
    assert "api/m, which called itself m-2026; 1,234 + 5 tokens; cost unknown" in said
    assert "sent png 8 x 8" in said and "request req_77" in said
    for protocol in run.protocols:
        assert protocol.protocol in said
    assert max(map(len, (line for line in out.splitlines() if str(made) not in line))) <= 80


def test_json_of_a_sample(made: Path, tmp_path: Path) -> None:
    run = snellen.open_run(made / "run")
    one = next(run.answers())
    said = json.loads(shown(made / "run", one.id, "--json", tmp=tmp_path))
    assert said["id"] == one.id and said["asked"][0]["answer"]["text"] == one.text
    assert set(said["asked"][0]["marks"]) == {p.protocol for p in run.protocols}
    assert said["asked"][0]["question"]["options"] == ["Orientation", "Color", "Size"]
    assert "data" not in json.dumps(said["asked"][0]["question"]["pictures"])


def test_wrong_lists_those_that_are_not_correct(made: Path, tmp_path: Path) -> None:
    run = snellen.open_run(made / "run")
    for protocol in ("paper", "robust"):
        expected = {m.id: m.outcome.value for m in run.marks(protocol) if m.outcome != "correct"}
        assert 0 < len(expected) < 6
        assert {w.id: w.outcome.value for w in wrong(run, protocol)} == expected
        out = shown(made / "run", "--wrong", "--protocol", protocol, tmp=tmp_path)
        assert f"not correct under {protocol}: {len(expected)} sample" in out
        assert [line.split()[0] for line in out.splitlines() if line.startswith("P3/")] == list(expected)
    said = json.loads(shown(made / "run", "--wrong", "--limit", 1, "--json", tmp=tmp_path))
    assert said["protocol"] == "paper" and len(said["samples"]) == 1
    assert set(said["samples"][0]) == {"id", "outcome", "truth", "reading"}
    assert "more; --limit N" in shown(made / "run", "--wrong", "--limit", 1, tmp=tmp_path)


def test_flips_lists_those_that_protocols_mark_differently(made: Path, tmp_path: Path) -> None:
    run = snellen.open_run(made / "run")
    correct = {p.protocol: {m.id for m in run.marks(p.protocol) if m.outcome == "correct"} for p in run.protocols}
    split = set.union(*correct.values()) - set.intersection(*correct.values())
    assert split
    found = {one.id: one for one in flipped(run)}
    assert set(found) == split
    for name, one in found.items():
        assert set(one.correct) == {p for p, ids in correct.items() if name in ids}
        assert set(one.not_correct) == set(correct) - set(one.correct)
    out = shown(made / "run", "--flips", tmp=tmp_path)
    assert f"marked differently: {len(split)} sample" in out and "reading" in out
    some = json.loads(shown(made / "run", "--flips", "--protocol", "paper,robust", "--json", tmp=tmp_path))
    assert {one["id"] for one in some["samples"]} == correct["paper"] ^ correct["robust"]


def test_text_from_models_is_harmless(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = with_reply(copy, HOSTILE)
    run = snellen.open_run(copy)
    print_sample(run, sample_view(run, name))
    print_wrong(run, "paper", 20)
    out = capsys.readouterr().out
    assert not set(out) & {"\x1b", "\x07", "\u202e"}
    assert "[red]Color[/red]" in out
    assert sum(line.startswith("truth: ") for line in out.splitlines()) == 1, "a reply cannot pass for a line of ours"


def test_hostile_ids_tags_and_truths(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (copy / "samples.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    old = first["id"]
    first |= {"id": "\x1b[31m[b]'; rm -rf ~\n", "tags": first["tags"] | {"x": HOSTILE}, "truth": HOSTILE}
    (copy / "samples.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    answers = (copy / "answers.jsonl").read_text()
    (copy / "answers.jsonl").write_text(answers.replace(json.dumps(old), json.dumps(first["id"])))
    snellen.remark(copy)
    run = snellen.open_run(copy)
    print_wrong(run, "paper", 20)
    print_sample(run, sample_view(run, first["id"]))
    out = capsys.readouterr().out
    assert not set(out) & {"\x1b", "\x07", "\u202e"}


@pytest.mark.parametrize("loss", ["gone", "changed"])
def test_a_data_set_that_is_gone_or_changed_is_said(copy: Path, tmp_path: Path, loss: str) -> None:
    manifest = json.loads((copy / "run.json").read_text())
    if loss == "gone":
        manifest["data"]["source"] = str(tmp_path / "nowhere")
    else:
        manifest["data"]["source"] = str(write_set(tmp_path / "other", 7))
    (copy / "run.json").write_text(json.dumps(manifest))
    out = " ".join(shown(copy, "P3/img00000", tmp=tmp_path).split())
    assert "question: not available: the data" in out
    assert ("is not there" if loss == "gone" else "has changed since the run") in out
    assert "reply: " in out and "Context: Given" not in out


def test_unknown_samples_protocols_and_runs(made: Path, tmp_path: Path) -> None:
    def refused(*words: object) -> str:
        done = command("show", *words, cache=tmp_path / "cache")
        assert done.returncode == 2 and done.stderr.startswith("snellen: ") and done.stderr.count("\n") == 1
        return done.stderr

    run = made / "run"
    assert "did you mean 'P3/img00003'" in refused(run, "img00003")
    assert "no sample 'zzz' among its 6" in refused(run, "zzz")
    assert "no marks of protocol 'papr'" in refused(run, "--wrong", "--protocol", "papr")
    assert "choose one" in refused(run, "x", "--wrong")
    assert "choose one" in refused(run, "--flips", "--wrong")
    assert "go with --wrong or --flips" in refused(run, "--limit", 3)
    assert "is a folder of runs" in refused(made, "--wrong")
    assert "is not a run folder" in refused(tmp_path, "--wrong")


def test_a_run_that_is_not_marked_yet(copy: Path, tmp_path: Path) -> None:
    (copy / "summary.json").unlink()
    done = command("show", copy, cache=tmp_path / "cache")
    assert done.returncode == 2 and "is not marked yet" in done.stderr
    out = shown(copy, "P3/img00000", tmp=tmp_path)
    assert "reply: " in out and "no marks" in out


def test_a_failed_question(copy: Path, tmp_path: Path) -> None:
    failure = {"id": "P3/img00000", "prompt": "question", "failure": {"kind": "http", "reason": "500\x1b[31m"}}
    lines = [x for x in (copy / "answers.jsonl").read_text().splitlines() if "img00000" not in x]
    (copy / "answers.jsonl").write_text("\n".join([*lines, json.dumps(failure)]) + "\n")
    snellen.remark(copy)
    out = shown(copy, "P3/img00000", tmp=tmp_path)
    assert "failed: http: 500\\x1b[31m" in out and "reply: " not in out


def test_an_exam_whose_plugin_is_not_loaded_still_shows_replies_and_marks(copy: Path) -> None:
    manifest = json.loads((copy / "run.json").read_text()) | {"exam": "mine"}
    (copy / "run.json").write_text(json.dumps(manifest))
    run = snellen.open_run(copy)
    (asked,) = sample_view(run, "P3/img00000").asked
    assert isinstance(asked.question, str) and "unknown exam 'mine'" in asked.question
    assert asked.answer is not None and len(asked.marks) == len(run.protocols)
    with pytest.raises(SnellenError):
        sample_view(run, "")


def cut_answers(run: Path) -> None:
    """Leave four of six answers, as a copy does that broke off."""
    lines = (run / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (run / "answers.jsonl").write_bytes(b"".join(lines[:4]))


def test_a_run_that_lost_answers_is_not_shown_as_whole(copy: Path, tmp_path: Path) -> None:
    assert "STALE" not in shown(copy, tmp=tmp_path)
    cut_answers(copy)
    out = shown(copy, tmp=tmp_path)
    assert "· STALE" in out.splitlines()[0]
    assert "Answers are missing that its scores were made of" in " ".join(out.split())
    for words in (("report", copy, "--out", tmp_path / "r.html"), ("export", copy, "--out", tmp_path / "c.svg")):
        done = command(*words, cache=tmp_path / "cache")
        assert done.returncode == 2 and "answers are missing" in done.stderr
    checked = command("verify", copy, cache=tmp_path / "cache", COLUMNS="200")
    assert checked.returncode == 1
    assert "2 answers to prompt 'question' are missing: 6 recorded, 4 found" in checked.stdout
    assert "DOES NOT HOLD: 1 difference." in checked.stdout
    snellen.remark(copy)
    assert "STALE" not in shown(copy, tmp=tmp_path)


def test_edited_marks_are_listed_nowhere(copy: Path, tmp_path: Path) -> None:
    path = copy / "marks" / "paper.jsonl"
    path.write_text(path.read_text().replace('"unparsable"', '"correct"'))
    for words in (
        ("show", copy, "--wrong"),
        ("show", copy, "--flips"),
        ("export", copy, "--samples", "--out", tmp_path / "s.csv"),
    ):
        done = command(*words, cache=tmp_path / "cache")
        assert done.returncode == 2 and "do not give its summary" in done.stderr, words
