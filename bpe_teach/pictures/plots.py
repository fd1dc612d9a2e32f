"""Plots: the tables of `compression` as figures.

Every function takes a table and returns the `Axes` of a new figure. The functions raise ValueError
if there is nothing to draw, or if a column is missing. The colours are those of Okabe and Ito, and
lines and bars differ in more than their colours.
"""

from __future__ import annotations

import textwrap
from io import BytesIO
from typing import TYPE_CHECKING

from bpe_teach.pictures.boxes import Picture, hidden

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy import ndarray
    from pandas import DataFrame

    Tables = DataFrame | dict[str, DataFrame]  # one table, or several by name

# Letters of this size in a figure of this width can be read if the figure is 400 pixels wide.
POINTS = 11
WIDTH, HEIGHT = 5.2, 3.6  # inches
SHOWN_WIDTH = 680  # pixels; less on a narrower page
COLOURS_OF_PICTURES = 48
LABEL_WIDTH = 17  # characters in a row of a label beside the axes
ROW_HEIGHT = 1.3 * POINTS / 72  # inches, with a little space between rows
LETTER_WIDTH = 0.6 * POINTS / 72  # mean width of a letter in inches
GAP = 6  # points between the end of a line and its name
LETTERS = {"fontsize": POINTS, "parse_math": False}  # two dollar signs make no formula

