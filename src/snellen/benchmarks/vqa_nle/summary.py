"""The summarise stage: accuracies with intervals and floors, explanation quality filtered and unfiltered, entropy against truth.

Counts are kept by value, not by sample. What must be kept whole are the explanations (the caption metrics are corpus metrics) and
the entropies, of whole splits only.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from snellen.benchmarks.vqa_nle.asked import Asked, asked
from snellen.benchmarks.vqa_nle.names import SPLITS
from snellen.benchmarks.vqa_nle.vqa_official import normalise
from snellen.core.types import NON_ANSWERS, GroupSummary, Mark, Metric, Outcome, Sample
from snellen.stats.intervals import wilson

if TYPE_CHECKING:
    from snellen.benchmarks.vqa_nle.protocols import NleProtocol

YES_OR_NO = (
    "accuracy",
    "head_accuracy",
    "synonym_accuracy",
    "letter_accuracy",
    "text_accuracy",
    "valid_explanation",
)  # metrics that are 0 or 1 for a sample
ENTROPIES = ("answer_entropy_mean", "answer_entropy_max", "explanation_entropy_mean", "explanation_entropy_max")
BREAKDOWN = {"vqax": "answer_type", "esnlive": "label", "actx": "head"}
TRIVIAL = ("label", "head")  # groups in which one constant answer is right by construction: no floor is shown
CAPTION_NAMES = {f"BLEU-{n}": f"bleu{n}" for n in range(1, 5)} | {"ROUGE-L": "rouge_l", "CIDEr": "cider"}
Key = tuple[tuple[str, str], ...]


class Told(NamedTuple):
    """An explanation beside the annotators', and whether its sample was answered rightly (None: not marked)."""

    said: str
    true: tuple[str, ...]
    right: bool | None


