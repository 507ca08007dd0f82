"""`verify` finds whatever is not what the answers and the data set give, and leaves the run folder as it is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.command import snellen as command
from tests.support.endpoint import Endpoint
from tests.support.sets import png, write_config, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.records import read_summary, written
from snellen.engine.mark.differing import differing
from snellen.engine.mark.verify import verify

SAMPLES = 9
PLUGIN = """
from pathlib import Path
from snellen import Exam, Picture, Prompt, Protocol, Sample

class Count(Exam):
    name = "count"
    title = "Count"
    prompts = {"question": Prompt("question", "how many", lambda sample, shots: "How many?")}
    protocols = {"exact": Protocol("exact", "equal", lambda reply, s: reply.strip(), lambda a, s: a == s.truth)}

    def samples(self, where):
        for path in sorted(Path(where).glob("*.png")):
            yield Sample(id=path.name, tags={"kind": "plain"}, truth="3", pictures=(Picture(data=path.read_bytes()),))

EXAM = Count()
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a data set and a run of it by an endpoint, with a control."""
    folder = tmp_path_factory.mktemp("made")
    write_set(folder / "data", SAMPLES)
    with Endpoint(answer="Color") as server:
        run = snellen.evaluate(
            "salbench",
            model="api/m",
            data=folder / "data",
            out=folder / "runs",
            base_url=server.url,
            controls=["blank", "shuffled"],
            use_store=False,
        )
    run.path.rename(folder / "run")
    yield folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy of the run; its data set is where it was."""
    return Path(shutil.copytree(made / "run", tmp_path / "run"))


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()
    }


def edit(path: Path, change: Callable[[Any], None], line: int | None = None) -> None:
    """Change a JSON document, or one line of a file of them."""
    if line is None:
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        return
    lines = path.read_text().splitlines()
    document = json.loads(lines[line])
    change(document)
    lines[line] = json.dumps(document, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")


def places(path: Path, data: Path | None = None) -> list[tuple[str, str]]:
    return [(d.file, d.place) for d in verify(path, data).differences]


def test_a_run_as_it_was_made_holds_and_everything_was_compared(made: Path, copy: Path) -> None:
    before = everything(copy)
    found = verify(copy, exports=True)
    assert (found.total, found.differences) == (0, [])
    protocols = len(snellen.open_run(copy).manifest.protocols)
    assert f"{protocols * SAMPLES} marks" in found.checked
    assert {"the summary", f"{SAMPLES} samples"} <= set(found.checked)
    assert f"{3 * SAMPLES} pictures as sent" in found.checked
    assert found.unchecked == []
    assert everything(copy) == before


def test_it_needs_no_right_to_write(copy: Path) -> None:
    names = set(everything(copy))
    for path in (*copy.rglob("*"), copy):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert verify(copy, exports=True).total == 0
        assert set(everything(copy)) == names
    finally:
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755)


def test_a_changed_mark(copy: Path) -> None:
    edit(copy / "marks" / "paper.jsonl", lambda mark: mark.update(outcome="correct", reading=["size"]), 2)
    found = [d for d in verify(copy).differences]
    assert {d.file for d in found} == {"marks/paper.jsonl"}
    assert all(re.fullmatch(r"line 3, sample \S+\.(outcome|reading.*)", d.place) for d in found)
    assert [(d.recorded, d.found) for d in found if d.place.endswith("outcome")] == [("'correct'", "'wrong'")]


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [b"{nonsense\n", *lines[1:]],
    ],
    ids=["one less", "one more", "unreadable"],
)
def test_marks_that_are_missing_doubled_or_damaged(copy: Path, damage: Callable[[list[bytes]], list[bytes]]) -> None:
    path = copy / "marks" / "paper.jsonl"
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    assert [file for file, _place in places(copy)] == ["marks/paper.jsonl"]


def test_a_file_of_marks_that_is_gone_and_one_that_nobody_asked_for(copy: Path) -> None:
    (copy / "marks" / "paper.jsonl").rename(copy / "marks" / "stray.jsonl")
    found = verify(copy)
    assert [(d.file, d.recorded) for d in found.differences] == [("marks/paper.jsonl", "nothing")]
    assert any("stray.jsonl" in line for line in found.unchecked)


