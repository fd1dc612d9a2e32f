"""Repair: find a small change that makes a learner's function right, and say where it is.

What is said is true by construction: with this change, the function passes all cases. `rules` has
changes of code in place; here, parts are left out, moved, or put in each other's place.

Changed functions run in a child of their own, which may do nothing but compute: a function that was
written to print a list may, changed, remove it.
"""

import ast
import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from textwrap import dedent
from typing import NamedTuple
from warnings import catch_warnings

from bpe_teach.exercises.branches import branches_changed, value_fault
from bpe_teach.exercises.rules import fill, fits, read_rules
from bpe_teach.exercises.runner.child import OutOfTime
from bpe_teach.exercises.runner.parent import Asking

MOST_STEPS = 5_000  # of a changed function, on the input that is tried first
MOST_SECONDS = 1.5  # of the processor, here and in the child together
LATER_STEPS = 200_000  # on each of the others
STAGES = (1, 12)  # cases after which it is seen whether the next ones are worth while
MOST_CHANGES = 2  # that are needed together
SHORT = 7  # characters of code that are shown with what is around
LONGEST_SHOWN = 60
REPEATED = (ast.Assign, ast.AugAssign, ast.Expr)
NOT_THERE = "{old} should not be there."
IDENTICAL = (
    "is asks whether the two are the same object, but == compares values: "
    "use == here and in each other place."
)
ORDINALS = ("first", "second", "third", "fourth", "fifth")
NO_OBJECT = (None, True, False, ...)  # of which there is only one
TOO_SMALL = "some numbers are higher: use float('inf') in each place of {}."
ALONE = "`{}` alone is needed in its place."
LATER = "symbols may be bytes"  # what matters from notebook 04 on: said where all else is right
ONE_CHANGE = "all is right but "
SAID = [
    "",
    ONE_CHANGE + "{}",
    "two small changes make this right. The first: {} The second: {}",
]


class Edit(NamedTuple):
    """A change: which fields get new values, the code that is shown, and what is wrong there."""

    fields: list[tuple[ast.AST, str, object]]
    shown: ast.AST
    why: str
    copy: ast.stmt | None = None  # a statement that is there a second time with this change
    place: str = ""  # of the copy


class Block(NamedTuple):
    """Statements that are run one after the other: a field of the node that owns them."""

    owner: ast.AST
    field: str
    statements: list[ast.stmt]


