"""The four protocols of the exams with explanations. They share the prompt `zero`, so they share answers.

A protocol reads by other rules where the prompt wants no explanation: `for_prompt` gives the object for a prompt.
"""

from __future__ import annotations

from collections.abc import Iterable

from snellen.core.protocol import Verdict
from snellen.core.results import GroupSummary
from snellen.core.types import Mark, Metrics, Outcome, Sample, Token
from snellen.exams.vqa_nle.marking.asked import Asked, Read, asked
from snellen.exams.vqa_nle.marking.rules import Evil, Nlxgpt, Rules, Seed, SeedAnswers, Strict
from snellen.exams.vqa_nle.marking.synonyms import same_activity
from snellen.exams.vqa_nle.names import LETTERS, head, wants_explanation


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
        readable = self.rules.readable(read)
        # a truth that nothing can be compared with (it is empty, or an explanation alone) makes no answer wrong
        open_ = ask.marked and readable and metrics["accuracy"] is None
        outcome = Outcome.UNMARKED if open_ else None
        return Verdict(reading, readable, metrics["accuracy"] == 1.0, metrics, outcome)

    def judge_tokens(self, reply: str, sample: Sample, tokens: tuple[Token, ...]) -> Verdict:
        """As `judge`, with the entropies of answer and explanation, in nats (lower bounds where only bounds are known).

        They are of the reply as it is, so a cut or refused one keeps them.
        """
        from snellen.exams.vqa_nle.entropy.spans import metrics_of, spans

        verdict = self.judge(reply, sample)
        found = spans(tokens, verdict.reading if self.rules.explains else None)
        return verdict._replace(measured=metrics_of(found))

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
        metrics = self._metrics(Read(None, None), asked(sample))
        return {name: None if value is None else 0.0 for name, value in metrics.items()}

    def _metrics(self, read: Read, ask: Asked) -> Metrics:
        metrics: Metrics = {"accuracy": _hit(self.rules.key(read, ask), self.rules.accepted(ask))}
        if ask.task == "vqax":
            # one annotator has no others to agree with: what is right would score 0
            metrics["soft_accuracy"] = self.rules.soft(read, ask.answers) if len(ask.answers) > 1 else None
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
        """The label up to its comma, and the whole label, which says no less."""
        golds = (gold for label in ask.answers[:1] for gold in (head(label), label))
        return frozenset(self.rules.form(gold, ask.task) for gold in golds) - {""}

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
        if not ask.marked:
            return {}
        if ask.task == "vcr":
            return self._right_choices(ask)
        found = {"accuracy": self.rules.accepted(ask)}
        if ask.task == "actx":
            found["head_accuracy"] = self._heads(ask)
        return found

    def _right_choices(self, ask: Asked) -> dict[str, frozenset[str]]:
        """The letters and the text of VCR's choices that win a metric: both are ways to say the same choice."""
        if ask.label is None:
            return {"accuracy": self.rules.accepted(ask)}
        forms = [self.rules.form(choice, ask.task) for choice in ask.choices]
        right = forms[ask.label] if ask.right_choice is not None else None
        found: dict[str, set[str]] = {}
        for at, letter in enumerate(LETTERS):
            if at != ask.label and (right is None or forms[at : at + 1] != [right]):
                continue
            said = {letter}
            if right is not None and forms.index(right) == at:
                said.add(right)
            marks = self._metrics(Read(ask.choices[at] if right is not None else letter, None, at), ask)
            for name in ("accuracy", "letter_accuracy", "text_accuracy"):
                if marks[name] == 1.0:
                    found.setdefault(name, set()).update(said)
        return {name: frozenset(said) for name, said in found.items()}

    def summarise(self, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
        """Groups of metrics."""
        from snellen.exams.vqa_nle.summary import summarise

        return summarise(self, marked)


def _hit(key: str | None, accepted: frozenset[str]) -> float | None:
    return float(key in accepted) if accepted else None


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
            "2",
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
            "2",
            "any annotator's answer is right; explanations of rightly answered samples; its scores need SPICE and BERTScore, not here",
            Evil(),
            Evil(explains=False),
        ),
    )
}
