"""bpe_teach: byte pair encoding, from counting pairs to real tokenizers, in the order of a course.

Everything a notebook needs can be imported from here. What draws tables, pictures or fetches
texts is loaded when it is first used, so that ``import bpe_teach`` stays quick.
"""

from importlib import import_module

from bpe_teach.encode import encode_by_rank, encode_by_replay
from bpe_teach.fast import learn_merges
from bpe_teach.learn import Merge, learn_merges_naive
from bpe_teach.pairs import count_pairs, merge_pair, most_frequent_pair
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.tokenizer import Tokenizer

__version__ = "0.1.0"
LAZY = {  # name -> module that is loaded when the name is first used
    "compare": "compression",
    "compression_curve": "compression",
    "fertility": "compression",
    "rank_frequency": "compression",
    "token_lengths": "compression",
    "load_corpus": "corpora",
    "list_corpora": "corpora",
    "knee": "plots",
    "plot_compression": "plots",
    "plot_fertility": "plots",
    "plot_pair_counts": "plots",
    "plot_rank_frequency": "plots",
    "plot_token_lengths": "plots",
    "find_tokens": "show",
    "show_pieces": "show",
    "show_tokens": "show",
    "compare_tokens": "aligned",
    "merge_film": "film",
    "merge_tree": "film",
    "from_gpt2": "interop",
    "from_huggingface": "interop",
    "from_tiktoken": "interop",
    "to_huggingface": "interop",
    "to_tiktoken": "interop",
}
__all__ = [
    "SCHEMES",
    "Merge",
    "Scheme",
    "Tokenizer",
    "count_pairs",
    "encode_by_rank",
    "encode_by_replay",
    "learn_merges",
    "learn_merges_naive",
    "merge_pair",
    "most_frequent_pair",
    *LAZY,
]


def __getattr__(name: str):
    if name in LAZY:
        return getattr(import_module(f"bpe_teach.{LAZY[name]}"), name)
    raise AttributeError(f"module 'bpe_teach' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *LAZY])
