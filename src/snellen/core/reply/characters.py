"""The characters of a reply in their plain forms: quotes, dashes, spaces, full-width signs, HTML entities."""

from __future__ import annotations

import html
import re
import unicodedata

from snellen.core.reply.numbers import minus_signs

_ZERO_WIDTH = (0xAD, 0x61C, 0x180E, 0xFE0E, 0xFE0F, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F))
_CHARACTERS: dict[int, str | None] = {
    **dict.fromkeys(_ZERO_WIDTH),
    **dict.fromkeys(range(0x2060, 0x2070)),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2028\u2029\x85\x0b\x0c"), "\n"),
    ord("\u3002"): ".",
    ord("\u3001"): ",",
    ord("\u3010"): "[",
    ord("\u3011"): "]",
}
_LONG_DASH = re.compile(  # one that begins a line or an answer and stands before a digit may be a minus sign: it stays
    "(?P<kept>(?:^|[:=])[^\\S\n]*[\u2014\u2015])(?=\\.?\\d)|[\u2014\u2015\u2e3a]", re.MULTILINE
)
_SHORT_DASH = re.compile("(?<=\\d)[\u2012\u2013](?=\\d)")
_RAISED = re.compile("(?<=\\d)(?=[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b])")
_ENTITY = re.compile(r"&(?:lt|gt|quot|amp|nbsp|apos|minus|ndash|#\d{1,5}|#x[0-9a-f]{1,5});", re.IGNORECASE)


def plain(text: str) -> str:
    """Return full-width characters, curly quotes, long dashes, odd spaces and HTML entities in plain form, without invisible characters.

    >>> plain("\\uff08\\uff11\\uff10\\uff0c\\uff12\\uff10\\uff09 \\u201cred\\u201d")
    '(10,20) "red"'
    """
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m.group()), text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _RAISED.sub("^", minus_signs(text)).translate(_CHARACTERS)).translate(
            _CHARACTERS
        )
        text = _LONG_DASH.sub(lambda dash: dash["kept"] or " - ", text)
        text = _SHORT_DASH.sub("-", text).replace("\u2013", " - ").replace("\u2012", " - ")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
