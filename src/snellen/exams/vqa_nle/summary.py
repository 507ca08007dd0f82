"""What these exams alone summarise: explanation quality filtered and unfiltered, entropy against truth, floors of free answers.

Means, intervals (questions on one image stand or fall together), bounds and outcomes are made in `stats.tally`. The caption metrics
are corpus metrics, and they and the entropies are given for whole splits only. Pure functions; `protocols` hands them its marks.
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
"""Answers with what each scores."""


class JudgedExplanation(NamedTuple):
    """An explanation beside the annotators', whether its sample was answered rightly (None: not marked), and its image."""

    said: str
    true: tuple[str, ...]
    right: bool | None
    image: str = ""


class MarkSummary(NamedTuple):
    """What floors and own scores need of one mark, in a form that can be counted.

    `constants` are for each metric the answers that would have scored, and how much. `pair` names what VCR's answer and rationale have
    in common where both are asked.
    """

    constants: tuple[tuple[str, Constants], ...] = ()
    told: JudgedExplanation | None = None
    pair: str = ""
    rationale: bool = False


def own(seen: Seen) -> MarkSummary:
    """Return what `seen` keeps of a mark for these exams."""
    return cast(MarkSummary, seen.own)


# ---------------------------------------------------------------- the metrics

MAJORITY = "majority_accuracy"  # where a protocol's filter of explanations is narrower than its accuracy
METRICS = declared("snellen.exams.vqa_nle", "metrics.toml", dict[str, tuple[Metric, ...]])
LABELS = declared("snellen.exams.vqa_nle", "labels.toml", dict[str, dict[str, str]])
# VQA's own measure, and e-ViL's task score; the others lead with what their code counts
SOFT_FIRST = ("strict", "e-vil")


def headline(protocol: str, task: str) -> str:
    """Return what a protocol leads with in an exam: where the paper or tool behind it leads with VQA's soft accuracy, that.

    >>> headline("e-vil", "vqax"), headline("e-vil", "vcr"), headline("nlxgpt", "vqax")
    ('soft_accuracy', 'accuracy', 'accuracy')
    """
    return "soft_accuracy" if task == "vqax" and protocol in SOFT_FIRST else "accuracy"


def metrics_of(protocol: str, task: str, *, explains: bool) -> tuple[Metric, ...]:
    """Return every metric that a task can have, under the names that a protocol's authors have for them, the headline first."""
    labels = LABELS.get(f"{protocol}/{task}") or LABELS.get(protocol, {})
    every = METRICS["accuracies"] + (METRICS["explained"] if explains else ()) + METRICS["entropies"]
    found = (msgspec.structs.replace(m, label=labels.get(m.name, m.label)) for m in every)
    return tuple(sorted(found, key=lambda m: m.name != headline(protocol, task)))


# ---------------------------------------------------------------- groups and floors


def order(key: Key) -> tuple[int, int, str, int, str]:
    """Whole splits first, in their usual order, VCR's parts as its paper lists them, then each by kind of answer, label or activity."""
    split, *rest = (value for name, value in key if name != "task")
    place = SPLITS.index(split) if split in SPLITS else len(SPLITS)
    part = (RATIONALE, JOINT).index(task) + 1 if (task := dict(key).get("task")) in (RATIONALE, JOINT) else 0
    return len(key), place, split, part, rest[0] if rest else ""


def pairs(group: Group) -> Iterator[tuple[Seen, int]]:
    """VCR's Q->AR: an answer and its rationale as one, right where both are. One whose other half is not there yet is left out."""
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
    """Return the best that one constant answer would have scored on each metric.

    None where it is right by construction: all truths are the same (within a label, say), or one answer is right for all.
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
    """Return every explanation of a group that has references, in the order of the samples."""
    return [told for seen, count in group.rows() if (told := own(seen).told) is not None for _ in range(count)]


def _parts(told: Sequence[JudgedExplanation]) -> Iterator[tuple[str, list[JudgedExplanation]]]:
    """Yield all explanations, and those whose answer is right; a part without any explanation is left out."""
    for part, some in ((UNFILTERED, list(told)), (FILTERED, [t for t in told if t.right])):
        if any(t.said for t in some):
            yield part, some


def caption_scores(told: Sequence[JudgedExplanation], *, raw_text: bool) -> dict[str, Score]:
    """Return BLEU, ROUGE-L and CIDEr (METEOR where it is available) of all explanations, and of those whose answer is right.

    `raw_text` compares without tokenisation, as e-ViL does.
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
            except SnellenError:  # Java is there and does not work: no number, and the answers are paid for
                values["METEOR"] = CorpusValue(None)
        for name, one in values.items():
            found[f"{CAPTION_NAMES[name]}_{part}"] = score(one.value, len(some), one.interval)
    return found


def caption_floors(told: Sequence[JudgedExplanation], *, raw_text: bool) -> dict[str, Floor]:
    """Return what a constant explanation gets, of all samples and of those whose answer is right."""
    found: dict[str, Floor] = {}
    for part, some in _parts(told):
        floors = explanation_floors([t.true for t in some], raw_text=raw_text)
        found |= {f"{CAPTION_NAMES[name]}_{part}": floor for name, floor in floors.items()}
    return found


# ---------------------------------------------------------------- entropies


def entropy_scores(group: Group) -> dict[str, Score]:
    """Mean entropies in nats, and how well a low one tells a right answer (AUROC: 0.5 says nothing, 1 everything)."""
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
