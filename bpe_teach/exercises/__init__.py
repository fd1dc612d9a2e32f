"""Exercises that answer: one module a notebook, named as the notebook is; `exercise` says how."""
