"""The files of a run: captions, recalls by pair (as pickle and JSON), the printed score, and the table."""

from __future__ import annotations

import csv
import io
import json
import pickle
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import CaptionScoring, Exports, ReplayFormat, RunFacts, rows_of
from snellen.core.protocol import ReplyContext
from snellen.core.records import DataEntry, Manifest, ScorerEntry, SubjectEntry, Totals
from snellen.core.scorer import Similarities
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.exams.d3.exam import EXAM as BENCHMARK
from snellen.exams.d3.exports import file_name
from snellen.exams.d3.names import set_names
from snellen.exams.d3.prompts import probe
from snellen.exams.d3.rows import evidence_from_row, sample_from_row
from snellen.stats.tally import summarised

Record = tuple[Sample, Answer, Mark]


def record(uid: str, matrix: list[list[float]] | None, kind: str = "count") -> Record:
    protocol = BENCHMARK.protocols["original"]
    sample = sample_from_row({"id": uid, "kind": kind})
    if matrix is None:
        mark = Mark(id=sample.id, outcome=Outcome.UNPARSABLE, metrics=protocol.blank(sample))
        return sample, Answer(id=sample.id, prompt="pair", text="no idea"), mark
    reply = json.dumps({"left_image": f"left of {uid}", "right_image": f"right of {uid}"})
    evidence = [Similarities("s", matrix, [False, False])]
    verdict = protocol.judge(reply, sample, ReplyContext(evidence=evidence))
    outcome = Outcome.CORRECT if verdict.correct else Outcome.WRONG
    mark = Mark(id=sample.id, outcome=outcome, reading=verdict.reading, metrics=verdict.metrics)
    return sample, Answer(id=sample.id, prompt="pair", text=reply), mark


def facts(records: list[Record], prompt: str = "pair", spec: str = "api/m", synthetic: bool = False) -> RunFacts:
    protocol = BENCHMARK.protocols["original"]

    def stream() -> Iterator[Record]:
        return iter(records)

    groups = summarised(protocol, ((s, m) for s, _a, m in records))
    data = DataEntry(
        source="set",
        fingerprint="0",
        samples=len(records),
        synthetic=synthetic,
        origin={"generator": "d3"} if synthetic else {},
    )
    manifest = Manifest(snellen="0", created="", exam="d3", subject=SubjectEntry(spec=spec), data=data)
    return RunFacts(manifest, protocol, prompt, groups, Totals(), stream)


