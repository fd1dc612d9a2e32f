"""Pictures: tokens in boxes, the film of the merges, the tree of a word.

The last part looks at pictures as a reader would, and opens a film in a notebook exported to HTML.
It needs playwright, nbconvert and chromium; none of them is a dependency, and without them it is
skipped.
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from itertools import chain, pairwise
from pathlib import Path
from xml.etree.ElementTree import TreeBuilder

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import bpe_teach
from bpe_teach import (
    SCHEMES,
    Tokenizer,
    compare_tokens,
    find_tokens,
    merge_film,
    merge_tree,
    show_pieces,
    show_tokens,
)
from bpe_teach.encode import trace_by_rank
from bpe_teach.pictures.boxes import picture as framed
from bpe_teach.pictures.boxes import token_html
from bpe_teach.pictures.tree import build_trees
from bpe_teach.symbols import label

LOW = Tokenizer.train("low low lower", scheme="chars", num_merges=3)  # l+o, lo+w, low+space
END = "<|end|>"

PICTURES = {
    "show_tokens": show_tokens,
    "show_pieces": lambda tok, text: show_pieces(tok.tokens(text), text),
    "merge_film": merge_film,
    "merge_tree": merge_tree,
}
EVERY_PICTURE = pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
EVERY_SCHEME = pytest.mark.parametrize("scheme", SCHEMES)

VOID = {"input", "br"}  # tags that never close
TAGS = {"div", "span", "button", "details", "summary", "table", "tr", "td", *VOID}
ATTRIBUTES = {"style", "title", "type", "min", "max", "value", "aria-label"}
HANDLERS = {"onclick", "oninput", "onkeydown"}
EVIL = [
    "<b>&\"'</b>",
    "<script>alert(1)</script>",
    "</w>",
    "&lt;&amp;",
    '" onclick="alert(1)',
    "<img src=x onerror=alert(1)>",
    "</td></table></details></div>",
]


class Reader(HTMLParser):
    """Build the tree of a piece of HTML; every tag must be closed where it was opened."""

    def __init__(self):
        super().__init__()
        self.tree, self.open = TreeBuilder(), []

    def handle_starttag(self, tag, attrs):
        self.tree.start(tag, dict(attrs))
        if tag in VOID:
            self.tree.end(tag)
        else:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.tree.end(tag)

    def handle_data(self, data):
        self.tree.data(data)


def read(picture):
    """Return the outermost element of the HTML of a picture."""
    reader = Reader()
    reader.feed(picture.html)
    reader.close()
    assert not reader.open
    return reader.tree.close()


def attributes(root):
    """Return the names of all attributes in a tree."""
    return set(chain.from_iterable(element.attrib for element in root.iter()))


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


def notes(element):
    """List the small notes in the boxes of an element, "" where there is none."""

    def note(box):
        return "".join(part.text for part in box if "font-size" in style(part))

    return [note(box) for box in boxes(element)]


def look(box):
    """Return the ground, the ink and the edge of a box."""
    return style(box)["background"], style(box)["color"], style(box)["border"]


def rows(picture):
    """List the rows of boxes of show_tokens or show_pieces."""
    return [faces(row) for row in read(picture) if boxes(row)]


# every picture


@pytest.mark.parametrize("text", EVIL)
@EVERY_PICTURE
def test_no_text_becomes_html(picture, text):
    tok = Tokenizer.train([text, text], scheme="chars", num_merges=99)
    root = read(picture(tok, text))
    assert {element.tag for element in root.iter()} <= TAGS
    assert attributes(root) <= ATTRIBUTES | HANDLERS
    assert tok.tokens(text) == [text]
    assert label(text) in faces(root)


@pytest.mark.parametrize("text", EVIL)
def test_no_text_comes_into_what_the_film_runs(text):
    def handlers(text):
        tok = Tokenizer.train([text, text], scheme="chars", num_merges=99)
        elements = read(merge_film(tok, text)).iter()
        return [
            (e.tag, name, e.get(name)) for e in elements for name in sorted(HANDLERS & {*e.attrib})
        ]

    assert handlers(text) == handlers("ab")
    assert len(handlers(text)) == 6  # four buttons, the slider, the film as a whole


@EVERY_PICTURE
def test_a_picture_loads_and_runs_nothing_and_has_no_names_of_its_own(picture):
    html = picture(LOW, "low lower").html.lower()
    for forbidden in ["<script", "<style", "<link", "<img", " id=", "class=", "src=", "href="]:
        assert forbidden not in html
    for forbidden in ["javascript:", "http:", "https:", "url(", "@import", "var("]:
        assert forbidden not in html
    handlers = HANDLERS if picture is merge_film else set()
    assert attributes(read(picture(LOW, "low"))) & HANDLERS == handlers


@EVERY_PICTURE
def test_every_box_has_a_ground_an_ink_and_an_edge(picture):
    root = read(picture(LOW, "low lower"))
    assert boxes(root)
    assert all(all(look(box)) for box in boxes(root))
    grounds = [e for e in root.iter() if "background" in style(e)]
    assert all(style(e).get("color") not in (None, style(e)["background"]) for e in grounds)
    assert {id(box) for box in boxes(root)} <= {id(e) for e in grounds}


PRINT_ALL = """
from bpe_teach import Tokenizer, merge_film, merge_tree, show_pieces, show_tokens
tok = Tokenizer.train("low é lower é", num_merges=4, special_tokens=["<|end|>", "<|pad|>"])
text = "low é<|pad|>low<|end|>"
for picture in [
    show_tokens(tok, text, allowed_special="all"),
    show_pieces(tok.tokens(text), "pieces"),
    merge_film(tok, text),
    merge_tree(tok, "lower"),
]:
    print(picture.html)
    print(picture)
