"""The shell: what it prints, what it writes, and how it fails."""

import gzip
import json
import os
import select
import shlex
import signal
import subprocess
import sys
import tracemalloc
from base64 import b64encode
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import bpe_teach
from bpe_teach import SCHEMES, Tokenizer, compression_curve, files, load_corpus
from bpe_teach.__main__ import main as start
from bpe_teach.corpora import CORPORA, corpus_path
from bpe_teach.exchange import load
from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.shared import printable_bytes
from bpe_teach.shell import arguments, commands
from bpe_teach.shell.commands import COMMANDS, _short_names, main

SHELL = [sys.executable, "-m", "bpe_teach"]
IN_PIECES = ["gpt2", "cl100k", "o200k"]
ODD = "\ufeffone\r\ntwo\n\n\nlow\rlower é\x00 🐢\u2028 </w> low lower"  # and no line end
PIPE = subprocess.PIPE
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs signals, pipes and devices of Unix")


def run(line):
    """Run a command, written as in a shell, in this process; return its exit code."""
    return main(shlex.split(line))


def contents(folder):
    """Return what all files of a folder hold."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    # Python is to keep back what is printed, as it does by default: that is the harder case
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    return tmp_path


@pytest.fixture
def bench(folder):
    """Return a folder with texts, ids and tokenizers, good and bad."""
    texts = {
        "story": "low glow\n" * 9,
        "other": "low snow\n" * 5,
        "empty": "",
        "ids": "1 2",
        "words": "108 x",
        "high": "1 999",
        "turtles": "low 🐢\n\nlow w",
        "ranks": "".join(f"{b64encode(bytes([n])).decode()} {n}\n" for n in range(256)),
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    (folder / "bad").write_bytes(b"ab\n\xff\n")
    (folder / "story.gz").write_bytes(gzip.compress(texts["story"].encode()))
    Tokenizer.train("low low", num_merges=2).save("tok.json")
    Tokenizer.train("low ", scheme="chars", num_merges=0).save("low.json")
    Tokenizer.train("low", scheme="bytes", num_merges=1).save("all.json")
    Tokenizer.train("low low snow", scheme="end_of_word", num_merges=3).save("marked.json")
    (folder / "half.json").write_bytes((folder / "tok.json").read_bytes()[:-9])
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe")  # no device: if it should ever be replaced, that does no harm
    return folder


# What every command must print: its notes, in full, and parts of the rest.

NOTE = "bpe-teach: "
WORKS = {
    "train story.gz other -o out --special '<|w\n|>' --workers 1 --merges 3": [
        "out: Tokenizer(scheme='gpt2', tokens=260: 256 symbols + 3 merges + 1 special)",
    ],
    "count story other -t tok.json -t all.json --price 2": [
        *("story       tok", "tokens  chars_per_token    price", "0.000090"),
        "other       all      45             1.00 0.000090",
    ],
    "count bad -t tok.json --errors replace": ["bad       tok       7"],
    "count story other -t tok.json": ["total       tok      80             1.57"],
    "count story other -t tok.json --json": ['"tokens":45', '"total": [{"tokenizer":"tok",'],
    "encode turtles -t tok.json --truncate 3": ["257 32\n"],
    "encode turtles -t tok.json --lines --tokens --truncate 5": ["low ·\n\nlow · w"],
    "encode turtles -t tok.json --lines": ["257 32 240 159 144 162\n\n257 32 119\n"],
    "decode ids -t tok.json --lines": ["\x01\x02\n"],
    "encode other -t marked.json --continuation @@": ["low s@@ n@@ ow\n"],
    "show tok.json 108 --search x": ["108: l\nl\n"],
    "show tok.json --vocab": ["108\tl\n", "257\tlow\n"],
    "encode ids -t ranks --scheme cl100k": ["49 32 50"],
    "completion bash": ["compgen -W", "gpt-4o"],
    "encode bad -t tok.json --errors replace": ["97 98 10\n239 191 189 10\n"],
    "show tok.json": ["258 tokens\n", "     257 low\n     256 lo\n"],
    "show tok.json low": ["257: low\nlow (rank 1)\n├─ lo (rank 0)\n"],
    "show tok.json --search l": ["3 tokens with l\n     108 l\n     256 lo\n     257 low\n"],
    "convert tok.json -o out --to bpe-teach": ["out: Tokenizer("],
    "convert tok.json -o out --to tiktoken": ["out: Tokenizer("],
    "count-words story other -o out --scheme words --special glow": [
        "out: 2 different words, 19 in all"
    ],
    "encode story.gz -t tok.json --tokens": ["low · g low ⏎\n"],
    "decode ids -t tok.json": ["\x01\x02"],
    "curve story --merges 50 -o out.svg --csv out.csv": [
        "training story ",
        f"{NOTE}training stopped after 4 of 50 merges: no pair is left that occurs at least 2 "
        "times",
        f"{NOTE}out.csv: the whole table, 5 rows",
        f"{NOTE}out.svg: the picture",
    ],
    "curve other other --held-out story --held-out ids --merges 1 --scheme words --unk ?": [
        *("training 2 files", "held out   story", "held out     ids"),
        f"{NOTE}scheme words loses all spacing; decoding does not bring that back",
    ],
    "compare story other -t tok.json --csv out": [
        *(" tok story ", " tok other "),
        f"{NOTE}out: the whole table, 2 rows",
    ],
    "report tok.json low.json --against all.json --text other --csv out -o out.pdf": [
        *("tokens, all = 1  other", " all ", " tok ", " low\n", "– has characters"),
        f"{NOTE}out: the whole table, 57 rows",
        f"{NOTE}out.pdf: the picture",
    ],
    "schemes": [
        *(f"decoding loses {scheme.loses}" for scheme in SCHEMES.values()),
        "She | 'll | ·pay | ·1024 | ·CROWNS | ! | ⏎",
        "she_ | '_ | ll_ | pay_ | 1024_ | crowns_ | !_",
        "symbols: bytes; files are read in pieces",
        "symbols: characters; files are read as a whole",
    ],
    "corpora": [f"corpus:{name} " for name in CORPORA],
}


@pytest.mark.parametrize("line", WORKS)
def test_a_command_prints_what_it_found_and_notes_what_it_did(line, bench, capsys):
    assert run(line) == 0
    out, err = capsys.readouterr()
    assert err.splitlines() == [part for part in WORKS[line] if part.startswith(NOTE)]
    assert [part for part in WORKS[line] if part not in out + err] == []


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
    monkeypatch.delitem(sys.modules, "bpe_teach.shell.commands")
    monkeypatch.setattr(sys, "meta_path", [Interrupt()])
    assert start() == 130


REMEDY = "; convert it (iconv -f latin1 -t utf-8, or -f utf-16), or take --errors replace"
STREAMS = {  # command -> exit code, the only line of standard error
    "train nowhere -o out": (1, "nowhere: No such file or directory"),
    "encode -t tok.json <bad": (1, "-: not UTF-8 at byte 3" + REMEDY),
    "train -o out <&-": (1, "- is standard input, which is closed"),
    "train story -o out 2>&-": (0, ""),
    "encode -t missing story 2>&-": (1, ""),
    "schemes >&-": (1, "standard output is closed"),
    "schemes >/dev/full": (1, "standard output: No space left on device"),
}


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("line", STREAMS)
def test_broken_streams_are_one_line_without_a_traceback(line, bench):
    code, message = STREAMS[line]
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    line = f"{shlex.join(SHELL)} {line}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert done.returncode == code
    assert "error" not in done.stdout
    assert done.stderr == (f"bpe-teach: error: {message}\n" if message else "")


def test_training_and_encoding_load_nothing_that_they_do_not_need(bench):
    code = (
        "import sys; from bpe_teach.shell.commands import main\n"
        "main(['train', 'corpus:chat', '-o', 'out']), main(['encode', 'story', '-t', 'out'])\n"
        "print({'pandas', 'matplotlib', 'pooch', 'requests', 'torch', 'tqdm'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "train text -o out --merges 20",
        "encode text -t tok.json",
        "curve text --held-out text --merges 20",
        "compare text -t tok.json -t tok.json",
    ],
)
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

OPTIONS = {  # as they are typed -> as Python has them
    "": {"num_merges": 1000},
    "--vocab-size 300": {"vocab_size": 300},
    "--scheme chars --unk ? --merges 9": {"scheme": "chars", "unk_token": "?", "num_merges": 9},
    "--scheme cl100k --merges 50 --min-count 3 --tie-break lowest_id --special low --special e": {
        "scheme": "cl100k",
        "num_merges": 50,
        "min_count": 3,
        "tie_break": "lowest_id",
        "special_tokens": ["low", "e"],
    },
}


@pytest.mark.parametrize("options", OPTIONS)
def test_train_learns_what_the_tokenizer_learns(options, folder):
    (folder / "odd").write_bytes(ODD.encode())
    assert run(f"train odd corpus:chat -o tok.json {options}") == 0
    expected = Tokenizer.train([ODD, load_corpus("chat")], **OPTIONS[options])
    assert Tokenizer.load("tok.json") == expected


def test_counts_of_several_files_give_the_tokenizer_of_their_texts(bench, capsys):
    options = "--scheme end_of_word --special glow"
    for name in ("story", "other"):
        assert run(f"count-words {name} -o {name}.counts {options}") == 0
    assert run("train --counts story.counts --counts other.counts -o a.json --merges 9") == 0
    assert run(f"train story other -o b.json --merges 9 {options}") == 0
    assert Tokenizer.load("a.json") == Tokenizer.load("b.json")
    written = (bench / "story.counts").read_text()
    (bench / "odd").write_text(written.replace(": 9", ": -9"))
    (bench / "void").write_text(written.replace('"low"', '""'))
    (bench / "twice").write_text(written.replace('"low": 9', '"low": 9, "low": 1'))
    assert run("count-words story -o gpt2.counts") == 0
    refused = {"odd": "broken ones", "void": "broken ones", "twice": "'low' occurs twice"}
    refused["story.counts gpt2.counts"] = "unlike the first"
    for names, fault in refused.items():
        given = " ".join(f"--counts {name}" for name in names.split())
        assert run(f"train {given} -o c.json") == 1
        assert fault in capsys.readouterr().err


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


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_an_empty_text_is_no_ids_and_no_ids_are_an_empty_text(command, bench, capsysbinary):
    assert run(f"{command} -t tok.json empty") == 0
    assert capsysbinary.readouterr() == (b"", b"")


@pytest.mark.parametrize(("line", "size"), [("encode story", "81.0"), ("decode ids", "3.00")])
def test_a_bar_is_shown_on_a_terminal_if_the_output_goes_elsewhere(
    line, size, bench, capsys, monkeypatch
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(f"{line} -t tok.json") == 0
    assert f"/{size} [" in capsys.readouterr().err


PRINTED = {  # options -> what is printed
    "": "257 256 258\n119 10\n256 32 108 60 124 10\n124 62\n",
    "--special": "257 256 258\n119 10\n256 32 108 259\n",
    "--tokens": "low lo ⏎⏎\nw ⏎\nlo · l < | ⏎\n| >\n",
    "--tokens --special": "low lo ⏎⏎\nw ⏎\nlo · l <|⏎|>\n",
}


@pytest.mark.parametrize("options", PRINTED)
def test_lines_of_ids_follow_lines_of_text(options, folder, capsys):
    text = "low\n\nlow\n\n"
    tok = Tokenizer.train(text, scheme="cl100k", num_merges=3, special_tokens=["<|\n|>"])
    assert [merge.token for merge in tok.merges] == [b"lo", b"low", b"\n\n"]
    tok.save("tok.json")
    (folder / "text").write_bytes(b"lowlo\n\nw\nlo l<|\n|>")
    assert run(f"encode -t tok.json text {options}") == 0
    assert capsys.readouterr().out == PRINTED[options]


# Curve, compare, demo.


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
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["role", "text", "merges", "vocab_size", "tokens"]
    assert [int(row.split()[-5]) for row in rows] == [0, 12, 24, 36, 48, 60] * 3


@POSIX
@pytest.mark.parametrize(
    "line",
    ["curve FILE --merges 9 --held-out FILE", "compare FILE -t tok.json -t all.json"],
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
    ("paths", "names"),
    [
        (["corpus:chat", "./other", "x/tok.json", "./other"], ["chat", "other", "tok"]),
        (["x/story", "y/story"], ["x/story", "y/story"]),
    ],
)
def test_names_are_short_where_they_stay_different(paths, names):
    assert list(_short_names(paths).values()) == names


def test_the_demo_is_short_and_shows_fewer_and_fewer_tokens(capsys):
    assert run("demo") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 40 and max(map(len, lines)) < 80
    cuts = [line.split()[1:] for line in lines if line.split()[1:2] == ["A"]]
    assert len(cuts) == 4
    assert {"".join(cut) for cut in cuts} == {"A·cello·came·home·on·the·last·bus."}
    assert all(len(fewer) < len(more) for more, fewer in pairwise(cuts))


# Errors: command -> a part of the only line that says what is wrong.

BROKEN = {
    "train nowhere -o out": "nowhere: No such file or directory",
    "train story bad -o out": "bad: not UTF-8 at byte 3",
    "train empty empty -o out": "empty, empty: nothing to learn from",
    "train corpus:x -o out": "there is no corpus 'x'; choose one of story",
    "train story -o out --vocab-size 9": "vocab_size=9 is too small: 256 symbols",
    "train story -o out --merges 9 --vocab-size 300": "give either --merges or --vocab-size",
    "train story --counts story -o out": "give either texts or --counts, not both",
    "train --counts story -o out": "story: it holds no word counts: bpe-teach count-words writes",
    "show tok.json lowest": "'lowest' is not a token; the tokens of a text are found by",
    "convert low.json --to tiktoken -o out": "scheme 'chars' cannot be carried over",
    "count story -t story": "story: it is a list of merges, without ids",
    "train story -o out --unk ?": "--unk ? is not needed: scheme gpt2 has all bytes",
    "train story -o out --special a --special a": "special tokens must be distinct",
    "train story -o x/out": "x/out cannot be written: there is no folder x",
    "train story -o .": ". cannot be written: it is a folder",
    "train story -o pipe": "pipe cannot be written: it is not an ordinary file",
    "train story -o ./story": "./story is named twice",
    "encode -t tok.json bad": "bad: not UTF-8 at byte 3",
    "encode -t low.json other": "other: character 's' at position 4 was not in the training text",
    "decode -t tok.json words": "words: x is not a token id",
    "decode -t tok.json high": "high: 999 is not a token id; there are 258 ids from 0 to 257",
    "compare -t tok.json bad": "text 'bad', scheme 'gpt2': not UTF-8 at byte 3",
    "compare -t tok.json story --csv tok.json": "tok.json is named twice",
    "report tok.json --against half.json": "half.json: ",
    "report tok.json --text empty": "text 'empty' has no words in it",
    "report tok.json --text bad": "bad: not UTF-8 at byte 3",
    "curve story --held-out nowhere": "nowhere: No such file",
    "curve story --held-out other --csv other": "other is named twice",
    "curve story -o x.png --csv x.png": "x.png is named twice",
    "playground half.json -o out": "half.json: ",
}
LATE = {  # what is found only after training, of which there is a note
    "curve story --held-out empty": "empty: the text must have words",
    "curve story --held-out bad -o out": "bad: not UTF-8 at byte 3",
    "curve story --held-out other --scheme chars": "other: character 's' at position 4",
}


@pytest.mark.parametrize("line", BROKEN | LATE)
def test_every_error_is_one_line_and_writes_nothing(line, bench, capsys):
    if "pipe" in line and not (bench / "pipe").exists():
        pytest.skip("there are no named pipes")
    before = contents(bench)
    assert run(line) == 1
    out, err = capsys.readouterr()
    assert (out, contents(bench)) == ("", before)
    *notes, last = err.splitlines()
    assert bool(notes) == (line in LATE)
    assert f"bpe-teach: error: {(BROKEN | LATE)[line]}" in last


def test_count_tells_of_each_bad_file_and_counts_the_others(bench, capsys):
    assert run("count nowhere bad story -t tok.json") == 1
    out, err = capsys.readouterr()
    assert [row.split()[:3] for row in out.splitlines()[1:]] == [
        ["story", "tok", "45"],
        ["total", "tok", "45"],
    ]
    assert ["nowhere: No such" in err, "bad: not UTF-8 at byte 3; convert" in err] == [True, True]


def test_a_dash_is_standard_output_and_all_else_goes_to_standard_error(bench, capsys):
    assert run("train story -o made.json --merges 1") == run("train story -o - --merges 1") == 0
    out, err = capsys.readouterr()
    assert out.endswith((bench / "made.json").read_text())
    assert err == f"-: {Tokenizer.load('made.json')}\n"
    assert run("compare story -t tok.json --csv -") == 0
    out, err = capsys.readouterr()
    assert (out[:14], err.split()[:2]) == ("tokenizer,text", ["tokenizer", "text"])
    assert run("curve story -o - --csv -") == 1
    assert not (bench / "-").exists()


def test_no_control_character_of_a_name_reaches_the_terminal(bench, capsys):
    (bench / "a\x1b[2J\x9b").write_bytes(b"low")
    assert run("count 'a\x1b[2J\x9b' -t tok.json") == 0
    assert "a\\x1b[2J\\x9b" in capsys.readouterr().out


def test_too_little_memory_is_one_line(bench, capsys, monkeypatch):
    def breaks(path, scheme):
        raise MemoryError

    monkeypatch.setattr(commands, "find_tokenizer", breaks)
    assert run("decode -t tok.json ids") == 1
    assert capsys.readouterr().err.startswith("bpe-teach: error: there is not enough memory; ")


def test_a_report_takes_tokenizers_of_others_too(bench, monkeypatch, capsys):
    tok = Tokenizer.load("tok.json")
    vocab = {character: i for i, character in enumerate(printable_bytes().values())}
    model = {"type": "BPE", "vocab": vocab | {"lo": 256, "low": 257}, "merges": ["l o", "lo w"]}
    split = {"type": "ByteLevel", "add_prefix_space": False}
    theirs = {"version": "1.0", "added_tokens": [], "pre_tokenizer": split, "model": model}
    (bench / "hf.json").write_text(json.dumps(theirs), "utf-8")
    added = PublishedTokenizer(tok.scheme, tok.alphabet, tok.merges, added_tokens={"<|x|>": 258})
    added.save("added.json")
    read = []  # the files of OpenAI that are asked for
    monkeypatch.setattr(load, "from_gpt2", lambda: tok)
    monkeypatch.setattr(load, "from_tiktoken", lambda *names: read.append(names) or tok)
    monkeypatch.setattr(load, "corpus_path", lambda name: name)
    named = ["tok.json", "hf.json", "added.json", "./tok.json", "gpt2", "gpt4", "gpt4o"]
    assert run(f"report {' '.join(named)} --text other --csv out") == 0
    table = pd.read_csv("out").drop(columns="tokenizer")
    assert run("encode other -t added.json") == 0  # as other commands take them
    assert read == [("gpt4_ranks",), ("gpt4o_ranks",)]
    assert len(table) == 7 * len(table.drop_duplicates())
    # two files have one name, so all are called what was typed
    assert capsys.readouterr().out.splitlines()[0].split() == named


# Usage.

MISUSED = {  # command -> a part of the last line
    "no_such_command": "there is no 'no_such_command'; choose from demo, ",
    "trian": "there is no 'trian'; did you mean train?",
    "train corpus:story": "-o/--output",
    "encode corpus:story": "-t/--tokenizer",
    "train -o out --merges -5": "argument --merges: -5 is not a whole number from 0 up",
    "curve story -o out.xyz": "a picture is one of png, svg, pdf, jpg, not xyz",
    "train -o out --scheme gpt9": "there is no 'gpt9'; did you mean gpt2?",
}


@pytest.mark.parametrize("line", MISUSED)
def test_a_command_written_wrongly_exits_with_2(line, folder, capsys):
    with pytest.raises(SystemExit) as end:
        run(line)
    assert end.value.code == 2
    first, usage, *_ = capsys.readouterr().err.splitlines()  # what is wrong comes first
    assert usage.startswith("usage: bpe-teach")
    assert MISUSED[line] in first
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
