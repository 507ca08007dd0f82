"""BLEU, ROUGE-L, CIDEr, METEOR, AUROC, entropies and the entropy curve have intervals."""

from __future__ import annotations

from random import Random
from statistics import NormalDist

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from snellen.core.extras import rows_of
from snellen.core.outcomes import mark_reply
from snellen.core.results import GroupSummary
from snellen.core.types import Token
from snellen.exams.vqa_nle.exam import ESNLIVE
from snellen.stats import calibration, nlg
from snellen.stats.nlg import extras, score
from snellen.stats.tally import summarised

WORDS = [
    "a",
    "man",
    "dog",
    "runs",
    "red",
    "the",
    "on",
    "grass",
    "with",
    "ball",
    "holds",
    "kite",
    "two",
    "people",
    "sky",
    "blue",
    "near",
    "tree",
]


def sentences(random: Random, count: int) -> list[str]:
    return [" ".join(random.choice(WORDS) for _ in range(random.randint(3, 12))) for _ in range(count)]


def summary(count: int, per_image: int = 1) -> GroupSummary:
    random = Random(3)
    marked = []
    for i in range(count):
        truth = random.choice(("entailment", "neutral", "contradiction"))
        row = {"id": i, "split": "val", "label": truth, "explanation": sentences(random, 1)[0]}
        sample = rows_of(ESNLIVE).sample(row)
        sample.facts["image_name"] = f"{i // per_image}.jpg"
        said = truth if random.random() < 0.6 else "neutral"
        reply = f"{said} because {row['explanation'] if random.random() < 0.3 else sentences(random, 1)[0]}"
        tokens = tuple(
            Token(text=f"{w} ", logprob=0.0, entropy=random.random() * (1 + (said != truth))) for w in reply.split()
        )
        marked.append((sample, mark_reply(ESNLIVE.protocols["strict"], sample, reply, tokens=tokens)))
    return summarised(ESNLIVE.protocols["strict"], marked)[0]


def test_every_number_of_the_exams_with_explanations_has_an_interval() -> None:
    found = summary(80).metrics
    assert {"bleu1_unfiltered", "bleu4_filtered", "rouge_l_filtered", "cider_unfiltered"} <= set(found)
    assert {"answer_entropy_mean", "answer_entropy_mean_auroc", "explanation_entropy_max_auroc"} <= set(found)
    for name, one in found.items():
        assert one.value is not None and one.low is not None and one.high is not None and one.interval, name
        assert one.low <= one.value <= one.high, name


