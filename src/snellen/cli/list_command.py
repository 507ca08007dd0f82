"""`snellen list`: what there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from snellen.cli import options

PATIENCE = 1.0  # seconds to wait for a server
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

    from snellen.show.terminal import console

    out = console()
    for title, rows in _tables(facts):
        table = Table(title=title, title_justify="left", title_style="bold")
        for column in rows[0]:
            table.add_column(column, no_wrap=column in ("name", "model"))
        for row in rows:
            table.add_row(*(Text(str(v)) for v in row.values()))
        out.print(table)
    return 0


def _tables(facts: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What is printed: a table a list; methods that look at the answer in one of their own."""
    for name, rows in facts.items():
        if name != "methods":
            yield name, rows
            continue
        for title, oracle in ((name, False), ("ORACLE methods: look at the answer, for comparison only", True)):
            yield title, [{k: v for k, v in r.items() if k != "oracle"} for r in rows if r["oracle"] is oracle]


def gather(what: str) -> list[dict[str, Any]]:
    """The rows of one list."""
    from snellen import exams as benchmarks
    from snellen import subjects

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
    """Grounding methods with what they need, and whether that is there. Servers are looked for, a second each at most."""
    import os
    from pathlib import Path

    from snellen.core.dotenv import overlaid
    from snellen.exams.grounding.methods import catalogue
    from snellen.exams.grounding.methods.building import OMNIPARSER_URL, UITARS, UITARS_URL
    from snellen.exams.grounding.methods.ocr import missing
    from snellen.exams.grounding.methods.wire_omniparser import probe_url

    environ = overlaid(os.environ, Path(), "EVAL_")
    parser = environ.get("EVAL_OMNIPARSER_URL") or OMNIPARSER_URL
    uitars = environ.get("EVAL_UITARS_URL") or UITARS_URL
    there = {
        "model": "--model",
        "planner": "--planner or --model",
        "parser:omniparser": f"a server at {parser} ({_seen(probe_url(parser))})",
        "parser:ocr": "embedded",
        "extra:ocr": "installed" if missing() is None else "MISSING: pip install 'snellen[ocr]'",
        "truth": "the answer itself",
    }
    own = f"--model, else {UITARS.removeprefix('vllm/')} at {uitars} ({_seen(uitars.rstrip('/') + '/models')})"
    rows = []
    for entry in catalogue():
        known = there | ({"model": own} if entry.name.removeprefix("oracle/").startswith("uitars") else {})
        needs = "; ".join(f"{need}: {known.get(need, '?')}" for need in entry.needs) or "nothing"
        rows.append({"name": entry.name, "needs": needs, "about": entry.about, "oracle": entry.oracle})
    return rows


def _seen(url: str) -> str:
    """Whether a server answers at all, in words."""
    import http.client
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=PATIENCE)
        connection.request("GET", parts.path or "/")
        connection.getresponse().close()
        connection.close()
    except (OSError, http.client.HTTPException, ValueError):
        return "nobody answers there"
    return "there"
