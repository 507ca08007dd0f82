"""Models that run on this machine, through Hugging Face transformers (`hf/NAME`, extra `local`)."""
