"""Self-contained HTML pages: the report, a data set's samples, a prescription."""
