"""The command line: what it prints, what it writes, and how it fails."""

import os
import signal
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import bpe_teach
from bpe_teach import SCHEMES, Tokenizer, compression_curve, load_corpus
from bpe_teach.cli import main, read
from bpe_teach.compression import compare
from bpe_teach.corpora import CORPORA, corpus_path

SHELL = [sys.executable, "-m", "bpe_teach"]
LOSSLESS = [name for name in SCHEMES if SCHEMES[name].lossless]
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


@pytest.fixture(scope="module")
def saved(tmp_path_factory, small_tokenizers):
    """Return the files of small tokenizers, by scheme."""
    place = tmp_path_factory.mktemp("saved")
    for name, tok in small_tokenizers.items():
        tok.save(place / f"{name}.json")
    return {name: place / f"{name}.json" for name in small_tokenizers}


# the shell: bytes in, bytes out


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
def test_ctrl_c_ends_a_command_quietly_and_leaves_nothing(folder):
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*SHELL, "train", "-o", "tok.json"], stdin=pipe, stdout=pipe, stderr=pipe
    )
    process.stdin.write(b"low lower\n" * 20_000)  # more than a pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", b"")
    assert process.returncode == 128 + signal.SIGINT
    assert contents(folder) == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_behind_standard_output_is_one_line(saved):
    with open("/dev/full", "wb") as full:
        run = subprocess.run([*SHELL, "corpora"], stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1
    assert run.stderr.startswith(b"bpe-teach: error: ") and run.stderr.count(b"\n") == 1


def test_an_error_has_no_traceback(folder):
    run = shell("train", "nowhere.txt", "-o", "tok.json")
    assert (run.returncode, run.stdout) == (1, b"")
    assert run.stderr.decode().splitlines() == [
        "bpe-teach: error: nowhere.txt: No such file or directory"
    ]


def test_a_broken_text_on_standard_input_is_named(saved):
    run = shell("encode", "-t", saved["gpt2"], input="ab\né".encode()[:-1])
    assert run.returncode == 1
    assert run.stderr.decode().strip() == "bpe-teach: error: - is not UTF-8 at byte 3"


# train


def test_train_learns_what_the_tokenizer_learns(folder, capsys):
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
    assert "308 tokens; training stopped after 50 of 50 merges" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "size"),
    [([], {"num_merges": 1000}), (["--vocab-size", "300"], {"vocab_size": 300})],
)
def test_the_size_is_a_thousand_merges_or_what_is_asked_for(options, size, folder):
    assert main(["train", "corpus:story", "-o", "tok.json", *options]) == 0
    assert Tokenizer.load("tok.json") == Tokenizer.train(load_corpus("story"), **size)


@pytest.fixture(scope="module")
def long_text(tmp_path_factory):
    """Return a file of many lines: ends of every kind, some of them where a cut would be wrong."""
    ends = [
        "\n",
        "\n\n",
        ".\n",
        "\r\n",
        "\r",
        " \n ",
        "é\n",
        "!low\n/x",
        "Σ\n",
        "x\n\n \n",
        "'\nll",
    ]
    lines = [f"low lower {'newest ' * (i % 3)}l{ends[i % 11]}" for i in range(60_000)]
    file = tmp_path_factory.mktemp("long") / "long.txt"
    file.write_bytes("".join(lines).encode())
    return file


@pytest.mark.parametrize("scheme", ["gpt2", "cl100k", "o200k"])
def test_a_long_text_is_read_in_pieces_that_hold_the_same_words(scheme, long_text):
    whole = long_text.read_bytes().decode()
    pieces = [*read([str(long_text)], SCHEMES[scheme])]
    assert len(pieces) > 2
    assert "".join(pieces) == whole
    counts = SCHEMES[scheme].word_counts
    assert [*counts(pieces).items()] == [*counts(whole).items()]


def test_a_last_line_without_an_end_is_not_cut(folder):
    (folder / "text").write_text("1\n" * 30_000 + "ab")
    assert [*read(["text"], SCHEMES["gpt2"])] == ["1\n" * 30_000 + "ab"]


def test_where_a_piece_ends_is_a_place_that_matters(long_text):
    whole = long_text.read_bytes().decode()
    places = [whole.index("\n\n \n") + 1, whole.index("!low\n/x") + 1]
    for place in places:
        words = SCHEMES["o200k"].word_counts([whole[:place], whole[place:]])
        assert words != SCHEMES["o200k"].word_counts(whole)


@pytest.mark.parametrize(
    ("scheme", "special"),
    [*((name, ()) for name in SCHEMES if name not in ("gpt2", "cl100k", "o200k")), ("gpt2", "\n")],
)
def test_a_text_that_cannot_be_cut_is_read_whole(scheme, special, long_text):
    (piece,) = read([str(long_text)], SCHEMES[scheme], special)
    assert piece == long_text.read_bytes().decode()


