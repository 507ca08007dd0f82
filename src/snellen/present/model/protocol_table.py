"""Protocols side by side. The table is generated, not written by hand: prompts are asked about probes and taken apart, and rules are
tried with replies. Nothing here knows one protocol or exam: change a protocol and the table changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.errors import unknown
from snellen.core.exam import Exam
from snellen.core.extras import probes_of
from snellen.core.outcomes import mark_reply
from snellen.core.types import Mark, Outcome, Sample
from snellen.engine.mark.plain_floors import texts_of
from snellen.engine.plan.plan import ProtocolRun
from snellen.present.model.prompt_diff import (
    RenderedPrompt,
    difference,
    fold,
    near,
    respelled,
    sentences,
    take_apart,
    word_diff,
)
from snellen.present.model.protocol_probes import HARMLESS, OTHERS, SEPARATORS, ingredients

ACCEPTED = "accepted"
NOT_TRIED = "not tried: no option and no text of the truth is an answer here"
_FORMAT = re.compile(r"\b(?:respon[ds]\w*|reply|answer|formats?|separated|words?|write out|output)\b", re.IGNORECASE)
_TASK = re.compile(r"\b(?:task|identify|examine|choose|choosing|select|determine|which|what|how)\b", re.IGNORECASE)


class ProtocolRow(NamedTuple):
    """A row of the table: one value a protocol, to be compared; `shown` is what is printed where that is another text."""

    name: str
    values: tuple[str, ...]
    shown: tuple[str, ...] | None = None

    @property
    def same(self) -> bool:
        """Whether all protocols agree on this row."""
        return len(set(self.values)) == 1


class Section(NamedTuple):
    """Rows that belong together. `kind` is prompt, rule, replies or candidates."""

    kind: str
    title: str
    split: str
    task: str
    rows: tuple[ProtocolRow, ...]


class ProtocolTable(NamedTuple):
    """The whole comparison: one column a protocol."""

    exam: str
    columns: tuple[str, ...]
    sections: tuple[Section, ...]


def build(
    exam: Exam,
    targets: Sequence[ProtocolRun],
    splits: Sequence[str] = (),
    tasks: Sequence[str] = (),
    shown: Sequence[Sample] = (),
) -> ProtocolTable:
    """The table of these protocols: the first split unless others are named; the candidate classes of all splits.

    `shown` are the samples that prompts are shown with, the exam's probes where there are none.
    """
    tagged = ((p, {"split": "all", "task": "answer"} | p.tags) for p in shown or probes_of(exam))
    first: dict[tuple[str, str], Sample] = {}
    for probe, tags in tagged:
        first.setdefault((tags["split"], tags["task"]), msgspec.structs.replace(probe, tags=tags))
    probes = list(first.values())
    every = list(dict.fromkeys(p.tags["split"] for p in probes))
    picked = [_known("split", s, every) for s in splits]
    wanted = [_known("task", t, list(dict.fromkeys(p.tags["task"] for p in probes))) for t in tasks]
    rendered = _Rendered(exam, tuple(targets), probes)
    sections: list[Section] = []
    for sample in probes:
        split, task = sample.tags["split"], sample.tags["task"]
        if split in (picked or every[:1]) and task in (wanted or [task]):
            for kind, title, rows in (
                ("prompt", "prompt", _prompt_rows(rendered, sample)),
                ("rule", "reading and marking", _rule_rows(rendered, sample)),
                ("replies", "replies tried", _reply_rows(rendered, sample)),
            ):
                sections.append(Section(kind, f"{split} · {task}: {title}", split, task, tuple(rows)))
    for split in picked or every:
        classes = tuple(_candidate_rows(rendered, split, wanted))
        sections.append(Section("candidates", f"{split}: candidate classes", split, "", classes))
    return ProtocolTable(exam.name, tuple(c.name for c in targets), tuple(sections))


def _known(what: str, given: str, there: list[str]) -> str:
    found = [t for t in there if given.lower() in (t.lower(), t.lower().rpartition("_")[2])]
    if not found:
        raise unknown(what, given, there)
    return found[0]


# ---------------------------------------------------------------- prompts, taken apart


class _Rendered:
    """An exam's prompts, rendered once, and its protocols, tried."""

    def __init__(self, exam: Exam, targets: tuple[ProtocolRun, ...], probes: list[Sample]) -> None:
        self.targets, self.probes = targets, probes
        own = (ProtocolRun(p, Arm(p.prompt)) for p in exam.protocols.values())
        self.judges = tuple(dict.fromkeys((*targets, *own)))
        self.prompts = tuple(dict.fromkeys((*(c.arm.prompt for c in targets), *exam.prompts)))
        asked = {(n, s.id): exam.ask(n, s) for n in self.prompts for s in probes}
        self._parts = {key: take_apart(question.text, question.options) for key, question in asked.items()}

    def printed(self, prompt: str, sample: Sample) -> RenderedPrompt:
        return self._parts[prompt, sample.id]

    def kinds(self, split: str) -> dict[str, set[str]]:
        """What sort of name each task of a split asks for: those that some prompt offers for that task alone."""
        samples = [s for s in self.probes if s.tags["split"] == split]
        found: dict[str, set[str]] = {s.tags["task"]: set() for s in samples}
        for prompt in self.prompts:
            lists = {s.tags["task"]: {fold(o) for o in self.printed(prompt, s).options} for s in samples}
            for task, own in lists.items():
                found[task] |= own - set().union(*(names for t, names in lists.items() if t != task))
        return {task: names for task, names in found.items() if names}

    def sort(self, options: Sequence[str], split: str) -> dict[str, list[str]]:
        """Options by the task that asks for their sort; all under '' where the tasks share one sort."""
        kinds = self.kinds(split)
        found: dict[str, list[str]] = {}
        for option in options:
            exact = (t for t, names in kinds.items() if fold(option) in names)
            close = (t for t, names in kinds.items() if near(option, names))
            found.setdefault(next(exact, None) or next(close, ""), []).append(option)
        return found

    def spellings(self, sample: Sample) -> list[list[str]]:
        """For each prompt, the names that it offers of the sort that a question asks for."""
        split, task = sample.tags["split"], sample.tags["task"]
        kind = task if task in self.kinds(split) else ""
        return [self.sort(self.printed(p, sample).options, split).get(kind, []) for p in self.prompts]

    def votes(self, sample: Sample, text: str) -> int:
        """Under how many protocols a text is the right answer."""
        return sum(carrier(c, sample, text) is not None for c in self.judges)


