"""Which blocks of the documents are not run by test_blocks.py, and why. Everything that is not named here is run, and its output compared.

A block is named by its page and its number there (`gate.md#3`). What is new in a document belongs into neither list.
"""

from __future__ import annotations

ELSEWHERE = {
    "extending.md#1": "tests/registry/test_plugins.py",
    "extending.md#3": "tests/registry/test_plugins.py",
    "extending.md#4": "tests/review/test_science_missing_method_plugins.py",
    "gate.md#1": "tests/docs/test_gate_workflow.py",
    "gate.md#2": "tests/docs/test_gate_workflow.py",
    "gate.md#3": "tests/docs/test_gate_workflow.py",
    "importing.md#1": "tests/imports/test_command.py",
    "importing.md#2": "tests/imports/test_command.py",
    "importing.md#3": "tests/imports/test_command.py",
    "importing.md#4": "tests/imports/test_command.py",
    "importing.md#5": "tests/imports/test_command.py",
}
"""Run by a test of their own, which has what they need."""

NOT_RUN = {}
"""Not run at all: they need what a test does not have."""

NO_CODE = {}
"""Neither a command nor a program."""
