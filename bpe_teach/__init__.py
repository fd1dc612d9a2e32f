"""bpe_teach: byte pair encoding, from counting pairs to a tokenizer: notebooks 00 to 05c.

All that these notebooks need, but for their exercises, is imported from here, and loaded on first
use. What goes beyond them is in bpe_further, which imports this package, never the other way round.

The modules are listed in reading order in the file README.md of this folder.
"""

from bpe_teach.names import offer

__version__ = "0.2.0"

__all__, __getattr__, __dir__ = offer(__name__, __file__)
