"""Adapter: answers for a program in a Python file or a folder.

``python -m bpe_further.conform.adapter my_bpe.py`` executes the file and speaks the protocol;
``NAME``, if it is given after the path, chooses one of several classes. The adapter skips requests
that the program can't answer.
"""

import json
import operator
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from bpe_further.conform.calls import Fault, Skip, in_words, refuse
from bpe_further.conform.cases import WORK
from bpe_further.conform.loading import Loaded, Program, load
from bpe_further.conform.suggest import describe, write_adapter

MOST_BYTES = 4 * 2**30  # of memory for the file


def main() -> None:
    """Answer all requests with the program that is named.

    Whatever the program prints goes to standard error, and its standard input is empty.
    """
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    with suppress(ImportError, ValueError, OSError):  # Windows has no limits; others may be lower
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    path, *name = sys.argv[1:]
    sys.path.insert(0, os.getcwd())  # for theirs alone: ours is imported
    there = load(path, *name)
    if WORK in os.environ:
        _work_in(os.environ[WORK])
    for line in requests:
        request = json.loads(line)
        number = request.pop("id")
        if request["do"] == "list":
            programs = [_describe(one) for one in there.programs]
            given = {"programs": programs, "failed": there.failed} | _suggest(there)
        elif request["do"] == "suggest":
            given = _suggest(there, *name)
        else:
            given = _answer(there, name, request)
        try:
            said = json.dumps({"id": number, **given}, default=_whole)
        except Fault as fault:
            said = json.dumps({"id": number, "fault": str(fault)})
        print(said, file=answers, flush=True)


def _work_in(folder: str) -> None:
    """Let the program write in an empty folder, so that it overwrites none of its user's files.

    A file that the program opens by a relative path is copied into that folder first.
    """
    home = Path.cwd()
    place = Path(folder, *home.parts[1:])

    def bring(event: str, given: tuple) -> None:
        if event != "open" or not isinstance(given[0], str) or os.path.isabs(given[0]):
            return
        theirs, ours = (Path(os.path.normpath(one / given[0])) for one in (home, place))
        if theirs.parent.is_dir():
            ours.parent.mkdir(parents=True, exist_ok=True)
        if theirs.is_file() and not ours.exists():
            shutil.copyfile(theirs, ours)

    sys.path[:] = [os.path.abspath(one) for one in sys.path]
    place.mkdir(parents=True)
    os.chdir(place)
    sys.addaudithook(bring)


def _suggest(there: Loaded, name: str | None = None) -> dict:
    """Return what the files define, and an adapter for it, or for the class that is named."""
    chosen = [one.answers for one in there.programs if one.name == name]
    failing = next((getattr(one, "failing", ()) for one in chosen), ())
    written = write_adapter(there.modules, name, failing)
    return {"defined": describe(there.modules), "adapter": written}


def _describe(program: Program) -> dict:
    """Return what the parent must know about a program before asking it anything."""
    return {"name": program.name, "why": program.why, "is_base": program.is_base}


def _answer(there: Loaded, name: list[str], request: dict) -> dict:
    """Return the answer of the program that is asked."""
    do = request.pop("do")
    try:
        chosen = [one for one in there.programs if not name or one.name == name[0]]
        for failed in there.failed if not chosen else ():  # in another order, it could be imported
            refuse(True, f"it can't be imported alone: {failed['why']}")
        refuse(not chosen, "a program")
        answers = chosen[-1].answers
        refuse(not hasattr(answers, do), do)
        return getattr(answers, do)(**request)
    except Skip as skip:
        return {"skip": str(skip)}
    except Fault as fault:
        return {"fault": str(fault)}
    except NotImplementedError:
        return {"skip": f"{do} is not written yet"}
    except BaseException as error:  # somebody else's code may raise anything
        return {"error": in_words(error)}


def _whole(value) -> int:
    """Return a whole number, such as one of NumPy, as Python's; raise `Fault` for anything else."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    raise Fault(f"the answer holds {value!r:.80}, of type {type(value).__name__}")


if __name__ == "__main__":
    main()
