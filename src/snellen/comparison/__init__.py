"""Comparison of runs: which run leads, by how much, whether that could be chance, and how the lead is made up.

`pairing` finds what can be compared, and `differences` compares it. `headline` adds scores that are not means. `ranking` is for more than
two runs. `verdict` turns the result into sentences. `comparing` does all of it. The folder is not called `compare` because
`snellen.compare()` is.
"""
