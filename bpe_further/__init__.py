"""bpe_further: file formats, other programs, classes and variants, which go beyond notebook 05c.

This package imports from bpe_teach; bpe_teach never imports from this package. The further
notebooks import from both. The modules are listed in reading order in the file README.md of this
folder.
"""

from bpe_teach.names import offer

__all__, __getattr__, __dir__ = offer(__name__, __file__)
NEED_TORCH = ("TokenLM", "bits_per_character", "generate", "train_lm")
__all__ = [name for name in __all__ if name not in NEED_TORCH]  # for `import *`
