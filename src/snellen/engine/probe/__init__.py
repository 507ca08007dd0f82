"""What an endpoint really does with pictures and parameters: charts are sent, and what comes back is judged."""
