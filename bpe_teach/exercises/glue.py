"""Glue: what joins the learner's functions into a program, for each notebook; see glue.md."""

from pathlib import Path

from bpe_teach.exercises.sections import read_sections

PAGE = Path(__file__).with_suffix(".md").read_text("utf-8").splitlines()
CODE = {section.name: section.code.strip("\n") + "\n" for section in read_sections(PAGE)}


def _join(*names: str) -> str:
    return "\n\n".join(CODE[name] for name in names)


ON_CHARACTERS = _join("train", "tokenize_by_rank")
ON_BYTES = ON_CHARACTERS.replace("split_words", "split_text").replace(
    "tuple(word)", "to_bytes(word)"
)
GLUE = {  # notebook -> functions
    "01": "",  # learn and encode are a program
    "02": _join("train", "tokenize_by_replay"),
    "03": ON_CHARACTERS,
    "04": "\n\n".join([CODE["to_bytes"], ON_BYTES, CODE["make_vocab_and_encode_text"]]),
}
