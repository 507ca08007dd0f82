"""Which blocks of the documents are not run by test_blocks.py, and why. Everything that is not named here is run, and its output compared.

A block is named by its page and its number there (`gate.md#3`). What is new in a document belongs into neither list.
"""

from __future__ import annotations

ELSEWHERE = {
    "extending.md#1": "tests/registry/test_plugins.py",
    "extending.md#3": "tests/choice/test_blink.py",
    "extending.md#5": "tests/registry/test_plugins.py",
    "extending.md#6": "tests/subjects/test_provider_example.py",
    "extending.md#7": "tests/methods/test_method_plugins.py",
    "gate.md#1": "tests/docs/test_gate_workflow.py",
    "gate.md#2": "tests/docs/test_gate_workflow.py",
    "gate.md#3": "tests/docs/test_gate_workflow.py",
    "importing.md#1": "tests/importers/test_command.py",
    "importing.md#2": "tests/importers/test_command.py",
    "importing.md#3": "tests/importers/test_command.py",
    "importing.md#4": "tests/importers/test_command.py",
    "importing.md#5": "tests/importers/test_command.py",
    "many_machines.md#2": "tests/docs/test_many_machines.py",
    "many_machines.md#3": "tests/docs/test_many_machines.py",
    "many_machines.md#4": "tests/docs/test_many_machines.py",
    "running.md#4": "tests/e2e/test_repeats.py",
    "suites.md#3": "tests/e2e/test_suites_page.py",
    "suites.md#4": "tests/e2e/test_suites_page.py",
    "suites.md#5": "tests/e2e/test_suites_page.py",
    "suites.md#6": "tests/e2e/test_suites_page.py",
}
"""Run by a test of their own, which has what they need."""

NOT_RUN = {
    "annotating.md#1": "serves until Ctrl-C, by a link that is new each time (tests/annotate starts the command and draws)",
    "annotating.md#3": "needs boxes that a person drew (tests/annotate draws some, and exports them)",
    "annotating.md#4": "needs boxes of two people (tests/annotate compares such)",
    "annotating.md#5": "needs a person's answers (tests/annotate and tests/subjects have some)",
    "installing.md#5": "needs a container engine",
    "local.md#1": "needs weights of several gigabytes from the hub",
    "many_machines.md#5": "needs a key, weights and a cluster (tests/engine/pool/test_ray.py runs such commands on two nodes)",
    "reporting.md#13": "needs a data set that is not synthetic (tests/present/test_portable.py writes such a file and reads it back)",
    "running.md#2": "asks OpenAI: needs a key and costs money",
    "running.md#3": "needs weights of several gigabytes from the hub (tests/exams/vqa_nle/test_exam.py tries these flags)",
    "viewing.md#1": "serves until Ctrl-C, by a link that is new each time (tests/viewer starts the command and asks it)",
}
"""Not run at all: they need what a test does not have."""

NO_CODE = {
    "d3.md#1": "the files of a data set",
    "d3.md#3": "a citation",
    "local.md#2": "a line of a run, held by tests/subjects/local/test_local_subject.py",
    "reporting.md#16": "the files of a run",
    "running.md#1": "a synopsis; its options are looked up by test_docs.py",
    "viewing.md#2": "a table that bench/view.py printed",
    "vqa_nle_data.md#1": "the files of a data set",
    "vqa_nle_data.md#2": "an error, held by tests/exams/vqa_nle/test_data.py",
    "vqa_nle_data.md#3": "an error, held by tests/exams/vqa_nle/test_data.py",
}
"""Neither a command nor a program."""
