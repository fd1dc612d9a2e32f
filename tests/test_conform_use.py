"""The kit uses a program as its user does: each miss and each false report that a review had found.

The programs are small and our own; each is one of the kinds that were met in public.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from common import sections
from test_conform import MINBPE, ask, ask_all, failing

from bpe_further.conform.cases import VERSION, hash_of_cases
from bpe_further.conform.find_split import MERGES, SPLIT_TEXTS
from bpe_further.conform.program import read_answer
from bpe_further.conform.replay import are_learned
from bpe_further.conform.splits import SPLITS
from bpe_further.exercises.whole_programs import SLIPS, answer
from bpe_further.shell.commands import main

PROGRAMS = {name: (code, *rest) for name, *rest, code in sections("conform_use.md")}
RIGHT = [name for name, (_, kind, *_) in PROGRAMS.items() if kind == "right"]
IN_JAVASCRIPT = [name for name, (_, kind, *_) in PROGRAMS.items() if kind == "javascript"]
NOTED = [name for name, (_, kind, *_) in PROGRAMS.items() if kind == "noted"]
REFUSED = [name for name, (_, kind, *_) in PROGRAMS.items() if kind == "refused"]
WRONG = [name for name, (_, kind, *_) in PROGRAMS.items() if kind == "wrong"]


def write(folder: Path, name: str) -> Path:
    path = folder / "theirs.py"
    path.write_text(PROGRAMS[name][0], "utf-8")
    return path


VOCAB_AND_PAIRS = """
    tokens = [bytes([byte]) for byte in range(256)]
    made = []
    for left, right in pairs:
        made.append((tokens[left], tokens[right]))
        tokens.append(tokens[left] + tokens[right])
    return dict(enumerate(tokens)), made
