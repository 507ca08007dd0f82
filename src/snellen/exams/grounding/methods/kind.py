"""The entry point of `method/NAME` before it moved to snellen.methods."""

from importlib import import_module

KIND = import_module("snellen.methods.kind").KIND
