"""Runner: a child process that answers calls, and the parent's end of it.

This folder needs nothing but Python, so a copy of it can be lent to a child that must not see the
course: `parent.lend` makes one.
"""
