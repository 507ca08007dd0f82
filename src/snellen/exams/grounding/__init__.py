"""UI grounding: where on the screen is what the instruction names."""
