"""The records of probes, and their use in later runs on the same endpoints."""
