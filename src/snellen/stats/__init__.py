"""Numbers: the tally of every exam, intervals, clusters, paired differences, agreement, calibration, text metrics. Pure."""
