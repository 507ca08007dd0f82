"""`snellen annotate` as a user starts, ends and reads it."""

from __future__ import annotations

import json
import re
import signal
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.annotate.desks import draw
from tests.support.command import snellen as command
from tests.support.command import start
from tests.support.sets import write_set

from snellen.annotate.annotator_files import revision_of
from snellen.annotate.questions import exam_questions
from snellen.cli import annotate_command, flags
from snellen.core.errors import SnellenError
from snellen.core.installing import install_command
from snellen.core.options import Selection

BOX = '{"id":"a_%d","image":"a.png","instruction":"%s","box":[%s],"box_format":"xyxy-pixels","annotator":"%s"}\n'


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """Two people's boxes on one picture."""
    folder = draw(tmp_path / "shots", "a.png")
    ann = BOX % (0, "Press it", "100,80,240,120", "ann") + BOX % (1, "", "1,2,30,40", "ann")
    (folder / "annotations.ann.jsonl").write_text(ann)
    (folder / "annotations.bob.jsonl").write_text(BOX % (0, "Press", "100,80,240,110", "bob"))
    for name, texts in (("ann", "xxyy"), ("bob", "xxyx")):
        lines = (json.dumps({"id": str(i), "text": text, "annotator": name}) for i, text in enumerate(texts))
        (folder / f"answers.{name}.jsonl").write_text("\n".join(lines))
    return folder


def test_it_prints_a_link_serves_and_ends_with_ctrl_c(shots: Path, tmp_path: Path) -> None:
    process = start("annotate", shots, "--as", "ann", "--no-open", cache=tmp_path, PYTHONUNBUFFERED="1")
    try:
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _ in range(3))
        link = re.search(r"http://127\.0\.0\.1:\d+/\?key=\S+", said)
        assert link is not None and " as ann." in said and said.rstrip().endswith("Ctrl-C ends it.")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        page = opener.open(link.group(), timeout=60).read().decode()
        assert "a.png" in page and "1 without instruction" in page and ">bob<" in page
        second = command("annotate", shots, "--as", "ann", "--no-open", cache=tmp_path)
        assert second.returncode == 2 and "in another window" in second.stderr
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and "--export" in out and err == ""
    finally:
        process.kill()
        process.wait()


def test_agreement_in_the_terminal_and_as_json(shots: Path, tmp_path: Path) -> None:
    done = command("annotate", shots, "--agreement", cache=tmp_path)
    assert done.returncode == 0
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if not line.startswith("next:"))
    assert "boxes of ann and bob\n  1 pictures with boxes of both" in done.stdout and "n = 3 boxes" in done.stdout
    assert re.search(r"Cohen's kappa +0\.500 .*n = 4 questions", done.stdout)
    found = json.loads(command("annotate", shots, "--agreement", "--json", cache=tmp_path).stdout)
    assert [one["about"] for one in found] == ["boxes", "answers"]
    figure = found[0]["figures"][1]
    assert (figure["label"], figure["value"], figure["n"], figure["of"]) == ("mean IoU of these", 0.75, 1, "pairs")
    assert figure["low"] < 0.75 < figure["high"]


def test_boxes_become_a_data_set_that_runs(shots: Path, tmp_path: Path) -> None:
    done = command("annotate", shots, "--as", "ann", "--export", cache=tmp_path)
    assert done.returncode == 0 and "1 boxes on 1 pictures; 1 left out: no instruction" in done.stdout
    out = tmp_path / "runs"
    run = command("run", "grounding", "--data", shots, "--method", "center", "--out", out, cache=tmp_path)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{shots}"], "--as NAME"),
        (["nowhere", "--as", "ann"], "no folder nowhere"),
        (["nowhere", "--agreement"], "no folder nowhere"),
        (["{shots}", "--as", "../ann"], "--as NAME"),
        (["{shots}", "--as", "carl", "--export"], "no boxes of 'carl'"),
        (["{shots}", "--as", "carl", "--correct"], "no annotations.json to correct"),
        (["{shots}", "--as", "ann", "--questions", "gone.jsonl"], "gone.jsonl: cannot be read"),
        (["{shots}", "--as", "ann", "--questions", "q.jsonl", "--exam", "d3"], "choose one"),
        (["{shots}", "--as", "ann", "--exam", "nothing"], "nothing"),
        (["{shots}", "--as", "ann", "--limit", "3"], "--limit has no effect without --exam"),
        (["{shots}", "--as", "ann", "--split", "P3"], "--split has no effect without --exam"),
        (["{shots}", "--as", "ann", "--exam", "d3", "--correct"], "what is right is not shown"),
        (["{shots}", "--as", "ann", "--json"], "--json has no effect without --agreement"),
    ],
)
def test_bad_usage_is_one_clear_line(shots: Path, words: list[str], said: str) -> None:
    done = CliRunner().invoke(
        annotate_command.command, [word.format(shots=shots) for word in words], standalone_mode=False
    )
    assert isinstance(done.exception, SnellenError) and said in str(done.exception)
    assert "\n" not in str(done.exception) and done.stdout == ""


def test_one_person_alone_has_no_agreement(tmp_path: Path) -> None:
    done = CliRunner().invoke(annotate_command.command, [str(tmp_path), "--agreement"], standalone_mode=False)
    assert isinstance(done.exception, SnellenError) and "no files of two people yet" in str(done.exception)


def test_without_the_extra_it_says_what_to_install(shots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "find_spec", lambda name: None if name == "uvicorn" else object())
    done = CliRunner().invoke(annotate_command.command, [str(shots), "--as", "ann"], standalone_mode=False)
    assert isinstance(done.exception, SnellenError) and install_command("view") in str(done.exception)


def test_an_exam_s_questions_are_those_that_a_run_asks(tmp_path: Path) -> None:
    import snellen

    data = write_set(tmp_path / "d", 20)
    found = exam_questions("salbench", data, Selection(limit=5))
    run = snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "r", limit=5, use_store=False)
    assert set(found.ids) == {answer.id for answer in run.answers()}
    item = found.item(3)
    assert item.id == found.ids[3] and item.options and len(item.pictures) == 1 and item.answer == ""
    assert revision_of(None) != revision_of([])
