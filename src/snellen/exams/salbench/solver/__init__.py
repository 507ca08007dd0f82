"""`baseline/pixels`: a classical solver that measures the objects."""
