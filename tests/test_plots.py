"""The figures: what is drawn is what the table says, and every label can be read."""

from collections import Counter
from itertools import combinations

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bpe_teach import (
    Tokenizer,
    compression_curve,
    fertility,
    knee,
    load_corpus,
    plot_compression,
    plot_fertility,
    plot_pair_counts,
    plot_rank_frequency,
    plot_token_lengths,
    rank_frequency,
    token_lengths,
)

PARALLEL = {
    "English": "Good morning",
    "French": "Bonjour à tous",
    "Greek": "Καλημέρα",
    "Thai": "สวัสดี",
}
PAIRS = Counter({("t", "h"): 1200, (b" ", b"t"): 30, (b"\xc3", b"\n"): 7, ("$", "a$"): 7})


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def tok(story):
    return Tokenizer.train(story, num_merges=600)


@pytest.fixture(scope="module")
def curves(tok, story):
    texts = {"training text": story, "held out": load_corpus("second_story")}
    return {name: compression_curve(tok, text) for name, text in texts.items()}


@pytest.fixture(scope="module")
def draw(tok, curves, story):
    """All figures by name: functions that draw one, on given axes or on their own."""
    ranks = {"training text": rank_frequency(tok, story), "a part": rank_frequency(tok, "the low")}
    close = {f"curve {i}": curves["held out"] for i in range(9)}
    return {
        "curves": lambda ax=None: plot_compression(curves, ax=ax),
        "curves, log": lambda ax=None: plot_compression(curves, log=True, ax=ax),
        "curves, size": lambda ax=None: plot_compression(curves, x="vocab_size", ax=ax),
        "one curve": lambda ax=None: plot_compression(curves["held out"], y="tokens", ax=ax),
        "equal curves": lambda ax=None: plot_compression(close, ax=ax),
        "fertility": lambda ax=None: plot_fertility(fertility(tok, PARALLEL), ax=ax),
        "lengths": lambda ax=None: plot_token_lengths(token_lengths(tok, story), ax=ax),
        "lengths, no text": lambda ax=None: plot_token_lengths(token_lengths(tok), ax=ax),
        "ranks": lambda ax=None: plot_rank_frequency(ranks, ax=ax),
        "one rank": lambda ax=None: plot_rank_frequency(ranks["a part"], ax=ax),
        "pairs": lambda ax=None: plot_pair_counts(PAIRS, ax=ax),
    }


FIGURES = [
    *("curves", "curves, log", "curves, size", "one curve", "equal curves", "fertility"),
    *("lengths", "lengths, no text", "ranks", "one rank", "pairs"),
]


def texts(ax):
    """Lay the figure out; return every text of the axes that can be seen."""
    ax.get_figure(root=True).draw_without_rendering()
    found = [*ax.texts, ax.xaxis.label, ax.yaxis.label, ax.title]
    for i, axis in enumerate((ax.xaxis, ax.yaxis)):
        low, high = sorted(axis.get_view_interval())
        found += [tick for tick in axis.get_ticklabels() if low <= tick.get_position()[i] <= high]
    if ax.get_legend():
        found += ax.get_legend().get_texts()
    return [text for text in found if text.get_text()]


def boxes(ax):
    """Return (text, box) for every text; an annotation's own method would add its line."""
    return [(text.get_text(), Text.get_window_extent(text)) for text in texts(ax)]


def assert_readable(ax):
    found, whole = boxes(ax), ax.get_figure(root=True).bbox
    assert len(found) > 4
    for text, box in found:
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1, text
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1, text
    for (text, box), (other, second) in combinations(found, 2):
        assert not box.overlaps(second), (text, other)


def test_every_figure_is_looked_at(draw):
    assert set(draw) == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_new_figure_can_be_read_where_it_is_400_pixels_wide(name, draw):
    ax = draw[name]()
    assert plt.gcf() is ax.figure
    assert ax.get_xlabel()
    assert ax.get_ylabel() or name in ("fertility", "pairs")  # there names stand on the axis
    inch = 400 / ax.figure.get_figwidth()
    smallest = min(text.get_fontsize() for text in texts(ax))
    assert smallest / 72 * inch > 11
    assert_readable(ax)
    ax.set_title("A title that is added later")
    assert_readable(ax)


@pytest.mark.parametrize("name", FIGURES)
def test_given_axes_are_drawn_on_and_returned_and_no_other_figure_is_made(name, draw):
    axes = Figure(figsize=(13, 5)).subplots(1, 2)
    ax = draw[name](axes[0])
    assert ax is axes[0]
    assert plt.get_fignums() == []
    assert_readable(ax)
    neighbour = axes[1].get_window_extent()
    assert not any(box.overlaps(neighbour) for _, box in boxes(ax))


