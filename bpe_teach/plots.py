"""Plots: the tables of `compression` as figures.

Every function takes a table and returns the `Axes` it drew on: ``ax``, or those of a new figure.
The colours are Okabe and Ito's; markers and line styles differ too. So that no label is cut off,
a figure without a layout engine is given a constrained one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bpe_teach.symbols import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#595959"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#000000", ORANGE, "#56B4E9")
INKS = {"#009E73": "#00785A", "#CC79A7": "#A0457A", ORANGE: "#8A5A00", "#56B4E9": "#2A6F9E"}
STYLES, MARKERS = ("-", "--", "-.", ":"), ("o", "s", "^", "D", "v", "P", "X")


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
    """
    frames = _tables(curves, [x, y], log)
    ax = _prepare(ax, 4.2, _unit(x), _unit(y), log)
    lines = _draw_lines(ax, frames, x, y)
    for frame, line in zip(frames.values(), lines, strict=True):
        if mark_knee and (at := knee(frame, x, y, log=log)) is not None:
            height = frame[y][frame[x] == at].iloc[0]
            ax.scatter(at, height, 90, "white", ec=line.get_color(), linewidths=2, zorder=3)
            line.set_label(f"{line.get_label()}\nknee at {at:,} {_unit(x).split()[0]}".strip())
    if x == "vocab_size" and not log:
        low, high = ax.dataLim.intervalx  # no tick so near the first that their numbers touch
        ax.set_xticks([low, *(t for t in ax.get_xticks() if low + (high - low) / 12 < t <= high)])
    return _label_ends(ax, lines)


def knee(
    curve: DataFrame, x: str = "merges", y: str = "chars_per_token", *, log: bool = False
) -> float | None:
    """Return the ``x`` at which a curve is farthest from the line between its first and last point.

    This is Kneedle (Satopää et al. 2011) in its simplest form, without smoothing or threshold.
    It depends on the axes (``log``: of ``x``) and on where the curve ends, so it is a place to
    look at, no law. A straight line has none.

    >>> import pandas as pd
    >>> knee(pd.DataFrame({"merges": [0, 1, 2, 4], "chars_per_token": [1, 2, 3, 3]}))
    2
    """
    import numpy as np

    frame = _tables(curve, [x, y], log)[""]
    across, up = (np.log(frame[x]) if log else frame[x]).to_numpy(float), frame[y].to_numpy(float)
    # subtle: whether measured upward or at right angles to the line, the same point is farthest
    gaps = np.abs(up - np.interp(across, across[[0, -1]], up[[0, -1]]))
    return frame[x].iloc[gaps.argmax()].item() if gaps.max() > 1e-9 * np.ptp(up) else None


def plot_fertility(frame: DataFrame, *, value: str = "relative", ax: Axes | None = None) -> Axes:
    """Draw one column of `fertility` as bars, the lowest value on top.

    >>> import pandas as pd
    >>> ax = plot_fertility(pd.DataFrame({"relative": [1.0, 2.5]}, index=["English", "Greek"]))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts]
    ('tokens, English = 1', ['1.00', '2.50'])
    """
    bars = _tables(frame, [value])[""][value].to_dict()
    base = next((name for name in bars if value == "relative" and bars[name] == 1), None)
    return _draw_bars(ax, [*bars.items()], f"tokens, {base} = 1" if base else _unit(value))


def plot_token_lengths(frame: DataFrame, *, unit: str = "symbols", ax: Axes | None = None) -> Axes:
    """Draw `token_lengths` as bars; ``unit`` says what a length counts, "bytes" for example.

    >>> import pandas as pd
    >>> ax = plot_token_lengths(pd.DataFrame({"length": [1, 2], "vocabulary": [3, 1]}))
    >>> [float(bar.get_height()) for bar in ax.patches]
    [75.0, 25.0]
    """
    frame = _tables(frame, ["length", "vocabulary"])[""].set_index("length")
    ax = _prepare(ax, 3.8, f"length of a token ({unit})", "share (%)")
    width = 0.8 / frame.shape[1]
    for i, (name, counts) in enumerate(frame.items()):
        look = {"color": COLOURS[i], "hatch": "////" * i, "ec": "white", "label": name}
        ax.bar(frame.index - 0.4 + width * (i + 0.5), 100 * counts / counts.sum(), width, **look)
    ax.margins(y=0.25)  # room for the legend above the bars
    ax.legend(frameon=False, loc="upper right", ncols=2)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def plot_rank_frequency(frames: DataFrame | dict, *, ax: Axes | None = None) -> Axes:
    """Draw a table of `rank_frequency`, or several by name, beside a line of slope −1 (Zipf).

    >>> import pandas as pd
    >>> ax = plot_rank_frequency({"a text": pd.DataFrame({"rank": [1, 2], "count": [8, 3]})})
    >>> ax.lines[-1].get_xydata().tolist()
    [[1.0, 8.0], [2.0, 4.0]]
    """
    frames = _tables(frames, ["rank", "count"])
    ax = _prepare(ax, 4.2, "rank of the token", "occurrences (log scale)", log=True)
    lines = _draw_lines(ax, frames, "rank", "count")
    top, last = (max(frame[c].max() for frame in frames.values()) for c in ("count", "rank"))
    lines += ax.plot([1, last], [top, top / last], color=GREY, lw=1, label="slope −1 (Zipf)")
    ax.set_yscale("log")
    return _label_ends(ax, lines)


