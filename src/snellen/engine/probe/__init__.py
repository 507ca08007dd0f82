"""Probes of an endpoint's real behaviour with images and parameters: charts are sent, and the replies are judged."""
