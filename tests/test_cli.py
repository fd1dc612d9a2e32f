"""The shell: what it prints, what it writes, and how it fails."""

import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
import tracemalloc
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_teach
from bpe_teach import SCHEMES, Tokenizer, arguments, cli, compression_curve, files, load_corpus
from bpe_teach.cli import COMMANDS, main
from bpe_teach.compression import compare
from bpe_teach.corpora import CORPORA, corpus_path
from bpe_teach.files import can_be_cut, read_pieces

SHELL = [sys.executable, "-m", "bpe_teach"]
LOSSLESS = [name for name in SCHEMES if SCHEMES[name].lossless]
IN_PIECES = ["gpt2", "cl100k", "o200k"]
ODD = "\ufeffone\r\ntwo\n\n\nlow\rlower é\x00 🐢\u2028 </w> low lower"  # and no line end
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs signals, pipes and devices of Unix")


def shell(*args, **kwargs):
    """Run a command in a process of its own."""
    return subprocess.run([*SHELL, *map(str, args)], capture_output=True, **kwargs)


def fails(capsys, *args):
    """Run a command that must fail; return the one line that says why."""
    assert main([*map(str, args)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("bpe-teach: error: ")
    return line.removeprefix("bpe-teach: error: ")


def contents(folder):
    """Return what all files of a folder hold."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(autouse=True)
def buffered(monkeypatch):
    """Let Python keep back what is printed, as it does by default: that is the harder case."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bench(folder):
    """Return a folder with texts, ids and tokenizers, good and bad."""
    texts = {
        "story": "low glow\n" * 9,
        "other": "low snow\n" * 5,
        "empty": "",
        "ids": "1 2",
        "words": "108\n3 x",
        "negative": "1 -1",
        "high": "1 999",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "bad").write_bytes(b"ab\n\xff\n")
    Tokenizer.train("low low", num_merges=2).save("tok.json")
    Tokenizer.train("low ", scheme="chars", num_merges=0).save("low.json")
    (folder / "half.json").write_bytes((folder / "tok.json").read_bytes()[:-9])
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory, small_tokenizers):
    """Return the files of small tokenizers, by scheme."""
    place = tmp_path_factory.mktemp("saved")
    for name, tok in small_tokenizers.items():
        tok.save(place / f"{name}.json")
    return {name: place / f"{name}.json" for name in small_tokenizers}


# What every command must print: arguments -> parts of standard output, parts of standard error.

STOPPED = "training stopped after 4 of 50 merges: no pair is left that occurs at least 2 times"
WORKS = {
    "train": (
        ["train", "story", "other", "-o", "out", "--merges", "3", "--special", "<|end|>"],
        [
            "out: a tokenizer with 260 tokens (256 symbols + 3 merges + 1 special)",
            "126 characters read; training stopped after 3 of 3 merges",
        ],
        [],
    ),
    "a lossy scheme": (
        ["train", "story", "-o", "out", "--scheme", "words"],
        ["tokens"],
        ["scheme words loses all spacing; decoding does not bring that back"],
    ),
    "unseen characters": (
        ["train", "story", "-o", "out", "--scheme", "chars", "--unk", "<unk>"],
        ["+ 1 special)"],
        [],
    ),
    "encode": (["encode", "story", "-t", "tok.json", "--tokens"], ["low · g low ⏎"], []),
    "decode": (["decode", "ids", "-t", "tok.json"], ["\x01\x02"], []),
    "a curve that stopped early": (
        ["curve", "story", "--merges", "50", "-o", "out.svg", "--csv", "out.csv"],
        ["training story "],
        [
            STOPPED,
            "out.svg: a picture of the characters per token of story (training)",
            "out.csv: the whole table, 5 rows",
        ],
    ),
    "a curve for each held-out text": (
        ["curve", "story", "story", "--held-out", "other", "--held-out", "ids", "--scheme", "words"]
        + ["--unk", "<unk>"],
        ["training 2 files", "held out   other", "held out     ids"],
        ["scheme words loses all spacing", "2 files are one training text: story, story"],
    ),
    "compare": (
        ["compare", "story", "other", "-t", "tok.json", "--csv", "out"],
        [" tok.json story ", " tok.json other "],
        ["out: the whole table, 2 rows"],
    ),
    "schemes": (
        ["schemes"],
        [
            *(scheme.about for scheme in SCHEMES.values()),
            *(f"decoding loses {scheme.loses}" for scheme in SCHEMES.values()),
            "She | 'll | ·pay | ·1024 | ·CROWNS | ! | ⏎",
            "she_ | '_ | ll_ | pay_ | 1024_ | crowns_ | !_",
            "files are read in pieces",
            "files are read as a whole",
        ],
        [],
    ),
    "corpora": (["corpora"], [f"corpus:{name} " for name in CORPORA], []),
    "help": (["help"], ["usage: bpe-teach", "examples:", *COMMANDS], []),
}


@pytest.mark.parametrize(("command", "printed", "noted"), WORKS.values(), ids=WORKS.keys())
def test_a_command_prints_what_it_found_and_notes_what_it_did(
    command, printed, noted, bench, capsys
):
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert [part for part in printed if part not in out] == []
    assert [part for part in noted if part not in err] == []
    if not noted:
        assert err == ""


# The shell: bytes in, bytes out.


def test_encode_and_decode_give_back_every_byte(saved):
    content = corpus_path("mixed").read_bytes()
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ids = shell("encode", "-t", saved["gpt2"], input=content, env=plain)
    back = shell("decode", "-t", saved["gpt2"], "-", "-", input=ids.stdout, env=plain)
    assert (ids.stderr, back.stderr) == (b"", b"")
    assert back.stdout == content
    tokens = shell("encode", "-t", saved["gpt2"], "--tokens", input=content, env=plain)
    assert "·" in tokens.stdout.decode("utf-8")


@POSIX
def test_a_reader_that_goes_away_ends_a_command_quietly(saved, folder):
    (folder / "long.txt").write_text("a line\n" * 200_000)
    process = subprocess.Popen(
        [*SHELL, "encode", "-t", str(saved["gpt2"]), "long.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 128 + signal.SIGPIPE
    process.stderr.close()


@POSIX
def test_what_is_encoded_comes_out_while_more_comes_in(saved):
    pipe = subprocess.PIPE
    command = [*SHELL, "encode", "-t", str(saved["gpt2"])]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
    enough = threading.Event()

    def feed():
        process.stdin.write(b"a line\n" * 400_000)
        process.stdin.flush()
        enough.wait(60)
        process.stdin.close()

    threading.Thread(target=feed).start()
    assert process.stdout.read(1000).startswith(b"97 ")
    assert not process.stdin.closed
    enough.set()
    process.stdout.read()
    process.stdout.close()
    assert process.wait() == 0


@POSIX
@pytest.mark.parametrize("command", [["train", "-o", "out"], ["curve", "--csv", "out"]])
def test_ctrl_c_ends_a_command_quietly_and_leaves_nothing(command, folder):
    pipe = subprocess.PIPE
    temporary = folder / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [*SHELL, *command],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={**os.environ, "TMPDIR": str(temporary)},
        # a job in the background of a shell ignores Ctrl-C, and its children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    process.stdin.write(b"low lower\n" * 20_000)  # more than a pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 128 + signal.SIGINT
    assert [*folder.rglob("*")] == [temporary]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_behind_standard_output_is_one_line():
    with open("/dev/full", "wb") as full:
        run = subprocess.run([*SHELL, "corpora"], stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1
    assert run.stderr.startswith(b"bpe-teach: error: ") and run.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["train", "nowhere", "-o", "tok.json"], "nowhere: No such file or directory"),
        (["train", "-o", "tok.json"], "-: not UTF-8 at byte 3"),
    ],
)
def test_an_error_has_no_traceback(command, message, folder):
    run = shell(*command, input="ab\né".encode()[:-1])
    assert (run.returncode, run.stdout) == (1, b"")
    assert run.stderr.decode().splitlines() == [f"bpe-teach: error: {message}"]


@POSIX
@pytest.mark.parametrize(
    ("command", "code"), [("train story -o new.json", 0), ("encode -t missing story", 1)]
)
def test_a_closed_stderr_is_no_reason_to_fail_or_to_write_elsewhere(command, code, bench):
    command = f"{sys.executable} -m bpe_teach {command} 2>&- >out"
    assert subprocess.run(command, shell=True, cwd=bench).returncode == code
    assert "error" not in (bench / "out").read_text()


@POSIX
def test_a_closed_standard_input_is_one_line(bench):
    command = f"{sys.executable} -m bpe_teach train -o out <&-"
    run = subprocess.run(command, shell=True, cwd=bench, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "bpe-teach: error: - is standard input, and that is closed\n"


def test_training_and_encoding_load_nothing_that_they_do_not_need(bench):
    code = (
        "import sys; from bpe_teach.cli import main\n"
        "main(['train', 'story', '-o', 'out']), main(['encode', 'story', '-t', 'out'])\n"
        "print({'pandas', 'matplotlib', 'pooch', 'requests', 'torch', 'tqdm'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "set()"


# Files read in pieces.


@pytest.fixture
def long_text(folder, monkeypatch):
    """Return a file of many lines: ends of every kind, some of them where a cut would be wrong."""
    monkeypatch.setattr(files, "PIECE", 50_000)
    ends = ["\n", "\n\n", ".\n", "\r\n", "\r", " \n ", "é\n", "!low\n/x", "Σ\n", "x\n\n \n"]
    lines = [f"low lower {'newest ' * (i % 3)}l{ends[i % 10]}" for i in range(7_000)]
    file = folder / "long.txt"
    file.write_bytes("".join(lines).encode())
    return file


@pytest.mark.parametrize("scheme", IN_PIECES)
def test_a_long_text_is_read_in_pieces_that_hold_the_same_words(scheme, long_text):
    whole = long_text.read_bytes().decode()
    with open(long_text, "rb") as file:
        pieces = [*read_pieces(file, SCHEMES[scheme])]
    assert len(pieces) == 3
    assert "".join(pieces) == whole
    counts = SCHEMES[scheme].word_counts
    assert [*counts(pieces).items()] == [*counts(whole).items()]


PARTS = ["\n", "\r\n", "\r", " ", "\t", "a", "B", "é", "Σ", "字", "1", "²", "\u0301", "\u02b0"]
PARTS += ["'", "'s", "'LL", "/", ".", "。", "_", "\u2028", "\x1c", "\u00a0", "low"]


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join), st.sampled_from(IN_PIECES))
def test_a_text_may_be_cut_wherever_a_piece_ends(text, scheme):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "PIECE", 1)
        pieces = [*read_pieces(BytesIO(text.encode()), SCHEMES[scheme])]
    assert "".join(pieces) == text
    words = [word for piece in pieces for word in SCHEMES[scheme].split(piece)]
    assert words == [*SCHEMES[scheme].split(text)]


