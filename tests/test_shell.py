"""The shell: what it prints, what it writes, and how it fails."""

import ast
import gzip
import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import tracemalloc
from base64 import b64encode
from pathlib import Path

import pandas as pd
import pytest
from common import TABLES, rows

import bpe_further
import bpe_teach
from bpe_further.__main__ import main as start
from bpe_further.exchange import load
from bpe_further.exchange.folder import describe_token
from bpe_further.exchange.kinds import PAIR
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.measure import report_card as report
from bpe_further.shell import arguments, commands
from bpe_further.shell.commands import COMMANDS, main
from bpe_further.shell.wording import IN_SHELL
from bpe_teach import SCHEMES, Scheme, Tokenizer, compression_curve, files, load_corpus
from bpe_teach.corpora import corpus_path

SHELL = [sys.executable, "-m", "bpe_further"]
IN_PIECES = ["gpt2", "cl100k", "o200k"]
ODD = "\ufeffone\r\ntwo\n\n\nlow\rlower é\x00 🐢\u2028 </w> low lower"  # and no line end
PIPE = subprocess.PIPE
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs signals, pipes and devices of Unix")

NAMELESS = {  # a tokenizer.json whose scheme has no name that a user knows
    "model": {"vocab": {"a": 0, "▁": 1, "▁a": 2}, "merges": ["▁ a"]},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
}


def run(line):
    """Run a command, written as in a shell, in this process; return its exit code."""
    return main(shlex.split(line))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    # Python is to keep back what is printed, as it does by default: that is the harder case
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    return tmp_path


@pytest.fixture
def bench(folder, monkeypatch):
    """Return a folder with texts, ids and tokenizers, good and bad."""
    monkeypatch.setattr(report, "SUMS", 20)  # of numbers, which a report looks at
    texts = dict(rows("bench/texts"))
    texts["ranks"] = "".join(f"{b64encode(bytes([n])).decode()} {n}\n" for n in range(256))
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    (folder / "bad").write_bytes(b"ab\n\xff\n")
    (folder / "story.gz").write_bytes(gzip.compress(texts["story"].encode()))
    Tokenizer.train("low low", num_merges=2).save("tok.json")
    (folder / "around.json").write_text(json.dumps(AROUND))
    Tokenizer.train("low ", scheme="chars", num_merges=0).save("low.json")
    Tokenizer.train("low", scheme="bytes", num_merges=1).save("all.json")
    Tokenizer.train("low low snow", scheme="end_of_word", num_merges=3).save("marked.json")
    (folder / "docs").mkdir()
    (folder / "docs" / "story.gz").write_bytes(gzip.compress(texts["story"].encode()))
    (folder / "docs" / "packed.gz").write_bytes(gzip.compress(b"\0\xff"))
    (folder / "tokens").mkdir()  # a tokenizer's files, and a text
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        (folder / "tokens" / name).write_text("{}")
    (folder / "tokens" / "notes.json").write_text("low")
    (folder / "words.txt").mkdir()
    (folder / "words.txt" / "vocab.txt").write_bytes(b"[PAD]\n")
    (folder / "half.json").write_bytes((folder / "tok.json").read_bytes()[:-9])
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe")  # no device: if it should ever be replaced, that does no harm
    return folder


CLS, SEP = ["<s>", 3], ["</s>", 4]
NAMES = [describe_token(name, i, {}, special=True) for name, i in (CLS, SEP)]
AROUND = {
    "version": "1.0",
    "added_tokens": NAMES,
    "model": {"type": "BPE", "vocab": {"l": 0, "o": 1, "w": 2}, "merges": []},
    "normalizer": {"type": "Strip", "strip_left": True, "strip_right": True},
    "post_processor": {"type": "BertProcessing", "cls": CLS, "sep": SEP},
}

# What every command must print: its notes, in full, and parts of the rest (tables/shell.txt).

NOTE = "bpe-teach: "
QUOTES = ("''", '""')
TRANSCRIPTS = {}  # heading -> {command: parts of what it prints}
for row in (TABLES / "shell.txt").read_text("utf-8").splitlines():
    if row.startswith("["):
        commands_of = TRANSCRIPTS.setdefault(row[1:].partition("]")[0], {})
    elif row.startswith("$ "):
        parts = commands_of.setdefault(row[2:].replace("\\n", "\n"), [])
    elif row and row[0] != "#":
        parts.append(ast.literal_eval(row) if row[0] + row[-1] in QUOTES else row)

