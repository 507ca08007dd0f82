"""IllusionBench: the shape hidden in a scene."""