def test_lines_of_every_kind_end_a_piece(monkeypatch):
    monkeypatch.setattr(files, "PIECE", 1)
    lines = ["low\n", "字\n", "3\r\n", "end.\n", "ab"]
    pieces = read_pieces([line.encode() for line in lines], SCHEMES["o200k"])
    assert [*pieces] == ["low", "\n字", "\n3", "\r\nend.\nab"]


@pytest.mark.parametrize(
    ("scheme", "special"),
    [
        *((name, ()) for name in SCHEMES if name not in IN_PIECES),
        ("gpt2", ["<|\n|>"]),
        ("gpt2", ["<|end|>", "end\r"]),
    ],
)
def test_a_text_that_cannot_be_cut_is_read_whole(scheme, special, monkeypatch):
    monkeypatch.setattr(files, "PIECE", 1)
    assert not can_be_cut(SCHEMES[scheme], special)
    assert [*read_pieces([b"low\n"] * 3, SCHEMES[scheme], special)] == ["low\n" * 3]


def test_the_place_of_a_broken_byte_is_counted_from_the_start_of_the_file(long_text, capsys):
    content = long_text.read_bytes()
    long_text.write_bytes(content + b"ab\xff")
    message = fails(capsys, "train", "long.txt", "-o", "tok.json")
    assert message == f"long.txt: not UTF-8 at byte {len(content) + 2}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["train", "text", "-o", "out", "--merges", "20"],
        ["encode", "text", "-t", "tok.json"],
        ["curve", "text", "--held-out", "text", "--merges", "20"],
        ["compare", "text", "-t", "tok.json", "-t", "tok.json"],
    ],
)
def test_a_long_text_is_never_held_as_a_whole(command, bench, monkeypatch, capfd):
    content = "low lower lowest newer\n" * 50_000
    (bench / "text").write_text(content)
    assert main(command) == 0  # so that everything is loaded
    monkeypatch.setattr(files, "PIECE", 10_000)
    tracemalloc.start()
    assert main(command) == 0
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(content) / 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--scheme", "chars"], "to scheme chars it is one word"),
        (["--scheme", "end_of_word"], "scheme end_of_word does not read in pieces"),
        (["--special", "<|\n|>"], "a special token with a line end"),
        ([], None),
    ],
)
def test_a_large_file_that_must_be_held_as_a_whole_is_named(
    options, reason, bench, monkeypatch, capsys
):
    monkeypatch.setattr(cli, "LARGE", 50)
    assert main(["train", "story", "other", "-o", "out", *options]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if "held in memory" in line]
    if reason is None:
        assert notes == []
    else:
        (note,) = notes  # the other file is short
        assert note.startswith("bpe-teach: story (0 MB) is held in memory as a whole: " + reason)


