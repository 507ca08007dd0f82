"""Presentation of results. `model` holds every number and sentence. terminal, page, viewer and files lay it out and compute nothing."""
