"""From stored answers to marks, summaries and comparisons. Calls nobody."""
