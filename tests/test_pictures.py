"""Pictures: tokens in boxes, the film of the merges, the tree of a word, tokenizers side by side.

The last part looks at pictures as a reader would, in a browser. It needs playwright, nbconvert and
chromium; none of them is a dependency, and without them it is skipped.
"""

import base64
import json
import re
from itertools import chain, pairwise
from xml.etree import ElementTree

import pytest
from common import END, JAVASCRIPT, examples, rows
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_further import compare_tokens, token_offsets
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.measure.aligned import align
from bpe_teach import (
    SCHEMES,
    Tokenizer,
    learn_merges_naive,
    merge_tree,
    show_gpt4o,
    show_lookup,
    show_pieces,
    show_tokens,
    training_film,
)
from bpe_teach.corpora import corpus_path, load_corpus
from bpe_teach.display import label
from bpe_teach.encode import encode_by_replay
from bpe_teach.pictures.boxes import picture as framed
from bpe_teach.pictures.boxes import token_html
from bpe_teach.pictures.tree import build_trees

LOW = Tokenizer.train("low low lower", scheme="chars", num_merges=3)  # l+o, lo+w, low+space

PICTURES = {  # name -> function from a tokenizer and a text to a picture
    "show_tokens": show_tokens,
    "show_pieces": lambda tok, text: show_pieces(tok.tokens(text), text),
    "merge_tree": merge_tree,
    "compare_tokens": lambda tok, text: compare_tokens({text or "none": tok}, text),
}
EVERY_PICTURE = pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES)

TAGS = {"div", "span", "button", "details", "summary", "table", "tr", "td", "input", "br", "style"}
ATTRIBUTES = {"style", "title", "type", "min", "max", "value", "aria-label"}
HANDLERS = {"onclick", "oninput", "onkeydown", "onload"}
EVIL = rows("pictures/evil")


def read(picture):
    """Return the outermost element of a picture, whose tags must all be closed, as XML wants it."""
    return ElementTree.fromstring(re.sub(r"(<(?:input|br)[^<>]*)>", r"\1/>", picture.html))


def style(element):
    """Return the inline style of an element as a dictionary."""
    rules = element.get("style", "").split(";")
    return dict(rule.split(":", 1) for rule in rules if rule)


def boxes(element):
    """List the boxes in an element: what has an edge and is not a button."""
    return [e for e in element.iter("span") if "border" in style(e)]


def faces(element):
    """List what is written in the boxes of an element, without the notes."""
    return [box.text for box in boxes(element)]


def note(box):
    """Return the small note in a box, "" if there is none."""
    return "".join(part.text for part in box if "font-size" in style(part))


def handlers(picture):
    """List what runs in a picture: the names of the handlers and their programs."""
    found = [pair for element in read(picture).iter() for pair in element.attrib.items()]
    return [(name, program) for name, program in found if name in HANDLERS]


def assert_harmless(picture):
    """No text has become a tag or an attribute, and nothing is loaded."""
    root = read(picture)
    assert {element.tag for element in root.iter()} <= TAGS
    assert {name for element in root.iter() for name in element.attrib} <= ATTRIBUTES | HANDLERS
    for forbidden in ["javascript:", "http:", "https:", "url(", "@import", "var("]:
        assert forbidden not in picture.html.lower()


def look(box):
    """Return the ground, the ink and the edge of a box."""
    return style(box)["background"], style(box)["color"], style(box)["border"]


# every picture


@pytest.mark.parametrize("text", EVIL)
@EVERY_PICTURE
def test_no_text_becomes_html_or_comes_into_what_runs_and_nothing_is_loaded(picture, text):
    def drawn(text):
        tok = Tokenizer.train([text, text], scheme="chars", num_merges=99)
        assert tok.tokens(text) == [text]
        return picture(tok, text)

    assert label(text) in faces(read(drawn(text)))
    assert handlers(drawn(text)) == []
    assert_harmless(drawn(text))


@EVERY_PICTURE
def test_every_box_has_a_ground_an_ink_and_an_edge_and_nothing_lies_outside(picture):
    root = read(picture(LOW, "low lower"))
    assert boxes(root)
    assert all(all(look(box)) for box in boxes(root))
    for rules in map(style, root.iter()):
        if "background" in rules:
            assert rules.get("color") not in (None, rules["background"])
        assert not {"box-shadow", "outline"} & {*rules}
        assert "-" not in rules.get("margin", "")


