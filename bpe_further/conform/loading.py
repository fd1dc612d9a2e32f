"""Loading: execute somebody else's Python files, and list the programs that are in them.

Each class that learns and encodes is a program of its own. A file that can't be imported is named,
with the reason. A file without classes and functions is a script: it isn't executed.
"""

import ast
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

from bpe_further.conform.calls import (
    find_function,
    find_learner,
    find_method,
    is_called,
    is_public,
    parameters_of,
    takes_text,
    takes_text_and_number,
)
from bpe_further.conform.kept import Kept, KeptInParts
from bpe_further.conform.shapes import (
    FUNCTIONS,
    Functions,
    GivenClass,
    Stanfords,
    are_learners,
    encoders_alone,
    made_by_class,
    made_by_function,
    made_by_method,
    made_of_functions,
    made_of_parts,
    made_to_learn,
    maker_of_stanfords,
    takes_what_is_learned,
    trainer_of_stanfords,
)
from bpe_teach.exercises.runner.child import is_unwritten

NOT_PROGRAMS = ("test_", "conftest", "setup")  # how names of files begin that are none
NOT_THEIRS = ("tests", "site-packages", "node_modules", "build", "dist", "venv", "env")  # folders
MOST_FILES = 30  # of the folders below to execute


class Program(NamedTuple):
    """A program in a file: its name, what answers for it, or why it can't be asked."""

    name: str
    answers: object | None
    why: str = ""
    is_base: bool = False  # others are made from it


def files_of(path: Path) -> list[Path]:
    """Return the Python files that a path stands for."""
    if not path.is_dir():
        return [path]
    found = _in_folder(path)
    if not found:  # it holds a package
        found = [file for folder in sorted(path.iterdir()) for file in _in_folder(folder)]
    return found


def _in_folder(folder: Path) -> list[Path]:
    found = sorted(folder.glob("*.py"))
    return [file for file in found if not file.name.startswith(NOT_PROGRAMS)]


class Loaded(NamedTuple):
    """What is at a path: programs, modules, and the files that can't be imported, with reasons."""

    programs: list[Program]
    modules: list[ModuleType]
    failed: list[dict]


def load(path: str, name: str | None = None) -> Loaded:
    """Return what is at a path. With a ``name``, only files in which it is defined are executed.

    If it can't learn, all files are executed: a function in another file may learn for it.
    """
    path = Path(path).resolve()
    files = files_of(path)
    there = _load_files(path, files, name)
    if path.is_dir() and not there.programs:
        below = _below(path, files)
        if not files and not below:
            raise ValueError(f"{path} holds no Python files; name the folder in which they are")
        found = _load_files(path, below, name)
        there = Loaded(found.programs, there.modules + found.modules, there.failed + found.failed)
        files = files + below
    is_given = [isinstance(one.answers, GivenClass) for one in there.programs if one.name == name]
    return _load_files(path, files, None) if name and any(is_given) else there


def _below(path: Path, files: list[Path]) -> list[Path]:
    """Return the files in the folders below that define something which trains or encodes."""
    found = []
    for folder, inside, _ in os.walk(path):
        inside[:] = sorted(one for one in inside if one[0] != "." and one not in NOT_THEIRS)
        others = [file for file in _in_folder(Path(folder)) if file not in files]
        found += [file for file in others if _may_be_program(file)]
    return found[:MOST_FILES]


def _may_be_program(file: Path) -> bool:
    """Return whether a file defines a function or a method whose name is usual in BPE programs."""
    try:
        parts = ast.walk(ast.parse(file.read_text("utf-8", "replace")))
        names = [part.name for part in parts if isinstance(part, ast.FunctionDef)]
    except (SyntaxError, ValueError):
        return False
    names = filter(is_public, names)
    return any(is_called(name, what) for name in names for what in ("train", "encode"))


