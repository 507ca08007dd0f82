"""What counts as the same answer. Pure."""
