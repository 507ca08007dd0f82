"""The command line: one module for each command. Each parses, calls the public API and prints."""
