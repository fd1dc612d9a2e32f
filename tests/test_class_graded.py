"""A class of thirty honest learners is graded, with all that a real one hands in.

What each learner got right was decided here, before anything was written, and so was how it was
written: the expected grades are sums over these decisions, and no code of the course makes them.
"""

import csv
import io
import json
import random
import tarfile

import pytest
from common import archive, sections
from test_grades import needs_a_box

from bpe_further.shell.commands import main

pytestmark = [pytest.mark.slow, needs_a_box]

FUNCTIONS = {}  # name -> a right function of 01 and a wrong one
for name, kind, code in sections("handed_in.md"):
    FUNCTIONS.setdefault(name, {})[kind] = code.rstrip()
VALUES = {  # of 01, worked out by hand: right, wrong
    "pairs_in_text": ("3", "2"),  # aa|abcaabbd_, a|aa|bcaabbd_, aaabc|aa|bbd_
    "symbols_left": ("9", "8"),
    "aaaa": ("3, 2", "2, 2"),
    "second_merge": ('"lo", "w"', '"o", "w"'),
    "longest_symbol": ("2**5", "10"),
    "count_bug": ('("a", "a", "a"), ("a", "a")', '("a", "b", "c"), ("a", "b")'),
}
IMPORTS = "from collections import Counter\nfrom functools import cache, partial, wraps\n"
ASK = "from bpe_teach.exercises import char_bpe as ask"
ALL_OF_01 = 12  # questions

# Set-up that does nothing wrong; nothing of it is there where answers are judged.
SETUPS = {
    "Drive": "from google.colab import drive\ndrive.mount('/content/drive')",
    "nltk": "import nltk\nnltk.download('punkt')\nfrom nltk.corpus import words as WORDS",
    "files": "story = open('story.txt').read()\nwith open('x.csv') as file:\n    rows = list(file)",
    "network": "import requests\npage = requests.get('https://example.org/').text[:100]",
    "magic": "%matplotlib inline\n!pip install bpe-teach\nlen?\nlines = !ls",
    "timing": "%%time\nx = 1",
    "try": "try:\n    import google.colab\n    here = 0\nexcept ImportError:\n    here = 1",
    "course": "from bpe_teach import load_corpus, show_tokens\nstory = load_corpus('story')\n"
    "show_tokens(story[:100].split())",
    "input": "your_name = input('Who are you? ')",
    "ends": "import sys\nif len('abc') > 5:\n    sys.exit()\nimport time\ntime.sleep(3)",
    "pictures": "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1])",
}

# How a right function may be written.
FIRST = "def {name}("
STYLES = {
    "plain": lambda name, code: f"{code}\n",
    "constant": lambda name, code: f"SPACE = chr(32)\nCOUNTS = Counter()\n{code}\n",
    "annotated": lambda name, code: f"LIMIT: int = 10**9\n{code}\n",
    "if": lambda name, code: "if True:\n" + "".join(f"    {line}\n" for line in code.splitlines()),
    "alias": lambda name, code: (
        code.replace(f"def {name}(", f"def my_{name}(") + f"\n{name} = my_{name}\n"
    ),
    "partial": lambda name, code: (
        code.replace(f"def {name}(", f"def _{name}(_unused, ")
        + f"\n{name} = partial(_{name}, None)\n"
    ),
    "decorated": lambda name, code: (
        "def logged(function):\n    @wraps(function)\n"
        "    def inner(*given):\n        return function(*given)\n    return inner\n"
        f"@logged\n{code}\n"
    ),
    "missing decorator": lambda name, code: f"from numba import njit\n@njit\n{code}\n",
    "lambda": lambda name, code: f"same = lambda value: value\n{code}\n{name} = same({name})\n",
    "class": lambda name, code: (
        "class Mine:\n    @staticmethod\n"
        + "".join(f"    {line}\n" for line in code.splitlines())
        + f"{name} = Mine.{name}\n"
    ),
    "try": lambda name, code: (
        f"try:\n    import numpy as np\nexcept ImportError:\n    np = None\n{code}\n"
    ),
}
KINDS = ["notebook", "my_bpe.py", "without marks", "Download .py"]


def draw(chance, names):
    """Return what a learner got right: name -> True, False, or None for what is left open."""
    return {name: chance.choice([True, True, True, False, None]) for name in names}


def functions_of(points, chance, styles):
    """Return the code of functions, by name, each in a style of its own."""
    written = {}
    for name, is_right in points.items():
        code = FUNCTIONS[name]["right" if is_right else "wrong"].replace("@cache\n", "")
        if is_right is None:
            code = FUNCTIONS[name]["right"].partition("\n")[0] + "\n    ..."
        style = styles[len(written) % len(styles)] if is_right is not None else "plain"
        written[name] = STYLES[style](name, code)
    return written


def as_notebook(cells):
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


