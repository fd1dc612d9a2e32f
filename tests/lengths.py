"""How long a notebook takes: ``python tests/lengths.py`` prints a table of all of them.

The minutes are a model of a first reading, not an observation: reading speed, and so many minutes
for each thing to do. Exercises after "Your turn" are homework, and what is there isn't counted.
"""

import json
import re
import sys
from importlib import import_module
from pathlib import Path

from bpe_teach.exercises.exercise import Function, Hunt, Value

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
WORDS_A_MINUTE = 150
SECONDS = {"code lines": 5, "outputs": 15}
MINUTES = {Function: 8, Hunt: 5, Value: 1.5}  # to find an answer
HOMEWORK = "## Your turn"


def exercises_of(module: str):
    """Return a module of exercises."""
    return import_module(f"bpe_teach.exercises.{module}")


def kind_of(module: str, name: str):
    """Return the kind of an exercise; None for anything else."""
    exercise = getattr(exercises_of(module), name, None)
    return next((kind for kind in MINUTES if isinstance(exercise, kind)), None)


def measure(path: Path) -> dict:
    """Return the words, code lines, outputs, exercises and minutes of a notebook.

    The words are those of the prose, without the references.
    """
    cells = json.loads(path.read_text("utf-8"))["cells"]
    prose, code, outputs, asked, homework = [], 0, 0, set(), False
    modules = {}  # the name by which a notebook calls a module of exercises -> the module
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            homework = homework or source.startswith(HOMEWORK)
            prose += source.partition("## References")[0].split()
            continue
        code += len([line for line in source.splitlines() if line.strip()])
        outputs += len(cell["outputs"])
        found = re.findall(r"^from bpe_teach\.exercises import (\w+)(?: as (\w+))?", source, re.M)
        modules |= {short or name: name for name, short in found}
        for short, name in re.findall(r"\b(\w+)\.(\w+)\.(?:check|use)\(", source):
            if short in modules and not homework:
                asked.add((modules[short], name))
    kinds = [kind_of(*exercise) for exercise in asked]
    for module in modules.values():  # the questionnaire is answered as a whole
        kinds += [Value] * len(getattr(exercises_of(module), "FORMS", {}).get("A", ()))
    counts = {kind: kinds.count(kind) for kind in MINUTES}
    minutes = len(prose) / WORDS_A_MINUTE
    minutes += (code * SECONDS["code lines"] + outputs * SECONDS["outputs"]) / 60
    minutes += sum(count * MINUTES[kind] for kind, count in counts.items())
    sizes = {"words": len(prose), "code lines": code, "outputs": outputs}
    return sizes | {kind.__name__: n for kind, n in counts.items()} | {"minutes": round(minutes)}


if __name__ == "__main__":
    chosen = [Path(name) for name in sys.argv[1:]]
    for path in chosen or sorted(NOTEBOOKS.rglob("[0-9]*.ipynb"), key=lambda path: path.name):
        print(f"{path.stem:28}", *(f"{name} {n:5}" for name, n in measure(path).items()))