"""


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_of_another_kind_conforms(name, tmp_path):
    report = ask(write(tmp_path, name))
    assert failing(report) == set()
    assert report.is_good
    assert report.count("passed", "use") > 90
    for found in PROGRAMS[name][2:]:
        assert found in str(report)


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_of_what_training_hands_over_is_found(name, tmp_path):
    report = ask(write(tmp_path, name))
    assert report.count("failed") > 0
    for told in PROGRAMS[name][2:]:
        assert told in str(report)


@pytest.mark.parametrize("name", NOTED)
def test_what_no_case_asks_is_said(name, tmp_path):
    report = ask(write(tmp_path, name))
    assert report.is_good
    for told in PROGRAMS[name][2:]:
        assert told in str(report)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_asked_is_told_why_and_gets_an_adapter(name, tmp_path):
    report = ask(write(tmp_path, name))
    for told in PROGRAMS[name][2:]:
        assert told in f"{report.why}\n{report.adapter}"
    assert report.adapter and not report.is_good


def test_no_reason_is_told_where_encoding_only_raises_errors(tmp_path):
    name = "encoding always raises an error, and merges are learned twice"
    assert "one possible reason" not in str(ask(write(tmp_path, name), groups=["use"]))


def test_a_single_case_names_all_slips_that_give_its_answer(tmp_path):
    path = write(tmp_path, "encodes in passes, but takes a text that is a token as a whole")
    told = str(ask(path, names=["longest-match-encode-3"]))
    assert "slips that give this answer: encode_leftmost_first, " in told
    assert "encode_in_passes" in told and "no slip that we know gives this answer" not in told


def test_symbols_that_are_no_bytes_are_told_as_the_fault_that_they_are(tmp_path):
    name = "merges hold characters that are encoded"
    told = str(ask(write(tmp_path, name), groups=["train"]))
    assert PROGRAMS[name][2] in told and "KeyError" not in told


def test_nothing_is_said_of_special_tokens_where_none_is_cut(tmp_path):
    path = write(tmp_path, "special tokens in training, the first listed first")
    path.write_text(path.read_text().replace("cut(file.read(), special_tokens)", "[file.read()]"))
    report = ask(path, groups=["special"])
    assert report.count("failed") > 0 and report.found.notes == []


def test_a_trainer_in_another_file_teaches_what_is_made_of_merges(tmp_path):
    given = PROGRAMS["is given a vocabulary and pairs of bytes"][0]
    learner = PROGRAMS["a learner beside a function that only calls it"][0]
    (tmp_path / "encoder.py").write_text(given, "utf-8")
    learner, _, _ = learner.partition("def train(input_path")
    (tmp_path / "learner.py").write_text(learner, "utf-8")
    reports = {report.name: report for report in ask_all(tmp_path, groups=["train", "encode"])}
    assert reports["Mine"].is_good and reports["Learner"].is_good
    trains = (
        "def train(input_path, vocab_size):\n    return Learner([]).train(input_path, vocab_size)"
    )
    pairs = trains.replace("return", "pairs =") + VOCAB_AND_PAIRS
    (tmp_path / "learner.py").write_text(learner + pairs, "utf-8")
    [report] = ask_all(tmp_path)
    assert "train takes a path" in str(report)


def test_a_trainer_of_words_beside_a_tokenizer_is_asked_by_itself(tmp_path):
    given = PROGRAMS["encode_iterable and special names, alone in lower case"][0]
    learner = PROGRAMS["learns from words, which encoding makes by GPT-2's pattern"][0]
    learner, _, _ = learner.partition("def encode")
    for place, code in (("model/mine.py", given), ("helpers/training.py", learner)):
        path = tmp_path / place
        path.parent.mkdir()
        path.write_text(code, "utf-8")
    reports = {report.name: report for report in ask_all(tmp_path)}
    assert reports["tokenizer"].is_good and "splits: gpt2" in str(reports["tokenizer"])
    assert reports["train_BPE"].is_good and "a list of words" in str(reports["train_BPE"])


def test_a_trainer_that_keeps_what_it_learned_is_asked_beside_a_tokenizer(tmp_path):
    path = write(tmp_path, "a trainer, given its size when it is made, returns what encodes")
    path.write_text(path.read_text().replace("return Tokenizer(merges)", "self.merges = merges"))
    reports = {report.name: report for report in ask_all(path, groups=["train"])}
    assert reports["Trainer"].is_good and reports["Trainer"].count("passed") == 34
    assert "Tokenizer" in reports


def test_a_tokenizer_alone_whose_split_is_not_gpt2s_is_not_asked_for_it(tmp_path):
    path = write(tmp_path, "encode_iterable and special names, alone in lower case")
    path.write_text(path.read_text().replace("WORD.findall(piece)", "[piece]"))
    report = ask(path)
    assert report.is_good and "splits: none\n" in str(report)


def test_a_folder_of_javascript_is_told_to_name_a_file(tmp_path):
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "bpe.js").write_text("")
    assert "JavaScript: name one of its files: js/bpe.js" in ask(tmp_path).why.replace("\\", "/")


def test_stubs_that_do_nothing_make_a_base(tmp_path):
    base = "class Base:\n    def train(self, text, vocab_size):\n        pass\n"
    base += "    def encode(self, text):\n        pass\n"
    path = tmp_path / "theirs.py"
    source = PROGRAMS["saves and loads"][0].replace("class Mine", "class Mine(Base)")
    path.write_text(base + source)
    reports = {report.name: report for report in ask_all(path, groups=["train"])}
    assert reports["Base"].is_good and "it is the base of Mine" in reports["Base"].why
    assert reports["Mine"].is_good


@pytest.mark.parametrize(
    ("name", "told"), [("mine.ipynb", "save its code as a file"), ("mine.rs", "compile it")]
)
def test_a_file_that_is_no_command_is_told_so(name, told, tmp_path, capsys):
    (tmp_path / name).write_text("{}")
    assert main(["conform", str(tmp_path / name)]) == 1
    assert told in capsys.readouterr().out


def test_nothing_is_said_of_special_tokens_of_which_the_longest_is_taken(tmp_path):
    path = write(tmp_path, "special tokens in training, the first listed first")
    longest_first = "cut(file.read(), sorted(special_tokens, key=len, reverse=True))"
    path.write_text(path.read_text().replace("cut(file.read(), special_tokens)", longest_first))
    report = ask(path)
    assert report.is_good and report.found.notes == []


def test_conventions_are_no_failures(tmp_path):
    report = ask(write(tmp_path, "stops at count 1, skips unknown ids"))
    assert report.is_good
    assert report.count("convention") > 10
    assert "a convention other than GPT-2's" in str(report)
    assert "split: the whole text is one word" in str(report)  # in spite of the early stop


def test_what_only_learns_is_asked_what_it_learns(tmp_path):
    report = ask(write(tmp_path, "only learns, and nothing that occurs less than three times"))
    assert failing(report) == set() and report.is_good
    assert report.count("passed") > 200
    assert "there is nothing that encodes" in str(report)
    assert not any("encoded" in one.case.about for one in report.groups["whole"])
    assert "stops when no pair occurs 3 times" in str(report)


def test_what_is_given_tables_in_a_form_of_its_own_is_told_so_and_is_no_failure(tmp_path):
    report = ask(write(tmp_path, "is given tables of texts that nothing here learns"))
    assert "does it want pairs of texts, or ids of its own?" in report.why
    assert not report.is_good and not report.results


def test_what_cannot_be_used_is_told_which_call_raises(tmp_path):
    named = "ids only for the symbols that are left, and merges that are not kept"
    _, _, told = PROGRAMS[named]
    assert told in ask(write(tmp_path, named)).why


@pytest.mark.parametrize("name", SPLITS)
def test_what_is_learned_from_the_texts_of_the_probe_tells_splits_apart(name):
    def request(split, text):
        words = [[[*word], 1] for word in SPLITS[split].words(text, to_learn=True)]
        return {"do": "train_words", "words": words, "merges": MERGES, "ties": "first"}

    learned = [answer(request(name, text))["merges"] for text in SPLIT_TEXTS]
    alike = set()
    for other in SPLITS:
        if all(
            are_learned(request(other, text), merges)
            for text, merges in zip(SPLIT_TEXTS, learned, strict=True)
        ):
            alike.add(other)
    # Of single signs, or of white space, nothing is learned either way, so only encoding tells.
    ways = re.compile(" (unlearned|alone learned|and signs|and others)$")
    same = {other for other in SPLITS if ways.sub("", other) == ways.sub("", name)}
    assert name in alike <= same


def test_what_must_be_given_takes_the_text_before_a_file_to_print_to(tmp_path):
    path = write(tmp_path, "made, trained, kept")
    taken = "(self, text, vocab_size, verbose=False, file=None)"
    path.write_text(path.read_text().replace("(self, text, vocab_size)", taken))
    report = ask(path)
    assert report.is_good and "train takes a text, vocab_size is the size" in str(report)


def test_the_adapter_of_a_report_is_for_its_class(tmp_path):
    path = write(tmp_path, "a table of merges that stays empty")
    mine = path.read_text()
    path.write_text(mine + "\n" + mine.replace("class Mine", "class Other"))
    reports = {report.name: report for report in ask_all(path, groups=["train"])}
    assert [*reports] == ["Mine", "Other"]
    for name, report in reports.items():
        assert f"from theirs import {name}\n" in report.adapter


def test_what_is_saved_in_a_folder_under_a_name_is_loaded_in_a_new_process(tmp_path):
    named = "a pattern of the module re, special names in a list, saved in a folder under a name"
    report = ask(write(tmp_path, named))
    passed = {one.case.name for one in report.results if one.result == "passed"}
    assert {"saved-beyond-ascii-load", "special-encode-4"} <= passed


def test_a_slip_whose_words_grow_and_grow_comes_to_an_end():
    slip = SLIPS["merge_with_plain_pattern"]  # to which "| a" is any place, or an a
    request = {"do": "train_words", "words": [[[*"|a|a"], 2]], "merges": 200, "ties": "first"}
    assert answer(request, slip) == {"error": "ValueError: the words grow without an end"}


def test_halves_of_characters_are_told_by_what_they_are():
    told = read_answer(b'{"id": 1, "tokens": ["\\ud83d"]}', 1)
    assert "half of a surrogate pair" in told["fault"]


# Loading.


def test_a_file_that_has_the_name_of_its_package_and_a_base_that_does_not_learn(tmp_path):
    package = tmp_path / "theirs" / "tokenizer"
    package.mkdir(parents=True)
    base = "class Base:\n    def encode(self, text): ...\n    def decode(self, ids): ...\n"
    learner = MINBPE.replace("(Base)", "(Base, Other)")
    files = {"__init__": "", "base": base.replace("class Base", "class Other")}
    files["tokenizer"] = f"from tokenizer.base import Other\n{learner}"
    for name, text in files.items():
        (package / f"{name}.py").write_text(text)
    reports = {report.name: report for report in ask_all(tmp_path / "theirs")}  # holds no files
    assert reports["BasicTokenizer"].is_good and reports["Other"].is_good
    assert "it is the base of BasicTokenizer" in reports["Other"].why


def test_a_package_with_a_module_of_its_name_is_imported_from_where_it_lies(tmp_path, monkeypatch):
    package = tmp_path / "tokenizer"
    package.mkdir()
    base, _, learner = MINBPE.partition("class BasicTokenizer")
    (package / "base.py").write_text(base)
    (package / "__init__.py").write_text("from .tokenizer import BasicTokenizer\n")
    imports = "from collections import Counter\nfrom .base import Base\n"
    (package / "tokenizer.py").write_text(f"{imports}class BasicTokenizer{learner}")
    monkeypatch.chdir(tmp_path)
    [report] = ask_all("tokenizer", groups=["train"])
    assert report.is_good


def test_a_relative_import_that_is_never_made_hides_no_class_that_a_file_imports(tmp_path):
    (tmp_path / "basic.py").write_text(MINBPE)
    late = "from basic import BasicTokenizer\n\ndef show():\n    from .basic import Base\n"
    (tmp_path / "show.py").write_text(late)
    [report] = ask_all(tmp_path, groups=["train"])
    assert report.is_good


def test_each_class_has_its_own_report_and_a_base_is_no_program(tmp_path):
    package = tmp_path / "theirs"
    package.mkdir()
    base = "class Tokenizer:\n    def train(self, text, vocab_size):\n"
    base += "        raise NotImplementedError\n    def encode(self, text):\n"
    base += "        raise NotImplementedError\n"
    (package / "base.py").write_text(base)
    # A relative import is legal without __init__.py.
    basic = "from .base import Tokenizer\n" + MINBPE.replace("(Base)", "(Base, Tokenizer)")
    (package / "basic.py").write_text(basic)
    loads = "\n    def __init__(self):\n        open('/no/such/file')\n"
    late = "from .basic import BasicTokenizer\nclass Late(BasicTokenizer):" + loads
    (package / "late.py").write_text(late)
    reports = {report.name: report for report in ask_all(package)}
    assert "it is the base of BasicTokenizer" in reports["Tokenizer"].why
    assert reports["Tokenizer"].is_good
    assert reports["BasicTokenizer"].is_good
    assert "FileNotFoundError" in reports["Late"].why
    assert not reports["Late"].is_good
    assert main(["conform", str(package), "--only", "train"]) == 1
    assert main(["conform", str(package), "--only", "train", "--class", "BasicTokenizer"]) == 0


def test_classes_of_one_name_in_several_files_get_a_report_each(tmp_path):
    right = PROGRAMS["made, trained, kept"][0]
    wrong = right.replace("max(counts, key", "min(counts, key")
    for place, code in (("a.py", wrong), ("b.py", right)):
        (tmp_path / place).write_text(code, "utf-8")
    reports = {report.name: report for report in ask_all(tmp_path, groups=["train"])}
    assert [*reports] == ["Mine (a.py)", "Mine (b.py)"]
    assert not reports["Mine (a.py)"].is_good and reports["Mine (b.py)"].is_good
    named = [report.name for report in ask_all(tmp_path, groups=["train"], chosen="Mine")]
    assert named == [*reports]


def test_white_space_may_have_a_token_of_its_own_in_encoding(tmp_path):
    path = write(tmp_path, "white space is dropped in training, and becomes unknown in encoding")
    path.write_text(path.read_text().replace("<UNK>", "<|space|>"))
    report = ask(path)
    assert report.is_good
    assert "in encoding, white space becomes <|space|>, so only texts without" in str(report)


def test_functions_of_one_name_in_several_files_get_a_report_each(tmp_path):
    code, *_ = PROGRAMS["what is learned is handed on to plain functions"]
    for place, word in (("a.py", "min"), ("b.py", "max")):
        (tmp_path / place).write_text(code.replace("max(counts", f"{word}(counts"), "utf-8")
    reports = {report.name: report for report in ask_all(tmp_path, groups=["train"])}
    assert [*reports] == ["the functions (a.py)", "the functions (b.py)"]
    wrong, right = reports.values()
    assert right.is_good and not wrong.is_good


def test_a_relative_import_may_begin_above_the_folder(tmp_path):
    package = tmp_path / "theirs" / "models"
    package.mkdir(parents=True)
    base, _, learner = MINBPE.partition("class BasicTokenizer")
    (tmp_path / "theirs" / "base.py").write_text(base)
    learner = (
        f"from collections import Counter\nfrom ..base import Base\nclass BasicTokenizer{learner}"
    )
    (package / "basic.py").write_text(learner)
    [report] = ask_all(package)
    assert report.is_good
    (package / "basic.py").write_text(learner.replace("..base", "..no_such_file"))
    [report] = ask_all(package / "basic.py")
    assert (
        "it can't be imported: ModuleNotFoundError: No module named 'theirs.no_such" in report.why
    )


def test_a_file_that_cannot_be_imported_is_an_error(tmp_path, capsys):
    (tmp_path / "good.py").write_text(MINBPE)
    (tmp_path / "broken.py").write_text("from nowhere_at_all import x\ndef f(): ...\n")
    assert main(["conform", str(tmp_path), "--only", "train"]) == 1
    shown = capsys.readouterr().out
    assert "broken.py: it can't be imported: ModuleNotFoundError" in shown
    assert "BasicTokenizer · cases" in shown
    assert main(["conform", str(tmp_path), "--only", "train", "--class", "BasicTokenizer"]) == 0
    assert main(["conform", str(tmp_path), "--class", "Nobody"]) == 1
    assert "there is no class 'Nobody'" in capsys.readouterr().err


def test_a_program_that_lies_deeper_is_found_and_a_script_stops_nothing(tmp_path):
    package = tmp_path / "src" / "theirs"
    package.mkdir(parents=True)
    (package / "basic.py").write_text(MINBPE)
    (tmp_path / "main.py").write_text("def main(): ...\n")
    (tmp_path / "script.py").write_text("import sys\ndef f(): ...\nsys.exit(len(sys.argv))\n")
    reports = {report.name: report for report in ask_all(tmp_path)}
    assert reports["BasicTokenizer"].is_good
    assert "it ends Python (1): is it a script?" in reports["script.py"].why
    for file in ("main.py", "script.py"):
        (tmp_path / file).unlink()
    assert ask(tmp_path).is_good


def test_a_program_reads_its_users_files_and_overwrites_none(tmp_path, monkeypatch):
    saves = "\n    def train(self, text, vocab_size):\n        super().train(text, vocab_size)\n"
    for name in ("saved.json", "models/saved.json", "../saved.json"):
        saves += f"        assert open({name!r}).read() in ('theirs', 'ours')\n"
        saves += f"        open({name!r}, 'w').write('ours')\n"
    package = tmp_path / "theirs"
    (package / "models").mkdir(parents=True)
    (package / "bpe.py").write_text(f"{MINBPE}\nclass Saves(BasicTokenizer):{saves}")
    files = [package / "saved.json", package / "models" / "saved.json", tmp_path / "saved.json"]
    for file in files:
        file.write_text("theirs")
    monkeypatch.chdir(package)
    assert ask("bpe.py", chosen="Saves", groups=["train"]).is_good
    assert {file.read_text() for file in files} == {"theirs"}


def test_an_adapter_is_written_that_works_when_its_lines_are_looked_at(tmp_path, capsys):
    path = write(tmp_path, "an encoder of its own kind")
    wrote = tmp_path / "elsewhere" / "adapted.py"
    wrote.parent.mkdir()
    assert main(["conform", str(path), "--adapter", str(wrote)]) == 1
    shown = capsys.readouterr().out
    assert "looked for: a class" in shown and "found: class Machine" in shown
    text = wrote.read_text()
    assert "from theirs import Machine" in text
    [unmended] = ask_all(wrote)
    assert "raises" in unmended.why and unmended.adapter is None
    text = text.replace("self.tok.learn_from(text, how=256 + num_merges)", "")
    text = text.replace(
        "self.tok.learn_from(text, how=num_merges)", "self.tok.learn_from(text, [num_merges])"
    )
    wrote.write_text(text)
    assert ask(wrote).is_good


NEVER_MADE = """
class Base:
    def train(self, text, vocab_size):
        self.merges = {}

    def encode(self, text):
        return [*text.encode()]