RIGHT, LEFT_ONLY = [[0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [0.5, 0.2]]
RECORDS = [record("0", RIGHT), record("7", LEFT_ONLY), record("x", None, "state")]


def test_every_file_of_a_run() -> None:
    files = dict(of(BENCHMARK, Exports).files(facts(RECORDS)))
    assert set(files) == {"recalls.csv", "captions/api-m.json", "uid2acc/api-m.pkl", "uid2acc/api-m.json", "score.txt"}
    hits = {"0": [1.0, 1.0], "7": [1.0, 0.0], "x": [0.0, 0.0]}
    assert json.loads(files["uid2acc/api-m.json"]) == hits
    assert pickle.loads(files["uid2acc/api-m.pkl"]) == hits  # noqa: S301 (our own bytes, in this test only)
    assert json.loads(files["captions/api-m.json"]) == {
        "0": {"left": "left of 0", "right": "right of 0"},
        "7": {"left": "left of 7", "right": "right of 7"},
    }
    assert files["score.txt"] == b"| Scores : 33.33%\n"


def test_the_table_names_the_scorer_and_its_padding() -> None:
    run = facts(RECORDS)
    entries = tuple(ScorerEntry(name=n, identity={"padding": p}) for n, p in (("a", "none"), ("b.1", "full")))
    metrics = run.groups[0].metrics | {"both.b.1": run.groups[0].metrics["both"]}
    group = msgspec.structs.replace(run.groups[0], metrics=metrics)
    told = run._replace(manifest=msgspec.structs.replace(run.manifest, scorers=entries), groups=(group,))
    rows = csv.DictReader(io.StringIO(dict(of(BENCHMARK, Exports).files(told))["recalls.csv"].decode()))
    scorers = {row["metric"]: row["scorer"] for row in rows}
    assert (scorers["both"], scorers["both.b.1"]) == ("a (padding: none)", "b.1 (padding: full)")


def test_what_no_scorer_tells_apart_is_listed_where_there_are_several() -> None:
    def also(one: Record, both: float) -> Record:
        sample, answer, mark = one
        return sample, answer, msgspec.structs.replace(mark, metrics=mark.metrics | {"both.other": both})

    records = [also(RECORDS[0], 0.0), also(RECORDS[1], 0.0), RECORDS[2]]
    assert json.loads(dict(of(BENCHMARK, Exports).files(facts(records)))["no_scorer.json"]) == ["7"]
    assert "no_scorer.json" not in dict(of(BENCHMARK, Exports).files(facts(RECORDS)))


def test_the_originals_line_is_of_pairs_alone() -> None:
    three = probe(set_names(3))
    mark = Mark(id=three.id, outcome=Outcome.UNPARSABLE, metrics=BENCHMARK.protocols["original"].blank(three))
    one = (three, Answer(id=three.id, prompt="pair"), mark)
    assert "score.txt" not in dict(of(BENCHMARK, Exports).files(facts([one])))
    assert dict(of(BENCHMARK, Exports).files(facts([one, *RECORDS])))["score.txt"] == b"| Scores : 33.33%\n"


def test_the_same_run_gives_the_same_bytes() -> None:
    again = [record("0", RIGHT), record("7", LEFT_ONLY), record("x", None, "state")]
    assert dict(of(BENCHMARK, Exports).files(facts(RECORDS))) == dict(of(BENCHMARK, Exports).files(facts(again)))


def test_captions_that_a_run_wrote_are_replies_for_the_next() -> None:
    files = dict(of(BENCHMARK, Exports).files(facts(RECORDS)))
    found = of(BENCHMARK, ReplayFormat).read(json.loads(files["captions/api-m.json"]))
    assert found is not None
    assert of(BENCHMARK, CaptionScoring).captions(next(iter(found)).text, RECORDS[0][0]) == ("left of 0", "right of 0")


def test_an_arm_with_the_other_order_is_written_in_the_data_sets_order() -> None:
    files = dict(of(BENCHMARK, Exports).files(facts(RECORDS[:2], prompt="pair+swapped")))
    assert json.loads(files["captions/api-m.json"])["0"] == {"left": "right of 0", "right": "left of 0"}
    assert json.loads(files["uid2acc/api-m.json"])["7"] == [0.0, 1.0]


def test_sets_have_a_recall_for_each_image() -> None:
    sample = probe(set_names(3))
    protocol = BENCHMARK.protocols["original"]
    evidence = [Similarities("s", [[9, 0, 0], [0, 9, 0], [9, 0, 0]])]
    verdict = protocol.judge('{"image1": "a", "image2": "b", "image3": "c"}', sample, ReplyContext(evidence=evidence))
    mark = Mark(id=sample.id, outcome=Outcome.WRONG, reading=verdict.reading, metrics=verdict.metrics)
    files = dict(of(BENCHMARK, Exports).files(facts([(sample, Answer(id=sample.id, prompt="pair"), mark)])))
    assert json.loads(files["uid2acc/api-m.json"]) == {"probe-3": [1.0, 1.0, 0.0]}
    assert json.loads(files["captions/api-m.json"]) == {"probe-3": {"image1": "a", "image2": "b", "image3": "c"}}


def test_further_protocols_have_a_table_only() -> None:
    assert [name for name, _content in of(BENCHMARK, Exports).files(facts(RECORDS)._replace(records=None))] == [
        "recalls.csv"
    ]


def test_the_table_has_every_group_and_metric_with_chance_and_says_that_data_are_synthetic() -> None:
    files = dict(of(BENCHMARK, Exports).files(facts(RECORDS, spec="=cmd()", synthetic=True)))
    assert all("synthetic" in name or b"synthetic" in content for name, content in files.items())
    rows = list(csv.DictReader(io.StringIO(files["recalls.csv"].decode())))
    both = {r["kind"]: r for r in rows if r["metric"] == "both"}
    assert set(both) == {"", "count", "state"}
    assert (both[""]["value"], both[""]["floor"], both[""]["n"], both[""]["unit"]) == ("33.33", "25.0", "3", "percent")
    assert both["count"]["value"] == "50.0"
    assert both[""]["model"] == "'=cmd() (snellen-synthetic data)"
    margin = next(r for r in rows if r["metric"] == "margin" and r["kind"] == "")
    assert (margin["unit"], margin["value"]) == ("cosine", str(round((0.8 + (0.8 - 0.3) / 2) / 2, 6)))


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("replay/captions/mllm_preds.v2.json", "mllm_preds"),
        ("hf/llava-hf/llava-1.5-7b-hf", "hf-llava-hf-llava-1.5-7b-hf"),
        ("replay/../../.hidden", "captions"),
        ("baseline/constant:../../x", "baseline-constant-..-..-x"),
    ],
)
def test_file_names_stay_in_their_folder(spec: str, name: str) -> None:
    assert file_name(spec) == name
    assert "/" not in file_name(spec)


