"""Plots: the tables of `compression` as figures.

Every function takes a table and returns the `Axes` it drew on: ``ax``, or those of a new figure.
Lines and bars differ in more than their colours, which are those of Okabe and Ito.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from bpe_teach.pictures.boxes import Picture, hidden

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation
    from pandas import DataFrame

# Letters of this size in a figure of this width can be read when it is shown 400 pixels wide.
POINTS = 11
WIDTH = 5.2  # inches
HEIGHT = 3.6
LABEL_WIDTH = 20  # characters in a line of a label beside the axes

NUMBER = "{x:,.10g}"  # how ticks are written: 2.5, 1,000

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREY = "#595959"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#000000", ORANGE, "#56B4E9")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
INKS = {  # colour -> a darker one for letters, where the colour is too pale for them
    "#009E73": "#00785A",
    "#CC79A7": "#A0457A",
    ORANGE: "#8A5A00",
    "#56B4E9": "#2A6F9E",
}


def plot_compression(
    curves: DataFrame | dict[str, DataFrame],
    *,
    x: str = "merges",
    y: str = "chars_per_token",
    log: bool = False,
    mark_knee: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw a table of `compression_curve`, or several by name; a circle marks the `knee` of each.

    ``x`` is "merges" or "vocab_size", with which the axis begins at the size of the alphabet.
    ``log`` makes that axis logarithmic; there is no place on it for 0 merges.

    >>> import pandas as pd
    >>> curve = pd.DataFrame({"merges": [0, 1, 2, 3], "chars_per_token": [1, 2, 2.5, 2.75]})
    >>> plot_compression({"a text": curve}).texts[0].get_text()
    'a text\\nknee at 1 merges'

    Raises ValueError if a table lacks one of the columns or has no rows.
    """
    frames = _tables(curves, [x, y], log)
    height = max(HEIGHT, 0.7 + 0.45 * len(frames))  # room for a label of two lines for each
    ax = _prepare(ax, _axis_name(x), _axis_name(y), height)
    lines = _draw_lines(ax, frames, x, y)
    if mark_knee:
        for frame, line in zip(frames.values(), lines, strict=True):
            at = knee(frame, x, y, log=log)
            if at is not None:
                level = frame.loc[frame[x] == at, y].iloc[0]
                _mark_knee(ax, line, at, level)
    if log:
        _make_x_logarithmic(ax)
    elif x == "vocab_size":
        _begin_ticks_with_the_data(ax)
    return _label_ends(ax, lines)


def knee(
    curve: DataFrame, x: str = "merges", y: str = "chars_per_token", *, log: bool = False
) -> float | None:
    """Return the ``x`` at which a curve is farthest from the line between its first and last point.

    This is Kneedle (Satopää et al. 2011) in its simplest form, without smoothing or threshold.
    It depends on the axes (``log``: of ``x``) and on where the curve ends, so it is a place to
    look at, not a law. A straight line has none.

    >>> import pandas as pd
    >>> knee(pd.DataFrame({"merges": [0, 1, 2, 4], "chars_per_token": [1, 2, 3, 3]}))
    2

    Raises ValueError if the table lacks one of the columns or has no rows.
    """
    import numpy as np

    frame = _tables(curve, [x, y], log)[""]
    across = frame[x].to_numpy(float)
    if log:
        across = np.log(across)
    up = frame[y].to_numpy(float)
    straight = np.interp(across, across[[0, -1]], up[[0, -1]])
    # subtle: whether measured upward or at right angles to the line, the same point is farthest
    gaps = np.abs(up - straight)
    if gaps.max() <= 1e-9 * np.ptp(up):  # nothing but rounding
        return None
    return frame[x].iloc[gaps.argmax()].item()


def plot_rank_frequency(
    frames: DataFrame | dict[str, DataFrame], *, ax: Axes | None = None
) -> Axes:
    """Draw a table of `rank_frequency`, or several by name, beside a line of slope −1 (Zipf).

    >>> import pandas as pd
    >>> ax = plot_rank_frequency({"a text": pd.DataFrame({"rank": [1, 2], "count": [8, 3]})})
    >>> ax.lines[-1].get_xydata().tolist()
    [[1.0, 8.0], [2.0, 4.0]]

    Raises ValueError if a table lacks one of the columns or has no rows.
    """
    frames = _tables(frames, ["rank", "count"])
    ax = _prepare(ax, "rank of the token", "occurrences (log scale)")
    lines = _draw_lines(ax, frames, "rank", "count")
    last = max(frame["rank"].max() for frame in frames.values())
    top = max(frame["count"].max() for frame in frames.values())
    slope = ax.plot([1, last], [top, top / last], color=GREY, lw=1, label="slope −1 (Zipf)")
    _make_x_logarithmic(ax)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(NUMBER)
    return _label_ends(ax, lines + slope)


