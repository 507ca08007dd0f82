"""What would help where many questions got no answer: which option, by what the answers of the run look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from snellen.core.exam import Exam
from snellen.core.records import Manifest
from snellen.core.reply import spoken
from snellen.core.results import ProtocolSummary
from snellen.core.silence import Silent
from snellen.core.types import Outcome
from snellen.engine.runs.folder import RunFolder, Scan


def advice(
    folder: RunFolder,
    scan: Scan,
    manifest: Manifest,
    exam: Exam,
    silent: Sequence[Silent],
    protocols: Sequence[ProtocolSummary],
) -> tuple[str, ...]:
    """A sentence for each kind of non-answer that there is much of, the commonest first."""
    main = protocols[0].protocol if protocols else ""
    kinds: Counter[str] = Counter()
    for row in silent:
        if row.protocol == main:
            kinds.update(row.outcomes)
    return tuple(_sentence(kind, folder, scan, manifest, exam, silent, protocols) for kind, _n in kinds.most_common())


def _sentence(
    kind: str,
    folder: RunFolder,
    scan: Scan,
    manifest: Manifest,
    exam: Exam,
    silent: Sequence[Silent],
    protocols: Sequence[ProtocolSummary],
) -> str:
    if kind == Outcome.TRUNCATED:
        return _cut(folder, scan, manifest)
    if kind == Outcome.UNPARSABLE:
        return _unread(exam, silent, protocols)
    return {
        Outcome.EMPTY: "empty replies: 'snellen report RUN' shows them; a model that only thinks may need --max-thinking",
        Outcome.REFUSED: "refusals come from the model or its provider's filter: 'snellen report RUN' shows their words",
        Outcome.ERROR: "errors are asked again by the same command; the reasons are listed",
    }[Outcome(kind)]


def _cut(folder: RunFolder, scan: Scan, manifest: Manifest) -> str:
    """Replies that ended at the cap: while still thinking, or while speaking."""
    cut = [a for a in folder.texts(scan) if a.finish_reason == "length"]
    thinking = sum(not spoken(a.text).strip() for a in cut)
    caps = manifest.subject.identity.get("parameters") or {}
    now = next((caps[k] for k in ("max_tokens", "max_completion_tokens", "max_output_tokens") if k in caps), None)
    told = f" (the cap was {now} tokens)" if now else ""
    if 2 * thinking > len(cut):
        return (
            f"replies were cut off{told} before the model said anything, most likely while it was thinking: "
            "give --max-thinking 8192, or --reasoning low"
        )
    return f"replies were cut off{told}: give a higher --max-tokens"


def _unread(exam: Exam, silent: Sequence[Silent], protocols: Sequence[ProtocolSummary]) -> str:
    """Replies that a protocol cannot read: another one of the run may."""
    main = protocols[0].protocol
    worst = {row.protocol for row in silent if Outcome.UNPARSABLE in row.outcomes}
    able = [p.protocol for p in protocols if p.protocol not in worst]
    if able:
        return f"'{main}' cannot read many replies that {', '.join(map(repr, able))} can: the score under '{main}' is about form, not sight"
    if "robust" in exam.protocols and "robust" not in worst:
        return "many replies cannot be read: 'snellen remark RUN --protocol robust' reads more forms, for free"
    return "many replies cannot be read: 'snellen report RUN' shows them; the prompt may ask for a form that the model does not keep"
