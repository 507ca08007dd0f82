"""A run on one screen of the terminal: what was run, each part's score, and what to do next. Everything else is in
`terminal_details`, for those who ask. Text from models and data sets is escaped; nothing of it is read as markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from snellen.comparison.thresholds import examined, prescribing
from snellen.core.finding import BAD, DOUBT, Finding
from snellen.core.records import ControlRow, PositionRow, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.core.text import for_terminal
from snellen.engine.mark.holding import misfit
from snellen.present.model import formatting, repeats
from snellen.present.model.findings import SAID_ELSEWHERE, findings_of, heaviest
from snellen.present.terminal.tables import WARNINGS, console, fits, longest_word, plain_table, shown

if TYPE_CHECKING:
    from snellen.engine.mark.marking import Remarked
    from snellen.engine.runs.run import Run

SHOWN_CHANGES = 20
SHOWN_FINDINGS = 3
MANY_RUNS = 5
SAID = (*SAID_ELSEWHERE, "protocols")
"""Kinds of findings that a run's lines have anyway: the table has a column for the other protocols."""
COLOURS = {BAD: "bold red", DOUBT: "yellow"}
SHOWN_REASONS = 3
STALE = "STALE"
SHOWN_SILENT = 3
LONG_HEADER = 20


def print_run(run: Run, *, verbose: bool | None = None) -> None:
    """The scores of one run on one screen; `verbose` puts every metric, protocol and group before it.

    It is None where the command has no -v: then none is offered.
    """
    out = console()
    summary = run.summary
    protocols = summary.plain
    if verbose and prescribing(run.manifest) is None:
        from snellen.present.terminal.run_details import print_details

        print_details(out, summary)
    name = f"{formatting.title(run.manifest)} · {formatting.counted(run.manifest.data.samples, 'sample')}{repeats.asked(protocols)}"
    unfit = misfit(run, summary)
    shouted = (("SYNTHETIC", summary.synthetic), ("INCOMPLETE", not summary.complete), (STALE, unfit))
    marks = [word for word, is_so in shouted if is_so]
    out.print(Text(" · ".join([for_terminal(name, 300), *marks]), style="bold"), soft_wrap=True)
    if unfit:
        out.print(Text(for_terminal(f"{unfit}. 'snellen remark RUN' marks what is there."), style="bold red"))
    if protocols and prescribing(run.manifest) is not None:
        from snellen.present.terminal.prescription import prescription_of

        prescription_of(out, examined([run]), verbose=bool(verbose))
    elif protocols:
        out.print(_scores(summary))
        out.print(_legend(protocols, bool(verbose)), style="dim")
        for line in repeats.alike(protocols[0]):
            out.print(Text(line))
    _print_controls(out, summary, verbose)
    for row in summary.position[:1]:
        out.print(Text(_position(row)))
    doubts = [one for one in findings_of(run) if one.kind not in SAID]
    for one in [one for one in doubts if one.weight in COLOURS][:SHOWN_FINDINGS]:
        out.print(Text(for_terminal(one.text, 300), style=COLOURS[one.weight]))
    _print_notes(out, summary)
    _print_end(out, run, verbose)


def print_findings(runs: Sequence[tuple[Run, Sequence[Finding]]]) -> None:
    """Of several runs what to know first, the heaviest of each. Runs that have one title are told apart by their folders."""
    out = console()
    each = 1 if len(runs) > MANY_RUNS else 2
    titles = Counter(formatting.title(run.manifest) for run, _found in runs)
    for run, found in runs:
        summary = run.summary
        title = formatting.title(run.manifest)
        title += f" ({run.path.name})" * (titles[title] > 1)
        marks = " · SYNTHETIC" * summary.synthetic + " · INCOMPLETE" * (not summary.complete)
        marks += f" · {STALE}" * bool(misfit(run, summary))
        out.print(Text(for_terminal(f"{title}{marks}", 300), style="bold"), soft_wrap=True)
        for one in heaviest(found, each):
            out.print(Padding(Text(for_terminal(one.text, 300), style=COLOURS.get(one.weight, "")), (0, 0, 0, 2)))


# ---------------------------------------------------------------- the scores