# A bar, where somebody watches.

WATCHED = {
    "train": (["train", "story", "other", "-o", "out"], ["reading"]),
    "encode": (["encode", "story", "other", "-t", "tok.json"], ["encoding"]),
    "curve": (
        ["curve", "story", "--held-out", "other"],
        ["reading", "measuring story", "measuring other"],
    ),
    "compare": (
        ["compare", "story", "other", "-t", "tok.json", "-t", "low.json"],
        ["measuring tok.json", "measuring low.json"],
    ),
}


@pytest.mark.parametrize(("command", "titles"), WATCHED.values(), ids=WATCHED.keys())
def test_a_bar_goes_by_the_bytes_that_are_read(command, titles, bench, monkeypatch, capsys):
    Tokenizer.train("low glow snow\n", scheme="chars", num_merges=0).save("low.json")
    bars = []

    class Bar:
        def __init__(self, **options):
            self.options, self.moved = options, 0

        def __enter__(self):
            bars.append(self)
            return self

        def __exit__(self, *error):
            pass

        def update(self, by=1):
            self.moved += by

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("tqdm.tqdm", Bar)
    assert main(command) == 0
    bars = [bar for bar in bars if bar.options["desc"] != "merges"]
    assert [bar.options["desc"] for bar in bars] == titles
    sizes = {name: (bench / name).stat().st_size for name in ("story", "other")}
    for bar in bars:
        name = bar.options["desc"].split()[-1]
        read = sizes.get(name, sum(sizes.values()))
        if command[0] == "curve" and name == "reading":
            read = sizes["story"]
        assert bar.options["total"] == bar.moved == read


