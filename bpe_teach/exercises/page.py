"""Page: read the exercises of a notebook from a page of Markdown. README.md shows how to write one.

Only pages of this package are read. Their code runs as if it stood in a module, and an error names
the page and the line.
"""

import ast
import linecache
import re
from importlib import import_module
from pathlib import Path
from textwrap import indent

from bpe_teach.exercises import FULL_NAMES, PAGES
from bpe_teach.exercises.answer import source_of
from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.program import MODULES, PARTS, Part, program
from bpe_teach.exercises.record import record
from bpe_teach.exercises.sections import CODE, OPTIONS, TEXTS, Item, Section, read_sections

SLIP = re.compile(r"(.*?)(?: \(with (.+?)\))?(?:: (.*))?")
CHANGE = re.compile(r"(.*?) →(?: (.*))?")
SHARED = re.compile(r"(?:(?<=: )|^)\[([A-Z]\w*)\]$")  # stands for a text that the page has named


class Page:
    """A page. ``space`` holds the names of its code and texts, ``made`` its exercises."""

    def __init__(self, path: Path):
        self.path = path
        self.number, _, name = path.stem.partition("_")
        self.module = name or self.number
        self.space: dict[str, object] = {"__name__": FULL_NAMES.get(self.module, __name__)}
        self.made: dict[str, object] = {}
        for section in read_sections(path.read_text("utf-8").splitlines()):
            self.add(section)

    def names(self) -> dict[str, object]:
        """Return all that a module of exercises holds, by name."""
        names = self.space | self.made | {"record": record}
        del names["__builtins__"], names["__name__"]
        if self.number in MODULES:
            names["my_bpe"] = program(self.number, f"{self.module}.my_bpe")
            earlier = [number for number in MODULES if number < self.number]
            if earlier:  # the names that the page of the notebook before has left
                names["brought"] = program(earlier[-1], f"{self.module}.brought")
        return names

    def add(self, section: Section) -> None:
        """Run the code of a section and make its exercise."""
        calls = self.run(section.code)
        options = {}
        for item in section.items:
            item.text = SHARED.sub(lambda name: self.space[name[1]], item.text)
            if item.kind.isupper():
                self.space[item.kind] = item.text
            elif item.kind == "long":  # made when it is needed; there may be several
                make = self.evaluate(f"lambda: ({item.text})", item.line)
                options["long"] = [*options.get("long", ()), make]
            elif item.kind in OPTIONS:
                options[item.kind] = self.option(item)
        if not section.name:  # the part before the first heading
            return
        options["hints"] = [item.text for item in section.all("hint")]
        if "smallest" in options:
            kind = Hunt
        elif calls or "cases" in options or "solve" in options:
            kind = Part if f"{self.number} {section.name}" in PARTS else Function
            self.complete_function(section, calls, options)
        else:
            kind = Value
            self.complete_value(section, options)
        place = f"{self.module}.{section.name}"
        self.made[section.name] = kind(section.ask, place=place, **options)

    def complete_function(self, section: Section, calls: list[ast.Expr], options: dict) -> None:
        """Add to ``options`` the solution, its cases, and the habits and errors of all pages."""
        solve = options.setdefault("solve", self.space.get(section.name))
        self.space[f"solve_{section.name}"] = solve
        options["cases"] = [*map(self.case, calls), *options.get("cases", ())]
        self.source = source_of(solve)
        samples = import_module("bpe_teach.exercises.samples")  # a page, too
        options["habits"] = samples.habits_of(solve)
        options["errors"] = samples.ERRORS
        options["slips"], options["only_with"] = [], {}
        for item in section.all("slip"):
            function, code, why = self.slip(item)
            options["slips"].append((function, why))
            if code:
                options["only_with"][function] = code
        for habit, why in options["habits"]:
            if why in samples.ONLY_WITH:
                options["only_with"][habit] = samples.ONLY_WITH[why]

    def complete_value(self, section: Section, options: dict) -> None:
        """Add to ``options`` the right answer and the known wrong answers; some are choices."""
        options |= {"choices": {}, "slips": []}
        for item in section.items:
            if item.kind in ("right", "slip"):
                value, choice, why = self.value(item)
                if choice:
                    options["choices"][value] = choice
                if item.kind == "slip":
                    options["slips"].append((value, why))
                else:
                    options |= {"right": value, "because": why}

    def run(self, code: str) -> list[ast.Expr]:
        """Run some code, except for its calls; return these calls."""
        tree = ast.parse(code, str(self.path))
        calls = [node for node in tree.body if isinstance(node, ast.Expr)]
        tree.body = [node for node in tree.body if node not in calls]
        exec(compile(tree, str(self.path), "exec"), self.space)
        return calls

    def option(self, item: Item):
        """Return the value of an option."""
        if item.kind in TEXTS:
            return item.text
        if item.kind == "draw":
            return self.evaluate(f"lambda chance: ({item.text})", item.line)
        return self.evaluate(f"({item.text})", item.line)

    def evaluate(self, code: str, line: int):
        """Return the value of an expression; an error in it names the line of the page."""
        return eval(compile("\n" * (line - 1) + code, str(self.path), "eval"), self.space)

    def value(self, item: Item) -> tuple[object, str, str]:
        """Return a value, its text if it is a choice, and why it is right or wrong."""
        for colon in re.finditer(r":(?: |$)", item.text):
            code = item.text[: colon.start()]
            try:
                ast.parse(code, mode="eval")
            except SyntaxError:
                continue  # the colon is within the value
            choice, _, why = item.text[colon.end() :].rpartition(" →")
            return self.evaluate(code, item.line), choice, why.strip()
        raise self.fault(item.line, "say a value, a colon and a text")

    def case(self, call: ast.Expr) -> tuple[tuple, object]:
        """Return the arguments and the right result of a line such as ``merge(…) == …``."""
        compare = call.value
        if not (isinstance(compare, ast.Compare) and isinstance(compare.left, ast.Call)):
            raise self.fault(call.lineno, "a case is a call, ==, and the right result")
        given = [self.evaluate(ast.unparse(part), call.lineno) for part in compare.left.args]
        return tuple(given), self.evaluate(ast.unparse(compare.comparators[0]), call.lineno)

    def slip(self, item: Item) -> tuple[object, str, str]:
        """Return the function of a slip, the code that an answer must have, and the reason."""
        name, code, why = SLIP.fullmatch(item.text).groups("")
        if not name.isidentifier() or not item.code:
            raise self.fault(item.line, "a slip has a name, a reason, and a change or a body below")
        if item.code[0].startswith("= "):
            function = self.space[f"_{name}"] = self.evaluate(item.code[0][2:], item.line)
            if function.__name__ == "<lambda>":
                function.__name__ = f"_{name}"
        else:
            source = self.change(item)
            first = ast.parse(source).body[0].name
            source = source.replace(f"def {first}(", f"def _{name}(", 1)
            place = f"<{self.path.name}, line {item.line}>"
            linecache.cache[place] = (len(source), None, source.splitlines(True), place)
            exec(compile(source, place, "exec"), self.space)
        return self.space[f"_{name}"], code, why

    def change(self, item: Item) -> str:
        """Return the solution's text with a slip's changes, or with the slip's body or head."""
        source = self.source
        code = "\n".join(item.code).rstrip()
        changes = [CHANGE.fullmatch(line) for line in code.splitlines()]
        if not all(changes):
            if [type(node) for node in ast.parse(code).body] == [ast.FunctionDef]:
                return code + "\n"
            head = source.partition("\n")[0]
            return f"{head}\n{indent(code, CODE)}\n"
        for change in changes:
            old, new = change.groups("")
            if source.count(old) != 1:
                raise self.fault(item.line, f"{old!r} must occur once in the solution")
            source = source.replace(old, new.replace("⏎", "\n"))
        return source + "\n"

    def fault(self, line: int, what: str) -> ValueError:
        """Return an error that names a line of the page and says what is wrong there."""
        return ValueError(f"{self.path.name}, line {line}: {what}")


def load(name: str) -> dict[str, object]:
    """Return what a module made from a page holds, by name.

    >>> sorted(load("bpe_teach.exercises.start_here"))[-1:]
    ['unknown_words']
    """
    return Page(PAGES[name.rpartition(".")[2]]).names()