@EVERY_PICTURE
def test_a_notebook_takes_the_html_a_terminal_the_text_and_both_are_the_same_again(picture):
    shown = picture(LOW, "low")
    assert shown._repr_html_() == shown.html
    assert repr(shown) == str(shown) == shown.text
    assert "<" not in shown.text and "low" in shown.text
    assert picture(LOW, "low") == shown != picture(LOW, "low lower")


@EVERY_PICTURE
def test_an_unseen_character_is_named_with_its_place(picture):
    with pytest.raises(ValueError, match="'x' at position 2"):
        picture(LOW, "lox")


# tokens and pieces


STORED = json.loads(load_corpus("gpt4o_tokens"))


@pytest.mark.parametrize("row", STORED, ids=lambda row: row["text"][:12])
def test_the_stored_tokens_of_gpt4o_are_those_of_its_vocabulary(row, corpus):
    tiktoken = pytest.importorskip("tiktoken")
    corpus("gpt4o_ranks")
    ranks = {}
    for line in corpus_path("gpt4o_ranks").read_bytes().splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    theirs = tiktoken.Encoding(
        "o200k", pat_str=SCHEMES["o200k"].pattern, mergeable_ranks=ranks, special_tokens={}
    )
    assert theirs.encode_ordinary(row["text"]) == row["ids"]
    assert [theirs.decode([i]) for i in row["ids"]] == row["tokens"]
    assert theirs.decode(row["ids"]) == row["text"]


def test_how_many_tokens_gpt2_makes_of_the_stored_texts(gpt2):
    assert [len(gpt2.encode(row["text"])) for row in STORED] == [
        row["tokens_of_gpt2"] for row in STORED
    ]


def test_stored_tokens_are_shown_with_their_ids_and_another_text_is_refused_with_the_way_to_them():
    drawn = [(box.text, note(box)) for box in boxes(read(show_gpt4o("strawberry")))]
    assert drawn == [("st", "302"), ("raw", "1618"), ("berry", "19772")]
    with pytest.raises(ValueError, match=r"for these texts only: .*gpt4o_ranks.*show_tokens"):
        show_gpt4o("Strawberry")


def test_of_a_models_table_the_row_of_the_id_is_marked_between_its_neighbours():
    _, *lines = show_lookup(LOW, 6).text.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["4", "r"], ["5", "w"], [">", "6"], ["7", "low"], ["8", "low·"]
    ]  # fmt: skip
    table = read(show_lookup(LOW, 6))
    marked = [row for row in table.iter("div") if "background" in style(row)]
    assert [row[0].text for row in marked] == ["6"]
    assert show_lookup(LOW, 6).text == show_lookup(LOW, 6).text
    with pytest.raises(ValueError, match="no token with the id 9"):
        show_lookup(LOW, 9)


@pytest.mark.parametrize(("text", "caption"), rows("pictures/captions"))
def test_tokens_stand_in_boxes_with_their_ids_and_the_caption_counts_them(text, caption):
    picture = show_tokens(LOW, text)
    drawn = [(box.text, int(note(box))) for box in boxes(read(picture))]
    assert drawn == [(label(LOW.vocab[i]), i) for i in LOW.encode(text)]
    assert picture.text.splitlines()[-1] == read(picture)[-1].text == caption


@pytest.mark.parametrize(("pieces", "caption", "text"), rows("pictures/rows"))
def test_a_new_row_begins_after_a_piece_that_ends_in_a_newline(pieces, caption, text):
    picture = show_pieces(iter(pieces), caption)
    assert picture.text == text
    rows = [" | ".join(faces(row)) or row.text for row in read(picture)]
    assert rows == text.splitlines()
    assert not any(map(note, boxes(read(picture))))


@given(st.one_of(st.binary(min_size=1, max_size=6), st.text(min_size=1, max_size=6)))
@example("�".encode())
@example(b"low\xe0\xa4")
@example("\u0301 \n\t\r\u00a0\u3000\u200b\x00")
def test_a_box_shows_all_of_a_symbol_and_is_dashed_if_that_is_a_fragment(symbol):
    (box,) = boxes(read(show_pieces([symbol])))
    assert box.text == label(symbol) == show_pieces([symbol]).text
    line, title = "solid", None
    try:
        symbol if isinstance(symbol, str) else symbol.decode("utf-8")
        assert box.text.isprintable() and not any(map(str.isspace, box.text))
    except UnicodeDecodeError:
        line, title = "dashed", f"bytes {symbol.hex(' ').upper()}: not whole characters"
    assert (style(box)["border"].split()[1], box.get("title")) == (line, title)


