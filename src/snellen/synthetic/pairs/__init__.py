"""Pictures that differ in one thing, with captions that state the difference: D3."""
