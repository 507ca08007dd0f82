"""The vocabulary of Snellen and the pure functions on it. No I/O, no heavy import."""
