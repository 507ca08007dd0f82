"""Logs of other tools as runs: one file reads one tool's format, the rest is shared. Reading a log executes nothing.

Data flow: a file -> a Log (what the tool wrote) -> its rows matched with the samples of an exam -> a run folder with the tool's own scores
beside it.
"""
