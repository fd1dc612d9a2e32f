"""Runner: a child process that answers calls, and the parent process, which asks for them.

The modules of the child process, `child` and `values`, need nothing but Python: `parent.lend`
copies these modules for a child process that must not see the course.
"""