def _prompt_rows(rendered: _Rendered, sample: Sample) -> Iterator[ProtocolRow]:
    columns = [rendered.printed(c.arm.prompt, sample) for c in rendered.targets]
    first = columns[0]
    yield ProtocolRow("prompt", tuple(c.arm.prompt for c in rendered.targets))
    diffs = (first.text, *(word_diff(first.frame, p.frame) for p in columns[1:]))
    yield ProtocolRow("wording", tuple(p.text for p in columns), diffs)
    parts = [sentences(p.frame) for p in columns]
    formats = [[s for s in part if _FORMAT.search(s)] for part in parts]
    rest = [[s for s in part if s not in f] for part, f in zip(parts, formats, strict=True)]
    yield ProtocolRow("description", tuple(" ".join(s for s in part if not _TASK.search(s)) or "–" for part in rest))
    yield ProtocolRow("task sentence", tuple(" ".join(s for s in part if _TASK.search(s)) or "–" for part in rest))
    yield ProtocolRow("options offered", tuple(_offered(rendered, c.arm.prompt, sample) for c in rendered.targets))
    yield ProtocolRow("options listed", tuple(", ".join(p.options) or "none" for p in columns))
    orders = [difference(first.options, p.options).rpartition("; ")[2] for p in columns]
    shown = "(the order that others are compared with)" if first.options else orders[0]
    yield ProtocolRow("option order", tuple(orders), (shown, *orders[1:]))
    yield ProtocolRow("answer format demanded", tuple(" ".join(f) or "–" for f in formats))


