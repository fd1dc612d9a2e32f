"""Glue: what joins the learner's functions into a program, for each notebook; see glue.md."""

from pathlib import Path

from bpe_teach.exercises.sections import read_sections

PAGE = Path(__file__).with_suffix(".md").read_text("utf-8").splitlines()
# notebook and name of a function -> its text
GLUE = {section.name: section.code.strip() for section in read_sections(PAGE) if section.name}
