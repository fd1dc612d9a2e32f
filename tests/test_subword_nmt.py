"""subword-nmt: its codes files, its own reference files, and the words of GPT-1 and CLIP."""

import json
import random
import re
from pathlib import Path

import hostile
import pytest
from common import examples, published, rows
from hypothesis import given
from hypothesis import strategies as st

from bpe_further import (
    add_tokens,
    from_subword_nmt,
    load_tokenizer,
    to_huggingface,
    to_subword_nmt,
)
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.shared import BYTE_OF, PRINTABLE
from bpe_further.shell.commands import main
from bpe_teach import Tokenizer, load_corpus
from bpe_teach.symbols import WordEnd

VERSIONS = {"0.1": "end_of_word", "0.2": "last_character"}
SCHEMES = list(VERSIONS.values())


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("codes") / "codes"


def read(file, content, *args, **options):
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return from_subword_nmt(file, *args, **options)


def in_print(tokens):
    """Write tokens as apply_bpe does: @@ after each that does not end its word."""
    text = "".join(f"{token} " if isinstance(token, WordEnd) else f"{token}@@ " for token in tokens)
    return text.replace("@@ </w>", "").replace("</w>", "").removesuffix(" ")


@pytest.mark.parametrize(("content", "text", "tokens"), rows("subword_nmt/codes"))
def test_a_codes_file_of_either_version_is_read(file, content, text, tokens):
    tok = read(file, content, ["lower", "é"])
    assert tok.tokens(text) == [
        WordEnd(token) if token.endswith("</w>") else token for token in tokens.split("|")
    ]


def test_what_no_merge_has_seen_is_refused_or_unknown_unless_it_is_given(file):
    codes = "#version: 0.2\nl o\n"
    with pytest.raises(ValueError, match="'w' at position 2"):
        read(file, codes).encode("low")
    assert read(file, codes, unk_token="[?]").tokens("low") == ["lo", "[?]"]
    assert read(file, codes, " w\n").tokens("wlow") == ["w", "lo", WordEnd("w</w>")]
    assert read(file, codes, special_tokens=["<s>"]).special_tokens == {"<s>": 5}


@pytest.mark.parametrize("scheme", SCHEMES)
@examples(60)
@given(text=st.text("abé</w>\u3000 ", max_size=40))
def test_merges_written_and_read_again_are_the_same(file, scheme, text):
    text = text.replace("</w>", "")
    tok = Tokenizer.train([text, "aa aa"], scheme=scheme, num_merges=20, min_count=1)
    to_subword_nmt(tok, file)
    uncounted = [merge._replace(count=0) for merge in tok.merges]
    found = from_subword_nmt(file, [text, "aa aa"])
    assert found == Tokenizer(scheme, tok.alphabet, uncounted)


FAULTS = dict(rows("subword_nmt/faults"))


@pytest.mark.parametrize("content", FAULTS, ids=ascii)
def test_all_faults_of_a_file_are_named_with_their_lines(file, content):
    with pytest.raises(ValueError, match=re.escape(str(file))) as error:
        read(file, content)
    for fault in FAULTS[content]:
        assert fault in str(error.value)


def test_hostile_files_are_refused(file):
    for content in [*hostile.NO_TOKENIZER, *hostile.TOO_MUCH]:
        with pytest.raises(ValueError):
            read(file, content)
    for path in hostile.NO_PATHS:
        with pytest.raises(ValueError, match="give the path of a codes file"):
            from_subword_nmt(path)
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        read(file, "l o", "\ud800")


ENDS = [  # codes, separate ends of words in "low lower", what apply_bpe makes of it
    ("#version: 0.1\nl o\nlo w\nlow </w>\n", 1, "low low@@ e@@ r\n"),
    ("#version: 0.2\nl o\nlo w</w>\n", 0, "low lo@@ w@@ e@@ r\n"),
]


