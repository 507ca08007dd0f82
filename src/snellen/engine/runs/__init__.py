"""The run folder: its files and its records."""
