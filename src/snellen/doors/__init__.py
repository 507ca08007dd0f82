"""The commands of other tools, implemented by Snellen."""