NUMBER = "{x:,.10g}"  # how ticks are written: 2.5, 1,000
GREY = "#595959"
TEXT = "bpe-figure"  # class of the text that follows a figure
# If JupyterLab is dark, a figure turns dark and keeps its hues. The rule for this stands after the
# figure, together with the figure's text, because a picture can't hold rules for the page around.
IN_THE_DARK = (
    f'<style>[data-jp-theme-light="false"] .jp-OutputArea-child:has(+ * .{TEXT}) img'
    "{filter:invert(.93) hue-rotate(180deg)}</style>"
)
# The colours are those of Okabe and Ito; lines differ in more than colour.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"]
STYLES = ["-", "--", "-.", ":"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
INKS = {  # colour that is too pale for letters -> a darker colour for them
    "#009E73": "#00785A",
    "#CC79A7": "#A0457A",
    "#E69F00": "#8A5A00",
    "#56B4E9": "#2A6F9E",
}
AXIS_NAMES = {  # column -> its name for people, if this name is different
    "bytes_per_token": "bytes per token",
    "chars_per_token": "characters per token",
    "saved_percent": "tokens saved (%)",
    "tokens_per_word": "tokens per word",
    "vocab_size": "entries in the vocabulary",
}


def plot_compression(
    curves: Tables,
    *,
    x: str = "merges",
    y: str = "chars_per_token",
    log: bool = False,
    mark_knee: bool = True,
    title: str = "",
) -> Axes:
    """Draw a table of `compression_curve`, or several by name; a circle marks each curve's `knee`.

    ``x`` is "merges" or "vocab_size". If ``log`` is true, the axis of ``x`` is logarithmic, and the
    figure shows neither the value 0 nor any knees.

    >>> import pandas as pd
    >>> curve = pd.DataFrame({"merges": [0, 1, 2, 3], "chars_per_token": [1, 2, 2.5, 2.75]})
    >>> plot_compression({"a text": curve}).texts[0].get_text()
    'a text\\nknee at 1 merges'
    """
    frames = _tables(curves, [x, y], log)
    height = max(HEIGHT, 0.7 + 0.45 * len(frames))  # each label gets room for two rows
    across, up = (AXIS_NAMES.get(column, column) for column in (x, y))
    ax = _prepare(across, up, height=height, title=title)
    lines = _draw_lines(ax, frames, x, y)
    for frame, line in zip(frames.values(), lines, strict=True):
        at = knee(frame, x, y) if mark_knee and not log else None
        if at is not None:
            level = frame[y][frame[x] == at].iloc[0]
            look = {"color": "white", "edgecolor": line.get_color(), "linewidths": 2, "zorder": 3}
            ax.scatter(at, level, s=90, **look)
            unit = ax.get_xlabel().split()[0]  # merges or entries
            line.set_label(f"{line.get_label()}\nknee at {at:,} {unit}".strip())
    if log:
        _make_logarithmic(ax, "x")
    return _name_lines(ax, lines)


def knee(curve: DataFrame, x: str = "merges", y: str = "chars_per_token") -> float | None:
    """Return the ``x`` at which a curve is farthest from the line between its first and last point.

    The method is Kneedle (Satopää et al. 2011) in its simplest form, without smoothing or a
    threshold. The knee depends on where the curve ends, so the knee is a place to look at, not a
    law. A straight line has no knee.

    >>> import pandas as pd
    >>> knee(pd.DataFrame({"merges": [0, 1, 2, 4], "chars_per_token": [1, 2, 3, 3]}))
    2
    """
    import numpy as np

    frame = _tables(curve, [x, y])[""]
    across = frame[x].to_numpy(float)
    up = frame[y].to_numpy(float)
    straight = np.interp(across, across[[0, -1]], up[[0, -1]])
    # subtle: whether measured upward or at right angles to the line, the same point is farthest
    gaps = np.abs(up - straight)
    if gaps.max() <= 1e-9 * np.ptp(up):  # nothing but rounding
        return None
    return frame[x].iloc[gaps.argmax()].item()


def plot_rank_frequency(frames: Tables, *, title: str = "") -> Axes:
    """Draw a table of `rank_frequency`, or several by name, and a line of slope −1 (Zipf's law).

    >>> import pandas as pd
    >>> ax = plot_rank_frequency({"a text": pd.DataFrame({"rank": [1, 2], "count": [8, 3]})})
    >>> ax.lines[-1].get_xydata().tolist()
    [[1.0, 8.0], [2.0, 4.0]]
    """
    frames = _tables(frames, ["rank", "count"])
    ax = _prepare("place by frequency", "occurrences", title=title)
    lines = _draw_lines(ax, frames, "rank", "count")
    last = max(frame["rank"].max() for frame in frames.values())
    top = max(frame["count"].max() for frame in frames.values())
    slope = ax.plot([1, last], [top, top / last], color=GREY, lw=1, label="slope −1 (Zipf)")
    _make_logarithmic(ax, "xy")
    return _name_lines(ax, lines + slope)


def plot_stacks(frame: DataFrame, across: str, *, title: str = "") -> Axes:
    """Draw a bar for each row, with a part for each column; negative parts go to the left.

    >>> import pandas as pd
    >>> ax = plot_stacks(pd.DataFrame({"one": [1, 2], "two": [3, -1]}, index=["a", "b"]), "sum")
    >>> [(int(bar.get_x()), int(bar.get_width())) for bar in ax.patches]
    [(0, 1), (0, 2), (1, 3), (0, -1)]
    """
    frame = _tables(frame, [])[""]
    ax = _prepare(across, "", height=1.4 + 0.27 * len(frame), title=title)
    frame.plot.barh(ax=ax, stacked=True, width=0.8, color=COLOURS, legend=False)
    ax.set(xlabel=across, ylabel="")
    ax.axvline(0, color=GREY, lw=1)
    for i, bars in enumerate(ax.containers):
        hatch = "" if i % 2 == 0 else "////"  # so that colour is not the only difference
        for bar in bars:
            bar.set(edgecolor="white", hatch=hatch)
    return _name_rows(ax, frame)


def plot_dots(frame: DataFrame, across: str, *, line: float | None = None, title: str = "") -> Axes:
    """Draw dots for each row, one dot for each column.

    The dots can be compared with a vertical line, which is drawn at ``line``.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"ours": [3.1, 2.0], "theirs": [4.2, 1.9]}, index=["prose", "code"])
    >>> ax = plot_dots(table, "bytes per token", line=1)
    >>> [dots.get_xdata().tolist() for dots in ax.lines[-2:]]
    [[3.1, 2.0], [4.2, 1.9]]
    """
    frame = _tables(frame, [])[""]
    rows = list(range(len(frame)))
    ax = _prepare(across, "", height=1.4 + 0.27 * len(frame), title=title)
    ax.hlines(rows, frame.min(axis=1), frame.max(axis=1), color=GREY, lw=1)
    if line is not None:
        ax.axvline(line, color=GREY, lw=1, linestyle=":")
    for i, (name, values) in enumerate(frame.items()):
        look = _look(i) | {"linestyle": ""}
        size = max(9 - 1.5 * i, 5)  # if two dots meet, the smaller dot lies on the larger
        ax.plot(values.astype(float), rows, markersize=size, label=str(name), zorder=3, **look)
    ax.margins(x=0.05)
    return _name_rows(ax, frame)


def plot_lines(frame: DataFrame, across: str, up: str, *, log: str = "", title: str = "") -> Axes:
    """Draw each column as a line against the index, with the column's name at the line's end.

    ``log`` names the axes that are logarithmic: "x", "y" or "xy".

    >>> import pandas as pd
    >>> costs = pd.DataFrame({"replay": [10, 20], "rank": [3, 3]}, index=[100, 200])
    >>> ax = plot_lines(costs, "merges", "pairs looked at", log="xy")
    >>> sorted(text.get_text() for text in ax.texts)
    ['rank', 'replay']
    """
    frame = _tables(frame, [])[""]
    ax = _prepare(across, up, title=title)
    tables = {}
    for name in frame.columns:
        tables[name] = frame[name].dropna().rename("y").rename_axis("x").reset_index()
    lines = _draw_lines(ax, tables, "x", "y")
    _make_logarithmic(ax, log)
    return _name_lines(ax, lines)


def show_figure(ax: Axes, alt: str = "") -> None:
    """Show a figure in a notebook, once, with a text for people who cannot see it.

    The text follows the figure, because the front ends of notebooks offer no alternative text for a
    picture. It is read aloud but not shown. If ``alt`` is not given, the text comes from
    `describe_figure`.

    The picture is sharp even on screens with twice the usual resolution. The file of the picture is
    still small, because figures have few colours.

    >>> import pandas as pd
    >>> bars = plot_stacks(pd.DataFrame({"tokens": [15]}, index=["BPE"]), "tokens")
    >>> show_figure(bars)
    <Figure size 520x167 with 1 Axes>
    Figure: tokens: BPE 15.
    """
    import matplotlib.pyplot as plt
    from IPython.display import display

    text = f"Figure: {alt or describe_figure(ax)}"
    display(_SharpFigure(ax.figure))
    display(Picture(f'<span class="{TEXT}">{hidden(text)}</span>{IN_THE_DARK}', text))
    plt.close(ax.figure)


def describe_figure(ax: Axes) -> str:
    """Return in words what a figure of this module shows: its title, its axes, its lines or rows.

    For each line, the text says where the line begins and ends. It also says where the line is
    highest and lowest, if these points are between its ends.

    >>> import pandas as pd
    >>> costs = pd.DataFrame({"replay": [10, 30, 20]}, index=[100, 200, 400])
    >>> describe_figure(plot_lines(costs, "merges", "pairs"))
    'pairs against merges: replay from 10 at 100 to 20 at 400, highest 30 at 200.'
    """
    title = " ".join(ax.figure.get_suptitle().split())
    beginning = f"{title}. " if title else ""
    if ax.yaxis_inverted():  # rows begin on top
        axes = ax.get_xlabel()
        parts = _describe_rows(ax)
    else:
        axes = f"{ax.get_ylabel()} against {ax.get_xlabel()}"
        parts = [_describe_line(line) for line in ax.lines]
    return f"{beginning}{axes}: {'; '.join(parts)}."


def _describe_line(line: Line2D) -> str:
    """Return in words where a line begins and ends, and any extreme point between its ends."""
    name = " ".join(line.get_label().replace("\nknee", ", knee").split())
    if not name or name.startswith("knee"):
        name = f"the line, {name}".removesuffix(", ")
    if ", knee" in name:
        name += ","
    points = [(_write(x), _write(y), y) for x, y in line.get_xydata()]
    (start, first, _), (end, last, _) = points[0], points[-1]
    if len({written for _, written, _ in points}) == 1:
        return f"{name} {first} from {start} to {end}"
    said = f"{name} from {first} at {start} to {last} at {end}"
    for word, choose in (("highest", max), ("lowest", min)):
        at, written, _ = choose(points, key=lambda point: point[2])
        if written not in (first, last):
            said += f", {word} {written} at {at}"
    return said


def _describe_rows(ax: Axes) -> list[str]:
    """Return, for each row, its values in words; name the columns if there are several."""
    columns = {}  # name -> values, from the first row
    for bars in ax.containers:
        columns[bars.get_label()] = [bar.get_width() for bar in bars]
    for line in ax.lines:
        if not line.get_label().startswith("_"):
            columns[line.get_label()] = list(line.get_xdata())
    said = []
    for i, tick in enumerate(ax.get_yticklabels()):
        values = []
        for name, column in columns.items():
            values.append(f"{name} {_write(column[i])}" if len(columns) > 1 else _write(column[i]))
        said.append(f"{tick.get_text()} {', '.join(values)}")
    return said


def _write(number: float) -> str:
    """Return a number as text: with three digits, a large number whole, a rounding error as 0."""
    if abs(number) < 1e-9:
        return "0"
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


class _SharpFigure:
    """A figure as a notebook shows it, with two image pixels for each screen pixel."""

    def __init__(self, figure):
        self.figure = figure

    def __repr__(self) -> str:
        return repr(self.figure)

    def _repr_png_(self) -> tuple[bytes, dict]:
        from PIL import Image  # matplotlib requires it

        written = BytesIO()
        dots_per_inch = 2 * SHOWN_WIDTH / self.figure.get_figwidth()
        self.figure.savefig(written, dpi=dots_per_inch, facecolor="white")
        picture = Image.open(written).convert("RGB").quantize(COLOURS_OF_PICTURES)
        small = BytesIO()
        picture.save(small, "png", optimize=True)
        return small.getvalue(), {"width": SHOWN_WIDTH}


# The functions above call these, in this order: check, prepare the axes, draw, name lines or rows.


def _tables(tables: Tables, columns: list[str], log: bool = False) -> dict[str, DataFrame]:
    """Return tables by name, checked and sorted by their first column; a single table gets ""."""
    if not isinstance(tables, dict) or not tables:
        tables = {"": tables}
    frames = {}
    for name, frame in tables.items():
        present = getattr(frame, "columns", ())  # only a table has columns
        missing = [column for column in columns if column not in present]
        if missing:
            made_by = "tables are made by the functions of bpe_teach.compression"
            raise ValueError(f"table {name!r} lacks the columns {missing}; {made_by}")
        if log:
            frame = frame[frame[columns[0]] > 0]
        if frame.empty:
            raise ValueError(f"table {name!r} has no rows to draw")
        frames[name] = frame.sort_values(columns[0], kind="stable") if columns else frame
    return frames


def _prepare(across: str, up: str, *, height: float = HEIGHT, title: str = "") -> Axes:
    """Return the axes of a new figure, labelled with ``across`` and ``up``."""
    import matplotlib.pyplot as plt

    # with the layout "constrained", no label is cut off
    figure, ax = plt.subplots(figsize=(WIDTH, height), layout="constrained")
    if title:
        figure.suptitle(textwrap.fill(title, 48), fontsize=POINTS + 1)
    ax.set_xlabel(across, fontsize=POINTS)
    ax.set_ylabel(up, fontsize=POINTS)
    ax.tick_params(which="both", labelsize=POINTS)
    ax.xaxis.set_major_formatter(NUMBER)
    ax.yaxis.set_major_formatter(NUMBER)
    ax.margins(x=0.02)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _look(i: int) -> dict[str, str]:
    """Return the style that distinguishes the line number ``i`` of a figure."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": STYLES[i % len(STYLES)],
        "marker": MARKERS[i % len(MARKERS)],
    }


def _draw_lines(ax: Axes, frames: dict[str, DataFrame], x: str, y: str) -> list[Line2D]:
    """Draw one line for each table, the column ``y`` against the column ``x``."""
    lines = []
    for i, (name, frame) in enumerate(frames.items()):
        marked = (0.1, 0.2) if len(frame) > 20 else 1  # if there are many points, mark only a few
        # If the name is empty, matplotlib would make one up.
        look = _look(i) | {"label": textwrap.fill(str(name), LABEL_WIDTH) or " "}
        lines += ax.plot(frame[x], frame[y], markersize=5, markevery=marked, **look)
    return lines


def _make_logarithmic(ax: Axes, log: str) -> None:
    """Make the axes named by ``log`` ("x", "y" or "xy") logarithmic, after all is drawn."""
    axes = {"x": (ax.xaxis, ax.set_xscale), "y": (ax.yaxis, ax.set_yscale)}
    for name in log:
        axis, set_scale = axes[name]
        set_scale("log")
        low, high = axis.get_data_interval()
        ticks = (1, 3) if high <= 300 * low else (1,)  # on a long axis 1, 3, 10, 30 would touch
        axis.get_major_locator().set_params(subs=ticks)
        axis.set_major_formatter(NUMBER)
        axis.set_minor_formatter("")
        axis.set_label_text(f"{axis.get_label_text()} (log scale)")


def _name_rows(ax: Axes, frame: DataFrame) -> Axes:
    """Name the rows at the vertical axis, the first row on top; name columns in a legend."""
    ax.locator_params(axis="x", nbins=5)
    ax.set_yticks(range(len(frame)), frame.index, **LETTERS)
    ax.set_ylim(len(frame) - 0.4, -0.6)
    if len(frame.columns) > 1:
        handles, names = ax.get_legend_handles_labels()
        columns = 3 if sum(map(len, names)) < 40 else 2
        look = {"loc": "outside lower center", "frameon": False, "fontsize": POINTS}
        ax.figure.legend(handles, names, ncols=columns, **look)
    return ax


def _name_lines(ax: Axes, lines: list[Line2D]) -> Axes:
    """Name each line at its end if there is room there, otherwise beside the axes."""
    lines = [line for line in lines if line.get_label().strip()]
    ax.autoscale_view()  # from now on it is known where in the axes a line ends
    named = []
    for line in [*lines]:
        if not _has_room_at_end(ax, line, named):
            continue
        named.append(line)
        lines.remove(line)
        beside = {"xytext": (GAP, 0), "textcoords": "offset points", "va": "center"}
        ax.annotate(line.get_label(), line.get_xydata()[-1], color=_ink(line), **beside, **LETTERS)
    # The highest line comes first. If two lines end at the same height, the shorter comes first, so
    # that no thread crosses the longer line.
    lines.sort(key=lambda line: (-line.get_ydata()[-1], line.get_xdata()[-1]))
    heights = [_size_of_label(ax, line)[1] for line in lines]
    ceiling = 1.0  # the foot of the label above; heights are shares of the axes' height
    for i, line in enumerate(lines):
        end = line.get_xydata()[-1]
        half = heights[i] / 2
        place = min(_in_axes(ax, line)[-1][1], ceiling - half)
        place = max(place, sum(heights[i + 1 :]) + half)  # leave room for the labels below
        ceiling = place - half
        color = line.get_color()
        thread = {"arrowstyle": "-", "color": color, "linestyle": ":", "relpos": (0, 0.5)}
        beside = {"xytext": (1.03, place), "textcoords": "axes fraction", "va": "center"}
        ax.annotate(line.get_label(), end, arrowprops=thread, color=_ink(line), **beside, **LETTERS)
    return ax


def _ink(line: Line2D) -> str:
    """Return the colour for the letters of a line's name."""
    return INKS.get(line.get_color(), line.get_color())


def _in_axes(ax: Axes, line: Line2D) -> ndarray:
    """Return the points of a line as shares of the width and height of the axes."""
    return (ax.transData - ax.transAxes).transform(line.get_xydata())


def _size_of_label(ax: Axes, line: Line2D) -> tuple[float, float]:
    """Return the width and height of a line's name, as shares of the axes' width and height."""
    rows = line.get_label().split("\n")
    place = ax.get_position()
    width = LETTER_WIDTH * max(map(len, rows)) / (place.width * ax.figure.get_figwidth())
    height = ROW_HEIGHT * len(rows) / (place.height * ax.figure.get_figheight())
    return width, height


def _has_room_at_end(ax: Axes, line: Line2D, named: list[Line2D]) -> bool:
    """Return whether there is room for a line's name to the right of its end.

    The name must meet no other line, and no name at the end of another line. The lines in ``named``
    already have their names at their ends.
    """
    import numpy as np

    width, height = _size_of_label(ax, line)
    left, middle = _in_axes(ax, line)[-1]
    below, above = middle - height / 2, middle + height / 2
    if left + width > 0.97 or below < 0 or above > 1.03:
        return False
    for other in ax.lines:
        across, up = _in_axes(ax, other).T
        if other in named:  # its name counts as a part of the line
            end = across[-1] + _size_of_label(ax, other)[0]
            across, up = np.append(across, end), np.append(up, up[-1])
        met = np.interp(np.linspace(left, left + width), across, up, left=-1, right=-1)
        if other is not line and ((below < met) & (met < above)).any():
            return False
    return True
