"""How unsure the tokens of answer and explanation were. Pure."""
