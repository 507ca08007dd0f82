"""The eye exam: how fine a model's vision is. A threshold for each faculty, found by drawn sheets that get harder or easier."""
