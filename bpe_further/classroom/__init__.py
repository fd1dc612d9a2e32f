"""The classroom: hand-outs, questions and exams for a class, grades, and what the class learned."""

# What to do if a library for pages and hand-outs is missing.
INSTALL = (
    "python -m pip install nbconvert jinja2 python-docx python-pptx "
    "(the extra `classroom` names them)"
)
