"""The first page: what plays is the package's training, and what is pressed does what it says.

The page is made from its template without the rest of the site; test_site.py looks at it there.
"""

import base64
import io
import json
import shutil
import sys
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from common import NUMBERS, ROOT

from bpe_teach import Tokenizer, load_corpus
from bpe_teach.corpora import CorpusUnavailable
from bpe_teach.pairs import merge_pair
from bpe_teach.pictures.playground import program

sys.path.insert(0, str(ROOT / "site"))
import front
import moving_picture

SENTENCES = front.sentences()
TEXTS = [
    *SENTENCES.values(),
    *("Anna has a banana and a bandana", "a", "aaaaaaa", "low low lower", "Søren Kierkegaard"),
    *(
        "مرحبا مرحبا بالعالم",
        "हिन्दी हिन्दी में",
        "👩‍🚀👩‍🚀👩‍🚀",
        "<b>x</b> & <b>x</b>",
        "김민준 김민준",
    ),
    *("  two  spaces  ", "don't don't", "x" * 200, "1 2 3 1 2 3", "Ǆ ǅ ǆ ǆ"),
]
NARROW, WIDE = (380, 740), (1400, 900)
IS_OVER = "film.step === film.run.steps.length && !film.isPlaying"
BOXES = "boxes => boxes.map(box => box.textContent)"