class _Tally:
    """Counts of one group."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole
        self.n = 0
        self.outcomes: Counter[str] = Counter()
        self.missing = 0
        self.values: dict[str, Counter[float]] = {}
        self.constants: dict[str, Counter[str]] = {}
        self.soft: dict[str, float] = {}
        self.told: list[Told] = []
        self.entropies: dict[str, list[tuple[float, bool]]] = {}

    def add(self, seen: _Seen) -> None:
        self.n += 1
        self.outcomes[seen.outcome] += 1
        self.missing += seen.missing
        for name, value in seen.values.items():
            self.values.setdefault(name, Counter())[value] += 1
        for name, answers in seen.constants.items():
            self.constants.setdefault(name, Counter()).update(answers)
        for answer, score in seen.soft.items():
            self.soft[answer] = self.soft.get(answer, 0.0) + score
        if self.whole:
            if seen.told is not None:
                self.told.append(seen.told)
            for name, pair in seen.entropies.items():
                self.entropies.setdefault(name, []).append(pair)


class _Seen(NamedTuple):
    """What one mark adds to every group that its sample is in."""

    outcome: str
    missing: bool
    values: dict[str, float]
    constants: dict[str, frozenset[str]]
    soft: dict[str, float]
    told: Told | None
    entropies: dict[str, tuple[float, bool]]


def summarise(protocol: NleProtocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """Whole splits first, then each by kind of answer, label or activity."""
    tallies: dict[Key, _Tally] = {}
    for sample, mark in marked:
        seen = _look(protocol, sample, mark)
        for at, key in enumerate(_keys(sample)):
            tallies.setdefault(key, _Tally(whole=at == 0)).add(seen)
    return tuple(_group(protocol, dict(key), tallies[key]) for key in sorted(tallies, key=_order))


def _keys(sample: Sample) -> Iterator[Key]:
    tags = sample.tags
    base: Key = (("split", tags["split"]), ("task", tags["task"]))
    yield base
    by = BREAKDOWN.get(tags["task"])
    if by in tags:
        yield (*base, (str(by), tags[str(by)]))


def _order(key: Key) -> tuple[int, int, str, str]:
    (_s, split), (_t, _task), *rest = key
    place = SPLITS.index(split) if split in SPLITS else len(SPLITS)
    return len(key), place, split, rest[0][1] if rest else ""


# ---------------------------------------------------------------- one mark


def _look(protocol: NleProtocol, sample: Sample, mark: Mark) -> _Seen:
    ask = asked(sample)
    values = {k: v for k, v in mark.metrics.items() if isinstance(v, float) and k not in ENTROPIES}
    right = None if "accuracy" not in values else values["accuracy"] == 1.0
    explanation, answer = _explained(mark)
    if protocol.rules.explains and mark.outcome is Outcome.TRUNCATED and "valid_explanation" in values:
        # an answer that is cut scores nothing, but how much of an explanation was written is not in doubt
        values["valid_explanation"] = float(protocol.rules.valid(explanation, answer))
    entropies = {k: v for k in ENTROPIES if isinstance(v := mark.metrics.get(k), float)} if right is not None else {}
    gone = mark.outcome in NON_ANSWERS
    return _Seen(
        outcome=mark.outcome.value if ask.marked or gone else Outcome.UNMARKED.value,
        missing=gone and right is not None,
        values=values,
        constants=protocol.right_answers(ask),
        soft=_soft(protocol, ask),
        told=_told(protocol, ask, explanation, right) if protocol.rules.explains else None,
        entropies={k: (v, bool(right)) for k, v in entropies.items()},
    )


def _explained(mark: Mark) -> tuple[str | None, str | None]:
    """Explanation and answer of a mark; nothing where there was no reply or a refusal."""
    if mark.outcome in (Outcome.ERROR, Outcome.EMPTY, Outcome.REFUSED) or not isinstance(mark.reading, dict):
        return None, None
    return mark.reading.get("explanation"), mark.reading.get("answer")


def _told(protocol: NleProtocol, ask: Asked, explanation: str | None, right: bool | None) -> Told | None:
    if not ask.explanations:
        return None
    rules = protocol.rules
    said = rules.candidate(explanation, ask) if explanation else ""
    return Told(said, tuple(rules.reference(e, ask) for e in ask.explanations), right)


def _soft(protocol: NleProtocol, ask: Asked) -> dict[str, float]:
    """What each of the annotators' answers would score, for the floor of the soft accuracy."""
    if ask.task != "vqax" or not ask.answers:
        return {}
    from snellen.benchmarks.vqa_nle.asked import Read

    answers = dict.fromkeys(map(normalise, ask.answers))
    return {a: protocol.rules.soft(Read(a, None), ask.answers) or 0.0 for a in answers}


# ---------------------------------------------------------------- one group


def _group(protocol: NleProtocol, by: dict[str, str], tally: _Tally) -> GroupSummary:
    floors = _floors(tally) if not any(name in by for name in TRIVIAL) else {}
    metrics: dict[str, Metric] = {"accuracy": Metric(value=None, n=0)}
    for name, counts in tally.values.items():
        metrics[name] = _metric(name, counts, floors.get(name), seed=zlib.crc32(repr(sorted(by.items())).encode()))
    if tally.whole:
        metrics |= _caption_metrics(protocol, tally)
        metrics |= _entropy_metrics(tally)
    scored = metrics["accuracy"]
    bounds = None
    if tally.missing and scored.value is not None:
        right = round(scored.value * scored.n)
        bounds = (right / scored.n, min(1.0, (right + tally.missing) / scored.n))
    ordered = {o.value: tally.outcomes[o.value] for o in Outcome if tally.outcomes[o.value]}
    return GroupSummary(by=by, n=tally.n, outcomes=ordered, metrics=metrics, bounds=bounds)


def _metric(name: str, counts: Counter[float], floor: tuple[float, str] | None, seed: int) -> Metric:
    n = sum(counts.values())
    total = sum(value * count for value, count in counts.items())
    if name in YES_OR_NO:
        kind, (low, high) = "wilson", wilson(total, n)
    else:
        kind, (low, high) = _bootstrap(counts, n, total, seed)
    best = floor or (None, None)
    return Metric(value=total / n, n=n, low=low, high=high, interval=kind, floor=best[0], floor_answer=best[1])


