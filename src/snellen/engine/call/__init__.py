"""One request to one endpoint: store, limits, budget, retries, HTTP."""