def train(text: str, **options) -> Tokenizer:
    return Tokenizer.train(text, scheme=front.LETTERS, num_merges=200, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make the page, with GPT-2's vocabulary beside it if that is at hand."""
    jinja2 = pytest.importorskip("jinja2")
    folder = tmp_path_factory.mktemp("front")
    shutil.copytree(ROOT / "site" / "static", folder / "_static")
    scripts = {}
    try:
        (folder / "_static" / "gpt2.js").write_text(front.pack("GPT-2"), "utf-8")
        scripts["GPT-2"] = {"file": "_static/gpt2.js", "kilobytes": 223}
    except CorpusUnavailable:
        pass
    story = Tokenizer.train(load_corpus("story"), scheme="gpt2", num_merges=2000)
    page = jinja2.Environment(loader=jinja2.FileSystemLoader(ROOT / "site"))
    html = page.get_template("index.html").render(
        pathto=lambda name, _=0: name if name.startswith("_") else f"{name}.html",
        share=lambda *_: "",
        engine=program("engine"),
        front=front.front(story, scripts),
        front_boxes=front.first_boxes(),
        front_count=len(front.WOODCHUCK),
        front_rule=front.tokens_of_the_rule(),
        has_gpt2=bool(scripts),
    )
    (folder / "index.html").write_text(html, "utf-8")
    (folder / "playground.html").write_text("the playground", "utf-8")
    return SimpleNamespace(path=folder, scripts=scripts, story=story)


@pytest.fixture
def open_front(open_page, folder):
    """Return a function that opens the page. By default nothing moves by itself."""

    def opened(size=WIDE, *, moves=False, hash=""):
        motion = "no-preference" if moves else "reduce"
        path = folder.path / "index.html"
        return open_page(path, size, alone=False, hash=hash, reduced_motion=motion)

    return opened


# What is stored, and what is claimed.


def test_the_rule_merges_the_most_frequent_pair_again_and_again(says):
    for text in TEXTS:
        words = [list(word) for word in front.LETTERS.split(text)]
        while counts := Counter(pair for word in words for pair in pairwise(word)):
            pair, count = max(counts.items(), key=lambda item: item[1])  # of equals, the first
            if count < 2:
                break
            words = [list(merge_pair(tuple(word), pair)) for word in words]
        if not any(len(set(word)) == 1 for word in words):  # aaa: places overlap
            assert [token for word in words for token in word] == train(text).tokens(text)
    says("merge the most frequent pair of neighbours, again and again")


def test_stored_tokens_are_those_of_the_published_tokenizers(says):
    try:
        measured = front.measure_facts()
    except CorpusUnavailable as error:
        pytest.skip(str(error))
    assert json.loads(front.FACTS.read_text("utf-8")) == measured
    numbers = [len(ids) for _, both in measured["berries"].values() for ids in both]
    says(f"a model is given {NUMBERS[min(numbers)]} to {NUMBERS[max(numbers)]} numbers")


def test_a_note_says_what_its_comparison_shows():
    facts = json.loads(front.FACTS.read_text("utf-8"))["sentences"]
    tokens = {label: train(text).tokens(text) for label, text in SENTENCES.items()}
    assert tokens["woodchuck"].count(" woodchuck") == 2
    for lengths in facts[SENTENCES["woodchuck"]]:
        assert [5, 2, 3] in [lengths[i : i + 3] for i in range(len(lengths))]  # woodchuck in three
    words = [len(word) for word in front.LETTERS.split(SENTENCES["sea shells"])]
    assert facts[SENTENCES["sea shells"]] == [words, words]
    gpt2, gpt4o = facts[SENTENCES["two languages"]]
    assert gpt2[:10] == gpt4o[:10]  # the English sentence
    assert sum(n > 2 for n in gpt2[10:]) < 3 < sum(n > 2 for n in gpt4o[10:])  # a letter: 2 bytes


def test_no_choice_of_merges_does_better_in_the_game():
    words = tuple(front.LETTERS.split(front.GAME["text"]))
    reached = {tuple(map(tuple, words))}
    for _ in range(front.GAME["merges"]):
        reached = {
            tuple(merge_pair(word, pair) for word in words)
            for words in reached
            for pair in {pair for word in words for pair in pairwise(word)}
        }
    best = min(sum(map(len, words)) for words in reached)
    assert best == front.GAME["best"] < front.tokens_of_the_rule()


# The picture in README.


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_begins_with_letters_and_ends_with_the_tokens_in_sight(theme, open_page):
    assert moving_picture.FILE.stat().st_size <= 250_000
    page = open_page(moving_picture.FILE, color_scheme=theme)
    seen = """time => {
        for (const one of document.getAnimations()) {
            one.pause();
            one.currentTime = time;
        }
        const isSeen = text => {
            for (let part = text; part instanceof Element; part = part.parentElement)
                if (getComputedStyle(part).opacity === "0") return false;
            return true;
        };
        return [...document.querySelectorAll("g > text")].filter(isSeen).map(text => {
            const { x, y } = text.getBoundingClientRect();
            return [Math.round(y), x, text.textContent];
        });
    }"""
    end = 1000 * moving_picture.Clock(13).end
    expected = {0: list(front.WOODCHUCK), end - 1: train(front.WOODCHUCK).tokens(front.WOODCHUCK)}
    for time, tokens in expected.items():
        drawn = [text for *_, text in sorted(page.evaluate(seen, time))]
        assert drawn == [token.replace(" ", "·") for token in tokens]


# The film.


def test_every_text_is_learned_as_the_package_learns_it(open_front):
    page = open_front()
    learned = page.evaluate(
        "texts => texts.map(text => learn(text).steps.map(s => [s.left, s.right, s.count]))", TEXTS
    )
    for text, steps in zip(TEXTS, learned, strict=True):
        expected = [[*merge.pair, merge.count] for merge in train(text).merges]
        assert steps == expected, text


def test_a_name_is_cut_by_the_merges_of_names_in_their_order(open_front):
    names = load_corpus("names").split()[::40]
    page = open_front()
    cut = page.evaluate(
        "names => names.map(name => wordsAfter(replay(name, FRONT.names), 999))", names
    )
    for name, words in zip(names, cut, strict=True):
        expected = [tuple(word) for word in front.LETTERS.split(name)]
        for left, right, _ in front.merges_of_names():
            expected = [merge_pair(word, (left, right)) for word in expected]
        assert words == [list(word) for word in expected], name


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_the_film_plays_by_itself_to_the_tokens_of_the_package(size, open_front):
    page = open_front(size, moves=True)
    text = front.WOODCHUCK
    first = page.locator("[data-role=stage] .b")
    assert first.count() <= len(text)
    page.wait_for_function("document.querySelector('.b.hot')")  # without anything pressed
    page.wait_for_function(IS_OVER, timeout=60_000)
    tokens = train(text).tokens(text)
    shown = page.eval_on_selector_all("[data-role=stage] .b", BOXES)
    assert shown == [token.replace(" ", "·") for token in tokens]
    assert page.locator("[data-role=tokens]").inner_text() == str(len(tokens)) == "25"
    race = page.locator("[data-role=race]").inner_text().split()
    assert race == ["characters", "70", "this", "list", "25", "GPT-2", "18", "GPT-4o", "18"]
    assert page.locator("[data-role=play]").inner_text() == "Again"
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_whoever_wants_no_motion_sees_letters_and_goes_on_by_keys(open_front):
    page = open_front()
    assert page.evaluate("[film.step, film.isPlaying, document.getAnimations().length]") == [
        0,
        False,
        0,
    ]
    assert page.locator("[data-role=stage] .b").count() == len(front.WOODCHUCK)
    page.focus("[data-role=step]")
    page.keyboard.press("ArrowRight")
    first, second, *_ = train(front.WOODCHUCK).merges
    said = page.locator("[data-role=said]")
    assert said.inner_text() == f"Merge 2: · + w → ·w, {second.count} times"
    assert said.get_attribute("aria-live") == "polite"
    told = page.locator("[data-role=step]").get_attribute("aria-valuetext")
    assert told == f"1 of 13 merges: {len(front.WOODCHUCK) - first.count} tokens"


def test_a_name_is_merged_and_a_long_text_is_cut_and_says_so(open_front):
    page = open_front()
    page.fill("#own", "Barbara")
    page.keyboard.press("Enter")
    page.evaluate("stop(); show(99)")
    shown = page.eval_on_selector_all("[data-role=stage] .b", BOXES)
    assert shown == ["Bar", "b", "ara"]
    assert "1,535 names" in page.locator("[data-role=beside]").inner_text()
    page.fill("#own", "é" * 1_000_000)
    page.keyboard.press("Enter")
    assert page.evaluate("film.run.text.length") == 200
    assert "the first 200 characters" in page.locator("[data-role=made]").inner_text()


def test_a_link_carries_text_and_step_and_an_old_one_leads_to_the_playground(open_front):
    page = open_front(hash="#text=Barbara%20has%20a%20banana&step=2")
    assert page.evaluate("[film.run.text, film.step]") == ["Barbara has a banana", 2]
    page.click("[data-role=next]")
    page.click("[data-role=share]")
    assert page.url.endswith("#text=Barbara%20has%20a%20banana&step=3")
    page = open_front(hash="#text=low&slider=400")
    page.wait_for_url("**/playground.html#text=low&slider=400")


def test_published_tokens_of_a_visitors_text_come_when_they_are_asked_for(open_front, folder, gpt2):
    assert folder.scripts
    page = open_front()
    text = "Grüße aus Κέρκυρα 🐢"
    page.fill("#own", text)
    page.keyboard.press("Enter")
    assert page.evaluate("window.VOCABULARIES") is None
    page.locator("[data-role=beside] button").click()
    page.wait_for_function("encoders.has('GPT-2')")
    assert page.evaluate(f"encoders.get('GPT-2').encode('{text}').ids") == gpt2.encode(text)
    heading = page.locator("[data-role=beside] h3").inner_text()
    assert heading == f"In GPT-2: {len(gpt2.encode(text))} tokens"


IN_BASE_64 = """async address => {
    const bytes = new Uint8Array(await (await fetch(address)).arrayBuffer());
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
}"""
FRAME = """number => {
    const { context, frames } = picturesOf(film.run);
    frames.at(number)[0]();
    return context.canvas.toDataURL();
}"""


def test_the_animated_picture_is_the_film_as_another_program_reads_it(open_front):
    image = pytest.importorskip("PIL.Image")
    page = open_front()
    page.click("[data-role=gif]")
    page.wait_for_selector("img.made", timeout=60_000)
    address = page.locator("img.made").get_attribute("src")
    made = base64.b64decode(page.evaluate(IN_BASE_64, address))
    assert len(made) < 400_000
    gif = image.open(io.BytesIO(made))
    assert gif.n_frames == 4 * 13 + 1
    for number in (0, 1, 20, 52):  # before, a pair that glows, in between, the end
        drawn = base64.b64decode(page.evaluate(FRAME, number).partition(",")[2])
        expected = image.open(io.BytesIO(drawn)).convert("RGB")
        gif.seek(number)
        found = gif.convert("RGB")
        assert found.size == expected.size
        far = np.abs(np.asarray(found, int) - np.asarray(expected, int)).max(axis=2)
        assert far.mean() < 2  # the file has 32 colours
        assert far.max() < 100
    assert np.asarray(expected).std() > 10  # it isn't empty


# The scenes.


SCORE = "document.querySelector('[data-role=score]').textContent"


def press_pairs(page, pairs):
    for pair in pairs:
        box = page.locator(f"[data-role=board] button[aria-label^='{pair}:']").first
        box.click()


def test_the_game_counts_tells_and_can_be_won(open_front):
    page = open_front()
    score = page.locator("[data-role=score]")
    assert score.inner_text() == "34 tokens. 5 merges left."
    best = ["· + a", "·a + n", "n + a", "a + na", "b + ana"]
    press_pairs(page, best)
    assert score.inner_text() == "18 tokens. Better than the rule, and nothing beats this."
    assert page.locator("[data-role=board] button:enabled").count() == 0
    page.click("[data-role=undo]")
    assert score.inner_text() == "20 tokens. 1 merge left."
    page.click("[data-role=rule]")
    end = "19 tokens. As good as the rule. One token less is possible."
    page.wait_for_function(f"{SCORE} === '{end}'")


def test_what_is_typed_is_cut_as_the_package_cuts_it_and_boxes_that_stay_are_kept(
    open_front, folder, says
):
    page = open_front()
    text = "Counting the lower lights 🐢"
    page.fill("[data-role=typed]", text)
    cut = "[data-role=cut] .b"
    tokens = folder.story.tokens(text)
    assert page.locator(cut).count() == len(tokens)
    page.evaluate(f"document.querySelector('{cut}').dataset.kept = 'yes'")
    page.fill("[data-role=typed]", text + " again")
    tokens = folder.story.tokens(text + " again")
    shown = page.eval_on_selector_all(cut, BOXES)
    assert len(shown) == len(tokens)
    assert page.locator(f"{cut}[data-kept]").count() == 1
    said = page.locator("[data-role=cutsaid]").inner_text()
    assert said.startswith(f"{len(tokens)} tokens, {len(text) + 6} characters, ")
    says("of the merges that fit, the merge that was learned first is made first")


def test_characters_prices_and_spellings_show_the_stored_tokens(open_front, says):
    facts = json.loads(front.FACTS.read_text("utf-8"))
    page = open_front()
    signs = page.locator("[data-role=signs] button")
    for i, (sign, lengths) in enumerate(facts["signs"].items()):
        signs.nth(i).click()
        shown = [
            line.locator(".b").count() for line in page.locator("[data-role=sign] .line").all()
        ]
        assert shown[0] == len(sign.encode()), sign
        assert shown[2:] == [len(one) for one in lengths], sign
    for model in (0, 1):
        page.locator("[data-role=models] button").nth(model).click()
        for i, (name, (sentence, lengths)) in enumerate(facts["languages"].items()):
            bar = page.locator("[data-role=prices] button").nth(i)
            bar.click()
            assert bar.inner_text().split()[0] == str(len(lengths[model])), name
            shown = page.locator("[data-role=sentence] .b")
            assert shown.count() == len(lengths[model]), sentence
    for i, (text, (lengths, ids)) in enumerate(facts["berries"].items()):
        page.locator("[data-role=berries] button").nth(i).click()
        shown = page.eval_on_selector_all("[data-role=berry] .b", BOXES)
        assert len(shown) == sum(map(len, lengths)), text
        page.click("[data-role=hide]")
        shown = page.eval_on_selector_all("[data-role=berry] .b", BOXES)
        assert shown == [f"{number:,}" for model in ids for number in model]
        page.click("[data-role=hide]")
    says("a model is given")
