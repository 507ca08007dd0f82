"""Charts that measure an endpoint: letters of falling size and contrast, shapes at known places, numbered pictures."""
