"""Everything that draws or writes a synthetic set: one writer, one pool of processes; a folder for each kind of picture."""
