"""`snellen annotate`: people draw boxes, write instructions, answer and correct questions, in a browser on this machine."""
