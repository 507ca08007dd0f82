"""From stored answers to marks, summaries and comparisons. Nothing is asked."""