def test_a_bar_shows_percentage_and_remaining_time(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(arguments, "BAR_DELAY", 0)
    assert main(["train", "story", "-o", "out"]) == 0
    assert re.search(r"reading: +0%\|.*\| 0\.00/81\.0 \[00:00<\?", capsys.readouterr().err)


def test_what_is_done_at_once_shows_no_bar_for_reading(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["train", "story", "-o", "out"]) == 0
    assert "reading" not in capsys.readouterr().err


@POSIX
def test_of_a_pipe_a_bar_cannot_know_the_end(bench):
    read, write = os.pipe()
    os.close(write)
    command = "import sys; from bpe_teach.arguments import *; print(input_size(Input('-', 0)))"
    run = subprocess.run([sys.executable, "-c", command], stdin=read, capture_output=True)
    os.close(read)
    assert run.stdout == b"None\n"


def test_among_what_is_printed_in_a_terminal_there_is_no_bar(bench, monkeypatch, capsys):
    monkeypatch.setattr(arguments, "BAR_DELAY", 0)
    for stream in (sys.stderr, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert main(["encode", "story", "-t", "tok.json"]) == 0
    assert capsys.readouterr().err == ""


# Train, encode, decode.


def test_train_learns_what_the_tokenizer_learns(folder):
    (folder / "odd.txt").write_bytes(ODD.encode())
    options = ["--scheme", "cl100k", "--merges", "50", "--min-count", "3"]
    options += ["--tie-break", "lowest_id", "--special", "low", "--special", "<|end|>"]
    assert main(["train", "odd.txt", "corpus:story", "-o", "tok.json", *options]) == 0
    assert Tokenizer.load("tok.json") == Tokenizer.train(
        [ODD, load_corpus("story")],
        scheme="cl100k",
        num_merges=50,
        min_count=3,
        tie_break="lowest_id",
        special_tokens=["low", "<|end|>"],
    )


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ([], {"num_merges": 1000}),
        (["--vocab-size", "300"], {"vocab_size": 300}),
        (["--scheme", "chars", "--unk", "?"], {"scheme": "chars", "unk_token": "?"}),
    ],
)
def test_the_options_are_those_of_the_tokenizer(options, size, folder):
    assert main(["train", "corpus:chat", "-o", "tok.json", *options]) == 0
    if "vocab_size" not in size:
        size = {"num_merges": 1000} | size
    assert Tokenizer.load("tok.json") == Tokenizer.train(load_corpus("chat"), **size)


