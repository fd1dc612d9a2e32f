"""Verdicts: what checks cost, here and in another checkout, in milliseconds of the processor.

``python -m tests.benchmarks.verdicts [OTHER]`` judges the right answers of tests/right_answers.md
and the slips of all pages, in both checkouts, and prints the median and ratios, and
below what 19 of 20 stay.
"""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import json, resource, sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tests"]
from test_answers import RIGHT
from test_exercises import EXERCISES, FUNCTIONS, run_answer

def seconds():
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(sum(resource.getrusage(who)[:2]) for who in both)

def cost(exercise, answer):
    before = seconds()
    exercise.check(answer)
    return seconds() - before

right = [cost(EXERCISES[n], run_answer(n, code)) for n in RIGHT for code in RIGHT[n]]
slips = [cost(EXERCISES[n], slip) for n in FUNCTIONS for slip, _ in EXERCISES[n].slips]
print(json.dumps({"right answers": right, "slips": slips}))
"""


def costs(checkout: Path) -> dict[str, list[float]]:
    """Return what each check costs in a checkout, in seconds, by kind of answer."""
    command = [sys.executable, "-c", CODE, str(checkout)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout)
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    """Print a row for each kind of answer and checkout."""
    checkouts = [ROOT, *map(Path, sys.argv[1:])]
    measured = [costs(checkout) for checkout in checkouts]
    for kind in measured[0]:
        for checkout, found in zip(checkouts, measured, strict=True):
            middle, high = median(found[kind]), quantiles(found[kind], n=20)[-1]
            ratio = median(measured[0][kind]) / middle
            said = f"{kind:14}  median {1000 * middle:4.0f} ms, 95 %: {1000 * high:5.0f} ms"
            print(f"{said}, ratio {ratio:.2f}  {checkout}")


if __name__ == "__main__":
    main()