def test_the_place_of_a_broken_byte_is_counted_from_the_start_of_the_file(
    folder, long_text, capsys
):
    content = long_text.read_bytes()
    (folder / "bad.txt").write_bytes(content + b"ab\xff")
    message = fails(capsys, "train", "bad.txt", "-o", "tok.json")
    assert message == f"bad.txt is not UTF-8 at byte {len(content) + 2}"


# encode and decode


@pytest.mark.parametrize("scheme", LOSSLESS)
def test_every_lossless_scheme_makes_the_round_trip(scheme, folder, capsysbinary):
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


def test_an_empty_text_is_no_ids_and_no_ids_are_an_empty_text(saved, folder, capsysbinary):
    (folder / "empty").write_bytes(b"")
    for command in ("encode", "decode"):
        assert main([command, "-t", str(saved["gpt2"]), "empty"]) == 0
        assert capsysbinary.readouterr() == (b"", b"")


def test_words_are_decoded_over_line_ends(saved, folder, capsysbinary):
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


@pytest.mark.parametrize(("options", "tokens"), [([], 8), (["--special"], 3)])
def test_special_tokens_are_recognised_on_request(options, tokens, folder, capsys):
    Tokenizer.train("low", num_merges=0, special_tokens=["<|x\n|>"]).save("tok.json")
    (folder / "text").write_bytes(b"ab<|x\n|>")
    assert main(["encode", "-t", "tok.json", "text", *options]) == 0
    assert len(capsys.readouterr().out.split()) == tokens


# curve, compare, corpora, demo


def test_the_table_of_a_curve_is_that_of_the_tokenizer(folder, capsys):
    options = ["--merges", "60", "--scheme", "cl100k", "--held-out", "corpus:chat"]
    assert main(["curve", "corpus:story", "corpus:mixed", *options, "--csv", "curve.csv"]) == 0
    texts = [load_corpus("story"), load_corpus("mixed")]
    tok = Tokenizer.train(texts, scheme="cl100k", num_merges=60)
    table = pd.read_csv("curve.csv")
    for name, text in ("training", texts), ("held out", load_corpus("chat")):
        part = table[table.text == name].drop(columns="text").reset_index(drop=True)
        pd.testing.assert_frame_equal(part, compression_curve(tok, text), rtol=1e-12)
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["text", "merges", "vocab_size", "tokens"]
    assert len(rows) == 12
    assert rows[-1].split()[2:4] == ["60", "316"]


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a", b"\x89PNG"), ("a.svg", b"<?xml")]
)
def test_the_ending_of_a_picture_chooses_its_kind(name, start, folder):
    assert main(["curve", "corpus:chat", "--merges", "20", "-o", name]) == 0
    ((written, content),) = contents(folder).items()
    assert written == name
    assert content.startswith(start)


def test_compare_prints_and_writes_the_table(saved, folder, capsys):
    paths = [str(saved["gpt2"]), str(saved["bytes"])]
    command = ["compare", "-t", paths[0], "-t", paths[1], "corpus:chat", "corpus:mixed"]
    assert main([*command, "--csv", "table.csv"]) == 0
    texts = {f"corpus:{name}": load_corpus(name) for name in ("chat", "mixed")}
    table = compare({path: Tokenizer.load(path) for path in paths}, texts)
    written = pd.read_csv("table.csv")
    pd.testing.assert_frame_equal(written, table, check_dtype=False, rtol=1e-12)
    rows = capsys.readouterr().out.splitlines()[1:]
    tokens = [row.split()[:4] for row in rows]
    assert (
        tokens == table[["tokenizer", "text", "vocab_size", "tokens"]].astype(str).values.tolist()
    )


