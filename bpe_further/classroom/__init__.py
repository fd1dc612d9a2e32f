"""The classroom: hand-outs and questions for a class, grades, and what it learned."""

# What to do if a library for pages and hand-outs is missing.
INSTALL = "python -m pip install nbconvert jinja2 (the extra `classroom` names both)"
