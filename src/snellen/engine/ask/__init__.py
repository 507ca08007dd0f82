"""The ask stage: from samples to questions, and how controls change them. Pure, except for reading the data set."""
