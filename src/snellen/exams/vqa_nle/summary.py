"""The summarise stage: accuracies with intervals and floors, explanation quality filtered and unfiltered, entropy against truth.

Questions on one image stand or fall together, so where samples of a group share images, its intervals resample whole images.
Kept whole are the values of each sample for that, and of whole splits the explanations (the caption metrics are corpus metrics)
and the entropies.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.results import GroupSummary, Score
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.exams.vqa_nle.entropy.spans import KINDS, metric_name
from snellen.exams.vqa_nle.marking.asked import Asked, Read, asked
from snellen.exams.vqa_nle.marking.vqa_official import normalise
from snellen.exams.vqa_nle.names import SPLITS
from snellen.stats.intervals import wilson

if TYPE_CHECKING:
    from snellen.exams.vqa_nle.protocols import NleProtocol

YES_OR_NO = (
    "accuracy",
    "head_accuracy",
    "synonym_accuracy",
    "letter_accuracy",
    "text_accuracy",
    "valid_explanation",
)  # metrics that are 0 or 1 for a sample
ENTROPIES = tuple(metric_name(kind, bounded) for bounded in (False, True) for kind in KINDS)
BREAKDOWN = {"vqax": "answer_type", "esnlive": "label", "actx": "head"}
TRIVIAL = ("label", "head")  # groups in which one constant answer is right by construction: no floor is shown
CAPTION_NAMES = {f"BLEU-{n}": f"bleu{n}" for n in range(1, 5)} | {"ROUGE-L": "rouge_l", "CIDEr": "cider"}
Key = tuple[tuple[str, str], ...]


class Told(NamedTuple):
    """An explanation beside the annotators', and whether its sample was answered rightly (None: not marked)."""

    said: str
    true: tuple[str, ...]
    right: bool | None


class Interval(NamedTuple):
    """How an interval was made, and its ends."""

    kind: str | None
    low: float | None
    high: float | None


class _Tally:
    """Counts of one group."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole
        self.n = 0
        self.outcomes: Counter[str] = Counter()
        self.missing = 0
        self.values: dict[str, Counter[float]] = {}
        self.images: list[str] = []
        self.each: list[dict[str, float]] = []  # the values of every sample, beside its image
        self.constants: dict[str, Counter[str]] = {}
        self.soft: dict[str, float] = {}
        self.told: list[Told] = []
        self.entropies: dict[str, list[tuple[float, bool]]] = {}

    def add(self, seen: _Seen) -> None:
        self.n += 1
        self.outcomes[seen.outcome] += 1
        self.missing += seen.missing
        self.images.append(seen.image)
        self.each.append(seen.values)
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

    image: str
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
    if protocol.rules.explains:
        values["valid_explanation"] = float(
            protocol.valid(mark)
        )  # of every reply, as explanation_stats.csv counts them
    entropies = {k: v for k in ENTROPIES if isinstance(v := mark.metrics.get(k), float)} if right is not None else {}
    gone = mark.outcome in NON_ANSWERS
    return _Seen(
        image=str(sample.facts.get("image_name") or sample.id),
        outcome=mark.outcome.value if ask.marked or gone else Outcome.UNMARKED.value,
        missing=gone and right is not None,
        values=values,
        constants=protocol.right_answers(ask),
        soft=_soft(protocol, ask),
        told=_told(protocol, ask, protocol.explained(mark)[0], right) if protocol.rules.explains else None,
        entropies={k: (v, bool(right)) for k, v in entropies.items()},
    )


def _told(protocol: NleProtocol, ask: Asked, explanation: str | None, right: bool | None) -> Told | None:
    if not ask.explanations:
        return None
    rules = protocol.rules
    said = rules.candidate(explanation, ask) if explanation else ""
    return Told(said, tuple(rules.reference(e, ask) for e in ask.explanations), right)


def _soft(protocol: NleProtocol, ask: Asked) -> dict[str, float]:
    """What each of the annotators' answers would score, for the floor of the soft accuracy."""
    if ask.task != "vqax" or len(ask.answers) < 2:
        return {}
    answers = dict.fromkeys(map(normalise, ask.answers))
    return {a: protocol.rules.soft(Read(a, None), ask.answers) or 0.0 for a in answers}


# ---------------------------------------------------------------- one group


def _group(protocol: NleProtocol, by: dict[str, str], tally: _Tally) -> GroupSummary:
    floors = _floors(tally) if not any(name in by for name in TRIVIAL) else {}
    metrics: dict[str, Score] = {"accuracy": Score(value=None, n=0)}
    seed = zlib.crc32(repr(sorted(by.items())).encode())
    clustered = _clustered(tally) if len(set(tally.images)) < tally.n else {}
    for name, counts in tally.values.items():
        interval = clustered.get(name) or _interval(name, counts, seed)
        metrics[name] = _metric(counts, interval, floors.get(name))
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


