"""The read and match stages of each protocol. Pure functions of the reply, the subset and the true names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from snellen.benchmarks.illusionbench.names import SCENES, SHAPES

# ---------------------------------------------------------------- the original, zero-shot


def bucket_original(reply: str, shape: str, scene: str) -> str:
    """`shape`, `texture` or `rest`, by substring of the lower-cased reply; the shape is looked for first.

    The original also tries the scene with spaces, but not lower-cased, so that never matches; kept.
    """
    prediction = reply.lower()
    if shape.lower() in prediction:
        return "shape"
    if scene.lower() in prediction or scene.replace("_", " ") in prediction:
        return "texture"
    return "rest"


# ---------------------------------------------------------------- the original, in context


def clean_icl(reply: str) -> str:
    """The first line (else the first sentence), without punctuation, underscores as spaces, lower-cased."""
    end = reply.find("\n")
    if end == -1:
        end = reply.find(".")
    text = reply[:end] if end > 0 else reply
    return re.sub(r"[^\w\s]", "", text).replace("_", " ").lower()


def match_icl(answer: str, truth: str) -> bool:
    """The truth, cleaned in the same way, is a substring."""
    return re.sub(r"[^\w\s]", "", truth).replace("_", " ").lower() in answer


# ---------------------------------------------------------------- lmms-eval

_ANSWER = re.compile(r"answer\s*:\s*([^\n,\.]+)", re.IGNORECASE)


def normalise(text: str) -> str:
    """lmms-eval's normalisation: lower case, `_`, `-` and punctuation to spaces, spaces collapsed."""
    text = text.strip().lower().replace("_", " ").replace("-", " ")
    return re.sub(r"\s+", " ", re.sub(r"[^a-z0-9\s]+", " ", text)).strip()


def extract_strict(reply: str) -> str:
    """What follows the first `Answer:`, up to a comma, a period or the end of the line; nothing where it is missing."""
    found = _ANSWER.search(reply)
    return found.group(1).strip() if found else ""


def match_strict(answer: str, truth: str) -> bool:
    """Equal after normalisation."""
    return bool(normalise(truth)) and normalise(answer) == normalise(truth)


def extract_first(reply: str, task: str) -> str:
    """The value of a line `Shape:` or `Scene:`, else the whole reply."""
    found = re.search(rf"^\s*{task}\s*:\s*(.+)$", reply, re.IGNORECASE | re.MULTILINE)
    return found.group(1).strip() if found else reply


def match_first(answer: str, truth: str) -> bool:
    """The normalised truth is a substring of the normalised answer."""
    return bool(normalise(truth)) and normalise(truth) in normalise(answer)


def match_head(reply: str, truth: str) -> bool:
    """The truth as it is, or with spaces for `_` or `-`, is a substring of the lower-cased reply."""
    prediction, label = reply.lower().strip(), truth.lower()
    return any(form in prediction for form in (label, label.replace("_", " "), label.replace("-", " ")))


# ---------------------------------------------------------------- robust

ALIASES = {
    "stationary": ("stationery",),
    "benz": ("mercedes benz", "mercedes-benz", "mercedes"),
    "mcdonalds": ("mcdonald's", "mcdonald s", "mcdonald"),
    "Time_square": ("times square",),
    "Sand_dune": ("sand dunes",),
    "Underwater_ruins": ("underwater ruin",),
}
_NEGATED = r"\b(?:not|isn't|no|rather than|instead of|neither|nor)\s+(?:an?\s+|the\s+)?"
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
LONGEST = 20_000  # characters from the end that are read


@lru_cache(maxsize=8)
def _options(subset: str) -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    """Patterns of all names of a subset, longest first, and which name each spelling stands for."""
    spellings: dict[str, str] = {}
    for name in (*SHAPES[subset], *SCENES):
        for spelling in (name.lower().replace("_", " "), *ALIASES.get(name, ())):
            spellings.setdefault(spelling, name)
    words = "|".join(re.escape(s) for s in sorted(spellings, key=len, reverse=True))
    return re.compile(rf"\b(?:{words})\b"), re.compile(rf"{_NEGATED}(?:{words})\b"), spellings


def read_robust(reply: str, subset: str) -> list[str]:
    """The options that a reply names, each once, in order: whole words, longest match first, aliases, spaces for underscores,
    negated ones left out; only what follows the last "answer:" where it names something.
    """
    text = unicodedata.normalize("NFKC", reply[-LONGEST:]).lower().replace("\u2019", "'")
    text = re.sub(r"[^\S\n]+", " ", re.sub(r"[_*`\"#\[\]<>|-]", " ", _THINKING.sub(" ", text)))
    named, negated, spellings = _options(subset)
    for marker in reversed(list(re.finditer(r"\banswer ?(?:is|:)", text))):
        if named.search(text, marker.end()):
            text = text[marker.end() :]
            break
    text = negated.sub(" ", text)
    return list(dict.fromkeys(spellings[m.group()] for m in named.finditer(text)))


def answer_robust(reply: str, subset: str, task: str) -> str | None:
    """The one option of the asked kind that the reply names; None where it names none, or several."""
    kind = SHAPES[subset] if task == "shape" else SCENES
    of_kind = [name for name in read_robust(reply, subset) if name in kind]
    return of_kind[0] if len(of_kind) == 1 else None
