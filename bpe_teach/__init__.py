"""bpe_teach: byte pair encoding, from counting pairs to real tokenizers, in the order of a course.

Everything a notebook needs can be imported from here. Whatever makes tables, draws pictures or
fetches texts is loaded when it is first used, so that ``import bpe_teach`` stays quick.

The modules at the root, called the core, are what notebooks 01 to 04 build, in reading order. The
folders, called rooms, hold everything else. A module imports only modules listed above it, so the
core works without any room; `fast` stands above it and gives the same merges and tokens in less
time. The number is the notebook that introduces the module; a module without one can wait.

    pairs                   01  count pairs, choose the most frequent, merge it
    symbols                 02  the end-of-word symbol; how to show any symbol to people
    patterns                04  the regular expressions that split a text into words
    schemes                 02  the conventions: text to words to first symbols, and back
    learn                   01  the training loop
    encode                  03  merges applied to a new word: replay, lowest rank, the trace
    files                   --  files read in pieces and written whole; progress bars
    storage                 04  the file of a tokenizer
    tokenizer               04  a text to ids and back
    display                 03  symbols as people read them; why a word is split as it is
    corpora                 --  the texts of the course
    fast.patterns           --  words found faster, where a text is plain
    fast.learn              07  the same merges, faster; tie rules
    fast.borders            08c  where a word can be cut without merging
    fast.encode             07  the same tokens, faster
    fast.streams            --  long or growing texts, in little memory
    fast.tokenizer          --  the same tokenizer, faster: this is the one that you import
    fast.words              07b  words counted in parts, in processes or on a cluster
    exchange.shared         --  what other formats have in common
    exchange.normalize      --  what other tokenizers do to a text before they split it
    exchange.dialects       --  the split patterns as other engines spell them
    exchange.schemes        --  texts changed before they are split; patterns from files
    exchange.spelling       --  characters spelled in bytes
    exchange.offsets        --  the place of each token in a text
    exchange.published      08  tokenizers with ids of their own, and their file
    exchange.kinds          --  a file that was given as a tokenizer: its bytes, its kind
    exchange.pipeline       --  the parts of a tokenizer.json, read as a scheme
    exchange.huggingface    08  Hugging Face's tokenizer.json
    exchange.openai         08  GPT-2's files and tiktoken's
    exchange.subword_nmt    --  codes files of subword-nmt
    exchange.sentencepiece  --  models of SentencePiece
    exchange.load           --  one reader for tokenizers of all kinds
    pictures.boxes          --  what all pictures of tokens share: boxes and colours
    pictures.fold           --  a value that shows only after a click
    pictures.tokens         --  the tokens of a text as boxes
    pictures.aligned        --  one text through several tokenizers
    pictures.film           --  training, step by step
    pictures.tree           --  how a token was built
    pictures.playground     --  a tokenizer that runs in the browser
    pictures.plots          05  the tables as figures
    measure.compression     05  what merges buy, in tables
    measure.ngrams          06  counters of what follows what, and the sum over all cuts
    measure.quality         10  how evenly and how fairly tokens are used; where words are cut
    measure.digits          --  long numbers cut from the left or from the right
    measure.report          --  a card for a tokenizer, or for several side by side
    measure.learning        --  how much a class has learned, and how sure that is
    measure.lm              06  a small language model on tokens (needs PyTorch)
    variants.superwords     10  merges within words, then across
    variants.parity         10  each merge for the language that pays most
    variants.mixture        10  what merges reveal about their training text
    variants.wordpiece      09  pieces that attract each other; the longest match
    variants.unigram        09  pieces with probabilities, pruned
    variants.encoders       09  several ways to cut a word with one vocabulary
    exercises.bounds        --  answers run in a process of their own, with a time limit
    exercises.exercise      --  what an exercise is
    exercises.record        --  a session of exercises, written down if the learner asks for it
    exercises.sections      --  what is below the headings of a page
    exercises.glue          --  what connects the learner's functions to a program
    exercises.standalone    --  a function of a notebook as text that runs on its own
    exercises.sources       --  functions put into the text of a program, which else stays as it is
    exercises.program       --  the learner's program, which grows with right answers
    exercises.page          --  exercises, read from a page of Markdown
    exercises.samples       --  letters, texts and habits that all pages share
    exercises.start_here    --  exercises of notebook 00
    exercises.second_form   --  exercises of notebook 00b, asked after the course
    exercises.concept_inventory  --  exercises of notebook 00b
    exercises.char_bpe      --  exercises of notebook 01
    exercises.published_shakespeare  --  exercises of notebook 01b
    exercises.word_boundaries  --  exercises of notebook 02
    exercises.published_little_prince  --  exercises of notebook 02b
    exercises.rank_based_encoding  --  exercises of notebook 03
    exercises.byte_level    --  exercises of notebook 04
    exercises.compression   --  exercises of notebook 05
    exercises.published_curves  --  exercises of notebook 05b
    exercises.language_model  --  exercises of notebook 06
    exercises.fast_bpe      --  exercises of notebook 07
    exercises.many_machines  --  exercises of notebook 07b
    exercises.real_tokenizers  --  exercises of notebook 08
    exercises.tokenizers_in_use  --  exercises of notebook 08b
    exercises.changed_tokenizers  --  exercises of notebook 08c
    exercises.other_tokenizers  --  exercises of notebook 09
    exercises.misconception_lab  --  exercises of notebook 09b
    exercises.open_questions  --  exercises of notebook 10
    exercises.votes         --  questions to vote on
    exercises.whole_programs  --  slips of exercises, planted in whole tokenizers
    conform.cases           --  what a program in any language is asked, and the right answers
    conform.slips           --  which slip the answers of a program show
    conform.program         --  the program, asked in a process of its own
    conform.adapter         --  answers from Python files and libraries
    conform.report          --  the results, and the slips that they show
    shell.arguments         --  the files and tokenizers named in a shell
    shell.word_counts       --  word counts as a file
    shell.handout           --  a notebook without outputs, and its solutions
    shell.questions         --  the questions for a learning platform, or on paper
    shell.handed_in         --  files that learners handed in, in folders and archives
    shell.platform          --  answers that a learning platform exports
    shell.grades            --  points for learners' programs and notebooks
    shell.class_records     --  the sessions of a class
    shell.class_report      --  what a class answered, on one page for its teacher
    shell.completion        --  what bash and zsh offer after the Tab key
    shell.commands          --  the commands of ``bpe-teach``
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bpe_teach.display import label, spaced
from bpe_teach.encode import encode_by_rank, encode_by_replay, encode_steps
from bpe_teach.fast.learn import alphabet_order, learn_merges
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.learn import Merge, learn_merges_naive, merge_words
from bpe_teach.pairs import count_pairs, merge_pair, most_frequent_pair
from bpe_teach.schemes import SCHEMES, Scheme

if TYPE_CHECKING:  # for editors and type checkers; Python uses the table LAZY
    from bpe_teach.corpora import CorpusUnavailable, corpus_path, list_corpora, load_corpus
    from bpe_teach.exchange.huggingface import from_huggingface, to_huggingface
    from bpe_teach.exchange.load import load_tokenizer
    from bpe_teach.exchange.offsets import token_offsets
    from bpe_teach.exchange.openai import from_gpt2, from_tiktoken, to_tiktoken
    from bpe_teach.exchange.published import PublishedTokenizer
    from bpe_teach.exchange.sentencepiece import from_sentencepiece
    from bpe_teach.exchange.subword_nmt import from_subword_nmt, to_subword_nmt
    from bpe_teach.fast.borders import Cuts, cut_into_tokens, find_borders
    from bpe_teach.fast.encode import merge_by_rank
    from bpe_teach.fast.words import count_words, dask_map, list_parts, map_in_processes
    from bpe_teach.measure import digits, quality
    from bpe_teach.measure.compression import (
        compare,
        compression_curve,
        description_length,
        fertility,
        rank_frequency,
        token_lengths,
    )
    from bpe_teach.measure.lm import TokenLM, bits_per_character, generate, train_lm  # noqa: F401
    from bpe_teach.measure.ngrams import NgramCounter, bits_of_all_cuts
    from bpe_teach.measure.report import report_card, report_texts
    from bpe_teach.pictures.aligned import compare_tokens
    from bpe_teach.pictures.film import training_film
    from bpe_teach.pictures.fold import fold
    from bpe_teach.pictures.playground import playground
    from bpe_teach.pictures.plots import (
        knee,
        plot_bars,
        plot_compression,
        plot_dots,
        plot_lines,
        plot_points,
        plot_rank_frequency,
        plot_stacks,
        show_figure,
    )
    from bpe_teach.pictures.tokens import show_pieces, show_tokens
    from bpe_teach.pictures.tree import merge_tree
    from bpe_teach.variants import (
        encoders,
        mixture,
        parity,
        superwords,
        unigram,
        wordpiece,
    )

__version__ = "0.2.0"
LAZY_NAMES = {  # module -> names that are loaded from it when they are first used
    "corpora": "CorpusUnavailable corpus_path list_corpora load_corpus",
    "fast.borders": "Cuts cut_into_tokens find_borders",
    "fast.encode": "merge_by_rank",
    "fast.words": "count_words dask_map list_parts map_in_processes",
    "exchange.offsets": "token_offsets",
    "exchange.published": "PublishedTokenizer",
    "exchange.load": "load_tokenizer",
    "exchange.sentencepiece": "from_sentencepiece",
    "exchange.openai": "from_gpt2 from_tiktoken to_tiktoken",
    "exchange.huggingface": "from_huggingface to_huggingface",
    "exchange.subword_nmt": "from_subword_nmt to_subword_nmt",
    "pictures.tokens": "show_pieces show_tokens",
    "pictures.aligned": "compare_tokens",
    "pictures.film": "training_film",
    "pictures.fold": "fold",
    "pictures.tree": "merge_tree",
    "pictures.playground": "playground",
    "pictures.plots": (
        "knee plot_bars plot_compression plot_dots plot_lines plot_points plot_rank_frequency "
        "plot_stacks show_figure"
    ),
    "measure": "digits quality",
    "measure.compression": (
        "compare compression_curve description_length fertility rank_frequency token_lengths"
    ),
    "measure.ngrams": "NgramCounter bits_of_all_cuts",
    "measure.report": "report_card report_texts",
    "measure.lm": "TokenLM bits_per_character generate train_lm",
    "variants": "encoders mixture parity superwords unigram wordpiece",
}
LAZY = {name: module for module, names in LAZY_NAMES.items() for name in names.split()}
# fmt: off
__all__ = [
    "SCHEMES", "CorpusUnavailable", "Cuts", "Merge", "NgramCounter", "PublishedTokenizer",
    "Scheme", "Tokenizer", "alphabet_order", "bits_of_all_cuts", "compare", "compare_tokens",
    "compression_curve", "corpus_path", "count_pairs", "count_words", "cut_into_tokens",
    "dask_map", "description_length", "digits", "encode_by_rank", "encode_by_replay",
    "encode_steps", "encoders", "fertility", "find_borders", "fold", "from_gpt2",
    "from_huggingface", "from_sentencepiece", "from_subword_nmt", "from_tiktoken", "knee",
    "label", "learn_merges",
    "learn_merges_naive", "list_corpora", "list_parts", "load_corpus", "load_tokenizer",
    "map_in_processes", "merge_by_rank", "merge_pair", "merge_tree", "merge_words",
    "mixture", "most_frequent_pair", "parity", "playground", "plot_bars", "plot_compression",
    "plot_dots", "plot_lines", "plot_points", "plot_rank_frequency", "plot_stacks",
    "quality", "rank_frequency", "report_card", "report_texts", "show_figure", "show_pieces",
    "show_tokens", "spaced", "superwords", "to_huggingface", "to_subword_nmt", "to_tiktoken",
    "token_lengths", "token_offsets", "training_film", "unigram", "wordpiece",
]
# fmt: on


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str):
        if name in LAZY:
            return getattr(import_module(f"bpe_teach.{LAZY[name]}"), name)
        raise AttributeError(f"module 'bpe_teach' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
