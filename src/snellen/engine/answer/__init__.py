"""From questions to answers: the feed of prepared questions, and the loop that puts them to a subject and keeps every answer."""