def plot_pair_counts(pair_counts: Counter, top: int = 20, *, ax: Axes | None = None) -> Axes:
    """Draw the most frequent pairs of `count_pairs` as bars; white space is made visible.

    >>> ax = plot_pair_counts({("l", "o"): 2, (" ", "l"): 1})
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['l + o', '· + l']
    """
    best = Counter(pair_counts).most_common(top)
    if not best:
        raise ValueError("there is no pair to draw: give the counts of count_pairs and top >= 1")
    bars = [(f"{label(left)} + {label(right)}", count) for (left, right), count in best]
    return _draw_bars(ax, bars, "occurrences of the pair")


def _tables(tables: DataFrame | dict, columns: list[str], log: bool = False) -> dict:
    """Sort tables by their first column, or say what they lack; a single one is named ""."""
    frames = dict(tables) if isinstance(tables, dict) and tables else {"": tables}
    for name, frame in frames.items():
        if missing := [c for c in columns if c not in getattr(frame, "columns", ())]:
            raise ValueError(f"table {name!r} lacks the columns {missing}; see compression.py")
        frame = frame[frame[columns[0]] > 0] if log else frame
        if frame.empty:
            raise ValueError(f"table {name!r} has no rows to draw")
        frames[name] = frame.sort_values(columns[0], kind="stable")
    return frames


def _unit(column: str) -> str:
    names = {"vocab_size": "entries in the vocabulary", "saved_percent": "tokens saved (%)"}
    return names.get(column) or column.replace("_per_", " per ").replace("char", "character")


def _prepare(ax: Axes | None, height: float, across: str, up: str, log: bool = False) -> Axes:
    """Set up the axes, which belong to a new figure if there are none yet."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(6.8, height))[1]  # inches; 6.8 is the column of a notebook
    figure = ax.get_figure(root=True)
    figure.set_layout_engine(figure.get_layout_engine() or "constrained")
    ax.set(xlabel=across + log * " (log scale)", ylabel=up, xmargin=0.02)
    ax.spines[["top", "right"]].set_visible(False)
    if log:
        ax.set_xscale("log")
        ax.xaxis.get_major_locator().set_params(subs=(1, 3))
        ax.xaxis.set_minor_formatter("")
    ax.xaxis.set_major_formatter("{x:,.10g}")
    return ax


def _draw_lines(ax: Axes, frames: dict, x: str, y: str) -> list:
    """Draw lines that differ in colour, style and marker."""
    lines = []
    for i, (name, frame) in enumerate(frames.items()):
        look = {"color": COLOURS[i % 7], "ls": STYLES[i % 4], "marker": MARKERS[i % 7], "ms": 5}
        every = (0.1, 0.2) if len(frame) > 20 else 1  # of many points, mark a few
        lines += ax.plot(frame[x], frame[y], markevery=every, label=str(name) or " ", **look)
    return lines


def _draw_bars(ax: Axes | None, bars: list[tuple[str, float]], across: str) -> Axes:
    """Draw horizontal bars, the first on top, each with its value at its end."""
    names, values = zip(*bars, strict=True)
    ax = _prepare(ax, 0.9 + 0.26 * len(names), across, "")
    drawn = ax.barh(range(len(names)), values, color=BLUE)
    ax.bar_label(drawn, fmt="{:.2f}" if float in map(type, values) else "{:,.0f}", padding=3)
    ax.set_yticks(range(len(names)), names, parse_math=False)  # two dollars are no formula
    ax.set_ylim(len(names) - 0.4, -0.6)
    return ax


def _label_ends(ax: Axes, lines: list) -> Axes:
    """Label lines beside the axes, level with their ends but clear of each other."""
    import numpy as np
    from matplotlib.text import Text

    ax.yaxis.set_major_formatter("{x:,.10g}")
    lines, texts = [line for line in lines if line.get_label().strip()], []
    for line in sorted(lines, key=lambda line: line.get_ydata()[-1]):
        note, color, end = line.get_label(), line.get_color(), line.get_xydata()[-1]
        thread = {"arrowstyle": "-", "color": color, "ls": ":", "lw": 1, "relpos": (0, 0.5)}
        look = {"color": INKS.get(color, color), "va": "center", "parse_math": False}
        texts.append(ax.annotate(note, end, (1.03, 0.5), "data", "axes fraction", thread, **look))
    ax.get_figure(root=True).draw_without_rendering()  # now sizes and places are known
    ends = [ax.transData.transform(text.xy)[1] - ax.bbox.y0 for text in texts]
    heights = np.array([1.1 * Text.get_window_extent(text).height for text in texts])
    stacked = np.cumsum(heights) - heights / 2  # places one upon the other; then lift them
    lifts = np.maximum.accumulate(ends - stacked).clip(0, max(ax.bbox.height - heights.sum(), 0))
    for text, place in zip(texts, stacked + lifts, strict=True):
        text.set_y(place / ax.bbox.height)
    return ax
