"""`snellen list`: what there is."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli import options

WHAT = ("benchmarks", "subjects", "protocols", "methods", "scorers")


@click.command("list")
@click.argument("what", type=click.Choice(WHAT), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str | None, as_json: bool) -> int:
    """List benchmarks, subjects, protocols (with their prompts), grounding methods, scorers; all when WHAT is left out."""
    facts = {name: gather(name) for name in ((what,) if what else WHAT)}
    if as_json:
        options.print_json(facts)
        return 0
    from rich.table import Table
    from rich.text import Text

    from snellen.reports.terminal import console

    out = console()
    for name, rows in facts.items():
        table = Table(title=name, title_justify="left", title_style="bold")
        for column in rows[0]:
            table.add_column(column, no_wrap=column in ("name", "model"))
        for row in rows:
            table.add_row(*(Text(str(v)) for v in row.values()))
        out.print(table)
    return 0


def gather(what: str) -> list[dict[str, Any]]:
    """The rows of one list."""
    from snellen import benchmarks, subjects

    if what == "subjects":
        return [{"model": form, "about": about} for form, about in subjects.FORMS.items()]
    if what == "scorers":
        from snellen.scorers import FORMS

        return [{"name": form, "about": about} for form, about in FORMS.items()]
    if what == "methods":
        return _methods()
    exams = [benchmarks.load(name) for name in benchmarks.names()]
    if what == "benchmarks":
        return [
            {
                "name": e.name,
                "about": e.title,
                "splits": ", ".join(e.splits),
                "tasks": ", ".join(e.tasks),
                "shots": ", ".join(map(str, e.shots)),
                "paper": e.paper,
            }
            for e in exams
        ]
    rows: list[dict[str, Any]] = []
    for e in exams:
        rows += [
            {
                "benchmark": e.name,
                "kind": "protocol",
                "name": p.name,
                "version": p.version,
                "about": f"{p.about}; prompt '{p.prompt}'",
            }
            for p in e.protocols.values()
        ]
        rows += [
            {"benchmark": e.name, "kind": "prompt", "name": n, "version": "", "about": about}
            for n, about in e.prompts.items()
        ]
    return rows


def _methods() -> list[dict[str, Any]]:
    """Grounding methods with what they need, and whether that is there."""
    import os

    from snellen.benchmarks.grounding.methods import catalogue
    from snellen.benchmarks.grounding.methods.ocr import missing

    there = {
        "model": "--model",
        "planner": "--planner or --model",
        "parser:omniparser": f"a server at {os.environ.get('EVAL_OMNIPARSER_URL', 'http://localhost:8000')} (not looked for here)",
        "parser:ocr": "embedded",
        "extra:ocr": "installed" if missing() is None else "MISSING: pip install 'snellen[ocr]'",
        "truth": "the answer itself",
    }
    return [
        {
            "name": entry.name,
            "needs": "; ".join(f"{need}: {there.get(need, '?')}" for need in entry.needs) or "nothing",
            "about": entry.about,
        }
        for entry in catalogue()
    ]
