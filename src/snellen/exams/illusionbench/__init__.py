"""IllusionBench: which shape hides in a scene."""