class Mine(Base):
    def __init__(self):
        raise ConnectionError("no network")

    def decode(self, ids):
        return bytes(ids).decode()
"""


def test_an_object_that_can_never_be_made_is_told_as_that(tmp_path):
    path = tmp_path / "theirs.py"
    path.write_text(NEVER_MADE)
    [report] = ask_all(path, chosen="Mine")
    assert report.why == "it can't be made here: ConnectionError: no network"
    assert report.adapter is None and not report.is_good


OF_A_SIZE = """        self.size = vocab_size - 4  # for tokens that stand elsewhere

    def egit(self, corpus):
        text, vocab_size = corpus, self.size"""


def test_an_adapter_gives_a_size_and_leaves_open_what_it_counts(tmp_path, capsys):
    path = write(tmp_path, "characters, numbered as they come")
    made = f"def __init__(self, vocab_size):\n{OF_A_SIZE}"
    path.write_text(path.read_text().replace("def fit(self, text, vocab_size):", made))
    wrote = tmp_path / "adapted.py"
    assert main(["conform", str(path), "--adapter", str(wrote)]) == 1
    assert "no training by a name that we know; is it egit(corpus)?" in capsys.readouterr().out
    text = wrote.read_text()
    assert "Letters(vocab_size=vocab_size)" in text
    place = text.index('raise NotImplementedError("here: learn from the text")')
    rest = text[place:].partition("\n")[2]
    text = f"{text[:place]}self.tok.egit(text)\n{rest}"
    wrote.write_text(text)
    report = ask(wrote)
    assert report.is_good and "vocab_size is the size of the vocabulary;" in str(report)
    fixed = text.replace("(self, text, vocab_size)", "(self, text, num_merges)")
    fixed = fixed.replace("=vocab_size", "=256 + num_merges")
    wrote.write_text(fixed)
    told = str(ask(wrote))
    assert "num_merges is the number of merges (a guess)" in told and "the slip: learn" not in told


def test_a_file_of_javascript_gets_an_adapter_and_is_not_run(tmp_path, capsys):
    path = tmp_path / "bpe.mjs"
    path.write_text("export class Bpe {\n  train(text, size) {\n  }\n  encode(text) {\n  }\n}\n")
    assert main(["conform", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "theirs.Bpe ?? loaded.default" in shown and "tok.encode(text)" in shown
    assert "tok.train(text, size)" in shown


def test_a_private_field_of_javascript_needs_a_method_that_gives_it(tmp_path, capsys):
    path = tmp_path / "bpe.mjs"
    train = "  train(text) {\n    this.#merges = [];\n  }\n"
    path.write_text(f"class Bpe {{\n  #merges = [];\n{train}}}\n")
    assert main(["conform", str(path)]) == 1
    assert "a method that gives #merges, which is private" in capsys.readouterr().out


@pytest.mark.skipif(not shutil.which("node"), reason="there is no node")
@pytest.mark.parametrize("name", IN_JAVASCRIPT)
def test_the_adapter_for_javascript_works_as_it_is_written(name, tmp_path):
    code, _, *told = PROGRAMS[name]
    path = tmp_path / ("bpe.cjs" if "module.exports" in code else "bpe.mjs")
    path.write_text(code, "utf-8")
    adapter = tmp_path / "adapter.mjs"
    assert main(["conform", str(path), "--adapter", str(adapter)]) == 1
    report = ask("node", adapter)
    for one in told:
        assert one in f"{report}\n{adapter.name} {report.verdict}"


# Programs that crash, or speak in numbers.

BY_NUMBERS = """
import sys
sys.path.insert(0, EXAMPLES)
import bpe
for line in sys.stdin:
    do, *numbers = line.split()
    numbers = [int(n) for n in numbers]
    if do == "train":
        text = bytes(numbers[1:]).decode()
        pairs = bpe.train(text, "none", numbers[0])["merges"]
        print(*[i for pair in pairs for i in pair], flush=True)
    elif do == "encode_own":
        print(*bpe.encode_own(bytes(numbers).decode(), "none")["ids"], flush=True)
    elif do == "decode_own":
        try:
            print(*bpe.decode_own(numbers)["text"].encode(), flush=True)
        except KeyError:
            print("error no such id", flush=True)
    else:
        print("skip", flush=True)