WORKS = TRANSCRIPTS["works"] | {
    "schemes": [
        *(f"decoding loses {scheme.loses}" for scheme in SCHEMES.values()),
        "She | 'll | ·pay | ·1024 | ·CROWNS | ! | ⏎",
        "she_ | '_ | ll_ | pay_ | 1024_ | crowns_ | !_",
        "symbols: bytes; files are read in pieces",
        "symbols: characters; files are read as a whole",
    ],
}


@pytest.mark.parametrize("line", WORKS)
def test_a_command_prints_what_it_found_and_notes_what_it_did(line, bench, capsys):
    if "--check" in line:
        pytest.importorskip("tokenizers")
    assert run(line) == 0
    out, err = capsys.readouterr()
    assert err.splitlines() == [part for part in WORKS[line] if part.startswith(NOTE)]
    assert [part for part in WORKS[line] if part not in out + err] == []


@pytest.mark.parametrize(
    "scheme",
    ["gpt2", "bytes", Scheme("mine", "", r"[^' ]+|'| ", bytes)],
    ids=["row", "none", "own"],
)
def test_a_file_of_ranks_is_opened_as_the_note_says_that_is_given_when_it_is_written(
    scheme, folder, capsys
):
    tok = PublishedTokenizer.train("low low", scheme=scheme, num_merges=2, special_tokens=["<s>"])
    tok.save("special.json")
    Path("text").write_text("don't low")
    assert run("convert special.json -o out --to tiktoken") == 0
    note = capsys.readouterr().err
    assert "lacks how a text is split and the special token (<s>): open it with --" in note
    assert run(f"encode text -t out {note.partition('open it with ')[2]}") == 0
    assert capsys.readouterr().out.split() == [str(i) for i in tok.encode("don't low")]


def test_special_tokens_are_counted_as_encode_gives_them(folder, capsys):
    tok = PublishedTokenizer.train("low low", num_merges=2, special_tokens=["<s>"])
    tok.save("special.json")
    PublishedTokenizer.train("low low", num_merges=2).save("plain.json")
    Path("text").write_text("low<s>low")
    for option in ("", " --special"):
        assert run(f"count text -t special.json --json{option}") == 0
        counted = json.loads(capsys.readouterr().out)["files"][0]["tokens"]
        assert run(f"encode text -t special.json{option}") == 0
        assert counted == len(capsys.readouterr().out.split())
    assert run("count text -t special.json -t plain.json --special") == 0
    assert "note: plain: --special finds nothing" in capsys.readouterr().err


def test_the_ending_says_that_a_file_of_ranks_is_wanted(folder):
    pytest.importorskip("tokenizers")
    tok = PublishedTokenizer.train("low low", num_merges=2)
    tok.save("tok.json")
    outputs = {"a.tiktoken": "", "b.tiktoken": " --to huggingface", "c.json": ""}
    for output, more in outputs.items():
        assert run(f"convert tok.json -o {output}{more}") == 0
        is_ranks = output.startswith("a")
        assert load.load_tokenizer(output, "gpt2" if is_ranks else None).encode("low") == [257]


def test_what_a_tokenizer_json_does_with_unseen_characters_is_told(folder, capsys):
    library = pytest.importorskip("tokenizers")
    Path("low.codes").write_text("#version: 0.2\nl o\nlo w</w>\n")
    assert run("convert low.codes -o out.json") == 0
    note = "characters without a token, an error here, are left out of a text there"
    assert note in capsys.readouterr().err
    assert run("convert low.codes -o out.bpe --to bpe-teach") == 0
    assert note not in capsys.readouterr().err
    there = library.Tokenizer.from_file("out.json")
    assert there.encode("xlow").ids == load.load_tokenizer("low.codes").encode("low")


@pytest.mark.parametrize("scheme", ["last_character", "gpt2"])
def test_what_ranks_can_not_hold_is_refused_with_kinds_that_can(scheme, folder, capsys):
    unk_token = "<unk>" if scheme != "gpt2" else None
    tok = PublishedTokenizer.train("low low", scheme=scheme, num_merges=2, unk_token=unk_token)
    tok = PublishedTokenizer.of(tok)
    if scheme == "gpt2":
        ids = {token: i for i, token in tok.vocab.items() if token != b"x"}
        tok = PublishedTokenizer(scheme, None, tok.merges, ids=ids)
    tok.save("tok.json")
    assert run("convert tok.json -o out --to tiktoken") == 1
    assert "--to bpe-teach" in capsys.readouterr().err
    assert run("convert tok.json -o out --to bpe-teach") == 0


