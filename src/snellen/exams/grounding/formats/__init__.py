"""The published data formats, each turned into the same screens and targets."""
