"""From a prediction and a truth to marks. Pure."""
