"""Questions of one's own as a user runs them: from `data init` to a report, by path, without a line of Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.own_sets import CHOICE, lines, table

import snellen as api
from snellen.core.errors import SnellenError

FOUR = ["red", "blue", "green", "black"]


def ok(*words: object, cache: Path) -> str:
    done = snellen(*words, cache=cache)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*words: object, cache: Path) -> str:
    done = snellen(*words, cache=cache)
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    return done.stderr


def says_blue(request: dict[str, Any], _n: int) -> tuple[int, dict[str, str], bytes]:
    """A model that chooses the option 'blue' by the letter that it has in this question."""
    parts = request["messages"][-1]["content"]
    text = next(part["text"] for part in parts if part["type"] == "text")
    letter = re.search(r"^([A-Z])\. blue$", text, re.MULTILINE)
    said = {"role": "assistant", "content": letter[1] if letter else "no idea"}
    body = {"choices": [{"message": said, "finish_reason": "stop"}], "model": "m", "usage": {}}
    return 200, {}, json.dumps(body).encode()


@pytest.mark.parametrize("kind", ["choice", "text"])
def test_from_a_template_to_a_report_in_three_commands(kind: str, tmp_path: Path) -> None:
    said = ok("data", "init", kind, "--out", tmp_path / "mine", cache=tmp_path)
    model = re.findall(r"--model (\S+)", said)[-1]
    assert "0 problems" in ok("data", "check", tmp_path / "mine", cache=tmp_path)
    ran = json.loads(
        ok("run", tmp_path / "mine", "--model", model, "--out", tmp_path / "runs", "--json", cache=tmp_path)
    )
    assert (ran["exam"], ran["samples"], ran["synthetic"]) == ("own", 2, True)
    ok("report", ran["run"], "--out", tmp_path / "page.html", cache=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    question = json.loads((tmp_path / "mine" / "questions.jsonl").read_text().splitlines()[-1])["question"]
    assert question in page and "SYNTHETIC" in page.upper()
    assert "not empty" in refused("data", "init", kind, "--out", tmp_path / "mine", cache=tmp_path)


def test_a_path_is_an_exam_for_an_estimate_and_for_several_models_too(tmp_path: Path) -> None:
    mine, out = tmp_path / "mine", tmp_path / "runs"
    ok("data", "init", "choice", "--out", mine, cache=tmp_path)
    assert "estimate, nothing was" in ok("run", mine, "--model", "openai/gpt-4o", "--dry-run", cache=tmp_path)
    models = ("--model", "baseline/chance", "--model", "baseline/constant:A")
    assert "2 done" in ok("run", mine, *models, "--out", out, cache=tmp_path)
    assert len(list(out.glob("own_baseline*/summary.json"))) == 2


def test_a_kind_that_there_is_not_gets_the_choices(tmp_path: Path) -> None:
    said = refused("data", "init", "choise", "--out", tmp_path / "mine", cache=tmp_path)
    assert "did you mean 'choice'" in said
    assert not (tmp_path / "mine").exists()


def test_the_options_control_moves_options_and_reads_letters_as_they_were_shown(tmp_path: Path) -> None:
    rows = [
        CHOICE | {"options": FOUR, "question": f"Which colour, {i}?", "image": f"{1 + i % 4}.png"} for i in range(12)
    ]
    where = lines(tmp_path / "mine", *rows)
    with Endpoint(script=says_blue) as endpoint:
        ran = json.loads(
            ok(
                "run", where, "--model", "api/m", "--base-url", endpoint.url, "--controls", "options,blank,shuffled",
                "--out", tmp_path / "runs", "--json", cache=tmp_path,
            )
        )  # fmt: skip
        shown = {re.search(r"([A-D])\. blue", json.dumps(r))[1] for r in endpoint.requests}  # type: ignore[index]
    assert len(shown) > 2  # it is always B in the file
    controls = {c["control"]: c for c in ran["controls"] if c["protocol"] == "robust"}
    assert set(controls) == {"options", "blank", "shuffled"}
    assert controls["options"]["score"] == controls["options"]["control_score"] == 1.0
    assert controls["options"]["chance"] == 0.25


def test_a_constant_letter_is_the_floor_where_the_right_option_is_always_at_one_place(tmp_path: Path) -> None:
    rows = [CHOICE | {"options": ["x", f"right {i}", "z"], "answer": f"right {i}"} for i in range(8)]
    run = api.evaluate(lines(tmp_path / "mine", *rows), model="baseline/chance", out=tmp_path / "runs")
    (whole,) = (g for g in run.summary.protocols[0].groups if g.whole)
    assert (whole.metrics["accuracy"].floor, whole.metrics["accuracy"].floor_answer) == (1.0, "B")


def test_who_always_says_b_is_found_out_by_the_options_control(tmp_path: Path) -> None:
    rows = [CHOICE | {"options": FOUR, "question": f"Which colour, {i}?"} for i in range(12)]
    where = lines(tmp_path / "mine", *rows)
    run = api.evaluate(where, model="baseline/constant:B", controls=["options"], out=tmp_path / "runs")
    row = next(c for c in run.controls if c.protocol == "robust")
    assert row.score == 1.0
    assert row.control_score is not None and row.control_score < 0.6  # the right option has moved away from B


def test_an_edited_picture_is_asked_again_and_most_others_come_from_the_store(tmp_path: Path) -> None:
    """A few are asked again all the same, to see whether the server is the one that it was."""
    rows = [CHOICE | {"image": f"{1 + i % 2}.png", "question": f"Which colour, {i}?"} for i in range(30)]
    where = lines(tmp_path / "mine", *rows)
    words = ("run", where, "--model", "api/m", "--out", tmp_path / "runs", "--json")
    with Endpoint(script=says_blue) as endpoint:
        first = json.loads(ok(*words, "--base-url", endpoint.url, cache=tmp_path))
        (tmp_path / "mine" / "2.png").write_bytes((tmp_path / "mine" / "4.png").read_bytes())
        second = json.loads(ok(*words, "--base-url", endpoint.url, cache=tmp_path))
        assert 30 + 15 <= len(endpoint.requests) < 30 + 25  # 15 questions are about the picture that was edited
    assert first["run"] != second["run"]
    assert second["totals"]["stored"] > 5
    assert json.loads((Path(first["run"]) / "run.json").read_text())["data"]["source"] == str(where)


def test_other_commands_take_a_path_too(tmp_path: Path) -> None:
    same = {"image": "1.png", "question": "Which colour?", "answer": "blue"}
    where = table(tmp_path / "mine", [same | {"options": "red|blue|green"}, same | {"options": "blue|red|green"}])
    told = json.loads(ok("run", where, "--dry-run", "--model", "openai/gpt-4o", "--json", cache=tmp_path))
    assert told["total"]["calls"] == 2
    (row,) = (
        r for r in json.loads(ok("protocols", where, "--blind", "--json", cache=tmp_path)) if r["protocol"] == "robust"
    )
    assert row["chance"] == pytest.approx(1 / 3)
    assert row["constants"] == {"A": 0.5, "B": 0.5, "C": 0.0}
    assert "robust" in ok("protocols", where, cache=tmp_path)
    ok("data", "show", where, "--out", tmp_path / "samples.html", cache=tmp_path)
    assert "Which colour?" in (tmp_path / "samples.html").read_text(encoding="utf-8")
    run = json.loads(ok("run", where, "--model", "baseline/chance", "--out", tmp_path / "r", "--json", cache=tmp_path))
    ok("verify", run["run"], "--data", where, cache=tmp_path)
    assert "named already" in refused("run", where, "--data", where, "--model", "baseline/chance", cache=tmp_path)


def test_a_folder_of_a_published_set_is_known_by_its_path(tmp_path: Path) -> None:
    ok("data", "make", "salbench", "--count", 2, "--out", tmp_path / "some", cache=tmp_path)
    ran = json.loads(
        ok("run", tmp_path / "some", "--model", "baseline/chance", "--out", tmp_path / "r", "--json", cache=tmp_path)
    )
    assert ran["exam"] == "salbench"


def test_what_is_no_data_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("title,body\na,b\n")
    (tmp_path / "empty").mkdir()
    assert "no column 'image'" in refused("run", tmp_path / "notes.csv", "--model", "baseline/chance", cache=tmp_path)
    assert "no table of questions" in refused("run", tmp_path / "empty", "--model", "baseline/chance", cache=tmp_path)
    assert "no such file" in refused("run", tmp_path / "x.csv", "--model", "baseline/chance", cache=tmp_path)
    with pytest.raises(SnellenError, match="name the data once"):
        api.evaluate("own", model="baseline/chance", out=tmp_path / "r")


def test_hostile_cells_are_inert(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\x1b[31m=HYPERLINK()"
    where = lines(
        tmp_path / "mine", CHOICE | {"question": evil, "id": evil, "topic": evil}, CHOICE | {"id": "2", "topic": "b"}
    )
    checked = ok("data", "check", where, cache=tmp_path)
    done = snellen("run", where, "--model", "baseline/chance", "--out", tmp_path / "r", "-v", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b[31m" not in checked + done.stdout + done.stderr
    (run,) = (tmp_path / "r").iterdir()
    ok("report", run, "--out", tmp_path / "page.html", cache=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in page and "<script>alert(1)" not in page


def test_data_check_says_places_and_gives_exit_code_2(tmp_path: Path) -> None:
    where = lines(tmp_path / "mine", CHOICE, CHOICE | {"answer": "pink"}, CHOICE | {"image": "9.png"})
    done = snellen("data", "check", where, "--json", cache=tmp_path)
    assert done.returncode == 2
    found = json.loads(done.stdout)["problems"]
    assert [p["where"] for p in found if p["fatal"]] == [
        "questions.jsonl line 2, column 'answer'",
        "questions.jsonl line 3, column 'image'",
    ]


def test_rows_are_marked_without_pictures(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "options": ["red", "blue"], "answer": "blue", "response": "It is B."},
        {"id": "2", "answer": 3, "response": "three"},
        {"id": "3", "answer": ["sofa", "couch"], "response": "A couch."},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    said = ok("mark", "own", "--input", tmp_path / "rows.jsonl", "--protocol", "robust", cache=tmp_path)
    assert [json.loads(line)["outcome"] for line in said.splitlines()] == ["correct"] * 3
