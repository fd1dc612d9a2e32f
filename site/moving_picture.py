"""The picture in README: a sentence becomes tokens, merge by merge, as an animated SVG.

python site/moving_picture.py draws notebooks/images/film.svg. The merges are the package's own. The
file loads nothing, has dark colours where the machine has, and stands still, at its end, for those
who want no motion. It stands on a ground of its own, so that it can be read on any page.
"""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from front import LETTERS, WOODCHUCK

from bpe_teach import Tokenizer
from bpe_teach.display import label
from bpe_teach.pictures.colours import TINTS

FILE = Path(__file__).parents[1] / "notebooks" / "images" / "film.svg"

WIDTH, EDGE = 760, 24
FONT, HEIGHT, LINE = 26, 40, 50  # of the letters, of a box, from line to line
LETTER = 0.602 * FONT  # fixed-width fonts agree on this to a hundredth
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
IN_BOX, BETWEEN, BETWEEN_WORDS = 15, 4, 5

BEFORE, AFTER = 0.8, 3.0  # seconds: at first, at the end
SLOWEST, QUICKEST, QUICKER = 1.0, 0.4, 0.85  # for the first merge, for a late one, from one to next
GLOW, SLIDE = 0.5, 0.35  # parts of a step; in the rest nothing moves

LIGHT = {"ground": "#fff", "ink": "#1f2328", "soft": "#57606a", "line": "#d0d7de"}
LIGHT |= {"edge": "#9aa3ad", "hot": "#bf5200", "hot_ink": "#fff"}
DARK = {"ground": "#161b22", "ink": "#e6e9ed", "soft": "#a7b0ba", "line": "#3a434e"}
DARK |= {"edge": "#66717d", "hot": "#e8762c", "hot_ink": "#161b22"}
DARK_TINTS = ("#123a52", "#4a3608", "#0f4033", "#4a2438", "#40390a")