def test_a_layout_engine_that_was_chosen_is_kept(draw):
    figure = Figure(layout="tight")
    chosen = figure.get_layout_engine()
    draw["pairs"](figure.add_subplot())
    assert figure.get_layout_engine() is chosen


@pytest.mark.parametrize("x", ["merges", "vocab_size"])
@pytest.mark.parametrize("y", ["tokens", "chars_per_token", "saved_percent"])
def test_lines_are_the_columns_of_the_table(x, y, curves):
    ax = plot_compression(curves, x=x, y=y)
    for line, frame in zip(ax.lines, curves.values(), strict=True):
        assert line.get_xydata().tolist() == frame[[x, y]].values.tolist()


def test_a_table_in_disorder_is_drawn_in_order():
    curve = pd.DataFrame({"merges": [5, 0, 2], "chars_per_token": [3, 1, 2]})
    assert plot_compression(curve).lines[0].get_xydata().tolist() == [[0, 1], [2, 2], [5, 3]]


def test_zero_merges_have_no_place_on_a_logarithmic_axis(curves):
    ax = plot_compression(curves["held out"], log=True)
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "merges (log scale)"
    assert ax.lines[0].get_xdata().tolist() == list(range(1, 601))


def test_the_axis_of_the_vocabulary_begins_at_the_alphabet(curves):
    ax = plot_compression(curves, x="vocab_size")
    assert ax.get_xticks()[0] == 256
    assert ax.get_xlim()[0] > 200


def test_a_table_without_a_name_has_no_label(curves, tok):
    assert not plot_compression(curves["held out"], mark_knee=False).texts
    (text,) = plot_rank_frequency(rank_frequency(tok, "the low")).texts
    assert text.get_text() == "slope −1 (Zipf)"


def test_lines_differ_in_more_than_colour():
    curve = pd.DataFrame({"merges": [0, 1, 2], "chars_per_token": [1, 2, 2.5]})
    lines = plot_compression({str(i): curve for i in range(7)}).lines
    assert len({line.get_color() for line in lines}) == 7
    assert len({line.get_marker() for line in lines}) == 7
    assert lines[0].get_linestyle() != lines[1].get_linestyle()


# knees


def test_the_knee_of_a_known_curve():
    # For y = x / (x + 10) from 0 to 90 the chord has the slope 1 / 100, and so has the curve
    # where 10 / (x + 10)² = 1 / 100: at x = √1000 − 10 = 21.6.
    x = np.arange(91)
    curve = pd.DataFrame({"merges": x, "chars_per_token": x / (x + 10), "tokens": -x / (x + 10)})
    assert knee(curve) == 22
    assert knee(curve, y="tokens") == 22  # upside down


def test_the_knee_depends_on_the_scale():
    # From 1 to 10,000 the square root is farthest below its chord, 1 + 99 log₁₀(x) / 4, where
    # √x / 2 = 99 / (4 ln 10): at x = 462.1. Without logarithms it is farthest above at 2,550.25.
    x = np.arange(10_001)
    curve = pd.DataFrame({"merges": x, "chars_per_token": np.sqrt(x)})
    assert knee(curve, log=True) == 462
    assert knee(curve[1:]) == 2550


@pytest.mark.parametrize("y", [[3], [1, 2], [1, 2, 3], [5, 5, 5], 0.7 * np.arange(7)])
def test_what_is_straight_has_no_knee(y):
    curve = pd.DataFrame({"merges": range(len(y)), "chars_per_token": y})
    assert knee(curve) is None
    ax = plot_compression({"straight": curve})
    assert [text.get_text() for text in ax.texts] == ["straight"]


def test_the_knee_is_marked_where_it_is_and_named(curves):
    ax = plot_compression(curves)
    for frame, marks in zip(curves.values(), ax.collections, strict=True):
        at = knee(frame)
        assert marks.get_offsets().tolist() == [[at, frame.chars_per_token[at]]]
    notes = {f"{name}\nknee at {knee(frame)} merges" for name, frame in curves.items()}
    assert {text.get_text() for text in ax.texts} == notes
    assert not plot_compression(curves, mark_knee=False).collections


# bars, ranks


