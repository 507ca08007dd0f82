"""What the tool must survive: hostile endpoints, damaged files, signals, full disks. `make test-faults` runs all of it."""
