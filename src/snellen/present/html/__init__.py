"""HTML shared by the page and the viewer: Jinja with escaping, the templates of scores and samples, the style."""