def plot_bars(
    values: Mapping[str, float],
    across: str,
    *,
    highlight: Collection[str] = (),
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a bar for each name and value, the first on top; highlighted names in orange.

    >>> ax = plot_bars({"characters": 59, "BPE": 15}, "tokens", highlight=["BPE"])
    >>> [text.get_text() for text in ax.texts]
    ['59', '15']

    Raises ValueError if there is nothing to draw.
    """
    bars = [(str(name), value) for name, value in values.items()]
    if not bars:
        raise ValueError("there are no bars to draw: give a dict or a Series of numbers")
    ax = _draw_bars(ax, bars, across)
    for (name, _), bar in zip(bars, ax.patches, strict=True):
        if name in highlight:
            bar.set(color=ORANGE, hatch="//", edgecolor="white")
    return _add_title(ax, title)


def plot_stacks(frame: DataFrame, across: str, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw a horizontal bar for each row, made of one part for each column; a legend names them.

    Parts may be negative: they then grow to the left.

    >>> import pandas as pd
    >>> ax = plot_stacks(pd.DataFrame({"one": [1, 2], "two": [3, -1]}, index=["a", "b"]), "sum")
    >>> [(int(bar.get_x()), int(bar.get_width())) for bar in ax.patches]
    [(0, 1), (0, 2), (1, 3), (0, -1)]

    Raises ValueError if there is nothing to draw.
    """
    frame = _tables(frame, [])[""]
    ax = _prepare(ax, across, "", height=1.4 + 0.27 * len(frame))
    places = range(len(frame))
    ends = {1: [0.0] * len(frame), -1: [0.0] * len(frame)}  # sign -> where each bar has come to
    for i, (name, values) in enumerate(frame.items()):
        starts = []
        for place, value in zip(places, values, strict=True):
            side = ends[1 if value >= 0 else -1]
            starts.append(side[place])
            side[place] += value
        ax.barh(
            places,
            list(values),
            left=starts,
            color=COLOURS[i],
            edgecolor="white",
            hatch="////" * (i % 2),
            label=str(name),
        )
    ax.set_yticks(places, [str(name) for name in frame.index], parse_math=False)
    ax.set_ylim(len(frame) - 0.4, -0.6)
    ax.axvline(0, color=GREY, lw=1)
    figure = ax.get_figure(root=True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=POINTS)
    return _add_title(ax, title)


def plot_dots(
    frame: DataFrame,
    across: str,
    *,
    line: float | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a line of dots for each row, one for each column; a legend names the columns.

    ``line`` draws a vertical line at a value that all others are compared with. Where a value is
    missing there is no dot.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"ours": [3.1, 2.0], "theirs": [4.2, 1.9]}, index=["prose", "code"])
    >>> ax = plot_dots(table, "bytes per token", line=1)
    >>> [dots.get_xdata().tolist() for dots in ax.lines[-2:]]
    [[3.1, 2.0], [4.2, 1.9]]

    Raises ValueError if there is nothing to draw.
    """
    frame = _tables(frame, [])[""]
    rows = list(range(len(frame)))
    ax = _prepare(ax, across, "", height=1.4 + 0.27 * len(frame))
    ax.hlines(rows, frame.min(axis=1), frame.max(axis=1), color=GREY, lw=1)
    if line is not None:
        ax.axvline(line, color=GREY, lw=1, linestyle=":")
    for i, (name, values) in enumerate(frame.items()):
        look = _look(i) | {"linestyle": ""}
        size = max(9 - 1.5 * i, 5)  # of dots in one place, the smaller lies on the larger
        ax.plot(values.astype(float), rows, markersize=size, label=str(name), zorder=3, **look)
    ax.set_yticks(rows, [str(name) for name in frame.index], parse_math=False)
    ax.set_ylim(len(frame) - 0.4, -0.6)
    ax.margins(x=0.05)
    ax.locator_params(axis="x", nbins=6)
    figure = ax.get_figure(root=True)
    if len(frame.columns) > 1 and not figure.legends:  # two axes in one figure share it
        figure.legend(
            *ax.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=2,
            frameon=False,
            fontsize=POINTS,
        )
    return _add_title(ax, title)


def plot_lines(
    frame: DataFrame,
    across: str,
    up: str,
    *,
    log: str = "",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a line for each column against the index, labelled at its end.

    ``log`` names the axes that are logarithmic: "x", "y" or "xy".

    >>> import pandas as pd
    >>> costs = pd.DataFrame({"replay": [10, 20], "rank": [3, 3]}, index=[100, 200])
    >>> ax = plot_lines(costs, "merges", "pairs looked at", log="xy")
    >>> [text.get_text() for text in ax.texts]
    ['replay', 'rank']

    Raises ValueError if there is nothing to draw.
    """
    frame = _tables(frame, [])[""]
    ax = _prepare(ax, across, up)
    tables = {}
    for name in frame.columns:
        column = frame[name].dropna()
        tables[name] = column.rename("y").rename_axis("x").reset_index()
    lines = _draw_lines(ax, tables, "x", "y")
    if "x" in log:
        _make_x_logarithmic(ax)
    if "y" in log:
        ax.set_yscale("log")
        ax.set_ylabel(f"{up} (log scale)", fontsize=POINTS)
        ax.yaxis.set_major_formatter(NUMBER)
        ax.yaxis.set_minor_formatter("")
    return _add_title(_label_ends(ax, lines), title)


