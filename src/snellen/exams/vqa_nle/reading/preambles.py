"""The words before an answer: "I think it is", "Based on the image, the correct answer is", "Final answer:". Also verdicts after a reason.

Every repeat is bounded or over one character class, so that no reply can make these patterns slow.
"""

from __future__ import annotations

import re

from snellen.exams.vqa_nle.reading.reasons import REASON

_NOUN = (
    r"(?:answer|ans\b\.?|solution|label|activity|action|option|choice|letter|relation(?:ship)?|prediction|verdict|decision|classification"
    r"|response|conclusion"
    r"|category)"
)
_WHICH = (
    r"(?:(?:final|only|remaining|correct|best|right|true|most likely|most appropriate"
    r"|likely|overall|short|main|appropriate|suitable)\s){0,2}"
)
_WHERE = (
    r"(?:\s(?:here|to (?:the|this|your) question|in (?:the|this) (?:image|picture|photo)|shown|depicted|being (?:performed|done)"
    r"|for this (?:image|pair|question)"
    r"|between (?:them|the two|the (?:image|premise) and the hypothesis))){0,2}"
)
_IS = r"(?:is|would be|should be|must be|has to be|seems to be|appears to be|will be)"
_SEE = r"(?:think|believe|say|guess|suppose|conclude|answer|go with|choose|pick|select|see|feel|assume|reckon|count)"
_NEXT = r"(?=\S)(?!because\b|since\b|as\b|due\b)"

