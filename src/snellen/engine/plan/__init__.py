"""What a run is to do, checked before anything is asked."""
