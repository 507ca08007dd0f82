"""Exams, protocols and subjects of the user's own: the example of the docs, run as printed there, and what can go wrong."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
DOTS = EXAMPLES / "dots.py"
LAST_WORD = EXAMPLES / "last_word.py"
ONE_WORD = EXAMPLES / "one_word.py"
BRIGHTNESS = EXAMPLES / "brightness.py"


@pytest.fixture
def dots(tmp_path: Path) -> Path:
    folder = tmp_path / "dots"
    folder.mkdir()
    with (folder / "truth.csv").open("w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(["file", "dots"])
        for n in range(1, 9):
            image = Image.new("RGB", (90, 20), "white")
            for i in range(n):
                ImageDraw.Draw(image).ellipse([4 + 10 * i, 6, 10 + 10 * i, 12], fill="black")
            image.save(folder / f"{n}.png")
            rows.writerow([f"{n}.png", n])
    return folder


def test_the_examples_are_short() -> None:
    assert len(DOTS.read_text().splitlines()) < 60
    assert len(BRIGHTNESS.read_text().splitlines()) <= 41


def test_the_example_runs_reports_and_marks(dots: Path, tmp_path: Path) -> None:
    done = snellen(
        *("run", "dots", "--plugin", DOTS, "--data", dots, "--model", "baseline/constant:3"),
        *("--out", tmp_path / "runs", "--controls", "blank", "--json"),
        cache=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    scores = {p["protocol"]: p["groups"][0]["metrics"]["score"] for p in summary["protocols"]}
    assert scores["exact"]["value"] == 1 / 8
    assert scores["near"]["value"] == (1 + 0.5 + 0.5) / 8
    assert {tuple(g["by"].items()) for g in summary["protocols"][0]["groups"]} == {
        (),
        (("dots", "few"),),
        (("dots", "many"),),
    }
    page = snellen(
        "report", "--plugin", DOTS, *(tmp_path / "runs").iterdir(), "--out", tmp_path / "p.html", cache=tmp_path
    )
    assert page.returncode == 0, page.stderr
    assert "data:image/png;base64" in (tmp_path / "p.html").read_text()
    row = json.dumps({"id": 1, "answer": 4, "response": "I see 4"})
    marked = snellen(f"--plugin={DOTS}", "mark", "dots", "--protocol", "exact", stdin=row, cache=tmp_path)
    assert json.loads(marked.stdout)["outcome"] == "correct"
    listed = snellen("list", "exams", "--plugin", DOTS, cache=tmp_path)
    assert "dots" in listed.stdout
    checked = snellen("data", "check", "dots", "--data", dots, "--plugin", DOTS, cache=tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_a_protocol_joins_an_old_run(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 12)
    words = ("run", "salbench", "--data", data, "--model", "baseline/constant:It is color", "--out", tmp_path / "runs")
    assert snellen(*words, "--protocol", "paper", cache=tmp_path).returncode == 3  # which cannot read it
    run = next((tmp_path / "runs").iterdir())
    done = snellen("mark", run, "--protocol", "last-word", "--plugin", LAST_WORD, "--json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    scores = {p["protocol"]: p for p in json.loads(done.stdout)[0]["protocols"]}
    assert scores["last-word"]["groups"][0]["metrics"]["score"]["value"] > 0
    unknown = snellen("mark", run, "--protocol", "last-word", cache=tmp_path)
    assert unknown.returncode == 2


PROTOCOL = """from snellen import Exam, Prompt, Protocol as P
mine = P({name!r}, "a test's", {read}, {mark})
"""


def plugin(
    folder: Path, more: str, name: str = "mine", read: str = "lambda r, s: r", mark: str = "lambda x, s: 1"
) -> Path:
    path = folder / "p.py"
    path.write_text(PROTOCOL.format(name=name, read=read, mark=mark) + more)
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "has none of EXAM, PROTOCOLS, SUBJECTS, SCORERS"),
        ("x =\n", "does not load: SyntaxError: invalid syntax (line 3 of p.py)"),
        ("def f():\n    raise ValueError('no')\nf()\n", "does not load: ValueError: no (line 4 of p.py)"),
        ("import sys\nsys.exit(7)\n", "does not load: SystemExit: 7 (line 4 of p.py)"),
        ("PROTOCOLS = [1]\n", "PROTOCOLS must be a dictionary"),
        ("PROTOCOLS = {'illusionbench': mine}\n", 'PROTOCOLS["illusionbench"] must be a list of protocols'),
        (
            "PROTOCOLS = {'illusionbench': ['mine']}\n",
            "str is no protocol: it must be of a class that extends snellen.Protocol",
        ),
        ("PROTOCOLS = {'ilusionbench': [mine]}\n", "unknown exam 'ilusionbench': did you mean 'illusionbench'?"),
        ("PROTOCOLS = {'salbench': [P('paper', '', 0, 0)]}\n", "salbench has one of that name already"),
        ("EXAM = object()\n", "EXAM is a object; it must be of a class that extends snellen.Exam"),
        ("EXAM = Exam\n", "EXAM is a class"),
        (
            "from snellen.core.extras import Probes\nmine.extras = (Probes(list))\nPROTOCOLS = {'salbench': [mine]}\n",
            "extras must be a tuple with one extra of each type",
        ),
        ("EXAM = Exam()\n", "EXAM.name must be a text"),
        (
            "class S(Exam):\n    name = title = 'salbench'\n    protocols = {'mine': mine}\nEXAM = S()\n",
            "there is an exam 'salbench' already",
        ),
        ("SUBJECTS = {'x': 1}\n", 'SUBJECTS["x"]: a int, not a SubjectKind'),
        (
            "from snellen import SubjectKind\nSUBJECTS = {'openai': SubjectKind()}\n",
            "that name is taken already: choose another",
        ),
    ],
)
def test_a_bad_plugin_gets_one_line(tmp_path: Path, text: str, message: str) -> None:
    done = snellen("list", "protocols", "--plugin", plugin(tmp_path, text), cache=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    missing = snellen("list", "--plugin", tmp_path / "none.py", cache=tmp_path)
    assert "none.py: no such file" in missing.stderr


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"mark": "lambda x, s: 7.0"}, "protocol mine: mark() gave 7 for sample"),
        ({"mark": "lambda x, s: float('nan')"}, "a score is from 0 to 1"),
        ({"read": "lambda r, s: r[99]"}, "protocol mine: judge() on sample P3/img00000 failed: IndexError"),
    ],
)
def test_rules_that_fail_get_one_line_and_leave_nothing_half_done(
    tmp_path: Path, rules: dict[str, str], message: str
) -> None:
    data = write_set(tmp_path / "data", 4)
    words = ("run", "salbench", "--data", data, "--model", "baseline/constant:color", "--out", tmp_path / "runs")
    assert snellen(*words, "--protocol", "paper", cache=tmp_path).returncode == 0
    run = next((tmp_path / "runs").iterdir())
    mine = plugin(tmp_path, "PROTOCOLS = {'salbench': [mine]}\n", **rules)
    done = snellen("mark", run, "--protocol", "mine", "--plugin", mine, cache=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert [p.name for p in (run / "marks").iterdir()] == ["paper.jsonl"]
    assert snellen("mark", run, cache=tmp_path).returncode == 0


def test_a_run_that_a_plugin_marked_says_what_it_needs(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 4)
    words = ("run", "salbench", "--data", data, "--model", "baseline/constant:color", "--out", tmp_path / "runs")
    words = (*words, "--protocol")
    assert snellen(*words, "last-word", "--plugin", LAST_WORD, cache=tmp_path).returncode == 0
    run = next((tmp_path / "runs").iterdir())
    for again in (("mark", run), (*words, "paper")):
        done = snellen(*again, cache=tmp_path)
        assert done.returncode == 2
        assert "was marked with the protocol 'last-word' (prompt 'question') of a plugin" in done.stderr
        assert "add --plugin FILE.py" in done.stderr


def test_a_protocol_brings_its_own_prompt(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 4)
    with Endpoint(answer="color") as endpoint:
        done = snellen(
            *("run", "salbench", "--data", data, "--model", "api/x", "--base-url", endpoint.url, "--json"),
            *("--out", tmp_path / "runs", "--plugin", ONE_WORD, "--protocol", "paper,one-word"),
            cache=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        texts = [r["messages"][0]["content"][-1]["text"] for r in endpoint.requests]
    assert json.loads(done.stdout)["asked"] == {"question": 4, "one-word": 4}
    assert texts.count("In what is the odd one unlike the others? One word.") == 4
    run = next((tmp_path / "runs").iterdir())
    assert snellen("mark", run, "--plugin", ONE_WORD, cache=tmp_path).returncode == 0
    table = snellen("protocols", "salbench", "--plugin", ONE_WORD, "--json", "--split", "P3", cache=tmp_path)
    assert "unlike the others? One word." in table.stdout
    few = snellen(
        *("run", "salbench", "--data", data, "--model", "baseline/constant:x", "--protocol", "one-word", "--shots", 3),
        *("--plugin", ONE_WORD),
        cache=tmp_path,
    )
    assert few.returncode == 2
    assert "takes no examples" in few.stderr


def test_the_table_and_the_audit_of_a_simple_benchmark_take_its_data(dots: Path, tmp_path: Path) -> None:
    for flags in ((), ("--blind",)):
        lacking = snellen("protocols", "dots", *flags, "--plugin", DOTS, cache=tmp_path)
        assert lacking.returncode == 2
        assert "give --data DIR" in lacking.stderr
    table = snellen("protocols", "dots", "--plugin", DOTS, "--data", dots, "--markdown", cache=tmp_path)
    assert table.returncode == 0, table.stderr
    assert "How many dots are in this picture" in table.stdout
    done = snellen("protocols", "dots", "--blind", "--plugin", DOTS, "--data", dots, "--json", cache=tmp_path)
    exact, near = json.loads(done.stdout)
    assert (exact["best constant"], exact["chance"]) == (1 / 8, None)
    assert near["best constant"] == 2 / 8
    assert sorted(exact["constants"]) == [str(n) for n in range(1, 9)]


def test_a_prompt_that_is_taken_or_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    for more, message in (
        ("own = Prompt('question', 'x', lambda s, e: 'x')\n", "salbench has a prompt 'question' already"),
        ("own = 'short'\n", "or give the protocol a Prompt of its own"),
        ("own = Prompt('short', 'x', lambda s, e: 7)\n", "ask() gave int, not a text or a Question"),
        (
            "own = Prompt('short', 'x', lambda s, e: s.x)\n",
            "prompt short: ask() on sample P3/probe failed: AttributeError",
        ),
    ):
        own = "PROTOCOLS = {'salbench': [P('mine', 'x', lambda r, s: r, lambda x, s: 1, prompt=own)]}\n"
        mine = plugin(tmp_path, more + own)
        done = snellen("protocols", "salbench", "--plugin", mine, cache=tmp_path)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_a_table_that_the_samples_need_and_that_is_broken_gets_one_line(dots: Path, tmp_path: Path) -> None:
    (dots / "truth.csv").write_text("file\n1.png\n")
    done = snellen("run", "dots", "--plugin", DOTS, "--data", dots, "--model", "baseline/constant:3", cache=tmp_path)
    assert done.returncode == 2
    assert "dots cannot read its samples: KeyError: 'dots'" in done.stderr


def test_the_docs_print_the_example_as_it_is() -> None:
    page = (EXAMPLES.parent / "extending.md").read_text()
    assert DOTS.read_text() in page
    assert BRIGHTNESS.read_text() in page
    for example in (LAST_WORD, ONE_WORD):
        assert example.name in page


def test_a_subject_of_ones_own(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 6)
    words = ("run", "salbench", "--plugin", BRIGHTNESS, "--data", data, "--out", tmp_path / "runs", "--json")
    done = snellen(*words, "--model", "brightness/128", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["subject"], summary["complete"]) == ("brightness/128", True)
    said = {json.loads(line)["text"] for line in (Path(summary["run"]) / "answers.jsonl").read_text().splitlines()}
    assert said <= {"Orientation", "Size"}
    bad = snellen(*words, "--model", "brightness/x", cache=tmp_path)
    assert (bad.returncode, "a number from 0 to 255" in bad.stderr) == (2, True)
    refused = snellen(*words, "--model", "brightness/128", "--temperature", "1", cache=tmp_path)
    assert "--temperature has no effect for salbench with brightness/128" in refused.stderr
    listed = snellen("list", "subjects", "--plugin", BRIGHTNESS, cache=tmp_path)
    assert "brightness/LIMIT" in listed.stdout


def test_a_protocol_that_breaks_while_it_summarises_leaves_whole_marks(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 4)
    words = ("run", "salbench", "--data", data, "--model", "baseline/constant:color", "--out", tmp_path / "runs")
    assert snellen(*words, "--protocol", "paper", cache=tmp_path).returncode == 0
    run = next((tmp_path / "runs").iterdir())
    stops = """class Stops(P):
    n = 0
    def seen(self, sample, mark):
        self.n += 1
        if self.n == 3:
            raise ValueError("early")
        return super().seen(sample, mark)
PROTOCOLS = {'salbench': [Stops('mine', 'x', lambda r, s: r, lambda x, s: 1)]}
"""
    done = snellen("mark", run, "--protocol", "mine", "--plugin", plugin(tmp_path, stops), cache=tmp_path)
    assert done.returncode == 2
    assert "protocol mine: the summary of its marks failed: ValueError: early (line 8 of p.py)" in done.stderr
    assert len((run / "marks" / "mine.jsonl").read_text().splitlines()) == 4