"""


def test_a_decoder_by_numbers_may_give_text(tmp_path):
    from test_conform import EXAMPLES

    path = tmp_path / "numbers.py"
    path.write_text(BY_NUMBERS.replace("EXAMPLES", repr(str(EXAMPLES))))
    report = ask(sys.executable, path, by_numbers=True)
    assert failing(report) == set() and report.is_good


IN_JSON = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    told = {"skip": "not offered"}
    if asked["do"] in answers:
        told = answers[asked["do"]](asked)
    print(json.dumps({"id": asked["id"], **told}), flush=True)
"""
BY_PROBE = """
import sys
sys.path.insert(0, EXAMPLES)
import bpe
answers = {
    "probe": lambda asked: {"alphabet": "bytes"},
    "train": lambda asked: bpe.train(asked["text"], "none", asked["merges"]),
    "encode_own": lambda asked: bpe.encode_own(asked["text"], "none"),
    "decode_own": lambda asked: {"bytes": [*bpe.decode_own(asked["ids"])["text"].encode()]},
}
"""


def test_a_decoder_that_answers_bytes_is_said_to_give_bytes(tmp_path):
    from test_conform import EXAMPLES

    path = tmp_path / "probed.py"
    path.write_text(BY_PROBE.replace("EXAMPLES", repr(str(EXAMPLES))) + IN_JSON)
    report = ask(sys.executable, path, groups=["train"])
    assert report.is_good and "decoding gives bytes" in str(report)


