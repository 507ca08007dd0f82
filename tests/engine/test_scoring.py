"""Evidence: what is scored once stays, what has changed is scored again, and the command decides which scorer is the main one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.sets import png

from snellen.core.results import Score
from snellen.core.scorer import EmbeddedTexts
from snellen.engine.mark import scoring
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.remark import remark
from snellen.engine.run import FinishedRun, run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.run import open_run

COUNT = 40


class Fake:
    """A scorer that counts. Captions are numbers of pictures; `blind` finds none of them."""

    def __init__(self, name: str, version: str = "1", *, blind: bool = False, only: int | None = None) -> None:
        self.name, self.blind, self.only = name, blind, only
        self.identity: Mapping[str, Any] = {"checkpoint": name, "version": version, "padding": "none"}
        self.pictures = 0

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        signs = [1.0 if self.blind == (t.split()[0] == "odd") else -1.0 for t in texts]
        return EmbeddedTexts([(sign, 0.0) for sign in signs], [False] * len(texts))

    def images(self, images: Sequence[bytes]) -> list[tuple[float, float]]:
        if self.only is not None and self.pictures >= self.only:
            raise KeyboardInterrupt
        self.pictures += len(images)
        return [(-1.0 if ODD[i] else 1.0, 0.0) for i in images]


ODD = {png(n): bool(n % 2) for n in range(2 * COUNT + 2)}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Pairs of an even and an odd picture, with captions that say so."""
    images = tmp_path / "set" / "images"
    images.mkdir(parents=True)
    for n in range(2 * COUNT):
        (images / f"{n}.png").write_bytes(png(n))
    pairs = {str(i): {"left": f"images/{2 * i}.png", "right": f"images/{2 * i + 1}.png"} for i in range(COUNT)}
    (tmp_path / "set" / "dataset.json").write_text(json.dumps(pairs))
    captions = {str(i): {"left": f"even {i}", "right": f"odd {i}"} for i in range(COUNT)}
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    return tmp_path


def plan_of(home: Path, *scorers: Fake) -> Plan:
    request = RunRequest("d3", f"replay/{home / 'captions.json'}", home / "set", out=home / "runs")
    return make_plan(request, offline=True)._replace(scorers=scorers)


def run(home: Path, *scorers: Fake) -> FinishedRun:
    return run_plan(plan_of(home, *scorers))


def metric(finished: FinishedRun, name: str = "both") -> Score:
    return finished.run.protocols[0].groups[0].metrics[name]


def names(finished: FinishedRun) -> list[str]:
    return [s.name for s in finished.run.summary.scorers]


def test_the_command_decides_the_main_scorer_whatever_ran_before(home: Path) -> None:
    sharp, blind = Fake("sharp"), Fake("blind", blind=True)
    assert metric(run(home, sharp)).value == 1.0
    second = run(home, blind)
    assert (metric(second).value, names(second)) == (0.0, ["blind", "sharp"])
    assert metric(second, "both.sharp").value == 1.0
    back = run(home, sharp)
    assert (metric(back).value, names(back)) == (1.0, ["sharp", "blind"])
    assert (sharp.pictures, blind.pictures) == (2 * COUNT, 2 * COUNT), "nothing is scored twice"
    summary = (back.run.path / "summary.json").read_bytes()
    assert run(home, sharp).asked == 0
    assert (back.run.path / "summary.json").read_bytes() == summary


def test_a_scorer_with_other_weights_scores_again_under_the_same_name(home: Path) -> None:
    assert metric(run(home, Fake("s"))).value == 1.0
    changed = run(home, Fake("s", "2", blind=True))
    assert metric(changed).value == 0.0
    assert [s.identity["version"] for s in changed.run.summary.scorers] == ["2"]


def test_a_changed_picture_makes_another_run_in_which_all_are_scored(home: Path) -> None:
    run(home, Fake("s"))
    odd, even = home / "set" / "images" / "1.png", png(2 * COUNT)
    assert len(even) == odd.stat().st_size, "a change that its size does not tell"
    odd.write_bytes(even)
    again = Fake("s")
    found = run(home, again)
    assert again.pictures == 2 * COUNT
    assert metric(found).value == 1.0, "a tie is right under original"
    assert metric(found, "right").n == COUNT
    strict = next(p for p in found.run.protocols if p.protocol == "strict")
    assert strict.groups[0].metrics["both"].value == pytest.approx(1 - 1 / COUNT)


def test_scorers_whose_names_look_alike_have_files_of_their_own(home: Path) -> None:
    found = run(home, Fake("siglip:x-y"), Fake("siglip:x/y", blind=True))
    assert len(list((found.run.path / "evidence").iterdir())) == 2
    assert (metric(found).value, metric(found, "both.siglip:x/y").value) == (1.0, 0.0)


def test_a_torn_line_costs_its_own_pair_alone(home: Path) -> None:
    found = run(home, Fake("s"))
    path = scoring.path_of(RunFolder(found.run.path), found.run.manifest.scorers[0])
    path.write_bytes(path.read_bytes()[:-20])
    mended = Fake("s")
    assert metric(run(home, mended)).value == 1.0
    assert mended.pictures == 2
    assert len(scoring.read(RunFolder(found.run.path), found.run.manifest.scorers[0])) == COUNT
    last = Fake("s")
    run(home, last)
    assert last.pictures == 0


def test_scoring_goes_on_where_it_was_cut_and_what_is_missing_is_no_miss(home: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(home, Fake("main"), Fake("other", only=scoring.CHUNK))
    (path,) = (home / "runs").iterdir()
    remark(path)
    partial = open_run(path)
    group = partial.protocols[0].groups[0]
    assert (group.metrics["both"].value, group.metrics["both"].n) == (1.0, COUNT)
    assert (group.metrics["both.other"].value, group.metrics["both.other"].n) == (1.0, scoring.CHUNK)
    assert [s.unscored for s in partial.summary.scorers] == [0, COUNT - scoring.CHUNK]
    noted = run(home, Fake("third"))
    assert any(f"scorer other has not scored {COUNT - scoring.CHUNK}" in note for note in noted.notes)
    rest = Fake("other")
    whole = run(home, Fake("main"), rest)
    assert rest.pictures == 2 * (COUNT - scoring.CHUNK)
    assert metric(whole, "both.other").n == COUNT
    assert not any("not scored" in note for note in whole.notes)


def test_without_the_main_scorers_word_a_run_is_not_complete(home: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(home, Fake("main", only=scoring.CHUNK))
    (path,) = (home / "runs").iterdir()
    remark(path)
    summary = open_run(path).summary
    assert not summary.complete
    assert summary.protocols[0].groups[0].outcomes["error"] == COUNT - scoring.CHUNK


def test_replies_for_unknown_pairs_and_the_tiny_scorer_on_photographs_are_noted(home: Path) -> None:
    captions = json.loads((home / "captions.json").read_text())
    (home / "captions.json").write_text(json.dumps(captions | {"999": {"left_image": "even", "right_image": "odd"}}))
    notes = run(home, Fake("tiny-siglip")).notes
    assert any("1 recorded replies are for samples that are not in the data set, such as d3/999" in n for n in notes)
    assert any("scores on photographs mean nothing" in n for n in notes)
