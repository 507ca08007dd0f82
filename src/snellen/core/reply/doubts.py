"""Doubt: the rest of a statement after a grammar has taken out the denials that it understands.

A clause that still says "not", "wrong", "unless" or the like denies or doubts in some other way. Nothing in it is an answer:
when in doubt a reply is unparsable, never wrong, and never correct.
"""

from __future__ import annotations

import re

_CERTAIN = re.compile(
    r"\b(?:no|without (?:any |a )?|beyond (?:any |a )?|little) ?(?:doubt|question)\b|\bnothing (?:but|other than)\b|\bif anything\b"
    r"|\bnone other than\b"
)
_CLAUSE = re.compile(
    r"[,.;:\n!?]|\b(?:but|however|though|although|because|since|while|whereas|so|therefore|instead|given that)\b"
)
_DOUBT = re.compile(
    r"\b(?:no|not|non|never|none|nothing|neither|nor|nope|cannot|wrong|incorrect|false|untrue|unlikely|impossible|mistaken|mistake"
    r"|exclud(?:e|es|ed|ing)|rul(?:e|es|ed|ing) out|out of the question|minus|without|lack(?:s|ing)?|absent|missing|fail(?:s|ed)?"
    r"|opposite|hardly|barely|scarcely|unclear|unsure|uncertain|unknown|doubt(?:s|ful)?|whether|if|unless|suppos(?:e|ing)"
    r"|assum(?:e|ing)"
    r"|(?:had|were) it|or (?:something|anything|not|another|some other)|less|least"
    r"|all but|except|wonder|(?:both|equally|all) (?:possible|plausible|likely|wrong|incorrect)"
    r"|(?:one|people|some|you|many|others) (?:might|may|could|would) (?:think|say|guess|assume|believe)|first (?:guess|thought"
    r"|impression)"
    r"|ask(?:s|ed|ing)? (?:about|whether|if)|one of the (?:options|choices|candidates)|(?:options|choices) include|depends)\b|n't\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:which|that|this|it) (?:is|was|would be|turned out to be) (?:wrong|incorrect|a mistake|not right|false)\b"
    r"|\b(?:both|all|all of them)(?: are)? (?:wrong|incorrect|possible|plausible|equally likely)\b"
    r"|(?:^|[.;,\n])\s{0,3}(?:no|nope|wrong|incorrect|not really|or not|false)\W{0,3}$"
)
_DENYING = (
    "no not non never none nothing neither nor nope cannot wrong incorrect false untrue unlikely impossible mistaken "
    "mistake exclude excludes excluded excluding rule rules ruled ruling question minus without lack lacks lacking absent "
    "missing fail fails failed opposite hardly barely scarcely unclear unsure uncertain unknown doubt doubts doubtful "
    "whether if unless suppose supposing assume assuming had were or less least but except wonder possible plausible "
    "likely might may could would guess thought impression ask asks asked asking options choices depends unlike rather "
    "instead anything everything far other opposed unable really"
)
_WORDS = frozenset(_DENYING.split())  # every denial and doubt has one of these, or "n't"
_SPACED = str.maketrans(",.;:\n!?/\"'()", "            ")
# options mentioned without being chosen: under a condition, as one of several, as someone else's word, or as wrong
# (alternatives that begin a word stand together behind one \b, which is faster; the order is that in which they are tried)
_LEFT_OPEN = re.compile(
    r"\b(?:(?:if|whether|unless|otherwise|assuming|supposing)\b"
    r"(?! (?:anything|any|i (?:had|have) to|i must|forced|asked|you (?:ask|look)))"
    r"|(?:decid\w{1,3}|choos\w{1,3}|pick\w{0,3}|torn|toss-?up|undecided|hesitat\w{1,3}|chance|odds"
    r"|somewhere|distinguish\w{0,3}|in) (?:in )?between\b"
    r"|(?:is|seem|are|look|sound)s? (?:both |all |equally ){0,2}(?:possible|plausible|likely|valid)\b"
    r"|(?:some|people|most|many|others|one|you|they)(?: people)? (?:often |usually |might |may |could |would )"
    r"(?:say|think|guess|answer|assume)\b"
    r"|(?:would|could|might) have (?:said|guessed|thought|gone|picked|chosen)\b|tempted to\b|i (?:\w{1,12}ly )?doubt\b"
    r"|(?:question|you|user|prompt|caption|task)(?: is)? (?:asks?|asked|about|says?|wants?)\b"
    r"|(?:any|every)thing (?:but|except|other than)\b|(?:the )?opposite of\b|far from\b|hardly\b"
    r"|(?:no (?:evidence|sign|indication) of|confirm nor deny|neither confirm|rul(?:e|es|ed|ing) out)\b)"
    r"|^[^,]{1,80} (?:is|was|would be|seems) (?:(?:clearly|definitely|simply|just|also) )?(?:the |an? )?"
    r"(?:wrong|incorrect|false|mistaken|unlikely|implausible)\b"
    r"|^[^,]{1,80} (?:(?:do|does|is|can) ?not|(?:do|does|is|ca)n't) (?:(?:seem|look|be|really|quite) )?"
    r"(?:the answer|(?:apply|fit|match|work|right|correct)(?=\W*$|[.,:;]))"
    r"|\b(?:(?:could|may|might)(?: also)? be\b.{1,80}\b(?:could|may|might)(?: also)? be\b"
    r"|(?:could be|perhaps|maybe|possibly|either)\b[^,.]{1,80} or\b|(?:options|choices)(?: (?:are|include))?:? \(?a[).:]"
    r"|(?:maybe|perhaps|possibly)\b.{1,80}\b(?:maybe|perhaps|possibly)\b|\d{1,3}\s?%.{1,80}?\b\d{1,3}\s?%"
    r"|had (?:it|he|she|they|there|this) been\b|possibility\b|inconclusive\b|too close to\b|argu(?:e|ments?)\b)"
    r"|[^\s.] or not\b"
    r"|\b(?:(?:least likely|incorrect|wrong|false) (?:answer|option|choice|label|one)\b|mistake to\b"
    r"|nothing (?:suggests|indicates|points)\b"
    r"|(?:nobody|no one) would (?:say|call|think|answer)\b|you (?:said|wrote|gave)\b|(?:do not|don't) (?:believe|think)\b"
    r"|impossible to\b)"
    r"|^without (?:more|further)\b"
    r"|\b(?:(?:guess|answer|thought) was|(?:first|initial) (?:thought|guess|instinct))\b"
    r"|^\W{0,3}(?:let(?:'s| me) (?:consider|weigh|list) )?(?:the )?(?:options|choices|possibilities|candidates)(?: are| include)?\s?:"
    r"|^\W{0,3}(?:were (?:the|this|it)|suppose|imagine)\b"
    r"|^[^,]{1,80} would (?:have(?! to be)|need|require|look(?! like)|show|not (?:fit|match|explain|look|have|be))\b"
    r"|^between [^,]{1,80}(?=,\s(?:i'd|i would|i think|the answer|it)\b)"
    r"|\b(?:would (?:only |just )?be (?:an? |my |pure )(?:\w{1,12} )?guess|too \w{1,20} to (?:tell|say|see|know"
    r"|determine|judge|answer|identify|recogni[sz]e)"
    r"|have enough|enough \w{1,20} to|not (?:confident|certain|sure) enough|possible (?:answers|options|labels|choices))\b"
    r"|^\W{0,3}one of (?:the |these |those )?(?:options|choices|labels|answers|two|three|four)\b|\(\?\)"
    r"|^\W{0,3}one of (?!the\b)[^.,]{1,60} (?:and|or) [^.,]{1,40}\W{0,3}$|^\W{0,3}[\w ]{1,60} (?:vs\.?|versus) [\w ]{1,60}\W{0,3}$"
    r"|^\W{0,3}(?:false|wrong|incorrect|rejected|excluded|eliminated|not)(?: (?:the )?(?:answer|option|choice|label))?s?\s?:"
)
_ONE_LETTER = str.maketrans("\u0130\u0131\u017f", "iis")  # in lower case too
_CONDITIONS = ("if", "unless", "assuming", "supposing", "suppose", "imagine", "were the", "were this", "were it")
_OPEN = (
    "if whether unless otherwise assuming supposing between possible plausible likely valid often usually might may "
    "could would tempted doubt ask asks asked said says wrote gave want wants question anything everything opposite "
    "far hardly evidence sign indication deny confirm rule rules ruled ruling wrong incorrect false mistaken "
    "unlikely implausible not cannot maybe perhaps possibly either options choices too enough rejected excluded "
    "eliminated been possibility inconclusive argue argument arguments least mistake nothing nobody impossible "
    "without guess thought initial instinct vs versus possibilities candidates were suppose imagine"
)
_OPEN_WORDS = frozenset(_OPEN.split())  # one of these, "n't", "%", "(?)" or "one of" is in every such sentence
_NEW_TURN = re.compile(
    r"\b(?!so (?:is|are)\b)(?:but|however|yet|still|so|therefore|thus|hence|nevertheless)\b(?!,?\s(?:also|if|so (?:is"
    r"|are))\b)[\s,:]{0,3}"
    r"|,\swhich leaves(?: us with)?\s|,\s(?=(?:the|my) (?:\w{1,12} ){0,2}(?:answer|choice|option|label)\b|(?:it|this"
    r"|that)(?:'s| is| must)|i'd\b|i would\b|i think\b)",
    re.IGNORECASE,
)
_CONCEDED = re.compile(r"\W{0,3}(?:while|although|though|even though)\b[^,.\n]{1,200},\s", re.IGNORECASE)
_PERHAPS = re.compile(r"\b(?:could|may|might) (?:also )?be\b")


