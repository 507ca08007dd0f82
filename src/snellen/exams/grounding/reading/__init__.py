"""From a reply to a prediction. Pure."""
