"""From samples to answers: questions, controls, the feed, the asking loop."""
