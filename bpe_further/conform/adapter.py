"""Adapter: answers for a Python file or a folder, whose functions and classes it knows by name.

``python -m bpe_further.conform.adapter my_bpe.py`` executes the file and speaks the protocol. It
skips requests that no function of the file can answer.
"""

import importlib.util
import json
import operator
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from bpe_further.conform.shapes import Fault, Skip, find_program, refuse

MOST_BYTES = 4 * 2**30  # of memory for the file


def main() -> None:
    """Answer all requests by the file or folder that is named.

    Whatever it prints goes to standard error, and its standard input is empty.
    """
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        program = find_program(_load(sys.argv[1]))
    except SyntaxError as error:  # whose last line doesn't say where it is
        sys.exit(f"SyntaxError: {error}")
    for line in requests:
        request = json.loads(line)
        number = request.pop("id")
        do = request.pop("do")
        try:
            refuse(not hasattr(program, do), do)
            given = getattr(program, do)(**request)
            said = json.dumps({"id": number, **given}, default=_whole)
        except Skip as skip:
            said = json.dumps({"id": number, "skip": str(skip)})
        except Fault as fault:
            said = json.dumps({"id": number, "fault": str(fault)})
        except NotImplementedError:
            said = json.dumps({"id": number, "skip": f"{do} is not written yet"})
        except BaseException as error:  # somebody else's code may raise anything
            said = json.dumps({"id": number, "error": f"{type(error).__name__}: {error}"})
        print(said, file=answers, flush=True)


def _whole(value) -> int:
    """Return a whole number of NumPy's as one of Python's; `Fault` for what isn't one."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    raise Fault(f"the answer holds {value!r:.80}, of type {type(value).__name__}")


def _load(path: str) -> list[ModuleType]:
    """Execute a Python file, or those of a folder, and return the modules."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no limits; others may be lower
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    file = Path(path).resolve()
    if not file.is_dir():
        return [_load_file(file)]
    if (file / "tests" / "adapters.py").is_file():  # Stanford's, which knows where all is
        sys.path.insert(0, str(file))
        return [importlib.import_module("tests.adapters")]
    modules, failures = [], []
    for one in sorted(file.glob("*.py")):
        try:
            modules.append(_load_file(one))
        except Exception as error:  # one file of several may need what isn't there
            failures.append(error)
    if not modules:
        raise failures[0] if failures else ValueError(f"{path} holds no Python files")
    return modules


def _load_file(file: Path) -> ModuleType:
    """Execute a Python file, inside its package if it has one, and return the module."""
    if (file.parent / "__init__.py").is_file():
        sys.path.insert(0, str(file.parents[1]))
        return importlib.import_module(f"{file.parent.name}.{file.stem}")
    sys.path.insert(0, str(file.parent))  # for modules beside it
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # as dataclasses and pickle expect
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
