"""The classroom: hand-outs and questions for a class, grades, and what it learned."""
