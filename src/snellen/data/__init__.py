"""Data sets on disk and on the hub: tables, selection, download."""