def _scores(summary: Summary) -> Table:
    """A row for each part: the main protocol's score and floor, how many gave no answer, and the spread of the other protocols'."""
    protocols = summary.plain
    main, others = protocols[0], protocols[1:]
    parts = formatting.side_by_side(protocols, whole=True)
    scores = [p[main.protocol].metrics.get(main.headline) if main.protocol in p else None for p in parts]
    table = plain_table()
    table.add_column("part", overflow="fold")
    sizes = [formatting.size(main, [part[main.protocol]] if main.protocol in part else part.values()) for part in parts]
    table.add_column("n", justify="right", min_width=longest_word(sizes))
    table.add_column(_header(main), no_wrap=True)
    has_floor = any(s is not None and s.floor is not None for s in scores)
    if has_floor:
        table.add_column("floor", no_wrap=True)
    is_silent = any(row.protocol == main.protocol for row in summary.silent)
    if is_silent:
        table.add_column("silent")  # on two lines where there is no room for one, before the parts are
    if others:
        table.add_column(others[0].protocol if len(others) == 1 else f"{len(others)} others", no_wrap=True)
    for part, score, size in zip(parts, scores, sizes, strict=True):
        own = part.get(main.protocol)
        n = own.n if own is not None else formatting.most(part.values())
        group = own or next(iter(part.values()))
        row: list[str | Text] = [shown(formatting.group_name(group)), size, _score(main, score, n)]
        row += [_floor(main, score)] if has_floor else []
        if is_silent:
            row.append(Text(formatting.silent_share(summary, main.protocol, group.by), style="bold red"))
        row += [Text(_spread(others, part, score), style="dim")] if others else []
        table.add_row(*row)
    return table


def _header(protocol: ProtocolSummary) -> Text:
    """'macro F1 (paper)', on two lines where it is long."""
    label = formatting.metric_name(protocol, protocol.headline)
    between = " " if len(label) + len(protocol.protocol) + 3 <= LONG_HEADER else "\n"
    return Text(f"{for_terminal(label, 60)}{between}({for_terminal(protocol.protocol, 60)})")


def _score(protocol: ProtocolSummary, score: Score | None, n: int) -> Text:
    if score is None:
        return Text("–", style="dim")
    text = Text(formatting.value(score).rjust(5), style="bold")
    text.append(f" {formatting.interval(score)}", style="not bold")
    if score.n != n:
        text.append(f" {formatting.other_n(score, n)}", style="not bold dim")
    text.stylize(WARNINGS[formatting.floor_word(protocol, protocol.headline, score)])
    return text


def _floor(protocol: ProtocolSummary, score: Score | None) -> Text:
    word = formatting.floor_word(protocol, protocol.headline, score)
    figure = formatting.floor(score).rjust(5) if score is not None else ""
    return Text(f"{figure} {word}".rstrip(), style=WARNINGS[word] if word else "dim")


def _spread(others: tuple[ProtocolSummary, ...], part: dict[str, GroupSummary], main: Score | None) -> str:
    """'93.3–97.8', the lowest and the highest headline of the other protocols; of how many, where some do not have it."""
    there = _headlines(others, part, main)
    if not there:
        return "–"
    low, high = there[0][1], there[-1][1]
    missing = f" ({len(there)})" if len(there) < len(others) else ""
    return (low if low == high else f"{low}–{high}") + missing


def _headlines(
    others: tuple[ProtocolSummary, ...], part: dict[str, GroupSummary], main: Score | None
) -> list[tuple[float, str]]:
    """The headlines of a part under other protocols, in the unit of the main one, lowest first."""
    scores = [part[p.protocol].metrics.get(p.headline) for p in others if p.protocol in part]
    unit = main.unit if main is not None else ""
    return sorted(
        (s.value, formatting.value(s)) for s in scores if s is not None and s.value is not None and s.unit == unit
    )


def _legend(protocols: tuple[ProtocolSummary, ...], verbose: bool) -> Text:
    others = [p.protocol for p in protocols[1:]]
    main = protocols[0]
    headlines = [g.metrics[main.headline] for g in main.groups if g.whole and main.headline in g.metrics]
    said = "Percent [95 % interval]."
    if any(score.spread is not None for score in headlines):
        said += f" {repeats.LEGEND}"
    if verbose or any(score.floor is not None for score in headlines):
        said += f" {formatting.legend(protocols) if verbose else formatting.floor_legend(protocols[:1])}"
    notes = formatting.forbidden(main)
    if notes:
        said += f" {notes}"
    if len(others) > 1:
        said += f" Others: lowest to highest score by {', '.join(others)}"
        said += "." if len({p.headline for p in protocols}) == 1 else ", each by its own headline."
        said += _missing(protocols)
    return Text(for_terminal(said, 1000))


def _missing(protocols: tuple[ProtocolSummary, ...]) -> str:
    """What '(4)' behind the others' scores says, where one of them has none."""
    main, others = protocols[0], protocols[1:]
    for part in formatting.side_by_side(protocols, whole=True):
        own = part[main.protocol].metrics.get(main.headline) if main.protocol in part else None
        n = len(_headlines(others, part, own))
        if 0 < n < len(others):
            return f" ({n}): only {n} of them {'has' if n == 1 else 'have'} such a score here."
    return ""


# ---------------------------------------------------------------- controls and position


def _print_controls(out: Console, summary: Summary, verbose: bool | None) -> None:
    """Does the score depend on seeing? A row for each part, of the main protocol; the intervals where there is room."""
    main = summary.plain[0] if summary.plain else None
    rows = [r for r in summary.controls if main is not None and r.protocol == main.protocol]
    if not rows:
        return
    label = formatting.metric_name(main, rows[0].metric)
    out.print(Text(for_terminal(f"With altered input ({label}, {rows[0].protocol}; differences in points):", 200)))
    table = _controls(rows, intervals=True)
    whole = fits(out, table)
    out.print(table if whole else _controls(rows, intervals=False))
    if not whole and not verbose:
        where = "on the page" if verbose is None else "-v"
        out.print(Text(f"Intervals of the differences: {where}.", style="dim"))


