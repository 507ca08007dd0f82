"""The wrappers around an answer, and their removal: tags, boxes, fences, emphasis, quotation marks, speakers, leads."""

from __future__ import annotations

import re

FENCE = re.compile(
    r"(?:```|~~~)(?:(?:json5?|jsonc|python|py|text|txt|plaintext|plain|xml|html|yaml|yml|markdown|md|latex|tex|csv|bash|answer|output)\b)?"
)
_ANSWER_TAGS = (
    "final_answer|finalanswer|final|answers?|ans|output|response|result|conclusion|solution|label|prediction|choice"
)
_ANSWER_TAG = re.compile(
    rf"<\s?(?P<close>/?)\s?(?:{_ANSWER_TAGS})(?:\s[^<>]{{0,100}})?>|<\|(?P<edge>begin|end)_of_box\|>"
    r"|\[(?P<close2>/?)(?:answer|final_answer|final|output)\]",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\f?box(?:ed)?\s?\{")
_LATEX = re.compile(
    r"\\(?:text|textbf|textit|texttt|mathrm|mathbf|mathit|mathsf|mathtt|operatorname|emph|mbox)\s?\{([^{}]{0,400})\}"
)
_LATEX_SIGNS = re.compile(r"\${1,2}|\\[()\[\]]|\\(?:quad|qquad|,|;|!)")
_EMPHASIS = re.compile(r"(?<!\*)\*+(?![\d*])|(?<![\d*])\*+|~~|`+|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)")
_LINE_START = re.compile(
    r"^[^\S\n]{0,12}(?:>[^\S\n]{0,4}){0,4}(?:#{1,6}[^\S\n]{1,4}|[-+*\u2022\u25cf\u25aa\u2013][^\S\n]{1,4})?",
    re.MULTILINE,
)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<del>[^<\n]{1,200}</del>", re.IGNORECASE)
_NUMBER_START = re.compile(r"^\(?\d{1,2}[.)][^\S\n]{1,4}(?=\S)", re.MULTILINE)
_SPEAKER = re.compile(
    r"(?:assistant|ai|model|bot|chatbot|gpt|chatgpt|claude|gemini|llava|qwen)[^\S\n]?:\s{0,4}", re.IGNORECASE
)
_OPENERS = r"sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|all right|great(?: question)?|good question|well|hi|hello"
_OPENER = re.compile(
    rf"(?:(?:{_OPENERS})(?:[!.,:]|[^\S\n]-)\s{{1,4}}"
    r"|(?:here(?:'s| is| are)(?: (?:my|the|your|a))?(?: \w{1,20}){0,4}|let me (?:see|look|think)|let's see)(?:[:.!]|\.\.\.)\s{1,4})",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:so|thus|hence|therefore|overall|finally|in conclusion|in summary|to conclude|to sum up),?[^\S\n]{1,3})?"
    r"(?:(?:and|so),?[^\S\n])?(?:(?:my|the|our|your)[^\S\n])?"
    r"(?:(?:final|correct|right|best|most likely|short|one-word|overall)[^\S\n]){0,2}"
    r"(?:answer|response|conclusion|verdict|prediction|choice|option|result|label)(?:[^\S\n](?:here|to (?:the|this|your) question))?"
    r"(?:[^\S\n]?:|[^\S\n]?->|[^\S\n]?=>|[^\S\n]?=|[^\S\n]-(?!\d)"
    r"|[^\S\n](?:is|would be|should be|must be|seems to be)\b(?:[^\S\n]?:)?)\s{0,4}",
    re.IGNORECASE,
)
_PAIRS = {'"': '"', "'": "'", "(": ")", "[": "]"}


