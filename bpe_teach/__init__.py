"""bpe_teach: byte pair encoding, from counting pairs to real tokenizers, in the order of a course.

Everything a notebook needs can be imported from here. ``__init__.pyi`` lists the names for editors;
each is loaded when it is first used, so that ``import bpe_teach`` stays quick.

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
    fast.offsets            --  the place of each token in a text
    fast.streams            --  long or growing texts, in little memory
    fast.handy              --  what programs also ask: ids of tokens, offsets, copies
    fast.hints              --  names of other libraries, and what has their place
    fast.tokenizer          --  the same tokenizer, faster: this is the one that you import
    fast.words              07b  words counted in parts, in processes or on a cluster
    exchange.shared         --  what other formats have in common
    exchange.normalize      --  what other tokenizers do to a text before they split it
    exchange.schemes        --  texts changed before they are split; patterns from files
    exchange.spelling       --  characters spelled in bytes
    exchange.published      08  tokenizers with ids of their own, and their file
    exchange.check          --  a tokenizer held against the library of its file
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
    pictures.javascript     --  the split patterns as browsers spell them
    pictures.playground     --  a tokenizer that runs in the browser
    pictures.plots          05  the tables as figures
    measure.compression     05  what merges buy, in tables
    measure.ngrams          06  counters of what follows what, and the sum over all cuts
    measure.quality         10  how evenly and how fairly tokens are used; where words are cut
    measure.digits          --  long numbers cut from the left or from the right
    measure.report          --  a card for a tokenizer, or for several side by side
    measure.learning        --  how much a class has learned, and how sure that is
    measure.lm              06  a small language model on tokens (needs PyTorch)
    variants.change         08c  a tokenizer extended, trimmed, or given further tokens
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
    exercises.sources       --  functions as text, put into a program, which else stays as it is
    exercises.program       --  the learner's program, which grows with right answers
    exercises.page          --  exercises, read from a page of Markdown: one for each notebook
    exercises.concept_inventory  --  exercises of notebook 00b
    exercises.whole_programs  --  slips of exercises, planted in whole tokenizers
    conform.cases           --  what a program in any language is asked, and the right answers
    conform.replay          --  merges that were learned, followed one by one
    conform.judge           --  whether an answer is right, whatever its ties
    conform.whole           --  small texts, learned, encoded and decoded from end to end
    conform.numbers         --  requests and answers without JSON
    conform.program         --  the program, asked in a process of its own
    conform.slips           --  which slip the answers of a program show
    conform.shapes          --  functions and classes as people write them
    conform.adapter         --  answers from Python files and folders
    conform.report          --  the results, and the slips that they show
    classroom.handout       --  a notebook without outputs, and its solutions
    classroom.questions     --  the questions for a learning platform, or on paper
    classroom.handed_in     --  files that learners handed in, in folders and archives
    classroom.grades        --  points for learners' programs and notebooks
    classroom.responses     --  answers that a learning platform exports
    classroom.records       --  the sessions of a class
    classroom.report        --  what a class answered, on one page for its teacher
    shell.arguments         --  the files and tokenizers named in a shell
    shell.completion        --  what bash and zsh offer after the Tab key
    shell.commands          --  the commands of ``bpe-teach``
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.2.0"


def _read_stub() -> dict[str, str]:
    """Return the module of each public name, as the file for editors says it."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module for node in imports for alias in node.names}


PUBLIC = _read_stub()  # name -> module
__all__ = [name for name in PUBLIC if PUBLIC[name] != "bpe_teach.measure.lm"]  # needs PyTorch


def __getattr__(name: str):
    if name not in PUBLIC:
        raise AttributeError(f"module 'bpe_teach' has no attribute {name!r}")
    value = getattr(import_module(PUBLIC[name]), name)
    globals()[name] = value  # from now on it is found without this function
    return value


def __dir__():
    return sorted(__all__)