@dataclass
class Search:
    """A search: the learner's function as text and tree, and how a changed one is judged."""

    source: str  # in its lines of the cell
    tree: ast.Module
    runner: Asking  # where changed functions are run
    ours: list  # texts and numbers of the solution
    fault: Callable  # (outcome, given, right) -> what is wrong in a case
    holds: Callable[[Asking, str], bool]  # whether it is right on long inputs, too
    end: float  # seconds of this processor
    read: frozenset[str] = frozenset()  # names that the function gives a value and reads

    def find(self, cases: list[tuple]) -> list[str]:
        """Return a sentence on each change that is needed, [] if none is found."""
        self.read = frozenset(_names_of(self.tree, ast.Store) & _names_of(self.tree, ast.Load))
        found = self._find(cases, MOST_CHANGES)
        if len(found) < 2:
            return [self.say(edit, self.source) for edit in found]
        first, second = found
        if not self._is_quoted(second, first):
            return self._say_as_one(first, second)
        if first.copy and any(node in set(ast.walk(first.copy)) for node, _, _ in second.fields):
            # Of two lines that are alike, which one is meant? Say what the new line is.
            before = _swap([*first.fields, *second.fields])
            said = [f"a line is missing {first.place}: `{_head(first.copy)}`."]
            _swap(before)
            return said
        said = [self.say(first, self.source)]
        before = _swap(first.fields)
        said.append(self.say(second, ""))  # as it is after the first change
        _swap(before)
        return said

    def _is_quoted(self, second: Edit, first: Edit) -> bool:
        """Return whether what the second change shows is in the source, before the first one."""
        if any(map(_is_of_lines, (first, second))):
            return True
        code = ast.get_source_segment(self.source, second.shown)
        before = _swap(first.fields)
        shown = ast.unparse(second.shown)
        _swap(before)
        try:
            return ast.unparse(ast.parse(dedent(code or ""))) == shown
        except SyntaxError:  # a keyword, a part of a larger statement
            return code == shown

    def _say_as_one(self, *together: Edit) -> list[str]:
        """Return what a line should be, where two changes are made in the same few words."""
        lines = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]
        lines = [node for node in lines if node.lineno == together[0].shown.lineno]
        was = [_head(node) for node in lines]
        before = _swap([field for edit in together for field in edit.fields])
        said = [
            f"`{old}` in line {node.lineno} of your cell: it should be `{_head(node)}`."
            for node, old in zip(lines, was, strict=True)
        ]
        _swap(before)
        return said if len(said) == 1 else []

    def _find(self, cases: list[tuple], most: int) -> list[Edit]:
        """Return the changes that are needed together, [] if none are found."""
        partly = []
        for edit in edits(self.tree, self.ours, *cases[0]):
            before = _swap(edit.fields)
            passed = self.count_passed(cases)
            is_right = passed == len(cases) and self._holds()
            _swap(before)
            if is_right:
                return [edit]
            if passed < len(cases):
                partly.append((passed, edit))
        for passed, edit in sorted(partly, key=lambda row: -row[0]):
            if passed == 0 or most == 1:
                break
            before = _swap(edit.fields)
            others = self._find(cases[passed:] + cases[:passed], most - 1)
            if others and self._is_read_no_more(others[0]):
                others = []
            _swap(before)
            if others and not _is_in_a_new_line(others[0], edit, self.tree):
                return [edit, *others]
        return []

    def _is_read_no_more(self, edit: Edit) -> bool:
        """Return whether a change leaves a name that has a value, and was read, but isn't now.

        A loop that doesn't use what it goes through is no answer.
        """
        before = _swap(edit.fields)
        unread = _names_of(self.tree, ast.Store) - _names_of(self.tree, ast.Load)
        _swap(before)
        return bool(self.read & unread)

    def _holds(self) -> bool:
        """Return whether the function, as it is now, is right on long inputs, however slow."""
        begin = time.process_time() + self.runner.seconds
        try:
            return self.holds(self.runner, self.tree.body[0].name)
        finally:
            self.end += time.process_time() + self.runner.seconds - begin

    def count_passed(self, cases: list[tuple]) -> int:
        """Return how many cases the function passes, as it is now, until it fails."""
        if time.process_time() + self.runner.seconds > self.end:
            raise OutOfTime
        name = self.tree.body[0].name
        try:
            text = ast.unparse(ast.fix_missing_locations(self.tree))
        except Exception:  # the tree is no Python, which `unparse` notices in many ways
            return 0
        if self.runner.load(text, "<repair>"):
            return 0  # no Python either, such as a break outside a loop
        passed = 0
        for stop in (*STAGES, len(cases)):
            some = cases[passed:stop]
            steps = LATER_STEPS if passed else MOST_STEPS
            outcomes = self.runner.call_each(name, [given for given, _ in some], steps=steps)
            for (given, right), outcome in zip(some, outcomes, strict=False):
                if outcome.too_long or self.fault(outcome, given, right):
                    return passed
                passed += 1
        return passed

    def say(self, edit: Edit, source: str) -> str:
        """Return where a change is, as a source shows it, and what is wrong there."""
        if edit.shown is self.tree.body[0]:
            return edit.why
        code = source and ast.get_source_segment(source, edit.shown)
        shown = (code or ast.unparse(edit.shown)).partition("\n")[0].rstrip(":")
        if len(shown) > LONGEST_SHOWN:
            is_at_the_end = _end_of(edit, shown) > LONGEST_SHOWN - 2
            part = slice(2 - LONGEST_SHOWN, None) if is_at_the_end else slice(LONGEST_SHOWN - 2)
            shown = f"… {shown[part]}" if is_at_the_end else f"{shown[part]} …"
        return f"`{shown}` in line {edit.shown.lineno} of your cell: {edit.why}"