def _offered(rendered: _Rendered, prompt: str, sample: Sample) -> str:
    """How many options of which sort, and whether another task gets the same list."""
    split, own = sample.tags["split"], rendered.printed(prompt, sample).options
    if not own:
        return "none"
    sorts = {kind: len(names) for kind, names in rendered.sort(own, split).items()}
    others = [s for s in rendered.probes if s.tags["split"] == split and s.tags["task"] != sample.tags["task"]]
    if not others:
        return str(len(own))
    alike = [s.tags["task"] for s in others if {*map(fold, rendered.printed(prompt, s).options)} == {*map(fold, own)}]
    counts = " + ".join(f"{n} {kind}".strip() for kind, n in sorts.items())
    mixed = "mixed: " if len(sorts) > 1 else "only " if "" not in sorts else ""
    return f"{mixed}{counts}" + (f"; the same for {', '.join(alike)}" if alike else "; other tasks get another list")


def _candidate_rows(rendered: _Rendered, split: str, tasks: list[str]) -> Iterator[ProtocolRow]:
    samples = [s for s in rendered.probes if s.tags["split"] == split and s.tags["task"] in (tasks or [s.tags["task"]])]
    kinds = rendered.kinds(split)
    for sample in samples if kinds else samples[:1]:
        kind = sample.tags["task"] if kinds else ""
        lists = [
            rendered.sort(rendered.printed(c.arm.prompt, sample).options, split).get(kind, []) for c in rendered.targets
        ]
        name = f"{kind} candidates".strip()
        yield ProtocolRow(name, tuple(", ".join(names) or "none" for names in lists))
        against = [difference(lists[0], names) for names in lists]
        shown = "(what others are compared with)" if lists[0] else against[0]
        yield ProtocolRow(f"{name}, difference", tuple(against), (shown, *against[1:]))


# ---------------------------------------------------------------- rules, tried with replies


def _right(one: ProtocolRun, sample: Sample, reply: str) -> bool:
    return mark_reply(one.protocol, sample, reply).outcome is Outcome.CORRECT


def carrier(one: ProtocolRun, sample: Sample, text: str) -> str | None:
    """The plainest form in which a protocol takes an answer: bare, `Answer: X`, or `Task: X`; None where none is right."""
    forms = ("{}", "Answer: {}", sample.tags["task"].title() + ": {}")
    return next((f for f in forms if _right(one, sample, f.format(text))), None)


class Case(NamedTuple):
    """A sample with its right answer (several names where several are right) and a wrong one of the same sort.

    `known` is false where no text that was found is right under any protocol: answers are points or captions, say.
    """

    sample: Sample
    names: tuple[str, ...]
    wrong: str
    known: bool = True


def find_case(rendered: _Rendered, sample: Sample) -> Case:
    """The right answer of a probe is the text that most protocols take as right: of its truth, or of the options."""
    options = list(dict.fromkeys(o for names in rendered.spellings(sample) for o in names))
    texts = list(dict.fromkeys((*texts_of(sample.truth), *options)))
    best = max(texts, key=lambda t: rendered.votes(sample, t), default="")
    pieces = tuple(p.strip() for p in best.split(","))
    names = pieces if all(near(p, options) for p in pieces) else (best,)
    wrong = (o for o in options if not near(o, names) and not rendered.votes(sample, o))
    return Case(sample, names, next(wrong, "something else"), rendered.votes(sample, best) > 0)


