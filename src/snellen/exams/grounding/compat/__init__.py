"""openadapt-grounding, the original of this exam's first form: its own arithmetic, kept exactly."""
