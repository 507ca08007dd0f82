"""The files of a run beside its summary: the tables and the grid of multimodal-vqa-eval, and entropy against correctness."""
