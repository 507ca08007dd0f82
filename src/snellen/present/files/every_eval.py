"""Records of Every Eval Ever (schema 0.3.0): one document for a run and, on request, one line for each sample and protocol beside it.

`evaluation_results` has the scores of whole parts under every protocol. n, interval and floor have their own fields, or are in the details
that the schema leaves open. The folder layout is that of the project's data store, so files can be submitted unchanged.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.records import Manifest
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import ScoreRow
from snellen.present.files.every_eval_samples import instances
from snellen.present.files.portable import (
    UNKNOWN,
    Files,
    HubSource,
    PortableModel,
    asked_on,
    model_of,
    one_of_each,
    part_id,
    portable_rows,
    source_of,
)
from snellen.present.files.portable import slug as piece
from snellen.present.model.paper_table import shots_of
from snellen.stats.intervals import LEVEL

SCHEMA = "0.3.0"
UNBOUNDED = ("-Infinity", "Infinity")
_KNOWN_METRICS = {"accuracy": "accuracy", "exact_match": "exact_match", "macro_f1": "f1_macro"}
_GENERATION = {"temperature": float, "top_p": float, "top_k": int, "max_tokens": int}


class Evaluator(NamedTuple):
    """The evaluator, and its relation to the model's makers."""

    name: str
    relationship: str = "other"


def records(
    runs: Sequence[Run],
    evaluator: Evaluator,
    now: int,
    *,
    protocol: str | None = None,
    model_id: str | None = None,
    samples: bool = False,
) -> Files:
    """Return the files of some runs, by their paths in the data store. `now` is the time of creation, in seconds since 1970."""
    found: list[tuple[str, bytes]] = []
    for run in runs:
        found += _files(run, evaluator, now, protocol, model_id, samples)
    one_of_each((name for name, _content in found), "record")
    return found


def _files(
    run: Run, evaluator: Evaluator, now: int, protocol: str | None, model_id: str | None, samples: bool
) -> Iterator[tuple[str, bytes]]:
    rows = portable_rows(run, protocol)
    model = model_of(run.manifest, model_id)
    name = _evaluation_id(run, model, protocol)
    number = uuid.UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=4)
    place = "/".join(("data", *map(piece, (run.manifest.exam, model.developer, model.name)), str(number)))
    document = _document(run, rows, model, evaluator, now) | {"evaluation_id": name}
    if samples:
        lines = b"".join(instances(run, rows, name, model.id, SCHEMA))
        document["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{place}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(lines).hexdigest(),
            "total_rows": lines.count(b"\n"),
        }
        yield f"{place}_samples.jsonl", lines
    yield f"{place}.json", json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _evaluation_id(run: Run, model: PortableModel, protocol: str | None) -> str:
    """Return a run's name in records. It is the same each time the run is exported."""
    manifest = run.manifest
    own = digest(
        {
            "subject": manifest.subject.identity,
            "data": manifest.data.fingerprint,
            "options": msgspec.to_builtins(manifest.options),
            "created": manifest.created,
            "protocol": protocol,
        }
    )
    return f"{manifest.exam}/{model.id}/{_seconds(manifest.created)}-{own[:12]}"


def _seconds(created: str) -> str:
    """Return when a run began, in seconds since 1970, or the text itself if it is not a time."""
    try:
        return str(int(datetime.fromisoformat(created).timestamp()))
    except ValueError:
        return created


def _document(
    run: Run, rows: Sequence[ScoreRow], model: PortableModel, evaluator: Evaluator, now: int
) -> dict[str, Any]:
    manifest, source = run.manifest, source_of(run.manifest)
    if not evaluator.name.strip():
        raise SnellenError("a record says who ran the evaluation: name yourself or your organisation with --evaluator")
    return {
        "schema_version": SCHEMA,
        "evaluation_id": "",
        "evaluation_timestamp": _seconds(asked_on(manifest)),
        "retrieved_timestamp": str(now),
        "source_metadata": {
            "source_name": "Snellen",
            "source_type": "evaluation_run",
            "source_organization_name": evaluator.name,
            "evaluator_relationship": evaluator.relationship,
            **_imported(manifest),
        },
        "eval_library": _library(manifest),
        "model_info": _model(run, model),
        "evaluation_results": [_result(row, source, run) for row in rows],
    }


def _imported(manifest: Manifest) -> dict[str, Any]:
    """Return a notice that the answers come from another tool's log, if they do, so that readers do not take them for ours."""
    if not manifest.imported:
        return {}
    said = f"Not asked by Snellen: the answers are those of {manifest.imported_from}. Snellen marked them."
    files = " ".join(map(str, manifest.imported.get("files") or ()))
    return {"additional_details": {"imported": said, "log_sha256": files}}


