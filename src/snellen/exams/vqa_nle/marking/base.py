"""The common base of the four protocols of the exams with explanations: how readings become metrics, and the hooks for each protocol's
rules.

The protocols share the prompt `zero`, so they share answers. A protocol reads by other rules if the prompt asks for no explanation: its
`ByPrompt` gives the object for a prompt. The headline metric depends on the exam, as in the papers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

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
from snellen.exams.vqa_nle import summary, vqa_official
from snellen.exams.vqa_nle.entropy.spans import entropies_of
from snellen.exams.vqa_nle.marking.synonyms import same_activity
from snellen.exams.vqa_nle.names import (
    JOINT,
    LETTERS,
    RATIONALE,
    head,
    image_of,
    letter_of,
    task_of,
    wants_explanation,
)
from snellen.exams.vqa_nle.reading import VqaReading

ROLES = MetricRoles(reported=tuple(m.name for m in summary.METRICS["accuracies"]))


class MarkedSample(NamedTuple):
    """A sample as the protocols see it. `marked` is false if the data has no truth; the reply is then read but not marked.

    `answers` are the annotators' answers (VQA-X), the label (ACT-X, e-SNLI-VE) or the text of the right choice (VCR).
    """

    task: str
    marked: bool
    answers: tuple[str, ...] = ()
    label: int | None = None
    explanations: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()

    @property
    def right_choice(self) -> str | None:
        """The text of VCR's right choice; None if the label or the choices are not known."""
        return self.choices[self.label] if self.label is not None and self.label < len(self.choices) else None


def target_of(sample: Sample) -> MarkedSample:
    """Return the truth against which a reply to a sample is judged."""
    truth = sample.truth if isinstance(sample.truth, dict) else {}
    return MarkedSample(
        task=task_of(sample.tags["task"]),
        marked=sample.truth is not None,
        answers=tuple(truth.get("answers") or ()),
        label=truth.get("label"),
        explanations=tuple(truth.get("explanations") or ()),
        choices=tuple(sample.facts.get("choices") or ()),
        objects=tuple(sample.facts.get("objects") or ()),
    )


def _joined(group: Group) -> Iterable[tuple[Seen, int]] | None:
    return summary.pairs(group) if group.by.get("task") == JOINT else None


