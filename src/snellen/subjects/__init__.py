"""Subjects answer questions: models behind an API or on this machine, baselines, replays. They get Questions and never import an exam.

A subject is named `PREFIX/NAME`. The prefix finds its kind in the entry point group `snellen.subjects`, ours and yours alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.options import Option, filled
from snellen.core.subject import BuildContext, Hosting, Subject, SubjectKind
from snellen.registry import Registry
from snellen.registry.plugins import SUBJECTS

_KINDS: Registry[SubjectKind] = Registry(SUBJECTS, "kind of subject", lambda plugins: plugins.subjects)
NOBODY = "Specify --model ('snellen list subjects' shows the forms)."


def kinds() -> dict[str, SubjectKind]:
    """Return all kinds of subjects by prefix."""
    return {name: _KINDS.get(name) for name in _KINDS.names()}


def forms() -> dict[str, str]:
    """Return how subjects are named, and the meaning of each form."""
    return {form: about for kind in kinds().values() for form, about in kind.forms.items()}


def hosting(prefix: str) -> Hosting:
    """Return where the models of a kind run. Nothing is known of a kind that is not installed here."""
    return _KINDS.get(prefix).hosting if prefix in _KINDS.names() else Hosting()


def servers() -> dict[str, tuple[str, ...]]:
    """Return the commands of the servers that `--serve` can start, by the prefix of the models."""
    return {name: kind.serves for name, kind in kinds().items() if kind.serves}


def find(spec: str | None) -> tuple[SubjectKind, str]:
    """Return the kind of a subject and its name behind the prefix."""
    if not spec:
        raise SnellenError(NOBODY)
    prefix, _, name = spec.partition("/")
    try:
        return _KINDS.get(prefix), name
    except SnellenError as error:
        raise SnellenError(f"--model {spec}: {error} ('snellen list subjects' tells more)") from None


def options_of(spec: str) -> tuple[Option, ...]:
    """Return the options that have an effect on a subject that another one asks."""
    kind, name = find(spec)
    return kind.takes(name, {}, options_of)


def build(
    spec: str | None,
    exam: Exam,
    *,
    options: Mapping[str, Any] | None = None,
    data: Dataset | None = None,
    seed: int = 0,
    offline: bool = False,
) -> Subject:
    """Return the subject of `--model SPEC`. `options` are those that the user gave; `offline` builds one that will not be called."""
    given = options or {}
    kind, name = find(spec)
    if kind.exams and exam.name not in kind.exams:
        raise SnellenError(f"--model {spec} answers {', '.join(kind.exams)} only, not {exam.name}")

    def asked_by_it(other: str, changed: Mapping[str, Any] | None = None) -> Subject:
        return build(other, exam, options={**given, **(changed or {})}, data=data, seed=seed, offline=offline)

    values = filled(kind.takes(name, given, options_of), given)
    return kind.build(name, BuildContext(values, exam, data, seed, offline, asked_by_it))