def test_a_changed_summary_is_found_with_and_without_a_new_digest(copy: Path) -> None:
    def better(summary: Any) -> None:
        summary["protocols"][0]["groups"][0]["metrics"]["macro_f1"]["value"] = 0.98765

    edit(copy / "summary.json", better)
    assert ("summary.json", "digest") in places(copy)
    assert ("summary.json", "protocols.paper.groups.P3.metrics.macro_f1.value") in places(copy)
    document = json.loads((copy / "summary.json").read_text()) | {"digest": ""}
    (copy / "summary.json").write_bytes(written(read_summary(json.dumps(document).encode())))
    found = verify(copy)
    assert [(d.place, d.recorded) for d in found.differences] == [
        ("protocols.paper.groups.P3.metrics.macro_f1.value", "0.98765")
    ]


def test_what_the_limiter_did_is_not_derived(copy: Path) -> None:
    raw = (copy / "summary.json").read_bytes()
    other = msgspec.structs.replace(read_summary(raw), concurrency={"last_limit": 77})
    (copy / "summary.json").write_bytes(written(other))
    assert places(copy) == []


def test_a_changed_answer(copy: Path) -> None:
    name = json.loads((copy / "answers.jsonl").read_text().splitlines()[0])["id"]
    edit(copy / "answers.jsonl", lambda answer: answer.update(text="size and then some"), 0)
    found = places(copy)
    assert any(file.startswith("marks/") and f"sample {name}." in place for file, place in found)
    assert ("summary.json", "answers_bytes") in found


def test_answers_that_cannot_be_read(copy: Path) -> None:
    with (copy / "answers.jsonl").open("ab") as file:
        file.write(b"{half\n")
    assert ("answers.jsonl", "lines that cannot be read") in places(copy)


def test_a_changed_picture_is_named(made: Path, copy: Path, tmp_path: Path) -> None:
    other = [{"bytes": png(i if i != 4 else 200), "path": None} for i in range(SAMPLES)]
    write_config(tmp_path / "other", "P3", SAMPLES, image=other)
    found = verify(copy, tmp_path / "other").differences
    changed = [d for d in found if d.file == "answers.jsonl"]
    assert {d.place for d in changed} >= {"sample P3/img00004, question, image 1"}
    assert all("img00004, question, " in d.place or "question+shuffled" in d.place for d in changed)
    assert len(changed) == 2, "as itself, and as another sample's"
    assert ("run.json", "data.fingerprint") in [(d.file, d.place) for d in found]


def test_a_changed_truth_and_missing_samples(copy: Path, tmp_path: Path) -> None:
    write_config(tmp_path / "other", "P3", SAMPLES, answer=["size"] * SAMPLES)
    found = places(copy, tmp_path / "other")
    assert ("samples.jsonl", "sample P3/img00000.truth") in found
    write_config(tmp_path / "fewer", "P3", SAMPLES - 1)
    assert ("samples.jsonl", f"sample P3/img{SAMPLES - 1:05d}") in places(copy, tmp_path / "fewer")


def test_a_missing_data_set_is_said_and_the_rest_compared(copy: Path) -> None:
    edit(copy / "run.json", lambda run: run["data"].update(source="/nowhere/at/all"))
    found = verify(copy)
    assert found.total == 0
    assert any("/nowhere/at/all is not there" in line and "--data DIR" in line for line in found.unchecked)
    assert not any("pictures" in line for line in found.checked)
    with pytest.raises(SnellenError, match="--data"):
        verify(copy, Path("/nowhere/else"))


def test_rules_that_have_changed_since(copy: Path) -> None:
    edit(copy / "run.json", lambda run: run["protocols"][0].update(version="0.9"))
    assert ("run.json", "protocols.paper.version") in places(copy)


def test_exports_are_compared_where_that_is_wanted(copy: Path) -> None:
    some = next(p for p in sorted((copy / "exports").rglob("*")) if p.is_file())
    some.write_bytes(some.read_bytes() + b"x")
    assert verify(copy).total == 0
    assert [d.file for d in verify(copy, exports=True).differences] == [some.relative_to(copy).as_posix()]


@pytest.mark.parametrize("lost", ["run.json", "summary.json"])
def test_what_cannot_be_checked_is_an_error(copy: Path, lost: str) -> None:
    (copy / lost).unlink()
    with pytest.raises(SnellenError):
        verify(copy)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"concurrency": 3}', b"\xff"])
def test_a_summary_that_is_none_is_an_error(copy: Path, content: bytes) -> None:
    (copy / "summary.json").write_bytes(content)
    with pytest.raises(SnellenError, match="nothing to compare"):
        verify(copy)


def test_a_summary_without_anything_in_it_differs(copy: Path) -> None:
    (copy / "summary.json").write_bytes(b'{"layout": 6}')
    assert {file for file, _place in places(copy)} == {"summary.json"}