@pytest.mark.parametrize("scheme", LOSSLESS)
@pytest.mark.parametrize("batch", [1, 100_000])
def test_every_lossless_scheme_makes_the_round_trip(
    scheme, batch, folder, monkeypatch, capsysbinary
):
    monkeypatch.setattr(cli, "BATCH", batch)
    monkeypatch.setattr(cli, "BATCH_OF_LINES", batch)
    (folder / "a").write_bytes(ODD.encode())
    (folder / "b").write_bytes(b"\nlow")
    (folder / "empty").write_bytes(b"")
    assert main(["train", "a", "b", "--scheme", scheme, "--merges", "6", "-o", "tok.json"]) == 0
    capsysbinary.readouterr()
    assert main(["encode", "-t", "tok.json", "a", "empty", "b"]) == 0
    ids = capsysbinary.readouterr().out
    tok = Tokenizer.load("tok.json")
    assert [*map(int, ids.split())] == tok.encode(ODD) + tok.encode("\nlow")
    (folder / "ids").write_bytes(ids)
    assert main(["decode", "-t", "tok.json", "ids", "empty"]) == 0
    assert capsysbinary.readouterr().out == ODD.encode() + b"\nlow"


def test_an_empty_text_is_no_ids_and_no_ids_are_an_empty_text(bench, capsysbinary):
    for command in ("encode", "decode"):
        assert main([command, "-t", "tok.json", "empty"]) == 0
        assert capsysbinary.readouterr() == (b"", b"")


def test_words_are_decoded_over_line_ends(saved, folder, monkeypatch, capsysbinary):
    monkeypatch.setattr(cli, "BATCH_OF_LINES", 1)
    ids = Tokenizer.load(saved["end_of_word"]).encode("the sea and the sea")
    (folder / "ids").write_text("\n".join(map(str, ids)))
    assert main(["decode", "-t", str(saved["end_of_word"]), "ids"]) == 0
    assert capsysbinary.readouterr().out == b"the sea and the sea"


def test_lines_of_ids_follow_lines_of_text(folder, capsys):
    tok = Tokenizer.train("low\n\nlow\n\n", scheme="cl100k", num_merges=3)
    assert [merge.token for merge in tok.merges] == [b"lo", b"low", b"\n\n"]
    tok.save("tok.json")
    (folder / "text").write_text("lowlo\n\nw\nlo l")
    assert main(["encode", "-t", "tok.json", "text"]) == 0
    assert capsys.readouterr().out == "257 256 258\n119 10\n256 32 108\n"
    assert main(["encode", "-t", "tok.json", "text", "--tokens"]) == 0
    assert capsys.readouterr().out == "low lo ⏎⏎\nw ⏎\nlo · l\n"


@pytest.mark.parametrize(("batch", "writes"), [(100_000, 2), (20, 4)])
def test_ids_are_written_a_batch_at_a_time(batch, writes, bench, monkeypatch, capsys):
    written = []
    monkeypatch.setattr(cli, "BATCH", batch)
    monkeypatch.setattr(sys.stdout, "write", written.append)
    assert main(["encode", "-t", "tok.json", "story"]) == 0  # 45 ids
    assert len(written) == writes  # the last is the line end
    ids = Tokenizer.load("tok.json").encode((bench / "story").read_text())
    assert [*map(int, "".join(written).split())] == ids


@pytest.mark.parametrize(("options", "tokens"), [([], 8), (["--special"], 3)])
def test_special_tokens_are_recognised_on_request(options, tokens, folder, capsys):
    Tokenizer.train("low", num_merges=0, special_tokens=["<|x\n|>"]).save("tok.json")
    (folder / "text").write_bytes(b"ab<|x\n|>")
    assert main(["encode", "-t", "tok.json", "text", *options]) == 0
    assert len(capsys.readouterr().out.split()) == tokens


