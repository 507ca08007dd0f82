"""The original's own arithmetic, kept exactly."""
