"""Fast: the merges and tokens that the core finds, found with a small part of the work."""
