"""A paper table in LaTeX, with the rules of booktabs. All text from outside is escaped: none of it can be a command."""

from __future__ import annotations

import re

from snellen.core.text import one_line
from snellen.show.paper_table import NOTHING, Figure, Line, PaperTable

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
    "[": "{[}",  # behind the end of a row, brackets and a star would be taken for its options
    "]": "{]}",
    "*": "{*}",
    '"': "''",
    "–": "--",
    "·": r"\textperiodcentered{}",
    "…": r"\ldots{}",
}
_TO_ESCAPE = re.compile("|".join(map(re.escape, [*_SPECIAL, "--"])))
LONG = 4000
DAGGER = r"^{\dagger}"
FLOOR = rf" ${DAGGER}$: at or below the floor."


def escaped(text: str) -> str:
    r"""A text that LaTeX prints as it is, on one line.

    >>> print(escaped("50 % of\n$x_1$ \\input{/etc/passwd} a--b"))
    50 \% of \$x\_1\$ \textbackslash{}input\{/etc/passwd\} a-{}-b
    """
    return _TO_ESCAPE.sub(lambda m: _SPECIAL.get(m.group(), "-{}-"), one_line(text, LONG))


def latex(table: PaperTable) -> str:
    """A table that a paper can `\\input`."""
    columns = len(table.parts)
    low = any(figure.floor_word for line in table.lines for figure in line.figures)
    label = re.sub(r"[^a-z0-9]+", "-", f"{table.exam}-{table.protocol}".lower()).strip("-")
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{' '.join(map(escaped, table.caption))}{FLOOR if low else ''}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{l{'r' * columns}}}",
        r"\toprule",
        _row(["model", *map(escaped, table.parts)]),
        r"\midrule",
        *(_row([_name(line), *map(_figure, line.figures)]) for line in table.lines),
    ]
    if table.published:
        lines.append(r"\midrule")
        lines += [_row([_name(line), *map(_figure, line.figures)]) for line in table.published]
    if table.floors:
        lines += [r"\midrule", _row(["floor", *map(escaped, table.floors)])]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _name(line: Line) -> str:
    return escaped(line.name) + (rf" {{\scriptsize ({escaped(line.status)})}}" if line.status else "")


def _figure(figure: Figure) -> str:
    """'$61.1_{\\,[55.1,\\,67.0]}$', with notes behind it in small letters."""
    if figure.value == NOTHING:
        return "--"
    interval = figure.interval.replace(", ", r",\,")
    below = rf"_{{\,{interval}}}" if interval else ""
    notes = rf" {{\scriptsize ({escaped(', '.join(figure.notes))})}}" if figure.notes else ""
    return f"${figure.value}{DAGGER if figure.floor_word else ''}{below}${notes}"
