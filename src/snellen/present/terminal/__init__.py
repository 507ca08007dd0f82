"""Terminal output: the views of `model` as tables and lines."""
