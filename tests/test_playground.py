"""The playground: the program in the browser gives the ids and the merges of the package."""

import json
import random
import re
import shutil
import string
import subprocess
import unicodedata
from dataclasses import replace
from itertools import product

import pytest
from common import BYTE_SCHEMES, END

from bpe_teach import SCHEMES, Merge, Scheme, Tokenizer, load_corpus, playground
from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.pictures import playground as room
from bpe_teach.pictures.playground import is_offered
from bpe_teach.schemes import BYTES
from bpe_teach.shell.commands import main

IN_THE_BROWSER = [name for name, scheme in SCHEMES.items() if is_offered(scheme)]
STRINGS = 10_000
TEXTS = 200  # to train on
UNKNOWN = "<unk>"
TRAPS = ["\r\n", "\n\n", "  ", "\t", "'S", "'s", "'ſ", "'LL", "don't", "İ", "ß", "Σας", "ΟΔΟΣ "]
TRAPS += ["e\u0301", "\u00a0", "\u3000", "\u200b", "\ufeff", "\x85", "\x1c", "\x1f", "\u2028"]
TRAPS += [
    "1234567",
    "Ⅷ",
    "½",
    "٣٤٥",
    "ǅ",
    "ʰ",
    "字",
    "ー",
    "🐢",
    "👨\u200d👩\u200d👧",
    "🇩🇪",
    "</w>",
    "_",
]
TRAPS += ["///\n", "!?\r\n", "a", "Z", "\0", "ﬁ", "\u212a", "\u212b", END, "<|", UNKNOWN]


def test_in_a_terminal_it_is_the_tokens_of_the_text(small_tokenizers):
    two = {"ours": small_tokenizers["gpt2"], "bytes": small_tokenizers["bytes"]}
    assert repr(playground(two, "a")) == (
        "ours:\na (97)\n1 token, 1 character, 1.00 characters per token\n"
        "bytes:\na (97)\n1 token, 1 character, 1.00 characters per token"
    )
    assert repr(playground(two["ours"])) == "0 tokens, 0 characters"


def test_what_is_shown_is_escaped_and_holds_no_script():
    tok = Tokenizer.train("low", num_merges=1, special_tokens=["<script>alert(1)</script>"])
    html = playground({"<script>": tok, "b": tok}, "<script></textarea>")._repr_html_()
    assert "<script" not in html
    assert html.count("</textarea>") == 1
    assert not re.search(r"""(?:src|href)=|https?:""", html.replace("http://www.w3.org", ""))
    page = playground(tok).page(title="<b>low</b>")
    assert "<b>low</b>" not in page
    assert "run this cell" in html
    assert "run this cell" not in page


OWN = Tokenizer(Scheme("own", "letters", "[a-z]+", bytes, loses="the rest"), BYTES, [])
REFUSED = [
    (
        Tokenizer.train("low", scheme="last_character", num_merges=1),
        "'last_character' is not offered",
    ),
    (7, "give a Tokenizer, not int"),
    ({}, "1 to 3 tokenizers, not 0"),
    ({"a": "gpt2"}, "give a Tokenizer, not str for a"),
    (dict.fromkeys("abcd", OWN), "1 to 3 tokenizers, not 4"),
    (OWN, "'own' is not offered"),
]


@pytest.mark.parametrize(("tok", "fault"), REFUSED)
def test_what_cannot_be_played_with_is_refused(tok, fault):
    with pytest.raises(ValueError, match=fault):
        playground(tok)


def test_a_page_with_fifty_thousand_merges_is_small():
    merges = [Merge(left, right, 1) for left, right in product(BYTES, BYTES)][:50_000]
    assert len(playground(Tokenizer("gpt2", BYTES, merges)).page()) < 350_000


def test_the_shell_writes_a_page(tmp_path, capsys):
    paths = [tmp_path / folder / "low.json" for folder in "ab"]
    for path in paths:
        path.parent.mkdir()
        Tokenizer.train("low low", num_merges=1).save(path)
    page = tmp_path / "page.html"
    assert main(["playground", *map(str, paths), "-o", str(page), "--text", "low"]) == 0
    assert str(page) in capsys.readouterr().out
    for path in paths:  # files of one name are told apart by their folders
        assert str(path) in page.read_text("utf-8")
    assert main(["playground", str(paths[0]), "-o", str(paths[0])]) == 1
    assert "named twice" in capsys.readouterr().err


