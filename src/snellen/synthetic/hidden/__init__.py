"""Scenes that carry a silhouette in their coarse brightness: IllusionBench."""