def test_explanations_of_one_image_stand_or_fall_together() -> None:
    random = Random(5)
    said = [text for text in sentences(random, 30) for _ in range(6)]  # six times the same for each image
    true = [
        [text if i % 2 else "nothing of the kind"] for i, text in enumerate(sentences(Random(5), 30)) for _ in range(6)
    ]
    images = [str(i // 6) for i in range(180)]
    alone, clustered = (nlg.with_intervals(said, true, names) for names in (list(map(str, range(180))), images))
    for name, one in clustered.items():
        other = alone[name]
        assert one.value == other.value
        assert one.interval is not None and other.interval is not None
        wider = (one.interval.high - one.interval.low) / (other.interval.high - other.interval.low)
        assert 1.8 < wider < 3.6, name  # the square root of six is 2.4


def test_values_are_those_without_intervals() -> None:
    random = Random(1)
    said, true = sentences(random, 40), [sentences(random, 3) for _ in range(40)]
    found = nlg.with_intervals(said, true, [str(i) for i in range(40)])
    assert {name: one.value for name, one in found.items()} == pytest.approx(score(said, true))


def test_bleus_interval_is_that_of_leaving_each_sample_out() -> None:
    random = Random(2)
    said, true = sentences(random, 100), [sentences(random, 2) for _ in range(100)]
    found = nlg.with_intervals(said, true, [str(i) for i in range(100)])["BLEU-1"].interval
    whole = score(said, true)["BLEU-1"]
    without = [score(said[:i] + said[i + 1 :], true[:i] + true[i + 1 :])["BLEU-1"] for i in range(100)]
    error = (99 / 100 * sum((v - whole) ** 2 for v in without)) ** 0.5
    assert found is not None
    assert 1.0 < (found.high - found.low) / (2 * 1.984 * error) < 1.3  # never narrower than Student's t


def test_aurocs_value_is_scikit_learns_and_its_spread_delongs() -> None:
    random = Random(4)
    right = [random.random() < 0.4 for _ in range(300)]
    scores = [round(random.gauss(0.7 * r, 1.0), 1) for r in right]  # with ties
    value = calibration.auroc(scores, right)
    assert value == pytest.approx(roc_auc_score(right, scores))
    first, second = ([s for s, r in zip(scores, right, strict=True) if r is kind] for kind in (True, False))
    wins = np.array([[(a > b) + 0.5 * (a == b) for b in second] for a in first])
    error = float(np.sqrt(wins.mean(axis=1).var(ddof=1) / len(first) + wins.mean(axis=0).var(ddof=1) / len(second)))
    found = calibration.auroc_interval(scores, right, [str(i) for i in range(300)])
    assert found is not None and value is not None
    z = NormalDist().inv_cdf(0.975)
    assert (found.high - found.low) / (2 * z * error) == pytest.approx(1.0, abs=0.08)


def test_aurocs_interval_knows_images_and_keeps_its_doubt_at_the_end() -> None:
    random = Random(6)
    each = [(random.random() < 0.5, random.gauss(0, 1)) for _ in range(40)]
    right, scores = [r for r, _ in each for _ in range(5)], [s + r for r, s in each for _ in range(5)]
    names = [str(i) for i in range(40) for _ in range(5)]
    clustered, alone = (
        calibration.auroc_interval(scores, right, names),
        calibration.auroc_interval(scores, right, [""] * 200),
    )
    assert clustered is not None and alone is not None
    assert (clustered.high - clustered.low) / (alone.high - alone.low) > 1.7
    perfect = calibration.auroc_interval([0.0, 0.1, 1.0, 1.1], [0, 0, 1, 1], ["a", "b", "c", "d"])
    assert perfect is not None and perfect.high == 1.0 and perfect.low < 0.7
    assert calibration.auroc_interval([0.1, 0.2], [1, 1], ["a", "b"]) is None


def test_a_curves_bins_know_images() -> None:
    scores, right = [i / 60 for i in range(60)], [i // 6 % 2 == 0 for i in range(60)]
    alone = calibration.curve(scores, right, bins=2)
    together = calibration.curve(scores, right, bins=2, clusters=[str(i // 6) for i in range(60)])
    assert [b[:5] for b in alone] == [b[:5] for b in together]
    assert all(b.high - b.low > a.high - a.low for a, b in zip(alone, together, strict=True))


def test_meteors_interval_comes_from_the_programs_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in counts words in common and words, and scores their ratio: the real program sums its counts in the same way."""

    def program(lines: list[str]) -> list[str]:
        out = []
        for line in lines:
            kind, *parts = line.split(" ||| ")
            if kind == "SCORE":
                true, said = parts[0].split(), parts[-1].split()
                out.append(f"{sum(w in true for w in said)}.0 {len(said)}.0")
            else:
                table = [[float(x) for x in part.split()] for part in parts]
                out += [str(a / b) for a, b in table]
                out.append(str(sum(a for a, _ in table) / sum(b for _, b in table)))
        return out

    monkeypatch.setattr(extras, "_talk", program)
    random = Random(9)
    said, true = sentences(random, 50), [sentences(random, 1) for _ in range(50)]
    found = extras.meteor_with_interval(said, true, [str(i) for i in range(50)])
    counts = [[float(word) for word in line.split()] for line in extras._counts(said, true, str)]
    assert found.value == pytest.approx(sum(a for a, _ in counts) / sum(b for _, b in counts))
    assert found.interval is not None and found.value is not None
    assert found.interval.low < found.value < found.interval.high
    assert found.interval.high - found.interval.low < 0.3
    assert extras.meteor_with_interval(said[:2], true[:2], ["a", "a"]).interval is None