def _end_of(edit: Edit, shown: str) -> int:
    """Return where the code that a change names ends in what is shown; 0 if it names none."""
    named = edit.why.partition(" is ")[0]  # as in "1 is one too high"
    return shown.rfind(named) + len(named) if named.isalnum() else 0


def _is_of_lines(edit: Edit) -> bool:
    """Return whether a change puts, moves or leaves out whole lines."""
    new = [value for _, _, value in edit.fields if isinstance(value, list)]
    return any(isinstance(part, ast.stmt) for value in new for part in value)


def _is_in_a_new_line(second: Edit, first: Edit, tree: ast.Module) -> bool:
    """Return whether a change would be shown in a line that only the first one puts there.

    A line that is written a second time can be shown, and is none of these.
    """
    return _is_of_lines(first) and not first.copy and second.shown not in set(ast.walk(tree))


def find_repair(answer, solution: str, cases: list[tuple], fault: Callable, holds: Callable) -> str:
    """Return a sentence on the small change that makes an answer right, "" if none is found.

    ``answer`` is an `exercise.Answer`, ``solution`` the source of the course's function, and
    ``fault(outcome, given, right)`` says what is wrong in one of the ``cases``, which are pairs of
    arguments and the right result. The answer fails in the first case. Of a function that passes
    all cases, ``holds(runner, name)`` says whether it is right on long and on further inputs, too.

    Raises OutOfTime if the search takes too long, and ChildProcessError if a function ends it.
    """
    try:
        tree = ast.parse(answer.text)
    except (SyntaxError, ValueError):
        return ""
    if [type(node) for node in tree.body] != [ast.FunctionDef]:
        return ""
    constants = []
    for node in ast.walk(ast.parse(solution)):
        if isinstance(node, ast.Constant):
            constants.append(node.value)
    with answer.workshop() as runner, catch_warnings(action="ignore"):  # of a changed function
        end = time.process_time() + MOST_SECONDS
        said = Search(answer.text, tree, runner, constants, fault, holds, end).find(cases)
    now = [one for one in said if LATER not in one]
    if len(now) == 1 < len(said):
        return f"first of all, {now[0]}"
    return SAID[len(said)].format(*said)


def _head(statement: ast.stmt) -> str:
    """Return the first line of a statement, without its colon."""
    return ast.unparse(statement).partition("\n")[0].rstrip(":")