def test_a_text_keeps_its_first_newline():
    html = playground(Tokenizer.train("low", num_merges=1), "\nlow")._repr_html_()
    assert ">\n\nlow</textarea>" in html  # the first one is dropped by every browser


# the program without a browser


@pytest.fixture
def encode_in_node():
    """Return a function that encodes a text as the page of a tokenizer does."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the path")

    def encode(tok, text):
        data = room._data({"": tok})["tokenizers"][0][1]
        asked = f"""
            const data = {json.dumps(data)};
            const bpe = makeEncoder({{ ...data, pairs: readPairs(data.merges, data.width) }});
            console.log(JSON.stringify(bpe.encode({json.dumps(text)}).ids));
        """
        program = (room._program() + asked).encode("utf-8")
        run = subprocess.run([node, "-"], input=program, capture_output=True)
        assert run.returncode == 0, run.stderr[-300:]
        return json.loads(run.stdout)

    return encode


@pytest.mark.parametrize("name", ["<|end-of-text|>", *string.punctuation])
def test_a_special_token_of_any_signs_is_recognised(name, encode_in_node):
    tok = Tokenizer.train("low", num_merges=1, special_tokens=[name])
    text = f"low{name} lo"
    assert encode_in_node(tok, text) == tok.encode(text, allowed_special="all")


# a row that is added to the table of schemes

BY_TWO = Scheme("digits2", "digits by two", r"[0-9]{1,2}|[^0-9]+", bytes)


def test_a_scheme_without_a_pattern_for_javascript_is_not_offered_and_disturbs_no_other(
    monkeypatch,
):
    monkeypatch.setitem(SCHEMES, "digits2", BY_TWO)
    assert "digits2" not in playground(Tokenizer.train("low", num_merges=1)).html
    with pytest.raises(ValueError, match="'digits2' is not offered in a playground; chars,"):
        playground(Tokenizer.train("low 12", scheme="digits2", num_merges=1))


def test_a_scheme_with_a_pattern_for_javascript_is_offered(monkeypatch, encode_in_node):
    monkeypatch.setitem(SCHEMES, "digits2", replace(BY_TWO, javascript=BY_TWO.pattern))
    tok = Tokenizer.train("low 1234 1234", scheme="digits2", num_merges=9)
    assert "<option>digits2</option>" in playground(tok).html
    assert encode_in_node(tok, "low 12345") == tok.encode("low 12345")


def test_special_tokens_may_have_ids_beyond_a_gap(encode_in_node):
    tok = PublishedTokenizer("gpt2", BYTES, [(b"l", b"o", 1)], {END: 300})
    assert encode_in_node(tok, f"lo{END}") == [256, 300]
    playground(tok)


# in a browser


@pytest.fixture
def open_page(browser, tmp_path):
    """Return a function that opens a playground and hands over its page; check that it is quiet."""
    pages = []

    def opened(tok, text="", *, content=None, width=760):
        path = tmp_path / "page.html"
        path.write_text(content or playground(tok, text).page(), "utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.noises = []
        page.on("pageerror", lambda error: page.noises.append(str(error)))
        page.on("console", lambda message: page.noises.append(message.text))
        page.on("request", lambda request: page.noises.append(request.url))
        page.goto(path.as_uri())
        page.noises.pop(0)  # the page itself
        pages.append(page)
        return page

    yield opened
    for page in pages:
        assert page.noises == []
        page.close()


def ids_shown(page, within=""):
    """List the ids of all tokens that are drawn, or of those of one tokenizer."""
    read = "tokens => tokens.map(token => Number(token.dataset.id))"
    return page.eval_on_selector_all(f"{within} [data-id]", read)


@pytest.mark.slow
def test_tokens_follow_what_is_typed_and_the_slider(open_page, story):
    tok = Tokenizer.train(story, num_merges=300, special_tokens=[END])
    text = f" the lights étaient{END}\n low"
    page = open_page(tok, "low")
    assert ids_shown(page) == tok.encode("low")
    page.locator("textarea").first.fill(text)
    assert ids_shown(page) == tok.encode(text, allowed_special="all")
    slider = page.locator("input[type=range]").first
    slider.fill("0")
    assert ids_shown(page) == [*text.split(END)[0].encode(), 556, *b"\n low"]
    slider.focus()
    page.keyboard.press("End")
    assert ids_shown(page) == tok.encode(text, allowed_special="all")
    assert "characters per token" in page.locator("[data-role=caption]").inner_text()
    assert page.locator("[data-role=point]").count() == 1


@pytest.mark.slow
def test_a_token_tells_its_story_by_mouse_and_by_keyboard(open_page):
    tok = Tokenizer.train("low low lower", num_merges=3, min_count=1)
    page = open_page(tok, "low lower low")
    page.locator("[data-id]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    told = page.locator("[data-role=detail]").inner_text()
    for fact in ["·low", "id 258", "rank 2", "4 bytes: 20 6C 6F 77", "2 times: token 2, 5 of 5"]:
        assert fact in told
    assert "merge · + low (rank 2)" in told
    assert page.evaluate("document.activeElement.dataset.place") == "1"


@pytest.mark.slow
def test_several_tokenizers_stand_in_rows_that_spell_alike(open_page, small_tokenizers):
    two = {"gpt2": small_tokenizers["gpt2"], "bytes": small_tokenizers["bytes"]}
    text = "the lower lights é 🐢"
    page = open_page(two, text)
    for which, tok in enumerate(two.values()):
        assert ids_shown(page, f"[data-which='{which}']") == tok.encode(text)
    page = open_page({"a": small_tokenizers["words"], "b": small_tokenizers["gpt2"]})
    page.locator("textarea").fill(text)
    assert ids_shown(page).count(-1) > 0  # the turtle is not in the alphabet of characters


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1400])
def test_no_page_is_wider_than_the_screen(width, open_page, small_tokenizers):
    names = ["gpt2", "cl100k", "bytes"]
    page = open_page({name: small_tokenizers[name] for name in names}, "lights " * 30, width=width)
    page.locator("[data-id]").nth(3).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page = open_page(small_tokenizers["gpt2"], "longest" * 30, width=width)
    page.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_in_a_notebook_it_wakes_up_when_it_is_used_and_keeps_its_keys(open_page):
    tok = Tokenizer.train("low low lower", num_merges=3)
    html = playground(tok, "low")._repr_html_()
    keys = "<body onkeydown='this.dataset.keys=(this.dataset.keys||0)+1'>"
    page = open_page(tok, content=f"<!doctype html><meta charset=utf-8>{keys}{html}</body>")
    assert page.locator("[data-id]").count() == 0  # the stored tokens are seen
    page.locator("textarea").first.click()
    assert ids_shown(page) == [257]
    page.keyboard.press("End")
    page.keyboard.type(" low")
    assert ids_shown(page) == tok.encode("low low")
    assert page.evaluate("document.body.dataset.keys") is None


# the same ids and the same merges, for any text


def make_strings():
    """Return different strings, the same in every run, of characters that all versions know."""
    chance = random.Random(7)
    known = [chr(i) for i in range(32, 0x110000) if unicodedata.category(chr(i)) not in SKIPPED]
    whole = "".join(load_corpus(name) for name in ("mixed", "parallel", "program", "chat", "story"))

    def part():
        return chance.choice([chance.choice(TRAPS), chr(chance.randrange(32, 127)), rare()])

    def rare():
        return chance.choice([chance.choice(known), chance.choice(whole)])

    strings = {""}
    while len(strings) < STRINGS:
        kind = chance.randrange(4)
        if kind == 0:
            start = chance.randrange(len(whole))
            strings.add(whole[start : start + chance.randrange(1, 120)])
        elif kind == 1:
            strings.add("".join(chance.choices(TRAPS, k=chance.randrange(1, 15))))
        elif kind == 2:
            letters = "aA1 .'\n\r\t sSdmtLlVveErR,-_/é"
            strings.add("".join(chance.choices(letters, k=chance.randrange(1, 90))))
        else:
            strings.add("".join(part() for _ in range(chance.randrange(1, 20))))
    return sorted(strings)


SKIPPED = ("Cn", "Co", "Cs")  # unassigned to Python 3.11, private, surrogates


@pytest.fixture(scope="module")
def strings():
    return make_strings()


def encode_all(page, most=None):
    """Encode the strings of a page; JSON is what goes quickly between a page and a test."""
    encode = "document.querySelector('[data-bpe]').bpe.encode(text, most ?? undefined)"
    found = page.evaluate(f"most => JSON.stringify(strings.map(text => {encode}))", most)
    return json.loads(found)


def check_parity(page, tok, strings):
    """Compare all ids, with all merges, with some, with a few and with none."""
    unknown = tok.special_tokens.get(tok.unk_token)
    page.evaluate("strings => { window.strings = JSON.parse(strings) }", json.dumps(strings))
    for most in (len(tok.merges), len(tok.merges) // 2, 37, 0):
        part = Tokenizer(
            tok.scheme,
            tok.alphabet,
            tok.merges[:most],
            [*tok.special_tokens],
            unk_token=tok.unk_token,
        )
        shift = len(tok.merges) - most  # special tokens come after the merges
        found = encode_all(page, most)
        for text, ids in zip(strings, found, strict=True):
            expected = part.encode(text, allowed_special=[END])
            if shift:
                expected = [i + shift if i >= len(tok.alphabet) + most else i for i in expected]
            assert [unknown if i < 0 else i for i in ids] == expected, (text, most)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", IN_THE_BROWSER)
def test_every_string_has_the_ids_of_the_package(scheme, strings, open_page, story):
    texts = [story[:20_000], load_corpus("mixed"), load_corpus("parallel")]
    special = [END] if scheme in BYTE_SCHEMES else [END, UNKNOWN]
    unknown = None if scheme in BYTE_SCHEMES else UNKNOWN
    options = {"num_merges": 600, "special_tokens": special, "unk_token": unknown}
    tok = Tokenizer.train(texts, scheme=scheme, **options)
    check_parity(open_page(tok), tok, strings)


@pytest.mark.slow
def test_every_string_has_the_ids_of_gpt2(strings, open_page, gpt2):
    page = open_page(gpt2)
    page.evaluate("strings => { window.strings = JSON.parse(strings) }", json.dumps(strings))
    expected = [gpt2.encode(text, allowed_special="all") for text in strings]
    assert encode_all(page) == expected


@pytest.mark.slow
def test_training_learns_the_merges_of_the_package(open_page, story, strings):
    chance = random.Random(3)
    page = open_page(Tokenizer.train("low", num_merges=0))
    page.locator("summary").click()
    learned = "document.querySelector('[data-bpe]').bpe.learn"
    for number in range(TEXTS):
        scheme = IN_THE_BROWSER[number % len(IN_THE_BROWSER)]
        start = chance.randrange(len(story) - 2000)
        text = story[start : start + chance.randrange(2000)] + "".join(chance.choices(strings, k=5))
        found = page.evaluate(f"([text, name]) => {learned}(text, name, 60)", [text, scheme])
        tok = Tokenizer.train(text, scheme=SCHEMES[scheme], num_merges=60)
        ids = {}
        for i, symbol in tok.vocab.items():
            ids.setdefault(symbol, i)
        expected = [[ids[merge.left], ids[merge.right], merge.count] for merge in tok.merges]
        assert found == expected, (scheme, text)


@pytest.mark.slow
def test_what_was_trained_in_the_browser_encodes_as_the_package_does(open_page, story):
    text = story[:3000]
    page = open_page(Tokenizer.train("low", num_merges=0), text)
    page.locator("summary").click()
    for scheme in ("end_of_word", "cl100k"):
        page.locator("[data-role=scheme]").select_option(scheme)
        page.locator("[data-role=wanted]").fill("50")
        page.locator("[data-role=train]").click()
        page.get_by_text("50 merges learned").wait_for()
        ids = Tokenizer.train(text, scheme=scheme, num_merges=50).encode(text)
        assert ids_shown(page) == ids[:1000]
    page.locator("[data-role=original]").click()
    assert ids_shown(page) == list(text.encode())[:1000]
