"""Find the options of a closed list in a reply: the part of reading that is the same for every list of labels or names.

`Options.said` gives either the answer itself or a statement. It gives the answer if the reply is nothing but options, a map or table of yes
and no, or ends in a bare answer. The statement is the text after "answer:" or the last correction, without copied option lists and
questions. Each exam has its own grammar for what a statement asserts and denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from snellen.core.reply.corrections import correction_end
from snellen.core.reply.doubts import left_open, may_leave_open
from snellen.core.reply.flags import Flags
from snellen.core.reply.hints import is_there
from snellen.core.reply.json_values import holds_json, key_of
from snellen.core.reply.opening import OpenedReply, opened
from snellen.core.reply.vocabulary import Vocabulary, apart, without_signs
from snellen.core.reply.wrappers import layout_off, marked


class Statement(NamedTuple):
    """The content of a reply. `sure`: the answer, if its form leaves no doubt (it may not be an option at all); else None. `text` is the
    rest, in lower case without signs, for the exam's grammar; beside a `sure` answer it may contradict it.
    """

    text: str
    sure: tuple[str, ...] | None = None
    leads: bool = False
    """True if the sure answer stands before the text, which then explains it."""
    torn: bool = False
    """True if the reply begins with one bare answer and ends with another; both are in `sure`."""


NOTHING = Statement("", ())

_ANSWER = re.compile(
    r"\b(?<!wrong )(?<!incorrect )(?<!long )(?:final answer|answers?|conclusion|verdict|prediction|choice"
    r"|final decision)\b(?:\(s\))?[^\S\n]?"
    r"(?:(?:is|are|would be|should be|must be)\b|[:=-]|->|=>){1,3}|^[^\S\n]{0,4}(?:the )?(?:final )?(?:answer|conclusion)s?[^\S\n]{0,4}$",
    re.MULTILINE,
)
_THEREFORE = re.compile(
    r"\b(?:therefore|thus|hence|consequently|in conclusion|to conclude|in summary|to summarize|to sum up|tl;dr"
    r"|(?<![a-z] )overall(?=[,:]|\s(?:it|the|this|i)\b))\b"
)
_ANSWER_HINTS = ("answer", "conclusion", "verdict", "prediction", "choice", "decision")
_THEREFORE_HINTS = ("therefore", "thus", "hence", "consequently", "conclu", "summar", "sum up", "tl;dr", "overall")
_OFFER_HINTS = ("options", "choices", "candidates", "possib", "list", "labels", "categories")
_IMPRESSION_HINTS = (
    *("first", "initially", "thought", "considered", " saw ", " seem", " look", " appear", "though", "while"),
)
_PICKED_HINTS = ("out of", "among", "between", "from")
_TAG = re.compile(r"</?[a-z][a-z0-9_]{0,30}(?:\s[^<>]{0,100})?/?>")
_UNIT = re.compile(r"[;\n!]+|\.+(?!\d)")
_SENTENCE = re.compile(r"(?<=[.!?;]\s)(?<!vs\.\s)|(?<=\n)|(?=\b(?:because|since)\b)")
_PIECE = re.compile(r"(?<=[.!?\n;])")
_IMPRESSION = re.compile(
    r"\b(?:at first|initially|(?:i|one|you) (?:first |initially |originally |might have |would have )?(?:thought|considered|saw)"
    r"|my first (?:guess|impression|thought)|(?:might|may|could|would) (?:seem|look|appear)|(?:seems?|looks?|appears?) at first)\b"
    r"[^.;\n!]{0,200}?(?:\b(?:but|however|yet)\b|[.;\n!])"
    r"|\b(?:although|though|while)\b[^.;\n!,]{0,60}?"
    r"\b(?:mistaken|confused|looks?|seems?|appears?|resembles?|similar|possible|plausible|tempting|could be|might be|may be)\b"
    r"[^.;\n!,]{0,80},"
)
_AFFIRMED = re.compile(
    r"\W*(?:yes|that's (?:right|correct)|that is (?:right|correct)|correct|right|it is right|i am sure)\b"
)
_DEEPEST = 8
_SWITCHES = (
    *("present", "different", "differs", "applies", "salient", "selected", "chosen", "match", "matches", "changed"),
    *("is_different", "is_present", "is_salient", "is_odd", "value", "status"),
)
_BESIDE_THE_ANSWER = (
    "reason reasons reasoning explanation rationale justification thought thoughts thinking analysis description "
    "observation observations steps summary caption evidence comment note notes question options choices confidence score "
    "probability not excluded rejected others"
)
_REASONS = frozenset(_BESIDE_THE_ANSWER.split())
_ASKED = frozenset(("question", "options", "choices"))  # part of the prompt, not an answer
_KEYS = (
    *("final_answer", "answer", "answers", "label", "labels", "prediction", "choice", "result", "output", "response"),
)


class Options(Vocabulary):
    """A closed list of options. `spellings`: every way to write one, in lower case with spaces, and the option it stands for.

    >>> fruit = Options({"apple": "apple", "apples": "apple", "pear": "pear"})
    >>> [fruit.said(r).sure for r in ("Apples.", '{"apple": false, "pear": true}', "pear: no, apple: yes", "<think>pear")]
    [('apple',), ('pear',), ('apple',), ()]
    >>> fruit.said("I first saw a pear. No, wait, it is an apple")
    Statement(text='it is an apple', sure=None, leads=False, torn=False)
    """

    def __init__(self, spellings: Mapping[str, str], keys: Iterable[str] = ()) -> None:
        """Set up the list. `keys` are names under which JSON has the answer, in addition to the usual ones."""
        super().__init__(spellings)
        self._flags = Flags(self)
        self._offered = re.compile(
            r"\b(?:options|choices|candidates|possibilities|possible (?:answers|features|labels)|list|labels|categories)\b"
            rf"[\w ]{{0,90}}[:(\[,]?\s{{0,2}}[(\[\"']{{0,2}}\b{self.word}\b{self.more}{{1,60}}"
        )
        self._picked_from = re.compile(
            rf"\b(?:out of|among|amongst|between|from)(?: the)? {self.word}\b{self.more}{{1,60}}"
        )
        self._as_key = re.compile(rf"(\b{self.word}\b[*\"' ]{{0,3}}):(?=[^\S\n]{{0,4}}\S)")
        self._keys = (*keys, *_KEYS)

    def said(self, reply: str) -> Statement:
        """Return the content of a reply, without its wrappers."""
        if len(reply) < 100 and (known := self.bare(reply.lower())):
            return Statement("", known)
        whole = opened(reply)
        if self.named.search(apart(whole.text.lower())) is None:
            return NOTHING
        if whole.value is not None:
            found = self._in_json(whole)
            if found is not None:
                return found
            if isinstance(whole.value, dict) and _only_asks(whole.value):
                return NOTHING
        return self._in_text(whole.text.lower())

    # ------------------------------------------------------------ JSON

    def _in_json(self, whole: OpenedReply) -> Statement | None:
        found = self._of_value(whole.value)
        if found is None:
            return None
        after = whole.around.lower()
        if correction_end(after) and self.named.search(after, correction_end(after)):
            return self._in_text(after)
        return found

    def _of_value(self, value: Any, depth: int = 0) -> Statement | None:
        """Return the answer in a JSON value; None if the value is unrelated to the options."""
        if depth > _DEEPEST:
            return None
        if isinstance(value, str):
            inner = holds_json(value.strip())[0] if value.lstrip()[:1] in ("{", "[") else None
            if inner is not None:
                return self._of_value(inner, depth + 1)
            return self._in_text(value.lower()) if self.is_in(value) else None
        if isinstance(value, list):
            if all(isinstance(item, str) for item in value):
                return self._of_value(", ".join(value), depth + 1)
            return _together([self._of_value(item, depth + 1) for item in value[:50]])
        return self._of_object(value, depth) if isinstance(value, dict) else None

    def _of_object(self, value: dict[str, Any], depth: int) -> Statement | None:
        flags = self._flags.in_map(value)
        if flags is not None:
            return Statement("", flags)
        keys = {key_of(key): inner for key, inner in value.items()}
        if any(str(keys.get(key)).lower() in ("false", "no", "0") for key in _SWITCHES):
            return NOTHING  # {"feature": "color", "present": false}
        for key in self._keys:
            if key in keys and keys[key] in (None, "", [], "none", "None", "null", "N/A"):
                return NOTHING
            found = self._of_value(keys[key], depth + 1) if key in keys else None
            if found is not None:
                return found
        inner = [v for k, v in keys.items() if k not in _REASONS]
        texts = [v for v in inner if isinstance(v, str)]
        found = self._of_value(", ".join(texts), depth + 1) if texts else None
        return found or _together([self._of_value(v, depth + 1) for v in inner if not isinstance(v, str)])

    # ------------------------------------------------------------ text

    def _in_text(self, text: str) -> Statement:
        held = marked(text)
        if held is not None and self.is_in(held[0]):
            end = correction_end(held[1])
            text = held[1] if end and self.named.search(held[1], end) else held[0]
        text = layout_off(text, numbered=True)
        if "<" in text:
            text = _TAG.sub(lambda tag: tag[0] if tag[0][1] != "/" and self.is_in(tag[0]) else " ", text)
        text = self._chosen(apart(text.strip()))
        text = self._after_correction(self._from_answer(text))
        text, flags = self._flags.in_text(text)
        if flags is not None:
            return Statement("", flags)
        if is_there(_OFFER_HINTS, text):
            text = self._offered.sub(" ", text)
        if ":" in text:  # "color: one of them is red" is not a bare answer
            text = self._as_key.sub(r"\1 ", text)
        text = self._without(_IMPRESSION, _IMPRESSION_HINTS, without_signs(text))
        text = self._without(self._picked_from, _PICKED_HINTS, text)
        if "?" in text:
            text = "".join(piece for piece in _PIECE.split(text) if not piece.endswith("?"))
        return self._bare_or_not(text.strip())

    def _chosen(self, text: str) -> str:
        """Remove text that names options without choosing any, unless the rest names the same: "some would say a cat"."""
        if not may_leave_open(text):
            return text
        kept, dropped = [], []
        for sentence in _SENTENCE.split(text):
            start, end = left_open(sentence) or (0, 0)
            kept += [sentence[:start], sentence[end:]]
            dropped.append(sentence[start:end])
        rest = "".join(kept)
        return text if set(self.names(rest)).intersection(self.names(" ".join(dropped))) else rest

    def _from_answer(self, text: str) -> str:
        """Return the text after the last "answer:" that is followed by an option; failing that, after the last "therefore"."""
        for pattern, hints in ((_ANSWER, _ANSWER_HINTS), (_THEREFORE, _THEREFORE_HINTS)):
            if not is_there(hints, text):
                continue
            for marker in reversed(list(pattern.finditer(text))[-50:]):
                if self.named.search(text, marker.end()):
                    return text[marker.end() :]
        return text

    def _after_correction(self, text: str) -> str:
        end = correction_end(text)
        if ", no," in text or ". no," in text:  # "color, no, size"; if an answer may be "no" this is not a correction
            end = max(end, text.rfind(", no,") + 5, text.rfind(". no,") + 5)
        if not end or self.named.search(text, end):
            return text[end:]
        return text if _AFFIRMED.match(text, end) else ""

    def _without(self, pattern: re.Pattern[str], hints: tuple[str, ...], text: str) -> str:
        """Remove text that is not an answer if something else is named: "at first I thought it was ..., but", "out of these three"."""
        if not is_there(hints, text):
            return text
        rest = pattern.sub(" ", text)
        return rest if self.named.search(rest) else text

    def _bare_or_not(self, text: str) -> Statement:
        units = [unit for unit in _UNIT.split(text) if unit.strip()]
        bare = [self.bare(unit) for unit in units]
        if not any(bare):
            return Statement(text)
        if all(bare):
            return Statement("", _joined(bare))
        head = next(i for i, b in enumerate(bare) if b is None)
        tail = next(i for i, b in enumerate(reversed(bare)) if b is None)
        if not head and not tail:
            return Statement(text)
        first, last = _joined(bare[:head]), _joined(bare[len(bare) - tail :])
        rest = ". ".join(units[head : len(units) - tail])
        if first and last and set(first) != set(last):
            return Statement(rest, (*first, *last), torn=True)
        return Statement(rest, last or first, leads=not last)


def _together(found: list[Statement | None]) -> Statement | None:
    """Combine several parts of a JSON value: all of their answers, or the last statement."""
    said = [s for s in found if s is not None]
    if said and all(s.sure is not None and not s.text for s in said):
        return Statement("", _joined([s.sure for s in said]))
    return said[-1] if said else None


def _only_asks(value: dict[str, Any]) -> bool:
    """Tell whether JSON repeats the prompt and has no answer: a question and a list of options."""
    texts = (v if isinstance(v, list) else [v] for v in value.values())
    return _ASKED.issuperset(map(key_of, value)) and all(isinstance(t, str) for some in texts for t in some)


def _joined(found: Iterable[tuple[str, ...] | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in found for name in names or ()))
