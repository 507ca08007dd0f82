"""Grounding methods as subjects: `method/NAME`. They get a screenshot and an instruction, and nothing else."""
