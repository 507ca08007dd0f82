"""Summaries specific to SalBench: its groups, the scores of labels, and the scores of constant answers. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple, cast

from snellen.core.protocol import Group, Key
from snellen.core.results import CHANCE, Floor, Score
from snellen.core.types import Outcome
from snellen.exams.salbench.names import BY_NAME, labels_of
from snellen.exams.salbench.scoring import LabelRules, Labels
from snellen.stats.constants import ConstantScores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DIFFICULTIES = ("easy", "medium", "hard")
EPSILON = 1e-8


class _LabelPrediction(NamedTuple):
    """The part of a mark that a summary keeps beside its scores: the truth's text, and the predicted labels of the split."""

    truth: str
    predicted: tuple[str, ...]


@lru_cache(maxsize=16384)
def said(truth: str, split: str, reading: tuple[str, ...]) -> _LabelPrediction:
    """Return the truth and the predicted labels of the split."""
    labels = labels_of(split)
    return _LabelPrediction(truth, tuple([x for x in reading if x in labels]))


def groups(tags: Mapping[str, str], truth: Labels) -> tuple[Key, ...]:
    """Return the groups of a sample: its config, then its difficulty and categories."""
    whole = ("config", tags["config"])
    within = [("difficulty", tags["difficulty"])] if tags.get("difficulty") else []
    within += [("category", label) for label in labels_of(tags["split"]) if label in truth]
    return ((whole,), *((whole, one) for one in within))


def order(key: Key) -> tuple[int, int, int, str]:
    """Return the sort key of a group: configs, difficulties and categories in their own order, other difficulties after the usual ones."""
    (_, config), *rest = key
    name, value = rest[0] if rest else ("", "")
    among = {"difficulty": DIFFICULTIES, "category": labels_of(BY_NAME[config].split)}.get(name, ())
    place = among.index(value) if value in among else len(among)
    return list(BY_NAME).index(config), ("", "difficulty", "category").index(name), place, value


def label_scores(group: Group, rules: LabelRules) -> dict[str, Score]:
    """Return macro scores over labels and the scores of each label, with intervals from leaving out each sample."""
    import numpy as np

    from snellen.stats.jackknife import moved_interval
    from snellen.stats.means import score

    split = BY_NAME[group.by["config"]].split
    labels = rules.macro_labels(split)
    merged: Counter[tuple[_LabelPrediction, bool]] = Counter()
    for seen, count in group.rows():
        merged[cast(_LabelPrediction, seen.own), rules.errors_in_categories or seen.outcome is not Outcome.ERROR] += (
            count
        )
    rows = sorted(merged)
    counted = np.array([[counts] for _said, counts in rows])
    truth = np.array([[c in rules.true(said.truth, split) for c in labels] for said, _counts in rows]) & counted
    predicted = np.array([[c in said.predicted for c in labels] for said, _counts in rows]) & counted
    times = np.array([merged[row] for row in rows], dtype=np.float64)
    cells = [cell.astype(np.float64) for cell in (truth & predicted, ~truth & predicted, truth & ~predicted)]
    sums = [times @ cell for cell in cells]
    there = (times @ truth > 0) | rules.all_labels
    whole = _by_label([s[None, :] for s in sums], labels, there[None, :])
    left = (times @ truth - truth > 0) | rules.all_labels  # without its only sample, a label is not there
    without = _by_label([s - cell for s, cell in zip(sums, cells, strict=True)], labels, left)
    made_of = _made_of(times @ truth, times @ predicted, labels, there)
    return {
        name: score(
            float(value[0]), group.n, moved_interval(float(value[0]), without[name], made_of[name], times=times)
        )
        for name, value in whole.items()
    }


def other_scores(group: Group, rules: LabelRules) -> dict[str, float]:
    """Return two other scores that are called F1 of labels: of the summed counts, and of the macro precision and recall."""
    import numpy as np

    split = BY_NAME[group.by["config"]].split
    labels = rules.macro_labels(split)
    counts = np.zeros((3, len(labels)))
    for seen, count in group.rows():
        one = cast(_LabelPrediction, seen.own)
        truth, said = (np.array([c in some for c in labels]) for some in (rules.true(one.truth, split), one.predicted))
        counts += count * np.stack([truth & said, ~truth & said, truth & ~said])
    there = counts[0] + counts[2] > 0
    if not there.any():
        return {}
    hit, false, missed = counts.sum(axis=1).tolist()
    by_label = _category_scores(*counts)
    precision, recall = (float(by_label[name][there].mean()) for name in ("precision", "recall"))
    return {
        "micro F1": 2 * hit / (2 * hit + false + missed),
        "F1 of macro precision and recall": 2 * precision * recall / (precision + recall)
        if precision + recall
        else 0.0,
    }


