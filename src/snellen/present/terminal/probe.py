"""A probe in the terminal: the main finding first, then a line for each part."""

from __future__ import annotations

from rich.text import Text

from snellen.engine.probe_records.results import Probe
from snellen.present.terminal.tables import say, show_rows

STYLES = {"found": "red", "fine": "green", "cannot tell": "yellow", "rejected": "yellow", "not tried": "dim"}
NOTHING = "nothing found"


def headline(probe: Probe) -> str:
    """Return the main finding of a probe.

    >>> headline(Probe(spec="api/x"))
    'api/x: nothing found'
    """
    found = [r.part for r in probe.found]
    unsure = [r.part for r in probe.results if r.verdict == "cannot tell"]
    told = f"{len(found)} found: {', '.join(found)}" if found else NOTHING
    if unsure:
        doubt = f"cannot tell: {', '.join(unsure)}"
        told = f"{told}; {doubt}" if found else f"{doubt}; {NOTHING} in the rest"
    return f"{probe.spec}: {told}"


def print_probe(probe: Probe, changes: tuple[str, ...] = (), before: Probe | None = None) -> None:
    """Print the headline, a row for each part, the format to request points in, and the changes since the last probe."""
    say(headline(probe), "bold")
    rows = []
    for result in probe.results:
        sure = f" ({result.sure})" if result.sure else ""
        verdict = Text(f"{result.verdict}{sure}", STYLES[result.verdict])
        rows.append((result.part, verdict, result.said))
    show_rows("part", "verdict", "what", kept=("part", "verdict"), rows=rows)
    for line in _below(probe, changes, before):
        say(line)


def _below(probe: Probe, changes: tuple[str, ...], before: Probe | None) -> list[str]:
    said = []
    if probe.proposal is not None:
        points = (
            f"--method-option format={probe.proposal.format}" if probe.proposal.format else "no format of ours fits"
        )
        said.append(f"for grounding: {points}" + (f" ({probe.proposal.note})" if probe.proposal.note else ""))
    if probe.family:
        said.append(
            f"compared with what is known of {probe.family} ({probe.family_looked_up}; 'snellen list families')"
        )
    else:
        said.append(
            "no entry in 'snellen list families' is of this model: compared with a picture that is left as it is"
        )
    if before is not None:
        said += [f"CHANGED since {before.at[:10]}: {change}" for change in changes] or [f"as on {before.at[:10]}"]
    cost = "cost unknown" if probe.cost is None else f"{probe.cost:.4f} USD"
    kept = f", {probe.stored} kept from before the interruption" if probe.stored else ""
    said.append(f"{probe.calls} calls{kept}, {cost}; kept for later runs of this endpoint")
    return said