def marked(text: str) -> tuple[str, str] | None:
    """Return the contents of the last answer tag or \\boxed{}, and the text after it; None if there is neither.

    >>> marked("Hm. <answer>red</answer> because it glows"), marked("So $\\\\boxed{\\\\text{red}}$.")
    (('red', 'because it glows'), ('red', ''))
    """
    found = _tagged(text) if "<" in text or "[" in text else None
    if found is None and "\\" in text:
        found = _boxed(text)
    if found is None:
        return None
    said, rest = found
    return latex_off(said).strip(), latex_off(rest).strip(" \t\n.$")


def _tagged(text: str) -> tuple[str, str] | None:
    start = end = -1
    stop = len(text)
    for tag in _ANSWER_TAG.finditer(text):
        if tag["close"] or tag["close2"] or (tag["edge"] or "").lower() == "end":
            if start >= 0 and end < 0:
                stop, end = tag.start(), tag.end()
        else:
            start, end, stop = tag.end(), -1, len(text)
    if start < 0:
        return None
    return text[start:stop], text[end:] if end >= 0 else ""


def _boxed(text: str) -> tuple[str, str] | None:
    start = max((found.end() for found in _BOXED.finditer(text)), default=-1)
    if start < 0:
        return None
    depth = 1
    for brace in re.finditer(r"[{}]", text[start : start + 4000]):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[start : start + brace.start()], text[start + brace.end() :]
    return text[start:], ""


def latex_off(text: str) -> str:
    """Remove \\text{..} and dollar signs.

    >>> latex_off("$\\\\text{paper\\\\_clip}$")
    'paper_clip'
    """
    if "\\" not in text and "$" not in text:
        return text
    for _ in range(3):
        text = _LATEX.sub(r"\1", text)
    return _LATEX_SIGNS.sub("", text).replace("\\_", "_").replace("\\&", "&").replace("\\%", "%").replace("\\ ", " ")


def unwrapped(text: str) -> str:
    """Remove the wrappers around an answer: fences, answer tags, \\boxed{}, emphasis, quotation marks around the whole,
    quotes and bullets at the start of lines, speakers, openings and leads.

    >>> unwrapped("Sure! **Final answer:** `red`"), unwrapped("> The correct answer is: <answer>red</answer> because it glows")
    ('red', 'red because it glows')
    """
    for _ in range(3):
        before = text
        found = marked(text)
        if found is not None and found[0]:
            text = " ".join(filter(None, found))
        text = _quotes_off(_leads_off(layout_off(text)))
        if text == before:
            break
    return text


def layout_off(text: str, numbered: bool = False) -> str:
    """Remove fences, emphasis, signs at the start of lines, and text that was struck out."""
    if "~~" in text or "<" in text:
        text = _STRUCK.sub("", text)
    if "```" in text or "~~~" in text:
        text = FENCE.sub("", text)
    text = _starts_off(_LINE_START, latex_off(text))
    if numbered:
        text = _starts_off(_NUMBER_START, text)
    if "*" in text or "_" in text or "`" in text or "~" in text:
        text = _EMPHASIS.sub("", text)
    return text.strip()


def _starts_off(pattern: re.Pattern[str], text: str) -> str:
    """Remove the matches of a pattern at the start of every line; most texts are a single line."""
    if "\n" in text:
        return pattern.sub("", text)
    found = pattern.match(text)
    return text[found.end() :] if found else text


def _leads_off(text: str) -> str:
    for _ in range(4):
        found = _SPEAKER.match(text) or _OPENER.match(text) or _LEAD.match(text)
        if not found or found.end() >= len(text):
            break
        text = text[found.end() :]
    return text


def _quotes_off(text: str) -> str:
    """Remove quotation marks or brackets around the whole, and a point before the closing one."""
    for _ in range(3):
        body = text[:-1] if text[-1:] == "." and text[-2:-1] in _PAIRS.values() else text
        if len(body) < 3 or _PAIRS.get(body[0]) != body[-1] or body[0] in body[1:-1] or body[-1] in body[1:-1]:
            break
        text = body[1:-1].strip()
    return text
