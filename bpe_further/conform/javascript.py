"""JavaScript: the adapter that a file of JavaScript or TypeScript needs. The file is read, not run.

What it defines is found by patterns: classes with their methods, functions, and functions that are
given a name by ``const``. What a call is given is guessed from the names of parameters.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from bpe_further.conform.calls import is_called
from bpe_further.conform.handling import LABEL
from bpe_further.conform.suggest import guess

IN_TYPESCRIPT = (".ts", ".mts")
IN_JAVASCRIPT = (".js", ".mjs", ".cjs", *IN_TYPESCRIPT)
GIVEN = r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)"  # parameters, whose defaults may be calls
TYPE = r"(?:\s*:\s*[\w<>\[\], |]+?)?"  # of what is returned, in TypeScript
DEFINED = re.compile(
    rf"""^\s*(?:export\s+)?(?:default\s+)?(?:
        (?:abstract\s+)?class\s+(?P<type>\w+)
      | (?:var|let|const)\s+(?P<made>\w+)\s*=\s*class\b
      | (?:async\s+)?function\s*\*?\s*(?P<function>\w+)\s*{GIVEN}
      | (?:var|let|const)\s+(?P<arrow>\w+){TYPE}\s*=\s*(?:async\s*)?(?:function\s*)?{GIVEN}{TYPE}
        \s*(?:=>|\{{)
      | (?:(?:public|private|static|async)\s+)*(?P<method>[\w$]+)\s*{GIVEN}{TYPE}\s*\{{
    )""",
    re.MULTILINE | re.VERBOSE,
)
COMMENT = re.compile(r"(?<![:\"'`/\\])//[^\n]*|/\*.*?\*/", re.DOTALL)  # not the // of an address
EXPORTED = re.compile(
    r"export\s+(?:default\s+)?(?:async\s+|abstract\s+)?"
    r"(?:function\s*\*?|class|const|let|var)\s+(\w+)"
    r"|exports\.(\w+)\s*="
    r"|module\.exports\s*=\s*(?:new\s+)?(\w+)"
    r"|export\s+default\s+(\w+)\s*;?\s*$"
    r"|(?:export|module\.exports\s*=)\s*\{([^}]*)\}",
    re.MULTILINE,
)
MODIFIERS = re.compile(r"^(?:(?:public|private|protected|readonly)\s+)+")  # of TypeScript
LIST_OF_TEXTS = re.compile(r":\s*(?:readonly\s+)?(?:string\[\]|\w+<string>)")  # the same
METHOD = re.compile(r"^(\w+)\.prototype\.(\w+)\s*=\s*function\s*\w*\s*(?=\()", re.MULTILINE)
NO_NAMES = {"if", "for", "while", "switch", "catch", "function", "return"}
KEPT = re.compile(r"(?:this\.)?\b(\w*(?:[mM]erge|[rR]ule|[rR]ank)\w*)\s*[:=](?!=)")
FLAGS = ("verbose", "save", "debug", "log", "silent", "quiet")  # neither a text nor a size
LABELLED = f'"{LABEL}"'  # for a parameter such as model_name
MODELS = ("model", "tok", "tokenizer", "state", "bpe")  # what training may return in an object


def adapter_in_javascript(path: str) -> tuple[list[str], str]:
    """Return what a file of JavaScript or TypeScript defines, and an adapter to put beside it."""
    file = Path(path)
    text = _with_classes(COMMENT.sub("", file.read_text("utf-8", "replace")))
    exported = _exported(text)
    defined, made = _read(text, exported)
    if guess(_functions(text), "train") and guess(_functions(text), "encode"):
        made = None  # a class only helps
    names = [name for name in defined if name != "constructor"]
    offered = names if made else [name for name in names if name in exported] or names
    calls = {what: guess(offered, what) for what in ("train", "encode", "decode")}
    if calls["train"] == calls["encode"]:  # such as bpeEncode, of merges that it has
        calls["train"] = None
    names.sort(key=lambda name: name not in calls.values())  # those that matter come first
    place = "tok" if made else "theirs"
    template = Path(__file__).with_name("adapter.mjs").read_text("utf-8")
    filled = {
        "ENCODES": "true" if calls["encode"] else "false",
        "DECODES": "true" if calls["decode"] else "false",
        "FILE": file.name.removesuffix(file.suffix) + file.suffix.replace("ts", "js"),
        "SAVED": _where_to_save(file, calls.values() if not exported else ()),
        "MADE": f"theirs.{made} ?? loaded.default" if made else "null",
        "TRAIN": _training(place, calls["train"], defined, text).replace("256 + merges", "size"),
        "KEPT": _kept(text, defined) + ("" if made else " ?? tok"),
        "TOKENS": _tokens(text),
        "GIVEN": _made_from_merges(defined) if made and calls["train"] is None else "null",
        "ENCODE": _calling(place, calls["encode"], "text", defined, text)
        or 'missing("an encoder")',
        "DECODE": _calling(place, calls["decode"], "ids", defined, text) or 'missing("a decoder")',
    }
    for word, code in filled.items():
        template = template.replace(word, code)
    return [made, *names] if made else names, template


def _with_classes(text: str) -> str:
    """Return a text in which a function with methods in its prototype is a class.

    >>> _with_classes("function Bpe(size) {}\\nBpe.prototype.encode = function (text) {};")
    'class Bpe {\\nconstructor(size) {}\\nencode(text) {};'
    """
    for name in dict.fromkeys(found[1] for found in METHOD.finditer(text)):
        text = re.sub(rf"\bfunction\s+{name}\s*\(", f"class {name} {{\nconstructor(", text)
    return METHOD.sub(r"\2", text)


def _where_to_save(file: Path, hidden: Iterable[str | None]) -> str:
    """Return where an adapter must be saved so that it finds what it imports.

    The names that are hidden must first be exported from the file.
    """
    if named := [name for name in hidden if name]:
        listed = ", ".join(named)
        return f"{_where_to_save(file, ())}, and add to that file: export {{ {listed} }};"
    if file.suffix in IN_TYPESCRIPT:
        return f"what {file.name} is compiled to: save this file beside that"
    return "save this file beside it"


def _read(text: str, exported: set[str]) -> tuple[dict[str, str], str | None]:
    """Return names of functions with their parameters, and the last class, as bases come first.

    If a file exports anything, a class that isn't exported is only a helper.
    """
    defined, made = {}, None
    for found in DEFINED.finditer(text):
        kind, name = next((kind, name) for kind, name in found.groupdict().items() if name)
        if kind in ("type", "made"):
            made = name if not exported or name in exported else made
        elif name not in NO_NAMES:
            given = [part for part in found.groups() if part is not None and part != name]
            defined.setdefault(name, given[-1] if given else "")
    return defined, made


def _functions(text: str) -> list[str]:
    """Return the names of functions that are in no class: they begin their lines.

    >>> _functions("class A {\\n  fit() {\\n  }\\n}\\nexport function learn(text) {\\n}")
    ['learn']
    """
    found = [one for one in DEFINED.finditer(text) if not one[0].lstrip("\n")[:1].isspace()]
    return [name for one in found if (name := one["function"] or one["arrow"])]


def _exported(text: str) -> set[str]:
    """Return the names that a file offers to others.

    >>> sorted(_exported("export function learn() {}\\nexport { apply, undo as decode };"))
    ['apply', 'decode', 'learn']
    """
    names = set()
    for found in EXPORTED.findall(text):
        listed = re.sub(r"\w+\s+as\s+", "", " ".join(found))
        names.update(re.findall(r"\w+", listed))
    return names - {"default"}


def _training(place: str, name: str | None, defined: Mapping[str, str], text: str) -> str:
    """Return the statements that make an object, if need be, and train."""
    if name is None:
        return 'missing("a function that learns, or one that makes an object of merges (makeOf),");'
    train = f"{place}.{name}({_arguments(defined.get(name, ''), text)})"
    if place == "tok":
        made = _arguments(defined.get("constructor", ""), text)
        return f"tok = new Made({made}); // <- its arguments\n  await {train};"
    for model in MODELS:
        if re.search(rf"return\s*\{{[^}}]*\b{model}\b", text):
            return f"tok = (await {train}).{model};"
    return f"tok = await {train};"


def _calling(
    place: str, name: str | None, given: str, defined: Mapping[str, str], text: str
) -> str | None:
    """Return a call of a function that was found; None if none was found."""
    if name is None:
        return None
    return f"{place}.{name}({given}{_others(defined, name, text)})"


def _made_from_merges(defined: Mapping[str, str]) -> str:
    """Return what makes an object of merges, if its constructor is given nothing else."""
    names = [re.match(r"\w*", part)[0] for part in _split(defined.get("constructor", ""))]
    is_alone = len(names) == 1 and is_called(names[0], "kept")
    return "(merges) => new Made(merges)" if is_alone else "null"


def _kept(text: str, defined: Mapping[str, str]) -> str:
    """Return the attribute that seems to hold the merges: one that can't be called."""
    names = [name for name in KEPT.findall(text) if name == "merges" or not _number(name)]
    names = [name for name in names if name not in defined]
    usual = [name for name in names if is_called(name, "kept")]
    usual.sort(key=lambda name: name != "merges")  # it's likelier than ranks
    name = (usual or names or ["merges"])[0]
    if f"#{name}" in text and not re.search(rf"(?:this\.|get\s+){name}\b", text):
        return f'missing("a method that gives #{name}, which is private,")'
    return f"tok.{name}"


def _tokens(text: str) -> str:
    """Return where the token of an id seems to be kept."""
    names = re.findall(r"\b(?:this\.)?(\w+)\s*[:=](?!=)", text)
    usual = [name for name in names if is_called(name, "tokens")]
    return f"tok.{usual[0]}" if usual else "[]"


def _arguments(parameters: str, text: str) -> str:
    """Return the arguments: the text, then a number, which may be in an object of options.

    What comes before these, and is known to be neither, keeps its place.

    >>> _arguments("corpus, save = false, max_vocab = 500", ""), _arguments("model_name", "")
    ('text, undefined, 256 + merges', '"tested"')
    """
    places, chosen = [], []  # all arguments so far; without those that are left out
    for part in _split(parameters):
        part = MODIFIERS.sub("", part)
        name = re.match(r"\{|\w*", part)[0]
        inside = [part] if name == "{" else []
        if name and name != "{":
            inside = re.findall(rf"\b{name}\.(\w+)", text)
        options = [one for whole in inside for one in re.findall(r"\w+", whole)]
        named = {one: _number(one) for one in options if _number(one)}
        value = None
        if name == "{" or (named and not _number(name) and chosen):
            value = _object(named)
        elif _number(name):
            value = _number(name)
        elif is_called(name, "label") and "=" not in part:
            places.append(LABELLED)
            continue
        elif name.lower() in FLAGS:
            pass
        elif not chosen and ("=" not in part or is_called(name, "text")):
            is_list = is_called(name, "texts") or LIST_OF_TEXTS.search(part)
            value = "[text]" if is_list else "text"
        elif chosen and "=" not in part and "?" not in part and not _has_number(chosen):
            value = "256 + merges"
        places.append(value)
        chosen += [value] if value else []
    while places and places[-1] is None:
        places.pop()
    return ", ".join(value or "undefined" for value in places)


def _has_number(chosen: list[str]) -> bool:
    return any("merges" in one for one in chosen)


def _object(named: Mapping[str, str]) -> str:
    fields = [f"{name}: {value}" for name, value in named.items()]
    return f"{{ {', '.join(fields)} }}"


def _split(parameters: str) -> list[str]:
    """Return parameters one by one; a comma inside brackets doesn't separate two of them.

    >>> _split("text: string, {a = 1, k = [2, 3]} = {}")
    ['text: string', '{a = 1, k = [2, 3]} = {}']
    """
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _number(name: str) -> str | None:
    """Return the number that a parameter of this name takes, if any."""
    if is_called(name, "size"):
        return "256 + merges"
    return "merges" if is_called(name, "merges") else None


def _others(defined: Mapping[str, str], name: str | None, text: str) -> str:
    """Return the arguments that a function needs besides a text: what was learned, if anything."""
    others = _split(defined.get(name, ""))[1:]
    needed = [re.match(r"\w*", one)[0] for one in others if "=" not in one and "?" not in one]
    returned = " ".join(re.findall(r"return\s*\{([^}]*)\}", text))  # by the function that learns
    if needed and set(needed) <= {*re.findall(r"\w+", returned)} - {*MODELS}:
        return "".join(f", tok.{one}" for one in needed)
    return ", tok" if needed else ""
