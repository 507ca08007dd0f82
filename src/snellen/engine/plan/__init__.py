"""The plan of a run, checked before anything is asked."""
