"""Shell: the commands and their arguments."""
