"""`snellen list`: what there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from snellen.cli import options

OLD = "benchmarks"
"""What 0.1 called exams."""
WHAT = ("exams", "subjects", "protocols", "methods", "scorers", "families")


@click.command("list")
@click.argument("what", type=click.Choice((*WHAT, OLD)), required=False, metavar="[WHAT]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str | None, as_json: bool) -> int:
    """List what is available. WHAT is exams, subjects, protocols (with their prompts), methods, scorers or families; without it, all.

    Families are what is known of models: at which size they see a picture, what the numbers of their replies count, by which source.
    """
    wanted = WHAT if what is None else ("exams",) if what == OLD else (what,)
    facts = {name: gather(name) for name in wanted}
    if as_json:
        options.print_json(facts)
        return 0
    from snellen.show.tables import print_table

    for title, rows in _tables(facts):
        print_table(title, list(rows[0]), ([str(v) for v in row.values()] for row in rows))
    return 0


def _tables(facts: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What is printed: a table a list; methods that look at the answer in one of their own."""
    for name, rows in facts.items():
        if name == "families":
            yield (
                f"{name} (--json has their sources and limits)",
                [
                    {k: v for k, v in r.items() if k in ("family", "sees", "replies count", "format", "sure")}
                    for r in rows
                ],
            )
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
    if what == "scorers":
        return [{"name": form, "about": about} for form, about in scorers.forms().items()]
    if what == "families":
        from snellen.subjects.families import rows as family_rows

        return list(family_rows())
    if what == "methods":
        return [row for kind in subjects.kinds().values() for row in kind.catalogue()]
    every = [exams.load(name) for name in exams.names()]
    if what == "exams":
        return [
            {
                "name": e.name,
                "about": e.title,
                "splits": ", ".join(e.splits),
                "tasks": ", ".join(e.tasks),
                "shots": ", ".join(map(str, e.shots)),
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
