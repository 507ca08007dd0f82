"""From questions to answers: the feed of prepared questions, and the loop that sends them to a model and stores every answer."""
