"""The four protocols of the exams with explanations. They share the prompt `zero`, so they share answers.

A protocol reads by other rules where the prompt wants no explanation: `for_prompt` gives the object for a prompt.
"""

from __future__ import annotations

from collections.abc import Iterable

from snellen.benchmarks.vqa_nle.asked import Asked, Read, asked
from snellen.benchmarks.vqa_nle.names import LETTERS, head, wants_explanation
from snellen.benchmarks.vqa_nle.rules import Evil, Nlxgpt, Rules, Seed, SeedAnswers, Strict
from snellen.benchmarks.vqa_nle.synonyms import same_activity
from snellen.core.exam import Verdict
from snellen.core.types import GroupSummary, Mark, Metrics, Sample, Token

ENTROPIES = ("answer_mean", "answer_max", "explanation_mean", "explanation_max")


class NleProtocol:
    """One protocol: a rule set, and how its readings become metrics. A metric that a task does not define is not there;
    one that a sample leaves open (no truth, no majority) is None.
    """

    prompt = "zero"
    headline = "accuracy"

    def __init__(self, name: str, version: str, about: str, rules: Rules, answer_only: Rules | None = None) -> None:
        self.name, self.version, self.about, self.rules = name, version, about, rules
        self._answers = NleProtocol(name, version, about, answer_only) if answer_only else self

    def for_prompt(self, prompt: str) -> NleProtocol:
        """The same protocol for the replies to a prompt; always the same object for the same kind of prompt."""
        return self if wants_explanation(prompt) else self._answers

    # ------------------------------------------------------------ marks

    def judge(self, reply: str, sample: Sample) -> Verdict:
        """Read and mark one reply."""
        ask = asked(sample)
        read = self.rules.read(reply, ask)
        metrics = self._metrics(read, ask)
        reading = {"answer": read.answer, "explanation": read.explanation}
        return Verdict(reading, self.rules.readable(read), metrics["accuracy"] == 1.0, metrics)

    def judge_tokens(self, reply: str, sample: Sample, tokens: tuple[Token, ...]) -> Verdict:
        """As `judge`, with the entropies of answer and explanation, in nats (lower bounds where only bounds are known)."""
        from snellen.benchmarks.vqa_nle.entropy import spans

        verdict, found = self.judge(reply, sample), spans(tokens)
        entropies: Metrics = {
            f"{kind}_entropy_{how}": getattr(found, f"{kind}_{how}") for kind, how in _split(ENTROPIES)
        }
        return verdict._replace(metrics=verdict.metrics | entropies)

    def blank(self, sample: Sample) -> Metrics:
        """No reply: 0 where a reply would have been marked."""
        metrics = self._metrics(Read(None, None), asked(sample))
        return {name: None if value is None else 0.0 for name, value in metrics.items()}

    def _metrics(self, read: Read, ask: Asked) -> Metrics:
        metrics: Metrics = {"accuracy": _hit(self.rules.key(read, ask), self.rules.accepted(ask))}
        if ask.task == "vqax":
            metrics["soft_accuracy"] = self.rules.soft(read, ask.answers)
        elif ask.task == "actx":
            metrics |= self._activity(read, ask)
        elif ask.task == "vcr":
            metrics |= self._choice(read, ask)
        if self.rules.explains:
            metrics["valid_explanation"] = float(self.rules.valid(read.explanation, read.answer))
        return metrics if ask.marked else dict.fromkeys(metrics)

    def _activity(self, read: Read, ask: Asked) -> Metrics:
        if not ask.answers:
            return {"head_accuracy": None, "synonym_accuracy": None}
        return {
            "head_accuracy": _hit(self.rules.key(read, ask), self._heads(ask)),
            "synonym_accuracy": float(same_activity(read.answer or "", ask.answers[0])),
        }

    def _heads(self, ask: Asked) -> frozenset[str]:
        return frozenset(self.rules.form(head(label), ask.task) for label in ask.answers[:1]) - {""}

    def _choice(self, read: Read, ask: Asked) -> Metrics:
        said = ask.choices[read.choice] if read.choice is not None and read.choice < len(ask.choices) else None
        texts = (said or "", ask.right_choice or "")
        same = said is not None and len({self.rules.form(t, ask.task) for t in texts}) == 1
        return {
            "letter_accuracy": None if ask.label is None else float(read.choice == ask.label),
            "text_accuracy": None if ask.right_choice is None else float(same),
            "letter": LETTERS[read.choice] if read.choice is not None and read.choice < len(LETTERS) else None,
        }

    # ------------------------------------------------------------ summaries

    def right_answers(self, ask: Asked) -> dict[str, frozenset[str]]:
        """For each metric with a floor, the answers that would have been right for a sample."""
        found = {"accuracy": self.rules.accepted(ask)}
        if ask.task == "actx":
            found["head_accuracy"] = self._heads(ask)
        elif ask.task == "vcr" and ask.label is not None:
            found["letter_accuracy"] = frozenset(LETTERS[ask.label : ask.label + 1])
        return found if ask.marked else {}

    def summarise(self, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
        """Groups of metrics."""
        from snellen.benchmarks.vqa_nle.summary import summarise

        return summarise(self, marked)


def _hit(key: str | None, accepted: frozenset[str]) -> float | None:
    return float(key in accepted) if accepted else None


def _split(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    return ((kind, how) for kind, _, how in (name.partition("_") for name in names))


PROTOCOLS = {
    p.name: p
    for p in (
        NleProtocol(
            "seed",
            "1",
            "the original's post-processing with all its bugs; exact match of its normalised answer with the majority",
            Seed(),
            SeedAnswers(),
        ),
        NleProtocol(
            "strict",
            "1",
            "the original's bugs fixed; official VQA normalisation; letters in any common writing; negated labels; nothing guessed",
            Strict(),
            Strict(explains=False),
        ),
        NleProtocol(
            "nlxgpt",
            "1",
            "raw text before and after 'because', compared as it is; explanations filtered by the answer and unfiltered",
            Nlxgpt(),
            Nlxgpt(explains=False),
        ),
        NleProtocol(
            "e-vil",
            "1",
            "any annotator's answer is right; explanations of rightly answered samples; e-ViL's scores where they can be had",
            Evil(),
            Evil(explains=False),
        ),
    )
}
