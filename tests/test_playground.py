"""The playground: the program in the browser gives the ids and the merges of the package."""

import csv
import json
import random
import re
import shutil
import string
import subprocess
import sys
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from common import BYTE_SCHEMES, END, ROOT, pieces, published, rows
from partners import TRAINED, differing, encode_all, make, train_sentencepiece

from bpe_further import from_sentencepiece, from_tiktoken, load_tokenizer
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.shell.commands import main
from bpe_teach import SCHEMES, Merge, Scheme, Tokenizer, load_corpus, playground
from bpe_teach.pictures import playground as room
from bpe_teach.pictures.playground import is_offered
from bpe_teach.schemes import BYTES

sys.path.insert(0, str(ROOT / "site"))
from readers import known

IN_THE_BROWSER = [name for name, scheme in SCHEMES.items() if is_offered(scheme)]
STRINGS = 5000
SKIPPED = ("Cn", "Co", "Cs")  # unassigned to Python 3.11, private, surrogates
TEXTS = 200  # to train on
UNKNOWN = "<unk>"
TRAPS = pieces("playground") + [END, UNKNOWN]


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
    """Return a function that encodes texts, each as the page of its tokenizer does."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the path")

    def encode(*tasks):
        pages = [[room._data({"": tok})["tokenizers"][0][1], text] for tok, text in tasks]
        asked = f"""
            const encode = ([data, text]) => makeEncoder(readData(data)).encode(text).ids;
            console.log(JSON.stringify({json.dumps(pages)}.map(encode)));
        """
        program = (room.program() + asked).encode("utf-8")
        run = subprocess.run([node, "-"], input=program, capture_output=True)
        assert run.returncode == 0, run.stderr[-300:]
        return json.loads(run.stdout)

    return encode


def test_a_special_token_of_any_signs_is_recognized(encode_in_node):
    names = ["<|end-of-text|>", *string.punctuation]
    tokenizers = [Tokenizer.train("low", num_merges=1, special_tokens=[name]) for name in names]
    tasks = [(tok, f"low{name} lo") for tok, name in zip(tokenizers, names, strict=True)]
    for (tok, text), ids in zip(tasks, encode_in_node(*tasks), strict=True):
        assert ids == tok.encode(text, allowed_special="all"), text


# a row that is added to the table of schemes

BY_TWO = Scheme("digits2", "digits by two", r"[0-9]{1,2}|[^0-9]+", bytes)


def test_a_scheme_with_a_pattern_for_javascript_is_offered(monkeypatch, encode_in_node):
    monkeypatch.setitem(SCHEMES, "digits2", replace(BY_TWO, elsewhere=("javascript",)))
    tok = Tokenizer.train("low 1234 1234", scheme="digits2", num_merges=9)
    assert "<option>digits2</option>" in playground(tok).html
    assert encode_in_node((tok, "low 12345")) == [tok.encode("low 12345")]


def test_special_tokens_may_have_ids_beyond_a_gap(encode_in_node):
    tok = PublishedTokenizer("gpt2", BYTES, [(b"l", b"o", 1)], {END: 300})
    assert encode_in_node((tok, f"lo{END}")) == [[256, 300]]
    playground(tok)


# in a browser


@pytest.fixture
def open_page(open_page, tmp_path):
    """Return a function that opens a playground."""

    def opened(tok, text="", *, content=None, width=760, hash=""):
        path = tmp_path / "page.html"
        path.write_text(content or playground(tok, text).page(), "utf-8")
        return open_page(path, (width, 900), hash=hash)

    return opened


def ids_shown(page, within=""):
    """List the ids of all tokens that are drawn, or of those of one tokenizer."""
    read = "tokens => tokens.map(token => Number(token.dataset.id))"
    return page.eval_on_selector_all(f"{within} [data-id]", read)


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
    assert page.locator("[data-role=behind] span").inner_text() == " low"  # marked in the text
    page.locator("textarea").fill("é")
    page.locator("[data-id]").last.click()
    assert "part of é" in page.locator("[data-role=detail]").inner_text()


def test_ids_are_seen_and_can_be_copied(open_page):
    tok = Tokenizer.train("low low lower", num_merges=3, min_count=1)
    page = open_page(tok, "low lower")
    shown = page.locator("[data-id]").all_inner_texts()
    assert shown == ["low\n257", "·low\n258", "e\n101", "r\n114"]
    assert page.locator("[data-role=ids] [role=textbox]").inner_text() == "[257, 258, 101, 114]"
    page.locator("[data-role=ids] button").click()
    assert page.evaluate("getSelection().toString()") == "[257, 258, 101, 114]"


def test_typing_at_any_place_draws_what_a_new_page_would(open_page, small_tokenizers):
    pair = {name: small_tokenizers[name] for name in ("gpt2", "bytes")}
    for tok in (pair, small_tokenizers["gpt2"], {**pair, "words": small_tokenizers["words"]}):
        page = open_page(tok)
        for text in ("lower", "lower lights", "low\n  lights", "the low\n  lights", "", "\n\n e"):
            page.locator("textarea").fill(text)
            drawn = "document.querySelector('[data-role=out]').innerHTML"
            now = page.evaluate(drawn)
            page.evaluate("document.querySelector('[data-bpe]').bpe.redraw()")
            assert page.evaluate(drawn) == now, text


def test_code_keeps_its_lines(open_page):
    tok = Tokenizer.train("a:\n  b", num_merges=1, min_count=1)  # the tokens "\n" and " " are one
    page = open_page(tok, "a:\n  b\n\nc")
    tops = page.eval_on_selector_all("[data-id]", "all => all.map(one => one.offsetTop)")
    lines = {}
    for top, shown in zip(tops, page.locator("[data-id]").all_inner_texts(), strict=True):
        lines.setdefault(top, []).append(shown.partition("\n")[0])
    assert list(lines.values()) == [["a", ":"], ["⏎·", "·", "b", "⏎"], ["⏎"], ["c"]]


def test_training_goes_step_by_step_and_shows_the_rivals(open_page):
    page = open_page(Tokenizer.train("x", num_merges=0), "low low slow lower")
    page.locator("[data-role=training] summary").click()
    page.get_by_role("button", name="next merge").click()  # nothing is merged yet
    glowing = "all => all.filter(one => one.style.boxShadow).map(one => Number(one.dataset.id))"
    assert page.locator("[data-role=coming]").inner_text() == "next: l + o (4 times)"
    assert page.eval_on_selector_all("[data-id]", glowing) == [*b"lolololo"]
    page.get_by_role("button", name="next merge").click()
    assert page.locator("[data-role=coming]").inner_text() == "next: lo + w (4 times)"
    link = page.get_by_text("Link to this text").get_attribute("href")
    there = open_page(None, content=page.content(), hash=link)
    assert ids_shown(there) == ids_shown(page)
    assert there.eval_on_selector_all("[data-id]", glowing) == [256, ord("w")] * 4
    rivals = page.locator("[data-role=rivals] tr").all_inner_texts()
    assert rivals[0].split("\t") == ["l + o", "4 times", "← merged"]
    assert rivals[1].split("\t") == ["o + w", "4 times", "as often, but met later"]
    assert "different pairs" in page.locator("[data-role=rivals]").inner_text()
    assert ids_shown(page)[:2] == [256, ord("w")]
    page.get_by_role("button", name="play").click()
    page.get_by_text("3 merges learned: no pair is left").wait_for()
    assert page.get_by_role("button", name="play").is_visible()  # it does not say "pause" any more
    assert page.locator("[data-role=learned] li").count() == 3
    page.get_by_role("button", name="back to the 0 merges from before").click()
    assert page.locator("[data-role=rivals]").inner_text() == ""


def test_the_vocabulary_can_be_searched(open_page):
    tok = Tokenizer.train("low and low and low", scheme="bytes", num_merges=12, min_count=1)
    page = open_page(tok, "low")
    page.locator("[data-role=vocabulary] summary").click()
    found = page.locator("[data-role=tokens] button")
    found.first.wait_for()
    assert found.count() == 200
    page.locator("[data-role=search]").fill("ow")
    with_ow = [i for i, token in tok.vocab.items() if b"ow" in token]
    assert ids_shown(page, "[data-role=tokens]") == with_ow
    page.locator("[data-role=sort]").select_option("longest")
    lengths = [len(tok.vocab[i]) for i in ids_shown(page, "[data-role=tokens]")]
    assert lengths == sorted(lengths, reverse=True)
    page.locator("[data-role=inside]").check()
    inside = [i for i in with_ow if b" " in tok.vocab[i].strip()]
    assert sorted(ids_shown(page, "[data-role=tokens]")) == inside
    found.first.click()
    assert (
        f"id {ids_shown(page, '[data-role=tokens]')[0]}"
        in page.locator("[data-role=detail]").inner_text()
    )


def test_a_link_carries_the_text_and_the_slider(open_page, tmp_path):
    page = open_page(Tokenizer.train("low low lower", num_merges=3), "low")
    page.locator("textarea").fill("low & lower\n#é")
    page.locator("input[type=range]").fill("500")
    shown = ids_shown(page)
    link = page.get_by_text("Link to this text").get_attribute("href")
    page.locator("textarea").fill("")
    page.evaluate("link => { location.hash = link }", link)
    page.wait_for_function("document.querySelector('textarea').value !== ''")
    assert page.locator("textarea").input_value() == "low & lower\n#é"
    assert ids_shown(page) == shown
    page.evaluate("location.hash = '#text=low&slider=abc'")  # no number: all merges
    page.wait_for_function("document.querySelector('textarea').value === 'low'")
    assert page.locator("[data-role=k]").inner_text() == "3"
    page.locator("textarea").fill("low " * 1001)  # too long for an address
    assert not page.get_by_text("Link to this text").is_visible()


def test_a_picture_is_saved(open_page):
    page = open_page(Tokenizer.train("low low lower", num_merges=3), "a<b low", width=300)
    with page.expect_download() as saved:
        page.get_by_text("Save as picture").click()
    picture = ElementTree.fromstring(saved.value.path().read_text("utf-8"))
    texts = list(picture.iter("{http://www.w3.org/2000/svg}text"))
    words = [text.text for text in texts]
    assert words[:6] == ["a", "97", "<", "60", "b", "98"]
    assert "5 tokens" in words[-1] or "4 tokens" in words[-1]
    assert float(picture.get("width")) > 7 * len(words[-1])  # the caption has room


def test_several_tokenizers_stand_in_rows_that_spell_alike(open_page, small_tokenizers):
    two = {"gpt2": small_tokenizers["gpt2"], "bytes": small_tokenizers["bytes"]}
    text = "the lower lights é 🐢"
    page = open_page(two, text)
    for which, tok in enumerate(two.values()):
        assert ids_shown(page, f"[data-which='{which}']") == tok.encode(text)
    page.locator("textarea").fill(text * 50)
    told = page.locator("[data-role=caption]").inner_text()
    drawn = [len(ids_shown(page, f"[data-which='{which}']")) for which in (0, 1)]
    assert re.findall(r"the first (\d+) are drawn", told) == list(map(str, drawn))
    page = open_page({"a": small_tokenizers["words"], "b": small_tokenizers["gpt2"]})
    page.locator("textarea").fill(text)
    assert ids_shown(page).count(-1) > 0  # the turtle is not in the alphabet of characters


def test_words_that_begin_with_a_mark_for_a_space_stand_in_the_same_columns(open_page):
    ids = {token: i for i, token in enumerate(["▁", "l", "o", "w", "▁l"])}
    ids |= {f"<0x{byte:02X}>": 5 + byte for byte in range(256)}
    before = {"normalizations": (("Replace", " ", "▁"),), "prefix": "▁"}
    scheme = PublishedScheme("own", "", "▁*[^▁]+|▁+", str, loses="a ▁", **before)
    merges = [Merge("▁", "l", 1)]
    tok = PublishedTokenizer(scheme, "▁low", merges, ids=ids, byte_fallback=True)
    page = open_page({"own": tok, "bytes": Tokenizer.train("x", num_merges=0)}, "low 字")
    columns = page.locator("[data-role=out] [data-which='0']").all_inner_texts()
    rows = [column.split("\n")[::2] for column in columns]
    shown = [[sign for sign in row if sign.strip()] for row in rows]
    assert shown == [["▁l"], ["o"], ["w"], ["▁"], ["<0xE5>"], ["<0xAD>"], ["<0x97>"]]


@pytest.mark.parametrize("width", [360, 1400])
def test_no_page_is_wider_than_the_screen(width, open_page, small_tokenizers):
    names = ["gpt2", "cl100k", "bytes"]
    page = open_page({name: small_tokenizers[name] for name in names}, "lights " * 30, width=width)
    page.locator("[data-id]").nth(3).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page = open_page(small_tokenizers["gpt2"], "longest" * 30, width=width)
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("put", ["as it is", "later"])
def test_in_a_notebook_it_is_awake_at_once_and_keeps_its_keys(put, open_page):
    tok = Tokenizer.train("low low lower", num_merges=3)
    html = playground(tok, "low")._repr_html_()
    keys = "<body onkeydown='this.dataset.keys=(this.dataset.keys||0)+1'>"
    inside = html if put == "as it is" else "<div></div>"
    page = open_page(tok, content=f"<!doctype html><meta charset=utf-8>{keys}{inside}</body>")
    if put == "later":  # as a notebook shows what a cell gives
        page.evaluate("html => { document.querySelector('div').innerHTML = html }", html)
    page.wait_for_selector("[data-id]")
    assert ids_shown(page) == [257]
    assert "run this cell" not in page.locator("body").inner_text()
    assert page.locator("[data-role=point]").count() == 1  # on the curve
    page.locator("textarea").first.click()
    page.keyboard.press("End")
    page.keyboard.type(" low")
    assert ids_shown(page) == tok.encode("low low")
    assert page.evaluate("document.body.dataset.keys") is None


def test_where_no_program_runs_the_tokens_are_seen_and_what_to_do(open_page, browser, tmp_path):
    html = playground(Tokenizer.train("low low", num_merges=2), "low")._repr_html_()
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", "utf-8")
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert "run this cell first" in page.locator("body").inner_text()
    assert "low" in page.locator("[data-role=out]").inner_text()
    context.close()


def test_what_was_learned_here_is_said_and_can_be_undone_in_sight(open_page):
    tok = Tokenizer.train("low low lower", num_merges=3, min_count=1)
    page = open_page(tok, "aa aa")
    said = page.locator("[data-role=learned-here]")
    assert not said.is_visible()
    page.get_by_role("button", name="next merge").click()
    assert "These merges were learned here, from 5 characters." in said.inner_text()
    page.get_by_role("button", name="back to the 3 merges from before").click()
    assert ids_shown(page) == tok.encode("aa aa")
    assert not said.is_visible()
    page.get_by_role("button", name="next merge").click()
    page.get_by_role("button", name="A text in five scripts").click()
    assert page.locator("[data-role=k]").inner_text() == "3"


def test_the_curve_is_saved_as_a_picture_and_as_a_table(open_page):
    tok = Tokenizer.train("low low lower", num_merges=3, min_count=1)
    page = open_page({'=a "b"': tok, "none": Tokenizer.train("x", num_merges=0)}, "low lower")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the curve").click()
    picture = ElementTree.fromstring(saved.value.path().read_text("utf-8"))
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save it as CSV").click()
    with saved.value.path().open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        merges = int(row["merges"])
        text = "low lower"
        tokens = len(text)
        if row["tokenizer"] == '\'=a "b"':
            tokens = len(Tokenizer("gpt2", tok.alphabet, tok.merges[:merges]).encode(text))
        assert int(row["tokens"]) == tokens
        assert float(row["characters_per_token"]) == pytest.approx(len(text) / tokens, abs=1e-4)
    assert {(row["tokenizer"], row["merges"]) for row in table} == {
        *(('\'=a "b"', str(merges)) for merges in range(4)),
        ("none", "0"),
    }


def test_a_link_of_a_million_characters_is_cut_and_says_so(open_page):
    page = open_page(Tokenizer.train("low", num_merges=1), hash=f"#text={'lowe' * 250_000}")
    assert len(page.locator("textarea").input_value()) == 4000
    said = page.locator("[data-role=shortened]")
    assert said.inner_text() == (
        "The text of the link has 1,000,000 characters; these are the first 4,000."
    )
    page.locator("textarea").fill("low")
    assert said.inner_text() == ""


# the same ids and the same merges, for any text


@pytest.fixture(scope="module")
def strings():
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


def check_ids(page, strings, expected, *, unknown=None, most=None):
    """Compare the ids of a page; JSON is what goes quickly between a page and a test."""
    page.evaluate("strings => { window.strings = JSON.parse(strings) }", json.dumps(strings))
    encode = "document.querySelector('[data-bpe]').bpe.encode(text, most ?? undefined)"
    found = page.evaluate(f"most => JSON.stringify(strings.map(text => {encode}))", most)
    for text, ids, wanted in zip(strings, json.loads(found), expected, strict=True):
        assert [unknown if i < 0 else i for i in ids] == wanted, (text, most)


def check_parity(page, tok, strings):
    """Compare all ids with all merges; with some, a few and none those of every third string."""
    unknown = tok.special_tokens.get(tok.unk_token)
    for most in (len(tok.merges), len(tok.merges) // 2, 37, 0):
        names = [*tok.special_tokens]
        merges = tok.merges[:most]
        part = Tokenizer(tok.scheme, tok.alphabet, merges, names, unk_token=tok.unk_token)
        shift = len(tok.merges) - most  # special tokens come after the merges
        some = strings[::3] if shift else strings
        expected = [part.encode(text, allowed_special="all") for text in some]
        if shift:
            first = len(tok.alphabet) + most
            expected = [[i + shift if i >= first else i for i in ids] for ids in expected]
        check_ids(page, some, expected, unknown=unknown, most=most)


def trained(scheme, texts, num_merges):
    """Train a tokenizer with special tokens, an unknown one among them where there can be one."""
    unknown = None if scheme in BYTE_SCHEMES else UNKNOWN
    special = [END, UNKNOWN] if unknown else [END]
    options = {"num_merges": num_merges, "special_tokens": special, "unk_token": unknown}
    return Tokenizer.train(texts, scheme=scheme, **options)


@pytest.mark.parametrize("scheme", IN_THE_BROWSER)
def test_every_string_has_the_ids_of_the_package_also_from_its_file(
    scheme, strings, open_page, story, tmp_path
):
    texts = [story[:20_000], load_corpus("mixed"), load_corpus("parallel")]
    tok = trained(scheme, [*texts, *TRAPS], 600)
    check_parity(open_page(tok), tok, strings)
    tok.save(tmp_path / "tok.json")
    page = open_page(Tokenizer.train("low", num_merges=0))
    assert "shown above" in open_file(page, tmp_path / "tok.json")
    expected = [tok.encode(text, allowed_special="all") for text in strings[::20]]
    check_ids(page, strings[::20], expected, unknown=tok.special_tokens.get(UNKNOWN))


def test_training_learns_the_merges_of_the_package(open_page, story, strings):
    chance = random.Random(3)
    page = open_page(Tokenizer.train("low", num_merges=0))
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


def test_what_was_trained_in_the_browser_encodes_as_the_package_does(open_page, story):
    text = story[:3000]
    page = open_page(Tokenizer.train("low", num_merges=0), text)
    page.locator("[data-role=training] summary").click()
    for scheme in ("end_of_word", "cl100k"):
        page.locator("[data-role=scheme]").select_option(scheme)
        page.locator("[data-role=wanted]").fill("50")
        page.locator("[data-role=train]").click()
        page.get_by_text("50 merges learned").wait_for()
        ids = Tokenizer.train(text, scheme=scheme, num_merges=50).encode(text)
        assert ids_shown(page) == ids[:1000]
    page.locator("[data-role=back]").click()
    assert ids_shown(page) == list(text.encode())[:1000]


# files that a visitor opens


def open_file(page, path):
    """Open a file in a page that reads files, as those of the site do; return what it says."""
    if not page.locator("input[type=file]").count():
        page.add_script_tag(content=known())
        page.add_script_tag(path=ROOT / "site" / "static" / "readers.js")
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text(f"{path.name} is shown above").or_(page.get_by_text("read here")).wait_for()
    return page.locator("[data-page] span[role=status]").inner_text()


MADE = ["GPT-2", "Llama 3", "quick tour", "Metaspace", "spelled"]  # by tokenizers
RANKS = {"cl100k_base.tiktoken": "cl100k", "whisper_multilingual.tiktoken": "gpt2"}
MODELS = {  # options of SentencePiece's trainer
    "model": TRAINED["Gemma"] | {"user_defined_symbols": ["<sep>", "tower", "▁▁", "a▁light"]},
    "model with a table": TRAINED["default"] | {"byte_fallback": True},
}


def made_by_others(name, path):
    """Return a tokenizer that libraries made, by the package; write its file, if it is no model."""
    if name in MODELS:
        lines = [line for line in load_corpus("mixed").splitlines() if line]
        train_sentencepiece(path, lines, 900, MODELS[name])
        return from_sentencepiece(f"{path}.model")
    data = json.loads(make(name, [load_corpus("story"), load_corpus("mixed")], 900).to_str())
    if name == "Llama 3":  # words that are tokens, though no merge makes them
        data["model"] |= {"ignore_merges": True}
        data["model"]["vocab"] |= {"Ġlighthouses": 900, "!?": 901}
        for token in data["added_tokens"]:  # those after the vocabulary make room
            token["id"] += 2 * (token["id"] >= 900)
    path.write_text(json.dumps(data), "utf-8")
    return load_tokenizer(path)


@pytest.mark.parametrize("name", [*MADE, *MODELS])
def test_tokenizers_of_others_have_the_same_ids_in_a_page_and_from_their_files(
    name, strings, open_page, tmp_path
):
    theirs = tmp_path / "tokenizer.json"
    check_in_pages(name, made_by_others(name, theirs), theirs, strings, open_page)


@pytest.mark.parametrize("name", ["phi3_mini_tokenizer.json", *RANKS])
def test_published_tokenizers_have_the_same_ids_in_a_page_and_from_their_files(
    name, strings, open_page, tmp_path
):
    theirs = tmp_path / ("file.tiktoken" if name in RANKS else "tokenizer.json")
    theirs.write_bytes(published(name).read_bytes())
    # {}: a page knows no names that aren't in the file
    tok = from_tiktoken(theirs, RANKS[name], {}) if name in RANKS else load_tokenizer(theirs)
    check_in_pages(name, tok, theirs, strings, open_page)


def check_in_pages(name, tok, theirs, strings, open_page):
    """Check the ids of a tokenizer in a page, from its own file and from ours."""
    assert len(tok.merges) > 100
    known = [*tok.special_tokens, *tok.added_tokens]
    chance = random.Random(5)
    strings = [*strings, *(f" a\n {one} b{one}{one}\t" for one in known), *known, "▁a b▁", " ▁ ▁"]
    strings += [chance.choice(known or [""]) + text for text in strings[::7]]
    expected = [tok.encode(text, allowed_special="all") for text in strings]
    if name in MADE:
        library = pytest.importorskip("tokenizers").Tokenizer.from_file(str(theirs))
        assert differing(strings, expected, encode_all(library, strings, recognize=True)) == []
    pages, paths = [], [theirs] if theirs.exists() else []
    if is_offered(tok.scheme):
        pages.append(open_page(tok, "low \u4e01"))
        paths.append(theirs.with_name("ours.json"))
        tok.save(paths[-1])
    for path in paths:
        pages.append(open_page(Tokenizer.train("low", num_merges=0)))
        assert "shown above" in open_file(pages[-1], path)
    for page in pages:
        check_ids(page, strings, expected, unknown=tok.special_tokens.get(tok.unk_token))


BROKEN = dict(rows("playground/broken", globals()))


def test_what_cannot_be_opened_gets_one_sentence(open_page, tmp_path):
    page = open_page(Tokenizer.train("low", num_merges=1), "low")
    shown = ids_shown(page)
    for name, content in BROKEN.items():
        (tmp_path / name).write_bytes(content)
        said = open_file(page, tmp_path / name)
        assert f"bpe-teach playground {name}" in said
        assert "undefined" not in said  # no error of JavaScript's own
        assert ids_shown(page) == shown
