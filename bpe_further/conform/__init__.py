"""Is this byte pair encoding? Cases for programs in any language, and the slip behind a failure."""
