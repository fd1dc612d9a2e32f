"""Pictures: tokens as boxes, for notebooks as HTML and for terminals as plain text."""