def write_01(points, functions, setup):
    """Return the cells of a notebook of 01."""
    cells = [setup, f"{IMPORTS}{ASK}"]
    for name, code in functions.items():
        cells += [code, f"ask.{name}.check({name})\n{name} = ask.{name}.use({name})"]
    for name, is_right in points.items():
        if name in VALUES and is_right is not None:
            cells.append(f"display(ask.{name}.check({VALUES[name][not is_right]}))")
    return [*cells, "merge = 'something else, at the end'", "for ("]


def write_program(functions, points, has_marks):
    """Return a my_bpe.py; what is open is the course's, or isn't there."""
    parts = []
    for name, code in functions.items():
        if points[name] is not None:
            parts.append((f"# 01 {name}, mine:\n" if has_marks else "") + code)
    return IMPORTS + "\n\n" + "\n\n".join(parts)


PLATFORMS = [
    lambda name, n, file: f"{name}_{4000 + n}_assignsubmission_file_/{file}",
    lambda name, n, file: f"HW1_s{n}{name}_attempt_2026-01-31-12-00-{n:02}_{file}",
    lambda name, n, file: f"Submitted files/{name}/HW 1/Version 1/{file}",
    lambda name, n, file: f"{name.replace(' ', '').lower()}_LATE_{n}_{700 + n}_{file}",
    lambda name, n, file: f"{name} - {file}",
]
SHOWN = [
    lambda name, n: name,
    lambda name, n: f"s{n}{name}",
    lambda name, n: name,
    lambda name, n: name.replace(" ", "").lower(),
    lambda name, n: name,
]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜË"


