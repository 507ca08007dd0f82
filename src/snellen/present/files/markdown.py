"""A paper table in Markdown (a pipe table). Text from outside is escaped by character references: it is no markup and no HTML."""

from __future__ import annotations

import re

from snellen.core.text import one_line
from snellen.present.model.paper_table import PaperFigure, PaperLine, PaperTable

# an underscore within a word is none of Markdown's; the slash of an address keeps it from becoming a link
_TO_ESCAPE = re.compile(r"[\\|<>&*`\[\]~!#$@]|(?<=:)/(?=/)|(?<![^\W_])_|_(?![^\W_])")
LONG = 4000


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line.

    >>> escaped("gpt_4 | <b>[x](https://y)")
    'gpt_4 &#124; &#60;b&#62;&#91;x&#93;(https:&#47;/y)'
    """
    return _TO_ESCAPE.sub(lambda m: f"&#{ord(m.group())};", one_line(text, LONG))


def markdown(table: PaperTable) -> str:
    """Return the caption, then the table."""
    lines = [
        " ".join(map(escaped, table.caption)),
        "",
        _row(["model", *(escaped(head.whole) for head in table.heads)]),
        _row(["---", *["---:"] * len(table.heads)]),
        *(_row([_name(line), *map(_figure, line.figures)]) for line in (*table.lines, *table.published)),
    ]
    if table.floors:
        lines.append(_row(["floor", *table.floors]))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _name(line: PaperLine) -> str:
    return escaped(line.name) + (f" (**{escaped(line.status)}**)" if line.status else "")


def _figure(figure: PaperFigure) -> str:
    said = ", ".join(filter(None, [*figure.notes, figure.floor_word]))
    notes = f" ({escaped(said)})" if said else ""
    return " ".join(filter(None, [figure.value, figure.interval])) + notes