def _made_of(truths: Floats, predicted: Floats, labels: tuple[str, ...], there: NDArray[np.bool_]) -> dict[str, float]:
    """Return the number of right-or-wrong samples behind each score: those with the label; for macro scores, the equivalent number.

    A macro score with one rare label is as uncertain as that label's score, divided by the number of labels.
    """
    found: dict[str, float] = {}
    for name, counts in (("f1", truths), ("precision", predicted), ("recall", truths)):
        each = counts.clip(min=1.0)
        found |= {f"{name}.{label}": float(each[i]) for i, label in enumerate(labels)}
        found[f"macro_{name}"] = float(there.sum() ** 2 / (1 / each[there]).sum()) if there.any() else 1.0
    return found


def _by_label(counts: Sequence[Floats], labels: tuple[str, ...], there: NDArray[np.bool_]) -> dict[str, Floats]:
    """Return the scores of labels from their true positives, false positives and false negatives, with a row for each case.

    Macro scores are over the labels that are there, 0 if none is.
    """
    tables = _category_scores(*counts)
    some = there.sum(axis=1).clip(min=1)
    macro = {f"macro_{name}": (table * there).sum(axis=1) / some for name, table in tables.items()}
    return macro | {f"{name}.{label}": table[:, i] for i, label in enumerate(labels) for name, table in tables.items()}


def _category_scores(tp: Floats, fp: Floats, fn: Floats) -> dict[str, Floats]:
    """Return precision, recall and F1 of each label from summed counts, with lmms-eval's 1e-8."""
    precision = tp / (tp + fp + EPSILON)
    recall = tp / (tp + fn + EPSILON)
    return {"f1": 2 * precision * recall / (precision + recall + EPSILON), "precision": precision, "recall": recall}


def floors(group: Group, rules: LabelRules) -> dict[str, Floor]:
    """Return, for each metric, the best score of one constant answer, over all sets of the split's labels; P3's prompts allow only one
    label.

    A macro score penalises saying only one label more than drawing one at random: there chance is the floor. None is given within a
    category or if all truths are the same, because a constant is trivially right. Nor is one given for recalls, which are full if the
    answer is every label. Nor for a label that all samples have, or none has.
    """
    import numpy as np

    if "category" in group.by:
        return {}
    split = BY_NAME[group.by["config"]].split
    labels = rules.macro_labels(split)
    truths: Counter[str] = Counter()
    for seen, count in group.rows():
        truths[cast(_LabelPrediction, seen.own).truth] += count
    if len({rules.true(text, split) for text in truths}) < 2:
        return {}
    weights = np.array([list(truths.values())], dtype=np.float64)
    truth = np.array([[c in rules.true(text, split) for c in labels] for text in truths])
    there = (weights @ truth > 0) | rules.all_labels
    every = labels_of(split)
    sets = chain.from_iterable(combinations(every, size) for size in range(1, len(every) + 1))  # small sets first
    answers = [(", ".join(answer), answer) for answer in sets]
    judged = [[rules.judge(reply, text, split).metrics for text in truths] for reply, _answer in answers]
    said = np.array([[c in answer for c in labels] for _reply, answer in answers])
    true, n = weights @ truth, weights.sum()
    by_label = _by_label([true * said, (n - true) * said, true * ~said], labels, there)
    scores = {
        name: np.array([(weights @ [one[name] for one in row])[0] for row in judged]) / group.n for name in judged[0][0]
    }
    tried: dict[str, ConstantScores] = {}
    for name, values in (scores | by_label).items():
        tried[name] = ConstantScores()
        for (reply, answer), value in zip(answers, values.tolist(), strict=True):
            tried[name].add(value, reply, allowed=split == "O3" or len(answer) == 1)
    if split == "P3":
        drawn = _macro_of_chance(weights @ truth, float(weights.sum()), len(labels_of(split)), there)
        for name, value in drawn.items():
            tried[name].add(value, CHANCE)
    having = truth.sum(axis=0).tolist()
    given = {label for label, some in zip(labels, having, strict=True) if some in (0, len(truths))}
    return {
        name: one.floor for name, one in tried.items() if "recall" not in name and name.partition(".")[2] not in given
    }


def _macro_of_chance(true: Floats, n: float, drawn_from: int, there: NDArray[np.bool_]) -> dict[str, float]:
    """Return the macro scores of drawing one label at random for each of that many samples."""
    hit, false = true / drawn_from, (n - true) / drawn_from
    scores = _category_scores(hit, false, true - hit)
    return {f"macro_{name}": float(table[there].mean()) for name, table in scores.items()}