def plot_points(
    frame: DataFrame,
    x: str,
    y: str,
    *,
    log: str = "",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a point for each row, one column against another, with the row's name beside it.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [72, 256], "tokens": [59, 60]}, index=["chars", "bytes"])
    >>> [text.get_text() for text in plot_points(table, "size", "tokens", log="x").texts]
    ['chars', 'bytes']

    Raises ValueError if the table lacks one of the columns or has no rows.
    """
    frame = _tables(frame, [x, y])[""]
    ax = _prepare(ax, _axis_name(x), _axis_name(y))
    for i, (name, row) in enumerate(frame.iterrows()):
        look = _look(i)
        ax.scatter(row[x], row[y], color=look["color"], marker=look["marker"], s=50)
        ax.annotate(
            str(name),
            (row[x], row[y]),
            xytext=(7, 4),
            textcoords="offset points",
            color=INKS.get(look["color"], look["color"]),
            fontsize=POINTS,
            parse_math=False,
        )
    ax.margins(x=0.2, y=0.15)  # room for the names
    if "x" in log:
        _make_x_logarithmic(ax)
    if "y" in log:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(NUMBER)
    return _add_title(ax, title)


def show_figure(ax: Axes, alt: str) -> None:
    """Show a figure in a notebook, once, with a text for those who cannot see it.

    The text follows the figure and is read aloud, but not seen: the front ends of notebooks show
    no text of their own for a picture.

    >>> show_figure(plot_bars({"BPE": 15}, "tokens"), alt="One bar: BPE takes 15 tokens.")
    Figure(520x117)
    Figure: One bar: BPE takes 15 tokens.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    figure = ax.get_figure(root=True)
    text = f"Figure: {alt}"
    display(figure)
    display(Picture(hidden(text), text))
    plt.close(figure)


# What a figure is made from. The functions above call these in one order: check the tables,
# prepare the axes, draw, label.


def _tables(
    tables: DataFrame | dict[str, DataFrame], columns: list[str], log: bool = False
) -> dict[str, DataFrame]:
    """Return tables by name, checked and sorted by their first column; a single one is named ""."""
    if not isinstance(tables, dict) or not tables:
        tables = {"": tables}
    frames = {}
    for name, frame in tables.items():
        present = getattr(frame, "columns", ())  # what is not a table has none
        missing = [column for column in columns if column not in present]
        if missing:
            made_by = "tables are made by the functions of bpe_teach.measure.compression"
            raise ValueError(f"table {name!r} lacks the columns {missing}; {made_by}")
        if log:
            frame = frame[frame[columns[0]] > 0]
        if frame.empty:
            raise ValueError(f"table {name!r} has no rows to draw")
        frames[name] = frame.sort_values(columns[0], kind="stable") if columns else frame
    return frames


def _add_title(ax: Axes, title: str) -> Axes:
    """Write the title of a figure, which says what is to be seen; a long one in two lines."""
    if title:
        figure = ax.get_figure(root=True)
        figure.suptitle(textwrap.fill(title, 48), fontsize=POINTS + 1)
    return ax


def _axis_name(column: str) -> str:
    """Name a column for people, with its unit."""
    if column == "vocab_size":
        return "entries in the vocabulary"
    if column == "saved_percent":
        return "tokens saved (%)"
    words = column.replace("_per_", " per ").split(" ")
    spelled_out = {"chars": "characters", "char": "character"}
    return " ".join(spelled_out.get(word, word) for word in words)


def _prepare(ax: Axes | None, across: str, up: str, height: float = HEIGHT) -> Axes:
    """Set up axes, in a new figure if none are given, and name what they measure."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(WIDTH, height))
    figure = ax.get_figure(root=True)
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")  # so that no label is cut off
    ax.set_xlabel(across, fontsize=POINTS)
    ax.set_ylabel(up, fontsize=POINTS)
    ax.tick_params(which="both", labelsize=POINTS)
    ax.xaxis.set_major_formatter(NUMBER)
    ax.yaxis.set_major_formatter(NUMBER)
    ax.margins(x=0.02)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _look(i: int) -> dict[str, str]:
    """Return what sets the line number ``i`` of a figure apart: colour, style and marker."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": STYLES[i % len(STYLES)],
        "marker": MARKERS[i % len(MARKERS)],
    }