def _names_of(tree: ast.AST, context: type) -> set[str]:
    """Return the names that are read, or given a value, in a tree."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, context)}


def _swap(fields: list[tuple[ast.AST, str, object]]) -> list[tuple[ast.AST, str, object]]:
    """Set fields of nodes; return what they were, so that a second call takes it back."""
    before = [(node, field, getattr(node, field)) for node, field, _ in fields]
    for node, field, new in fields:
        setattr(node, field, new)
    return before


def edits(tree: ast.Module, ours: list, given: tuple, right) -> Iterator[Edit]:
    """Yield the changes that are tried, the most likely ones first."""
    head = tree.body[0]
    places = list(_places(tree))
    yield from _left_out(head, places)
    yield from _forgotten(head, given, right)
    yield from _identical(head)
    for old, new, why in read_rules():
        for node, owner, put in places:
            found = {}
            if not fits(old, node, found):
                continue
            made = _computed(fill(new, found))
            if isinstance(made, list) <= isinstance(node, ast.stmt):
                yield _edit(put(made), node, owner, _named(why, found, made))
    yield from _too_small_a_number(places)
    yield from _taken_for_another(head, places, ours)
    yield from _moved(head)


def _named(why: str, found: dict, made) -> str:
    """Return a reason with the learner's function and method in it, and what belongs there.

    Of a loop, {new} is what it goes through.
    """
    said = why.replace("{M}", str(found.get("M")))
    if "F" in found:
        said = said.replace("{F}", ast.unparse(found["F"]))
    if isinstance(made, list) and isinstance(made[0], ast.For):
        made = made[0].iter
    return said.replace("{new}", ast.unparse(made)) if isinstance(made, ast.expr) else said


def _computed(made):
    """Return 1 for 2 - 1: what a learner would write."""
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Add | ast.Sub):
        sides = [getattr(side, "value", None) for side in (made.left, made.right)]
        if [type(side) for side in sides] == [int, int]:
            left, right = sides
            return ast.Constant(left + right if isinstance(made.op, ast.Add) else left - right)
    return made


def _edit(field: tuple, node: ast.AST, owner: ast.AST, why: str) -> Edit:
    """Return a change of one node, which is shown with what is around if it is short."""
    code = ast.unparse(node)
    if len(code) < SHORT and isinstance(owner, ast.expr):
        return Edit([field], owner, why.replace("{old}", _which(node, owner, code)))
    return Edit([field], node, why.replace("{old}", "it"))


def _which(node: ast.AST, owner: ast.AST, code: str) -> str:
    """Return the code of a node, with its number if the code around has it several times."""
    same = [part for part in ast.walk(owner) if type(part) is type(node)]
    same = [part for part in same if hasattr(part, "lineno") and ast.unparse(part) == code]
    same.sort(key=lambda part: (part.lineno, part.col_offset))
    if len(same) < 2 or node not in same[: len(ORDINALS)]:
        return code
    return f"the {ORDINALS[same.index(node)]} {code}"


def _places(tree: ast.AST) -> Iterator[tuple]:
    """Yield each node, its owner, and a function that puts another node in its place."""
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            for i, node in enumerate(value if isinstance(value, list) else [value]):

                def put(new, owner=owner, field=field, value=value, i=i):
                    if isinstance(value, list):
                        new = new if isinstance(new, list) else [new]
                        new = value[:i] + new + value[i + 1 :]
                    return owner, field, new

                if isinstance(node, ast.AST):
                    yield node, owner, put


def _left_out(head: ast.FunctionDef, places: list) -> Iterator[Edit]:
    """Yield changes that leave out a condition, a statement, an argument, a part."""
    for node, owner, put in places:
        if isinstance(node, ast.If):
            yield Edit([put(node.orelse)], node, "leave this case out: the rest handles it, too.")
        if isinstance(node, ast.stmt) and node is not head:
            yield _edit(put(ast.Pass()), node, owner, NOT_THERE)
        elif isinstance(node, ast.expr | ast.keyword) and _is_one_of_several(owner, put([])[1]):
            yield _edit(put([]), node, owner, NOT_THERE)


def _is_one_of_several(owner: ast.AST, field: str) -> bool:
    """Return whether a field holds parts that can be left out one by one, such as arguments."""
    is_row = isinstance(getattr(owner, field), list) and field != "targets"
    return is_row and not isinstance(owner, ast.Compare | ast.Dict)


def _forgotten(head: ast.FunctionDef, given: tuple, right) -> Iterator[Edit]:
    """Yield changes that put in a forgotten result, special case, or way out of a loop."""
    for node in ast.walk(head):
        is_return = isinstance(node, ast.Return)
        if is_return and not any(isinstance(part, ast.Name) for part in ast.walk(node)):
            for name in _names(head):
                made = ast.Name(name, ast.Load())
                yield Edit([(node, "value", made)], node, "another result should be returned here.")
    arguments = head.args.posonlyargs + head.args.args
    for argument, value in zip(arguments, given, strict=False):
        if not value and (not right or len(given) == 1):  # else it depends on the others
            body = ast.parse(f"if not {argument.arg}: return {right!r}").body + head.body
            why = f"one case: what if {argument.arg} is {value!r}? Then the result is {right!r}."
            yield Edit([(head, "body", body)], head, why)
    numbers = _numbers(head)
    names = [name for name in _names(head) if name not in numbers]  # a number is never empty
    answers = _answers(head)
    for node in ast.walk(head):
        if isinstance(node, ast.For | ast.While):
            for i, name in product(range(len(node.body)), names):
                tests = {f"not {name}": "is empty", f"len({name}) < 2": "has fewer than two parts"}
                if name in answers:
                    tests = {f"not {name}": "is False"}
                for test, state in tests.items():
                    stop = ast.parse(f"if {test}: break").body
                    body = [*node.body[:i], *stop, *node.body[i:]]
                    why = f"where {name} {state}, this should end."
                    yield Edit([(node, "body", body)], node, why)


def _names(head: ast.FunctionDef) -> list[str]:
    """List the function's own names, arguments last."""
    nodes = list(ast.walk(head))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = [node.id for node in names if isinstance(node.ctx, ast.Store)]
    return list(dict.fromkeys(own + [node.arg for node in nodes if isinstance(node, ast.arg)]))


