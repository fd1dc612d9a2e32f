"""bpe_teach: byte pair encoding, from counting pairs to a tokenizer (notebooks 00 to 05c).

These notebooks import everything from here, except for their exercises. Each module is loaded when
it is first used. The package bpe_further goes beyond these notebooks. It imports this package, but
this package never imports bpe_further.

The modules are listed in reading order in the file README.md of this folder.
"""

from bpe_teach.names import offer

__version__ = "0.2.0"

__all__, __getattr__, __dir__ = offer(__name__, __file__)
