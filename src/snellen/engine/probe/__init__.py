"""How an endpoint really handles images and parameters: charts are sent, and the replies are judged."""
