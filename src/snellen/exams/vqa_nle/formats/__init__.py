"""The published data formats, each turned into the same records."""
