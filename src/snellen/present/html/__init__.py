"""What the page and the viewer share: Jinja with escaping, the templates of scores and samples, the style."""
