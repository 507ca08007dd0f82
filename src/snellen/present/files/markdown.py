"""A paper table in Markdown (a pipe table). Text from outside is escaped by character references, so it is never markup or HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from snellen.core.text import one_line
from snellen.present.model.paper_table import PaperFigure, PaperLine, PaperTable

# an underscore within a word is not markup; escaping the slash keeps an address from becoming a link
_TO_ESCAPE = re.compile(r"[\\|<>&*`\[\]~!#$@]|(?<=:)/(?=/)|(?<![^\W_])_|_(?![^\W_])")
LONG = 4000


def escaped(text: str) -> str:
    """Return a text that Markdown shows literally, on one line.

    >>> escaped("gpt_4 | <b>[x](https://y)")
    'gpt_4 &#124; &#60;b&#62;&#91;x&#93;(https:&#47;/y)'
    """
    return _TO_ESCAPE.sub(lambda m: f"&#{ord(m.group())};", one_line(text, LONG))


def markdown(table: PaperTable) -> str:
    """Return the caption, then the table."""
    rows = [[_name(line), *map(_figure, line.figures)] for line in (*table.lines, *table.published)]
    if table.floors:
        rows.append(["floor", *table.floors])
    heads = ["model", *(escaped(head.whole) for head in table.heads)]
    return "\n".join([" ".join(map(escaped, table.caption)), "", *pipe_table(heads, rows, heads[1:])]) + "\n"


def pipe_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table whose texts are already escaped. Columns named in `right` are aligned right."""
    marks = ["---:" if head in right else "---" for head in heads]
    return (f"| {' | '.join(cells)} |" for cells in (heads, marks, *rows))


def _name(line: PaperLine) -> str:
    return escaped(line.name) + (f" (**{escaped(line.status)}**)" if line.status else "")


def _figure(figure: PaperFigure) -> str:
    said = ", ".join(filter(None, [*figure.notes, figure.floor_word]))
    notes = f" ({escaped(said)})" if said else ""
    return " ".join(filter(None, [figure.value, figure.interval])) + notes