def _controls(rows: list[ControlRow], *, intervals: bool) -> Table:
    controls = list(dict.fromkeys(r.control for r in rows))
    parts: dict[str, dict[str, ControlRow]] = {}
    for row in rows:
        parts.setdefault(formatting.part_name(row.by), {})[row.control] = row
    table = plain_table()
    table.add_column("part", overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    for name in controls:
        table.add_column(Text(for_terminal(f"-> {name}", 40)), no_wrap=True)
    for part, found in parts.items():
        first = next(iter(found.values()))
        cells = [_change(found[c], intervals) if c in found else Text("–", style="dim") for c in controls]
        table.add_row(shown(part), formatting.percent(first.score), *cells)
    return table


def _change(row: ControlRow, intervals: bool) -> Text:
    """'4.0, -60.0 [-72.4, -46.2]'."""
    change = formatting.difference(row) if intervals else formatting.signed(row.difference)
    return Text(f"{formatting.percent(row.control_score)}, {change}")


def _position(row: PositionRow) -> str:
    return (
        f"Order of the pictures ({row.protocol}): first place minus last {formatting.difference(row.slot)} points, "
        f"swapped minus given {formatting.difference(row.order)}; {row.flipped} of {row.n} right in one order only."
    )


# ---------------------------------------------------------------- what must not be lost


def _print_notes(out: Console, summary: Summary) -> None:
    main = next(iter(summary.plain), None)
    loud = formatting.silence(summary)
    lost = formatting.no_answers(g for g in main.groups if g.whole) if main is not None and not loud else ""
    if lost:
        out.print(Text(lost, style="yellow"))
    for line in loud[:SHOWN_SILENT]:
        out.print(Text(for_terminal(line, 300), style="bold red"))
    if len(loud) > SHOWN_SILENT:
        out.print(Text(f"and {len(loud) - SHOWN_SILENT} more parts with many non-answers", style="bold red"))
    for line in summary.advice:
        out.print(Text(f"What would help: {for_terminal(line, 400)}.", style="yellow"))
    for note in summary.notes:
        out.print(Text(f"Note: {for_terminal(note, 600)}", style="bold yellow"))
    if summary.synthetic:
        out.print(Text(formatting.SYNTHETIC, style="bold yellow"))
    if not summary.complete:
        out.print(Text(formatting.incomplete(summary), style="bold red"))
    reasons = list(summary.failures.items())
    for reason, n in reasons[:SHOWN_REASONS]:
        out.print(Text(f"  {n} x {for_terminal(reason, 300)}", style="red"))
    if len(reasons) > SHOWN_REASONS:
        out.print(Text(f"  and {len(reasons) - SHOWN_REASONS} other reasons", style="red"))
    for line in formatting.scored_by(summary):
        out.print(Text(for_terminal(line, 300)))
    out.print(Text(formatting.calls(summary.totals, summary.subject)))


def _print_end(out: Console, run: Run, verbose: bool | None) -> None:
    """The folder, and what to do next: on one line where there is room, and the folder never broken."""
    next_step = "'snellen report RUN' writes a page" + (
        ", -v shows every metric and protocol" if verbose is False else ""
    )
    where = f"Run: {for_terminal(str(run.path))}"
    if len(where) + len(next_step) + 3 <= out.width:
        out.print(Text(f"{where} · {next_step}"))
    else:
        out.print(Text(where), soft_wrap=True)
        out.print(Text(f"{next_step}."))


# ---------------------------------------------------------------- marking again


def print_remarked(done: Remarked) -> None:
    """What marking again changed: the sum, and the protocols that have a part in it."""
    out = console()
    of = sum(marks for marks, _changed in done.counts.values())
    out.print(Text(f"{sum(n for _marks, n in done.counts.values()):,} of {formatting.counted(of, 'mark')} changed"))
    for protocol, (marks, changed) in done.counts.items():
        if changed:
            out.print(Text(f"  {protocol}: {changed:,} of {marks:,}"), soft_wrap=True)
    if done.changes:
        table = Table(title="changed marks", title_justify="left")
        for name in ("protocol", "sample", "was", "is"):
            table.add_column(name, overflow="fold")
        for change in done.changes[:SHOWN_CHANGES]:
            table.add_row(
                shown(change.protocol),
                Text(for_terminal(change.id, 60)),
                Text(for_terminal(f"{change.before.outcome} {change.before.reading}", 60)),
                Text(for_terminal(f"{change.after.outcome} {change.after.reading}", 60)),
            )
        out.print(table)
        if len(done.changes) > SHOWN_CHANGES:
            out.print(Text(f"and {len(done.changes) - SHOWN_CHANGES} more"))