_OPENING = re.compile(
    r"(?:"
    # the speaker, and the opening words
    r"\[?(?:assistant|ai|model|bot|chatbot|gpt|claude|gemini|llava|qwen)\]?(?:'s)?(?:\s(?:output|response|answer|reply))?(?:\s?:"
    r"|(?<=\]))\s{0,4}"
    r"|(?:output|result|reply|response|final|edit|update|correct(?:ion|ed)|(?:best|final) guess)\s?(?::|\n)\s{0,4}"
    r"|ans(?:\.|\s-)\s|(?:q(?:uestion)?|user|human)\s?:[^\n]{0,500}\n\s{0,9}a(?:nswer|ssistant|i)?\s?:\s{0,4}(?=\S)"
    # "answer:" in other languages
    r"|(?:(?:die|la|el|het|il)\s)?(?:respuesta|r\u00e9ponse|antwort|risposta|resposta|antwoord|svar|odpowied\u017a|cevap|jawaban"
    r"|\u043e\u0442\u0432\u0435\u0442|(?:\u6700[\u7ec8\u7d42])?(?:\u7684)?(?:\u7b54\u6848|\u56de\u7b54"
    r"|\u7b54\u3048)[\u662f\u4e3a\u70ba\u306f]?|\uc815\ub2f5|\ub2f5|\ub2f5\ubcc0)(?: final(?:e)?)?"
    r"(?:\s?:|\s(?:ist|est|es|\u00e8|\u00e9)\s?:?(?=\s))[^\S\n]{0,4}(?=\S)"
    r"|(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|all right|hm+|um+|uh|oh|ah|well|got it|understood|hi"
    r"|hello|hey|yes, of course"
    r"|(?:great|good|nice) (?:question|image|picture|one))(?:[!.,:]{1,3}|\s-)\s{1,4}(?:so,?\s)?"
    r"|(?:in (?:one|a|a single) (?:word|phrase|sentence)|my (?:pick|vote|take|choice|call|bet)|as requested|here you (?:go"
    r"|are)|(?:answer|step) \d|no doubt)\s?:\s"
    r"|(?:in my (?:opinion|view)|to me|imo|to answer (?:the|your|this) question|without (?:a |any )?(?:question|doubt)|tentatively"
    r"|no doubt|after (?:careful|some|further) \w{1,20}|(?:up)?on (?:\w{1,10} )?(?:inspection|look|glance)"
    r"|(?:when |after |by )?(?:looking|examining)(?: (?:at )?it)?(?: more)? (?:closer|closely|again|carefully)|rather than [^,.\n]{1,60}"
    r"|instead of [^,.\n]{1,60}),\s"
    r"|(?:great|good|right|now|nice)(?:!|,)\s{1,4}(?=so\b|let\b|let's\b|i\b|i'\w|the\b|here|looking\b|this\b|it\b|based\b|in\b"
    r"|we\b|my\b)"
    r"|(?:thanks?|here(?:'s| is| are)|let(?:'s| me| us)|thinking|i(?:'ll| will| need to| want to) (?:look|analy[sz]e|examine|think"
    r"|start|answer)"
    r"|to answer)\b(?:(?!\b(?:because|since|possibilities|candidates|options|choices)\b)[^.!?:\n]){0,80}(?:\.{1,3}|[!:]|\n)\s{1,4}"
    r"|(?:step|part) \d{1,2}\s?[:.]\s"
    # the evidence
    r"|(?:given|considering|judging (?:by|from)|based on)\s[^,.\n]{1,60},\s(?=[^,.\n]{1,40}\s(?:because|since)\b)"
    r"|(?:in|from|based|according|looking|judging|given|considering|after|as|upon|examining|among|by|with|on|observing|analy[sz]ing)\b"
    r"(?:(?!\b(?:because|since)\b)[^,.:;\n()]){0,60}?\b(?:image|picture|photo|photograph|scene|sees?|seen|visible|visual|shown"
    r"|cues?|clues?|evidence"
    r"|information|context|details|observed?|observations?|question|hypothesis|premise|options?|choices|tell|provided)s?\b"
    r"(?:(?!\b(?:because|since)\b)[^,.:;\n()]){0,40}(?:\([^()\n]{0,300}\))?,\s"
    r")",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:"
    # the certainty
    rf"(?:(?:i|we|one|you)(?:'d|'ll|'m|'re|\s(?:would|will|can|could|may|am|are|do|must|have to))?(?:\s(?:[a-z]{{2,12}}ly|also"
    rf"|still|just|therefore))?"
    rf"\s(?:{_SEE}|going with|lean(?:ing)?(?: towards?)?|(?:\d{{1,3}}\s?% |fairly |pretty |quite |very )?(?:sure|confident|certain))"
    rf"|(?:let's )?go(?:ing)? with|(?:must|could|might|may|has to|should|would) be|i (?:chose|picked|selected)"
    rf"|my (?:best )?guess (?:is|would be)|it (?:seems|appears|looks)(?: to be| like)?)(?:,)?(?: that)?(?:\s?:)?\s"
    rf"|(?:(?:very |most |quite )?(?:probably|likely)|possibly|perhaps|maybe|apparently|undoubtedly|clearly|definitely|obviously"
    rf"|evidently"
    rf"|presumably|simply|just|actually)[,:]?\s{_NEXT}"
    r"|(?:so|thus|hence|therefore|overall|finally|in conclusion|in summary|in short|to conclude|to sum up|consequently|accordingly"
    r"|and|then|instead|rather)(?:,\s|\s?:\s{0,3}|\s(?=i\b|it\b|the\b|this\b|that\b|my\b|we\b))"
    r"|(?:therefore|thus|hence)\s|(?:that's|that is|this is) why\s"
    r"|tl;?\s?dr\s?:?\s|(?:that|this|which) leaves(?: us with)?(?: only| just)?\s"
    # the statement that this is the answer
    rf"|(?:and |so )?(?:(?:the|my|our|your|an?|its)\s)?{_WHICH}{_NOUN}s?{_WHERE}(?:\s?\([^()\n]{{4,40}}\))?(?:\s?(?::|=>|->|=)"
    rf"|\s-(?=\s)|\s{_IS}\b\s?:?|\n)\s{{0,4}}(?:(?:definitely|clearly|probably|simply|likely)\s)?"
    rf"|(?:(?:it|this|that|these|they|the (?:answer|image|picture))(?:\s(?:is|are|was|{_IS}|could be|might be|may be|can be|shows?"
    rf"|depicts?|looks like|represents?|would be classified as)|'s|'re)"
    rf"(?: (?:clearly|probably|likely|definitely|most likely|actually|really|simply|just|indeed|called|classified as"
    rf"|labell?ed(?: as)?|a case of|an (?:example|instance) of))?\s?:?\s)(?!(?:possible|clear|evident|obvious|likely|true)\s(?:that"
    rf"|to)\b){_NEXT}"
    r")",
    re.IGNORECASE,
)
_PREMATURE = re.compile(
    r"(?:(?:at first(?: glance| sight)?|initially|originally),?\s)?(?:(?:i|one|you)\s(?:first\s|initially\s|had\s|might\s|would\s"
    r"|could\s|was\s|may\s)?(?:thought|think|assumed|assume|guessed|guess|say|said|believed|going to say)"
    r"|(?:it|this)(?:\s(?:first\s)?(?:looks?|looked|seems?|seemed|appears?|appeared|might|may|could|is not|isn't|was not|wasn't"
    r"|is neither)|'s not|'s neither)|neither|not)\b"
    r"(?:[^.!?\n]|\.(?=\d)){0,120}?,?\s(?:but|however,?|yet)\s(?:(?:actually|really|in fact|now|then|on reflection|rather),?\s)?",
    re.IGNORECASE,
)


def preface_off(text: str) -> str:
    """Return a text without its preface.

    >>> preface_off("Sure! Here's my view. Looking at the photo, it is red")
    'it is red'
    """
    for _ in range(6):
        found = _OPENING.match(text)
        if found is None or found.end() >= len(text):
            break
        text = text[found.end() :].lstrip(" \t\n")
    return text