@pytest.mark.parametrize("depth", [50, 900, 200_000])
def test_a_mark_that_is_very_deep_is_a_difference_and_no_crash(copy: Path, depth: int) -> None:
    path = copy / "marks" / "paper.jsonl"
    _first, *rest = path.read_bytes().splitlines(keepends=True)
    deep = b"[" * depth + b"]" * depth
    path.write_bytes(b"".join([b'{"id":"x","outcome":"wrong","reading":' + deep + b"}\n", *rest]))
    assert {file for file, _place in places(copy)} == {"marks/paper.jsonl"}


def test_an_old_summary_with_nonsense_in_it_is_a_difference_and_no_crash(copy: Path) -> None:
    (copy / "summary.json").write_text('{"layout": 2, "protocols": [3, {"groups": {"by": 4}}]}')
    assert places(copy) == [("summary.json", "the file")]


def test_a_folder_in_the_place_of_the_answers_cannot_be_checked(copy: Path) -> None:
    (copy / "answers.jsonl").unlink()
    (copy / "answers.jsonl").mkdir()
    with pytest.raises(SnellenError, match="cannot be checked"):
        verify(copy)


# ---------------------------------------------------------------- the command


def test_exit_codes_and_words(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    done = command("verify", copy, cache=cache, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Holds: all that was compared is as recorded.\n")
    for line in range(SAMPLES):
        edit(
            copy / "marks" / "paper.jsonl",
            lambda m: m.update(outcome="\x1b[31mred", reading="[bold]\n" * 3, more=1),
            line,
        )
    done = command("verify", copy, cache=cache, COLUMNS="80")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout and "[bold]" in done.stdout
    assert "DOES NOT HOLD: 27 differences." in done.stdout and "and 7 more; --json has them" in done.stdout
    assert f"snellen mark {copy}" in done.stdout
    machine = command("verify", copy, "--json", cache=cache)
    said = json.loads(machine.stdout)
    assert machine.returncode == 1
    assert (said["holds"], said["count"], len(said["differences"])) == (False, 27, 27)
    assert command("verify", tmp_path, cache=cache).returncode == 2
    assert command("verify", copy, "--data", tmp_path / "no", cache=cache).returncode == 2


def test_an_exam_of_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(PLUGIN)
    (tmp_path / "data").mkdir()
    for i in range(4):
        (tmp_path / "data" / f"{i}.png").write_bytes(png(i))
    words = ["--plugin", tmp_path / "count.py"]
    with Endpoint(answer="3") as server:
        run = ["run", "count", "--data", tmp_path / "data", "--out", tmp_path / "runs", "--model", "api/m", "--json"]
        done = command(*run, "--base-url", server.url, *words, cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    path = json.loads(done.stdout)["run"]
    good = command("verify", path, *words, cache=tmp_path / "cache")
    assert good.returncode == 0, good.stdout + good.stderr
    assert "4 pictures as sent" in good.stdout
    assert command("verify", path, cache=tmp_path / "cache").returncode == 2, (
        "without the plugin nobody knows the rules"
    )
    (tmp_path / "data" / "2.png").write_bytes(png(99))
    (tmp_path / "count.py").write_text(PLUGIN.replace("a == s.truth", "a != s.truth"))
    bad = json.loads(command("verify", path, *words, "--json", cache=tmp_path / "cache").stdout)
    found = {(d["file"], d["place"]) for d in bad["differences"]}
    assert ("answers.jsonl", "sample 2.png, question, image 1") in found
    assert ("run.json", "protocols.exact.code") in found
    assert ("marks/exact.jsonl", "line 1, sample 0.png.outcome") in found


def test_numbers_are_the_same_up_to_the_last_digit() -> None:
    assert list(differing({"a": 0.1 + 0.2, "b": [True]}, {"a": 0.3, "b": [True]})) == []
    assert [place for place, *_ in differing({"a": 0.3, "b": [True]}, {"a": 0.3001, "b": [1]})] == ["a", "b.1"]


def test_a_run_that_goes_on_meanwhile_is_not_judged(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from snellen.engine.mark import verify as module

    real = module.compare_data

    def slow(*args: Any) -> Any:
        with (copy / "answers.jsonl").open("ab") as file:
            file.write(b"{}\n")
        return real(*args)

    monkeypatch.setattr(module, "compare_data", slow)
    with pytest.raises(SnellenError, match="wait until the run is done"):
        verify(copy)
