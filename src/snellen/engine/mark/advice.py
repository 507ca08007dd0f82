"""Advice on what would help when many questions got no answer: which option to change, judging by the run's answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from snellen.core.exam import Exam
from snellen.core.records import Manifest
from snellen.core.reply import ends_in_thought, spoken
from snellen.core.results import ProtocolSummary
from snellen.core.types import Outcome
from snellen.core.unanswered import UnansweredPart
from snellen.engine.runs.folder import RunFolder, Scan

_ABLE = 0.5
"""A protocol counts as able to read what another cannot if it leaves at most this share of that unread."""


_OF_LOG = {
    Outcome.ERROR: "the log has errors in the place of replies: ask again with the tool that made it, and import the new log",
    Outcome.TRUNCATED: "replies are cut off in the log: give more tokens in the tool that made it",
    Outcome.EMPTY: "replies are empty in the log: a model that only thinks may need more tokens in the tool that made it",
    Outcome.REFUSED: "refusals come from the model or its provider's filter: their words are among the samples",
    Outcome.UNPARSABLE: "many replies cannot be read: the log's prompt may ask for another form than ours",
}
"""Advice for another tool's log, because only that tool can ask again."""


def advice(
    folder: RunFolder,
    scan: Scan,
    manifest: Manifest,
    exam: Exam,
    silent: Sequence[UnansweredPart],
    protocols: Sequence[ProtocolSummary],
) -> tuple[str, ...]:
    """Return a sentence for each frequent kind of non-answer, the most common first."""
    main = protocols[0].protocol if protocols else ""
    kinds: Counter[str] = Counter()
    for row in silent:
        if row.protocol == main:
            kinds.update(row.outcomes)

    def sentence(kind: Outcome) -> str:
        if manifest.subject.spec.startswith("import/"):
            return _OF_LOG[kind]
        if kind is Outcome.TRUNCATED:
            return _cut(folder, scan, manifest)
        if kind is Outcome.UNPARSABLE:
            return _thought(folder, scan) or _unread(exam, protocols)
        answered = scan.totals.calls or scan.totals.stored or manifest.imported
        provider = " or its provider's filter" if answered else ""
        return {
            Outcome.EMPTY: "replies were empty: a model that only thinks may need --max-thinking",
            Outcome.REFUSED: f"refusals come from the model{provider}: their words are among the samples",
            Outcome.ERROR: "errors are asked again by the same command; the reasons are listed",
        }[kind]

    return tuple(sentence(Outcome(kind)) for kind, _n in kinds.most_common())


def _cut(folder: RunFolder, scan: Scan, manifest: Manifest) -> str:
    """Explain replies that ended at the token cap, either while thinking or in the answer itself."""
    cut = [a for a in folder.answers(scan) if a.finish_reason == "length"]
    thinking = sum(not spoken(a.text).strip() for a in cut)
    caps = manifest.subject.identity.get("parameters") or {}
    now = next((caps[k] for k in ("max_tokens", "max_completion_tokens", "max_output_tokens") if k in caps), None)
    cap = f" (the cap was {now} tokens)" if now else ""
    if 2 * thinking > len(cut):
        return (
            f"replies were cut off{cap} before the model said anything, most likely while it was thinking: "
            "give --max-thinking 8192, or --reasoning low"
        )
    return f"replies were cut off{cap}: give a higher --max-tokens"


def _thought(folder: RunFolder, scan: Scan) -> str:
    """Explain replies that ended inside their thinking, if most did."""
    every = [ends_in_thought(a.text) for a in folder.answers(scan)]
    if 2 * sum(every) <= len(every):
        return ""
    return (
        "replies ended inside their thinking, which is never read: give a higher --max-tokens, or --max-thinking 8192"
    )


def _unread(exam: Exam, protocols: Sequence[ProtocolSummary]) -> str:
    """Explain replies that the main protocol cannot read but another protocol of the run may."""
    main, *others = ((p.protocol, _unread_share(p)) for p in protocols)
    best, share = min(others, key=lambda one: (one[1], one[0] != "robust"), default=main)
    if share <= _ABLE * main[1]:
        return (
            f"'{main[0]}' cannot read {100 * main[1]:.0f} % of the replies, and '{best}' reads {100 * (1 - share):.0f} % of them: "
            f"the score under '{main[0]}' is about form, not sight"
        )
    if "robust" in exam.protocols and "robust" not in {p.protocol for p in protocols}:
        return "many replies cannot be read: 'snellen mark RUN --protocol robust' reads more forms, for free"
    return "many replies cannot be read: the prompt may ask for a form that the model does not keep"


def _unread_share(protocol: ProtocolSummary) -> float:
    """Return the share of all replies that a protocol could not read."""
    parts = [g for g in protocol.groups if g.whole]
    return sum(g.outcomes.get(Outcome.UNPARSABLE, 0) for g in parts) / max(1, sum(g.answers for g in parts))
