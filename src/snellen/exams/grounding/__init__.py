"""UI grounding: find the target of an instruction on the screen."""
