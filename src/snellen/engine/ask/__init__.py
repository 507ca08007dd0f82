"""The ask stage: from samples to questions, and what controls do to them. Pure, but for reading the data set."""
