"""`baseline/pixels`: a classical solver of the sheets. Its thresholds follow from how it measures, and each file says how."""
