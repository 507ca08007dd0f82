"""The entropy of the tokens of answer and explanation. Pure."""
