"""Snellen by the commands of other tools."""
