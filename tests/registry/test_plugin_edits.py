"""Editing a plugin's marker or prompt changes what is marked and asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import png

PLUGIN = """
from pathlib import Path
from snellen import Exam, Picture, Prompt, Protocol, Sample

def ask(sample, shots):
    return "How many?"

def read(reply, sample):
    return reply.strip()

def mark(answer, sample):
    return answer == "3"

class Count(Exam):
    name = "count"
    title = "Count"
    prompts = {"question": Prompt("question", "how many", ask)}
    protocols = {"exact": Protocol("exact", "equal", read, mark)}

    def samples(self, where):
        for path in sorted(Path(where).glob("*.png")):
            yield Sample(id=path.name, tags={"kind": "plain"}, truth="3", pictures=(Picture(data=path.read_bytes()),))

EXAM = Count()
"""


class Trial:
    """A data folder, a plugin file and a server that says 3."""

    def __init__(self, folder: Path, server: Endpoint) -> None:
        self.folder, self.server, self.plugin = folder, server, folder / "count.py"
        (folder / "data").mkdir()
        for i in range(5):
            (folder / "data" / f"{i}.png").write_bytes(png(i))

    def run(self, source: str) -> tuple[dict[str, Any], str, int]:
        """Run the exam with this source: the summary, what was noted, and how many requests it took."""
        self.plugin.write_text(source)
        before = len(self.server.requests)
        words = ["run", "count", "--plugin", self.plugin, "--data", self.folder / "data", "--out", self.folder / "runs"]
        words += ["--model", "api/m", "--base-url", self.server.url, "--json"]
        done = snellen(*words, cache=self.folder / "cache")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr, len(self.server.requests) - before


def headline(summary: dict[str, Any]) -> float:
    return float(summary["protocols"][0]["groups"][0]["metrics"]["score"]["value"])


def test_an_edited_marker_marks_again_and_asks_nobody(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        assert headline(trial.run(PLUGIN)[0]) == 1.0
        summary, said, asked = trial.run(PLUGIN.replace('answer == "3"', 'answer == "4"'))
        assert headline(summary) == 0.0
        assert asked == 0
        assert "the plugin of exact was edited since the answers were marked: they are marked again" in said


def test_an_edited_prompt_asks_again(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        trial.run(PLUGIN)
        server.answer = "5"
        summary, said, asked = trial.run(PLUGIN.replace("How many?", "How many dots are there?"))
        assert asked == 5
        assert "How many dots are there?" in json.dumps(server.requests[-1])
        assert headline(summary) == 0.0
        assert "the wording of question has changed since its questions were answered: they are asked again" in said
        assert trial.run(PLUGIN.replace("How many?", "How many dots are there?"))[2] == 0


def test_edited_tags_and_pictures_of_equal_size_are_another_run(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        first = trial.run(PLUGIN)[0]
        retagged = trial.run(PLUGIN.replace('"kind": "plain"', '"kind": "fancy"'))[0]
        assert any("fancy" in str(g["by"]) for p in retagged["protocols"] for g in p["groups"])
        assert retagged["run"] != first["run"]
        (tmp_path / "data" / "0.png").write_bytes(bytes(reversed(png(0))))
        assert trial.run(PLUGIN)[0]["run"] != first["run"]


def test_an_edit_that_is_taken_back_before_anything_is_asked_loses_nothing(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        first, *_ = trial.run(PLUGIN)
        trial.plugin.write_text(PLUGIN.replace("How many?", "How many dots are there?"))
        words = ["run", "count", "--plugin", trial.plugin, "--data", tmp_path / "data", "--out", tmp_path / "runs"]
        words += ["--model", "api/m", "--base-url", server.url]
        server.script = lambda _body, _n: (401, {}, b'{"error": {"message": "no"}}')
        assert snellen(*words, cache=tmp_path / "cache").returncode == 2
        assert not (Path(first["run"]) / "summary.json").exists(), "no score of the old wording stands for the new one"
        server.script = None
        again, _said, asked = trial.run(PLUGIN)
        assert asked == 0
        assert again["run"] == first["run"]
        assert headline(again) == 1.0


def test_a_module_that_the_plugin_imports_counts_as_its_source(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        source = PLUGIN.replace(
            "def mark(", "import sys; sys.path.insert(0, str(Path(__file__).parent))\nfrom rule import mark\ndef _("
        )
        (tmp_path / "rule.py").write_text('def mark(answer, sample):\n    return answer == "3"\n')
        assert headline(trial.run(source)[0]) == 1.0
        (tmp_path / "rule.py").write_text('def mark(answer, sample):\n    return answer == "4"\n')
        summary, said, _asked = trial.run(source)
        assert headline(summary) == 0.0
        assert "was edited since" in said


def test_a_prompt_that_looks_at_the_pictures_and_sets_of_words_work(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        source = PLUGIN.replace('return "How many?"', 'return f"How many in {len(sample.pictures[0].data)} bytes?"')
        source = source.replace('truth="3",', 'truth="3", facts={"of": {"red", "green", "blue", "black"}},')
        first = trial.run(source)[0]["run"]
        for _ in range(3):
            summary, _said, asked = trial.run(source)
            assert (summary["run"], asked) == (first, 0)


def test_a_form_of_answer_that_cannot_be_filled_in_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        form = """Question(id=sample.id, exam="count", prompt="question", parts=(Text(text="?"),), options=("3", "4"),
                    answer_form='{"answer": {}}')"""
        source = PLUGIN.replace('"How many?"', form).replace(
            "Sample\n", "Sample, Question\nfrom snellen.core.types import Text\n", 1
        )
        trial.plugin.write_text(source)
        words = ["run", "count", "--plugin", trial.plugin, "--data", tmp_path / "data", "--out", tmp_path / "runs"]
        done = snellen(*words, "--model", "api/m", "--base-url", server.url, cache=tmp_path / "cache")
        assert done.returncode == 2
        assert "answer_form" in done.stderr
        assert not server.requests
