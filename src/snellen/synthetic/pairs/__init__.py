"""Pictures that differ in one thing, with captions that say which: D3."""