@pytest.mark.parametrize(("codes", "separate_ends", "printed"), ENDS)
def test_a_separate_end_of_a_word_is_a_token_and_a_note_says_so(
    file, capsys, codes, separate_ends, printed
):
    tok = read(file, codes, "lower")
    assert tok.tokens("low lower").count(WordEnd("</w>")) == separate_ends
    assert len(tok.encode("low lower")) == len(printed.split()) + separate_ends
    text = file.with_name("text")
    text.write_text("low lower\n", "utf-8")
    options = ["-t", str(file), "--characters", "lower", str(text)]
    assert main(["count", *options]) == 0
    says = "a </w> that is merged with nothing is a token; apply_bpe doesn't write it"
    assert (says in capsys.readouterr().err) == bool(separate_ends)
    assert main(["encode", "--continuation", "@@", *options]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("codes", ["l o\nlo w\n", "#version: 0.2\nl o\nlo w</w>\n"])
def test_added_tokens_are_the_glossaries_of_apply_bpe(codes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("codes").write_text(codes, "utf-8")
    tok = add_tokens(from_subword_nmt("codes", "slower, isx"), ["Ed", "UK"])
    tok.save("tok.json")
    given = rows("subword_nmt/glossaries")
    Path("text").write_text("".join(f"{text}\n" for text, _, _ in given), "utf-8")
    assert main(["encode", "-t", "tok.json", "--continuation", "@@", "text"]) == 0
    printed = capsys.readouterr().out.splitlines()
    for (_, expected, joined), line in zip(given, printed, strict=True):
        assert line == expected  # as apply_bpe of subword-nmt 0.3.8 gave it
        assert line.replace("@@ ", "") == joined
    for text, _, _ in given:
        spaced = " ".join(re.sub("(Ed|UK)", r" \1 ", text).split())
        ids = tok.encode(text)
        assert tok.decode(ids) == "".join(tok.decode_stream(ids)) == spaced
    (note,) = load_tokenizer("tok.json").notes
    assert "a space before and after an added token such as 'Ed'" in note


# what others have published


def test_learning_gives_the_codes_that_subword_nmt_learned_line_for_line(file):
    text = published("subword_nmt_corpus.en").read_text("utf-8")
    options = {"scheme": "last_character", "num_merges": 1000, "tie_break": "greatest"}
    to_subword_nmt(Tokenizer.train(text, **options), file)
    assert file.read_bytes() == published("subword_nmt_bpe.ref").read_bytes()


def test_applying_codes_gives_the_lines_that_subword_nmt_gave():
    lines = published("subword_nmt_corpus.en").read_text("utf-8").splitlines()
    tok = from_subword_nmt(published("subword_nmt_bpe.ref"), lines)
    expected = published("subword_nmt_corpus.bpe.ref.en").read_text("utf-8").splitlines()
    assert [in_print(tok.tokens(line)) for line in lines] == expected


def words_to_try():
    """List words in lower case, a few of them shuffled."""
    words = []
    for name in ("story", "second_story", "mixed", "parallel"):
        words += load_corpus(name).lower().split()
    words = sorted(set(words))
    chance = random.Random(3)
    return words + ["".join(chance.sample(word, len(word))) for word in chance.sample(words, 1000)]


def differing(tok, model, words):
    found = []
    for word in words:
        tokens = list(map(str, tok.tokens(word)))
        if tokens != [token.value for token in model.tokenize(word)]:
            found.append((word, tokens))
    return found


@pytest.mark.slow
def test_words_have_the_tokens_of_gpt1():
    models = pytest.importorskip("tokenizers").models
    codes, encoder = published("gpt1_vocab_40000.bpe"), published("gpt1_encoder_bpe_40000.json")
    vocab = json.loads(encoder.read_text("utf-8"))
    merges = [tuple(line.split(" ")) for line in codes.read_text("utf-8").splitlines()[1:]]
    model = models.BPE(vocab, merges, unk_token="<unk>", end_of_word_suffix="</w>")
    tok = from_huggingface(encoder, codes)
    assert {str(token): i for i, token in tok.vocab.items()} == vocab
    # Some have characters that are unknown.
    words = [word for word in words_to_try() if tok.scheme.split(word) == [word]]
    assert len(words) > 2000
    assert differing(tok, model, words) == []


@pytest.mark.slow
def test_words_in_print_have_the_tokens_of_clip(file):
    path = published("clip_tokenizer.json")
    model = pytest.importorskip("tokenizers").Tokenizer.from_file(str(path)).model
    merges = json.loads(path.read_text("utf-8"))["model"]["merges"]
    tok = read(file, "\n".join(["#version: 0.2", *merges]), BYTE_OF)
    words = ["".join(map(PRINTABLE.get, word.encode())) for word in words_to_try()]
    assert differing(tok, model, words) == []


def test_codes_go_to_a_tokenizer_json_and_counts_of_fast_bpe_are_read(tmp_path, capsys):
    pytest.importorskip("tokenizers")
    (tmp_path / "codes").write_text("#version: 0.2\nl o\nlo w</w>\n", "utf-8")
    (tmp_path / "counted").write_text("l o 20\nlo w</w> 3\n", "utf-8")
    tok = load_tokenizer(tmp_path / "codes", characters="slower,")
    assert from_subword_nmt(tmp_path / "counted", "slower,") == tok
    assert "apply_bpe keeps all but spaces and line ends" in tok.notes[0]
    theirs = to_huggingface(tok)
    theirs.save(str(tmp_path / "tokenizer.json"))
    again = load_tokenizer(tmp_path / "tokenizer.json")
    given = [str(tmp_path / "codes"), "--characters", "slower,", "-o", str(tmp_path / "out")]
    assert main(["convert", *given, "--to", "subword-nmt", "--check"]) == 0
    assert "in the same way; subword-nmt itself wasn't asked" in capsys.readouterr().err
    for text in ("low slower", "low\x1clow\u00a0slow\x85low", " low,\tlow\n"):
        ids = tok.encode(text)
        assert theirs.encode(text).ids == again.encode(text) == ids
    with pytest.raises(ValueError, match=r"'x' at position 4 .* characters='…'"):
        tok.encode("low x")