BY_CHARACTERS = """
answers = {
    "probe": lambda asked: {"alphabet": "characters"},
    "train": lambda asked: {"merges": [["a", "b"]]},
    "encode_own": lambda asked: {"ids": [0] * len(asked["text"])},
}
"""


def test_ids_of_a_program_of_characters_are_failing_cases_and_no_crash(tmp_path):
    path = tmp_path / "characters.py"
    path.write_text(BY_CHARACTERS + IN_JSON)
    report = ask(sys.executable, path)
    assert report.count("failed") > 0 and not report.is_good


STARTED_AGAIN = """
import sys
was_probed = []


def probe(asked):
    was_probed.append(True)
    return {"alphabet": "characters"}


def train(asked):
    if "\\0" in asked["text"]:
        sys.exit()
    return {"merges": []}


def encode(asked):
    return {"tokens": list(asked["text"]) if was_probed else []}


answers = {"probe": probe, "train": train, "encode_own": encode, "encode_words": encode}
"""


def test_an_adapter_that_is_started_again_finds_the_habits_again(tmp_path):
    path = tmp_path / "characters.py"
    path.write_text(STARTED_AGAIN + IN_JSON)
    report = ask(sys.executable, path, groups=["use", "whole"])
    encoded = [one for one in report.results if one.case.request["do"] == "encode_words"]
    assert report.count("failed") > 0 and encoded
    assert all(one.result == "passed" for one in encoded)


