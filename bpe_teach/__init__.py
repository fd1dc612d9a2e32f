"""bpe_teach: byte pair encoding, from counting pairs to real tokenizers, in the order of a course.

Everything a notebook needs can be imported from here. What draws tables, pictures or fetches
texts is loaded when it is first used, so that ``import bpe_teach`` stays quick.

The modules, in the order in which they build on each other. Each imports only what stands above
it; the number is that of the notebook that introduces it, and what has none can wait.

    pairs                   01  count neighbouring symbols, choose the best pair, merge it
    symbols                 02  the end-of-word symbol; how any symbol is written for people
    patterns                04  the regular expressions that cut a text into words
    schemes                 02  the conventions: text to words to first symbols, and back
    learn                   01  the training loop
    encode                  03  merges applied to a new word: replay, lowest rank, the trace
    files                   --  texts read in pieces, files written whole
    fast                    07  the same merges with a small part of the work; rules for ties
    fast_encode             07  the same tokens with a small part of the work
    offsets                 --  where in a text its tokens stand
    parts                   --  what a tokenizer is put together from, checked
    storage                 04  the file of a tokenizer
    tokenizer               04  a text to ids and back
    scale                   07b  words counted in parts, in processes or on a cluster
    compression             05  what merges buy, in tables
    ngrams                  06  counters of what follows what, and the sum over all cuts
    corpora                 --  the texts of the course
    variants.measures       10  how evenly tokens are used, how fairly, and cut where
    variants.superwords     10  merges within words, then across
    variants.parity         10  each merge for the language that pays most
    variants.pruning        10  tokens removed that only served to build others
    variants.digits         10  long numbers cut from the left or from the right
    variants.mixture        10  what merges tell about their training text
    arguments               --  the files named in a shell
    pictures.boxes          --  what all pictures of tokens share
    pictures.tokens         --  the tokens of a text as boxes
    pictures.aligned        --  one text through several tokenizers
    pictures.film           --  merges, step by step
    pictures.tree           --  how a token was built
    pictures.playground     --  a tokenizer that runs in the browser
    plots                   05  the tables as figures
    report                  --  a card for a tokenizer, or for several side by side
    exchange.shared         --  what other formats have in common
    exchange.openai         08  GPT-2's files and tiktoken's
    exchange.huggingface    08  Hugging Face's tokenizer.json
    exchange.subword_nmt    --  codes files of subword-nmt
    variants.wordpiece      09  pieces that attract each other; the longest match
    variants.unigram        09  pieces with probabilities, pruned
    variants.encoders       09  several ways to cut a word with one vocabulary
    exercises.exercise      --  what an exercise is
    exercises.start_here    --  exercises of notebook 00
    exercises.concept_inventory  --  exercises of notebook 00b
    exercises.char_bpe      --  exercises of notebook 01
    exercises.published_shakespeare --  exercises of notebook 01b
    exercises.word_boundaries --  exercises of notebook 02
    exercises.published_little_prince --  exercises of notebook 02b
    exercises.rank_based_encoding --  exercises of notebook 03
    exercises.byte_level    --  exercises of notebook 04
    exercises.compression   --  exercises of notebook 05
    exercises.published_curves --  exercises of notebook 05b
    exercises.language_model  --  exercises of notebook 06
    exercises.fast_bpe      --  exercises of notebook 07
    exercises.many_machines  --  exercises of notebook 07b
    exercises.real_tokenizers  --  exercises of notebook 08
    exercises.tokenizers_in_use  --  exercises of notebook 08b
    exercises.other_tokenizers --  exercises of notebook 09
    exercises.misconception_lab  --  exercises of notebook 09b
    exercises.open_questions --  exercises of notebook 10
    lm                      06  a small language model on tokens (needs PyTorch)
    handout                 --  a notebook without outputs, and its solutions
    cli                     --  the shell
"""

from importlib import import_module

from bpe_teach.encode import encode_by_rank, encode_by_replay
from bpe_teach.fast import learn_merges
from bpe_teach.learn import Merge, learn_merges_naive
from bpe_teach.pairs import count_pairs, merge_pair, most_frequent_pair
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.tokenizer import Tokenizer

__version__ = "0.2.0"
LAZY = {  # name -> module that is loaded when the name is first used
    "compare": "compression",
    "compression_curve": "compression",
    "count_words": "scale",
    "description_length": "compression",
    "fertility": "compression",
    "rank_frequency": "compression",
    "token_lengths": "compression",
    "NgramCounter": "ngrams",
    "bits_of_all_cuts": "ngrams",
    "report_card": "report",
    "report_texts": "report",
    "load_corpus": "corpora",
    "list_corpora": "corpora",
    "knee": "plots",
    "plot_bars": "plots",
    "plot_compression": "plots",
    "plot_dots": "plots",
    "plot_fertility": "plots",
    "plot_lines": "plots",
    "plot_pair_counts": "plots",
    "plot_points": "plots",
    "plot_rank_frequency": "plots",
    "plot_stacks": "plots",
    "plot_token_lengths": "plots",
    "show_figure": "plots",
    "find_tokens": "pictures.tokens",
    "show_pieces": "pictures.tokens",
    "show_tokens": "pictures.tokens",
    "compare_tokens": "pictures.aligned",
    "merge_film": "pictures.film",
    "training_film": "pictures.film",
    "merge_tree": "pictures.tree",
    "playground": "pictures.playground",
    "from_gpt2": "exchange.openai",
    "from_huggingface": "exchange.huggingface",
    "from_subword_nmt": "exchange.subword_nmt",
    "from_tiktoken": "exchange.openai",
    "to_huggingface": "exchange.huggingface",
    "to_subword_nmt": "exchange.subword_nmt",
    "to_tiktoken": "exchange.openai",
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
