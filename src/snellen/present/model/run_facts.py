"""The facts of a run for the page: subject, data, options, calls and cost, each as a name and a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from snellen.core.records import DataEntry, Manifest, ScorerEntry, Summary, Totals
from snellen.core.text import for_terminal
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.formatting import plain

UNKNOWN = "not known: the truths are those of the log that was imported, not of a data set"


def facts_of(run: Run, summary: Summary, latencies: Sequence[float] = ()) -> list[tuple[str, str]]:
    """Return the identity and cost of a run as names and values. `latencies` are those of its calls, in order."""
    manifest = run.manifest
    data, totals = manifest.data, summary.totals
    facts = list(subject_facts(manifest))
    identity = {k: v for k, v in manifest.subject.identity.items() if k not in ("endpoint", "parameters")}
    facts += [("identity", pairs(identity))]
    asked = ", ".join(f"{n} to prompt '{prompt}'" for prompt, n in summary.asked.items())
    models, providers, marks = Counter[str](), Counter[str](), Counter[str]()
    for row in summary.backends:
        models.update({row.model: row.answers} if row.model else {})
        providers.update({row.provider: row.answers} if row.provider else {})
        marks.update(row.fingerprints)
    for name, names in (
        ("model as returned by the endpoint", models),
        ("provider as returned by the endpoint", providers),
        ("fingerprint of the endpoint's system", marks),
    ):
        facts += [(name, _counted(names))] if names else []
    facts += [
        ("data", data.source),
        ("real or synthetic", UNKNOWN if manifest.truth_from_log else _made(data)),
        ("data fingerprint", data.fingerprint),
        ("samples", f"{data.samples} selected; answers: {asked or 'none'}"),
        *(("repeats", f"{line} {formatting.SPREAD_LEGEND}") for p in summary.plain[:1] for line in formatting.alike(p)),
        *_left_out(data.missing),
        ("options", pairs(msgspec.to_builtins(manifest.options)) or "the defaults"),
        *_scorers(manifest.scorers),
        *((f"not measured: {name}", why) for name, why in summary.not_available.items()),
        ("created", f"{manifest.created} by snellen {manifest.snellen}"),
        ("run folder", str(run.path)),
    ]
    if not (totals.calls or totals.stored):
        return [*facts, ("calls", formatting.calls(totals, summary.subject))]
    facts += [
        ("calls", f"{totals.calls} calls in {totals.tries} tries; {totals.stored} answers from the store"),
        ("tokens", _tokens(totals)),
        ("cost", formatting.money(totals)),
    ]
    if latencies:
        half, most = (latencies[min(len(latencies) - 1, int(share * len(latencies)))] for share in (0.5, 0.95))
        facts.append(("latency of a call", f"median {half:.2f} s, 95 % within {most:.2f} s"))
    return facts


def subject_facts(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the model, its endpoint and its parameters."""
    identity = manifest.subject.identity
    yield "subject", manifest.subject.spec
    if identity.get("endpoint"):
        yield "endpoint", str(identity["endpoint"])
    if identity.get("parameters"):
        yield "parameters", pairs(identity["parameters"])


def _tokens(totals: Totals) -> str:
    parts = formatting.token_parts(totals)
    return f"{totals.input_tokens:,} in, {totals.output_tokens:,} out" + (f"; of these {parts}" if parts else "")


def _made(data: DataEntry) -> str:
    """Return whether data is real and, if not, its origin: only data with our label is ours."""
    if not data.synthetic:
        return "real (not marked as synthetic)"
    return f"SYNTHETIC, made by Snellen ({pairs(data.origin)})" if data.origin else "SYNTHETIC, as it says itself"


def _left_out(missing: Sequence[Any]) -> list[tuple[str, str]]:
    """Return the samples that were not asked because their images are missing."""
    if not missing:
        return []
    some = ", ".join(for_terminal(plain(one), 60) for one in missing[:3])
    more = " ..." if len(missing) > 3 else ""
    return [("images missing", f"{len(missing)} left out, as run.json lists them: {some}{more}")]


def _scorers(found: Sequence[ScorerEntry]) -> list[tuple[str, str]]:
    """Return the models that scored captions. The first one decides the headline."""
    return [
        (f"scorer {i}" if i > 1 else "scorer" + " (main)" * (len(found) > 1), f"{s.name}: {pairs(s.identity)}")
        for i, s in enumerate(found, 1)
    ]


def pairs(values: dict[str, Any]) -> str:
    """Return 'temperature = 0, seed = 1'."""
    return ", ".join(f"{key} = {plain(value)}" for key, value in values.items())


def _counted(names: dict[str, int], most: int = 5) -> str:
    """Return the most common names with their counts. A hostile endpoint may return a new name each time."""
    ordered = sorted(names.items(), key=lambda x: (-x[1], x[0]))
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(f"{for_terminal(name, 120)} ({n})" for name, n in ordered[:most]) + more
