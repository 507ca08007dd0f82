"""A small world of drawn scenes: people, things, places, and true sentences about them.

D3 and the four tasks with explanations are made of it.

Everything is derived from a local random number generator, so a seed gives the same scenes, words and pixels everywhere.
"""
