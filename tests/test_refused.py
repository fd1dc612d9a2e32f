"""What is not allowed is a ValueError that says why: all calls of tests/tables/refused.txt."""

import random
from importlib import import_module

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from common import TABLES
from test_house import MODULES

import bpe_further
import bpe_teach

CALLS = {}  # heading -> [(line, message)]
for line in (TABLES / "refused.txt").read_text("utf-8").splitlines():
    if line.startswith("["):
        calls = CALLS.setdefault(line.strip("[]"), [])
    elif line and not line.startswith("#"):
        calls.append(line.split(" → "))


@pytest.mark.parametrize("heading", CALLS)
def test_what_is_not_allowed_is_said(heading):
    name = heading.partition(":")[0]
    module = next(module for module in MODULES if module.partition(".")[2] == name)
    if module == "bpe_further.measure.lm":
        pytest.importorskip("torch")
    figures = plt.get_fignums()
    both = (bpe_teach, bpe_further)
    public = {name: getattr(package, name) for package in both for name in package.__all__}
    space = {"pd": pd, "random": random} | vars(import_module(module)) | public
    for call, *message in CALLS[heading]:
        if not message:  # a name for a value
            exec(call, space)
            continue
        call, _, values = call.partition(" with … = ")
        for value in eval(f"[{values}]", space) or [None]:
            with pytest.raises(ValueError, match=message[0]):
                eval(call.replace("…", "_value"), space | {"_value": value})
    assert plt.get_fignums() == figures  # what cannot be drawn leaves none