def certain(text: str) -> str:
    """Return a statement without expressions of certainty that look like doubt.

    >>> certain("without a doubt a cat")
    ' a cat'
    """
    return _CERTAIN.sub("", text)


def undoubted(text: str) -> str:
    """Return the clauses of a statement without doubt.

    >>> undoubted("it is a cat, there is no evidence for a dog")
    'it is a cat'
    """
    return ",".join(clause for clause in _CLAUSE.split(text) if is_plain(clause) or not _DOUBT.search(clause))


def left_open(text: str) -> tuple[int, int] | None:
    """Return where a sentence names something without choosing it: the span of those words, up to a new turn or the end. Return None if
    everything that it names is chosen.

    >>> [s[slice(*left_open(s))] for s in ("Some would say a cat, but it is a dog", "A dog, but some would say a cat")]
    ['Some would say a cat, but ', ', but some would say a cat']
    """
    found = _LEFT_OPEN.search(_lowered(text)) if may_leave_open(text) else None
    if found is None:
        return None
    if not found.start() and found.group() in _CONDITIONS:
        return 0, len(text)
    if (conceded := _CONCEDED.match(text)) and conceded.end() >= found.end():
        return 0, conceded.end()
    turns = [turn for turn in _NEW_TURN.finditer(text) if turn.start()]
    start = max((len(text[: turn.start()].rstrip(" ,")) for turn in turns if turn.end() <= found.start()), default=0)
    return start, min((turn.end() for turn in turns if turn.start() >= found.end()), default=len(text))