def _with_truth(rendered: _Rendered, case: Case, spellings: Iterable[str]) -> Case | None:
    """The probe with another right answer, in the spelling that most protocols take; None where it has several."""
    if len(case.names) != 1:
        return None
    found = []
    for new in spellings:
        sample, old = case.sample, case.names[0]
        tags = {k: new if v == old else v for k, v in sample.tags.items()}
        truth = _replaced(sample.truth, old, new)
        if truth != sample.truth or new == old:
            changed = msgspec.structs.replace(sample, tags=tags, truth=truth)
            found.append(Case(changed, (new,), case.wrong))
    return max(found, key=lambda t: rendered.votes(t.sample, t.names[0]), default=None)


def _replaced(truth: Any, old: str, new: str) -> Any:
    if isinstance(truth, Mapping):
        return {k: _replaced(v, old, new) for k, v in truth.items()}
    if isinstance(truth, list):
        return [_replaced(v, old, new) for v in truth]
    return new if truth == old else truth


def _own(rendered: _Rendered, one: ProtocolRun, case: Case) -> dict[str, str]:
    """What replies are made of, in the spelling of a protocol's own prompt."""
    options = rendered.printed(one.arm.prompt, case.sample).options
    names = [near(n, options) or n for n in case.names]
    return ingredients(names, case.wrong, options or max(rendered.spellings(case.sample), key=len))


def _respelled_cases(rendered: _Rendered, case: Case) -> Iterator[tuple[str, Case, str]]:
    """Tries that need a right answer of a certain spelling: with an underscore, or unlike in two prompts."""
    lists = rendered.spellings(case.sample)
    every = list(dict.fromkeys(n for names in lists for n in names))
    bound = next((n for n in every if "_" in n), "")
    if found := _with_truth(rendered, case, [n for n in every if bound and fold(n) == fold(bound)]):
        name = found.names[0]
        yield f"spaces for underscores: {name.replace('_', ' ')}", found, name.replace("_", " ")
        yield f"hyphens for underscores: {name.replace('_', '-')}", found, name.replace("_", "-")
    pairs = dict.fromkeys(tuple(sorted(p)) for first in lists for other in lists for p in respelled(first, other))
    for pair in pairs:
        if found := _with_truth(rendered, case, pair):
            other = next(n for n in pair if n != found.names[0])
            yield f"another prompt's spelling: {other} for {found.names[0]}", found, other
    if (british := [re.sub("(?i)(?<=col)o(?=r)", "ou", n) for n in case.names]) != list(case.names):
        yield f"British spelling: {', '.join(british)}", case, ", ".join(british)


def _tried(rendered: _Rendered, case: Case) -> Iterator[tuple[str, bool, tuple[Mark, ...]]]:
    """Every reply's mark under every protocol, and whether the reply is a harmless variant of the right answer."""
    made_of = [_own(rendered, c, case) for c in rendered.targets]
    forms = HARMLESS | OTHERS if case.known else {n: f for n, f in OTHERS.items() if "{" not in f}
    for name, form in forms.items():
        marks = (
            mark_reply(c.protocol, case.sample, form.format(**m))
            for c, m in zip(rendered.targets, made_of, strict=True)
        )
        yield name, name in HARMLESS, tuple(marks)
    for name, found, reply in _respelled_cases(rendered, case) if case.known else ():
        yield name, True, tuple(mark_reply(c.protocol, found.sample, reply) for c in rendered.targets)


def _word(mark: Mark) -> str:
    if mark.outcome is Outcome.CORRECT:
        return ACCEPTED
    partly = {k: v for k, v in mark.metrics.items() if isinstance(v, float) and 1e-6 < v < 1 - 1e-6}
    if partly:
        return "partly (" + ", ".join(f"{k} {v:.2f}" for k, v in partly.items()) + ")"
    return "no" if mark.outcome is Outcome.WRONG else str(mark.outcome)


def _reply_rows(rendered: _Rendered, sample: Sample) -> Iterator[ProtocolRow]:
    case = find_case(rendered, sample)
    if case.known:
        yield ProtocolRow("X and Y", tuple("{X} and {Y}".format(**_own(rendered, c, case)) for c in rendered.targets))
    else:
        yield ProtocolRow("a right answer", (NOT_TRIED,) * len(rendered.targets))
    for name, _harmless, marks in _tried(rendered, case):
        yield ProtocolRow(name, tuple(_word(m) for m in marks))


