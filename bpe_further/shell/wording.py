"""Wording: the advice of notes and errors, translated from Python to the words of a shell."""

import sys

from bpe_teach.display import printable

IN_SHELL = {  # advice as it stands in the modules -> advice for the user of a shell
    "encode does so with add_special_tokens=True": "count and encode do so with "
    "--add-special-tokens",
    "the tokens of a text are found by tokens(text), ids by encode(text)": "encode --tokens shows "
    "the tokens of a text",
    "read codes of subword-nmt with characters='…' (in a shell --characters) or with "
    "unk_token='<unk>'": "for codes of subword-nmt, give all characters of a text at once, as in "
    '--characters "$(cat story.txt)"',
    "give them as characters=…": "give them with --characters",
    "also give the merges, as in from_huggingface('vocab.json', 'merges.txt')": "give the folder "
    "that holds it as vocab.json and the merges as merges.txt",
    "give the vocab.json first, as in from_huggingface('vocab.json', 'merges.txt')": "give the "
    "folder that holds it as merges.txt and the ids as vocab.json",
    "a scheme such as 'cl100k' or bpe_teach.Scheme('mine', '', pattern, bytes), in a shell "
    "--scheme cl100k or --pattern PATTERN": "--scheme cl100k, say, or --pattern PATTERN",
    "as a scheme such as 'o200k' or as bpe_teach.Scheme('mine', '', pattern, bytes), in a shell "
    "--scheme or --pattern": "with --scheme o200k, say, or --pattern PATTERN",
    "give no scheme": "leave out --scheme and --pattern",
    "give no characters": "leave out --characters",
    "vocab_size=": "--vocab-size ",
    "give a scheme such as 'gpt2', in a shell --scheme gpt2": "give --scheme gpt2, say",
    "even with add_special_tokens=True": "even with --add-special-tokens",
    "a tokenizer.json (to_huggingface) and our own file (tok.save) can hold this": "convert -o "
    "tokenizer.json, or --to bpe-teach, can hold this",
    "; show_tokens draws the tokens of any": "; encode --tokens shows the tokens of any",
    "write it with to_huggingface": "write it with convert, without --to",
    "save can't write it, but to_huggingface can": "only convert, without --to, can write it",
    "our own file can hold it: tok.save, in a shell convert --to bpe-teach": "convert --to "
    "bpe-teach writes it",
    "use show_tokens": "use encode --tokens",
}


def in_shell(message: str) -> str:
    """Return a message with its advice rewritten for the user of a shell.

    >>> in_shell("other characters than those of the merges: give them as characters=…")
    'other characters than those of the merges: give them with --characters'
    """
    for advice, words in IN_SHELL.items():
        message = message.replace(advice, words)
    return message


def tell(message: str) -> None:
    """Print a message that is not a part of the output, to standard error."""
    print(printable(f"bpe-teach: {in_shell(message)}"), file=sys.stderr)