def _answers(head: ast.FunctionDef) -> set[str]:
    """Return the names that stand for True or False only."""
    given = {node.arg for node in ast.walk(head) if isinstance(node, ast.arg)}
    is_answer: dict[str, bool] = {}
    for node in ast.walk(head):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            is_answer.setdefault(node.id, node.id not in given)
    for node in ast.walk(head):
        match node:
            case ast.Assign([ast.Name(name)], value):
                is_answer[name] = is_answer[name] and _is_answer(value)
            case ast.AugAssign(ast.Name(name)) | ast.NamedExpr(ast.Name(name)):
                is_answer[name] = False
    return {name for name, yes in is_answer.items() if yes}


def _is_answer(value: ast.expr) -> bool:
    """Return whether an expression gives True or False."""
    match value:
        case ast.Compare() | ast.UnaryOp(ast.Not()) | ast.Constant(bool()):
            return True
        case ast.Call(ast.Name("all" | "any" | "bool" | "isinstance")):
            return True
        case ast.BoolOp():
            return all(map(_is_answer, value.values))
    return False


def _numbers(head: ast.FunctionDef) -> set[str]:
    """Return the names that stand for numbers: those of range, and those that slices hold."""
    numbers = set()
    for node in ast.walk(head):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Call):
            if getattr(node.iter.func, "id", "") == "range":
                numbers |= {getattr(node.target, "id", "")}
        elif isinstance(node, ast.Slice):
            for end in (node.lower, node.upper):
                parts = (end, getattr(end, "left", None), getattr(end, "right", None))
                numbers |= {part.id for part in parts if isinstance(part, ast.Name)}
    return numbers


def _identical(head: ast.FunctionDef) -> Iterator[Edit]:
    """Yield the change of all ``is`` together, where values are meant, if there are several."""
    equal = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}
    found = []
    for node in ast.walk(head):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in equal:
            other = node.comparators[0]
            if not (isinstance(other, ast.Constant) and other.value in NO_OBJECT):
                found.append((node, "ops", [equal[type(node.ops[0])](), *node.ops[1:]]))
    if len(found) > 1:
        yield Edit(found, found[0][0], IDENTICAL)


def _too_small_a_number(places: list) -> Iterator[Edit]:
    """Yield changes of a number that, in several places, stands for "more than any other"."""
    fields = {}  # number -> the places
    for node, _, put in places:
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 9:
            endless = ast.parse('float("inf")', mode="eval").body
            fields.setdefault(node.value, []).append((node, put(endless)))
    for number, found in fields.items():
        if len(found) > 1:
            why = TOO_SMALL.format(number)
            yield Edit([field for _, field in found], found[0][0], why)


def _taken_for_another(head: ast.FunctionDef, places: list, ours: list) -> Iterator[Edit]:
    """Yield changes that put another of the function's names, or a text of ours, at a place."""
    names = _names(head)
    inner = {}  # what is in a function within the function -> the names of that one
    for part in ast.walk(head):
        if isinstance(part, ast.FunctionDef) and part is not head:
            inner |= dict.fromkeys(ast.walk(part), _names(part))
    for node, owner, put in places:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            for name in inner.get(node, names):
                made = ast.Name(name, ast.Load())
                yield _edit(put(made), node, owner, "{old} is the wrong variable.")
        elif isinstance(node, ast.Constant):
            for made, why in _other_values(node.value, ours):
                yield _edit(put(made), node, owner, why)


