"""`baseline/pixels`: a classical solver of the sheets. Its thresholds follow from how it measures, as each file explains."""