@dataclass
class Box:
    """A symbol: after how many merges it is made and is gone, and where it stands after each."""

    text: str
    born: int = 0
    gone: int | None = None
    places: dict[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def width(self) -> float:
        """Return the width of the box."""
        return len(self.text) * LETTER + IN_BOX


class Clock:
    """When things happen, in seconds. The first merge can be followed; later ones are quicker."""

    def __init__(self, steps: int):
        self.ends = [BEFORE]  # of each merge; what comes first counts as merge 0
        for step in range(steps):
            self.ends.append(self.ends[-1] + max(SLOWEST * QUICKER**step, QUICKEST))
        self.end = round(self.ends[-1] + AFTER, 2)  # as it is written

    def begins(self, step: int) -> float:
        """Return when the pair of a merge glows; merges are counted from 1."""
        return self.ends[step - 1]

    def slides(self, step: int) -> float:
        """Return when its two boxes begin to slide together."""
        return self.begins(step) + GLOW * (self.ends[step] - self.begins(step))

    def lands(self, step: int) -> float:
        """Return when they have become one."""
        if step == 0:
            return 0
        return self.slides(step) + SLIDE * (self.ends[step] - self.begins(step))


def lines_of(words: list[list[Box]]) -> list[int]:
    """Return the line of each word. It keeps it, so that none flies about as lines get shorter."""
    x, line, lines = EDGE, 0, []
    for word in words:
        width = sum(box.width + BETWEEN for box in word)
        if x > EDGE and x + width > WIDTH - EDGE + BETWEEN:
            x, line = EDGE, line + 1
        lines.append(line)
        x += width + BETWEEN_WORDS
    return lines


def place(words: list[list[Box]], lines: list[int], step: int) -> None:
    """Say where each box stands after so many merges."""
    x, line_before = EDGE, 0
    for word, line in zip(words, lines, strict=True):
        if line != line_before:
            x, line_before = EDGE, line
        for box in word:
            box.places[step] = (round(x, 1), EDGE + line * LINE)
            x += box.width + BETWEEN
        x += BETWEEN_WORDS


def merge(word: list[Box], pair: tuple[str, str], step: int) -> list[tuple[Box, Box, Box]]:
    """Merge a pair in a word, in place; return the left and the right box, and what they became."""
    made = []
    i = 0
    while i + 1 < len(word):
        left, right = word[i : i + 2]
        if (left.text, right.text) == pair:
            left.gone = right.gone = step
            word[i : i + 2] = [Box(left.text + right.text, born=step)]
            made.append((left, right, word[i]))
        i += 1
    return made


def film(tok: Tokenizer, text: str) -> tuple[list[Box], list[int]]:
    """Return all boxes there ever are, and the number of tokens after each merge."""
    words = [[Box(sign) for sign in word] for word in tok.scheme.split(text)]
    boxes = [box for word in words for box in word]
    lines = lines_of(words)
    place(words, lines, 0)
    tokens = [len(boxes)]
    for step, (left, right, _) in enumerate(tok.merges, 1):
        made = [three for word in words for three in merge(word, (left, right), step)]
        place(words, lines, step)
        for first, second, both in made:  # they slide to where both will stand
            x, y = both.places[step]
            first.places[step] = (x, y)
            second.places[step] = (round(x + both.width - second.width, 1), y)
            boxes.append(both)
        tokens.append(sum(map(len, words)))
    return boxes, tokens


class Picture:
    """Collects shapes, and the rules that move them."""

    def __init__(self, tok: Tokenizer, text: str):
        self.tok = tok
        self.steps = len(tok.merges)
        self.clock = Clock(self.steps)
        self.boxes, self.tokens = film(tok, text)
        self.rules = {}  # keyframes -> name
        self.shapes = []

    def animate(self, frames: list[tuple[float, str]], kind: str) -> str:
        """Return the style that leads through frames, each a time and what holds then."""
        times = (f"{100 * at / self.clock.end:.2f}%{{{what}}}" for at, what in frames)
        name = self.rules.setdefault("".join(times), f"a{len(self.rules)}")
        return f"animation:{name} {self.clock.end:.2f}s {kind} infinite"

    def seen(self, first: float, last: float) -> str:
        """Return the style of what is seen from one time to another."""
        frames = [(0, "opacity:1" if first == 0 else "opacity:0")]
        if first:
            frames.append((first, "opacity:1"))
        if last < self.clock.end:
            frames.append((last, "opacity:0"))
        return self.animate(frames, "step-end")

    def moves(self, places: dict[int, tuple[float, float]]) -> str:
        """Return the style of what stands at these places, one after the other."""
        at = "transform:translate({:.1f}px,{:.1f}px)"
        steps = sorted(places)
        frames = [(0, at.format(*places[steps[0]]))]
        for before, after in zip(steps, steps[1:], strict=False):
            if places[before] != places[after]:
                frames.append((self.clock.slides(after), at.format(*places[before])))
                frames.append((self.clock.lands(after), at.format(*places[after])))
        last = at.format(*places[steps[-1]])
        frames.append((self.clock.end, last))
        return f"{last};{self.animate(frames, 'linear')}" if len(frames) > 2 else last

    def draw_box(self, box: Box) -> None:
        """Draw a symbol from its making to its merge, before which it glows."""
        stays = box.gone is None
        last = self.clock.end if stays else self.clock.lands(box.gone)
        look = f"t{(box.born - 1) % len(TINTS)}" if box.born else "plain"
        middle = f'x="{box.width / 2:.1f}" y="{HEIGHT / 2 + 0.34 * FONT:.1f}"'
        shape = f'width="{box.width:.1f}" height="{HEIGHT}" rx="6"'
        text = f"<text {middle}>{escape(label(box.text))}</text>"
        glowing = ""
        if not stays:
            style = self.seen(self.clock.begins(box.gone), self.clock.end)
            glowing = f'<g class="hidden hot" style="{style}"><rect {shape}/>{text}</g>'
        life = self.seen(self.clock.lands(box.born), last)
        hidden = "" if stays else ' class="hidden"'
        self.shapes.append(
            f'<g style="{self.moves(box.places)}"><g{hidden} style="{life}">'
            f'<rect class="{look}" {shape}/>{text}{glowing}</g></g>'
        )

    def draw_curve(self, top: float, bottom: float) -> None:
        """Draw the number of tokens against merges: in grey all of it, in colour how far it is."""
        left, right = 300, WIDTH - EDGE - 6
        most, least = self.tokens[0], self.tokens[-1]
        points = {
            step: (
                left + (right - left) * step / self.steps,
                top + (bottom - top) * (most - tokens) / (most - least),
            )
            for step, tokens in enumerate(self.tokens)
        }
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.values())
        covered = {step: (x - right - 8, 0) for step, (x, _) in points.items()}
        size = f'x="{left - 8}" width="{right - left + 16}" height="{bottom + 20}"'
        self.shapes += [
            f'<polyline class="whole" points="{path}"/>',
            f'<clipPath id="c"><rect {size} style="{self.moves(covered)}"/></clipPath>',
            f'<polyline class="so-far" clip-path="url(#c)" points="{path}"/>',
            f'<circle class="dot" r="7" style="{self.moves(points)}"/>',
            f'<text class="small" x="{left - 16}" y="{top + 7}">{most}</text>',
            f'<text class="small" x="{right + 6}" y="{bottom - 16}">{least}</text>',
        ]

    def write(self, words: str, look: str, y: float, first: float, last: float) -> None:
        """Write a text that is seen from one time to another; the last ones stay without motion."""
        if last < self.clock.end:
            look += " hidden"
        place = f'x="{EDGE}" y="{y}" style="{self.seen(first, last)}"'
        self.shapes.append(f'<text class="{look}" {place}>{escape(words)}</text>')

    def write_counts(self, y: float) -> None:
        """Write the number of tokens at each time, and the pair that is merged.

        Before the first merge stands what the dot means, and after the last one what was done.
        """
        ends = [self.clock.lands(step) for step in range(1, self.steps + 1)] + [self.clock.end]
        for step, (tokens, last) in enumerate(zip(self.tokens, ends, strict=True)):
            self.write(str(tokens), "number", y, self.clock.lands(step), last)
        for step, found in enumerate(self.tok.merges, 1):
            pair = " + ".join(map(label, found.pair))
            begins = self.clock.begins(step)
            ends = self.clock.begins(step + 1) if step < self.steps else self.clock.lands(step)
            self.write(f"{pair}, {found.count} times", "soft", y + 36, begins, ends)
        self.write("· is a space", "soft", y + 36, 0, self.clock.begins(1))
        end = f"{self.steps} merges; · is a space"
        self.write(end, "soft", y + 36, self.clock.lands(self.steps), self.clock.end)
        self.shapes.append(f'<text class="soft" x="{EDGE + 102}" y="{y}">tokens</text>')

    def svg(self) -> str:
        """Draw everything."""
        for box in self.boxes:
            self.draw_box(box)
        foot = max(y for box in self.boxes for _, y in box.places.values()) + HEIGHT
        height = foot + 138
        self.write_counts(foot + 78)
        self.draw_curve(foot + 40, height - 20)
        first, last = self.tokens[0], self.tokens[-1]
        title = f"The characters of “{WOODCHUCK}” become tokens: {first}, then {last}."
        rules = "".join(f"@keyframes {name}{{{frames}}}" for frames, name in self.rules.items())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
            f"<title>{escape(title)}</title><style>{STYLE}{rules}{CALM}</style>"
            f'<rect class="ground" x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="14"/>'
            f"{''.join(self.shapes)}</svg>\n"
        )


