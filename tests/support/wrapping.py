"""Replies with a known meaning, from a seed: an answer in every form that we have seen models use, or no answer.

A `Topic` is the subject of a question of some exam; `generate` makes replies about topics. A form is a way to give an answer. Most
forms also hold an answer with a negation ("not Y but X") or a correction ("Y. No, wait, X"), in another case or spelling, and with
thinking, special tokens or odd characters around it. `means` is False where the reply has no answer: it ended in its thinking,
hedges, contradicts itself, or takes everything back. No reader may find an answer there.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Topic:
    """The subject of one question.

    `answers` are as the prompt prints them: one, or several for a list. `others` are the options that are not meant, at least one.
    `spellings` are other ways to write the answer. `because` is a clause that names no option. `about` is for people who read the
    replies.
    """

    answers: tuple[str, ...]
    others: tuple[str, ...]
    because: str = "it stands out from everything else in the picture"
    spellings: tuple[str, ...] = ()
    joiner: str = ", "
    about: object = None

    @property
    def options(self) -> tuple[str, ...]:
        """All options, in an order that does not give the answer away."""
        return tuple(sorted((*self.answers, *self.others)))


class Said(NamedTuple):
    """A reply, whether it gives the topic's answer (otherwise it has none), and its form and twist."""

    reply: str
    means: bool
    form: str
    topic: Topic


Form = Callable[[str, Topic, random.Random], str]
BARE: dict[str, Form] = {}
"""Forms that hold the bare answer only: maps, lists and tables."""
FORMS: dict[str, Form] = {}
"""Forms that hold any short text: the answer, also with a negation or a correction."""
NOTHING: dict[str, Form] = {}
"""Forms without an answer, though the answer's name may occur."""


def _text(name: str, template: str) -> None:
    """Register a form from a template: X the answer, E the explanation, ALL the options."""

    def form(x: str, topic: Topic, _rng: random.Random) -> str:
        filled = template.replace("ALL", ", ".join(topic.options)).replace("E!", _sentence(topic.because))
        return filled.replace("E?", topic.because).replace("X!", x)

    FORMS[name] = form