def _bootstrap(counts: Counter[float], n: int, total: float, seed: int) -> tuple[str, tuple[float, float]]:
    import numpy as np

    from snellen.stats.bootstrap import percentile_interval, resampled_counts

    values = sorted(counts)
    if len(values) == 1:  # every resample is alike: the bootstrap sees no doubt, a small sample has some
        return "wilson", wilson(total, n)
    draws = resampled_counts(np.array([counts[v] for v in values], dtype=np.int64), seed)
    return "bootstrap", percentile_interval(draws @ np.array(values, dtype=np.float64) / n)


def _floors(tally: _Tally) -> dict[str, tuple[float, str]]:
    """The best that one constant answer would have scored on each metric."""
    found = {}
    for name, answers in tally.constants.items():
        n = sum(tally.values.get(name, Counter()).values())
        if n and answers:
            answer, count = min(answers.items(), key=lambda item: (-item[1], item[0]))
            found[name] = (count / n, answer)
    if "letter_accuracy" in found and "text_accuracy" in tally.values:
        found["text_accuracy"] = found["letter_accuracy"]
    n = sum(tally.values.get("soft_accuracy", Counter()).values())
    if n and tally.soft:
        answer, score = min(tally.soft.items(), key=lambda item: (-item[1], item[0]))
        found["soft_accuracy"] = (score / n, answer)
    return found


def _caption_metrics(protocol: NleProtocol, tally: _Tally) -> dict[str, Metric]:
    """BLEU, ROUGE-L and CIDEr of all explanations, and of those whose answer is right; nothing where none was given."""
    found: dict[str, Metric] = {}
    parts = {"unfiltered": tally.told, "filtered": [t for t in tally.told if t.right]}
    for part, told in parts.items():
        if any(t.said for t in told):
            scores = _caption_scores(protocol, told)
            for name, value in scores.items():
                label = CAPTION_NAMES.get(name, name.lower().replace("-", "_"))
                found[f"{label}_{part}"] = Metric(value=value, n=len(told))
            if part == "filtered" and protocol.name == "e-vil":
                found |= _evil_metrics(tally, scores)
    return found


def _caption_scores(protocol: NleProtocol, told: Sequence[Told]) -> dict[str, float]:
    from snellen.stats.nlg import score

    said, true = [t.said for t in told], [list(t.true) for t in told]
    return score(said, true, tokenise=str) if protocol.rules.raw_text else score(said, true)


def _evil_metrics(tally: _Tally, scores: dict[str, float]) -> dict[str, Metric]:
    """e-ViL's scores, where every metric that they are made of is available; nothing is put in for one that is not."""
    from snellen.stats.nlg import e_vil

    marked = [t.right for t in tally.told if t.right is not None]
    made = e_vil(scores, sum(marked) / len(marked) if marked else None)
    values = {"evil_explanation_score": (made.explanation, sum(marked)), "evil_score": (made.overall, len(marked))}
    return {name: Metric(value=value, n=n) for name, (value, n) in values.items() if value is not None}


def _entropy_metrics(tally: _Tally) -> dict[str, Metric]:
    """Mean entropies in nats, and how well a low one tells a right answer (AUROC: 0.5 says nothing, 1 everything)."""
    found = {}
    for name in (n for n in ENTROPIES if n in tally.entropies):
        pairs = tally.entropies[name]
        found[name] = Metric(value=sum(v for v, _ in pairs) / len(pairs), n=len(pairs), unit="nats")
        if len({right for _, right in pairs}) == 2:
            from snellen.stats.calibration import auroc

            value = auroc([-v for v, _ in pairs], [right for _, right in pairs])
            found[f"{name}_auroc"] = Metric(value=value, n=len(pairs))
    return found