"""


def test_the_pictures_are_the_same_in_every_run():
    def run(seed):
        return subprocess.run(
            [sys.executable, "-X", "utf8", "-c", PRINT_ALL],
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(bpe_teach.__file__).parents[1],
            check=True,
        ).stdout

    assert b"<div" in run("1")
    assert run("1") == run("2")


@EVERY_PICTURE
def test_the_same_call_gives_the_same_picture_again(picture):
    assert picture(LOW, "low lower") == picture(LOW, "low lower")
    assert picture(LOW, "low lower") != picture(LOW, "low")


@EVERY_PICTURE
def test_a_notebook_takes_the_html_and_a_terminal_the_text(picture):
    shown = picture(LOW, "low")
    assert shown._repr_html_() == shown.html
    assert repr(shown) == str(shown) == shown.text
    assert "<" not in shown.text and "low" in shown.text


# tokens and pieces


def test_each_token_stands_in_a_box_with_its_id():
    picture = show_tokens(LOW, "low lower")
    root = read(picture)
    assert faces(root) == ["low·", "low", "e", "r"]
    assert notes(root) == ["8", "7", "1", "4"]
    assert root[-1].text == "4 tokens, 9 characters, 2.25 characters per token"


def test_neighbouring_tokens_look_different():
    looks = list(map(look, boxes(read(show_pieces("abcdefg")))))
    assert all(left != right for left, right in pairwise(looks))


def test_the_caption_says_one_token_and_writes_thousands_with_a_comma():
    assert show_tokens(LOW, "low").text.splitlines()[-1].startswith("1 token, 3 characters, 3.00")
    caption = show_tokens(LOW, "e" * 1500).text.splitlines()[-1]
    assert caption == "1,500 tokens, 1,500 characters, 1.00 characters per token"


def test_an_empty_text_has_no_tokens_and_no_quotient():
    picture = show_tokens(LOW, "")
    assert boxes(read(picture)) == []
    assert picture.text == read(picture)[-1].text == "0 tokens, 0 characters"


def test_no_pieces_give_an_empty_picture():
    assert boxes(read(show_pieces([]))) == []
    assert show_pieces([]).text == ""
    assert show_pieces([], "nothing").text == "nothing"


def test_pieces_may_come_from_a_generator_and_have_no_ids():
    picture = show_pieces((piece for piece in ["low", "er"]), "two & more")
    assert faces(read(picture)) == ["low", "er"]
    assert notes(read(picture)) == ["", ""]
    assert picture.text == "low | er\ntwo & more"


@pytest.mark.parametrize("text", EVIL)
def test_captions_notes_and_special_tokens_do_not_become_html_either(text):
    root = read(show_pieces(["low"], text))
    assert [element.tag for element in root.iter()] == ["div", "div", "span", "div"]
    assert root[-1].text == text
    assert notes(read(framed(token_html("low", text), ""))) == [text]
    tok = Tokenizer.train("low", scheme="gpt2", num_merges=0, special_tokens=[text])
    assert faces(read(show_tokens(tok, text, allowed_special="all"))) == [label(text)]


def test_the_end_of_a_word_is_written_out():
    tok = Tokenizer.train("low low", scheme="end_of_word", num_merges=2)  # l+o, lo+w
    assert faces(read(show_tokens(tok, "low"))) == ["low", "</w>"]
    assert show_tokens(tok, "low").text.startswith("low (5) | </w> (0)\n")


def test_bytes_that_are_not_a_character_are_shown_in_hex_in_a_dashed_box():
    tok = Tokenizer.train("é", scheme="gpt2", num_merges=0)
    picture = show_tokens(tok, "aé")
    whole, *fragments = boxes(read(picture))
    assert [box.text for box in (whole, *fragments)] == ["a", "⟨C3⟩", "⟨A9⟩"]
    assert "solid" in style(whole)["border"] and whole.get("title") is None
    assert all("dashed" in style(box)["border"] for box in fragments)
    assert [box.get("title") for box in fragments] == [
        "bytes C3: not whole characters",
        "bytes A9: not whole characters",
    ]
    assert picture.text.splitlines()[0] == "a (97) | ⟨C3⟩ (195) | ⟨A9⟩ (169)"


def test_bytes_that_make_a_character_together_are_shown_as_that_character():
    tok = Tokenizer.train("éé", scheme="gpt2", num_merges=1)
    (box,) = boxes(read(show_tokens(tok, "é")))
    assert box.text == "é" and "solid" in style(box)["border"]


@given(st.binary(min_size=1, max_size=6))
@example("�".encode())
@example(b"low\xe0\xa4")
def test_a_box_is_dashed_if_its_bytes_cannot_be_decoded_and_then_gives_them_back(symbol):
    (box,) = boxes(read(show_pieces([symbol])))
    try:
        face, line = label(symbol.decode("utf-8")), "solid"
    except UnicodeDecodeError:
        face, line = f"⟨{symbol.hex(' ').upper()}⟩", "dashed"
        assert "�" not in show_pieces([symbol]).html + show_pieces([symbol]).text
    assert (box.text, style(box)["border"].split()[1]) == (face, line)


def test_white_space_controls_and_lone_marks_are_visible():
    piece = " a\n\t\r\u00a0\u3000\u200b\x00"
    assert faces(read(show_pieces([piece, "\u0301"]))) == ["·a⏎⇥␍⍽\\u3000\\u200b\\x00", "◌\u0301"]


@given(st.text(min_size=1, max_size=8))
def test_no_white_space_is_left_in_a_box(piece):
    (face,) = faces(read(show_pieces([piece])))
    assert face.isprintable() and not any(map(str.isspace, face))


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["a", "\n", "b"], [["a", "⏎"], ["b"]]),
        (["a\n", "b"], [["a⏎"], ["b"]]),
        ([b"a", b"\n", b"b"], [["a", "⏎"], ["b"]]),
        (["\n", "\n", "b"], [["⏎"], ["⏎"], ["b"]]),
        (["a", "\n"], [["a", "⏎"]]),  # nothing comes after the last newline
        (["a\nb", "c"], [["a⏎b", "c"]]),
        (["\r", "b"], [["␍", "b"]]),
    ],
)
def test_a_new_row_begins_after_a_token_that_ends_in_a_newline(pieces, expected):
    assert rows(show_pieces(pieces)) == expected
    assert show_pieces(pieces).text.splitlines() == [" | ".join(row) for row in expected]


def test_a_sign_that_looks_like_a_newline_begins_no_row():
    assert rows(show_pieces(["⏎", "a"])) == [["⏎", "a"]]


def test_a_fragment_that_ends_in_a_newline_ends_its_row_too():
    assert rows(show_pieces([b"\xa9\n", b"\n\xc3", b"b"])) == [["⟨A9 0A⟩"], ["⟨0A C3⟩", "b"]]


def test_special_tokens_have_a_look_of_their_own():
    tok = Tokenizer.train("abcdefg", scheme="chars", num_merges=0, special_tokens=[END])
    *ordinary, special = boxes(read(show_tokens(tok, "abcdefg" + END, allowed_special="all")))
    assert special.text == END and len(ordinary) == 7
    assert look(special)[0] not in {look(box)[0] for box in ordinary}
    assert all("color" not in style(part) for part in special)  # the id can be read as well


def test_the_text_of_a_special_token_is_ordinary_unless_it_is_allowed():
    tok = Tokenizer.train(END, scheme="gpt2", num_merges=0, special_tokens=[END])
    assert faces(read(show_tokens(tok, END))) == list(END)
    assert faces(read(show_tokens(tok, END, allowed_special=[END]))) == [END]


def test_the_unknown_token_looks_like_a_special_token():
    tok = Tokenizer.train("ab", scheme="chars", num_merges=0, unk_token="[?]")
    a, unknown, b = boxes(read(show_tokens(tok, "axb")))
    assert unknown.text == "[?]"
    assert look(unknown)[0] not in (look(a)[0], look(b)[0])


# searching a vocabulary


def test_a_vocabulary_can_be_searched():
    tok = Tokenizer.train("low lower", scheme="gpt2", num_merges=5)
    found = find_tokens(tok, "w")
    assert found.index.tolist() == [119, *(257 + i for i in range(len(found) - 1))]
    assert found.token.tolist()[:2] == ["w", "low"]
    assert found.length.tolist() == [len(tok.vocab[i]) for i in found.index]
    assert all(b"w" in tok.vocab[i] for i in found.index)
    assert sum(b"w" in token for token in tok.vocab.values()) == len(found)


def test_a_search_sees_parts_of_characters_and_may_find_nothing():
    tok = Tokenizer.train("é é", scheme="bytes", num_merges=1)
    assert find_tokens(tok, "é").token.tolist() == ["é"]
    assert find_tokens(tok, "é").index.name == "id"
    assert find_tokens(tok, "never").empty


@pytest.mark.parametrize("text", [b"lo", "\ud800"])
def test_a_search_for_what_is_not_a_text_is_refused(text):
    with pytest.raises(ValueError):
        find_tokens(LOW, text)


def test_the_end_of_a_word_counts_as_one_character():
    tok = Tokenizer.train("low low", scheme="end_of_word", num_merges=3)
    found = find_tokens(tok, "w")
    assert dict(zip(found.token, found.length, strict=True)) == {"w": 1, "low": 3, "low</w>": 4}
    found = find_tokens(tok, "</w>")
    assert dict(zip(found.token, found.length, strict=True)) == {"</w>": 1, "low</w>": 4}
    plain = Tokenizer("end_of_word", [*"/<>w"], [("<", "/", 1), ("</", "w", 1), ("</w", ">", 1)])
    assert find_tokens(plain, "</w>").length.tolist() == [4]  # the same four letters in a text


# the film


def controls_frames_details(film):
    """Return the parts of a film; the fourth is a line of advice."""
    ((controls, frames, details, advice),) = read(film)
    assert "run this cell" in advice.text
    return controls, list(frames), details


def pairs(frame):
    """List the pairs that stand out in a frame."""
    return [faces(e) for e in frame.iter("span") if style(e).get("background") == "#d55e00"]


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


def table(film):
    """Return the rows of the table of a film, without its heading."""
    _, *lines = read(film).iter("tr")
    return [[cell.text for cell in line] for line in lines]


def test_the_film_of_two_words_merges_everywhere_the_pair_of_lowest_rank():
    tok = Tokenizer.train("low low lower", scheme="words", num_merges=2)
    film = merge_film(tok, "lower low")
    assert film.text.splitlines() == [
        "  0  l o w e r | l o w  merge l + o (rank 0)",
        "  1  lo w e r | lo w  merge lo + w (rank 1)",
        "  2  low e r | low  done",
    ]
    _, frames, _ = controls_frames_details(film)
    assert [faces(frame) for frame in frames] == [
        ["l", "o", "w", "e", "r", "l", "o", "w"],
        ["lo", "w", "e", "r", "lo", "w"],
        ["low", "e", "r", "low"],
    ]
    assert [pairs(frame) for frame in frames] == [[["l", "o"]] * 2, [["lo", "w"]] * 2, []]
    assert [frame[-1].text for frame in frames] == [
        "step 0 of 2: merge l + o (rank 0)",
        "step 1 of 2: merge lo + w (rank 1)",
        "step 2 of 2: done",
    ]


def test_a_pair_that_overlaps_itself_stands_out_once():
    tok = Tokenizer.train("aa aa", scheme="words", num_merges=1)
    _, frames, _ = controls_frames_details(merge_film(tok, "aaa"))
    assert [pairs(frame) for frame in frames] == [[["a", "a"]], []]
    assert [faces(frame) for frame in frames] == [["a", "a", "a"], ["aa", "a"]]


def test_only_what_the_next_step_merges_stands_out():
    merges = [("a", "b"), ("b", "c"), ("a", "bc"), ("abc", "d"), ("ab", "c")]
    tok = Tokenizer("words", "abcd", [(*pair, 1) for pair in merges])
    film = merge_film(tok, "abcd abc")
    assert film.text.splitlines() == [
        "  0  a b c d | a b c  merge a + b (rank 0)",
        "  1  ab c d | ab c  merge ab + c (rank 4)",
        "  2  abc d | ab c  merge abc + d (rank 3)",  # which the step before made possible
        "  3  abcd | ab c  merge ab + c (rank 4)",
        "  4  abcd | abc  done",
    ]
    _, frames, _ = controls_frames_details(film)
    assert [len(pairs(frame)) for frame in frames] == [2, 1, 1, 1, 0]
    assert pairs(frames[1]) == [["ab", "c"]]


def test_pairs_do_not_reach_across_words():
    tok = Tokenizer.train("ab ab", scheme="words", num_merges=1)
    _, frames, _ = controls_frames_details(merge_film(tok, "a b"))
    assert [pairs(frame) for frame in frames] == [[]]


def test_the_film_shows_fragments_and_white_space_as_the_tokens_do():
    tok = Tokenizer.train("é é", scheme="gpt2", num_merges=1)
    assert merge_film(tok, "é \n").text.splitlines() == [
        "  0  ⟨C3⟩ ⟨A9⟩ | · ⏎  merge ⟨C3⟩ + ⟨A9⟩ (rank 0)",
        "  1  é | · ⏎  done",
    ]
    _, (first, _), _ = controls_frames_details(merge_film(tok, "é \n"))
    assert ["dashed" in style(box)["border"] for box in boxes(first)] == [True, True, False, False]


@pytest.mark.parametrize("text", ["e", "low", "low lower"])
def test_one_frame_is_visible_at_first_and_the_slider_knows_how_many_there_are(text):
    controls, frames, _ = controls_frames_details(merge_film(LOW, text))
    displays = [style(frame)["display"] for frame in frames]
    assert displays == ["block"] + ["none"] * (len(frames) - 1)
    slider = controls.find("input")
    assert (slider.get("min"), slider.get("value")) == ("0", "0")
    assert slider.get("max") == str(len(frames) - 1)
    assert slider.get("aria-label")
    assert [button.text for button in controls.iter("button")] == ["first", "back", "next", "last"]


@pytest.mark.parametrize("text", ["low lower", "<low>&'\""])
def test_the_table_holds_every_step(text):
    tok = Tokenizer.train(["low lower", "<low>&'\"", text], scheme="chars", num_merges=9)
    film = merge_film(tok, text)
    _, frames, details = controls_frames_details(film)
    assert details.tag == "details" and details.find("summary").text
    assert details.get("open") is None
    assert len(table(film)) == len(frames) > 3
    assert [f"{n:>3}  {symbols}  {what}" for n, symbols, what in table(film)] == (
        film.text.splitlines()
    )
    for n, (frame, row) in enumerate(zip(frames, table(film), strict=True)):
        assert row == [str(n), " ".join(faces(frame)), frame[-1].text.partition(": ")[2]]


def test_a_merged_symbol_looks_different_from_a_first_one():
    _, (*_, last), _ = controls_frames_details(merge_film(LOW, "lower"))
    low, e, r = boxes(last)
    assert look(e) == look(r) != look(low)


def test_the_end_of_a_word_looks_like_any_other_first_symbol():
    tok = Tokenizer.train("a", scheme="end_of_word", num_merges=0)
    tree_a, tree_end = boxes(read(merge_tree(tok, "a")))
    assert look(tree_a) == look(tree_end)
    film_a, film_end = boxes(read(merge_film(tok, "a")))
    assert look(film_a) == look(film_end)


def test_the_end_of_a_word_looks_different_from_the_same_text_merged():
    merges = [("<", "/", 1), ("</", "w", 1), ("</w", ">", 1)]
    end = SCHEMES["end_of_word"].marker
    tok = Tokenizer("end_of_word", [*"/<>w", end], merges)
    _, (*_, last), _ = controls_frames_details(merge_film(tok, "</w>"))
    plain, end = boxes(last)
    assert plain.text == end.text == "</w>"
    assert look(plain) != look(end)


SMALL_TEXT = st.text("aab \n", min_size=1, max_size=20)
SMALL_WORD = st.text("ab", min_size=1, max_size=12)


@EVERY_SCHEME
@settings(max_examples=30)
@given(SMALL_TEXT, SMALL_TEXT)
@example("aaab aab", "aaaab aab aaa b")
def test_the_film_takes_the_steps_of_encoding_by_rank_and_ends_with_the_tokens(
    scheme, training, text
):
    tok = Tokenizer.train([training, "ab \n"], scheme=scheme, num_merges=6, min_count=1)
    assume(tok.tokens(text))
    words = map(tok.scheme.symbols, tok.scheme.split(text))
    steps = [step.words for step in trace_by_rank(words, tok.ranks)]
    _, frames, _ = controls_frames_details(merge_film(tok, text))
    assert [faces(frame) for frame in frames] == [[*map(label, chain(*step))] for step in steps]
    assert faces(frames[-1]) == list(map(label, tok.tokens(text)))
    assert [merged(frame) for frame in frames] == [*map(faces, frames[1:]), faces(frames[-1])]


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("chars", ""),
        ("words", " \n"),  # white space alone has no words
        ("chars", "e" * 121),
        ("words", " ".join("e" * 121)),
        ("bytes", "é" * 61),  # 122 bytes
        ("end_of_word", "e" * 120),  # and the end of the word
    ],
)
def test_there_is_no_film_without_symbols_nor_of_too_many(scheme, text):
    tok = Tokenizer.train("e \n", scheme=scheme, num_merges=0)
    with pytest.raises(ValueError, match="1 to 120 symbols"):
        merge_film(tok, text)


@pytest.mark.parametrize(("scheme", "text"), [("chars", "e" * 120), ("end_of_word", "e" * 119)])
def test_a_film_may_have_120_symbols(scheme, text):
    tok = Tokenizer.train("e", scheme=scheme, num_merges=0)
    assert len(boxes(read(merge_film(tok, text)))) == 120


@EVERY_PICTURE
def test_an_unseen_character_is_named_with_its_place(picture):
    with pytest.raises(ValueError, match="'x' at position 2"):
        picture(LOW, "lox")


# the tree


def bars(bar):
    """Return a bar of a tree as (face, note, the bars below it)."""
    box, *hanging = bar
    return box.text, *notes(box), [bars(part) for row in hanging for part in row]


def tree(picture):
    """Return the bars of a tree."""
    ((*row,),) = read(picture)
    return [bars(*root) for root in row if root.tag == "div"]  # the others are spaces


def leaves(node):
    """List the first symbols below a node, from left to right."""
    return [*chain(*map(leaves, node.parts))] if node.parts else [node.symbol]


def nodes(node):
    """Yield a node and all nodes below it."""
    yield node
    for part in node.parts:
        yield from nodes(part)


def test_the_tree_of_lower_has_three_tokens_and_one_of_them_has_parts():
    tok = Tokenizer.train("low low lower", scheme="words", num_merges=2)
    picture = merge_tree(tok, "lower")
    lo = ("lo", "rank 0", [("l", "", []), ("o", "", [])])
    assert tree(picture) == [
        ("low", "rank 1", [lo, ("w", "", [])]),
        ("e", "", []),
        ("r", "", []),
    ]
    assert picture.text.splitlines() == [
        "low (rank 1)",
        "├─ lo (rank 0)",
        "│  ├─ l",
        "│  └─ o",
        "└─ w",
        "e",
        "r",
    ]


def test_no_line_is_drawn_beside_the_parts_of_a_last_part():
    tok = Tokenizer("chars", "abc", [("b", "c", 1), ("a", "bc", 1)])
    assert merge_tree(tok, "abc").text.splitlines() == [
        "abc (rank 1)",
        "├─ a",
        "└─ bc (rank 0)",
        "   ├─ b",
        "   └─ c",
    ]


def test_two_equal_parts_are_two_branches():
    tok = Tokenizer("chars", "a", [("a", "a", 1)])
    assert merge_tree(tok, "aa").text.splitlines() == ["aa (rank 0)", "├─ a", "└─ a"]


def test_the_tree_shows_fragments_in_hex():
    tok = Tokenizer.train("é é", scheme="gpt2", num_merges=1)
    assert merge_tree(tok, "é").text.splitlines() == ["é (rank 0)", "├─ ⟨C3⟩", "└─ ⟨A9⟩"]
    whole, *parts = boxes(read(merge_tree(tok, "é")))
    assert "solid" in style(whole)["border"]
    assert ["dashed" in style(box)["border"] for box in parts] == [True, True]


@EVERY_SCHEME
@settings(max_examples=30)
@given(SMALL_TEXT, SMALL_WORD)
@example("aaab aab", "aaaabaab")
def test_the_leaves_spell_the_word_the_roots_are_its_tokens_the_ranks_those_of_the_merges(
    scheme, training, word
):
    tok = Tokenizer.train([training, "ab"], scheme=scheme, num_merges=6, min_count=1)
    (symbols,) = map(tok.scheme.symbols, tok.split(word))
    roots = build_trees(symbols, tok.ranks)
    assert [root.symbol for root in roots] == tok.tokens(word)
    assert tuple(chain(*map(leaves, roots))) == tok.scheme.symbols(word)
    for node in chain(*map(nodes, roots)):
        if node.parts:
            merge = tok.merges[node.rank]
            assert merge.pair == tuple(part.symbol for part in node.parts)
            assert merge.token == node.symbol
        else:
            assert node.rank is None
    drawn = [face for face, _, _ in tree(merge_tree(tok, word))]
    assert drawn == list(map(label, tok.tokens(word)))


@pytest.mark.parametrize(
    ("scheme", "text"),
    [("words", "e e"), ("gpt2", "e e"), ("words", ""), ("words", " "), ("chars", "e" * 121)],
)
def test_a_tree_shows_one_word_of_120_symbols_at_most(scheme, text):
    tok = Tokenizer.train("e", scheme=scheme, num_merges=0)
    assert len(tree(merge_tree(tok, "e" * 120))) == 120
    with pytest.raises(ValueError, match="one word of up to 120 symbols"):
        merge_tree(tok, text)


def test_a_text_that_is_not_one_word_is_told_what_it_is():
    tok = Tokenizer.train("e", scheme="words", num_merges=0)
    with pytest.raises(ValueError, match="'e e' is 2 words with 2 symbols"):
        merge_tree(tok, "e e")


# in a browser

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-quic"),
]
FILM_TEXT = "low <b>"  # steps 0 to 3: l+o, lo+w, low+space, done


@pytest.fixture(scope="module")
def film():
    tok = Tokenizer.train("low low <b>", scheme="chars", num_merges=3)
    return merge_film(tok, FILM_TEXT)


@pytest.fixture(scope="module")
def exported(film, tmp_path_factory):
    """A notebook that shows the film twice, as a file of HTML."""
    nbformat = pytest.importorskip("nbformat", reason="exporting a notebook needs nbformat")
    nbconvert = pytest.importorskip("nbconvert", reason="exporting a notebook needs nbconvert")
    output = {"text/html": film.html, "text/plain": film.text}
    outputs = [nbformat.v4.new_output("display_data", output) for _ in range(2)]
    cell = nbformat.v4.new_code_cell("film", outputs=outputs)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    body, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    file = tmp_path_factory.mktemp("film") / "film.html"
    file.write_text(f'<!doctype html><meta charset="utf-8"><title>film</title>{body}', "utf-8")
    return file


@pytest.fixture(scope="module")
def browser():
    """A browser, closed after the last test with all that playwright has started."""
    playwright = pytest.importorskip("playwright.sync_api", reason="a browser needs playwright")
    if not (chromium := shutil.which("chromium")):
        pytest.skip("there is no chromium on the path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def opened(browser, file, **options):
    """Open a file, all requests to the network blocked; return the page and a list of faults."""
    page = browser.new_context(offline=True, **options).new_page()
    page.set_default_timeout(5000)
    faults = []

    def block(route):
        if route.request.url == file.as_uri():
            route.continue_()
        else:
            faults.append(f"asked for {route.request.url}")
            route.abort()

    page.route("**/*", block)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.goto(file.as_uri())
    return page, faults


def visible(page, film=0):
    """List the numbers of the frames that can be seen, of the first film or of another."""
    slider = page.get_by_label("step of the film").nth(film)
    frames = slider.locator("xpath=../following-sibling::div[1]/div")
    assert frames.count() == 4
    seen = [n for n, frame in enumerate(frames.all()) if frame.is_visible()]
    assert all(f"step {n} of 3" in frames.nth(n).inner_text() for n in seen)
    return seen


def test_in_a_browser_keys_buttons_and_mouse_turn_the_film(browser, exported):
    page, faults = opened(browser, exported)
    slider = page.get_by_label("step of the film").first
    assert visible(page) == [0]

    slider.focus()
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 3)]:
        page.keyboard.press(key)
        assert visible(page) == [step], key

    turns = [
        ("back", 2),
        ("first", 0),
        ("back", 0),
        ("next", 1),
        ("last", 3),
        ("next", 3),
        ("back", 2),
    ]
    for name, step in turns:
        page.get_by_role("button", name=name, exact=True).first.click()
        assert visible(page) == [step], name
        assert slider.input_value() == str(step), name

    at = slider.bounding_box()
    middle = at["y"] + at["height"] / 2
    page.mouse.click(at["x"] + at["width"] / 3, middle)
    assert visible(page) == [1]
    page.mouse.down()  # on the knob, which has come to the mouse
    page.mouse.move(at["x"] + at["width"] - 2, middle, steps=4)
    assert visible(page) == [3]  # while the button is held
    page.mouse.up()
    page.mouse.click(at["x"] + 2, middle)
    assert visible(page) == [0]

    page.keyboard.press("ArrowRight")
    assert (visible(page), visible(page, film=1)) == ([1], [0])  # each film turns by itself
    page.get_by_role("button", name="last", exact=True).nth(1).click()
    assert (visible(page), visible(page, film=1)) == ([1], [3])
    assert faults == []


def test_in_a_browser_the_notebook_does_not_hear_the_keys_of_a_film(browser, exported):
    page, faults = opened(browser, exported)
    page.evaluate(
        "window.heard = []; document.addEventListener('keydown', e => window.heard.push(e.key))"
    )
    page.keyboard.press("ArrowDown")
    assert page.evaluate("window.heard") == ["ArrowDown"]  # keys elsewhere it does hear
    page.get_by_label("step of the film").first.focus()
    page.keyboard.press("ArrowRight")
    assert visible(page) == [1]
    page.get_by_role("button", name="next").first.focus()
    page.keyboard.press("ArrowDown")
    assert visible(page) == [1]
    page.keyboard.press("Enter")
    assert visible(page) == [2]
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("table").first.is_visible()
    assert page.evaluate("window.heard") == ["ArrowDown"]
    assert faults == []


def test_in_a_browser_the_advice_to_run_the_cell_goes_when_a_button_has_worked(browser, exported):
    page, _ = opened(browser, exported)
    advice = page.get_by_text("If the buttons do nothing, run this cell.")
    assert [line.is_visible() for line in advice.all()] == [True, True]
    page.get_by_role("button", name="next", exact=True).first.click()
    assert [line.is_visible() for line in advice.all()] == [False, True]  # each film has its own


def test_in_a_browser_without_scripts_the_first_frame_and_the_table_can_be_read(
    browser, exported, film
):
    page, faults = opened(browser, exported, java_script_enabled=False)
    page.get_by_role("button", name="next", exact=True).first.click()  # it is dead
    assert visible(page) == [0]
    assert page.get_by_text("If the buttons do nothing, run this cell.").first.is_visible()
    details = page.locator("details").first
    assert not details.locator("table").is_visible()
    details.locator("summary").click()
    assert details.locator("table").is_visible()
    heading, *steps = [row.locator("td").all_inner_texts() for row in details.locator("tr").all()]
    assert heading == ["step", "symbols", "next"]
    assert steps == table(film)
    assert steps[0] == ["0", "l o w · < b >", "merge l + o (rank 0)"]
    assert steps[-1] == ["3", "low· < b >", "done"]
    assert faults == []


@pytest.fixture
def page(browser):
    """An empty page as narrow as a telephone."""
    context = browser.new_context(offline=True, viewport={"width": 400, "height": 700})
    yield context.new_page()
    context.close()


MIXED_TEXT = "low é\n\u0301lower <b>\n" + END


def mixed_tokenizer():
    return Tokenizer.train("low é lower é", num_merges=4, special_tokens=[END])


def copied(page, picture):
    """Return what is on the clipboard when all of a picture is copied."""
    page.set_content(f"<p>before</p><div>{picture.html}</div><p>after</p>")
    return page.evaluate(
        "getSelection().selectAllChildren(document.querySelector('div')), getSelection().toString()"
    )


def read_aloud(page, picture):
    """Return the pieces of text that a screen reader finds in a picture."""
    page.set_content(picture.html)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    texts = {node["nodeId"]: node["name"]["value"] for node in nodes if is_read(node)}
    children = {node["nodeId"]: node.get("childIds", []) for node in nodes}

    def walk(node):
        if node in texts:
            yield texts[node]
        else:
            for child in children.get(node, []):
                yield from walk(child)

    return list(walk(nodes[0]["nodeId"]))


def is_read(node):
    """Say whether a node of the accessibility tree is a text."""
    return not node["ignored"] and node["role"]["value"] == "StaticText"


def test_in_a_browser_tokens_are_copied_as_a_terminal_shows_them(page):
    tok = mixed_tokenizer()
    shown = show_tokens(tok, MIXED_TEXT, allowed_special="all")
    assert copied(page, shown) == shown.text
    pieces = show_pieces(tok.tokens(MIXED_TEXT), "pieces")
    assert copied(page, pieces) == pieces.text


def test_in_a_browser_the_tokens_of_a_film_a_tree_and_a_comparison_are_copied_apart(page):
    tok = Tokenizer.train("low low lower", scheme="words", num_merges=2)
    assert "\nl o w e r | l o w\n" in copied(page, merge_film(tok, "lower low"))
    assert copied(page, merge_tree(tok, "low")).split("\n") == [
        *("low (rank 1)", "lo (rank 0)", "l", "o", "w")
    ]
    chars = Tokenizer.train("lower", scheme="chars", num_merges=0)
    legend, *rows = copied(page, compare_tokens({"one": tok, "two": chars}, "lower")).split("\n")
    assert legend == "one: 3 tokens | two: 5 tokens"
    assert [row for row in rows if row.strip()] == ["low", "l\to\tw", "e", "e", "r", "r"]


def test_in_a_browser_tokens_are_read_aloud_apart_from_their_ids_and_each_other(page):
    assert read_aloud(page, show_tokens(LOW, "low lower")) == [
        *("low·", " (", "8", ")", "| ", "low", " (", "7", ")", "| ", "e", " (", "1", ")", "| "),
        *("r", " (", "4", ")", "4 tokens, 9 characters, 2.25 characters per token"),
    ]


def test_in_a_browser_what_keeps_tokens_apart_is_not_seen(page):
    page.set_content(show_tokens(LOW, "low lower").html)
    signs = page.locator("span", has_text=re.compile(r"^(\| | \(|\))$"))
    assert signs.count() == 3 + 4 + 4
    for sign in signs.all():
        assert sign.evaluate("e => getComputedStyle(e).opacity") == "0"
        assert sign.bounding_box()["width"] == 1


def compare_two(tok, text):
    return compare_tokens({"one": tok, "two": Tokenizer(tok.scheme, tok.alphabet, [])}, text)


FIND_WIDTHS_THAT_OVERFLOW = """() => {
    const [host] = document.body.children;
    const page = document.documentElement;
    const widths = [];
    for (let width = 150; width < 400; width += 0.5) {
        host.style.width = width + "px";
        const widened = host.scrollWidth > host.clientWidth || page.scrollWidth > page.clientWidth;
        if (widened || page.scrollHeight > page.clientHeight) widths.push(width);
    }
    return widths;
}"""


@pytest.mark.parametrize("text", ["ab" * 45, "e abba beab eeabab abbaab eab aeab eeeb babaebb" * 2])
@pytest.mark.parametrize("picture", [*PICTURES.values(), compare_two])
def test_in_a_browser_a_picture_fits_any_width_and_does_not_stretch_what_is_around(
    page, picture, text
):
    tok = Tokenizer.train("ab" * 64, scheme="bytes", num_merges=5)
    host = f'<div style="overflow:auto;height:100px">{picture(tok, text).html}</div>'
    page.set_content(f'<!doctype html><body style="margin:0">{host}</body>')
    assert page.evaluate(FIND_WIDTHS_THAT_OVERFLOW) == []


def test_in_a_browser_the_frame_of_a_pair_stays_inside_a_narrow_film(page):
    tok = Tokenizer.train("ab ab", scheme="words", num_merges=1)
    film = merge_film(tok, "ab " * 30)
    page.set_content(film.html)
    frames = [e for e in read(film).iter("span") if style(e).get("background") == "#d55e00"]
    assert len(frames) == 30
    assert not any({"box-shadow", "outline"} & {*style(e)} for e in frames)  # would lie outside
    lefts = page.evaluate(
        "[...document.querySelectorAll('span')].filter(e => e.style.background.includes('213'))"
        ".map(e => e.getBoundingClientRect().left)"
    )
    edge = page.evaluate("document.body.firstElementChild.getBoundingClientRect().left")
    assert len(lefts) == 30 and min(lefts) == edge  # some begin a line
