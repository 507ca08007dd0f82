"""The records of probes, and what later runs of the same endpoints take from them."""
