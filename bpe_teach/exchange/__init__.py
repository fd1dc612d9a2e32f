"""Exchange: tokenizers come in from others and go out to them, one module a partner.

What cannot be carried over exactly is refused with a ValueError that lists every reason.
"""
