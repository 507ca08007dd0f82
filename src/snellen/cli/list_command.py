"""`snellen list`: what there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.extras import Thresholds
from snellen.core.prompt import shots_of

ALSO = {"models": "subjects"}
"""Another name of a list: what `--model` takes."""
WHAT = ("exams", "subjects", "protocols", "methods", "scorers", "families")
ON_DEMAND = ("faculties", "prices")
"""What `--json` has only where it is asked for: it is long."""
NAMED_BY = {"subjects": "model", "families": "family", "prices": "service"}
"""The column that names a row, where it is not `name`."""
MOST = 25
"""So many names of a list are shown where all lists are."""


@click.command("list")
@click.argument("what", type=click.Choice((*WHAT, *ON_DEMAND, *ALSO)), required=False, metavar="[WHAT]")
@flags("list")
def command(what: str | None, as_json: bool) -> int:
    """List what is available: names of all there is, or with WHAT one of these lists in full.

    WHAT is exams, subjects, protocols (with their prompts), methods, scorers, families, faculties or prices. Families are what is known
    of models: at which size they see a picture, what the numbers of their replies count, by which source. Faculties are what the eye
    exam can examine: each one's dial, its ladder, the share of right answers of one who guesses, and the question. Prices are in USD
    per million tokens, each with its date and source.
    """
    wanted = WHAT if what is None else (ALSO.get(what, what),)
    facts = {name: gather(name) for name in wanted}
    if as_json:
        options.print_json(facts)
        return 0
    from snellen.present.terminal.tables import print_table

    if what is None:
        facts |= {name: gather(name) for name in ON_DEMAND}
        print_table("what there is", ("list", "names"), [(name, names_of(name, rows)) for name, rows in facts.items()])
        click.echo("'snellen list exams' (or another of these lists) says more of each.")
        return 0
    for title, rows in _tables(facts):
        print_table(title, list(rows[0]), ([str(v) for v in row.values()] for row in rows))
    return 0


def names_of(what: str, rows: list[dict[str, Any]]) -> str:
    """The names in a list, the first of them where they are many; protocols by how many each exam has."""
    if what == "protocols":
        counted = Counter(row["exam"] for row in rows if row["kind"] == "protocol")
        return ", ".join(f"{exam} {count}" for exam, count in counted.items())
    names = [str(row[NAMED_BY.get(what, "name")]) for row in rows]
    if what == "subjects":
        names = [prefix + "/" * bool(rest) for prefix, _, rest in (name.partition("/") for name in names)]
    names = list(dict.fromkeys(names))
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def _tables(facts: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What is printed: a table a list; methods that look at the answer in one of their own."""
    for name, rows in facts.items():
        if name == "prices":
            yield from _price_tables(rows)
            continue
        if name == "families":
            yield (
                f"{name} (--json has their sources and limits)",
                [
                    {k: v for k, v in r.items() if k in ("family", "sees", "replies count", "format", "sure")}
                    for r in rows
                ],
            )
            continue
        if name == "faculties":
            yield name, [{k: v for k, v in r.items() if k != "question"} for r in rows]
            yield "questions", [{"name": r["name"], "question": r["question"]} for r in rows]
            continue
        if name != "methods":
            yield name, rows
            continue
        for title, oracle in ((name, False), ("ORACLE methods: look at the answer, for comparison only", True)):
            yield title, [{k: v for k, v in r.items() if k != "oracle"} for r in rows if r["oracle"] is oracle]


def gather(what: str) -> list[dict[str, Any]]:
    """The rows of one list."""
    from snellen import exams, scorers, subjects

    if what == "subjects":
        return [{"model": form, "about": about} for form, about in subjects.forms().items()]
    if what == "prices":
        return _prices()
    if what == "scorers":
        return [{"name": form, "about": about} for form, about in scorers.forms().items()]
    if what == "families":
        from snellen.subjects.families import rows as family_rows

        return list(family_rows())
    if what == "methods":
        return [row for kind in subjects.kinds().values() for row in kind.catalogue()]
    every = [exams.load(name) for name in exams.names()]
    if what == "faculties":
        return [dict(row) for e in every if (own := e.extra(Thresholds)) is not None for row in own.faculties()]
    if what == "exams":
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
    rows: list[dict[str, Any]] = []
    for e in every:
        rows += [
            {
                "exam": e.name,
                "kind": "protocol",
                "name": p.name,
                "version": p.version,
                "about": f"{p.about}; prompt '{p.prompt}'",
            }
            for p in e.protocols.values()
        ]
        rows += [
            {"exam": e.name, "kind": "prompt", "name": n, "version": "", "about": p.about} for n, p in e.prompts.items()
        ]
    return rows


def _prices() -> list[dict[str, Any]]:
    """The built-in prices, a model a row."""
    import msgspec

    from snellen.subjects.prices import built_in

    return [
        {"service": service, "model": model, **msgspec.to_builtins(entry)}
        for service, model, entry in built_in().entries
    ]


def _price_tables(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A table a service, with the addresses of their sources in one of its own."""
    sources = {source: str(i) for i, source in enumerate(dict.fromkeys(row["source"] for row in rows), 1)}
    for service in dict.fromkeys(row["service"] for row in rows):
        yield (
            f"prices · {service} (USD per million tokens)",
            [
                {
                    "model": row["model"],
                    "in": _figure(row["input"]),
                    "out": _figure(row["output"]),
                    "cached": _figure(row["cached"]),
                    "batch": "" if row["batch"] is None else f"x {row['batch']:g}",
                    "up to": "" if row["up_to"] is None else f"{row['up_to']:,}",
                    "as of": row["valid"] + (f" until {row['until']}" if row["until"] else ""),
                    "known by": row["known"],
                    "source": sources[row["source"]],
                }
                for row in rows
                if row["service"] == service
            ],
        )
    yield "sources of the prices", [{"source": n, "address": source} for source, n in sources.items()]


def _figure(rate: float | None) -> str:
    return "" if rate is None else f"{rate:g}"