def _rule_rows(rendered: _Rendered, sample: Sample) -> Iterator[ProtocolRow]:
    case = find_case(rendered, sample)
    tried = list(_tried(rendered, case))
    columns = [_Rule(rendered, c, case, {n: m[i] for n, _h, m in tried}) for i, c in enumerate(rendered.targets)]
    harmless = [marks for _n, h, marks in tried if h]
    # where no text that was tried is right, there is nothing to tell from
    if any(r.carrier is not None for r in columns):
        yield ProtocolRow("format required", tuple(r.required for r in columns))
        yield ProtocolRow("extraction", tuple(r.extraction() for r in columns))
        yield ProtocolRow("matching", tuple(r.matching() for r in columns))
        yield ProtocolRow("normalisation", tuple(r.normalisation() for r in columns))
    if case.known:
        good = [sum(m[i].outcome is Outcome.CORRECT for m in harmless) for i in range(len(columns))]
        yield ProtocolRow("tolerance", tuple(f"{n} of {len(harmless)} harmless variants accepted" for n in good))
    else:
        yield ProtocolRow("tolerance", (NOT_TRIED,) * len(columns))
    yield ProtocolRow("fallback", tuple(r.fallback() for r in columns))
    if case.known:
        yield ProtocolRow("can be won by listing every option", tuple(r.won_by_listing() for r in columns))
        yield ProtocolRow("true options marked wrong as printed", tuple(r.misprinted() for r in columns))
    yield ProtocolRow("headline score", tuple(c.protocol.headline for c in rendered.targets))


