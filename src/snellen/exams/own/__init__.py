"""Questions and pictures of one's own, without code: a table or a folder of pictures is an exam. docs/own_data.md tells the format."""