def test_neighbouring_tokens_look_different():
    looks = list(map(look, boxes(read(show_pieces("abcdefg")))))
    assert all(left != right for left, right in pairwise(looks))


def test_special_tokens_have_a_look_of_their_own_where_they_are_allowed():
    tok = Tokenizer.train("abcdefg<|n|>", scheme="chars", num_merges=0, special_tokens=[END])
    assert faces(read(show_tokens(tok, END))) == list(END)
    *ordinary, special = boxes(read(show_tokens(tok, "abcdefg" + END, allowed_special=[END])))
    assert special.text == END and len(ordinary) == 7
    assert look(special)[0] not in {look(box)[0] for box in ordinary}
    assert all("color" not in style(part) for part in special)  # the id can be read as well
    unk = Tokenizer.train("ab", scheme="chars", num_merges=0, unk_token="[?]")
    _, unknown, _ = boxes(read(show_tokens(unk, "axb")))
    assert (unknown.text, look(unknown)) == ("[?]", look(special))


@pytest.mark.parametrize("text", EVIL)
def test_captions_notes_and_special_tokens_do_not_become_html_either(text):
    root = read(show_pieces(["low"], text))
    assert [element.tag for element in root.iter()] == ["div", "div", "span", "div"]
    assert root[-1].text == text
    assert note(boxes(read(framed(token_html("low", text), "")))[0]) == text
    tok = Tokenizer.train("low", scheme="gpt2", num_merges=0, special_tokens=[text])
    assert faces(read(show_tokens(tok, text, allowed_special="all"))) == [label(text)]


# the film


def film_parts(film):
    """Return the parts of a film that was read: controls, frames, details, advice."""
    ((controls, frames, details, advice),) = film
    return controls, list(frames), details, advice


def merged(frame):
    """Return what the boxes of a frame spell when the pairs that stand out are merged."""
    pair_boxes = [e for e in frame.iter("span") if style(e).get("background") == "#d55e00"]
    rights = [boxes(pair)[1] for pair in pair_boxes]
    spelled = []
    for box in boxes(frame):
        if box in rights:
            spelled[-1] += box.text
        else:
            spelled.append(box.text)
    return spelled


@pytest.mark.parametrize(("text", "num_merges", "lines"), rows("pictures/films"))
def test_the_film_tells_the_pair_its_count_and_the_ties(text, num_merges, lines):
    assert training_film(text, num_merges).text.splitlines() == lines


@examples(30)
@given(st.text("aab \n", max_size=20))
def test_the_film_takes_the_steps_of_the_training_loop(text):
    text += "ab"
    word = tuple(text)
    merges = learn_merges_naive({word: 1}, 6)
    film = training_film(text, 6)
    _, frames, _, _ = film_parts(read(film))
    assert len(frames) == len(merges) + 1
    for number, frame in enumerate(frames):
        assert faces(frame) == [*map(label, encode_by_replay(word, merges[:number]))]
    drawn = [faces(frame) for frame in frames]  # in the last, nothing stands out
    assert [merged(frame) for frame in frames] == [*drawn[1:], drawn[-1]]
    for merge, line in zip(merges, film.text.splitlines(), strict=False):
        left, right = map(label, merge.pair)
        times = "1 time" if merge.count == 1 else f"{merge.count} times"
        assert f"  merge {left} + {right} ({times}" in line


def test_the_film_has_controls_a_frame_for_each_step_and_all_of_them_in_a_table():
    film = training_film("low low <b>", 3)
    steps = [line.split("  ")[1:] for line in film.text.splitlines()]
    controls, frames, details, advice = film_parts(read(film))
    captions = [f"step {number} of 3: {what}" for number, _, what in steps]
    assert [frame[-1].text for frame in frames] == captions
    assert [style(frame)["display"] for frame in frames] == ["block", "none", "none", "none"]
    assert details.find("summary").text and details.get("open") is None
    assert [[cell.text for cell in row] for row in details.iter("tr")][1:] == steps
    slider = controls.find("input")
    assert [slider.get(name) for name in ("min", "value", "max")] == ["0", "0", "3"]
    assert slider.get("aria-label")
    assert [button.text for button in controls.iter("button")] == ["first", "back", "next", "last"]
    assert "run this cell" in advice.text