# Curve, compare, demo.


def test_the_table_of_a_curve_is_that_of_the_tokenizer(folder, capsys):
    options = ["--merges", "60", "--scheme", "cl100k", "--csv", "curve.csv"]
    options += ["--held-out", "corpus:chat", "--held-out", "corpus:story"]
    assert main(["curve", "corpus:story", "corpus:mixed", *options]) == 0
    texts = [load_corpus("story"), load_corpus("mixed")]
    tok = Tokenizer.train(texts, scheme="cl100k", num_merges=60)
    table = pd.read_csv("curve.csv")
    measured = {
        ("training", "2 files"): texts,
        ("held out", "corpus:chat"): load_corpus("chat"),
        ("held out", "corpus:story"): load_corpus("story"),
    }
    for (role, name), text in measured.items():
        rows = table[(table.role == role) & (table.text == name)]
        part = rows.drop(columns=["role", "text"]).reset_index(drop=True)
        pd.testing.assert_frame_equal(part, compression_curve(tok, text), rtol=1e-12)
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["role", "text", "merges", "vocab_size", "tokens"]
    assert len(rows) == 18
    assert rows[-1].split()[-5:-3] == ["60", "316"]


@POSIX
@pytest.mark.parametrize(
    "command",
    [
        ["curve", "FILE", "--merges", "9", "--held-out", "FILE"],
        ["compare", "FILE", "-t", "tok.json", "-t", "all.json"],
    ],
)
def test_what_comes_through_a_pipe_can_be_measured_more_than_once(
    command, bench, monkeypatch, capsys
):
    Tokenizer.train("low", scheme="bytes", num_merges=1).save("all.json")
    assert main(["story" if word == "FILE" else word for word in command]) == 0
    named = capsys.readouterr().out
    read, write = os.pipe()
    os.write(write, (bench / "story").read_bytes())
    os.close(write)
    monkeypatch.setattr(arguments, "STANDARD_INPUT", read)
    assert main(["-" if word == "FILE" else word for word in command]) == 0
    os.close(read)
    assert capsys.readouterr().out.split() == named.replace("story", "-").split()


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a", b"\x89PNG"), ("a.svg", b"<?xml")]
)
def test_the_ending_of_a_picture_chooses_its_kind(name, start, folder):
    assert main(["curve", "corpus:chat", "--merges", "20", "-o", name]) == 0
    ((written, content),) = contents(folder).items()
    assert written == name
    assert content.startswith(start)


@pytest.mark.parametrize(
    ("held_out", "labels"),
    [
        (["corpus:chat"], ["training: story", "held out: chat"]),
        (["x/story", "y/story"], ["training: story", "held out: x/story", "held out: y/story"]),
    ],
)
def test_the_curves_of_a_picture_carry_the_names_of_the_files(held_out, labels, bench, monkeypatch):
    for place in (bench / "x", bench / "y"):
        place.mkdir()
        (place / "story").write_text("low\n")
    drawn = []
    monkeypatch.setattr("bpe_teach.plots.plot_compression", lambda curves, ax: drawn.extend(curves))
    options = [word for name in held_out for word in ("--held-out", name)]
    assert main(["curve", "story", *options, "-o", "out"]) == 0
    assert drawn == labels


def test_compare_prints_and_writes_the_table(saved, folder, capsys):
    paths = [str(saved["gpt2"]), str(saved["bytes"])]
    command = ["compare", "-t", paths[0], "-t", paths[1], "corpus:chat", "corpus:mixed"]
    assert main([*command, "--csv", "table.csv"]) == 0
    texts = {f"corpus:{name}": load_corpus(name) for name in ("chat", "mixed")}
    table = compare({path: Tokenizer.load(path) for path in paths}, texts)
    written = pd.read_csv("table.csv")
    pd.testing.assert_frame_equal(written, table, check_dtype=False, rtol=1e-12)
    rows = capsys.readouterr().out.splitlines()[1:]
    main_columns = table[["tokenizer", "text", "vocab_size", "tokens"]].astype(str)
    assert [row.split()[:4] for row in rows] == main_columns.values.tolist()


def test_the_demo_is_short_and_shows_fewer_and_fewer_tokens(capsys):
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 40 and max(map(len, lines)) < 80
    cuts = [line.split()[1:] for line in lines if line.split()[1:2] == ["A"]]
    assert len(cuts) == 4
    assert {"".join(cut) for cut in cuts} == {"A·cello·came·home·on·the·last·bus."}
    assert all(len(fewer) < len(more) for more, fewer in pairwise(cuts))