def colours(named: dict[str, str], grounds: list[str]) -> str:
    """Return the rules for the colours of all shapes."""
    rules = """text{{fill:{ink}}}.soft,.small{{fill:{soft}}}.ground{{fill:{ground};stroke:{line}}}
        .plain{{fill:{ground};stroke:{edge}}}.hot rect{{fill:{hot};stroke:{hot}}}
        .hot text{{fill:{hot_ink}}}.dot{{fill:{hot}}}.so-far{{stroke:{hot}}}
        .whole{{stroke:{line}}}"""
    tints = (
        f".t{i}{{fill:{ground};stroke:{tint.edge}}}"
        for i, (ground, tint) in enumerate(zip(grounds, TINTS, strict=True))
    )
    return "".join(line.strip() for line in rules.format(**named).splitlines()) + "".join(tints)


STYLE = (
    f"text{{font:{FONT}px {MONO};text-anchor:middle}}"
    ".number,.soft{font-family:system-ui,sans-serif;text-anchor:start}.soft{font-size:25px}"
    ".small{font:20px system-ui,sans-serif;text-anchor:end}"
    ".number{font-size:68px;font-weight:bold}.hidden{opacity:0}rect{stroke-width:2}"
    "polyline{fill:none;stroke-width:4;stroke-linejoin:round}"
    + colours(LIGHT, [tint.ground for tint in TINTS])
    + f"@media(prefers-color-scheme:dark){{{colours(DARK, DARK_TINTS)}}}"
)
CALM = "@media(prefers-reduced-motion:reduce){*{animation:none!important}}"


def draw() -> str:
    """Return the picture."""
    tok = Tokenizer.train(WOODCHUCK, scheme=LETTERS, num_merges=99)
    return Picture(tok, WOODCHUCK).svg()


if __name__ == "__main__":
    FILE.write_text(draw(), "utf-8")