def test_fertility_is_drawn_as_bars_from_the_lowest_value(tok):
    frame = fertility(tok, PARALLEL, "French")
    ax = plot_fertility(frame)
    ordered = frame.relative.sort_values()
    assert [text.get_text() for text in ax.get_yticklabels()] == ordered.index.tolist()
    assert [bar.get_width() for bar in ax.patches] == ordered.tolist()
    assert [text.get_text() for text in ax.texts] == [f"{value:.2f}" for value in ordered]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
    assert ax.get_xlabel() == "tokens, French = 1"


def test_another_column_of_fertility_has_its_own_unit(tok):
    ax = plot_fertility(fertility(tok, PARALLEL), value="tokens_per_char")
    assert ax.get_xlabel() == "tokens per character"
    ax = plot_fertility(fertility(tok, {"a": "low " * 900}), value="tokens")
    assert [text.get_text() for text in ax.texts] == [f"{ax.patches[0].get_width():,.0f}"]


def test_lengths_are_drawn_as_shares():
    frame = pd.DataFrame({"length": [1, 2, 5], "vocabulary": [5, 4, 1], "text": [0, 1, 3]})
    ax = plot_token_lengths(frame, unit="bytes")
    assert [bar.get_height() for bar in ax.patches] == [50, 40, 10, 0, 25, 75]
    assert [round(bar.get_x() + bar.get_width(), 9) for bar in ax.patches[:3]] == [1, 2, 5]
    assert ax.get_xlabel() == "length of a token (bytes)"


@pytest.mark.parametrize("size", [(5.2, 3.6), (3.4, 2.4)])
def test_the_legend_of_lengths_hides_no_bar(size):
    frame = pd.DataFrame({"length": [1, 2, 3], "vocabulary": [1, 1, 1], "text": [1, 1, 1]})
    ax = plot_token_lengths(frame, ax=Figure(size).add_subplot())
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    assert not any(box.overlaps(bar.get_window_extent()) for bar in ax.patches)


def test_ranks_are_drawn_on_logarithmic_axes_beside_a_slope_of_minus_one(tok, story):
    frame = rank_frequency(tok, story)
    ax = plot_rank_frequency({"the story": frame})
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    ranks, slope = ax.lines
    assert ranks.get_xydata().tolist() == frame[["rank", "count"]].values.tolist()
    x, y = np.log(slope.get_xydata().T)
    assert (y[1] - y[0]) / (x[1] - x[0]) == pytest.approx(-1)
    assert slope.get_ydata()[0] == frame["count"][0]


def test_pairs_are_drawn_with_all_white_space_and_not_as_formulas():
    ax = plot_pair_counts(PAIRS)
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        *("t + h", "· + t", "⟨C3⟩ + ⏎", "$ + a$")
    ]
    assert not any(text.get_parse_math() for text in ax.get_yticklabels())
    assert [bar.get_width() for bar in ax.patches] == [1200, 30, 7, 7]
    assert [text.get_text() for text in ax.texts] == ["1,200", "30", "7", "7"]
    assert len(plot_pair_counts(PAIRS, top=2).patches) == 2


def test_a_long_name_is_written_in_several_lines(curves):
    ax = plot_compression({"the second story (held out)": curves["held out"]}, mark_knee=False)
    assert ax.texts[0].get_text() == "the second story\n(held out)"
    assert ax.bbox.width > ax.figure.bbox.width / 2


def test_a_name_with_dollars_is_not_a_formula(curves):
    ax = plot_compression({r"$\nonsense$": curves["held out"]})
    ax.figure.canvas.draw()
    assert ax.texts[0].get_text().startswith(r"$\nonsense$")


# errors

EMPTY = pd.DataFrame({"merges": [], "chars_per_token": [], "rank": [], "count": []})


@pytest.mark.parametrize(
    ("plot", "table", "message"),
    [
        (plot_compression, pd.DataFrame(), r"'' lacks the columns \['merges', 'chars_per_token'\]"),
        (plot_compression, {"a": pd.DataFrame({"merges": [1]})}, r"'a' lacks .*'chars_per_token'"),
        (plot_compression, {}, "lacks the columns"),
        (plot_compression, {"a": EMPTY}, "table 'a' has no rows"),
        (plot_rank_frequency, EMPTY, "no rows"),
        (plot_rank_frequency, [1, 2], "lacks"),
        (plot_fertility, EMPTY, r"\['relative'\]"),
        (plot_token_lengths, EMPTY, r"\['length', 'vocabulary'\]"),
        (knee, EMPTY, "no rows"),
        (plot_pair_counts, Counter(), "no pair to draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_leaves_no_figure(plot, table, message):
    with pytest.raises(ValueError, match=message):
        plot(table)
    assert plt.get_fignums() == []