# ---------------------------------------------------------------- rows of `snellen mark`


def test_a_row_is_a_sample_and_evidence() -> None:
    row = {
        "id": 7,
        "response": "...",
        "similarities": [[1, 0.5], [0.5, 2]],
        "kind": "count",
        "truncated": [True, False],
    }
    sample, evidence = rows_of(BENCHMARK).sample(row), rows_of(BENCHMARK).evidence(row)
    assert (sample.id, sample.truth, sample.tags) == (
        "d3/7",
        {"uid": "7"},
        {"split": "all", "task": "pair", "kind": "count"},
    )
    assert evidence == (Similarities("given", ((1.0, 0.5), (0.5, 2.0)), (True, False)),)
    assert evidence_from_row({"id": 7, "response": ""}) is None
    three = sample_from_row({"id": 1, "similarities": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]})
    assert three.tags["task"] == "set of 3"
    assert sample_from_row({"id": 1, "images": 4}).tags["task"] == "set of 4"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({}, 'field "id" is missing'),
        ({"id": 1, "similarities": [[1, 2]]}, "must be a square of 2 to 16 rows"),
        ({"id": 1, "similarities": [[1, 2], [3]]}, "must be a square"),
        ({"id": 1, "similarities": [[1, 2], [3, "x"]]}, "Expected `float`, got `str` - at `$.similarities[1][1]`"),
        ({"id": 1, "similarities": [[1, float("nan")], [3, 4]]}, "finite numbers"),
        ({"id": 1, "similarities": [[1, 10**400], [3, 4]]}, "Number out of range"),
        ({"id": 1, "similarities": [[True, 2], [3, 4]]}, "Expected `float`, got `bool`"),
        ({"id": 1, "similarities": "[[1, 2], [3, 4]]"}, "Expected `array"),
        ({"id": 1, "images": 1}, "Expected `int` >= 2 - at `$.images`"),
        ({"id": 1, "kind": 4}, "Expected `str | null`, got `int` - at `$.kind`"),
        ({"id": 1, "similarities": [[1, 2], [3, 4]], "truncated": [True]}, 'field "truncated"'),
    ],
)
def test_what_is_wrong_with_a_row_is_said(row: dict[str, Any], words: str) -> None:
    with pytest.raises(SnellenError) as caught:
        sample_from_row(row)
        evidence_from_row(row)
    assert words in str(caught.value)
