"""The figures: what is drawn is what the table says, and every label can be read."""

from itertools import combinations

import matplotlib
import pytest
from common import rows
from matplotlib.text import Text

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bpe_teach.pictures import plots


def growth(slowness):
    """Return the table of a compression curve from 0 to 600 merges."""
    x = np.arange(601)
    y = 1 + 2 * x / (x + slowness)
    columns = {"tokens": 52_994 / y, "chars_per_token": y, "saved_percent": 100 - 100 / y}
    columns["tokens_per_word"] = 5 / y
    return pd.DataFrame({"merges": x, "vocab_size": x + 256} | columns)


def zipf(tokens, top):
    """Return a table of ranks and counts."""
    ranks = np.arange(1, tokens + 1)
    return pd.DataFrame({"rank": ranks, "count": top // ranks + 1})


HELD_OUT = growth(130)
CURVES = {"training text": growth(80), "held out": HELD_OUT}
EQUAL_CURVES = {f"curve {i}": HELD_OUT for i in range(9)}
RANKS = {"training text": zipf(800, 2500), "a part": zipf(4, 3)}
BARS = pd.DataFrame({"tokens": {"characters": 1590, "BPE, 1,000 merges": 15, "$5 words": 11}})
STACKS = pd.DataFrame(
    {"bytes a character": [0.4, 1.3, -0.1], "tokens a byte": [0.2, 0.9, 1.4]},
    index=["French", "Hindi", "Chinese"],
)
STEPS = pd.DataFrame({"replay": [10, 20, 40], "rank": [3, 3, 4]}, index=[100, 200, 400])

FIGURES = dict(rows("plots/figures", globals()))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


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


def assert_readable(ax):
    """No text is small, cut off, or hidden by another; return their boxes."""
    found, whole = texts(ax), ax.get_figure(root=True).bbox
    assert len(found) > 4
    assert min(text.get_fontsize() for text in found) >= 11  # so for 400 pixels, see below
    # an annotation's own method would add its line
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in found]
    for text, box in boxes:
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1, text
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1, text
    for (text, box), (other, second) in combinations(boxes, 2):
        assert not box.overlaps(second), (text, other)
    return [box for _, box in boxes]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_a_new_figure_can_be_read_where_it_is_400_pixels_wide(name):
    ax = FIGURES[name]()
    assert plt.gcf() is ax.figure
    assert ax.get_xlabel()
    assert ax.get_ylabel() or name in ("bars", "stacks", "dots")  # these have names on the axis
    assert 11 / 72 * 400 / ax.figure.get_figwidth() > 11  # pixels
    assert_readable(ax)
    ax.set_title("A title that is added later")
    assert_readable(ax)


# curves


@pytest.mark.parametrize(("x", "x_unit"), rows("plots/along_x"))
@pytest.mark.parametrize(("y", "y_unit"), rows("plots/along_y"))
def test_lines_are_the_columns_of_a_table_in_order_and_the_axes_have_units(x, y, x_unit, y_unit):
    ax = plots.plot_compression(HELD_OUT.loc[[2, 0, 1]], x=x, y=y, mark_knee=False)
    assert ax.lines[0].get_xydata().tolist() == HELD_OUT.loc[:2, [x, y]].values.tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (x_unit, y_unit)
    assert not ax.texts  # the table has no name


def test_zero_merges_have_no_place_on_a_logarithmic_axis():
    ax = plots.plot_compression(HELD_OUT, log=True)
    assert (ax.get_xscale(), ax.get_xlabel()) == ("log", "merges (log scale)")
    assert ax.lines[0].get_xdata().tolist() == list(range(1, 601))


def test_lines_differ_in_more_than_colour():
    lines = plots.plot_compression({str(i): HELD_OUT for i in range(7)}).lines
    assert len({line.get_color() for line in lines}) == 7
    assert len({line.get_marker() for line in lines}) == 7
    assert lines[0].get_linestyle() != lines[1].get_linestyle()


@pytest.mark.parametrize(("name", "written"), rows("plots/names"))
def test_a_long_name_is_written_in_several_lines_and_none_is_a_formula(name, written):
    ax = plots.plot_compression({name: HELD_OUT}, mark_knee=False)
    ax.figure.draw_without_rendering()
    assert ax.texts[0].get_text() == written
    assert ax.bbox.width > ax.figure.bbox.width / 2


# knees


def test_the_knee_of_a_known_curve_is_where_it_was_computed():
    # For y = x / (x + 10) from 0 to 90 the chord has the slope 1 / 100, and so has the curve
    # where 10 / (x + 10)² = 1 / 100: at x = √1000 − 10 = 21.6.
    x = np.arange(91)
    curve = pd.DataFrame({"merges": x, "chars_per_token": x / (x + 10), "tokens": -x / (x + 10)})
    assert plots.knee(curve) == 22
    assert plots.knee(curve, y="tokens") == 22  # upside down
    # From 1 to 10,000 the square root is farthest above its chord at x = 2,550.25.
    x = np.arange(1, 10_001)
    curve = pd.DataFrame({"merges": x, "chars_per_token": np.sqrt(x)})
    assert plots.knee(curve) == 2550


@pytest.mark.parametrize("y", [[3], [1, 2], [1, 2, 3], [5, 5, 5], 0.7 * np.arange(7)])
def test_what_is_straight_has_no_knee(y):
    curve = pd.DataFrame({"merges": range(len(y)), "chars_per_token": y})
    assert plots.knee(curve) is None
    ax = plots.plot_compression({"straight": curve})
    assert [text.get_text() for text in ax.texts] == ["straight"]


def test_the_knee_is_marked_where_it_is_and_named():
    ax = plots.plot_compression(CURVES)
    for frame, marks in zip(CURVES.values(), ax.collections, strict=True):
        at = plots.knee(frame)
        assert marks.get_offsets().tolist() == [[at, frame.chars_per_token[at]]]
    notes = {f"{name}\nknee at {plots.knee(frame)} merges" for name, frame in CURVES.items()}
    assert {text.get_text() for text in ax.texts} == notes


# bars, ranks


def test_bars_have_names_and_the_first_is_on_top():
    ax = plots.plot_stacks(BARS, "tokens")
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["characters", "BPE, 1,000 merges", "$5 words"]
    assert [bar.get_width() for bar in ax.patches] == [1590, 15, 11]
    assert not any(text.get_parse_math() for text in ax.get_yticklabels())  # $ makes no formula
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_xlabel() == "tokens"


@pytest.mark.slow
def test_ranks_are_drawn_on_logarithmic_axes_beside_a_slope_of_minus_one():
    ax = plots.plot_rank_frequency(RANKS)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    *ranks, slope = ax.lines
    for line, frame in zip(ranks, RANKS.values(), strict=True):
        assert line.get_xydata().tolist() == frame[["rank", "count"]].values.tolist()
    x, y = slope.get_xydata().T
    top, last = RANKS["training text"][["count", "rank"]].max()
    assert (x.tolist(), y.tolist()) == ([1, last], [top, top / last])


# the plain figures


def test_stacks_dots_and_lines_are_the_values_given():
    stacks = plots.plot_stacks(STACKS, "doublings").patches
    widths = [bar.get_width() for bar in stacks]
    assert widths == pytest.approx(STACKS.to_numpy().T.ravel().tolist())
    line, *dots = plots.plot_dots(STACKS, "tokens", line=1).lines
    assert line.get_xdata() == [1, 1]
    assert [column.get_xdata().tolist() for column in dots] == STACKS.to_numpy().T.tolist()
    assert [column.get_ydata().tolist() for column in dots] == [[0, 1, 2]] * 2
    lines = plots.plot_lines(STEPS, "merges", "pairs").lines
    assert [line.get_ydata().tolist() for line in lines] == STEPS.to_numpy().T.tolist()


def test_a_title_is_written_above_a_figure_in_lines_that_fit():
    ax = plots.plot_stacks(
        BARS, "tokens", title="The more merges there are, the fewer tokens it takes"
    )
    assert ax.get_figure().get_suptitle().count("\n") == 1
    assert_readable(ax)


def test_what_a_figure_shows_is_told_to_those_who_cannot_see_it(capsys):
    plots.show_figure(plots.plot_stacks(BARS, "tokens"), "Three bars, <b> the shortest.")
    assert capsys.readouterr().out.endswith("Figure: Three bars, <b> the shortest.\n")
    assert plt.get_fignums() == []


def test_a_rule_for_dark_front_ends_follows_each_figure(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    plots.show_figure(plots.plot_stacks(BARS, "tokens"), alt="Three bars.")
    html = shown[-1].html
    assert f'class="{plots.TEXT}"' in html and html.index("Three bars.") < html.index("<style>")
    assert f"+ * .{plots.TEXT}) img" in html and "filter:invert" in html


def test_of_lines_that_end_level_the_shorter_is_named_above():
    frame = pd.DataFrame({"long": [0, 1, 2], "short": [0, 2, None]}, index=[1, 2, 3])
    ax = plots.plot_lines(frame, "tokens", "characters")
    assert [text.get_text() for text in ax.texts] == ["short", "long"]


def test_a_figure_is_told_with_its_title_its_axes_and_where_its_lines_begin_and_end():
    costs = pd.DataFrame({"replay": [10, 30, 20], "rank": [3, 3, 3]}, index=[100, 200, 400])
    ax = plots.plot_lines(costs, "merges", "pairs looked at", log="x", title="Rank is cheap")
    assert plots.describe_figure(ax) == (
        "Rank is cheap. pairs looked at against merges (log scale): "
        "replay from 10 at 100 to 20 at 400, highest 30 at 200; rank 3 from 100 to 400."
    )


def test_a_curve_is_told_with_its_knee():
    curve = pd.DataFrame({"merges": [0, 1, 2, 4], "chars_per_token": [1, 2, 3, 3]})
    one, two = (
        plots.describe_figure(plots.plot_compression(curves)) for curves in (curve, {"a": curve})
    )
    told = "knee at 2 merges, from 1 at 0 to 3 at 4."
    assert one == f"characters per token against merges: the line, {told}"
    assert two == f"characters per token against merges: a, {told}"


def test_of_rows_every_bar_and_dot_is_told_in_their_order():
    table = pd.DataFrame({"ours": [3.14, 2000], "theirs": [-4.2, 1.9]}, index=["prose", "code"])
    told = "tokens: prose ours 3.14, theirs -4.2; code ours 2,000, theirs 1.9."
    assert plots.describe_figure(plots.plot_dots(table, "tokens", line=1)) == told
    assert plots.describe_figure(plots.plot_stacks(table, "tokens")) == told
    assert plots.describe_figure(plots.plot_stacks(table[["ours"]], "tokens")) == (
        "tokens: prose 3.14; code 2,000."
    )


def test_a_text_that_is_given_takes_the_place_of_the_one_made(capsys):
    plots.show_figure(plots.plot_stacks(BARS, "tokens"), alt="Three bars.")
    assert capsys.readouterr().out.endswith("Figure: Three bars.\n")
