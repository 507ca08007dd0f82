"""Runs: scheduling, concurrency, retries, budget, the answer store, the run folder. All I/O of a run is here."""
