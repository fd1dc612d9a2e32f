"""Shell: commands and their arguments."""