def test_corpora_are_listed_and_named(capsys):
    assert main(["corpora"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [f"corpus:{name}" for name in CORPORA]


def test_the_demo_is_short_and_shows_fewer_and_fewer_tokens(capsys):
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 40 and max(map(len, lines)) < 80
    cuts = [line.split()[1:] for line in lines if line.split()[1:2] == ["A"]]
    assert len(cuts) == 4
    assert {"".join(cut) for cut in cuts} == {"A·cello·came·home·on·the·last·bus."}
    assert all(len(fewer) < len(more) for more, fewer in pairwise(cuts))


# errors


BROKEN = {
    "no such file": (["train", "nowhere", "-o", "out"], "nowhere: No such file or directory"),
    "a folder": (["train", ".", "-o", "out"], ".: "),
    "not UTF-8": (["train", "story", "bad", "-o", "out"], "bad is not UTF-8 at byte 3"),
    "not UTF-8, measured": (["compare", "-t", "tok.json", "bad"], "bad is not UTF-8 at byte 3"),
    "nothing": (["train", "empty", "empty", "-o", "out"], "the input is empty"),
    "nothing to draw": (["curve", "empty", "-o", "out"], "the input is empty"),
    "nothing held out": (
        ["curve", "story", "--held-out", "empty", "-o", "out"],
        "not an empty one",
    ),
    "nothing to compare": (["compare", "-t", "tok.json", "empty"], "text 'empty'"),
    "no such corpus": (
        ["train", "corpus:x", "-o", "out"],
        "no corpus 'x'; the known ones are story",
    ),
    "too small": (["train", "story", "-o", "out", "--vocab-size", "9"], "vocab_size=9"),
    "negative": (["train", "story", "-o", "out", "--merges", "-9"], "num_merges=-9"),
    "output in no folder": (["train", "story", "-o", "x/out"], "x/out: cannot be written"),
    "output below a file": (["train", "story", "-o", "story/out"], "story/out: cannot be written"),
    "output is a folder": (["train", "story", "-o", "."], ".: cannot be written"),
    "table in no folder": (["curve", "story", "--csv", "x/out"], "x/out: cannot be written"),
    "no tokenizer": (["encode", "-t", "nowhere", "story"], "nowhere: No such file or directory"),
    "a damaged tokenizer": (["encode", "-t", "half.json", "story"], "half.json is no tokenizer"),
    "text as tokenizer": (["decode", "-t", "story", "ids"], "story is no tokenizer file"),
    "a new character": (["encode", "-t", "low.json", "story"], "character 'g' at position 4"),
    "no number": (["decode", "-t", "tok.json", "words"], "words: b'x' is no id"),
    "a negative id": (["decode", "-t", "tok.json", "negative"], "negative: b'-1' is no id"),
    "a number too high": (["decode", "-t", "tok.json", "high"], "999 is no id; ids run from 0 to"),
    "an output that is an input": (["train", "story", "-o", "./story"], "is named twice"),
    "a table in place of its text": (["curve", "story", "--csv", "story"], "is named twice"),
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


@pytest.fixture
def bench(folder):
    """Return a folder with texts, ids and tokenizers, good and bad."""
    files = {"story": "low glow\n" * 9, "empty": "", "ids": "1 2", "words": "108\n3 x"}
    for name, text in (files | {"negative": "1 -1", "high": "1 999"}).items():
        (folder / name).write_text(text)
    (folder / "bad").write_bytes(b"ab\n\xff\n")
    Tokenizer.train("low low", num_merges=2).save("tok.json")
    Tokenizer.train("low ", scheme="chars", num_merges=0).save("low.json")
    (folder / "half.json").write_bytes((folder / "tok.json").read_bytes()[:-9])
    return folder


@pytest.mark.parametrize(("command", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_every_error_is_one_line_and_writes_nothing(command, message, bench, capsys):
    before = contents(bench)
    assert message in fails(capsys, *command)
    assert contents(bench) == before


@POSIX
def test_a_device_is_never_replaced(bench, capsys):
    assert "no ordinary file" in fails(capsys, "train", "story", "-o", os.devnull)


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
        assert "No space left on device" in fails(capsys, *command)
    assert contents(bench) == before
    assert main(command) == 0
    assert {name for name, content in contents(bench).items() if content != before[name]} == {"out"}


@POSIX
def test_an_output_is_written_through_a_link(bench):
    (bench / "link").symlink_to("target")
    assert main(["train", "story", "-o", "link"]) == 0
    assert (bench / "link").is_symlink()
    assert len(Tokenizer.load("target")) > 256


# usage


@pytest.mark.parametrize(
    "command",
    [
        ["no_such_command"],
        ["train", "corpus:story"],
        ["encode", "corpus:story"],
        ["train", "corpus:story", "-o", "out", "--merges", "few"],
        ["train", "corpus:story", "-o", "out", "--merges", "9", "--vocab-size", "300"],
        ["train", "corpus:story", "-o", "out", "--scheme", "gpt9"],
        ["train", "corpus:story", "-o", "out", "--tie-break", "last"],
    ],
    ids=" ".join,
)
def test_a_command_written_wrongly_exits_with_2(command, folder, capsys):
    with pytest.raises(SystemExit) as end:
        main(command)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: bpe-teach")
    assert contents(folder) == {}


def test_no_command_prints_the_help_and_exits_with_2(capsys):
    assert main([]) == 2
    printed = capsys.readouterr().out
    assert printed.startswith("usage: bpe-teach")
    assert "examples:" in printed


@pytest.mark.parametrize(
    "command", ["demo", "train", "encode", "decode", "curve", "compare", "corpora"]
)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: bpe-teach {command}")


def test_the_installed_command_is_this_one():
    table = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert table["project"]["scripts"] == {"bpe-teach": f"{main.__module__}:{main.__name__}"}


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"bpe-teach {bpe_teach.__version__}\n"


@POSIX
@pytest.mark.parametrize(
    ("command", "code"), [("train story -o new.json", 0), ("encode -t missing story", 1)]
)
def test_a_closed_stderr_is_no_reason_to_fail_or_to_write_elsewhere(command, code, bench):
    command = f"{sys.executable} -m bpe_teach {command} 2>&- >out"
    assert subprocess.run(command, shell=True, cwd=bench).returncode == code
    assert "error" not in (bench / "out").read_text()
