"""From a reply to an answer and an explanation. Pure."""
