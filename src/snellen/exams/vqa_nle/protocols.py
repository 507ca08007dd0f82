"""The four protocols of the exams with explanations. They share the prompt `zero`, so they share answers.

A protocol reads by other rules where the prompt wants no explanation: its `ByPrompt` gives the object for a prompt. What it leads with
depends on the exam, as in the papers: `protocols_of` gives the protocols of one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from snellen.core.protocol import (
    TEXT_ALONE,
    ByPrompt,
    Group,
    JoinedItems,
    Key,
    MetricRoles,
    Protocol,
    ReplyContext,
    Seen,
    Verdict,
)
from snellen.core.results import Floor, Score
from snellen.core.types import NON_ANSWERS, Mark, Metrics, Outcome, Sample
from snellen.exams.vqa_nle import summary
from snellen.exams.vqa_nle.entropy.spans import metrics_of, spans
from snellen.exams.vqa_nle.marking import rules as by
from snellen.exams.vqa_nle.marking.rules import MarkedSample, target_of
from snellen.exams.vqa_nle.marking.synonyms import same_activity
from snellen.exams.vqa_nle.names import (
    JOINT,
    LETTERS,
    MULTIMODAL_VQA_EVAL,
    RATIONALE,
    image_of,
    letter_of,
    wants_explanation,
)
from snellen.exams.vqa_nle.reading import VqaReading

ROLES = MetricRoles(reported=tuple(m.name for m in summary.ACCURACIES))


def _joined(group: Group) -> Iterable[tuple[Seen, int]] | None:
    return summary.pairs(group) if group.by.get("task") == JOINT else None


class NleProtocol(Protocol):
    """One protocol: a rule set, and how its readings become metrics. A metric that a task does not define is not there;
    one that a sample leaves open (no truth, no majority) is None.
    """

    headline = "accuracy"
    needs = ("tokens", "records")  # each has the tables of its own marks

    def __init__(
        self, name: str, version: str, rules: by.MarkingRules, answer_only: by.MarkingRules | None = None
    ) -> None:
        super().__init__(name, rules.about, version=version, prompt="zero")
        self.rules = rules
        self.metrics = summary.declarations(explains=rules.explains, e_vil=rules.e_vil)
        self._answers = NleProtocol(name, version, answer_only) if answer_only else self
        self._compose()

    def _compose(self) -> None:
        self.extras = (ROLES, ByPrompt(self._for_prompt), JoinedItems(_joined))

    def for_task(self, task: str) -> NleProtocol:
        """The same protocol as one exam shows it: its headline and what its metrics are called there."""
        other = copy.copy(self)
        other.headline = summary.headline(self.name, task)
        other.metrics = summary.named(self.metrics, self.name, task)
        other._answers = other if self._answers is self else self._answers.for_task(task)
        other._compose()
        return other

    def _for_prompt(self, prompt: str) -> NleProtocol:
        """Return the same protocol for the replies to a prompt; always the same object for the same kind of prompt."""
        return self if wants_explanation(prompt) else self._answers

    # ------------------------------------------------------------ marks

    def _about(self, sample: Sample) -> NleProtocol:
        """The protocol for a sample: where VCR's rationale is chosen, no explanation is expected under any prompt."""
        return self._answers if sample.tags["task"] == RATIONALE else self

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        """Read and mark one reply; with tokens also the entropies of answer and explanation, in nats (lower bounds where only bounds
        are known). They are of the reply as it is, so a cut or refused one keeps them.
        """
        own = self._about(sample)
        verdict = own._judged(reply, sample)
        if context.cut and own.rules.cut_short(reply, target_of(sample)):
            verdict = verdict._replace(readable=False, correct=False, outcome=None)
        if not context.tokens:
            return verdict
        found = spans(context.tokens, verdict.reading if own.rules.explains else None)
        return verdict._replace(measured=metrics_of(found))

    def _judged(self, reply: str, sample: Sample) -> Verdict:
        target = target_of(sample)
        read = self.rules.read(reply, target)
        metrics = self._metrics(read, target)
        reading = {"answer": read.answer, "explanation": read.explanation}
        readable = self.rules.readable(read)
        # a truth that nothing can be compared with (it is empty, or an explanation alone) makes no answer wrong
        open_ = target.marked and readable and metrics["accuracy"] is None
        outcome = Outcome.UNMARKED if open_ else None
        return Verdict(reading, readable, metrics["accuracy"] == 1.0, metrics, outcome)

    def explained(self, mark: Mark) -> tuple[str | None, str | None]:
        """Explanation and answer of a mark; nothing where there was no reply or a refusal."""
        gone = mark.outcome in (Outcome.ERROR, Outcome.EMPTY, Outcome.REFUSED)
        reading = mark.reading if isinstance(mark.reading, dict) and not gone else {}
        return reading.get("explanation"), reading.get("answer")

    def valid(self, mark: Mark) -> bool:
        """Whether a mark's reading has an explanation, however the answer fared: a cut or unmarked reply may have one too."""
        explanation, answer = self.explained(mark)
        return self.rules.explains and explanation is not None and self.rules.valid(explanation, answer)

    def blank(self, sample: Sample) -> Metrics:
        """No reply: 0 where a reply would have been marked."""
        metrics = self._about(sample)._metrics(VqaReading(None, None), target_of(sample))
        return {name: None if value is None else 0.0 for name, value in metrics.items()}

    def _metrics(self, read: VqaReading, target: MarkedSample) -> Metrics:
        metrics: Metrics = {"accuracy": _hit(self.rules.key(read, target), self.rules.accepted(target))}
        if target.task == "vqax":
            # one annotator has no others to agree with: what is right would score 0
            metrics["soft_accuracy"] = self.rules.soft(read, target.answers) if len(target.answers) > 1 else None
            if majority := self.rules.majority(target):
                metrics[summary.MAJORITY] = _hit(self.rules.key(read, target), majority)
        elif target.task == "actx":
            metrics["head_accuracy"] = _hit(self.rules.key(read, target), self.rules.heads(target))
            label = target.answers[0] if target.answers else None
            metrics["synonym_accuracy"] = None if label is None else float(same_activity(read.answer or "", label))
        elif target.task == "vcr":
            metrics |= self._choice(read, target)
        if self.rules.explains:
            metrics["valid_explanation"] = float(self.rules.valid(read.explanation, read.answer))
        return metrics if target.marked else dict.fromkeys(metrics)

    def _choice(self, read: VqaReading, target: MarkedSample) -> Metrics:
        said = target.choices[read.choice] if read.choice is not None and read.choice < len(target.choices) else None
        texts = (said or "", target.right_choice or "")
        same = said is not None and len({self.rules.form(t, target.task) for t in texts}) == 1
        return {
            "letter_accuracy": None if target.label is None else float(read.choice == target.label),
            "text_accuracy": None if target.right_choice is None else float(same),
            "letter": letter_of(read.choice),
        }

    # ------------------------------------------------------------ summaries

    def groups(self, sample: Sample) -> Iterable[Key]:
        """As everywhere, and for VCR's answers that are asked together with their rationales the part in which both must be right."""
        yield from super().groups(sample)
        if sample.facts.get("paired"):
            yield ("split", sample.tags["split"]), ("task", JOINT)

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return self._about(sample)._seen(sample, mark)

    def _seen(self, sample: Sample, mark: Mark) -> Seen:
        target = target_of(sample)
        values = {k: v for k, v in mark.metrics.items() if isinstance(v, float)}
        right = values["accuracy"] == 1.0 if "accuracy" in values else None
        if right is None:  # an entropy says something only where right and wrong are known
            values = {k: v for k, v in values.items() if k not in summary.ENTROPIES}
        told, image = None, image_of(sample)
        if self.rules.explains:
            # of every reply, as explanation_stats.csv counts them
            values["valid_explanation"] = float(self.valid(mark))
            filtered = values.get(summary.MAJORITY, values.get("accuracy"))
            told = self._told(target, self.explained(mark)[0], None if filtered is None else filtered == 1.0, image)
        outcome = mark.outcome if target.marked or mark.outcome in NON_ANSWERS else Outcome.UNMARKED
        pair = sample.id.partition("/")[2] if sample.facts.get("paired") else ""
        winners = tuple(self.right_answers(target).items())
        own = summary.MarkSummary(winners, self._soft(target), told, pair, sample.tags["task"] == RATIONALE)
        return Seen(values, outcome, image, own)

    def order(self, key: Key) -> Any:
        return summary.order(key)

    def floors(self, group: Group) -> Mapping[str, Floor]:
        found = summary.floors(group)
        if group.whole and self.rules.explains:
            found |= summary.caption_floors(summary.explanations(group), e_vil=self.rules.e_vil)
        return found

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        if not group.whole:
            return {}
        captions = {}
        if self.rules.explains:
            told = summary.explanations(group)
            captions = summary.caption_scores(told, e_vil=self.rules.e_vil)
        return captions | summary.entropy_scores(group)

    def _told(
        self, target: MarkedSample, explanation: str | None, right: bool | None, image: str
    ) -> summary.JudgedExplanation | None:
        if not target.explanations:
            return None
        said = self.rules.candidate(explanation, target) if explanation else ""
        return summary.JudgedExplanation(
            said, tuple(self.rules.reference(e, target) for e in target.explanations), right, image
        )

    def _soft(self, target: MarkedSample) -> tuple[tuple[str, float], ...]:
        """What each of the annotators' answers would score, for the floor of the soft accuracy."""
        if target.task != "vqax" or len(target.answers) < 2:
            return ()
        answers = dict.fromkeys(map(self.rules.normalise, target.answers))
        return tuple((a, self.rules.soft(VqaReading(a, None), target.answers) or 0.0) for a in answers)

    def right_answers(self, target: MarkedSample) -> dict[str, frozenset[str]]:
        """For each metric with a floor, the answers that would have been right for a sample."""
        if not target.marked:
            return {}
        if target.task == "vcr":
            return self._right_choices(target)
        found = {"accuracy": self.rules.accepted(target)}
        if target.task == "actx":
            found["head_accuracy"] = self.rules.heads(target)
        if majority := self.rules.majority(target):
            found[summary.MAJORITY] = majority
        return found

    def _right_choices(self, target: MarkedSample) -> dict[str, frozenset[str]]:
        """The letters and the text of VCR's choices that win a metric: both are ways to say the same choice."""
        if target.label is None:
            return {"accuracy": self.rules.accepted(target)}
        forms = [self.rules.form(choice, target.task) for choice in target.choices]
        right = forms[target.label] if target.right_choice is not None else None
        found: dict[str, set[str]] = {}
        for at, letter in enumerate(LETTERS):
            if at != target.label and (right is None or forms[at : at + 1] != [right]):
                continue
            said = {letter}
            if right is not None and forms.index(right) == at:
                said.add(right)
            marks = self._metrics(VqaReading(target.choices[at] if right is not None else letter, None, at), target)
            for name in ("accuracy", "letter_accuracy", "text_accuracy"):
                if marks[name] == 1.0:
                    found.setdefault(name, set()).update(said)
        return {name: frozenset(said) for name, said in found.items()}


def _hit(key: str | None, accepted: frozenset[str]) -> float | None:
    return float(key in accepted) if accepted else None


PROTOCOLS = {
    p.name: p
    for p in (
        NleProtocol(MULTIMODAL_VQA_EVAL, "1", by.MultimodalVqaEval(), by.MultimodalVqaEvalAnswers(explains=False)),
        NleProtocol("strict", "5", by.Strict(), by.Strict(explains=False)),
        NleProtocol("nlxgpt", "2", by.Nlxgpt(), by.Nlxgpt(explains=False)),
        NleProtocol("e-vil", "5", by.EVil(), by.EVil(explains=False)),
    )
}


def protocols_of(task: str) -> dict[str, NleProtocol]:
    """The protocols of one exam."""
    return {name: protocol.for_task(task) for name, protocol in PROTOCOLS.items()}