# Errors.

BROKEN = {
    "no such file": (["train", "nowhere", "-o", "out"], "nowhere: No such file or directory"),
    "no name": (["train", "", "-o", "out"], "No such file or directory"),
    "a folder": (["train", ".", "-o", "out"], ".: "),
    "no such held-out file": (["curve", "story", "--held-out", "nowhere"], "nowhere: No such file"),
    "a held-out folder": (["curve", "story", "--held-out", "."], ".: "),  # before any work
    "not UTF-8": (["train", "story", "bad", "-o", "out"], "bad: not UTF-8 at byte 3"),
    "not UTF-8, encoded": (["encode", "-t", "tok.json", "bad"], "bad: not UTF-8 at byte 3"),
    "not UTF-8, compared": (["compare", "-t", "tok.json", "bad"], "not UTF-8 at byte 3"),
    "nothing": (["train", "empty", "empty", "-o", "out"], "empty, empty: nothing to learn from"),
    "nothing to draw": (["curve", "empty", "-o", "out"], "empty: nothing to learn from"),
    "nothing to compare": (["compare", "-t", "tok.json", "empty"], "text 'empty'"),
    "no such corpus": (["train", "corpus:x", "-o", "out"], "no corpus 'x'; choose one of story"),
    "too small": (
        ["train", "story", "-o", "out", "--vocab-size", "9"],
        "--vocab-size 9 is too small: there are 256 symbols in the alphabet",
    ),
    "an unknown token for bytes": (
        ["train", "story", "-o", "out", "--unk", "?"],
        "--unk ? is not needed: scheme gpt2 has all bytes",
    ),
    "a special token twice": (
        ["train", "story", "-o", "out", "--special", "a", "--special", "a"],
        "special tokens must be different",
    ),
    "output in no folder": (
        ["train", "story", "-o", "x/out"],
        "x/out cannot be written: there is no folder x",
    ),
    "output below a file": (
        ["train", "story", "-o", "story/out"],
        "story/out cannot be written: there is no folder story",
    ),
    "output is a folder": (["train", "story", "-o", "."], ". cannot be written: it is a folder"),
    "table in no folder": (["curve", "story", "--csv", "x/out"], "x/out cannot be written"),
    "no tokenizer": (["encode", "-t", "nowhere", "story"], "nowhere: No such file or directory"),
    "a damaged tokenizer": (["encode", "-t", "half.json", "story"], "half.json: "),
    "text as tokenizer": (["decode", "-t", "story", "ids"], "story: "),
    "a new character": (
        ["encode", "-t", "low.json", "story"],
        "story: character 'g' at position 4 was not in the training text; train on one that has "
        "it, with --unk TOKEN, or with a byte scheme such as 'gpt2'",
    ),
    "no number": (["decode", "-t", "tok.json", "words"], "words: x is not a token id"),
    "a negative id": (["decode", "-t", "tok.json", "negative"], "negative: -1 is not a token id"),
    "a number too high": (
        ["decode", "-t", "tok.json", "high"],
        "high: 999 is not a token id; ids run from 0 to 257",
    ),
    "an output that is an input": (["train", "story", "-o", "./story"], "./story is named twice"),
    "a table in place of its text": (["curve", "story", "--csv", "story"], "is named twice"),
    "a table in place of a held-out text": (
        ["curve", "story", "--held-out", "other", "--csv", "other"],
        "other is named twice",
    ),
    "a table in place of the tokenizer": (
        ["compare", "-t", "tok.json", "story", "--csv", "tok.json"],
        "is named twice",
    ),
    "two outputs in one": (["curve", "story", "-o", "x.png", "--csv", "x.png"], "is named twice"),
    "no such picture": (
        ["curve", "story", "-o", "out.xyz"],
        "out.xyz: a picture is one of png, svg, pdf, jpg, not xyz",
    ),
}