def _load_files(path: Path, files: list[Path], name: str | None) -> Loaded:
    if (path / "tests" / "adapters.py").is_file():  # Stanford's, which knows where all is
        sys.path.insert(0, str(path))
        try:
            module = importlib.import_module("tests.adapters")
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            return Loaded([], [], [{"file": "tests/adapters.py", "why": why}])
        return Loaded([Program("tests/adapters.py", Stanfords(vars(module)))], [module], [])
    modules, failed = [], []
    for file in files:
        text = file.read_text("utf-8", "replace")
        is_elsewhere = name and name.isidentifier() and not _defines(text, name)
        if path.is_dir() and (is_elsewhere or _is_script(text)):
            continue
        shown = str(file.relative_to(path)) if path.is_dir() else file.name
        sys.argv = [str(file)]  # a script reads ours otherwise
        try:
            modules.append(load_file(file))
        except SyntaxError as error:  # whose last line doesn't say where it is
            version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
            failed.append({"file": shown, "why": f"SyntaxError: {error}, for {version}"})
        except SystemExit as error:
            failed.append({"file": shown, "why": f"it ends Python ({error}): is it a script?"})
        except Exception as error:
            failed.append({"file": shown, "why": f"{type(error).__name__}: {error}"})
    return Loaded(list_programs(modules), modules, failed)


def _is_script(text: str) -> bool:
    """Return whether a file defines neither classes nor functions."""
    try:
        parts = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Assign)
    return bool(parts) and not any(isinstance(part, kinds) for part in parts)


def _defines(text: str, name: str) -> bool:
    return f"class {name}" in text or f"def {name}(" in text


def load_file(file: Path) -> ModuleType:
    """Execute a Python file, inside its package if it is in one, and return the module."""
    # A relative import is legal also in a folder without __init__.py: then all in it are a package.
    above = max(map(_level_of_imports, file.parent.glob("*.py")), default=0)
    if (file.parent / "__init__.py").is_file():
        above = max(above, 1)
    above = min(above, len(file.parents) - 1)
    is_package = above > 0
    packages = [folder.name for folder in reversed(file.parents[:above])]
    # For its package, and for modules beside it.
    folders = [file.parents[max(above, 1)], file.parent]
    for folder in reversed(folders) if is_package else folders:  # the one added last comes first
        # It may stand behind another, in which a module has the name of the package.
        sys.path[:] = [str(folder), *[one for one in sys.path if one != str(folder)]]
    if is_package and all(name.isidentifier() for name in packages):
        own = [] if file.stem == "__init__" else [file.stem]
        return importlib.import_module(".".join([*packages, *own]))
    if file.stem in sys.modules and getattr(sys.modules[file.stem], "__file__", "") == str(file):
        return sys.modules[file.stem]  # another file has imported it
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # as dataclasses and pickle expect
    spec.loader.exec_module(module)
    return module


def _level_of_imports(file: Path) -> int:
    """Return how many folders up the relative imports of a file begin; 0 if it has none.

    Its own folder is the first.
    """
    try:
        parts = ast.walk(ast.parse(file.read_text("utf-8", "replace")))
    except (SyntaxError, ValueError):
        return 0
    levels = [part.level for part in parts if isinstance(part, ast.ImportFrom)]
    return max(levels, default=0)


