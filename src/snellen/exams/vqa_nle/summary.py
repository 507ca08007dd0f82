"""Summaries specific to these exams: explanation quality filtered and unfiltered, entropy against truth, floors of free answers.

`stats.tally` computes means, intervals (clustered by image), bounds and outcomes. The caption metrics are corpus metrics; they and the
entropies are given for whole splits only. Pure functions; `protocols` passes in its marks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.protocol import Group, Key, Seen
from snellen.core.results import Floor, Metric, Score
from snellen.core.types import NON_ANSWERS, Outcome
from snellen.data.declared import declared
from snellen.exams.vqa_nle.entropy.spans import KINDS, metric_name
from snellen.exams.vqa_nle.explanation_floor import explanation_floors
from snellen.exams.vqa_nle.names import JOINT, LETTERS, RATIONALE, SPLITS
from snellen.stats.constants import SAME

ENTROPIES = tuple(metric_name(kind, bounded) for bounded in (False, True) for kind in KINDS)
CAPTION_NAMES = {f"BLEU-{n}": f"bleu{n}" for n in range(1, 5)}
CAPTION_NAMES |= {"ROUGE-L": "rouge_l", "CIDEr": "cider", "METEOR": "meteor"}
UNFILTERED, FILTERED = "unfiltered", "filtered"


Constants = frozenset[tuple[str, float]]
"""Answers with their scores."""


class JudgedExplanation(NamedTuple):
    """An explanation and the annotators' own, whether its sample was answered correctly (None: not marked), and its image."""

    said: str
    true: tuple[str, ...]
    right: bool | None
    image: str = ""


class MarkSummary(NamedTuple):
    """The parts of one mark that floors and own scores need, in a form that can be counted.

    `constants` are, for each metric, the answers that would have scored, with their scores. `pair` links VCR's answer and rationale if both
    are asked.
    """

    constants: tuple[tuple[str, Constants], ...] = ()
    told: JudgedExplanation | None = None
    pair: str = ""
    rationale: bool = False


def own(seen: Seen) -> MarkSummary:
    """Return the parts of a mark that `seen` keeps for these exams."""
    return cast(MarkSummary, seen.own)


# ---------------------------------------------------------------- the metrics

MAJORITY = "majority_accuracy"  # if a protocol's filter of explanations is narrower than its accuracy
METRICS = declared("snellen.exams.vqa_nle", "metrics.toml", dict[str, tuple[Metric, ...]])
LABELS = declared("snellen.exams.vqa_nle", "labels.toml", dict[str, dict[str, str]])
# VQA's own measure, and e-ViL's task score; the other protocols lead with the metric of their code
SOFT_FIRST = ("strict", "e-vil")


def headline(protocol: str, task: str) -> str:
    """Return the headline metric of a protocol in an exam: VQA's soft accuracy if the paper or tool behind it leads with that.

    >>> headline("e-vil", "vqax"), headline("e-vil", "vcr"), headline("nlxgpt", "vqax")
    ('soft_accuracy', 'accuracy', 'accuracy')
    """
    return "soft_accuracy" if task == "vqax" and protocol in SOFT_FIRST else "accuracy"


def metrics_of(protocol: str, task: str, *, explains: bool) -> tuple[Metric, ...]:
    """Return every metric that a task can have, under the protocol authors' names, the headline first."""
    labels = LABELS.get(f"{protocol}/{task}") or LABELS.get(protocol, {})
    every = METRICS["accuracies"] + (METRICS["explained"] if explains else ()) + METRICS["entropies"]
    found = (msgspec.structs.replace(m, label=labels.get(m.name, m.label)) for m in every)
    return tuple(sorted(found, key=lambda m: m.name != headline(protocol, task)))


# ---------------------------------------------------------------- groups and floors


def order(key: Key) -> tuple[int, int, str, int, str]:
    """Return the sort key of a group: whole splits first in their usual order, VCR's parts as in its paper, then kinds of answer, labels or
    activities.
    """
    split, *rest = (value for name, value in key if name != "task")
    place = SPLITS.index(split) if split in SPLITS else len(SPLITS)
    part = (RATIONALE, JOINT).index(task) + 1 if (task := dict(key).get("task")) in (RATIONALE, JOINT) else 0
    return len(key), place, split, part, rest[0] if rest else ""


def pairs(group: Group) -> Iterator[tuple[Seen, int]]:
    """Yield VCR's Q->AR: an answer and its rationale as one, right if both are. A sample without its other half is left out."""
    halves: dict[str, dict[bool, Seen]] = defaultdict(dict)
    for seen, _count in group.rows():
        if own(seen).pair:
            halves[own(seen).pair][own(seen).rationale] = seen
    for both in halves.values():
        if len(both) == 2:
            yield _both(both[False], both[True]), 1


