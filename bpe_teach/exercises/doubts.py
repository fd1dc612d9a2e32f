"""Doubts: code in a learner's function that is often a mistake.

The sentences of this module are for an answer that is wrong for an unknown reason. So each sentence
says only what the code does, which is certain, and not that the answer is wrong because of it.
"""

import ast
from collections.abc import Callable

from bpe_teach.exercises.reading import find_head, is_call_of_name

MADE_BY = {"dict": "dictionary", "Counter": "dictionary", "list": "list", "set": "set"}
WRITTEN_AS = {ast.Dict: "dictionary", ast.List: "list", ast.Set: "set"}
ROWS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
READS_ALL = {"locals", "vars", "eval", "exec"}  # functions that may read any variable
FIRST_OF_EQUALS = {"index": "finds the first such place", "remove": "takes out the first such part"}
LAST_OF_EQUALS = {  # method -> what finds the last place, or takes out the last part
    "index": "lambda row, part: row.rindex(part) if isinstance(row, str | bytes) "
    "else len(row) - 1 - list(row)[::-1].index(part)",
    "remove": "lambda row, part: row.pop(len(row) - 1 - row[::-1].index(part)) "
    "if isinstance(row, list) else row.remove(part)",
}


def find_doubtful(text: str, matters: Callable[[str], bool] = bool) -> str:
    """Return a sentence on code in a text that is often a mistake, "" if none is seen.

    ``matters`` says whether the function of a changed text gives different results.

    >>> find_doubtful("def low(x, y):\\n    return len(x)")
    'y is given, but your function never uses it.'
    >>> find_doubtful("def low(x):\\n    return dict.fromkeys(x, [])").partition(": ")[0]
    'in line 2, dict.fromkeys gives all keys one and the same list'
    """
    head = find_head(text)
    if head is None:
        return ""
    nodes = sorted(ast.walk(head), key=lambda node: getattr(node, "lineno", 0))
    looks = (
        _drawn,
        _unused,
        _unused_in_a_loop,
        _shared,
        _uncounted,
        _overwritten,
        _last_only,
        _few_rounds,
    )
    said = next(filter(None, (look(head, nodes) for look in looks)), "")
    return said or _first_of_equals(head, nodes, matters)


def _drawn(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if the function draws random numbers, else ""."""
    for node in nodes:
        code = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if code.startswith("random.") or ".random." in code:
            said = f"line {node.lineno} draws lots with random"
            return f"{said}: the result must follow from the input alone."
    return ""


def _unused(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    used = _names(nodes)
    unused = [argument.arg for argument in head.args.args if argument.arg not in used]
    if not unused or used & READS_ALL:
        return ""
    return f"{unused[0]} is given, but your function never uses it."


def _unused_in_a_loop(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if a loop never uses its variable, else "".

    A loop over a call, such as range(3), is passed over, because it may only count rounds.
    """
    for node in nodes:
        if isinstance(node, ast.For):
            loop, inside = node, head.body
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            loop, inside = node.generators[0], [node]
        else:
            continue
        match loop.target, loop.iter:
            case ast.Name(name), ast.expr() as row if not is_call_of_name(row):
                names = [part for part in _walk(inside) if isinstance(part, ast.Name)]
                read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
                if not {name, *READS_ALL} & read and not name.startswith("_"):
                    code = ast.unparse(row)
                    return f"the loop over `{code}` in line {node.lineno} never uses {name}."
    return ""


def _shared(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if several keys or parts share one list, set or dictionary, else ""."""
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dict.fromkeys":
            kind = _kind_of_new(node.args[1]) if len(node.args) == 2 else ""
            said, have = "dict.fromkeys gives all keys", "for one key, all have"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            is_row = isinstance(node.left, ast.List) and len(node.left.elts) == 1
            kind = _kind_of_new(node.left.elts[0]) if is_row else ""
            said, have = "* repeats", "into one of them, all have"
        else:
            continue
        if kind:
            return f"in line {node.lineno}, {said} one and the same {kind}: what you put in {have}."
    return ""


def _kind_of_new(node: ast.AST) -> str:
    """Return "list", "set" or "dictionary" if an expression makes such an object, else ""."""
    if is_call_of_name(node):
        return MADE_BY.get(node.func.id, "")
    return WRITTEN_AS.get(type(node), "")


def _uncounted(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if a new key is set to 0 and only known keys are counted, else ""."""
    added = [node for node in nodes if isinstance(node, ast.AugAssign)]
    for node in nodes:
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare)):
            continue
        if isinstance(node.test.ops[0], ast.NotIn):
            new, known = node.body, node.orelse
        elif isinstance(node.test.ops[0], ast.In):
            new, known = node.orelse, node.body
        else:
            continue
        match new:
            case [ast.Assign([ast.Subscript() as place], ast.Constant(0))]:
                target = ast.unparse(place)
            case _:
                continue
        counted = [one for one in added if ast.unparse(one.target) == target]
        if counted and all(one in known for one in counted):
            said = f"line {new[0].lineno} sets `{target}` to 0 where it is new"
            return f"{said}, and nothing is added there: the first one is lost."
    return ""