def _metric(counts: Counter[float], interval: Interval, floor: tuple[float, str] | None) -> Score:
    n = sum(counts.values())
    total = sum(value * count for value, count in counts.items())
    best = floor or (None, None)
    kind, low, high = interval
    return Score(value=total / n, n=n, low=low, high=high, interval=kind, floor=best[0], floor_answer=best[1])


def _interval(name: str, counts: Counter[float], seed: int) -> Interval:
    """Samples with an image each."""
    import numpy as np

    from snellen.stats.bootstrap import percentile_interval, resampled_counts

    n = sum(counts.values())
    values = sorted(counts)
    if name in YES_OR_NO or len(values) == 1:  # all alike: the bootstrap sees no doubt, a small sample has some
        return Interval("wilson", *wilson(sum(v * c for v, c in counts.items()), n))
    draws = resampled_counts(np.array([counts[v] for v in values], dtype=np.int64), seed)
    return Interval("bootstrap", *percentile_interval(draws @ np.array(values, dtype=np.float64) / n))


def _clustered(tally: _Tally) -> dict[str, Interval]:
    """Samples that share images."""
    import numpy as np

    from snellen.stats.cluster import ClusteredMeans

    names = list(tally.values)
    table = np.array([[each.get(name, np.nan) for name in names] for each in tally.each], dtype=np.float64)
    found = ClusteredMeans(table, tally.images).estimates(np.arange(tally.n), [True] * len(names))
    return {name: Interval(e.interval, e.low, e.high) for name, e in zip(names, found, strict=True)}


def _floors(tally: _Tally) -> dict[str, tuple[float, str]]:
    """The best that one constant answer would have scored on each metric."""
    found = {}
    for name, answers in tally.constants.items():
        n = sum(tally.values.get(name, Counter()).values())
        if n and answers:
            answer, count = min(answers.items(), key=lambda item: (-item[1], item[0]))
            found[name] = (count / n, answer)
    n = sum(tally.values.get("soft_accuracy", Counter()).values())
    if n and tally.soft:
        answer, score = min(tally.soft.items(), key=lambda item: (-item[1], item[0]))
        found["soft_accuracy"] = (score / n, answer)
    return found


def _caption_metrics(protocol: NleProtocol, tally: _Tally) -> dict[str, Score]:
    """BLEU, ROUGE-L and CIDEr (METEOR where it is available) of all explanations, and of those whose answer is right;
    nothing where none was given.
    """
    found: dict[str, Score] = {}
    parts = {"unfiltered": tally.told, "filtered": [t for t in tally.told if t.right]}
    for part, told in parts.items():
        if any(t.said for t in told):
            scores = _caption_scores(protocol, told)
            for name, value in scores.items():
                label = CAPTION_NAMES.get(name, name.lower().replace("-", "_"))
                found[f"{label}_{part}"] = Score(value=value, n=len(told))
            if part == "filtered" and protocol.name == "e-vil":
                found |= _evil_metrics(tally, scores)
    return found


def _caption_scores(protocol: NleProtocol, told: Sequence[Told]) -> dict[str, float | None]:
    from snellen.stats.nlg import AVAILABLE, available, meteor, score

    said, true = [t.said for t in told], [list(t.true) for t in told]
    how: dict[str, Any] = {"tokenise": str} if protocol.rules.raw_text else {}
    scores: dict[str, float | None] = {**score(said, true, **how)}
    if available()["METEOR"] == AVAILABLE:
        try:
            scores["METEOR"] = meteor(said, true, **how)
        except SnellenError:  # Java is there and does not work: no number, and the answers are paid for
            scores["METEOR"] = None
    return scores


def _evil_metrics(tally: _Tally, scores: dict[str, float | None]) -> dict[str, Score]:
    """e-ViL's scores, where every metric that they are made of is available; nothing is put in for one that is not."""
    from snellen.stats.nlg import e_vil

    marked = [t.right for t in tally.told if t.right is not None]
    made = e_vil(scores, sum(marked) / len(marked) if marked else None)
    values = {"evil_explanation_score": (made.explanation, sum(marked)), "evil_score": (made.overall, len(marked))}
    return {name: Score(value=value, n=n) for name, (value, n) in values.items() if value is not None}


def _entropy_metrics(tally: _Tally) -> dict[str, Score]:
    """Mean entropies in nats, and how well a low one tells a right answer (AUROC: 0.5 says nothing, 1 everything)."""
    found = {}
    for name in (n for n in ENTROPIES if n in tally.entropies):
        pairs = tally.entropies[name]
        found[name] = Score(value=sum(v for v, _ in pairs) / len(pairs), n=len(pairs), unit="nats")
        if len({right for _, right in pairs}) == 2:
            from snellen.stats.calibration import auroc

            value = auroc([-v for v, _ in pairs], [right for _, right in pairs])
            found[f"{name}_auroc"] = Score(value=value, n=len(pairs))
    return found