LEARNS_NOTHING = """
def train(asked):
    if asked["text"] == "" and "ties" in asked:
        return {"merges": []}
    return {"skip": "not offered"}


answers = {"train": train}
"""


def test_what_has_learned_nothing_and_is_hardly_asked_does_not_conform(tmp_path):
    path = tmp_path / "learns_nothing.py"
    path.write_text(LEARNS_NOTHING + IN_JSON)
    report = ask(sys.executable, path)
    assert report.count("passed") > 0 and report.count("failed") == 0 and not report.is_good
    assert "not judged: it has learned nothing" in report.verdict


def test_a_crash_on_one_text_costs_one_start_not_the_run(tmp_path):
    report = ask(write(tmp_path, "ends Python on short texts"))
    assert report.count("not run") == 0
    assert 0 < report.count("failed") < report.count("passed")


@pytest.mark.parametrize(
    ("change", "basis"),
    [
        ('text = text.removeprefix("\\ufeff")', ", if the kit uses it as it is meant"),
        ("return list(text.encode())", ""),
    ],
)
def test_without_a_certain_slip_the_verdict_says_on_what_it_rests(change, basis, tmp_path):
    source = PROGRAMS["made, trained, kept"][0]
    path = tmp_path / "theirs.py"
    head = "    def encode(self, text):\n"
    path.write_text(source.replace(head, f"{head}        {change}\n"))
    report = ask(path)
    assert not report.is_good
    assert report.verdict.removesuffix(" (see the first lines)") == f"does not conform{basis}"


