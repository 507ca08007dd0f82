"""`snellen gate`: noise passes, a real drop fails, what cannot be judged is refused; and what a build server gets to read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.compare.conftest import Runs, chatty, right, wrong
from tests.compare.test_differences import made
from tests.compare.test_pairing import rewrite
from tests.support.command import snellen as command
from tests.support.sets import write_set

import snellen
from snellen.comparison.differences import PairedSample, PairedTest, rows
from snellen.comparison.gating import ALARM, Gate, gated, worse
from snellen.comparison.results import Comparison, RunSide
from snellen.core.errors import SnellenError
from snellen.core.protocol import Protocol, Seen
from snellen.core.results import Metric
from snellen.core.types import Outcome, Sample
from snellen.present.files.gate import junit, summary
from snellen.present.model.comparison_view import compared_tables
from snellen.present.terminal.gate import print_gate
from snellen.present.terminal.tables import show
from snellen.stats.significance import mcnemar

GOOD, BAD = Outcome.CORRECT, Outcome.WRONG
PLAIN = Protocol("plain")


def compared_pair(every: list[PairedSample], protocol: Protocol = PLAIN) -> Comparison:
    return Comparison(
        exam="made up",
        synthetic=True,
        sides=tuple(RunSide(letter=x, run=f"runs/{x}", subject=f"subject {x}") for x in "AB"),
        protocols=("plain",),
        samples=len(every),
        notes=(),
        rows=tuple(rows(PairedTest(protocol, "plain", "question", "A", "B"), every)),
        verdict=(),
    )


def judged(every: list[PairedSample], max_drop: float = 0.02, protocol: Protocol = PLAIN, **more: object) -> Gate:
    return gated(compared_pair(every, protocol), max_drop, **more)  # type: ignore[arg-type]


def part(lost: int, won: int, n: int, name: str = "x") -> list[PairedSample]:
    """Samples of which so many are lost and won. Their names have no '/', so no two parts share pictures."""
    same = n - lost - won
    every = made([GOOD] * lost + [BAD] * won + [GOOD] * same, [BAD] * lost + [GOOD] * won + [GOOD] * same, part=name)
    return [both._replace(id=both.id.replace("/", " ")) for both in every]


def parsed(content: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(content)  # noqa: S314 (written by us, just now)


# ---------------------------------------------------------------- the rule


@pytest.mark.parametrize(
    ("share", "worse_by", "low", "high"), [(0.1, 0, 95, 100), (0.2, 0, 95, 100), (0.2, 8, 90, 100)]
)
def test_noise_passes_and_eight_points_fail_at_500_samples(share: float, worse_by: int, low: int, high: int) -> None:
    """Small here; `bench/gate.py` has 2,000 re-runs of many settings. Half the changing samples are lost, half won."""
    dice = np.random.default_rng([8, worse_by, round(100 * share)])
    up, down = share / 2, share / 2 + worse_by / 100
    found = [
        judged(part(lost, won, 500)).passed for won, lost, _ in dice.multinomial(500, [up, down, 1 - up - down], 400)
    ]
    right_ones = 100 * np.mean(found) if not worse_by else 100 - 100 * np.mean(found)
    assert low - 1 <= right_ones <= high


def test_many_parts_do_not_multiply_false_alarms() -> None:
    """Ten parts that did not change: tested one by one without a correction, four in ten builds would fail."""
    dice = np.random.default_rng(4)
    failed = alone = 0
    for _ in range(150):
        parts = [part(*dice.multinomial(60, [0.1, 0.1, 0.8])[:2].tolist(), 60, name=f"{k}") for k in range(10)]
        failed += not judged([both for one in parts for both in one]).passed
        alone += any(not judged(one).passed for one in parts)
    assert failed <= 15 and alone > 30


def test_a_drop_that_is_allowed_passes_however_sure_it_is() -> None:
    found = judged(part(60, 0, 3000))
    assert found.checks[0].p < 0.0001 and found.checks[0].drop == pytest.approx(0.02) and found.passed
    assert not judged(part(61, 0, 3000)).passed
    assert not judged(part(60, 0, 3000), max_drop=0).passed and judged(part(300, 0, 3000), max_drop=0.1).passed


def test_a_gain_passes_and_its_p_is_no_drops() -> None:
    found = judged(part(0, 60, 500))
    assert found.passed and found.checks[0].p == 1 and "did not drop" in found.said


def test_p_is_mcnemars_one_sided() -> None:
    stats = pytest.importorskip("scipy.stats")
    for lost, won in ((30, 12), (9, 2), (200, 170), (5, 5)):
        (check,) = judged(part(lost, won, 500)).checks
        expected = stats.binomtest(lost, lost + won, alternative="greater").pvalue if lost > won else 1.0
        assert check.p == pytest.approx(expected) and check.p >= mcnemar(lost, won) / 2 - 1e-12


def test_one_part_that_collapsed_fails_though_the_whole_holds() -> None:
    """All samples have four fifths of the false alarms, the parts share one fifth, by Holm."""
    every = part(20, 0, 50, "small") + part(25, 30, 950, "large")
    found = judged(every)
    by = {check.part: check for check in found.checks}
    assert [c.part for c in found.checks] == ["all", "large", "small"] and not found.passed
    assert not by["all"].failed and not by["large"].failed and by["small"].failed
    assert by["small"].p == pytest.approx(mcnemar(20, 0) / 2 * 2 / 0.2)
    assert by["all"].p == pytest.approx(mcnemar(45, 30) / 2 / 0.8)
    assert found.said.startswith("FAIL: small dropped by 40.0 points [") and found.said.endswith("1 of 3 checks failed")
    only = judged(every, parts=["large"])
    assert only.passed and [c.part for c in only.checks] == ["large"]
    with pytest.raises(SnellenError, match="unknown part 'smal' of these runs: did you mean 'small'"):
        judged(every, parts=["smal"])


def test_where_less_is_better_a_rise_is_a_drop() -> None:
    protocol = Protocol("plain")
    protocol.metrics = (Metric(name="score", better="lower"),)
    found = judged(part(0, 60, 500), protocol=protocol)
    assert not found.passed and found.checks[0].drop == pytest.approx(0.12)
    low, high = found.checks[0].low, found.checks[0].high
    assert low is not None and high is not None and 0 < low < 0.12 < high


def test_what_is_measured_in_pixels_is_not_judged() -> None:
    protocol = Protocol("plain")
    protocol.metrics = (Metric(name="far", label="distance", unit="px"),)
    far = [
        PairedSample(f"{i}", (("split", "x"),), Seen({"far": 1.0}, GOOD), Seen({"far": 9.0 + i}, GOOD))
        for i in range(30)
    ]
    with pytest.raises(SnellenError, match="no score in points"):
        judged(far, protocol=protocol)
    mixed = judged([b._replace(part=(("split", "y"),)) for b in far] + part(1, 0, 30), protocol=protocol)
    assert mixed.passed and mixed.notes[0] == "y is not judged: distance is in px, not in points."


def test_it_says_what_so_few_samples_could_not_show() -> None:
    (note,) = judged(part(25, 25, 500)).notes
    assert (
        note.startswith("500 samples show drops of 3.6 points or more")
        and "could not have been seen: it takes about" in note
    )
    assert not judged(part(10, 10, 9000)).notes, "nine thousand show it"
    assert not judged(part(5, 60, 500)).notes, "a clear gain leaves no drop to be seen"
    (note,) = judged(part(2, 2, 6)).notes
    assert note == "This gate could hardly fail: on 6 samples a drop shows only where nearly all of them fall."


def clustered(lost: int, n: int, images: int, name: str = "x") -> list[PairedSample]:
    """Questions on so few images, of which the first ones are lost."""
    return made([GOOD] * n, [BAD] * lost + [GOOD] * (n - lost), [f"{i % images}.png" for i in range(n)], name)


def test_few_images_can_show_nothing_so_nothing_is_judged() -> None:
    """Every question on one image goes one way in the worst case: 2 ** -4 is more than one in twenty."""
    with pytest.raises(SnellenError) as error:
        judged(clustered(146, 200, 3))
    assert error.value.exit_code == 2 and str(error.value) == (
        "nothing can be judged by 3 images: no drop on so few could be told from chance, however large (n 200 on 3 images); "
        "it takes at least 5 images"
    )
    found = judged(clustered(146, 200, 5))
    assert not found.passed and "n = 200 on 5 images" in found.said and found.checks[0].shows is None
    assert judged(clustered(146, 200, 8)).checks[0].shows is not None
    with pytest.raises(SnellenError, match="at least 5 samples"):
        judged(part(4, 0, 4))


def test_a_part_on_few_images_is_not_judged_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    found = judged([*clustered(30, 30, 3, "few"), *part(0, 2, 500, "many")], max_drop=0.2)
    few = next(check for check in found.checks if check.part == "few")
    assert found.passed and not few.judged and few.shows is None and "few" not in found.said
    assert found.said.endswith("both checks passed")
    assert found.notes[0] == "Not judged, as no drop on so few could be told from chance: few (3 images)."
    (skipped,) = parsed(junit(found)).iter("skipped")
    assert skipped.get("message") == "3 images: too few to judge"
    print_gate(found)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("few ")]
    assert "30 on 3 images" in line and line.endswith("not judged")


def test_names_are_not_broken_on_a_narrow_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "64")
    every = part(5, 60, 500, "P3_box_img_part") + part(60, 5, 500, "O3_box_img_part")
    print_gate(judged(every))
    compared = compared_tables(compared_pair(every))[0]
    show(compared.view, compared.view.without(*compared.optional))
    lines = capsys.readouterr().out.splitlines()
    assert [sum(line.startswith(name) for line in lines) for name in ("P3_box_img_part ", "O3_box_img_part ")] == [2, 2]
    ends = [line.split()[-1] for line in lines if line.startswith("O3_box_img_part ")]
    assert max(map(len, lines)) <= 64 and ends == ["FAIL", "<0.0001"], "columns go, and none is cut"


def test_the_drop_that_is_said_to_show_fails_four_times_in_five() -> None:
    shows = judged(part(40, 40, 500)).checks[0].shows
    assert shows is not None
    dice = np.random.default_rng(2)
    chances = [0.08 - shows / 2, 0.08 + shows / 2, 0.84]
    found = [judged(part(lost, won, 500)).passed for won, lost, _ in dice.multinomial(500, chances, 400)]
    assert 0.74 <= 1 - np.mean(found) <= 0.86


# ---------------------------------------------------------------- runs


def old(i: int, sample: Sample) -> str:
    return right(sample) if i % 5 else wrong(sample)


def noisy(i: int, sample: Sample) -> str:
    """As good as the old one, on other samples: 12 of 120 are lost and 12 won."""
    return right(sample) if (i % 5 and i % 10 != 3) or i % 10 == 5 else wrong(sample)


def poor(i: int, sample: Sample) -> str:
    return right(sample) if i % 5 > 1 else chatty(right(sample)) if i % 2 else wrong(sample)


def test_the_command_passes_noise_and_fails_a_drop(subject: Runs, tmp_path: Path) -> None:
    base, again, worse_one = subject("old", old), subject("again", noisy), subject("poor", poor)
    done = command("gate", again, "--baseline", base, cache=tmp_path, COLUMNS="80", GITHUB_STEP_SUMMARY="")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "PASS: P3 " in done.stdout and lines[0] == "salbench · 120 common samples · SYNTHETIC"
    assert max(map(len, lines[3:])) <= 80 and len(lines) < 20  # above are the folders
    job = tmp_path / "job.md"
    job.write_text("before\n")
    words = ("gate", worse_one, "--baseline", base, "--junit", tmp_path / "gate.xml")
    done = command(*words, cache=tmp_path, COLUMNS="80", GITHUB_STEP_SUMMARY=str(job))
    assert done.returncode == 1 and "snellen compare" in done.stdout
    last = " ".join(done.stdout.partition("--flips 5\n")[2].split())
    assert (
        last.startswith("FAIL: P3 dropped by 20.0 points [") and "of which 10.0 are questions without an answer" in last
    )
    assert job.read_text(encoding="utf-8").startswith("before\n### Snellen gate: FAILED · salbench · SYNTHETIC\n")
    suite = parsed((tmp_path / "gate.xml").read_bytes()).find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("failures")) == ("1", "1")
    robust = command("gate", worse_one, "--baseline", base, "--protocol", "paper,robust", "--json", cache=tmp_path)
    document = json.loads(robust.stdout)
    assert [(c["protocol"], c["failed"]) for c in document["checks"]] == [("paper", True), ("robust", False)]
    assert robust.returncode == 1 and document["passed"] is False and document["max_drop"] == 0.02


def test_from_python(subject: Runs) -> None:
    found = snellen.gate(subject("again", noisy), subject("old", old), max_drop=0.01)
    assert found.passed and found.checks[0].n == 120 and found.max_drop == 0.01


def test_a_baseline_needs_no_exports_and_no_other_marks(subject: Runs, tmp_path: Path) -> None:
    """What docs/gate.md says is enough to keep."""
    base, again = subject("old", old), subject("again", noisy)
    kept = tmp_path / "kept"
    for name in ("run.json", "samples.jsonl", "answers.jsonl", "summary.json", "marks/paper.jsonl"):
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(base / name, kept / name)
    assert snellen.gate(again, kept).checks == snellen.gate(again, base).checks


# ---------------------------------------------------------------- refused


def refused(run: Path, baseline: Path, **how: object) -> str:
    with pytest.raises(SnellenError) as error:
        snellen.gate(run, baseline, **how)  # type: ignore[arg-type]
    assert error.value.exit_code == 2 and "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def two(subject: Runs) -> tuple[Path, Path]:
    return subject("again", noisy), subject("old", old)


def test_a_run_that_is_not_finished(two: tuple[Path, Path]) -> None:
    rewrite(two[0], summary={"complete": False})
    assert "is not finished" in refused(*two) and "is not finished" in refused(*reversed(two))


def test_a_run_that_mostly_says_nothing(subject: Runs, tmp_path: Path) -> None:
    with pytest.warns(UserWarning):
        silent = subject("silent", lambda i, s: "" if i % 3 else right(s))
    assert "gave no answer to 80 of 120 questions in P3" in refused(silent, subject("old", old))


def test_marks_that_were_edited_and_answers_that_are_not_marked(two: tuple[Path, Path]) -> None:
    marks = two[0] / "marks" / "paper.jsonl"
    marks.write_text(marks.read_text().replace('"wrong"', '"correct"', 5))
    assert "do not give its summary: one was changed" in refused(*two)
    with (two[1] / "answers.jsonl").open("ab") as file:
        file.write(b"\n")
    assert "has answers that are not marked yet" in refused(*two)


def test_a_protocol_of_another_version_is_never_left_out(two: tuple[Path, Path]) -> None:
    folder = snellen.open_run(two[0]).summary
    newer = [e.__class__(**{f: getattr(e, f) for f in e.__struct_fields__} | {"version": "99"}) for e in folder.marked]
    rewrite(two[0], summary={"marked": (newer[0], *folder.marked[1:])})
    assert "its versions differ" in refused(*two)
    assert "its versions differ" in refused(*two, protocols=["paper", "robust"])
    assert snellen.gate(*two, protocols=["robust"]).passed


def test_other_data_and_wrong_names(two: tuple[Path, Path], subject: Runs, tmp_path: Path) -> None:
    other = subject("real", old, data=write_set(tmp_path / "real", 40, ("P3",)))
    assert "on synthetic data" in refused(two[0], other)
    assert "is named twice" in refused(two[0], two[0])
    done = command("gate", two[0], "--baseline", two[1].parent, cache=tmp_path)
    assert done.returncode == 2 and "is a folder of runs, not a run" in done.stderr
    done = command("gate", two[0], "--baseline", two[1], "--junit", tmp_path / "no" / "where.xml", cache=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("snellen: cannot write") and done.stderr.count("\n") == 1


# ---------------------------------------------------------------- hostile text

HOSTILE = "a\x1b[31m\x00<script>alert(1)</script>|x|\n]]>&\ufffe\ud800 `![x](https://y)`"


def test_hostile_names_are_inert_in_xml_and_markdown() -> None:
    found = judged(part(90, 0, 300, HOSTILE))
    hostile = found.__class__(
        **{f: getattr(found, f) for f in found.__struct_fields__} | {"subject": HOSTILE, "notes": (HOSTILE,)}
    )
    root = parsed(junit(hostile))
    case = root.find("testsuite/testcase")
    assert case is not None and "<script>" in case.get("name", "") and case.find("failure") is not None
    said = {p.get("name"): p.get("value", "") for p in root.iter("property")}
    assert said["subject"].startswith("a\\x1b[31m\\x00<script>")
    text = summary(hostile)
    assert "<script>" not in text and "](" not in text and "\x1b" not in text and text.count("\n### ") == 0
    (row,) = [line for line in text.splitlines() if line.startswith("| a")]
    assert row.count(" | ") == 7, "no cell more"


def test_a_low_score_that_noise_halves_passes() -> None:
    """A noisy model has 8 of 40 right and the next time 3: no reason to stop a build, neither on 40 samples nor on 10 images."""
    for images in (40, 10):
        sides = [GOOD] * 8 + [BAD] * 32, [GOOD] + [BAD] * 7 + [GOOD] * 2 + [BAD] * 30
        assert judged(made(*sides, [f"{i % images}.png" for i in range(40)])).passed, images


def test_one_sided_is_half_of_two_sided() -> None:
    (row,) = rows(PairedTest(PLAIN, "plain", "question", "A", "B"), part(30, 10, 200))
    assert worse(row) == row.p / 2 < ALARM
