"""Published: tokenizers with ids of their own, and their file."""
