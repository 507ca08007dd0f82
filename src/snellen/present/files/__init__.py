"""Exports: tables, charts and records of runs as files for other programs."""
