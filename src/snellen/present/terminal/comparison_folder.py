"""The comparisons of a folder of runs in the terminal: of each exam who is who and what it means; the tables are those of one exam."""

from __future__ import annotations

import shlex

from snellen.comparison.comparing import ExamComparisons
from snellen.core.text import for_terminal, one_line
from snellen.present.terminal.comparison import print_comparison, print_sides
from snellen.present.terminal.prescription import print_compared
from snellen.present.terminal.tables import console, say


def print_folder(all_of_it: ExamComparisons, *, verbose: bool = False) -> None:
    """Print exam by exam; `verbose` shows each as it is shown alone."""
    out = console()
    for one in all_of_it.exams:
        if one.thresholds is not None:
            print_compared(one.thresholds, verbose=verbose)
        elif one.found is None:
            say(out, f"{one.exam}: {one_line(one.why, 300)}", "yellow")
        elif verbose:
            print_comparison(one.found, verbose=True)
        else:
            print_sides(out, one.found)
            for sentence in one.found.verdict:
                say(out, sentence, limit=1000)
        out.print()
    for line in all_of_it.passed:
        say(out, f"Passed over: {one_line(line, 300)}", "yellow")
    where, page = (for_terminal(shlex.quote(str(p))) for p in (all_of_it.folder, all_of_it.folder / "report.html"))
    pairs = any(one.found is not None and one.found.ranking is None for one in all_of_it.exams)
    more = "-v shows every table; " if pairs and not verbose else ""
    say(out, f"Next: {more}of one exam:", "dim")
    exam = next((one.exam for one in all_of_it.exams if one.found is not None or one.thresholds is not None), "EXAM")
    say(out, f"  snellen compare {where}/{exam}_*", "dim", soft_wrap=True)
    say(out, f"  snellen report {where} --out {page}", "dim", soft_wrap=True)