def test_nothing_is_written_if_the_check_fails(bench, capsys, monkeypatch):
    pytest.importorskip("tokenizers")

    def differs(*_args):
        raise ValueError("3 faults")

    monkeypatch.setattr(commands, "_check_written", differs)
    Path("out").write_text("as before")
    assert run("convert tok.json -o out --to bpe-teach --check") == 1
    assert Path("out").read_text() == "as before"
    assert "error: 3 faults" in capsys.readouterr().err


# Processes of their own.


def test_encode_and_decode_give_back_every_byte(bench):
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    def pass_through(content, *args):
        command = [*SHELL, *args, "-t", "tok.json"]
        done = subprocess.run(command, input=content, capture_output=True, env=plain)
        assert done.stderr == b""
        return done.stdout

    content = corpus_path("mixed").read_bytes()
    ids = pass_through(content, "encode")
    assert pass_through(ids, "decode", "-", "-") == content
    assert "·" in pass_through(content, "encode", "--tokens").decode("utf-8")


@POSIX
def test_what_is_encoded_comes_out_while_more_comes_in_until_the_reader_goes_away(bench):
    command = [*SHELL, "encode", "-t", "tok.json"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        process.stdin.write(b"a line\n" * 150_000)  # a piece, and a little more
        process.stdin.flush()
        comes, _, _ = select.select([process.stdout], [], [], 60)
        started = process.stdout.read(3) if comes else b""
        process.stdout.close()
        _, err = process.communicate()
    assert (started, err) == (b"97 ", b"")
    assert process.returncode == 128 + signal.SIGPIPE


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("command", [["train", "-o", "out"], ["curve", "--csv", "out"]])
def test_a_signal_ends_a_command_quietly_and_leaves_nothing(command, name, folder):
    temporary = folder / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [*SHELL, *command],
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
        # a job in the background of a shell ignores Ctrl-C, and its children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    process.stdin.write(b"low lower\n" * 20_000)  # more than a pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.Signals[name])
    assert process.communicate() == (b"", b"")
    assert process.returncode == 128 + signal.Signals[name]
    assert [*folder.rglob("*")] == [temporary]


def test_ctrl_c_while_the_commands_are_still_loading_is_no_traceback(monkeypatch):
    class Interrupt:
        def find_spec(self, name, path, target=None):
            raise KeyboardInterrupt

    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.delitem(sys.modules, "bpe_further.shell.commands")
    monkeypatch.setattr(sys, "meta_path", [Interrupt()])
    assert start() == 130


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("line", TRANSCRIPTS["streams"])
def test_broken_streams_are_one_line_without_a_traceback(line, bench):
    message = "".join(TRANSCRIPTS["streams"][line])
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    line = f"{shlex.join(SHELL)} {line}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert done.returncode == (0 if "train story" in line else 1)
    assert "error" not in done.stdout
    assert done.stderr == (f"bpe-teach: error: {message}\n" if message else "")


def test_training_and_encoding_load_nothing_that_they_do_not_need(bench):
    code = (
        "import sys; from bpe_further.shell.commands import main\n"
        "main(['train', 'corpus:chat', '-o', 'out']), main(['encode', 'story', '-t', 'out'])\n"
        "print({'pandas', 'matplotlib', 'pooch', 'requests', 'torch', 'tqdm'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.slow
@pytest.mark.parametrize("line", rows("train/of_a_long_text"))
def test_a_long_text_is_never_held_as_a_whole(line, bench, monkeypatch, capfd):
    content = "low lower lowest newer " * 40_000  # in one line
    (bench / "text").write_text(content)
    assert run(line) == 0  # so that everything is loaded
    monkeypatch.setattr(files, "PIECE", 10_000)
    monkeypatch.setattr(files, "READ", 10_000)
    tracemalloc.start()
    assert run(line) == 0
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(content) / 2


# Train, encode, decode.

OPTIONS = dict(rows("train/options"))  # as they are typed -> as Python has them


@pytest.mark.parametrize("options", OPTIONS)
def test_train_learns_what_the_tokenizer_learns(options, folder):
    (folder / "odd").write_bytes(ODD.encode())
    assert run(f"train odd corpus:chat -o tok.json {options}") == 0
    expected = Tokenizer.train([ODD, load_corpus("chat")], **OPTIONS[options])
    assert Tokenizer.load("tok.json") == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_files_are_encoded_one_by_one_and_decoded_as_one(scheme, folder, capsysbinary):
    texts = {"a": ODD, "empty": "", "b": "\nlow"}
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    assert run(f"train a b --scheme {scheme} --merges 6 -o tok.json") == 0
    capsysbinary.readouterr()
    assert run("encode -t tok.json a empty b") == 0
    printed = capsysbinary.readouterr().out
    tok = Tokenizer.load("tok.json")
    ids = [i for text in texts.values() for i in tok.encode(text)]
    assert [*map(int, printed.split())] == ids
    (folder / "ids").write_bytes(printed.replace(b" ", b"\n"))
    assert run("decode -t tok.json ids empty") == 0
    decoded = capsysbinary.readouterr().out
    assert decoded == tok.decode_bytes(ids)
    assert decoded == (ODD + "\nlow").encode() or not SCHEMES[scheme].lossless
    assert run("encode -t tok.json empty") == run("decode -t tok.json empty") == 0
    assert capsysbinary.readouterr() == (b"", b"")  # no ids, and no line end


@pytest.mark.parametrize(("line", "size"), [("encode story", "81.0"), ("decode ids", "3.00")])
def test_a_bar_is_shown_on_a_terminal_if_the_output_goes_elsewhere(
    line, size, bench, capsys, monkeypatch
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(f"{line} -t tok.json") == 0
    assert f"/{size} [" in capsys.readouterr().err


@pytest.mark.parametrize("line", TRANSCRIPTS["printed"])
def test_lines_of_ids_follow_lines_of_text(line, folder, capsys):
    text = "low\n\nlow\n\n"
    tok = Tokenizer.train(text, scheme="cl100k", num_merges=3, special_tokens=["<|\n|>"])
    assert [merge.token for merge in tok.merges] == [b"lo", b"low", b"\n\n"]
    tok.save("tok.json")
    (folder / "text").write_bytes(b"lowlo\n\nw\nlo l<|\n|>")
    assert run(line) == 0
    assert capsys.readouterr().out == "".join(TRANSCRIPTS["printed"][line])


# Curve, count.


def test_the_table_of_a_curve_is_that_of_the_tokenizer(capsys):
    options = "--merges 60 --scheme cl100k --csv curve.csv"
    held_out = "--held-out corpus:chat --held-out corpus:names"
    assert run(f"curve corpus:story corpus:mixed {options} {held_out}") == 0
    texts = [load_corpus("story"), load_corpus("mixed")]
    tok = Tokenizer.train(texts, scheme="cl100k", num_merges=60)
    measured = {
        ("training", "2 files"): texts,
        ("held out", "corpus:chat"): load_corpus("chat"),
        ("held out", "corpus:names"): load_corpus("names"),
    }
    frames = {names: compression_curve(tok, text) for names, text in measured.items()}
    table = pd.concat(frames, names=["role", "text"]).reset_index(["role", "text"])
    pd.testing.assert_frame_equal(pd.read_csv("curve.csv"), table.reset_index(drop=True))
    head, *shown = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["role", "text", "merges", "vocab_size", "tokens"]
    assert [int(row.split()[-5]) for row in shown] == [0, 12, 24, 36, 48, 60] * 3


@POSIX
@pytest.mark.parametrize(
    "line",
    ["curve FILE --merges 9 --held-out FILE", "count FILE -t tok.json -t all.json"],
)
def test_what_comes_through_a_pipe_can_be_measured_more_than_once(line, bench, monkeypatch, capsys):
    assert run(line.replace("FILE", "story")) == 0
    named = capsys.readouterr().out
    read, write = os.pipe()
    os.write(write, (bench / "story").read_bytes())
    os.close(write)
    monkeypatch.setattr(arguments, "STANDARD_INPUT", read)
    assert run(line.replace("FILE", "-")) == 0
    os.close(read)
    assert capsys.readouterr().out.split() == named.replace("story", "-").split()


@pytest.mark.parametrize(
    "name, asked", [("gpt-4o-mini", "gpt4o"), ("gpt-4", "gpt4"), ("gpt-40.json", "")]
)
def test_a_model_has_the_tokenizer_of_its_family(name, asked):
    assert load.name_known(name) == asked


# Errors.


@pytest.mark.parametrize("line", TRANSCRIPTS["broken"] | TRANSCRIPTS["late"])
def test_every_error_is_one_line_and_writes_nothing(line, bench, capsys):
    if "pipe" in line and not (bench / "pipe").exists():
        pytest.skip("there are no named pipes")
    before = contents(bench)
    assert run(line) == 1
    out, err = capsys.readouterr()
    assert (out, contents(bench)) == ("", before)
    *notes, last = err.splitlines()
    assert bool(notes) == (line in TRANSCRIPTS["late"])
    (fault,) = (TRANSCRIPTS["broken"] | TRANSCRIPTS["late"])[line]
    assert f"bpe-teach: error: {fault}" in last


def test_count_tells_of_each_bad_file_and_counts_the_others(bench, capsys):
    assert run("count nowhere bad story -t tok.json") == 1
    out, err = capsys.readouterr()
    assert [row.split()[-3:-1] for row in out.splitlines()[1:]] == [["tok", "45"]] * 2
    assert out.splitlines()[-1].startswith("total without 2 files ")
    assert ["nowhere: No such" in err, "bad: not UTF-8 at byte 3; convert" in err] == [True, True]
    assert run("count bad story -t tok.json --json") == 1
    [total] = json.loads(capsys.readouterr().out)["total"]
    assert (total["tokens"], total["files_left_out"]) == (45, 1)


def test_a_dash_is_standard_output_and_all_else_goes_to_standard_error(bench, capsys):
    assert run("train story -o made.json --merges 1") == run("train story -o - --merges 1") == 0
    out, err = capsys.readouterr()
    assert out.endswith((bench / "made.json").read_text())
    assert err == f"-: {Tokenizer.load('made.json')}\n"
    assert run("count story -t tok.json --csv -") == 0
    out, err = capsys.readouterr()
    assert (out[:14], err.split()[:2]) == ("text,tokenizer", ["text", "tokenizer"])
    assert run("curve story -o - --csv -") == 1
    assert not (bench / "-").exists()


def test_no_control_character_of_a_name_reaches_the_terminal(bench, capsys):
    (bench / "a\x1b[2J\x9b").write_bytes(b"low")
    assert run("count 'a\x1b[2J\x9b' -t tok.json") == 0
    assert "a\\x1b[2J\\x9b" in capsys.readouterr().out


def test_what_a_shell_says_otherwise_is_said_somewhere():
    folders = [Path(bpe_teach.__file__).parent, Path(bpe_further.__file__).parent]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    paths = [path for path in paths if path.name != "wording.py"] + [
        *folders[1].rglob("known.toml")
    ]
    source = "".join(path.read_text("utf-8") for path in paths)
    source = re.sub(r'"\s*\n\s*f?"', "", source)  # texts that stand on several lines
    source = source.replace("{PAIR}", PAIR)
    assert [advice for advice in IN_SHELL if advice not in source] == []


def test_too_little_memory_is_one_line(bench, capsys, monkeypatch):
    def breaks(args, path):
        raise MemoryError

    monkeypatch.setattr(commands, "find_tokenizer", breaks)
    assert run("decode -t tok.json ids") == 1
    assert capsys.readouterr().err.startswith("bpe-teach: error: there is not enough memory; ")


def test_a_report_takes_tokenizers_of_others_too(bench, monkeypatch, capsys):
    tok = Tokenizer.load("tok.json")
    added = PublishedTokenizer(tok.scheme, tok.alphabet, tok.merges, added_tokens={"<|x|>": 258})
    added.save("added.json")
    read = []  # the files of OpenAI that are asked for
    monkeypatch.setattr(load, "read_gpt2", lambda vocab, check: tok)
    monkeypatch.setattr(load, "corpus_path", lambda name: read.append(name) or Path("tok.json"))
    named = ["tok.json", "added.json", "./tok.json", "gpt2", "gpt4", "gpt4o"]
    assert run(f"report {' '.join(named)}") == 0
    assert run("encode other -t added.json") == 0  # as other commands take them
    assert read == ["gpt2_vocab", "gpt4_ranks", "gpt4o_ranks"]
    # two files have one name, so all are called what was typed
    assert capsys.readouterr().out.splitlines()[0].split() == named


def test_a_folder_of_codes_names_their_file_with_characters_too(folder, capsys):
    (folder / "low.txt").write_text("low")
    (folder / "codes").mkdir()
    (folder / "codes" / "bpe.codes").write_text("#version: 0.2\nl o\nlo w</w>\n")
    assert run("count low.txt -t codes --characters x") == 1
    assert "(bpe.codes), give the path of that file" in capsys.readouterr().err
    assert run("count low.txt -t codes/bpe.codes --characters x") == 0


def test_decode_prints_the_notes_on_decoding_and_no_other(folder, capsys):
    merges = [("a", "b", 0)]
    tok = PublishedTokenizer("last_character", ["a", "b"], merges, added_tokens={"<x>": 3})
    tok.save("tok.json")
    (folder / "ids").write_text("2 3")
    assert run("decode ids -t tok.json") == 0
    assert capsys.readouterr().err.startswith("bpe-teach: note: decoding writes a space before and")
    model = {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    data = {"model": model, "pre_tokenizer": {"type": "Whitespace"}, "truncation": {"to": 3}}
    (folder / "tokenizer.json").write_text(json.dumps(data))
    assert run("decode ids -t tokenizer.json") == 1  # there is no 3
    (note, _) = capsys.readouterr().err.splitlines()
    assert note == "bpe-teach: note: it has no decoder: Hugging Face joins tokens in another way"


def test_what_subword_nmt_can_not_hold_is_refused_with_a_way_out(bench, capsys):
    assert run("convert tok.json --to subword-nmt -o out") == 1
    said = capsys.readouterr().err
    assert said.startswith("bpe-teach: error: scheme 'gpt2' cannot be carried over; ")
    assert said.endswith("; convert -o tokenizer.json, or --to bpe-teach, can hold this\n")
    (bench / "sign.json").write_text(json.dumps(NAMELESS))
    assert run("convert sign.json --to subword-nmt -o out") == 1
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith("bpe-teach: error: its scheme cannot be carried over")
    assert said.endswith("; convert --to bpe-teach writes it\n")
    assert run("convert sign.json --to bpe-teach -o out") == 0


def test_a_guessed_split_is_told_in_a_line_and_show_has_the_advice(folder, capsys):
    (folder / "low.txt").write_text("low")
    vocab = {name: i for i, name in enumerate([*"lowĠ", "lo", "<w>", "<x>", "<y>", "tag"])}
    (folder / "pair").mkdir()
    (folder / "pair" / "vocab.json").write_text(json.dumps(vocab))
    (folder / "pair" / "merges.txt").write_text("l o\n")
    assert run("encode low.txt -t pair") == 0
    note = "bpe-teach: note: split as by GPT-2, which is guessed from its tokens"
    assert f"{note}: show has the advice" in capsys.readouterr().err.splitlines()
    assert run("show pair") == 0
    said = capsys.readouterr().out
    assert "guessed from its tokens. If you know better, name its class in a tok" in said
    # First is the one that may be a plain word, so that the user can judge the guess.
    assert ". Special tokens are those that no merge makes: tag, <w>, <x> …\n" in said


# Usage.


@pytest.mark.parametrize("line", TRANSCRIPTS["misused"])
def test_a_command_written_wrongly_exits_with_2(line, folder, capsys):
    with pytest.raises(SystemExit) as end:
        run(line)
    assert end.value.code == 2
    usage, *_, last = capsys.readouterr().err.splitlines()
    assert usage.startswith("usage: bpe-teach")
    assert TRANSCRIPTS["misused"][line][0] in last
    assert contents(folder) == {}


def explained(line, capsys):
    """Return what a command prints that explains something and so ends with 0."""
    with pytest.raises(SystemExit) as end:
        run(line)
    assert end.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    about = explained(f"{command} --help", capsys)
    assert about.startswith(f"usage: bpe-teach {command}")
    about = " ".join(about.split())
    assert COMMANDS[command].__doc__ in about


def test_without_a_command_the_commands_are_listed(capsys):
    assert run("") == 0
    assert capsys.readouterr().out == explained("--help", capsys)


def test_the_version_is_that_of_the_package(capsys):
    assert explained("--version", capsys) == f"bpe-teach {bpe_teach.__version__}\n"
