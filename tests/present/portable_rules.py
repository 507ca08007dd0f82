"""The rules of Every Eval Ever's schema 0.3.0 and of its lines of samples, stated once more by us, to hold our records against."""

from __future__ import annotations

from typing import Any

# what the project's schema 0.3.0 asks of a record, stated here once more
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
BOUND = {"anyOf": [{"type": "number"}, {"enum": ["Infinity", "-Infinity"]}]}
RESULT = {
    "type": "object",
    "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
    "properties": {
        "evaluation_name": {"type": "string"},
        "evaluation_result_id": {"type": "string"},
        "source_data": {
            "required": ["dataset_name", "source_type"],
            "properties": {"source_type": {"enum": ["hf_dataset", "url", "other"]}, "additional_details": TEXTS},
        },
        "metric_config": {
            "required": ["lower_is_better", "score_type", "min_score", "max_score"],
            "properties": {
                "lower_is_better": {"type": "boolean"},
                "score_type": {"const": "continuous"},
                "min_score": BOUND,
                "max_score": BOUND,
                "additional_details": TEXTS,
            },
        },
        "score_details": {
            "required": ["score"],
            "properties": {
                "score": {"type": "number"},
                "details": TEXTS,
                "uncertainty": {
                    "properties": {
                        "num_samples": {"type": "integer"},
                        "confidence_interval": {"required": ["lower", "upper"]},
                    }
                },
            },
        },
        "generation_config": {
            "properties": {
                "generation_args": {"properties": {"max_tokens": {"type": "integer", "minimum": 1}}},
                "additional_details": TEXTS,
            }
        },
    },
}
RECORD: dict[str, Any] = {
    "type": "object",
    "required": [
        "schema_version",
        "evaluation_id",
        "retrieved_timestamp",
        "source_metadata",
        "model_info",
        "eval_library",
        "evaluation_results",
    ],
    "properties": {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": {"type": "string", "minLength": 1},
        "evaluation_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": {
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {
                "source_type": {"enum": ["documentation", "evaluation_run"]},
                "evaluator_relationship": {"enum": ["first_party", "third_party", "collaborative", "other"]},
            },
        },
        "eval_library": {"required": ["name", "version"]},
        "model_info": {
            "required": ["name", "id", "additional_details"],
            "properties": {
                "additional_details": TEXTS
                | {
                    "required": ["deployment_type", "model_availability"],
                    "properties": {
                        "deployment_type": {"enum": ["self_deployed", "externally_managed", "unknown"]},
                        "model_availability": {"enum": ["open_weights", "closed_weights", "unknown"]},
                    },
                }
            },
        },
        "evaluation_results": {"type": "array", "items": RESULT, "minItems": 1},
        "detailed_evaluation_results": {"required": ["format", "file_path"]},
    },
    "additionalProperties": False,
}
NULL_OR_TEXT = {"type": ["string", "null"]}
LINE: dict[str, Any] = {
    "type": "object",
    "required": [
        "schema_version",
        "evaluation_id",
        "model_id",
        "evaluation_name",
        "sample_id",
        "interaction_type",
        "input",
        "output",
        "answer_attribution",
        "evaluation",
    ],
    "properties": {
        **{key: {"type": "string"} for key in ("schema_version", "evaluation_id", "model_id", "evaluation_name")},
        **{key: {"type": "string"} for key in ("evaluation_result_id", "sample_id")},
        "sample_hash": NULL_OR_TEXT,
        "interaction_type": {"const": "single_turn"},
        "input": {
            "required": ["raw", "reference"],
            "properties": {
                "raw": {"type": "string"},
                "reference": {"type": "array", "items": {"type": "string"}},
                "choices": {"type": ["array", "null"], "items": {"type": "string"}},
            },
        },
        "output": {
            "type": "object",
            "required": ["raw"],
            "properties": {"raw": {"type": "array", "items": {"type": "string"}}},
        },
        "messages": {"type": "null"},
        "answer_attribution": {
            "type": "array",
            "items": {
                "required": ["turn_idx", "source", "extracted_value", "extraction_method", "is_terminal"],
                "properties": {"extracted_value": {"type": "string"}, "is_terminal": {"type": "boolean"}},
            },
        },
        "evaluation": {
            "required": ["score", "is_correct"],
            "properties": {"score": {"type": "number"}, "is_correct": {"type": "boolean"}},
        },
        "token_usage": {
            "type": ["object", "null"],
            "required": ["input_tokens", "output_tokens", "total_tokens"],
            "additionalProperties": {"type": "integer"},
        },
        "performance": {"type": ["object", "null"]},
        "error": NULL_OR_TEXT,
        "metadata": TEXTS,
    },
    "additionalProperties": False,
}
