"""Intervals and resampling. Pure functions on counts and arrays."""
