"""`snellen explain`: why is my number not the paper's?"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from snellen.cli import options


@click.command("explain")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("figure", required=False)
@click.option(
    "--part",
    default="",
    metavar="NAME",
    help="The part that the number is of, such as P3 (default: all parts together; figures are looked for in each).",
)
@click.option("--metric", default="", metavar="NAME", help="Explain this metric instead of the run's headline.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 100),
    metavar="D",
    help="A reading gives FIGURE if it is within D points (default: half of its last digit).",
)
@click.option(
    "--published", default="", metavar="MODEL", help="Look for a paper's figures of this model, too (real data only)."
)
@click.option("-v", "--verbose", is_flag=True, help="Show every choice below the curve, and the curve beside FIGURE.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, with every reading.")
def command(
    run: Path,
    figure: str | None,
    part: str,
    metric: str,
    tolerance: float | None,
    published: str,
    verbose: bool,
    as_json: bool,
) -> int:
    """Mark the stored answers of RUN again in every defensible way and show which numbers they can give: protocol, prompt, metric, average,
    non-answers. Calls nothing, and writes nothing into RUN.

    With FIGURE (63.4, 63.4% or 0.634): the choices that give it, and the way there stage by stage; or none, and what is nearest.

    \b
    snellen explain runs/salbench_gpt 63.4
    """
    from snellen.comparison.explaining import explain_run

    wanted = None if tolerance is None else tolerance / 100
    path = options.run_folder(run, "explain")
    found = explain_run(path, figure, tolerance=wanted, part=part, metric=metric, published=published)
    if as_json:
        options.print_json(msgspec.to_builtins(found))
    else:
        from snellen.present.terminal.explanation import print_explanation

        print_explanation(found, verbose=verbose)
    return 0
