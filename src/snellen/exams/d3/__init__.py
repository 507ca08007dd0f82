"""D3: describe two images so that they can be told apart."""