def _overwritten(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if a loop sets a key's value, whatever the value was before, else "".

    If several loops do so, the sentence is on the last: the first may have met each key only once.
    """
    made = [node for node in nodes if isinstance(node, ast.Assign)]
    made = [node for node in made if _kind_of_new(node.value) == "dictionary"]
    dictionaries = {ast.unparse(node.targets[0]) for node in made}
    loops = [node for node in nodes if isinstance(node, ast.For)]
    setting = [node for loop in loops for node in _set_anew(loop, dictionaries)]
    if not setting:
        return ""
    last = setting[-1]
    said = f"line {last.lineno} sets `{ast.unparse(last.targets[0])}` anew, whatever it was before"
    return f"{said}: where a key comes again, the earlier value is lost."


def _set_anew(loop: ast.For, dictionaries: set[str]) -> list[ast.Assign]:
    """List the statements of a loop that set a key's value without having looked at the key."""
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    if any(isinstance(node, ast.In | ast.NotIn) for node in inside):
        return []
    found = []
    for node in loop.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Subscript):
            continue
        holder = ast.unparse(target.value)
        key = _names(ast.walk(target.slice))
        rows = {node.value for node in ast.walk(target.slice) if isinstance(node, ast.Subscript)}
        key -= _names(rows)  # in counts[ids[i]], only i is a variable of the loop
        is_of_loop = key and key <= _names(ast.walk(loop.target))
        times = [part for part in inside if getattr(part, "id", "") == holder]
        if holder in dictionaries and is_of_loop and len(times) == 1:
            found.append(node)
    return found


def _last_only(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if a loop only sets names, and so keeps only their last values, else ""."""
    for loop in nodes:
        if not isinstance(loop, ast.For) or loop.orelse:
            continue
        if not all(isinstance(node, ast.Assign) for node in loop.body):
            continue
        targets = [target for node in loop.body for target in node.targets]
        inside = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
        read = {node.id for node in inside if isinstance(node.ctx, ast.Load)}
        are_names = all(isinstance(target, ast.Name) for target in targets)
        if are_names and not _names(targets) & read:
            return f"the loop of line {loop.lineno} keeps only the last value of {targets[0].id}."
    return ""


def _few_rounds(head: ast.FunctionDef, nodes: list[ast.AST]) -> str:
    """Return a sentence if a loop has a fixed number of rounds, but doesn't count, else ""."""
    for loop in nodes:
        match loop:
            case ast.For(
                ast.Name(name), ast.Call(ast.Name("range"), [ast.Constant(int(most))], [])
            ):
                used = set().union(*(_names(ast.walk(statement)) for statement in loop.body))
                if most > 1 and name not in used:
                    said = f"the loop of line {loop.lineno} has at most {most:,} rounds"
                    return f"{said}: are they always enough?"
    return ""


def _first_of_equals(head: ast.FunctionDef, nodes: list[ast.AST], matters: Callable) -> str:
    """Return a sentence if a method finds the first of equal parts in each round, else "".

    A method doesn't count if ``matters`` says that finding the last of equal parts gives the same.
    """
    repeated = {part for node in nodes if isinstance(node, ROWS) for part in ast.walk(node)}
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        does = FIRST_OF_EQUALS.get(node.func.attr)
        if node not in repeated or not does or len(node.args) != 1:
            continue
        code = f"`{ast.unparse(node)}` in line {node.lineno}"
        if matters(_with_the_last(head, node)):
            return f"{code} {does}: is it always the right one?"
    return ""


def _with_the_last(head: ast.FunctionDef, call: ast.Call) -> str:
    """Return the text of a function with ``call`` changed to find the last of equal parts."""
    before = call.func, call.args
    other = ast.parse(LAST_OF_EQUALS[call.func.attr], mode="eval").body
    call.func, call.args = other, [call.func.value, *call.args]
    text = ast.unparse(head)
    call.func, call.args = before
    return text


def _walk(nodes: list[ast.AST]) -> list[ast.AST]:
    return [part for node in nodes for part in ast.walk(node)]


def _names(nodes) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}