class _Rule:
    """One protocol's rule, told from what it does with replies."""

    def __init__(self, rendered: _Rendered, one: ProtocolRun, case: Case, tried: dict[str, Mark]) -> None:
        self.rendered, self.one, self.case, self.tried = rendered, one, case, tried
        self.made_of = _own(rendered, one, case)
        self.carrier = carrier(one, case.sample, self.made_of["X"])
        plain = (self.carrier or "{}").format("X")
        self.required = "none" if plain == "X" else f"'{plain}'"

    def _mark(self, text: str, case: Case | None = None) -> Mark:
        return mark_reply(self.one.protocol, (case or self.case).sample, (self.carrier or "{}").format(text))

    def _takes(self, text: str, case: Case | None = None) -> bool:
        return self._mark(text, case).outcome is Outcome.CORRECT

    def _took(self, start: str) -> bool:
        return any(m.outcome is Outcome.CORRECT for n, m in self.tried.items() if n.startswith(start))

    def extraction(self) -> str:
        """Which part of the reply counts."""
        x, y, task = self.made_of["X"], self.made_of["Y"], self.case.sample.tags["task"].title()
        if self.carrier is None:
            return "takes no form tried"
        if self.carrier != "{}":
            which = "first" if self._took("Answer: X, then Answer: Y") else "last"
            return f"only what follows the {which} {self.required.removesuffix('X' + chr(39)).strip()}'"
        whole = self._region()
        if whole.startswith("whole") and self._took("Y, then Answer: X") and not self._took("X, then Answer: Y"):
            whole += "; what follows 'Answer:' takes precedence"
        last, first = (_right(self.one, self.case.sample, t) for t in (f"{task}: {y}\n{x}", f"{y}\n{task}: {x}"))
        if self._took("in a sentence") and first and not last:
            whole += f"; a line '{task}:' takes precedence"
        return whole + self._pieces()

    def _region(self) -> str:
        """Where in the reply the answer may stand, told from replies that have it in one place only."""
        x, other = self.made_of["X"], "Let me look at the picture."
        places = {"first": f"{x} I see", "last": f"I see {x}", "line": f"{other}\n{x}", "sentence": f"{other} {x}"}
        right = {name: _right(self.one, self.case.sample, text) for name, text in places.items()}
        if not self._took("in a sentence"):
            ends = {"beginning": right["first"], "end": right["last"]}
            return next(
                (f"only the {end} of the reply" for end, takes in ends.items() if takes and sum(ends.values()) == 1),
                "whole reply, nothing else may be in it",
            )
        first = [f"first {part}" for part in ("line", "sentence") if not right[part]]
        return f"only the {' or '.join(first)}" if first else "whole reply"

    def _pieces(self) -> str:
        """At what a reply with several names is split, told from readings that are lists."""
        first, wrong = self.made_of["X"].partition(",")[0], self.case.wrong
        found = []
        for name, mark in SEPARATORS.items():
            reading = self._mark(first + mark + wrong).reading
            if isinstance(reading, list) and {fold(str(r)) for r in reading} == {fold(first), fold(wrong)}:
                found.append(name)
        return f"; pieces by {', '.join(found)}" if found else ""

    def matching(self) -> str:
        """Substring, whole words or equality; and whether a second name does harm."""
        inside, among = self._takes(self.made_of["inside"]), self._takes(self.made_of["among"])
        how = "substring" if inside else "whole words" if among else "equality"
        return how + ("; a second name does no harm" if self._takes("{X} or {Y}".format(**self.made_of)) else "")

    def normalisation(self) -> str:
        """Which changes of the right answer are forgiven, in the form that the protocol takes."""
        x = self.made_of["X"]
        forms = {"final period": f"{x}.", "quotes": f'"{x}"', "markdown": f"**{x}**", "brackets": f"[{x}]"}
        found = ["case"] if self._takes(x.lower()) and self._takes(x.upper()) else []
        if not self._takes(self.made_of["inside"]):  # a substring may have anything around it
            found += [name for name, form in forms.items() if self._takes(form)]
        if self._takes(f"{x[:-1]}'{x[-1:]}"):
            found.append("punctuation inside")
        for name, case, reply in _respelled_cases(self.rendered, self.case):
            if self._takes(reply, case):
                found.append(name.partition(":")[0] if "underscores" in name else name.partition(": ")[2])
        return ", ".join(found) or "nothing forgiven"

    def fallback(self) -> str:
        """What becomes of a reply without an answer."""
        mark = self.tried["unrelated text"]
        outcome, headline = str(mark.outcome), self.one.protocol.headline
        value = mark.metrics.get(headline)
        if value is None:  # a headline over all samples, such as macro F1
            return outcome
        return f"{outcome}: {headline} {f'{value:g}' if isinstance(value, float) else value}"

    def won_by_listing(self) -> str:
        """Whether naming all options, or all of the sort asked for, is marked correct whatever their order."""
        sort = self.rendered.spellings(self.case.sample)[self.rendered.prompts.index(self.one.arm.prompt)]
        if not self.made_of["ALL"]:
            return "–"
        every = self.made_of["ALL"].split(", ")
        once = False
        for names, which in ((every, "yes"), (sort, "yes, by listing all of the kind asked for")):
            for form in ("{}", self.carrier or "{}"):
                both = [form.format(", ".join(order)) for order in (names, names[::-1])]
                right = [_right(self.one, self.case.sample, text) for text in both]
                if all(right):
                    return which
                once = once or any(right)
        said = _word(self.tried["every option listed"])
        return "no, for one order only" if once else said if said == "no" else f"no: {said}"

    def misprinted(self) -> str:
        """Options that the prompt prints and the rule then marks wrong where they are the truth."""
        if len(self.case.names) > 1:
            return "not tried: several answers are right"
        lists, found = self.rendered.spellings(self.case.sample), []
        for option in lists[self.rendered.prompts.index(self.one.arm.prompt)]:
            forms = dict.fromkeys((option, *(n for names in lists if (n := near(option, names)))))
            case = _with_truth(self.rendered, self.case, forms)
            if case is not None and not self._takes(option, case):
                found.append(option)
        return ", ".join(found) or "none"