def _both(answer: Seen, rationale: Seen) -> Seen:
    two = (answer, rationale)
    known = [seen.values["accuracy"] for seen in two if "accuracy" in seen.values]
    right = min(known) if len(known) == 2 else None
    gone = [seen.outcome for seen in two if seen.outcome in NON_ANSWERS]
    if right is None:
        outcome = Outcome.UNMARKED
    elif gone and right < 1.0:
        outcome = gone[0]
    else:
        outcome = Outcome.CORRECT if right == 1.0 else Outcome.WRONG
    first, then = ([a for a, _ in dict(own(seen).constants).get("accuracy", ()) if a in LETTERS] for seen in two)
    said = frozenset((f"{a}, then {b}", 1.0) for a in first for b in then)
    values = {} if right is None else {"accuracy": right}
    return Seen(values, outcome, answer.cluster, MarkSummary((("accuracy", said),)))


def floors(group: Group) -> dict[str, Floor]:
    """Return, for each metric, the best score of one constant answer.

    There is none if a constant is right by construction: all truths are the same (within a label, say), or one answer is right for all.
    """
    truths: dict[str, set[Constants]] = defaultdict(set)
    totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    marked: Counter[str] = Counter()
    for seen, count in group.rows():
        marked.update(dict.fromkeys(seen.values, count))
        for metric, constants in own(seen).constants:
            truths[metric].add(constants)
            for answer, score in constants:
                totals[metric][answer] += score * count
    found = {}
    for metric, wins in totals.items():
        answer, total = min(wins.items(), key=lambda item: (-item[1], item[0]))
        if len(truths[metric]) > 1 and total < marked[metric] - SAME:
            found[metric] = Floor(total / marked[metric], answer)
    return found


# ---------------------------------------------------------------- explanations


def explanations(group: Group) -> list[JudgedExplanation]:
    """Return every explanation of a group with references, in the order of the samples."""
    return [told for seen, count in group.rows() if (told := own(seen).told) is not None for _ in range(count)]


def _parts(told: Sequence[JudgedExplanation]) -> Iterator[tuple[str, list[JudgedExplanation]]]:
    """Yield all explanations, and those with a right answer; skip a part without explanations."""
    for part, some in ((UNFILTERED, list(told)), (FILTERED, [t for t in told if t.right])):
        if any(t.said for t in some):
            yield part, some


def caption_scores(told: Sequence[JudgedExplanation], *, raw_text: bool) -> dict[str, Score]:
    """Return BLEU, ROUGE-L and CIDEr (METEOR if it is available) of all explanations, and of those with a right answer.

    `raw_text` compares without tokenisation, as in e-ViL.
    """
    from snellen.stats.means import score
    from snellen.stats.nlg import CorpusValue, meteor_with_interval, missing, with_intervals

    how: dict[str, Any] = {"tokenise": str} if raw_text else {}
    found: dict[str, Score] = {}
    for part, some in _parts(told):
        said, true, images = [t.said for t in some], [list(t.true) for t in some], [t.image for t in some]
        values = {**with_intervals(said, true, images, **how)}
        if "METEOR" not in missing():
            try:
                values["METEOR"] = meteor_with_interval(said, true, images, **how)
            except SnellenError:  # Java is installed but fails: no score, since the answers are already paid for
                values["METEOR"] = CorpusValue(None)
        for name, one in values.items():
            found[f"{CAPTION_NAMES[name]}_{part}"] = score(one.value, len(some), one.interval)
    return found


def caption_floors(told: Sequence[JudgedExplanation], *, raw_text: bool) -> dict[str, Floor]:
    """Return the scores of a constant explanation, over all samples and over those with a right answer."""
    found: dict[str, Floor] = {}
    for part, some in _parts(told):
        floors = explanation_floors([t.true for t in some], raw_text=raw_text)
        found |= {f"{CAPTION_NAMES[name]}_{part}": floor for name, floor in floors.items()}
    return found


# ---------------------------------------------------------------- entropies


def entropy_scores(group: Group) -> dict[str, Score]:
    """Return mean entropies in nats, and how well a low one predicts a right answer (AUROC: 0.5 is chance, 1 is perfect)."""
    from snellen.stats.means import measured_interval, of_samples, score

    found = {}
    every = [(seen.values, seen.cluster) for seen, count in group.rows() for _ in range(count)]
    for name in ENTROPIES:
        some = [(values[name], values["accuracy"] == 1.0, image) for values, image in every if name in values]
        if not some:
            continue
        entropies, right, images = (list(column) for column in zip(*some, strict=True))
        mean = sum(entropies) / len(some)
        found[name] = score(mean, len(some), measured_interval(of_samples(entropies, images)), "nats")
        if len(set(right)) == 2:
            from snellen.stats.calibration import auroc, auroc_interval

            surest = [-e for e in entropies]
            ranked = auroc_interval(surest, right, images)
            found[f"{name}_auroc"] = score(auroc(surest, right), len(some), ranked)
    return found
