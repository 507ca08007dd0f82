"""Screenshots with labelled elements, for UI grounding: our own layouts, and those of the original generator."""
