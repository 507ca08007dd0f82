"""The options of methods, and their meaning together with --model: the method that answers, and the model that it asks."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.core.extras import ExamRequest
from snellen.core.options import Option

PREFIX = "method"
ORACLE = "oracle/"
USUAL = "vlm"
ALONE = ("baseline", "human", "replay")
"""Kinds of subjects that answer by themselves; any other model is asked by a method."""

METHOD = Option(
    "method",
    "Grounding method ('snellen list methods'); with only --model, the method is vlm.",
    metavar="NAME",
)
METHOD_OPTIONS = Option(
    "method_options",
    "Option of the method, such as crop=fixed, version=1, format=qwen2.5-vl, chooser=model; may be repeated.",
    flags=("--method-option",),
    kind="pairs",
    metavar="NAME=VALUE",
)
PLANNER = Option("planner", "Model that plans the search of screenseeker (default: --model).", metavar="SPEC")
OMNIPARSER_URL = Option("omniparser_url", "OmniParser's server (EVAL_OMNIPARSER_URL).", metavar="URL")
UITARS_URL = Option("uitars_url", "UI-TARS's server (EVAL_UITARS_URL).", metavar="URL")
OF_METHODS = (METHOD_OPTIONS, PLANNER, OMNIPARSER_URL, UITARS_URL)
MODEL = Option("model", "Model that the method asks.", metavar="SPEC")
"""Set by `chosen`; on the command line it is the common --model."""


def chosen(wanted: ExamRequest) -> ExamRequest:
    """Return the request with its subject: a method, where the request names one or names a model that a method has to ask."""
    options = {name: value for name, value in wanted.options.items() if value is not None}
    method, model = options.pop(METHOD.name, None), wanted.model
    if method is None and model is None:
        raise SnellenError(
            "Specify --method or --model ('snellen list methods' and 'snellen list subjects' show them)."
        )
    kind = (model or "").partition("/")[0]
    if kind == PREFIX and method is not None:
        raise SnellenError(f"--method {method} and --model {model} name two methods: give one of them")
    if method is None and kind in ALONE:
        for option in OF_METHODS:
            if options.get(option.name):
                flag = option.spellings[0]
                raise SnellenError(f"{flag} has no effect with --model {model}, which answers without a method")
    if method is None and kind in (PREFIX, *ALONE):
        return wanted._replace(options=options)
    asked = {} if model is None else {MODEL.name: model}
    return wanted._replace(model=f"{PREFIX}/{method or USUAL}", options=options | asked)
