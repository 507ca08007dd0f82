"""Probes on disk: a folder for each endpoint and model in the user's cache folder, and their use in runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.digest import digest
from snellen.core.subject import Endpoint, Subject
from snellen.engine.call.store import cache_folder
from snellen.engine.probe_records.results import TOLD, Probe, Proposal, differences
from snellen.engine.runs.writing import replacing
from snellen.subjects.families import FORMATS

DEFAULT_FORMAT = "pixels"
WORDS = {
    "image_pixels": "pixels of the picture, as asked",
    "resized_pixels": "pixels of a picture of another size",
    "relative_1000": "thousandths of the picture's sides",
    "unit": "fractions of the picture's sides",
    "percent": "percent of the picture's sides",
}


class _KeptProbe(NamedTuple):
    """The last probe of an endpoint, the state of knowledge before it, and how to ask for points by the last probe that found out."""

    newest: Probe
    before: Probe | None
    proposal: Proposal | None


def place_of(endpoint: Endpoint) -> Path:
    """Return the folder of the probes of one model at one address."""
    kind, model = endpoint.kind, endpoint.model
    mark = digest({"kind": kind, "endpoint": endpoint.connection.url, "model": model})[:8]
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", f"{kind}-{model}").strip("-.")[:60]
    return cache_folder() / "probes" / f"{slug}-{mark}"


def keep(folder: Path, probe: Probe) -> Path:
    """Write a probe beside those before it. A probe of the same second does not replace another."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = re.sub(r"[^0-9TZ]", "", probe.at)
    names = (f"{stamp}-{n:02}.json" for n in range(100))
    path = next(folder / name for name in names if not (folder / name).exists())
    with replacing(folder, path.name) as out:
        out.write(msgspec.json.format(msgspec.json.encode(probe), indent=2) + b"\n")
    return path


def kept(folder: Path) -> list[Probe]:
    """Return the probes of an endpoint, the oldest first. A file that cannot be read is skipped."""
    found = []
    for path in sorted(folder.glob("*T*Z-*.json")):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=Probe))
        except (OSError, msgspec.MsgspecError):
            continue
    return found


def taken_together(probes: Sequence[Probe]) -> Probe | None:
    """Return the combination of several probes: the newest, with older results for the parts that it did not try or could not decide."""
    if not probes:
        return None
    told = {r.part: r for probe in probes for r in probe.results if r.verdict in TOLD}
    proposal = next((p.proposal for p in reversed(probes) if p.proposal is not None), None)
    return msgspec.structs.replace(probes[-1], results=tuple(told.values()), proposal=proposal)


# ---------------------------------------------------------------- use in runs


def _known_of(subject: Subject) -> list[_KeptProbe]:
    """Return the stored probes of the endpoints that a subject calls."""
    found = []
    for endpoint in subject.endpoints:
        probes = kept(place_of(endpoint))
        if probes:
            every = taken_together(probes)
            proposal = every.proposal if every is not None else None
            found.append(_KeptProbe(probes[-1], taken_together(probes[:-1]), proposal))
    return found


def identity_of(subject: Subject) -> dict[str, Any]:
    """Return a subject's identity for run.json, with the newest probe of its endpoints, which is not part of the run's name."""
    probes = [{"model": k.newest.model, "at": k.newest.at, "digest": k.newest.digest} for k in _known_of(subject)]
    return dict(subject.identity) | ({"probe": probes} if probes else {})


def warnings_for(subject: Subject) -> list[str]:
    """Return one line for each warning before a run: no price, an endpoint that changed, a grounding format that does not fit."""
    said = [
        f"The price of {e.kind}/{e.model} is not known, so costs are not counted. Give --price IN/OUT (USD per million tokens)"
        for e in subject.endpoints
        if e.unpriced
    ]
    for newest, before, proposal in _known_of(subject):
        changes = differences(before, newest) if before is not None else []
        if changes and before is not None:
            more = f" (and {len(changes) - 1} more)" if len(changes) > 1 else ""
            said.append(
                f"the probe of {newest.spec} on {newest.at[:10]} differs from that of {before.at[:10]}: {changes[0]}{more}"
            )
        said += _misread(subject, newest.spec, proposal)
    return said


def _misread(subject: Subject, spec: str, proposal: Proposal | None) -> list[str]:
    identity = subject.identity
    if proposal is None or identity.get("kind") != "method" or not str(identity.get("method", "")).startswith("vlm"):
        return []
    options = identity.get("options") or {}
    name = str(options.get("format", DEFAULT_FORMAT))
    if options.get("space") or not contradicts(name, proposal):
        return []
    better = f"; use --method-option format={proposal.format}" if proposal.format else ""
    counts = WORDS.get(proposal.space, "something else")
    return [f"by its probe, coordinates of {spec} count {counts}; format={name} reads them otherwise{better}"]


def reads_space(name: str, space: str) -> bool:
    """Tell whether a format reads a space. A format that resizes before it sends also reads pixels of the image as sent."""
    own = FORMATS.get(name, "")
    return own == space or (own == "resized_pixels" and space == "image_pixels")


def contradicts(name: str, proposal: Proposal) -> bool:
    """Tell whether a format reads the numbers of replies in another space than a probe found."""
    if not proposal.space or name not in FORMATS:
        return False
    return not (reads_space(name, proposal.space) or name == proposal.format)
