"""Runner: a child process that answers calls, and the parent's end of it.

The child's end, `child` and `values`, needs nothing but Python: `parent.lend` copies it for a child
that must not see the course.
"""
