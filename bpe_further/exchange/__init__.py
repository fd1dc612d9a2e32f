"""Exchange: read tokenizers of other programs and write ours for them, one module per partner.

What cannot be carried over exactly is refused with a ValueError that lists every reason.
"""
