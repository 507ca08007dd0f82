"""`snellen view`: the runs of a folder in a browser, on this machine only. Pages are made here and work without any script."""
