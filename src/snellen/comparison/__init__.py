"""Runs beside each other: who leads, by how much, whether that could be chance, and what it is made of.

`pairing` says what can be compared, `differences` compares it, `headline` adds scores that are no means, `ranking` is for more than two
runs, `verdict` puts it in words, `comparing` does all of it. The room is not called `compare` because `snellen.compare()` is.
"""