def _lowered(text: str) -> str:
    """Return a text in lower case, letter by letter: every position in it is the same position in the text."""
    return text.lower() if text.isascii() else text.translate(_ONE_LETTER).lower()


def may_leave_open(text: str) -> bool:
    """Tell whether a text has a word that every open statement contains: most texts need not be searched."""
    lowered = text.lower()
    signs = "n't" in lowered or "%" in lowered or "(?)" in lowered or lowered.startswith("one of")
    return signs or not _OPEN_WORDS.isdisjoint(lowered.translate(_SPACED).split())


def taken_back(text: str) -> bool:
    """Tell whether a statement takes back what it said, or only gives possibilities, several times.

    >>> [taken_back(t) for t in ("I said cat, which was wrong", "cat. no.", "could be a cat, could be a dog", "no, a cat")]
    [True, True, True, False]
    """
    if is_plain(text):
        return False
    return _TAKEN_BACK.search(text) is not None or len(_PERHAPS.findall(text)) > 1


def is_plain(text: str, more: frozenset[str] = frozenset()) -> bool:
    """Tell whether a text has no word that denies or doubts, and no word of `more`: most texts need not be searched for either.

    >>> is_plain("it is a cat"), is_plain("a cat, not a dog")
    (True, False)
    """
    if "n't" in text:
        return False
    words = text.translate(_SPACED).split()
    return _WORDS.isdisjoint(words) and more.isdisjoint(words)
