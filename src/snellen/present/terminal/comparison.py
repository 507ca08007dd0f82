"""A comparison on one screen of the terminal: the models, the differences, and their meaning in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from rich.text import Text

from snellen.comparison.comparing import ExamComparisons
from snellen.comparison.explained import ChoiceLeads, Leads
from snellen.comparison.results import Comparison, Ranking
from snellen.core.text import one_line
from snellen.present.model import formatting
from snellen.present.model.comparison_view import compared_tables, expenses, ranked
from snellen.present.terminal.prescription import print_prescription
from snellen.present.terminal.tables import say, say_next, say_notes, show, show_rows

REPLY = 120
"""The most characters of a reply that are shown."""


def print_comparison(found: Comparison, *, flips: int = 0, verbose: bool = False) -> None:
    """Print one screen. `verbose` shows the parts under every protocol. `flips` is the number of samples for each side."""
    _print_sides(found)
    say_notes(found.notes)
    if found.ranking is not None:
        _print_ranking(found.ranking)
        if verbose or found.power is not None:
            said = "-v and --power are for two runs at a time (--json has what each pair shows)."
            say(said, "yellow")
    else:
        print_differences(found, verbose=verbose)
    if found.leads is not None:
        _print_leads(found.leads, verbose=verbose)
    if flips:
        _print_flips(found, flips)
    say("")
    for sentence in found.verdict:
        say(sentence, "bold")
    say_next(_next(found, flips))


def _print_sides(found: Comparison) -> None:
    """Print the models that the letters stand for, with cost and time if known, and the folder if subjects share a name."""
    say(formatting.common_samples(found.exam, found.samples, synthetic=found.synthetic), "bold")
    sides = found.sides
    columns: dict[str, Iterable[str | Text]] = {
        "run": [Text(side.letter, style="bold") for side in sides],
        "subject": [
            f"{s.subject}{f' · {s.shots} shots' if s.shots else ''}{formatting.asked_often(s.repeats)}" for s in sides
        ],
    }
    if len({side.subject for side in sides}) < len(sides):
        columns["folder"] = [side.run.rstrip("/").rpartition("/")[2] for side in sides]
    known = expenses(sides)
    columns |= {name: values.values() for name, values in known.items()}
    rows = zip(*columns.values(), strict=True)
    show_rows(*columns, rows=rows, kept=("run",), right=tuple(known))


# ---------------------------------------------------------------- two runs


def print_differences(found: Comparison, *, verbose: bool = False) -> None:
    """Print the parts under the main protocol (`verbose`: under every one), and all samples by protocol."""
    for table in compared_tables(found, every=verbose):
        say(f"\n{table.view.title}:")
        view, optional = table.view, table.optional
        show(view, view.without(optional[0]), view.without(*optional))
        for note in table.notes:
            say(note, "dim")


# ---------------------------------------------------------------- many runs


def _print_ranking(ranking: Ranking) -> None:
    every = list(ranked(ranking))
    labels = {label for _part, label, _size, _places in every}
    by = f", by {ranking.rows[0].label}" if len(labels) == 1 else ""
    say(f"\nUnder '{ranking.protocol}'{by}, the best first:")
    rows = [
        (part if by else f"{part} ({label})", size, "   ".join(f"{run} {score}" for run, score in places.items()))
        for part, label, size, places in every
    ]
    show_rows("part", "n", "runs", rows=rows)
    said = (
        "Runs that share a small letter cannot be told apart (p by pairs, Holm's correction over all pairs of a part)."
    )
    say(said, "dim")


# ---------------------------------------------------------------- flips


def _print_flips(found: Comparison, most: int) -> None:
    """Print samples that only one side got right under the main protocol, grouped by side."""
    main = [flip for flip in found.flips if flip.protocol == found.protocols[0]]
    if found.ranking is not None:
        say("\nFlips are listed for two runs at a time.")
    for letter in dict.fromkeys(flip.only for flip in main):
        own = [flip for flip in main if flip.only == letter]
        more = f" (the first {most})" if len(own) > most else ""
        counted = formatting.counted(len(own), "sample")
        say(f"\nOnly {letter} right under '{found.protocols[0]}': {counted}{more}", "bold")
        for flip in own[:most]:
            say(f"{flip.id} · {flip.part}")
            for run, side in ((flip.first_run, flip.first), (flip.second_run, flip.second)):
                times = f" ({side.right} of {side.times} right)" if side.times > 1 else ""
                reply = "no reply" if side.reply is None else repr(one_line(side.reply, REPLY))
                say(f"  {run} {side.outcome}{times}: {reply}")


def _next(found: Comparison, flips: int) -> list[str]:
    runs = [shlex.quote(side.run) for side in found.sides]
    if found.ranking is not None:
        first = [r.run for r in found.ranking.rows][:2]
        two = " ".join(run for run, side in zip(runs, found.sides, strict=True) if side.letter in first)
        commands = [f"snellen compare {two}  # two of them, under every protocol"]
    else:
        commands = [] if flips else [f"snellen compare {' '.join(runs)} --flips 5"]
    return [*commands, f"snellen report {' '.join(runs)}"]


# ---------------------------------------------------------------- the leader under each choice


def _print_leads(found: Leads, *, verbose: bool = False) -> None:
    """Print the readings by protocol, or by the first other available choice. `verbose` prints them by every choice."""
    where = f" ({found.part})" if found.part else ""
    say(f"\n{found.readings} readings of the same answers{where}, who leads (clearly):")
    shown = found.turns[0].choice if found.turns else ""
    turns = [(f"{t.choice}: {t.value}"[:80], t) for t in found.turns if verbose or t.choice == shown]
    every: list[tuple[str, Leads | ChoiceLeads]] = [("all", found), *turns]
    rows = [
        (name, str(one.readings), f"{one.first} ({one.clear_first})", f"{one.second} ({one.clear_second})")
        for name, one in every
    ]
    numbers = ("readings", found.first_run, found.second_run)
    show_rows("choice", *numbers, rows=rows, right=numbers)


# ---------------------------------------------------------------- the comparisons of a folder


def print_folder(all_of_it: ExamComparisons, *, verbose: bool = False) -> None:
    """Print the comparisons exam by exam. `verbose` shows each one in its full form."""
    for one in all_of_it.exams:
        if one.thresholds is not None:
            print_prescription(one.thresholds, verbose=verbose)
        elif one.found is None:
            say(f"{one.exam}: {one_line(one.why)}", "yellow")
        elif verbose:
            print_comparison(one.found, verbose=True)
        else:
            _print_sides(one.found)
            for sentence in one.found.verdict:
                say(sentence)
        say("")
    for line in all_of_it.passed:
        say(f"Passed over: {one_line(line)}", "yellow")
    where, page = (shlex.quote(str(p)) for p in (all_of_it.folder, all_of_it.folder / "report.html"))
    pairs = any(one.found is not None and one.found.ranking is None for one in all_of_it.exams)
    more = "-v shows every table; " if pairs and not verbose else ""
    say(f"Next: {more}of one exam:", "dim")
    exam = next((one.exam for one in all_of_it.exams if one.found is not None or one.thresholds is not None), "EXAM")
    say(f"  snellen compare {where}/{exam}_*", "dim", soft_wrap=True)
    say(f"  snellen report {where} --out {page}", "dim", soft_wrap=True)