@pytest.mark.parametrize(("command", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_every_error_is_one_line_and_writes_nothing(command, message, bench, capsys):
    before = contents(bench)
    assert message in fails(capsys, *command)
    assert contents(bench) == before


@pytest.mark.parametrize(
    ("held_out", "message"),
    [("empty", "not an empty one"), ("bad", "not UTF-8 at byte 3"), ("other", "character 's'")],
)
def test_a_fault_in_a_held_out_text_is_one_line_with_its_name(held_out, message, bench, capsys):
    command = ["curve", "story", "--held-out", held_out, "--scheme", "chars", "-o", "out"]
    before = contents(bench)
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert (out, contents(bench)) == ("", before)
    assert err.splitlines()[-1].startswith(f"bpe-teach: error: {held_out}: ")
    assert err.count(f"{held_out}: ") == 1
    assert message in err.splitlines()[-1]


@POSIX
def test_what_is_not_an_ordinary_file_is_never_replaced(bench, capsys):
    os.mkfifo("pipe")  # not a real device: if this ever fails, it must do no harm
    assert "not an ordinary file" in fails(capsys, "train", "story", "-o", "pipe")
    assert not (bench / "pipe").is_file()


@pytest.mark.parametrize("kind", ["tokenizer", "picture", "table"])
def test_an_output_is_replaced_only_when_the_new_one_is_complete(kind, bench, capsys, monkeypatch):
    command = {
        "tokenizer": ["train", "story", "-o", "out"],
        "picture": ["curve", "story", "-o", "out"],
        "table": ["curve", "story", "--csv", "out"],
    }[kind]
    (bench / "out").write_text("old")
    before = contents(bench)

    def breaks(source, target):
        raise OSError(28, "No space left on device", os.fspath(source))

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", breaks)
        assert main(command) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"bpe-teach: error: {bench.resolve() / 'out'}: No space left on device"
    assert contents(bench) == before
    assert main(command) == 0
    assert {name for name, content in contents(bench).items() if content != before[name]} == {"out"}


@POSIX
def test_an_output_is_written_through_a_link(bench):
    (bench / "link").symlink_to("target")
    assert main(["train", "story", "-o", "link"]) == 0
    assert (bench / "link").is_symlink()
    assert len(Tokenizer.load("target")) > 256


# Usage.

TRAIN = ["train", "corpus:story", "-o", "out"]
MISUSED = {
    "no such command": (["no_such_command"], "no_such_command"),
    "no output": (["train", "corpus:story"], "-o/--output"),
    "no tokenizer": (["encode", "corpus:story"], "-t/--tokenizer"),
    "no number": ([*TRAIN, "--merges", "few"], "argument --merges: few is not a whole number"),
    "negative": ([*TRAIN, "--merges", "-5"], "argument --merges: -5 is not a whole number from 0"),
    "no tokens": ([*TRAIN, "--vocab-size", "0"], "argument --vocab-size: 0 is not a whole number"),
    "no count": ([*TRAIN, "--min-count", "0"], "argument --min-count: 0 is not a whole number"),
    "two sizes": ([*TRAIN, "--merges", "9", "--vocab-size", "300"], "not allowed with"),
    "no such scheme": ([*TRAIN, "--scheme", "gpt9"], "--scheme"),
    "no such rule": ([*TRAIN, "--tie-break", "last"], "--tie-break"),
    "no help for it": (["help", "no_such_command"], "no_such_command"),
}


@pytest.mark.parametrize(("command", "message"), MISUSED.values(), ids=MISUSED.keys())
def test_a_command_written_wrongly_exits_with_2(command, message, folder, capsys):
    with pytest.raises(SystemExit) as end:
        main(command)
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("usage: bpe-teach")
    assert message in err.splitlines()[-1]
    assert contents(folder) == {}


def test_no_command_prints_the_help_and_exits_with_2(capsys):
    assert main([]) == 2
    without = capsys.readouterr().out
    assert main(["help"]) == 0
    assert without == capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    helps = []
    for words in ([command, "--help"], ["help", command]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0
        helps.append(capsys.readouterr().out)
    assert helps[0] == helps[1]
    assert helps[0].startswith(f"usage: bpe-teach {command}")
    about = " ".join(helps[0].split())
    assert COMMANDS[command].run.__doc__ in about
    if command in ("train", "encode", "curve", "compare"):
        assert "in pieces with the schemes gpt2, cl100k, o200k; with the others" in about


def test_the_installed_command_is_this_one():
    table = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert table["project"]["scripts"] == {"bpe-teach": f"{main.__module__}:{main.__name__}"}


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"bpe-teach {bpe_teach.__version__}\n"
