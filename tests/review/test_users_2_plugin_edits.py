"""Users 2: editing a plugin's marker or prompt showed the old score, and a new prompt sent no request."""

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
