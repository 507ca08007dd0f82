"""Where the entry point of `method/NAME` was: for environments that were not installed again since it moved to snellen.methods."""