@pytest.mark.parametrize("text", EVIL)
def test_no_text_becomes_html_or_comes_into_what_runs_in_a_film(text):
    film = training_film(text * 2, 120)
    assert_harmless(film)
    assert handlers(film) == handlers(training_film("ab", 1))
    assert len(handlers(film)) == 7


# the tree

TREES = rows("pictures/trees", globals())


def outline(bar, depth=0):
    """List the bars of a tree as (depth, what a line of text says)."""
    box, *hanging = bar
    rank = f" ({note(box)})" if note(box) else ""
    below = [outline(part, depth + 1) for row in hanging for part in row]
    return [(depth, box.text + rank), *chain(*below)]


def assert_drawn_as_written(picture):
    """Compare the bars of a tree with its lines of text."""
    ((*row,),) = read(picture)
    bars = [outline(*root) for root in row if root.tag == "div"]  # the others are spaces
    lines = [(line, line.lstrip("├─└│ ")) for line in picture.text.splitlines()]
    assert [*chain(*bars)] == [((len(line) - len(text)) // 3, text) for line, text in lines]


@pytest.mark.parametrize(("tok", "word", "lines"), TREES)
def test_a_tree_has_the_tokens_above_and_their_parts_below(tok, word, lines):
    picture = merge_tree(tok, word)
    assert picture.text.splitlines() == lines
    assert_drawn_as_written(picture)


def test_a_merged_symbol_looks_different_from_first_ones_of_which_the_end_of_a_word_is_one():
    (end,) = SCHEMES["end_of_word"].symbols("")
    merges = [("<", "/", 1), ("</", "w", 1), ("</w", ">", 1)]
    tok = Tokenizer("end_of_word", [*"/<>w", end], merges)
    found = boxes(read(merge_tree(tok, "</w>w")))
    assert [found[0].text, *(box.text for box in found[-2:])] == ["</w>", "w", "</w>"]
    assert look(found[-1]) == look(found[-2]) != look(found[0])


def test_a_film_or_a_tree_may_have_120_symbols():
    tok = Tokenizer.train("e", scheme="chars", num_merges=0)
    for picture in (training_film("e" * 120, 0), merge_tree(tok, "e" * 120)):
        assert len(boxes(read(picture))) == 120


SMALL_TEXT = st.text("aab<é \n", min_size=1, max_size=20)
SMALL_WORD = st.text("ab", min_size=1, max_size=12)


def leaves(node, tok):
    """List the first symbols below a node, each node above them held against its merge."""
    if not node.parts:
        assert node.rank is None
        return [node.symbol]
    left, right = node.parts
    merge = tok.merges[node.rank]
    assert (merge.left, merge.right, merge.token) == (left.symbol, right.symbol, node.symbol)
    return leaves(left, tok) + leaves(right, tok)


@EVERY_SCHEME
@examples(30)
@given(SMALL_TEXT, SMALL_WORD)
@example("aaab aab", "aaaabaab")
def test_the_leaves_spell_the_word_the_roots_are_its_tokens_the_ranks_those_of_the_merges(
    scheme, training, word
):
    tok = Tokenizer.train([training, "ab"], scheme=scheme, num_merges=6, min_count=1)
    (symbols,) = map(tok.scheme.symbols, tok.scheme.split(word))
    roots = build_trees(symbols, tok.ranks)
    assert [root.symbol for root in roots] == tok.tokens(word)
    assert [leaf for root in roots for leaf in leaves(root, tok)] == [*symbols]
    assert_drawn_as_written(merge_tree(tok, word))


# tokenizers side by side


@pytest.fixture(scope="module")
def three(story):
    """Three tokenizers by name that lose nothing."""
    sizes = {"bytes": 300, "gpt2": 300, "cl100k": 50}
    return {name: Tokenizer.train(story, scheme=name, num_merges=n) for name, n in sizes.items()}


@given(text=st.text(max_size=30))
def test_every_part_spells_the_same_in_all_rows_and_together_they_are_the_text(text, three):
    toks = three.values()
    rows = [[*zip(tok.tokens(text), token_offsets(tok, text), strict=True)] for tok in toks]
    parts = align(rows)
    assert "".join(text[slice(*part.span)] for part in parts) == text
    for part in parts:
        assert {b"".join(symbols) for symbols in part.rows} == {text[slice(*part.span)].encode()}
    for i, row in enumerate(rows):
        assert [symbol for part in parts for symbol in part.rows[i]] == [one for one, _ in row]
    spans = [span for row in rows for _, span in row]
    for part in parts:  # none could be cut again
        for place in range(part.span[0] + 1, part.span[1]):
            assert any(start < place < end for start, end in spans)


def test_every_token_stands_in_a_comparison_once_for_each_tokenizer_below_their_sums(three):
    text = "She counted.\nThe light\n"
    legend, *rows = read(compare_tokens(three, text))
    sums = [f"{name}: {len(tok.encode(text))} tokens" for name, tok in three.items()]
    assert faces(legend) == sums
    assert len(rows) == 2  # a new one begins after a newline
    drawn = [label(token) for tok in three.values() for token in tok.tokens(text)]
    assert sorted(chain(*map(faces, rows))) == sorted(drawn)


HIDES = PublishedTokenizer.train("low", scheme="end_of_word", num_merges=0, unk_token="?")
STEPS = ("OneSpace", ("Replace", " ", "▁"))
PREFIXED = PublishedScheme("s", "", None, str, normalizations=STEPS, prefix="▁")
IDS = {token: i for i, token in enumerate(["▁", "l", "o", "w", "▁l", "<0xC3>", "<0xA9>"])}
SPELLS = PublishedTokenizer(PREFIXED, None, [("▁", "l", 0)], ids=IDS, byte_fallback=True)
CHARS, BYTES = (Tokenizer.train("é!", scheme=name, num_merges=0) for name in ("chars", "bytes"))


@pytest.mark.parametrize(("toks", "text", "lines"), rows("pictures/side_by_side", globals()))
def test_what_spells_alike_stands_in_one_column_also_what_is_lost_hidden_or_put_in_front(
    toks, text, lines
):
    assert str(compare_tokens(toks, text)).splitlines() == lines


# in a browser

FRAMES = ["l o w · < b >", "lo w · < b >", "low · < b >", "low· < b >"]
ADVICE = "If the buttons do nothing, run this cell."


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A notebook that shows a film twice, as a file of HTML."""
    nbformat = pytest.importorskip("nbformat", reason="exporting a notebook needs nbformat")
    nbconvert = pytest.importorskip("nbconvert", reason="exporting a notebook needs nbconvert")
    film = training_film("low <b>", num_merges=3)
    output = nbformat.v4.new_output("display_data", {"text/html": film.html})
    cell = nbformat.v4.new_code_cell("film", outputs=[output, output])
    notebook = nbformat.v4.new_notebook(cells=[cell])
    body, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    file = tmp_path_factory.mktemp("film") / "film.html"
    file.write_text(f'<!doctype html><meta charset="utf-8"><title>film</title>{body}', "utf-8")
    return file


def visible(page):
    """List for each film the numbers of the frames that can be seen."""
    seen = []
    for slider in page.get_by_label("step of the film").all():
        frames = slider.locator("xpath=../following-sibling::div[1]/div").all()
        assert len(frames) == len(FRAMES)
        seen.append([n for n, frame in enumerate(frames) if frame.is_visible()])
        assert all(f"step {n} of 3" in frames[n].inner_text() for n in seen[-1])
    return seen


@pytest.mark.slow
def test_in_a_browser_keys_buttons_and_mouse_turn_the_film_and_the_notebook_hears_no_key(
    open_page, exported
):
    page = open_page(exported)
    slider = page.get_by_label("step of the film").first
    advice = page.get_by_text(ADVICE)
    page.evaluate("heard = []; document.addEventListener('keydown', e => heard.push(e.key))")
    page.keyboard.press("ArrowDown")  # elsewhere keys are heard
    assert visible(page) == [[0], [0]]
    assert [line.is_visible() for line in advice.all()] == [False, False]  # the buttons live

    slider.focus()
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 3)]:
        page.keyboard.press(key)
        assert visible(page) == [[step], [0]], key

    buttons = {"back": [2, 1], "first": [0], "next": [1, 2], "last": [3, 3]}
    for name, steps in buttons.items():
        for step in steps:
            page.get_by_role("button", name=name, exact=True).first.click()
            assert visible(page) == [[step], [0]], name
            assert slider.input_value() == str(step), name
    page.keyboard.press("ArrowDown")  # on a button
    page.get_by_role("button", name="next", exact=True).nth(1).click()
    assert visible(page) == [[3], [1]]

    at = slider.bounding_box()
    middle = at["y"] + at["height"] / 2
    page.mouse.click(at["x"] + at["width"] / 3, middle)
    assert visible(page) == [[1], [1]]
    page.mouse.down()  # on the knob, which has come to the mouse
    page.mouse.move(at["x"] + at["width"] - 2, middle, steps=4)
    assert visible(page) == [[3], [1]]  # while the button is held
    page.mouse.up()

    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("table").first.is_visible()
    assert page.evaluate("heard") == ["ArrowDown"]


@pytest.mark.slow
def test_in_a_browser_without_scripts_the_first_frame_and_the_table_can_be_read(
    open_page, exported
):
    page = open_page(exported, java_script_enabled=False)
    page.get_by_role("button", name="next", exact=True).first.click()  # it is dead
    assert visible(page) == [[0], [0]]
    assert page.get_by_text(ADVICE).first.is_visible()
    details = page.locator("details").first
    assert not details.locator("table").is_visible()
    details.locator("summary").click()
    assert details.locator("table").is_visible()
    rows = [row.locator("td").all_inner_texts() for row in details.locator("tr").all()]
    assert rows[0] == ["step", "symbols", "next"]
    assert [symbols for _, symbols, _ in rows[1:]] == FRAMES


@pytest.fixture(scope="module")
def page(browser):
    """An empty page as narrow as a telephone."""
    context = browser.new_context(offline=True, viewport={"width": 400, "height": 2000})
    yield context.new_page()
    context.close()


def copied(page, picture):
    """Return what is on the clipboard when all of a picture is copied."""
    page.set_content(f"<p>before</p><div>{picture.html}</div><p>after</p>")
    return page.evaluate(JAVASCRIPT["what is copied"])


@pytest.mark.slow
def test_in_a_browser_what_is_copied_keeps_tokens_apart(page):
    tok = Tokenizer.train("low é lower é", num_merges=4, special_tokens=[END])
    text = "low é\n\u0301lower <b>\n" + END
    for shown in [
        show_tokens(tok, text, allowed_special="all"),
        show_pieces(tok.tokens(text), "pieces"),
    ]:
        assert copied(page, shown) == shown.text
    tok = Tokenizer.train("low low lower", scheme="words", num_merges=2)
    assert "\nl o w e r\n" in copied(page, training_film("lower", 1))
    assert copied(page, merge_tree(tok, "low")).split("\n") == [
        "low (rank 1)",
        "lo (rank 0)",
        *"low",
    ]
    chars = Tokenizer.train("lower", scheme="chars", num_merges=0)
    legend, *rows = copied(page, compare_tokens({"one": tok, "two": chars}, "lower")).split("\n")
    assert legend == "one: 3 tokens | two: 5 tokens"
    assert [row for row in rows if row.strip()] == ["low", "l\to\tw", "e", "e", "r", "r"]


@pytest.mark.slow
def test_in_a_browser_signs_that_nobody_sees_are_read_aloud(page):
    page.set_content(show_tokens(LOW, "low lower").html)
    session = page.context.new_cdp_session(page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    heard = [node["name"]["value"] for node in tree if node["role"]["value"] == "StaticText"]
    caption = "4 tokens, 9 characters, 2.25 characters per token"
    tokens = ["low·", "low", "e", "r", "8", "7", "1", "4", caption]
    assert sorted(heard) == sorted(tokens + ["| "] * 3 + [" ("] * 4 + [")"] * 4)
    signs = page.locator("span", has_text=re.compile(r"^(\| | \(|\))$"))
    looks = signs.evaluate_all(
        "all => all.map(e => [getComputedStyle(e).opacity, e.getBoundingClientRect().width])"
    )
    assert looks == [["0", 1]] * (3 + 4 + 4)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["ab" * 45, "e abba beab eeabab abbaab eab aeab eeeb babaebb" * 2])
def test_in_a_browser_pictures_fit_any_width_and_do_not_stretch_what_is_around(page, text):
    tok = Tokenizer.train("ab" * 64, scheme="bytes", num_merges=5)
    pictures = {name: picture(tok, text) for name, picture in PICTURES.items()}
    pictures["lookup"] = show_lookup(tok, max(tok.vocab))
    pictures["two"] = compare_tokens(
        {"one": tok, "two": Tokenizer("bytes", tok.alphabet, [])}, text
    )
    hosts = [
        f'<div title="{name}" style="overflow:auto;height:100px">{picture.html}</div>'
        for name, picture in pictures.items()
    ]
    page.set_content(f'<!doctype html><body style="margin:0">{"".join(hosts)}</body>')
    assert page.evaluate(JAVASCRIPT["widths in which pictures overflow"]) == []