class NleProtocol(Protocol):
    """One protocol: a rule set, and how its readings become metrics.

    A metric that a task does not define is absent. A metric that a sample leaves open (no truth, no majority) is None.
    """

    raw_text = False
    """True if explanations are compared without tokenisation."""
    needs = ("tokens", "records")  # each has the tables of its own marks

    def __init__(self, name: str, version: str, task: str, *, explains: bool = True) -> None:
        """Make the protocol of a task, which decides the headline and the names of the metrics. `explains` is false for replies without
        explanation.
        """
        super().__init__(name, self.about, version=version, prompt="zero")
        self.explains = explains
        self.headline = summary.headline(name, task)
        self.metrics = summary.metrics_of(name, task, explains=explains)
        self._answers = type(self)(name, version, task, explains=False) if explains else self
        self.extras = (ROLES, ByPrompt(self._for_prompt), JoinedItems(_joined))

    def _for_prompt(self, prompt: str) -> NleProtocol:
        """Return the same protocol for the replies to a prompt. The same kind of prompt always gets the same object."""
        return self if wants_explanation(prompt) else self._answers

    # ------------------------------------------------------------ the rules by which protocols differ

    def read(self, reply: str, target: MarkedSample) -> VqaReading:
        """Return the answer and the explanation of a reply."""
        raise NotImplementedError

    def _cut_short(self, reply: str, target: MarkedSample) -> bool:
        """Return whether a truncated reply has no reliable answer yet."""
        return False

    def _normalise(self, answer: str) -> str:
        """Return the form in which answers of VQA-X are compared."""
        return vqa_official.normalise(answer)

    def _form(self, answer: str, task: str) -> str:
        """Return an answer in the form in which two are compared."""
        raise NotImplementedError

    def accepted(self, target: MarkedSample) -> frozenset[str]:
        """Return the right answers in that form; none without a truth."""
        raise NotImplementedError

    def _majority(self, target: MarkedSample) -> frozenset[str]:
        """Return the majority answer for the filtered scores if it is narrower than the right answers; else nothing."""
        return frozenset()

    def _heads(self, target: MarkedSample) -> frozenset[str]:
        """Return, in that form, a label up to its comma, and the whole label, which counts as the same answer."""
        golds = (gold for label in target.answers[:1] for gold in (head(label), label))
        return frozenset(self._form(gold, target.task) for gold in golds) - {""}

    def _key(self, read: VqaReading, target: MarkedSample) -> str | None:
        """Return the key to look up among the right answers."""
        return None if read.answer is None else self._form(read.answer, target.task)

    def _readable(self, read: VqaReading) -> bool:
        """Return whether there is an answer at all."""
        return bool(read.answer)

    def soft(self, read: VqaReading, answers: Sequence[str]) -> float | None:
        """Return VQA-X's soft accuracy."""
        return vqa_official.soft_accuracy(read.answer or "", answers)

    def _is_explained(self, explanation: str | None, answer: str | None) -> bool:
        """Return whether there is an explanation and it is not a placeholder."""
        return bool(explanation)

    def _candidate(self, explanation: str, target: MarkedSample) -> str:
        """Return an explanation in the form in which it is compared with the annotators'."""
        return explanation

    def _reference(self, explanation: str, target: MarkedSample) -> str:
        """Return an annotator's explanation in the form in which it is compared with the model's."""
        return explanation

    # ------------------------------------------------------------ marks

    def _about(self, sample: Sample) -> NleProtocol:
        """Return the protocol for a sample. If VCR's rationale is chosen, no explanation is expected under any prompt."""
        return self._answers if sample.tags["task"] == RATIONALE else self

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        """Read and mark one reply.

        With tokens, add the entropies of answer and explanation in nats (lower bounds if only bounds are known). They describe the reply as
        it is, so a truncated reply or a refusal keeps them.
        """
        own = self._about(sample)
        verdict = own._judged(reply, sample)
        if context.cut and own._cut_short(reply, target_of(sample)):
            verdict = verdict._replace(readable=False, correct=False, outcome=None)
        if not context.tokens:
            return verdict
        return verdict._replace(measured=entropies_of(context.tokens, verdict.reading if own.explains else None))

    def _judged(self, reply: str, sample: Sample) -> Verdict:
        target = target_of(sample)
        read = self.read(reply, target)
        metrics = self._metrics(read, target)
        reading = {"answer": read.answer, "explanation": read.explanation}
        readable = self._readable(read)
        # a truth that cannot be compared (it is empty, or only an explanation) makes no answer wrong
        open_ = target.marked and readable and metrics["accuracy"] is None
        outcome = Outcome.UNMARKED if open_ else None
        return Verdict(reading, readable, metrics["accuracy"] == 1.0, metrics, outcome)

    def explained(self, mark: Mark) -> tuple[str | None, str | None]:
        """Return the explanation and the answer of a mark; nothing if there was no reply or a refusal."""
        gone = mark.outcome in (Outcome.ERROR, Outcome.EMPTY, Outcome.REFUSED)
        reading = mark.reading if isinstance(mark.reading, dict) and not gone else {}
        return reading.get("explanation"), reading.get("answer")

    def valid(self, mark: Mark) -> bool:
        """Return whether a mark's reading has an explanation, whatever its answer; a truncated or unmarked reply may have one too."""
        explanation, answer = self.explained(mark)
        return self.explains and explanation is not None and self._is_explained(explanation, answer)

    def blank(self, sample: Sample) -> Metrics:
        """Return the metrics of a missing reply: 0 if a reply would have been marked."""
        metrics = self._about(sample)._metrics(VqaReading(None, None), target_of(sample))
        return {name: None if value is None else 0.0 for name, value in metrics.items()}

    def _metrics(self, read: VqaReading, target: MarkedSample) -> Metrics:
        metrics: Metrics = {"accuracy": _hit(self._key(read, target), self.accepted(target))}
        if target.task == "vqax":
            # with one annotator there are no others to agree with: a right answer would score 0
            metrics["soft_accuracy"] = self.soft(read, target.answers) if len(target.answers) > 1 else None
            if majority := self._majority(target):
                metrics[summary.MAJORITY] = _hit(self._key(read, target), majority)
        elif target.task == "actx":
            metrics["head_accuracy"] = _hit(self._key(read, target), self._heads(target))
            label = target.answers[0] if target.answers else None
            metrics["synonym_accuracy"] = None if label is None else float(same_activity(read.answer or "", label))
        elif target.task == "vcr":
            metrics |= self._choice(read, target)
        if self.explains:
            metrics["valid_explanation"] = float(self._is_explained(read.explanation, read.answer))
        return metrics if target.marked else dict.fromkeys(metrics)

    def _choice(self, read: VqaReading, target: MarkedSample) -> Metrics:
        said = target.choices[read.choice] if read.choice is not None and read.choice < len(target.choices) else None
        texts = (said or "", target.right_choice or "")
        same = said is not None and len({self._form(t, target.task) for t in texts}) == 1
        return {
            "letter_accuracy": None if target.label is None else float(read.choice == target.label),
            "text_accuracy": None if target.right_choice is None else float(same),
            "letter": letter_of(read.choice),
        }

    # ------------------------------------------------------------ summaries

    def groups(self, sample: Sample) -> Iterable[Key]:
        """Return the usual groups. VCR answers that are asked together with their rationales also get the group in which both must be
        right.
        """
        yield from super().groups(sample)
        if sample.facts.get("paired"):
            yield ("split", sample.tags["split"]), ("task", JOINT)

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return self._about(sample)._seen(sample, mark)

    def _seen(self, sample: Sample, mark: Mark) -> Seen:
        target = target_of(sample)
        values = {k: v for k, v in mark.metrics.items() if isinstance(v, float)}
        right = values["accuracy"] == 1.0 if "accuracy" in values else None
        if right is None:  # entropy is informative only if right and wrong are known
            values = {k: v for k, v in values.items() if k not in summary.ENTROPIES}
        told, image = None, image_of(sample)
        if self.explains:
            # of every reply, as explanation_stats.csv counts them
            values["valid_explanation"] = float(self.valid(mark))
            filtered = values.get(summary.MAJORITY, values.get("accuracy"))
            explanation = self.explained(mark)[0]
            if target.explanations:
                said = self._candidate(explanation, target) if explanation else ""
                true = tuple(self._reference(e, target) for e in target.explanations)
                told = summary.JudgedExplanation(said, true, None if filtered is None else filtered == 1.0, image)
        outcome = mark.outcome if target.marked or mark.outcome in NON_ANSWERS else Outcome.UNMARKED
        pair = sample.id.partition("/")[2] if sample.facts.get("paired") else ""
        constants = tuple(self._constants(target).items())
        own = summary.MarkSummary(constants, told, pair, sample.tags["task"] == RATIONALE)
        return Seen(values, outcome, image, own)

    def order(self, key: Key) -> Any:
        return summary.order(key)

    def floors(self, group: Group) -> Mapping[str, Floor]:
        found = summary.floors(group)
        if group.whole and self.explains:
            found |= summary.caption_floors(summary.explanations(group), raw_text=self.raw_text)
        return found

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        if not group.whole:
            return {}
        found = summary.entropy_scores(group)
        if self.explains:
            found |= summary.caption_scores(summary.explanations(group), raw_text=self.raw_text)
        return found

    def _constants(self, target: MarkedSample) -> dict[str, summary.Constants]:
        """Return, for each metric with a floor, the scores of constant answers on a sample."""
        if not target.marked:
            return {}
        if target.task == "vcr" and target.label is not None:
            return self._choices(target)
        right = {"accuracy": self.accepted(target)}
        if target.task == "actx":
            right["head_accuracy"] = self._heads(target)
        if majority := self._majority(target):
            right[summary.MAJORITY] = majority
        found = {name: frozenset((answer, 1.0) for answer in answers) for name, answers in right.items()}
        if target.task == "vqax" and len(target.answers) > 1:
            said = set(map(self._normalise, target.answers))
            found["soft_accuracy"] = frozenset((a, self.soft(VqaReading(a, None), target.answers) or 0.0) for a in said)
        return found

    def _choices(self, target: MarkedSample) -> dict[str, summary.Constants]:
        """Return the letters and the text of VCR's choices that score on a metric: both name the same choice."""
        forms = [self._form(choice, target.task) for choice in target.choices]
        right = None if target.right_choice is None else self._form(target.right_choice, target.task)
        found: dict[str, set[tuple[str, float]]] = defaultdict(set)
        for at, letter in enumerate(LETTERS):
            said = {(letter, 1.0)}
            if right is not None and forms.index(right) == at:
                said.add((right, 1.0))
            marks = self._metrics(VqaReading(letter if right is None else target.choices[at], None, at), target)
            for name in ("accuracy", "letter_accuracy", "text_accuracy"):
                if marks[name] == 1.0:
                    found[name] |= said
        return {name: frozenset(said) for name, said in found.items()}


def _hit(key: str | None, accepted: frozenset[str]) -> float | None:
    return float(key in accepted) if accepted else None