def leads_off(text: str) -> str:
    """Return a text from its answer on.

    >>> leads_off("Based on the image, I think the correct answer is: red because it glows")
    'red because it glows'
    """
    for _ in range(8):
        found = _LEAD.match(text) or _OPENING.match(text) or _PREMATURE.match(text)
        if found is None or found.end() >= len(text):
            break
        text = text[found.end() :].lstrip(" \t\n\"'")
    return text


_NAMED = re.compile(
    rf"\b(?<!long )(?:{_WHICH}{_NOUN}{_WHERE}\s?(?:{_IS}\b\s?:?|:|=>|->|=|\n)|tl;?\s?dr\s?:|(?:thus|therefore|hence|conclusion"
    rf"|in short)\s?:)\s{{0,4}}"
    r"(?!(?:in|on|at|under|clear|obvious|based|found|visible|shown|that|not|no longer|the same|supported|one of|because|since"
    r"|given)\b)(?=\W{0,4}\w)",
    re.IGNORECASE,
)
"""Matches words that name an answer."""

_VERDICT = re.compile(
    rf"(?:\b(?:so|therefore|thus|hence|consequently|accordingly|in conclusion|overall|in short|in summary|that's why|that is why"
    rf"|which means(?: that)?|this means(?: that)?)\b[,:]?\s"
    rf"(?:i(?:'d| would)? (?:say|go with|think|believe|conclude|choose)(?: that)?\s)?(?:it {_IS}|it's|this is|that is|that's|(?:the"
    rf"|my) {_WHICH}{_NOUN}\s{_IS})\s?:?\s{{0,3}}|\bfinal {_NOUN}\s?(?:is|:)\s?:?\s{{0,3}}"
    rf"|(?:(?<=[.!?;]\s)|(?<=\n))(?:so[,:]|so,? i(?:'d| would|'ll) (?:say|go with|choose|pick)|(?:therefore|thus"
    rf"|hence)[,:]?)\s(?=[\w'-]{{1,30}}(?:[^\S\n][\w'-]{{1,30}}){{0,3}}[.!]?\s{{0,9}}$)"
    rf"|\b(?:so|therefore|thus|hence),?\s(?=(?:yes|no)\b(?:[.,;!\n]|\s?$|\s(?:because|since)\b)))(?=\W{{0,4}}\w)",
    re.IGNORECASE,
)
"""Matches words that name an answer as a conclusion."""


def named_in(text: str, end: int | None = None) -> re.Match[str] | None:
    """Find the last place that names an answer."""
    return _last(_NAMED, text, end)


def verdict_in(text: str) -> re.Match[str] | None:
    """Find the last place that names an answer as a conclusion."""
    return _last(_VERDICT, text, None)


def _last(pattern: re.Pattern[str], text: str, end: int | None) -> re.Match[str] | None:
    found = list(pattern.finditer(text, 0, len(text) if end is None else end))
    return found[-1] if found else None


_FULL_CLAUSE = re.compile(
    r"(?:it|he|she|they|we|i|you|there)\s\w"
    r"|(?:the|this|that|these|those|his|her|its|their|a|an|my|both|all|some|one|two|three|several)\s(?:[\w'-]+\s){1,8}?(?:is|are"
    r"|was|were|has|have|had|can|could|will|shows?|depicts?|features?|looks?|seems?|appears?|does|do|contains?)\b"
    r"|(?:[\w'-]+\s){1,4}?(?:is|are|was|were|seems?|appears?)\s\w",
    re.IGNORECASE,
)


def is_clause(text: str) -> bool:
    """Return whether a text begins with a subject and its verb, like a reason and unlike an answer."""
    found = _FULL_CLAUSE.match(text)
    return found is not None and REASON.search(text, 0, found.end()) is None


_SO = re.compile(
    r"[\s,.;:]{0,3}(?:\b(?:so|therefore|thus|hence|and)\b)?[\s,]{0,2}(?:\b(?:the|my)\b)?\s?$", re.IGNORECASE
)


def before_verdict(text: str, start: int) -> str:
    """Return the reason before a verdict: from "it rains, so the answer is yes" only the part about the rain."""
    return _SO.sub("", text[:start])


def without_lead_out(text: str) -> str:
    """Return a reason without the words that lead on to an answer: "It rains. So the answer is".

    >>> without_lead_out("It rains. So the final answer is")
    'It rains'
    """
    whole = f"{text.rstrip()} x"
    for found in (verdict_in(whole), named_in(whole)):
        if found and found.end() >= len(whole) - 1:
            return before_verdict(whole, found.start())
    return text
