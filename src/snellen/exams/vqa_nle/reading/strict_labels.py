"""The strict reader of e-SNLI-VE: the one label that a reply affirms."""

from __future__ import annotations

import re

from snellen.exams.vqa_nle.names import LABELS
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading.affirmed import OptionMention, affirmed, decided, options_in
from snellen.exams.vqa_nle.reading.corrections import corrected
from snellen.exams.vqa_nle.reading.preambles import before_verdict, leads_off, named_in, verdict_in
from snellen.exams.vqa_nle.reading.reasons import REASON, explanation_of, sentence_ends
from snellen.exams.vqa_nle.reading.reply_text import said_in

_STEMS = {
    "entailment": r"entail(?:e?ment|ments|s|ed|ing)?",
    "contradiction": r"contradict(?:ion|ions|s|ed|ory|ing)?",
    "neutral": r"neutral(?:ity)?",
}
_ANY_LABEL = re.compile("|".join(rf"\b(?P<{label}>{stem})\b" for label, stem in _STEMS.items()), re.IGNORECASE)
_LABEL_ENDS = re.compile(r"[,:;.!]\s|\s-\s|\s\(|(?<![:\s]) ?\n")  # a line that ends in a colon goes on in the next


def _options(text: str) -> list[OptionMention]:
    return options_in(text, _ANY_LABEL.finditer(text), lambda m: str(m.lastgroup), len(LABELS))


def labels_in(text: str) -> list[str]:
    """The labels that a text affirms, each once, in the order of its words.

    >>> labels_in("It is neutral, no contradiction"), labels_in("not a clear entailment"), labels_in("entailment or neutral")
    (['neutral'], [], ['entailment', 'neutral'])
    """
    return list(dict.fromkeys(option.name for option in affirmed(_options(text))))


def read_label(reply: str) -> VqaReading:
    """One of the three labels; None where none or several are affirmed."""
    said = said_in(reply)
    text = corrected(said.text)
    reason = REASON.search(text)
    before, after = (text[: reason.start()], text[reason.end() :]) if reason else (text, None)
    label, told = _first(text, before, after)
    if label is None and not said.ended:
        label, told = _alone(text)
    if label is None and not said.ended:
        label, told = _later(text, before, after)
    apart = explanation_of(said.reason) if said.ended else None
    return VqaReading(label, apart or explanation_of(told) or explanation_of(said.reason))


def _first(text: str, before: str, after: str | None) -> tuple[str | None, str | None]:
    """The label before a reason, and the reason: what follows the label's own line, sentence or clause, where no other label stands
    between; else what follows "because".
    """
    options = _options(before)
    option = decided(options)
    if option is None or (option.hedged and after is not None and named_in(after)):
        return None, after  # "It may look like X. However, ... The answer is Y."
    end = _LABEL_ENDS.search(text, option.end)
    last = option.start >= max(o.start for o in affirmed(options))
    if (
        end is not None
        and last
        and end.start() < len(before)
        and (after is None or end.group() not in (", ", ": ", " ("))
    ):
        return option.name, text[end.end() :]
    if after is None and (verdict := verdict_in(text) or named_in(text)):
        after = before_verdict(text, verdict.start())
    return option.name, after


_TURNS = re.compile(r"\W*(?:or|maybe|perhaps|possibly|but|however)\b", re.IGNORECASE)
_INSISTS = re.compile(
    r"(?:\b(?:is|so|thus|therefore|hence|but|rather|actually|label|answer|no,)|'s)\W{0,2}\s(?:an?\s)?$", re.IGNORECASE
)


def _alone(text: str) -> tuple[str | None, str | None]:
    """A label that is all of a first sentence or line, where what follows names others without insisting on one of them."""
    end = min(next(((at, behind) for at, behind in sentence_ends(text)), (len(text), len(text))), _line_end(text))
    label = decided(_options(text[: end[1]])) if len(leads_off(text[: end[0]]).split()) <= 3 else None
    rest = text[end[1] :]
    if label is None or _TURNS.match(rest) or any(_against(option, label, rest) for option in _options(rest)):
        return None, None
    return label.name, rest


def _against(option: OptionMention, label: OptionMention, text: str) -> bool:
    """Whether what follows a label denies it or insists on another."""
    if option.name == label.name:
        return option.denied
    return not option.denied and _INSISTS.search(text[max(0, option.start - 20) : option.start]) is not None


def _line_end(text: str) -> tuple[int, int]:
    at = text.find("\n")
    return (at, at + 1) if at >= 0 else (len(text), len(text))


def _later(text: str, before: str, after: str | None) -> tuple[str | None, str | None]:
    """A label that is named after a reason or a preface, and the reason before it."""
    for found in (verdict_in(text), named_in(text)):
        if found:
            rest = text[found.end() :]
            end = next((at for at, _behind in sentence_ends(rest)), len(rest))
            option = decided(_options(rest[:end].partition("\n")[0]))
            if option is not None:
                return option.name, before_verdict(text, found.start())
    if _ANY_LABEL.search(before):
        return None, after
    stated = {option.name for option in affirmed(_options(text)) if not option.hedged}
    return (stated.pop() if len(stated) == 1 else None), after
