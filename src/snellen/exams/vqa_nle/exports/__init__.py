"""The files that the papers and the original scripts define."""
