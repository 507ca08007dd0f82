"""Code that tests share: a local endpoint with faults, tiny data sets, and the installed command."""