# In somebody's CI.


def test_known_failures_single_cases_and_pins(tmp_path, capsys):
    path = str(write(tmp_path, "raises when pairs run out"))
    failed = sorted(failing(ask(path)))
    known = tmp_path / "known.txt"
    known.write_text("".join(f"{name}  # pairs run out\n" for name in failed))
    assert main(["conform", path]) == 1
    assert main(["conform", path, "--known", str(known)]) == 0
    known.write_text(known.read_text() + "one-merge-train\n")
    capsys.readouterr()
    assert main(["conform", path, "--known", str(known)]) == 1
    assert "one-merge-train passes: take it off the list" in capsys.readouterr().out
    assert main(["conform", path, "--case", "one-merge-train"]) == 0
    assert "1 passed, 0 failed" in capsys.readouterr().out
    for pin, status in ((hash_of_cases(), 0), (str(VERSION), 0), ("00000000", 1)):
        assert main(["conform", path, "--pin", pin, "--case", "one-merge-train"]) == status
    assert f"hash {hash_of_cases()}, not 00000000" in capsys.readouterr().err


def test_functions_that_know_what_their_script_learned_are_told_what_to_do(tmp_path):
    path = tmp_path / "script.py"
    code = "MERGES = {(97, 98): 256}\ndef encode(text):\n    return list(text.encode())\n"
    path.write_text(code + "def decode(ids):\n    return bytes(ids).decode()\n")
    report = ask(path)
    assert "encode is given nothing that was learned" in report.why and not report.is_good


def test_a_file_that_is_called_as_a_library_of_ours_is_theirs_alone(tmp_path):
    path = tmp_path / "theirs" / "regex.py"
    path.parent.mkdir()
    (path.parent / "__init__.py").write_text("")
    (path.parent / "base.py").write_text("class Base:\n    pass\n")
    source = PROGRAMS["made, trained, kept"][0].replace("class Mine", "class Mine(Base)")
    path.write_text("from .base import Base\n" + source)
    command = [sys.executable, "-m", "bpe_further", "conform", ".", "--only", "train"]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    assert "conforms, as far as it was asked" in done.stdout


def test_files_that_cannot_be_imported_for_one_reason_are_listed_together(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("import not_there\ndef f():\n    pass\n")
    [report] = ask_all(tmp_path)
    assert report.name == "one.py, two.py" and "not_there" in report.why
