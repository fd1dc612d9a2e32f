"""Shell: commands, arguments, hand-outs."""
