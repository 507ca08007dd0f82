"""The eye exam: how fine does a model see? A threshold for each faculty, found by drawn sheets that get harder or easier."""