def _library(manifest: Manifest) -> dict[str, Any]:
    """Return the tool that ran the evaluation: the one whose log was imported, or Snellen."""
    log = manifest.imported
    if not log:
        return {"name": "snellen", "version": manifest.snellen}
    tool = str(log.get("tool") or UNKNOWN)
    return {
        "name": UNKNOWN if tool == "csv" else tool,
        "version": str(log.get("version") or UNKNOWN),
        "additional_details": {"marked_by": f"snellen {manifest.snellen}"},
    }


def _model(run: Run, model: PortableModel) -> dict[str, Any]:
    details = {"deployment_type": model.deployment, "model_availability": model.weights}
    details |= _known({"model_returned": run.score_rows()[0].model_returned})
    info: dict[str, Any] = {"name": model.name, "id": model.id, "developer": model.developer}
    engine = {"name": model.engine} if model.engine else {}
    info |= _known({"inference_platform": model.platform, "inference_engine": engine})
    return info | {"additional_details": details}


def _known(given: dict[str, Any]) -> dict[str, Any]:
    """Return the entries that are not empty."""
    return {key: value for key, value in given.items() if value not in (None, "", {})}


def _result(row: ScoreRow, source: HubSource, run: Run) -> dict[str, Any]:
    details = {"part": row.part, "fingerprint": row.data_fingerprint, "selection": json.dumps(row.options)}
    missing = len(run.manifest.data.missing)
    details |= {"samples_left_out": str(missing)} if missing else {}
    data: dict[str, Any] = {"dataset_name": row.exam, "source_type": "other"}
    if source.repo:
        data |= {"source_type": "hf_dataset", "hf_repo": source.repo, "samples_number": row.part_n or 0}
        details |= {"revision": source.commit}
    return {
        "evaluation_result_id": f"{part_id(row)}.{row.metric}",
        "evaluation_name": part_id(row),
        "evaluation_timestamp": _seconds(asked_on(run.manifest)),
        "source_data": data | {"additional_details": details},
        "metric_config": _metric(row),
        "score_details": _score(row),
        "generation_config": _generation(row, run),
    }


def _metric(row: ScoreRow) -> dict[str, Any]:
    seen = [x for x in (row.value, row.low, row.high, row.floor) if x is not None]
    share = not row.unit and all(0 <= x <= 1 for x in seen)
    low, high = (0, 1) if share else UNBOUNDED
    return {
        "evaluation_description": f"{row.label} of {row.part} by Snellen's protocol {row.protocol} (version {row.version})",
        "metric_id": _KNOWN_METRICS.get(row.metric, f"{row.exam}.{row.metric}"),
        "metric_name": row.label,
        "metric_unit": row.unit or "proportion",
        "lower_is_better": row.better == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": {
            "protocol": row.protocol,
            "protocol_version": row.version,
            "headline": str(row.headline).lower(),
        },
    }


def _score(row: ScoreRow) -> dict[str, Any]:
    details = {
        "n": str(row.n),
        "samples_of_the_part": str(row.part_n),
        "non_answers_counted_as_wrong": str(row.non_answers),
        "outcomes": json.dumps(row.outcomes),
    }
    if (row.repeats or 1) > 1:
        details |= {"times_each_question_was_asked": str(row.repeats), "answers_of_the_part": str(row.answers)}
        details |= {"standard_deviation_over_repeats": repr(row.spread_sd)} if row.spread_sd is not None else {}
    if row.floor is not None:
        details |= {"floor_without_looking": repr(row.floor), "floor_answer": row.floor_answer}
    interval: dict[str, Any] = {}
    if row.low is not None and row.high is not None:
        interval = {"lower": row.low, "upper": row.high, "confidence_level": LEVEL, "method": row.interval}
    uncertainty = _known({"num_samples": row.n, "confidence_interval": interval})
    return {"score": row.value, "details": details} | _known({"uncertainty": uncertainty})


def _generation(row: ScoreRow, run: Run) -> dict[str, Any]:
    """Return the requested generation parameters. The endpoint's address is left out: it may be private."""
    identity = run.manifest.subject.identity
    parameters = identity.get("applied") or identity.get("parameters") or {}
    found: dict[str, Any] = {}
    for name, kind in _GENERATION.items():
        value = parameters.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = kind(value)
    details = {"prompt": row.prompt, "shots": str(shots_of(row))}
    wording = run.manifest.wordings.get(row.prompt)
    details |= {"prompt_sha256": wording.digest} if wording is not None else {}
    details |= {f"parameter.{k}": json.dumps(v) for k, v in parameters.items() if k not in found}
    return {"generation_args": found, "additional_details": details}
