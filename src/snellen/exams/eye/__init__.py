"""The eye exam: how fine does a model see? Thresholds of drawn faculties, each in a physical unit."""