def test_thirty_honest_learners_get_the_points_that_they_earned(tmp_path):
    chance = random.Random(59)
    expected, handed = {}, {}
    for n, letter in enumerate(LETTERS):
        name = f"Zo{letter.lower()} Lovelace" if n % 3 else f"{letter}da Byron"
        platform = n % len(PLATFORMS)
        styles = [list(STYLES)[(n + i) % len(STYLES)] for i in range(4)]
        setup = list(SETUPS.values())[n % len(SETUPS)]
        kind = KINDS[n % 4] if n % 5 else "notebook"
        points = draw(chance, FUNCTIONS)
        points["count_pairs"] = n % 7 != 0  # something is handed in
        functions = functions_of(points, chance, styles)
        if kind in ("notebook", "Download .py"):
            points |= draw(chance, VALUES)
            cells = write_01(points, functions, setup)
            of = ALL_OF_01
        if kind == "notebook":
            file, content = "01_char_bpe.ipynb", as_notebook(cells).encode()
            file = [file, "01_char_bpe.IPYNB", "01_char_bpe.ipynb.txt"][n // 5 % 3]
        elif kind == "Download .py":
            text = "\n\n".join(cells[1:-1])
            file, content = (
                "01_char_bpe.py",
                f"# -*- coding: latin-1 -*-\n# é\n{text}".encode("latin-1"),
            )
        else:
            text = write_program(functions, points, kind == "my_bpe.py") + "\n# Grüße\n"
            file, of = "my_bpe.py", 4
            content = text.encode(["cp1252", "utf-16", "utf-8-sig"][n // 4 % 3])
        path = PLATFORMS[platform](name, n, file)
        if n % 10 == 3:  # in an archive of their own
            content, path = archive({f"course/{file}": content, "__MACOSX/._x": "x"}), f"{path}.zip"
        if n % 10 == 6:
            made = io.BytesIO()
            with tarfile.open(fileobj=made, mode="w:gz") as packed:
                info = tarfile.TarInfo(f"course/{file}")
                info.size = len(content)
                packed.addfile(info, io.BytesIO(content))
            content, path = made.getvalue(), f"{path}.tar.gz"
        handed[path] = content
        earned = {f"01_{one}": is_right for one, is_right in points.items()}
        expected[SHOWN[platform](name, n)] = {"of": of, "attempts": 1, "parts": earned}

    everything = {"count_pairs": True, "merge": True, "learn": True, "encode": True}
    right = as_notebook(write_01(everything, functions_of(everything, chance, ["plain"]), ""))
    nothing = as_notebook([ASK])
    all_right = {f"01_{one}": True for one in everything}
    # The latest attempt counts, whatever its name sorts like.
    for at, old, new in [
        (0, "my_bpe (10).py", None),
        (
            1,
            "HW1_s77_attempt_2026-02-01-00-00-00_01.ipynb",
            "HW1_s77_attempt_2026-02-02-00-00-00_01.ipynb",
        ),
        (
            2,
            "Submitted files/Tea M/HW/Version 9/01.ipynb",
            "Submitted files/Tea M/HW/Version 10/01.ipynb",
        ),
        (3, "caneva_5_90_01.ipynb", "caneva_5_100_01-1.ipynb"),
        (4, "Goo Gle - 01.ipynb", "Goo Gle - 01 (1).ipynb"),
    ]:
        if new is None:
            continue
        handed |= {old: nothing, new: right}
        learner = ["", "s77", "Tea M", "caneva", "Goo Gle"][at]
        expected[learner] = {"of": ALL_OF_01, "attempts": 2, "parts": all_right}
    # Two notebooks with a function of the same name; a spreadsheet must not compute a name.
    ranks = "def encode(word, ranks):\n    word = list(word)\n    while True:\n"
    ranks += (
        "        found = [(ranks[p], i) for i, p in enumerate(zip(word, word[1:])) if p in ranks]\n"
    )
    ranks += (
        "        if not found:\n            return tuple(word)\n        rank, at = min(found)\n"
    )
    ranks += "        left, right = word[at], word[at + 1]\n        done, i = [], 0\n"
    ranks += "        while i < len(word):\n            if tuple(word[i:i + 2]) == (left, right):\n"
    ranks += (
        "                done.append(left + right)\n                i += 2\n            else:\n"
    )
    ranks += "                done.append(word[i])\n                i += 1\n        word = done\n"
    of_03 = [
        "from bpe_teach.exercises import rank_based_encoding as ask",
        "my_bpe = ask.brought.use(...)",
    ]
    of_03 += ["merge = my_bpe.merge", ranks, "encode = ask.encode.use(encode)"]
    of_03 += [
        "def encode_all_at_once(word, ranks):\n    return word",
        "ask.encode.check(encode_all_at_once)",
    ]
    of_03 += ['ask.bad_order.check("ab c")', 'ask.next_winner.check("ow", "er")']
    handed |= {"=t_1_assignsubmission_file_/01_char_bpe.ipynb": right}
    handed |= {"=t_1_assignsubmission_file_/03_rank_based_encoding.ipynb": as_notebook(of_03)}
    parts = all_right | {"03_encode": True, "03_bad_order": True, "03_next_winner": False}
    expected["'=t"] = {"of": ALL_OF_01 + 8, "attempts": 1, "parts": parts}
    # Prices: an answer may call what the course lends.
    prices = ["import pandas as pd\nfrom bpe_teach import SCHEMES, compare, load_languages"]
    prices += ["from bpe_teach.exercises import language_price as ask"]
    prices += ["def last_premium(page, english, name):\n    split = SCHEMES[name].split"]
    prices[-1] += "\n    return len(split(page)) / len(split(english))"
    prices += ["ask.last_premium.check(last_premium)", 'ask.left_out.check("Greek")']
    handed |= {"a;=1+1_2_assignsubmission_file_/05c.ipynb": as_notebook(prices)}
    parts = {"05c_last_premium": True, "05c_left_out": True}
    expected["a;'=1+1"] = {"of": 10, "attempts": 1, "parts": parts}
    # What can't be read has a row that says so.
    odd = {"hw.rar": b"Rar!", "hw.pdf": b"%PDF", "hw.html": b"<p>", "picture.png": b"png"}
    handed |= {f"Odd One_3_assignsubmission_file_/{file}": odd[file] for file in odd}
    expected["Odd One"] = {"of": 0, "attempts": 0, "parts": {}}

    (tmp_path / "class.zip").write_bytes(archive(handed))
    (tmp_path / ".DS_Store").write_bytes(b"x")
    assert main(["grade", str(tmp_path), "-o", str(tmp_path / "grades.csv")]) == 0
    written = (tmp_path / "grades.csv").read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    rows = {row["learner"]: row for row in csv.DictReader(io.StringIO(written.decode("utf-8-sig")))}
    assert set(rows) == set(expected)
    for learner, wanted in expected.items():
        row = rows[learner]
        told = (learner, row)
        assert int(row["points"]) == sum(map(bool, wanted["parts"].values())), told
        assert (int(row["of"]), int(row["attempts"])) == (wanted["of"], wanted["attempts"]), told
        for column, cell in row.items():
            if column[:2].isdigit():
                given = wanted["parts"].get(column)
                assert cell == ("" if given is None else str(int(given))), (column, told)
    for kind in odd:
        assert kind in rows["Odd One"]["not run"]
    assert "zip" in rows["Odd One"]["not run"]
    assert "notebook" in rows["Odd One"]["not run"]


def test_a_reason_is_the_true_one(tmp_path):
    cells = [f"{ASK}\nimport nltk\nwords = open('words.txt').read().split()"]
    cells += [
        "def merge(word, pair):\n    return tuple(nltk.bigrams(word))",
        "ask.merge.check(merge)",
    ]
    cells += ["def count_pairs(word):\n    return {w: 1 for w in words}"]
    cells += [
        "ask.count_pairs.check(count_pairs)",
        "ask.aaaa.check(len(nltk.bigrams('a')), nltk.two)",
    ]
    (tmp_path / "01.ipynb").write_text(as_notebook(cells))
    assert main(["grade", str(tmp_path), "-o", str(tmp_path / "grades.csv")]) == 0
    (row,) = csv.DictReader((tmp_path / "grades.csv").read_text("utf-8-sig").splitlines())
    said = row["what was wrong"]
    assert "no module nltk here (line 2 of your cell)" in said
    assert "No such file or directory: 'words.txt'" in said
    assert row["not run"] == "01_aaaa: no module nltk here"