def _draw_lines(ax: Axes, frames: dict[str, DataFrame], x: str, y: str) -> list[Line2D]:
    """Draw one line for each table, the column ``y`` against the column ``x``."""
    lines = []
    for i, (name, frame) in enumerate(frames.items()):
        marked = (0.1, 0.2) if len(frame) > 20 else 1  # of many points only a few
        title = str(name) or " "  # for an empty name matplotlib would make one up
        lines += ax.plot(
            frame[x], frame[y], markersize=5, markevery=marked, label=title, **_look(i)
        )
    return lines


def _mark_knee(ax: Axes, line: Line2D, at: float, level: float) -> None:
    """Draw a circle where the knee of a line is, and add the place to the label of the line."""
    ax.scatter(
        at,
        level,
        s=90,
        color="white",
        edgecolor=line.get_color(),
        linewidths=2,
        zorder=3,
    )
    unit = ax.get_xlabel().split()[0]  # merges or entries
    line.set_label(f"{line.get_label()}\nknee at {at:,} {unit}".strip())


def _begin_ticks_with_the_data(ax: Axes) -> None:
    """Put the first tick where the data begin, and leave out those that would touch it."""
    low, high = ax.dataLim.intervalx
    room = (high - low) / 8
    ticks = [low]
    for tick in ax.get_xticks():
        if low + room < tick <= high:
            ticks.append(tick)
    ax.set_xticks(ticks)


def _make_x_logarithmic(ax: Axes) -> None:
    """Make the horizontal axis logarithmic, once everything is drawn."""
    ax.set_xscale("log")
    ax.set_xlabel(f"{ax.get_xlabel()} (log scale)")
    low, high = ax.dataLim.intervalx
    ticks = (1, 3) if high <= 300 * low else (1,)  # on a long axis 1, 3, 10, 30 would touch
    ax.xaxis.get_major_locator().set_params(subs=ticks)
    ax.xaxis.set_major_formatter(NUMBER)
    ax.xaxis.set_minor_formatter("")


def _draw_bars(ax: Axes | None, bars: Iterable[tuple[str, float]], across: str) -> Axes:
    """Draw a horizontal bar for each name and value, the first on top, its value at its end."""
    names, values = zip(*bars, strict=True)
    places = range(len(names))
    ax = _prepare(ax, across, "", height=0.9 + 0.27 * len(names))
    drawn = ax.barh(places, values, color=BLUE)
    whole = all(isinstance(value, int) for value in values)
    ax.bar_label(drawn, fmt="{:,.0f}" if whole else "{:.2f}", padding=3, fontsize=POINTS)
    ax.set_yticks(places, names, parse_math=False)  # two dollars do not make a formula
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.locator_params(axis="x", nbins=6)
    return ax


def _label_ends(ax: Axes, lines: Iterable[Line2D]) -> Axes:
    """Write the label of each line beside the axes, level with its end but clear of the others."""
    labels = [_label_end(ax, line) for line in lines if line.get_label().strip()]
    _spread(ax, labels)
    return ax


def _label_end(ax: Axes, line: Line2D) -> Annotation:
    """Write the label of a line beside the axes, with a dotted thread to the end of the line."""
    color = line.get_color()
    thread = {
        "arrowstyle": "-",
        "color": color,
        "linestyle": ":",
        "linewidth": 1,
        "relpos": (0, 0.5),  # from the middle of the left side of the label
    }
    rows = []
    for row in line.get_label().splitlines():
        rows += textwrap.wrap(row, LABEL_WIDTH)
    return ax.annotate(
        "\n".join(rows),
        xy=line.get_xydata()[-1],
        xytext=(1.03, 0.5),
        textcoords="axes fraction",
        arrowprops=thread,
        color=INKS.get(color, color),
        fontsize=POINTS,
        verticalalignment="center",
        parse_math=False,
    )


def _spread(ax: Axes, labels: list[Annotation]) -> None:
    """Move labels beside the axes up or down until none hides another."""
    from matplotlib.text import Text

    ax.get_figure(root=True).draw_without_rendering()  # now sizes and places are known
    heights = {}  # label -> pixels, with a little air
    for note in labels:
        box = Text.get_window_extent(note)  # an annotation's own method would add its thread
        heights[note] = 1.1 * box.height
    room = max(ax.bbox.height - sum(heights.values()), 0)
    stacked = 0  # pixels that the labels below take up
    lift = 0  # how far the stack is raised above the foot of the axes
    for note in sorted(labels, key=lambda note: note.xy[1]):
        middle = stacked + heights[note] / 2
        end = ax.transData.transform(note.xy)[1] - ax.bbox.y0
        lift = min(max(lift, end - middle), room)
        note.set_y((middle + lift) / ax.bbox.height)
        stacked += heights[note]
