"""A user's own questions and pictures, without code: a table or a folder of pictures is an exam. docs/own_data.md describes the format."""
