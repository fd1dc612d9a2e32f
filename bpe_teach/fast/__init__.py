"""Fast: the same merges and tokens with a small part of the work."""
