"""The charts of a comparison of methods, as SVG and PNG."""