def _sentence(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


for _name, _template in {
    "plain": "X!",
    "period": "X!.",
    "exclamation": "X!" + "!",
    "newline": "\nX!\n",
    "the answer is": "The answer is X!.",
    "it is": "It is X!.",
    "it's": "It's X!.",
    "i think": "I think it is X!.",
    "i believe": "I believe the correct answer is X!.",
    "i would say": "I would say X!.",
    "i'd go with": "I'd go with X!.",
    "i choose": 'I would choose "X!".',
    "most likely": "The most likely answer is X!.",
    "answer colon": "Answer: X!",
    "answer newline": "Answer:\nX!",
    "final answer": "Final answer: X!",
    "bold final answer": "**Final Answer:** X!",
    "bold answer": "**Answer**: **X!**",
    "my choice": "My choice: X!",
    "answer equals": "answer = X!",
    "answer arrow": "Answer -> X!",
    "bold": "**X!**",
    "italics": "*X!*",
    "bold italics": "***X!***",
    "code span": "`X!`",
    "double quotes": '"X!"',
    "single quotes": "'X!'",
    "curly quotes": "\u201cX!\u201d",
    "guillemets": "\u00abX!\u00bb",
    "quotes and period": '"X!."',
    "bullet": "- X!",
    "star bullet": "* X!",
    "round bullet": "\u2022 X!",
    "numbered": "1. X!",
    "heading": "# X!",
    "under a heading": "## Answer\n\nX!",
    "blockquote": "> X!",
    "fence": "```\nX!\n```",
    "fence text": "```text\nX!\n```",
    "parentheses": "(X!)",
    "square brackets": "[X!]",
    "answer tag": "<answer>X!</answer>",
    "answer tag lines": "<answer>\nX!\n</answer>",
    "answer tag because": "<answer>X!</answer> because E?.",
    "final answer tag": "<final_answer>X!</final_answer>",
    "nested xml": "<response>\n  <reason>E!.</reason>\n  <answer>X!</answer>\n</response>",
    "begin of box": "<|begin_of_box|>X!<|end_of_box|>",
    "conclusion tag": "<SUMMARY>I will look.</SUMMARY><CAPTION>A picture.</CAPTION><CONCLUSION>X!</CONCLUSION>",
    "boxed": "\\boxed{X!}",
    "boxed text": "$\\boxed{\\text{X!}}$",
    "boxed because": "\\boxed{X!} because E?.",
    "boxed at the end": "E!. Therefore, the final answer is $\\boxed{X!}$.",
    "em dash": "X! \u2014 E?.",
    "tight em dash": "X!\u2014E?.",
    "en dash": "X! \u2013 E?.",
    "hyphen": "X! - E?.",
    "em dash because": "X! \u2014 because E?.",
    "because": "X! because E?.",
    "comma because": "X!, because E?.",
    "since": "X! since E?.",
    "as": "X! as E?.",
    "given that": "X!, given that E?.",
    "due to": "X! due to the fact that E?.",
    "semicolon": "X!; E?.",
    "trailing sentence": "X!. E!.",
    "trailing paragraph": "X!\n\nE!.",
    "so the answer is": "E!. So the answer is X!.",
    "therefore": "E!. Therefore, the answer is X!.",
    "thus colon": "E!.\n\nThus: X!",
    "in conclusion": "E!. In conclusion, it is X!.",
    "look first": "Let me look at the picture carefully.\n\nX!",
    "based on": "Based on the picture, the answer is X!.",
    "looking at": "Looking at the picture, I can see that it is X!.",
    "reasoning then answer": "Reasoning: E!.\nAnswer: X!",
    "answer then reasoning": "Answer: X!\nReasoning: E!.",
    "bold answer then explanation": "**Answer:** X!\n\n**Explanation:** E!.",
    "steps": "Step 1: I look at the picture.\nStep 2: E!.\nStep 3: Answer: X!",
    "assistant": "Assistant: X!",
    "llava speaker": "ASSISTANT: X!",
    "sure": "Sure! X!",
    "certainly": "Certainly! The answer is X!.",
    "sure here is": "Sure, here is the answer: X!",
    "okay": "Okay, the answer is X!.",
    "options echoed": "The options are: ALL. The answer is X!.",
    "among the options": "Among the options (ALL), the correct answer is: X!",
    "confidence": "X! (confidence: 90%)",
    "check mark": "\u2705 X!",
    "yaml": "answer: X!\nreason: E?",
    "yaml reason first": "reason: E?\nanswer: X!",
    "html": "<p><b>X!</b></p>",
    "html entities": "&quot;X!&quot;",
    "after colon": "Here is my answer: X!",
    "tldr": "E!.\n\nTL;DR: X!",
    "q and a": "Question: what is it?\nAnswer: X!",
    "the correct option": "The correct option is **X!**.",
    "i can see": "E!. That's why I'd say it is X!.",
}.items():  # fmt: skip
    _text(_name, _template)


def _form(table: dict[str, Form], name: str) -> Callable[[Form], Form]:
    def put(form: Form) -> Form:
        table[name] = form
        return form

    return put


_SIGNS = {True: "\u2713", False: "\u2717"}


def _fenced(value: object, language: str = "json", indent: int | None = None) -> str:
    return f"```{language}\n{json.dumps(value, ensure_ascii=False, indent=indent)}\n```"


FORMS.update(
    {
        "json": lambda x, t, _r: json.dumps({"answer": x}, ensure_ascii=False),
        "json fenced": lambda x, t, _r: _fenced({"answer": x}),
        "json fenced upper": lambda x, t, _r: _fenced({"answer": x}, "JSON", 2),
        "json fenced without language": lambda x, t, _r: _fenced({"answer": x}, ""),
        "json one line fence": lambda x, t, _r: f'```json {{"answer": {json.dumps(x)}}}```',
        "json reason first": lambda x, t, _r: json.dumps({"reasoning": t.because, "answer": x}),
        "json reason last": lambda x, t, _r: _fenced({"final_answer": x, "explanation": t.because}, indent=2),
        "json nested": lambda x, t, _r: json.dumps({"response": {"answer": x, "confidence": 0.9}}),
        "json result": lambda x, t, _r: _fenced({"result": {"label": x}}),
        "json stringified": lambda x, t, _r: json.dumps(json.dumps({"answer": x})),
        "json in a sentence": lambda x, t, _r: (
            f"Here is the result:\n\n{_fenced({'answer': x})}\n\nLet me know if you need more."
        ),
        "json in a list": lambda x, t, _r: json.dumps([{"answer": x}]),
        "python dict": lambda x, t, _r: str({"answer": x}),
        "python dict with sure": lambda x, t, _r: str({"answer": x, "sure": True}),
        "json camel case": lambda x, t, _r: json.dumps({"finalAnswer": x}),
    }
)
BARE.update(
    {
        "json list": lambda x, t, _r: json.dumps(list(t.answers)),
        "json list fenced": lambda x, t, _r: _fenced(list(t.answers)),
        "json answer list": lambda x, t, _r: _fenced({"answer": list(t.answers)}, indent=2),
        "json yes and no": lambda x, t, _r: json.dumps({o: "yes" if o in t.answers else "no" for o in t.options}),
        "json true and false": lambda x, t, _r: json.dumps({o: o in t.answers for o in t.options}),
        "json ones and zeros": lambda x, t, _r: _fenced({o.lower(): int(o in t.answers) for o in t.options}),
        "json nested yes and no": lambda x, t, _r: json.dumps({"answer": {o: o in t.answers for o in t.options}}),
        "yes and no lines": lambda x, t, _r: "\n".join(f"{o}: {_yes(o, t)}" for o in t.options),
        "yes and no bullets": lambda x, t, _r: "\n".join(f"- **{o}**: {_yes(o, t)}" for o in t.options),
        "yes and no in a line": lambda x, t, _r: ", ".join(f"{o}: {_yes(o, t)}" for o in t.options),
        "yes and no dashes": lambda x, t, _r: "\n".join(f"{o} - {_yes(o, t).lower()}" for o in t.options),
        "yes and no in brackets": lambda x, t, _r: "; ".join(f"{o} ({_yes(o, t).lower()})" for o in t.options),
        "yes and no table": lambda x, t, _r: (
            "| Option | Present |\n| --- | --- |\n" + "\n".join(f"| {o} | {_yes(o, t)} |" for o in t.options)
        ),
        "yes and no signs": lambda x, t, _r: "\n".join(f"{o}: {_SIGNS[o in t.answers]}" for o in t.options),
        "answer table": lambda x, t, _r: f"| Question | Answer |\n|---|---|\n| What is it? | {x} |",
        "task list": lambda x, t, _r: "\n".join(f"- [{'x' if o in t.answers else ' '}] {o}" for o in t.options),
        "bullets": lambda x, t, _r: "\n".join(f"- {a}" for a in t.answers),
        "numbered list": lambda x, t, _r: "\n".join(f"{i}. {a}" for i, a in enumerate(t.answers, 1)),
        "each in bold": lambda x, t, _r: t.joiner.join(f"**{a}**" for a in t.answers),
        "each quoted": lambda x, t, _r: t.joiner.join(f'"{a}"' for a in t.answers),
        "each denied": lambda x, t, r: " ".join(f"It is not {o}." for o in t.others[:3]) + f" It is {x}.",
        "neither nor": lambda x, t, r: f"It is neither {t.others[0]} nor {t.others[-1]}, but {x}.",
        "at first": lambda x, t, r: f"At first I thought it was {r.choice(t.others)}, but it is {x}.",
        "closer look": lambda x, t, r: f"It looks like {r.choice(t.others)}. On closer inspection, it is {x}.",
        "not then is": lambda x, t, r: f"It is not {r.choice(t.others)}. It is {x}.",
        "isn't then is": lambda x, t, r: f"It isn't {r.choice(t.others)}; the answer is {x}.",
        "draft and answer": lambda x, t, r: f"Draft: {r.choice(t.others)}\nFinal answer: {x}",
        "two answers": lambda x, t, r: f"Answer: {r.choice(t.others)}\n\nWait, that is wrong.\n\nAnswer: {x}",
        "json corrected": lambda x, t, r: f"{_fenced({'answer': r.choice(t.others)})}\nNo, wait:\n{_fenced({'answer': x})}",
    }
)  # fmt: skip


def _yes(option: str, topic: Topic) -> str:
    return "Yes" if option in topic.answers else "No"


TWISTS: dict[str, tuple[str, ...]] = {
    "": ("X!",),
    "negation": ("not Y! but X!", "X!, not Y!", "X! rather than Y!", "X! instead of Y!", "X! (not Y!)", "X! and not Y!"),
    "correction": (
        *("Y!, no, wait, X!", "Y!... wait, X!", "Y! - scratch that, X!", "Y!, I mean X!", "Y!. Correction: X!", "Y!, or rather, X!"),
        *("Y!. Actually, X!", "Y!. No, wait, it is X!", "Y!. Let me correct that: X!", "Y!. On second thought, X!", "Y!. Sorry, X!"),
    ),
}  # fmt: skip
CASES: dict[str, Callable[[str], str]] = {
    "": str,
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
}


def full_width(text: str) -> str:
    """Return ASCII as full-width characters.

    >>> full_width("(12)")
    '\uff08\uff11\uff12\uff09'
    """
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _thought(template: str) -> Form:
    def put(reply: str, topic: Topic, rng: random.Random) -> str:
        musing = rng.choice(("maybe Y!", "it could be Y!. Answer: Y!", "not X!? Y! it is", "X! or Y!, hm"))
        musing = musing.replace("Y!", rng.choice(topic.others)).replace("X!", topic.joiner.join(topic.answers))
        return template.replace("T!", musing).replace("R!", reply)

    return put


AROUND: dict[str, Form] = {
    "": lambda reply, _t, _r: reply,
    "think": _thought("<think>T!</think>R!"),
    "think lines": _thought("<think>\nT!\n</think>\n\nR!"),
    "think without opening": _thought("T!\n</think>\n\nR!"),
    "thinking": _thought("<thinking>T!</thinking>\nR!"),
    "upper think": _thought("<THINK>T!</THINK>R!"),
    "reasoning": _thought("<reasoning>T!</reasoning>R!"),
    "scratchpad": _thought("<scratchpad>T!</scratchpad>\nR!"),
    "bracket think": _thought("[THINK]T![/THINK]R!"),
    "kimi think": _thought("\u25c1think\u25b7T!\u25c1/think\u25b7R!"),
    "begin of thought": _thought(
        "<|begin_of_thought|>T!<|end_of_thought|>\n<|begin_of_solution|>R!<|end_of_solution|>"
    ),
    "channels": _thought(
        "<|channel|>analysis<|message|>T!<|end|><|start|>assistant<|channel|>final<|message|>R!<|return|>"
    ),
    "im_end": _thought("R!<|im_end|>"),
    "end of sentence": _thought("R!</s>"),
    "eot": _thought("R!<|eot_id|>"),
    "full width": lambda reply, _t, _r: full_width(reply),
    "no-break spaces": lambda reply, _t, _r: reply.replace(" ", "\u00a0"),
    "zero width": lambda reply, _t, _r: "\ufeff" + reply.replace(" ", "\u200b "),
    "windows lines": lambda reply, _t, _r: reply.replace("\n", "\r\n") + "\r\n",
    "white space": lambda reply, _t, _r: f"  \n {reply} \n\n",
}
_CUT = {
    "think": "<think>T!", "thinking": "<thinking>\nT!", "upper": "<THINK>T!", "reasoning": "<reasoning>T!", "bracket": "[THINK]T!",
    "kimi": "\u25c1think\u25b7T!", "thought": "<|begin_of_thought|>T!", "channel": "<|channel|>analysis<|message|>T!",
    "attributes": '<think mode="long">T!', "scratchpad": "<scratchpad>T!", "after a first thought": "<think>hm</think>\n<think>T!",
}  # fmt: skip
for _name, _template in _CUT.items():
    NOTHING[f"cut in {_name}"] = _thought(_template)
for _name, _template in {
    "or": "X! or Y!",
    "either or": "It is either X! or Y!.",
    "could be": "It could be X! or Y!.",
    "unsure whether": "I am not sure whether it is X! or Y!.",
    "cannot tell": "I cannot tell if it is X! or Y!.",
    "contradiction": "It is X!. It is not X!.",
    "denied": "It is not X!.",
    "denied both": "It is neither X! nor Y!.",
    "options only": "The options are: ALL.",
    "taken back": "It is X!. No, wait, that is wrong.",
    "unrelated": "The weather was fine yesterday.",
    "refusal": "I'm sorry, but I cannot help with that.",
    "asks back": "Do you mean X! or Y!?",
}.items():

    def _nothing(x: str, topic: Topic, rng: random.Random, template: str = _template) -> str:
        filled = template.replace("Y!", rng.choice(topic.others)).replace("ALL", ", ".join(topic.options))
        return filled.replace("X!", x)

    NOTHING[_name] = _nothing

ALL_FORMS = (*FORMS, *BARE, *NOTHING)


def say(topic: Topic, form: str, rng: random.Random, *, plainly: bool = False) -> Said:
    """Return one reply of a form. `plainly`: the bare answer as it is printed, with nothing around it."""
    if form in NOTHING:
        return Said(NOTHING[form](topic.joiner.join(topic.answers), topic, rng), False, form, topic)
    x = topic.joiner.join(topic.answers)
    twist, around, case = "", "", ""
    if not plainly:
        if topic.spellings and rng.random() < 0.3:
            x = rng.choice(topic.spellings)
        if form in FORMS and rng.random() < 0.3:
            twist = rng.choice(tuple(TWISTS))
            x = rng.choice(TWISTS[twist]).replace("Y!", rng.choice(topic.others)).replace("X!", x)
        case = rng.choice(tuple(CASES))
        x = CASES[case](x)
        around = rng.choice(tuple(AROUND)) if rng.random() < 0.4 else ""
    reply = AROUND[around]((FORMS.get(form) or BARE[form])(x, topic, rng), topic, rng)
    return Said(reply, True, " + ".join(filter(None, (form, twist, case, around))), topic)


def generate(
    topic: Callable[[random.Random], Topic], count: int, seed: int = 0, skip: Sequence[str] = ()
) -> Iterator[Said]:
    """Yield an even mix of all forms except some. `topic` makes a new topic each time."""
    rng = random.Random(seed)
    forms = [form for form in ALL_FORMS if form not in skip]
    for i in range(count):
        yield say(topic(rng), forms[i % len(forms)], rng)
