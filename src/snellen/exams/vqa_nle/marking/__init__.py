"""The rules of each protocol for what counts as the same answer, and the truth they compare with. Pure."""
