"""The protocols of IllusionBench: how each published implementation, and ours, gets from a reply to recalls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from snellen.core.protocol import TEXT_ALONE, Group, Key, MetricRoles, Protocol, ReplyContext, Seen, Verdict
from snellen.core.reply import finished, says_only
from snellen.core.results import Floor, Metric
from snellen.core.types import Mark, Metrics, Sample
from snellen.data.declared import declared
from snellen.exams.illusionbench import names, reading, summary
from snellen.exams.illusionbench.summary import IllusionTruth

METRICS = declared("snellen.exams.illusionbench", "metrics.toml", dict[str, tuple[Metric, ...]])


class IllusionReading(NamedTuple):
    """One reply as a protocol reads it, and the names in it. Names that the protocol does not look for are left out."""

    reading: object
    readable: bool
    hits: dict[str, bool]


class IllusionProtocol(Protocol):
    """One protocol: a prompt and a rule. `buckets` is set if every reply falls into shape, scene or rest."""

    cluster = "silhouette"
    headline = "recall"
    extras = (MetricRoles(reported=("recall",)),)

    def __init__(
        self,
        name: str,
        about: str,
        *,
        version: str = "1",
        prompt: str,
        judge: Callable[[str, IllusionTruth], IllusionReading],
        buckets: bool = False,
    ) -> None:
        super().__init__(name, about, version=version, prompt=prompt)
        self.metrics = METRICS["recalls"] + METRICS["buckets"] if buckets else METRICS["recalls"]
        self._rule, self._buckets = judge, buckets
        self._judged = lru_cache(maxsize=65536)(self._judge_text)
        self._silhouette = lru_cache(maxsize=65536)(names.silhouette)
        self._won = cache(self._won_by)  # groups overlap, so each truth is judged once

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        asked = IllusionTruth.of(sample)
        if context.cut and self._rule is _robust:
            reply = finished(reply, lambda text: says_only(text, reading.read_robust(text, asked.subset)), closed=True)
        return self._judged(reply, asked)

    def _judge_text(self, reply: str, asked: IllusionTruth) -> Verdict:
        read = self._rule(reply, asked)
        hit = all(read.hits[kind] for kind in asked.truths)
        metrics: Metrics = {"recall": float(hit)}
        metrics |= {
            f"{kind}_recall": float(read.hits[kind]) if kind in read.hits else None for kind in ("shape", "scene")
        }
        if self._buckets:
            metrics["bucket"] = "shape" if read.hits["shape"] else "texture" if read.hits["scene"] else "rest"
            metrics["multi_word"] = float(len(reply.split()) > 1)
        return Verdict(read.reading, read.readable, hit, metrics)

    def blank(self, sample: Sample) -> Metrics:
        """Return the metrics of a missing reply: 0 if the protocol defines a recall, else absent."""
        return self.judge("", sample).metrics

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        """Return the parts of a mark to keep. Images that hide one silhouette form a cluster."""
        seen, tags = super().seen(sample, mark), sample.tags
        rest = {"rest": float(mark.metrics.get("bucket", "rest") == "rest")} if self._buckets else {}
        return seen._replace(
            values={**seen.values, **rest},
            cluster=f"{tags['shape']}-{self._silhouette(sample.id.rpartition('/')[0])}",
            own=IllusionTruth.of(sample),
        )

    def groups(self, sample: Sample) -> Iterator[Key]:
        return summary.groups(sample.tags)

    def order(self, key: Key) -> tuple[int, int, int, str]:
        return summary.order(key)

    def floors(self, group: Group) -> dict[str, Floor]:
        return summary.floors(group, tuple(m.name for m in METRICS["recalls"]), self._won)

    def _won_by(self, reply: str, asked: IllusionTruth) -> frozenset[str]:
        """Return the metrics on which a constant reply scores fully."""
        return frozenset(k for k, v in self._judge_text(reply, asked).metrics.items() if v == 1.0)


def _original(reply: str, asked: IllusionTruth) -> IllusionReading:
    bucket = reading.bucket_original(reply, asked.shape, asked.scene)
    return IllusionReading(
        reply.lower(), bool(reply.strip()), {"shape": bucket == "shape", "scene": bucket == "texture"}
    )


def _only(asked: IllusionTruth, match: Callable[[str, str], bool], said: str, readable: bool) -> IllusionReading:
    """Read only the names that were asked for, each matched by kind and name."""
    return IllusionReading(said, readable, {kind: match(kind, truth) for kind, truth in asked.truths.items()})


def _strict(reply: str, asked: IllusionTruth) -> IllusionReading:
    said = reading.extract_strict(reply)
    return _only(asked, lambda _kind, truth: reading.match_strict(said, truth), said, bool(said))


def _first(reply: str, asked: IllusionTruth) -> IllusionReading:
    lines = {kind: reading.extract_first(reply, kind) for kind in asked.truths}
    said = ", ".join(dict.fromkeys(lines.values()))
    return _only(asked, lambda kind, truth: reading.match_first(lines[kind], truth), said, bool(said.strip()))


def _head(reply: str, asked: IllusionTruth) -> IllusionReading:
    said = reply.lower().strip()
    return _only(asked, lambda _kind, truth: reading.match_head(reply, truth), said, bool(said))


def _icl(reply: str, asked: IllusionTruth) -> IllusionReading:
    said = reading.clean_icl(reply)
    hits = {"shape": reading.match_icl(said, asked.shape), "scene": reading.match_icl(said, asked.scene)}
    return IllusionReading(said, bool(said.strip()), hits)


def _robust(reply: str, asked: IllusionTruth) -> IllusionReading:
    named = reading.read_robust(reply, asked.subset)
    if asked.task == "both":
        said = {kind: reading.of_the_kind(named, asked.subset, kind) for kind in asked.truths}
        hits = {kind: said[kind] == [truth] for kind, truth in asked.truths.items()}
        return IllusionReading(", ".join(named), all(len(s) == 1 for s in said.values()), hits)
    answer = reading.answer_robust(reply, asked.subset, asked.task)
    hits = {"shape": answer == asked.shape, "scene": answer == asked.scene}
    return IllusionReading(answer or ", ".join(named), answer is not None, hits)


PROTOCOLS = {
    p.name: p
    for p in (
        IllusionProtocol(
            "original",
            "shape name, else scene name, as a substring of the reply; every reply is shape, texture or rest",
            prompt="original",
            judge=_original,
            buckets=True,
        ),
        IllusionProtocol(
            "original-icl",
            "first line or sentence, punctuation out, underscores to spaces; shape and scene each as a substring, both may count",
            prompt="icl",
            judge=_icl,
        ),
        IllusionProtocol(
            "lmms-first",
            "normalised name as a substring of the last 'Shape:' or 'Scene:' line, else of the whole reply",
            version="2",
            prompt="lmms-first",
            judge=_first,
        ),
        IllusionProtocol(
            "lmms-strict",
            "what follows 'Answer:' must equal the name after normalisation; no 'Answer:', no score",
            prompt="lmms-strict",
            judge=_strict,
        ),
        IllusionProtocol(
            "lmms-head",
            "name, also with spaces for underscores, as a substring of the reply",
            prompt="original",
            judge=_head,
        ),
        IllusionProtocol(
            "robust",
            "the one option named, of the asked kind if there is one, whatever stands around it: whole words, other spellings, "
            "plurals, negation, corrections; several, none, a contradiction or unfinished thinking are unparsable",
            version="4",
            prompt="original",
            judge=_robust,
        ),
    )
}