def list_programs(modules: Iterable[ModuleType]) -> list[Program]:
    """Return the programs of modules: classes, functions, or both together."""
    modules = list(modules)
    own = {module.__name__ for module in modules}
    space = {}  # name -> what has it
    for module in modules:
        for name, item in vars(module).items():
            # A file may import the others once more, by other names.
            if _is_of(item, own) or not _is_of(space.get(name), own):
                space[name] = item
    classes = _name_classes(modules)
    programs, learners = [], []
    coders = []  # classes that only encode or only decode
    for item, shown in classes.items():
        learns, encodes = find_method(item, "train"), find_method(item, "encode")
        if encodes and (learns or takes_text_and_number(item)):
            programs.append(_program_of(item, classes))
        elif encodes and find_method(item, "decode") and (children := _children(item, classes)):
            programs.append(Program(shown, None, _base_of(children), is_base=True))
        elif encodes and find_method(item, "decode"):
            programs.append(Program(shown, GivenClass(item)))
        elif learns or takes_text_and_number(item):
            learners.append(Program(shown, Kept(item)))
        elif encodes or find_method(item, "decode"):
            coders.append(item)
    trains, makes = trainer_of_stanfords(space), maker_of_stanfords(space)
    if trains or makes:
        asked_apart = [one for one in programs if isinstance(one.answers, Kept)]
        if not trains and not asked_apart and (made := made_to_learn(space)):
            asked_apart.append(Program(made.__name__, Kept(made)))
        return [Program(_name_of(trains, makes), Stanfords(space)), *asked_apart]
    if programs:
        asked = [_with_class(_with_function(one, space), learners) for one in programs]
        # Where nothing else is asked what it learns, what only learns is.
        is_learned = any(isinstance(one.answers, Kept) for one in asked)
        if is_learned:
            return asked
        if not learners and (made := made_to_learn(space)):
            return [*asked, Program(made.__name__, Kept(made))]
        return [*asked, *filter(_learns_from_a_text, learners)]
    if coders and not find_learner(space) and not find_function(space, "encode"):
        return _with_coders(learners, coders, classes)
    doubled = [module for module in modules if _learns_and_encodes(module)]
    if len(doubled) > 1:  # functions of one name: each file is asked by itself
        found = []
        for module in doubled:
            shown = f"the functions ({Path(module.__file__).name})"
            found += [one._replace(name=shown) for one in _of_functions(vars(module), [])]
        return found
    return _of_functions(space, learners)


def _with_coders(
    learners: list[Program], coders: list[type], classes: Mapping[type, str]
) -> list[Program]:
    """Return the programs of classes of which one learns, and others only encode or only decode.

    One that encodes is given what the one that learns has learned; without such a class, it is
    given merges. Those that can't be asked are named, with what they take.
    """
    encoders, decoders = (
        [one for one in coders if find_method(one, what) and takes_what_is_learned(one)]
        for what in ("encode", "decode")
    )
    if len(learners) == len(encoders) == 1 and len(decoders) < 2 and learners[0].answers:
        trainer = learners[0].answers.made
        if find_method(trainer, "train"):
            parts = [trainer, *encoders, *decoders]
            made = made_of_parts(trainer, encoders[0], next(iter(decoders), None))
            return [
                Program(" and ".join(classes[one] for one in parts), KeptInParts(made, trainer))
            ]
    asked = list(learners)
    for one in coders:
        if one in encoders and not learners:
            asked.append(Program(classes[one], GivenClass(one)))
            continue
        taken = ", ".join(parameters_of(one))
        does = "encodes" if find_method(one, "encode") else "decodes"
        why = f"not asked: it only {does}, and how it is given what was learned isn't known"
        why += f" (it takes {taken})" if taken else ""
        asked.append(Program(classes[one], None, why, is_base=bool(asked)))
    return asked


def _learns_and_encodes(module: ModuleType) -> bool:
    """Return whether a module itself defines functions that learn and that encode."""
    own = {name: one for name, one in vars(module).items() if _is_of(one, {module.__name__})}
    return bool(find_learner(own) and find_function(own, "encode"))


def _of_functions(space: Mapping, learners: list[Program]) -> list[Program]:
    """Return the programs that functions make; if there are none, classes that only learn."""
    encode = space.get("encode")
    if inspect.isfunction(encode) and "split" in inspect.signature(encode).parameters:
        return [
            Program("the functions", SimpleNamespace(**space))
        ]  # they take requests as they are
    if are_learners(space):
        return [Program("the functions", Functions(space))]
    if made := made_of_functions(space):
        return [Program("the functions", Kept(made))]
    if not learners and (made := made_to_learn(space)):
        return [Program(made.__name__, Kept(made))]
    why_alone = encoders_alone(space)
    if why_alone:
        return learners or [Program("the functions", None, why_alone)]
    named = {name for name in FUNCTIONS if callable(space.get(name))}
    # One name alone may be anybody's; a function beside a class that learns may only help it.
    if len(named - ({"train", "merge"} if learners else set())) > 1:
        return [Program("the functions", Functions(space))]
    return learners  # what only learns is asked what it learns


