"""Screenshots with labelled elements: UI grounding."""
