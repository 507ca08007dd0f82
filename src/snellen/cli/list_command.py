"""`snellen list`: what is available."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from snellen import exams, scorers, subjects
from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.exam import Exam
from snellen.core.extras import Thresholds
from snellen.core.figures import listed
from snellen.core.prompt import shots_of
from snellen.present.terminal.tables import print_table
from snellen.subjects.families import rows as family_rows
from snellen.subjects.prices import built_in

_ALSO = {"models": "subjects"}
"""Another name of a list: the values of `--model`."""
WHAT = ("exams", "subjects", "protocols", "methods", "scorers", "families")
ON_DEMAND = ("faculties", "prices")
"""Long lists that `--json` includes only on request."""
_NAMED_BY = {"subjects": "model", "families": "family", "prices": "service"}
"""The column that names a row, if it is not `name`."""
MOST = 25
"""The most names of one list that are shown in the overview of all lists."""
Rows = list[dict[str, Any]]


@click.command("list")
@click.argument("what", type=click.Choice((*WHAT, *ON_DEMAND, *_ALSO)), required=False, metavar="[WHAT]")
@flags("list")
def command(what: str | None, as_json: bool) -> int:
    """List what is available: names of all there is, or with WHAT one of these lists in full.

    WHAT is exams, subjects, protocols (with their prompts), methods, scorers, families, faculties or prices. Families are what is known
    of models: at which size they see a picture, what the numbers of their replies count, by which source. Faculties are what the eye
    exam can examine: each one's dial, its ladder, the share of right answers of one who guesses, and the question. Prices are in USD
    per million tokens, each with its date and source.
    """
    wanted = WHAT if what is None else (_ALSO.get(what, what),)
    facts = {name: gather(name) for name in wanted}
    if as_json:
        options.print_json(facts)
        return 0
    if what is None:
        facts |= {name: gather(name) for name in ON_DEMAND}
        print_table("what there is", ("list", "names"), [(name, _names_of(name, rows)) for name, rows in facts.items()])
        click.echo("'snellen list exams' (or another of these lists) says more of each.")
        return 0
    for title, rows in _tables(wanted[0], facts[wanted[0]]):
        print_table(title, list(rows[0]), ([str(v) for v in row.values()] for row in rows))
    return 0


def _names_of(what: str, rows: Rows) -> str:
    """Return the names in a list, or only the first if there are many. For protocols, return the number in each exam."""
    if what == "protocols":
        counted = Counter(row["exam"] for row in rows if row["kind"] == "protocol")
        return ", ".join(f"{exam} {count}" for exam, count in counted.items())
    names = [str(row[_NAMED_BY.get(what, "name")]) for row in rows]
    if what == "subjects":
        names = [prefix + "/" * bool(rest) for prefix, _, rest in (name.partition("/") for name in names)]
    return listed(dict.fromkeys(names), MOST)


def _tables(name: str, rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield the tables of a list: one, or several with their own titles."""
    if name == "prices":
        yield from _price_tables(rows)
    elif name == "families":
        columns = ("family", "sees", "replies count", "format", "sure")
        yield "families (--json has their sources and limits)", [{k: row[k] for k in columns} for row in rows]
    elif name == "faculties":
        yield name, _without("question", rows)
        yield "questions", [{"name": row["name"], "question": row["question"]} for row in rows]
    elif name == "methods":
        title = "ORACLE methods: look at the answer, for comparison only"
        yield name, _without("oracle", [row for row in rows if not row["oracle"]])
        yield title, _without("oracle", [row for row in rows if row["oracle"]])
    else:
        yield name, rows


def _without(column: str, rows: Rows) -> Rows:
    return [{k: v for k, v in row.items() if k != column} for row in rows]


def gather(what: str) -> Rows:
    """Return the rows of one list."""
    if what == "subjects":
        return [{"model": form, "about": about} for form, about in subjects.forms().items()]
    if what == "scorers":
        return [{"name": form, "about": about} for form, about in scorers.forms().items()]
    if what == "prices":
        return [
            {"service": service, "model": model, **msgspec.to_builtins(entry)}
            for service, model, entry in built_in().entries
        ]
    if what == "families":
        return list(family_rows())
    if what == "methods":
        return [row for kind in subjects.kinds().values() for row in kind.catalogue()]
    every = [exams.load(name) for name in exams.names()]
    if what == "faculties":
        return [dict(row) for e in every if (own := e.extra(Thresholds)) is not None for row in own.faculties()]
    if what == "protocols":
        return [row for e in every for row in _protocols(e)]
    return [
        {
            "name": e.name,
            "about": e.title,
            "splits": ", ".join(e.splits),
            "tasks": ", ".join(e.tasks),
            "shots": ", ".join(map(str, shots_of(e.prompts.values()))),
            "paper": e.paper,
        }
        for e in every
    ]


def _protocols(exam: Exam) -> Iterator[dict[str, Any]]:
    """Yield the protocols and the prompts of an exam."""
    for p in exam.protocols.values():
        about = f"{p.about}; prompt '{p.prompt}'"
        yield {"exam": exam.name, "kind": "protocol", "name": p.name, "version": p.version, "about": about}
    for name, prompt in exam.prompts.items():
        yield {"exam": exam.name, "kind": "prompt", "name": name, "version": "", "about": prompt.about}


def _price_tables(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield a table for each service, and one with the addresses of their sources."""
    sources = {source: str(i) for i, source in enumerate(dict.fromkeys(row["source"] for row in rows), 1)}
    services: dict[str, Rows] = {}
    for row in rows:
        services.setdefault(row["service"], []).append(
            {
                "model": row["model"],
                "in": _figure(row["input"]),
                "out": _figure(row["output"]),
                "cached": _figure(row["cached"]),
                "batch": _figure(row["batch"], "x {:g}"),
                "up to": _figure(row["up_to"], "{:,}"),
                "as of": row["valid"] + (f" until {row['until']}" if row["until"] else ""),
                "known by": row["known"],
                "source": sources[row["source"]],
            }
        )
    for service, some in services.items():
        yield f"prices · {service} (USD per million tokens)", some
    yield "sources of the prices", [{"source": n, "address": source} for source, n in sources.items()]


def _figure(value: float | None, form: str = "{:g}") -> str:
    return "" if value is None else form.format(value)