def _name_classes(modules: Iterable[ModuleType]) -> dict[type, str]:
    """Return the classes that modules define, and how to call each of them.

    If several files define a class of one name, its file is named, too.
    """
    homes = {}  # in the order of their definition
    for module in modules:
        for item in vars(module).values():
            if inspect.isclass(item) and _is_of(item, {module.__name__}):
                homes.setdefault(item, getattr(module, "__file__", None) or module.__name__)
    files = list(dict.fromkeys(homes.values()))
    above = os.path.commonpath([os.path.dirname(file) for file in files]) if files else ""
    homes_of = {}  # name -> the files that define such a class
    for item, file in homes.items():
        homes_of.setdefault(item.__name__, set()).add(file)
    named = {}
    for item, file in homes.items():
        is_alone = len(homes_of[item.__name__]) == 1
        shown = Path(os.path.relpath(file, above)).as_posix() if above else file
        named[item] = item.__name__ if is_alone else f"{item.__name__} ({shown})"
    return named


def _is_of(item, own: set[str]) -> bool:
    """Return whether one of our modules defines something."""
    return getattr(item, "__module__", None) in own


def _learns_from_a_text(program: Program) -> bool:
    made = program.answers.made
    train = getattr(made, find_method(made, "train") or "", made)
    is_told_before = any(
        is_called(one, "size") or is_called(one, "merges") for one in parameters_of(made)
    )
    return takes_text_and_number(train) or (is_told_before and takes_text(train))


def _name_of(*parts: Callable | None) -> str:
    """Return the names of those functions and classes of CS336 that are there."""
    return " and ".join(one.__name__ for one in parts if one)


def _program_of(item: type, classes: Mapping[type, str]) -> Program:
    """Return a class as a program; a class that is only a base of others answers nothing."""
    children, shown = _children(item, classes), classes[item]
    if inspect.isabstract(item) or (children and _raises_at_once(item)):
        return Program(shown, None, _base_of(children), bool(children))
    if find_method(item, "train") and _raises_at_once(item):  # it is given what it knows
        return Program(shown, GivenClass(item))
    return Program(shown, Kept(item))


def _children(item: type, classes: Mapping[type, str]) -> list[str]:
    return [classes[other] for other in classes if other is not item and issubclass(other, item)]


def _base_of(children: list[str]) -> str:
    why = f"it is the base of {', '.join(children)}" if children else "it is abstract"
    return f"{why}, and nothing is asked of it"


def _with_function(program: Program, space: Mapping) -> Program:
    """Return a program whose class is given what it knows; a function may learn that for it."""
    if not isinstance(program.answers, GivenClass):
        return program
    made = made_by_method(program.answers.made) or made_by_function(space, program.answers.made)
    return Program(program.name, Kept(made)) if made else program


def _with_class(program: Program, learners: Iterable[Program]) -> Program:
    """Return a program whose class is given what it knows; another class may learn that for it."""
    if not isinstance(program.answers, GivenClass):
        return program
    for learner in learners:
        if made := made_by_class(learner.answers.made, program.answers.made):
            return Program(f"{learner.name} and {program.name}", Kept(made))
    return program


def _raises_at_once(item: type) -> bool:
    """Return whether the method that trains does nothing, or only raises NotImplementedError."""
    function = getattr(item, find_method(item, "train") or "", None)
    code = getattr(function, "__code__", None)
    if is_unwritten(code):
        return True
    if code is None or "NotImplementedError" not in code.co_names:
        return False
    return len(code.co_names) <= 2
