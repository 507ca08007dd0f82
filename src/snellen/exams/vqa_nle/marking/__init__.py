"""What counts as the same answer: the rules of each protocol, and what they judge against. Pure."""
