"""Ways to find what an instruction names: each gets a screenshot and the instruction, and nothing else. See catalogue.py."""
