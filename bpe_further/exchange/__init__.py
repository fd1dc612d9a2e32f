"""Exchange: read tokenizers of other programs and write ours for them; one module for each program.

If a tokenizer cannot be carried over exactly, it is refused with a ValueError that lists every
reason.
"""
