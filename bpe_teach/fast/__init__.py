"""Fast: the same merges and tokens as in the core, found with a small part of the work."""
