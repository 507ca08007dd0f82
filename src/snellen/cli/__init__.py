"""The command line: one module a command. Each parses, calls the public surface and prints."""