def _other_values(value, ours: list) -> Iterator[tuple[ast.expr | list[ast.expr], str]]:
    """Yield what is put in the place of a constant, and what was wrong with it."""
    for our in ours:
        if type(our) is type(value):
            yield ast.Constant(our), value_fault(value, our)
    if not isinstance(value, str):
        return
    patterns = [our for our in ours if isinstance(our, str) and len(our) > 1]
    for made, why in branches_changed(value, patterns):
        yield ast.Constant(made), why
    for i in range(1, len(value)):
        halves = [value[:i], value[i:]]
        if halves[0] in ours and halves[1] in ours:  # Python joins texts side by side
            yield [*map(ast.Constant, halves)], "a comma is missing."


def _moved(head: ast.FunctionDef) -> Iterator[Edit]:
    """Yield changes that move or repeat a statement, or put the rest of a block into an else."""
    blocks = _blocks(head)
    for block in blocks:
        for i, moved in enumerate(block.statements):
            if isinstance(moved, ast.If) and not moved.orelse:
                yield _rest_in_else(moved, block, i)
            yield from _alone(moved, block, i)
            inside = set(ast.walk(moved))
            for target in blocks:
                if target.owner not in inside:
                    yield from _moved_to(target, block, i)


def _blocks(head: ast.FunctionDef) -> list[Block]:
    """List the blocks of a function: all bodies, then what is, or could be, in an else."""
    owners = [node for node in ast.walk(head) if isinstance(getattr(node, "body", None), list)]
    blocks = [Block(node, "body", node.body) for node in owners]
    for node in owners:
        if isinstance(node, ast.If):
            blocks.append(Block(node, "orelse", node.orelse))
    return blocks


def _alone(outer: ast.stmt, block: Block, i: int) -> Iterator[Edit]:
    """Yield changes that put a statement in the place of a loop in which nothing else is done."""
    inner = outer
    while isinstance(inner, ast.For | ast.While | ast.If) and len(inner.body) == 1:
        if inner.orelse:
            return
        (inner,) = inner.body
    if inner is not outer and isinstance(outer, ast.For | ast.While):
        statements = [*block.statements[:i], inner, *block.statements[i + 1 :]]
        yield Edit([(block.owner, block.field, statements)], outer, ALONE.format(_head(inner)))


def _rest_in_else(condition: ast.If, block: Block, i: int) -> Edit:
    """Return the change that puts what comes after an if into its else."""
    before, after = block.statements[: i + 1], block.statements[i + 1 :]
    fields = [(block.owner, block.field, before), (condition, "orelse", after)]
    return Edit(fields, condition, "what comes after it is for the other case: use else.")


def _moved_to(target: Block, block: Block, i: int) -> Iterator[Edit]:
    """Yield changes that move a statement of a block to each place of another, or repeat it."""
    moved = block.statements[i]
    rest = block.statements[:i] + block.statements[i + 1 :]
    left = [(block.owner, block.field, rest)]
    around = target.statements
    if target is block:
        left, around = [], rest
    elif not rest and block.field == "body":
        return  # what would be left of this loop, or if, is no Python
    for j in range(len(around) + 1):
        place = _place(moved, target.owner, around, j)
        there = [*around[:j], moved, *around[j:]]
        fields = [*left, (target.owner, target.field, there)]
        yield Edit(fields, moved, f"it belongs {place}.")
        if left and isinstance(moved, REPEATED):
            twin = copy.deepcopy(moved)
            fields = [(target.owner, target.field, [*around[:j], twin, *around[j:]])]
            why = f"write this line a second time, {place}."
            yield Edit(fields, moved, why, twin, place)


def _place(moved: ast.stmt, owner: ast.AST, block: list, place: int) -> str:
    """Return, in words, the place of a block to which a statement is moved."""
    if not block:
        return f"in an else of `{_head(owner)}`"
    near = block[place - 1] if place else block[0]
    where = f"{'after' if place else 'before'} `{_head(near)}`"
    if near.col_offset == moved.col_offset:
        return where
    indented = "less" if near.col_offset < moved.col_offset else "more"
    return f"{where}, {indented} indented"
