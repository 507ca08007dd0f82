"""The commands of openadapt-grounding."""
