"""Every request of every prompt, byte by byte. A change shows its diff; `SNELLEN_UPDATE_SNAPSHOTS=1` accepts it.

A changed prompt changes what a score means: give the protocol a new version together with the new snapshot.
"""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path

import msgspec
import pytest

from snellen import exams
from snellen.core.extras import probes_of
from snellen.core.types import Picture, Question, Text
from snellen.engine.ask.controls import altered, why_not_shuffled
from snellen.subjects.remote.settings import Settings
from tests.support.remote import remote
from tests.support.sets import png

FOLDER = Path(__file__).parent / "snapshots"


def requests(name: str) -> dict[str, object]:
    """The body that would be sent for each probe and prompt, and for the controls that need no other sample."""
    exam = exams.load(name)
    subject = remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1", max_tokens=exam.max_tokens))
    found: dict[str, object] = {}
    for probe in probes_of(exam):
        sample = msgspec.structs.replace(
            probe, pictures=(Picture(data=png(1)), Picture(data=png(2)))[: 2 if name == "d3" else 1]
        )
        for prompt in exam.prompts:
            question = exam.ask(prompt, sample)
            controls = ("none", "blank") if why_not_shuffled(question) else ("none", "blank", "options")
            arms: dict[str, Question] = {"": question} | {f"+{c}": altered(question, c, 0) for c in controls}
            for arm, shown in arms.items():
                body = json.loads(subject.prepare(shown).body)
                same = next((k for k, v in found.items() if v == body), None)
                found[f"{probe.id} {prompt}{arm}"] = body if same is None else f"as {same}"
    return found


def in_context(folder: Path) -> dict[str, object]:
    """IllusionBench's requests with examples, and for two names at once, from a set of six images a subset."""
    from snellen.core.options import Selection
    from snellen.exams.illusionbench.names import KEPT
    from snellen.exams.illusionbench.shots import MODES

    exam = exams.load("illusionbench")
    subject = remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1", max_tokens=exam.max_tokens))
    for subset, shapes in KEPT.items():
        (folder / subset).mkdir()
        for i, (shape, scene) in enumerate(
            ((0, "Ocean"), (0, "City"), (1, "Ocean"), (2, "Museum"), (0, "Ocean"), (3, "City"))
        ):
            (folder / subset / f"{shapes[shape]}-{i}-{scene}-Easy-1.5-1.png").write_bytes(png(i + 1))
    found: dict[str, object] = {}
    for shots in (0, 1, 2):
        data = exam.open(folder, Selection(tasks=("shape", "both"), shots=shots))
        for prompt in MODES if shots else ("icl", "lmms-first"):
            examples = data.shots(prompt)
            for sample in data.full(lambda i: "-0-Ocean" in i):
                assert exam.prompt(prompt).asked_about(sample)
                question = exam.ask(prompt, sample, examples(sample))
                found[f"{sample.id} {prompt} {shots}"] = json.loads(subject.prepare(question).body)
    return found


def test_no_byte_of_a_request_with_examples_changed(tmp_path: Path) -> None:
    compare("illusionbench_in_context", in_context(tmp_path))


@pytest.mark.parametrize("name", exams.names())
def test_no_byte_of_any_request_changed(name: str) -> None:
    compare(name, requests(name))


def compare(name: str, sent: dict[str, object]) -> None:
    """Hold requests against the snapshot of that name."""
    now = json.dumps(sent, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    file = FOLDER / f"{name}.json"
    if os.environ.get("SNELLEN_UPDATE_SNAPSHOTS"):
        file.write_text(now, encoding="utf-8")
    before = file.read_text(encoding="utf-8")
    diff = "".join(difflib.unified_diff(before.splitlines(True), now.splitlines(True), "snapshot", "now", n=1))
    assert before == now, f"requests of {name} changed:\n{diff}"


def test_a_changed_byte_would_be_seen() -> None:
    before = requests("salbench")
    exam = exams.load("salbench")
    probe = probes_of(exam)[0]
    question = exam.ask("question", probe)
    changed = msgspec.structs.replace(question, parts=(Text(text=question.text + " "),))
    subject = remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1", max_tokens=exam.max_tokens))
    assert json.loads(subject.prepare(changed).body) not in before.values()
    assert subject.prepare(changed).key != subject.prepare(question).key
