"""The run folder after crashes: torn lines, damaged lines, re-asked errors, two writers."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.errors import SnellenError
from snellen.core.records import DataEntry, Manifest, SubjectEntry, written
from snellen.core.types import Answer, Call, Failure, Usage
from snellen.engine.runs.folder import RunFolder, raw_lines


def answer(name: str, text: str = "Color", failed: bool = False, cost: float = 0.1) -> Answer:
    call = Call(
        key="k",
        kind="api",
        endpoint="e",
        model="m",
        cost=None if failed else cost,
        tries=2,
        usage=Usage(input_tokens=5),
    )
    failure = Failure(kind="gave-up", reason="status 500") if failed else None
    return Answer(id=name, prompt="question", text="" if failed else text, failure=failure, calls=(call,))


def filled(path: Path, *answers: Answer) -> RunFolder:
    with RunFolder(path) as folder:
        folder.start_appending()
        for one in answers:
            folder.append(one)
    return folder


@given(st.integers(1, 400))
def test_a_file_cut_anywhere_loses_only_the_cut_line(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("run")
    folder = filled(path, *(answer(f"s{i}") for i in range(5)))
    whole = folder.answers_path.read_bytes()
    folder.answers_path.write_bytes(whole[: max(0, len(whole) - cut)])
    kept = whole[: max(0, len(whole) - cut)].count(b"\n")
    assert len(folder.scan().last) == kept
    with folder:
        folder.start_appending()
        folder.append(answer("new"))
    assert [a.id for a in folder.answers()] == [f"s{i}" for i in range(kept)] + ["new"]


def test_an_error_that_was_asked_again_is_replaced_and_both_are_kept_on_file(tmp_path: Path) -> None:
    folder = filled(tmp_path, answer("a", failed=True), answer("b"), answer("a", text="Size"))
    scan = folder.scan()
    assert scan.failed == 0
    assert {a.id: a.text for a in folder.answers()} == {"a": "Size", "b": "Color"}
    assert folder.answers_path.read_bytes().count(b"\n") == 3
    assert (scan.totals.calls, scan.totals.tries) == (3, 6)
    assert scan.totals.cost == pytest.approx(0.2)


def test_a_late_error_never_hides_an_answer(tmp_path: Path) -> None:
    folder = filled(tmp_path, answer("a", text="Size"), answer("a", failed=True))
    assert [a.text for a in folder.answers()] == ["Size"]
    assert folder.scan().failed == 0


def test_a_damaged_line_in_the_middle_is_counted_and_passed_over(tmp_path: Path) -> None:
    folder = filled(tmp_path, answer("a"), answer("b"), answer("c"))
    lines = folder.answers_path.read_bytes().splitlines(keepends=True)
    lines[1] = b"\x00\x00garbage\n"
    folder.answers_path.write_bytes(b"".join(lines))
    assert folder.scan().unreadable == 1
    assert [a.id for a in folder.answers()] == ["a", "c"]


def test_the_second_writer_is_refused(tmp_path: Path) -> None:
    with RunFolder(tmp_path), pytest.raises(SnellenError, match="another process is writing"), RunFolder(tmp_path):
        pass


def test_reading_what_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match=r"not a run folder: it has no run.json"):
        RunFolder(tmp_path).manifest()
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(SnellenError, match="is damaged"):
        RunFolder(tmp_path).manifest()


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write("x.txt", b"old")

    def broken() -> object:
        yield b"new"
        raise KeyError("stop")

    with pytest.raises(KeyError):
        folder.write_chunks("x.txt", broken())  # type: ignore[arg-type]
    assert (tmp_path / "x.txt").read_bytes() == b"old"


def test_a_scan_of_many_answers_holds_numbers_and_no_names(tmp_path: Path) -> None:
    line = '{{"id": "P3/image{0:06d}", "prompt": "question", "text": "Color"}}\n'
    folder = RunFolder(tmp_path)
    folder.answers_path.write_text("".join(line.format(i) for i in range(50_000)))
    tracemalloc.start()
    try:
        scan = folder.scan()
        held, _most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(scan.last) == 50_000 and scan.last.answered(("P3/image049999", "question"))
    assert held < 50_000 * 30, "17 bytes an answer; its id and prompt alone would be 130"


@pytest.mark.parametrize("name", ["answers.jsonl", "samples.jsonl"])
def test_a_device_or_a_pipe_is_not_read(name: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / name).symlink_to("/dev/null")
    with pytest.raises(SnellenError, match=rf"{name}: not a regular file"):
        list(folder.samples() if name == "samples.jsonl" else raw_lines(tmp_path / name))
    if name == "answers.jsonl":
        with pytest.raises(SnellenError, match=rf"{name}: not a regular file"):
            list(folder.answers_at([0]))


@pytest.mark.parametrize("shard", [(0, 0), (3, 2), (-1, 4)])
def test_a_part_that_no_run_has_is_refused(shard: tuple[int, int], tmp_path: Path) -> None:
    manifest = Manifest(
        snellen="1",
        created="",
        exam="own",
        subject=SubjectEntry(spec="m", identity={}),
        data=DataEntry(source="", fingerprint="", samples=1),
        shard=shard,
    )
    (tmp_path / "run.json").write_bytes(written(manifest))
    with pytest.raises(SnellenError, match=r"is damaged .*is no part of a run"):
        RunFolder(tmp_path).manifest()
