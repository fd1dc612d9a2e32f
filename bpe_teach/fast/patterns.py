"""Patterns: words found sooner, where a text is plain."""
