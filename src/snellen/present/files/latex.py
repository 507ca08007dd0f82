"""A paper table in LaTeX, with the rules of booktabs. All text from outside is escaped, so it cannot be a command."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence

from snellen.core.text import one_line
from snellen.present.model.paper_table import NOTHING, Head, PaperFigure, PaperLine, PaperTable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # after the end of a row, LaTeX would read brackets and a star as options
    "]": "{]}",
    "*": "{*}",
    '"': "''",
    "–": "--",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
}
_TO_ESCAPE = re.compile("|".join(map(re.escape, [*_SPECIAL, "--"])) + "|[^\x00-\x7f]")
_LATIN = frozenset("ßøØæÆœŒłŁ")
"""Letters that every LaTeX has, besides those with an accent."""
_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327")
LONG = 4000
INLINE, WIDE = 3, 7
"""Up to INLINE columns, the interval is beside the figure. With more, it is below. Up to WIDE columns are readable on a page."""
DAGGER = r"^{\dagger}"
FLOOR = rf" ${DAGGER}$: at or below the floor."
# a letter of any script; pdfLaTeX, which knows few of them, prints its number instead of stopping
LETTER = (
    r"\providecommand{\snellenletter}[2]{\ifdefined\directlua#1\else\ifdefined\XeTeXversion#1\else\texttt{U+#2}\fi\fi}"
)


def escaped(text: str) -> str:
    r"""Return a text that LaTeX prints literally, on one line.

    >>> print(escaped("50 % of\n$x_1$ \\input{/etc/passwd} a--b é"))
    50 \% of \$x\_1\$ \textbackslash{}input\{/etc/passwd\} a-{}-b é
    """
    return _TO_ESCAPE.sub(lambda m: _SPECIAL.get(m.group()) or _letter(m.group()), one_line(text, LONG))


def _letter(found: str) -> str:
    if found == "--":
        return "-{}-"
    letter = unicodedata.normalize("NFD", found)
    if found in _LATIN or (len(letter) == 2 and letter[0].isascii() and letter[0].isalpha() and letter[1] in _ACCENTS):
        return found
    return rf"\protect\snellenletter{{{found}}}{{{ord(found):04X}}}"


def latex(tables: Sequence[PaperTable]) -> str:
    """Return tables that a paper can `\\input`."""
    pieces = [piece for table in tables for piece in _pieces(table)]
    written = [_table(table, label) for table, label in zip(pieces, _labels(pieces), strict=True)]
    needed = [r"% needs \usepackage{booktabs} and \usepackage{graphicx}"]
    if any(r"\snellenletter" in text for text in written):
        needed += [
            "% letters that pdfLaTeX does not have are printed by LuaLaTeX and XeLaTeX, given a font with them",
            LETTER,
        ]
    return "\n".join([*needed, *written])


def _pieces(table: PaperTable) -> Iterator[PaperTable]:
    """Split a table that is too wide for a page into several. Headings that columns share stay whole."""
    groups = [len(list(some)) for _group, some in itertools.groupby(table.heads, key=lambda head: head.group)]
    limit = WIDE
    if len(table.heads) > WIDE and max(groups) > WIDE // 2:
        groups = [1] * len(table.heads)
        limit = math.ceil(len(groups) / math.ceil(len(groups) / WIDE))
    widths = [0]
    for size in groups:
        if widths[-1] + size > limit:
            widths.append(0)
        widths[-1] += size
    ends = itertools.accumulate(widths)
    for number, (width, end) in enumerate(zip(widths, ends, strict=True), 1):
        cut = slice(end - width, end)
        said = (f"Part {number} of {len(widths)} of the columns.",) if len(widths) > 1 else ()
        yield table._replace(
            heads=table.heads[cut],
            lines=tuple(line._replace(figures=line.figures[cut]) for line in table.lines),
            published=tuple(line._replace(figures=line.figures[cut]) for line in table.published),
            floors=table.floors[cut],
            caption=(*table.caption, *said),
        )


def _labels(tables: Sequence[PaperTable]) -> list[str]:
    """Return a unique label for each table."""
    names = [re.sub(r"[^a-z0-9]+", "-", f"{t.exam}-{t.protocol}-{t.name}".lower()).strip("-") for t in tables]
    return [f"{n}-{names[: i + 1].count(n)}" if names.count(n) > 1 else n for i, n in enumerate(names)]


def _table(table: PaperTable, label: str) -> str:
    low = any(figure.floor_word for line in table.lines for figure in line.figures)
    figures = _inline if len(table.heads) <= INLINE else _stacked
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption[{{{escaped(f'{table.exam}, protocol {table.protocol}')}}}]"
        rf"{{{' '.join(map(escaped, table.caption))}{FLOOR if low else ''}}}",
        rf"\label{{tab:{label}}}",
        r"\medskip",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{l{'r' * len(table.heads)}}}",
        r"\toprule",
        *_headings(table.heads),
        r"\midrule",
        *(row for line in table.lines for row in figures(line)),
    ]
    if table.published:
        lines += [r"\midrule", *(row for line in table.published for row in figures(line))]
    if table.floors:
        lines += [r"\midrule", _row(["floor", *map(escaped, table.floors)])]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}}", r"\end{table}"]) + "\n"


def _headings(heads: Sequence[Head]) -> list[str]:
    """Return the column names, below the headings that neighbours share."""
    names = _row(["model", *(escaped(head.name) for head in heads)])
    if not any(head.group for head in heads):
        return [names]
    above, rules, place = [""], [], 2
    for group, some in itertools.groupby(heads, key=lambda head: head.group):
        width = len(list(some))
        above.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(group)}}}" if group or width > 1 else "")
        rules += [rf"\cmidrule(lr){{{place}-{place + width - 1}}}"] if group else []
        place += width
    return [_row(above), " ".join(rules), names]


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _name(line: PaperLine) -> str:
    return " ".join(filter(None, [escaped(line.name), _status(line)]))


def _status(line: PaperLine) -> str:
    return rf"{{\scriptsize ({escaped(line.status)})}}" if line.status else ""


def _inline(line: PaperLine) -> list[str]:
    """Return '$61.1_{\\,[55.1,\\,67.0]}$', followed by notes in small letters."""
    return [
        _row(
            [
                _name(line),
                *(_value(f, rf"_{{\,{_interval(f)}}}" if f.interval else "") + _notes(f) for f in line.figures),
            ]
        )
    ]


def _stacked(line: PaperLine) -> list[str]:
    """Return the figures, and below them rows with the intervals and the notes. The status of the line is there too."""
    intervals = [rf"{{\scriptsize ${_interval(f)}$}}" if f.interval else "" for f in line.figures]
    if not any(intervals):
        return [_row([_name(line), *map(_value, line.figures)])]
    rows = [
        [escaped(line.name), *map(_value, line.figures)],
        [_status(line), *intervals],
        ["", *map(_notes, line.figures)],
    ]
    *above, last = [row for row in rows if any(row)]
    return [*(" & ".join(row) + r" \\[-2pt]" for row in above), _row(last)]


def _interval(figure: PaperFigure) -> str:
    return figure.interval.replace(", ", r",\,")


def _value(figure: PaperFigure, interval: str = "") -> str:
    return "--" if figure.value == NOTHING else f"${figure.value}{DAGGER if figure.floor_word else ''}{interval}$"


def _notes(figure: PaperFigure) -> str:
    return rf" {{\scriptsize ({escaped(', '.join(figure.notes))})}}" if figure.notes else ""
