"""Words counted in parts, anywhere: the same counts, the same order, the same merges."""

import gzip
import logging
import os
import re
import signal
import subprocess
import sys
import unicodedata
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from common import pieces, rows
from hypothesis import given
from hypothesis import strategies as st

from bpe_further import count_words
from bpe_further import words as scale
from bpe_further.exchange.schemes import published_scheme
from bpe_further.shell.commands import main
from bpe_further.words import dask_map, list_parts, map_in_processes
from bpe_teach import SCHEMES, Scheme, Tokenizer, files
from bpe_teach.files import word_border
from bpe_teach.tokenizer import split_special

# Letters, digits, marks and white space of all kinds; line ends of every system; special tokens
# that hold a border, overlap themselves, or begin at one.
BITS = pieces("scale")
SPECIALS = [(), ("<|end|>",), ("the end", "a a"), (" low\n", "a a", "a"), ("\n\n", "\r")]


def one_pass(texts, scheme, special_tokens=()):
    """Count as the course explains it: each text as a whole, split at special tokens."""
    parts = [part for text in texts for part in split_special(text, special_tokens)]
    ordinary = [part for part, is_special in parts if not is_special]
    return list(SCHEMES[scheme].word_counts(ordinary).items())


def in_parts(paths, scheme, **options):
    return list(count_words(paths, scheme, **options).items())


def write(folder, *texts):
    paths = [folder / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    return paths


@pytest.fixture
def written(tmp_path):
    return partial(write, tmp_path)


@given(
    texts=st.lists(st.lists(st.sampled_from(BITS), max_size=30).map("".join), max_size=3),
    name=st.sampled_from([*SCHEMES]),
    block=st.integers(1, 12),
    special=st.sampled_from(SPECIALS),
    piece=st.integers(1, 9),
    window=st.integers(1, 9),
)
def test_counting_in_parts_is_counting_in_one_pass(
    texts, name, block, special, piece, window, tmp_path_factory
):
    paths = write(tmp_path_factory.mktemp("texts"), *texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "PIECE", piece)
        patch.setattr(scale, "WINDOW", window)
        patch.setattr(scale, "MOST_TASKS", 3)
        counted = in_parts(paths, name, block=block, special_tokens=special)
    assert counted == one_pass(texts, name, special)


@pytest.mark.parametrize("text", ["क़\n\nlow low", "e\u0301\n\nlow low", "é\n\nlow low"])
def test_a_border_is_one_before_and_after_normalization(text, written):
    scheme = published_scheme(SCHEMES["cl100k"], normalizations=("NFC",))
    counted = count_words(written(text), scheme, block=1)
    assert list(counted.items()) == list(scheme.word_counts(text).items())


@pytest.mark.parametrize(("text", "expected"), rows("scale/parts"))
def test_a_file_is_cut_after_a_letter_or_a_digit_before_white_space(text, expected, written):
    (path,) = written(text)
    parts = list_parts([path], SCHEMES["gpt2"], block=3)
    assert [path.read_bytes()[part.start : part.end].decode() for part in parts] == expected


def test_a_file_is_cut_only_where_the_scheme_says_that_words_end():
    whole = {name for name in SCHEMES if not word_border(SCHEMES[name])}
    assert whole == {name for name, scheme in SCHEMES.items() if not scheme.ends_words}
    assert {"chars", "bytes"} <= whole and "gpt2" not in whole
    assert word_border(Scheme("mine", "", r"\w+ ?", str, loses="signs")) is None
    assert word_border(published_scheme(SCHEMES["gpt2"], prefix=" ")) is None


def test_no_file_is_cut_after_a_letter_that_comes_apart_in_a_normalized_text():
    border = word_border(SCHEMES["cl100k"])
    data = "\u0958\na\n".encode()  # क़: in NFC a letter and a mark, and the line end stays with it
    assert files.find_cut(data, 0, border) == len("\u0958\na".encode())
    words = SCHEMES["cl100k"].split(unicodedata.normalize("NFC", data.decode()))
    assert "\u093c\n" in words  # the mark


@pytest.mark.parametrize("name", SCHEMES)
def test_counted_words_train_the_same_tokenizer(name, story, written, says):
    texts = [story[:3000], story[3000:5000]]
    counts = count_words(written(*texts), name, block=500)
    assert list(counts.items()) == one_pass(texts, name)
    says("so only the counting has to be divided among processes")
    tok = Tokenizer.train(word_counts=counts, scheme=name, num_merges=30)
    assert tok == Tokenizer.train(texts, scheme=name, num_merges=30)
    says("learning merges needs the table of words, not the text")


def test_rare_words_of_a_task_are_left_out(written, monkeypatch):
    paths = written("low low slow", "low slow slow")
    assert in_parts(paths, "words", prune=2) == [(tuple("low"), 2), (tuple("slow"), 2)]
    monkeypatch.setattr(scale, "MOST_TASKS", 1)
    assert in_parts(paths, "words", prune=3) == [(tuple("low"), 3), (tuple("slow"), 3)]


# Files that are packed, or damaged.


def test_a_packed_file_counts_as_its_text_and_a_broken_one_is_named(story, tmp_path):
    content = story.encode()
    path = tmp_path / "story.gz"
    path.write_bytes(gzip.compress(content[:9000]) + gzip.compress(content[9000:]))  # two members
    assert in_parts([path], "gpt2") == one_pass([story], "gpt2")
    whole = path.read_bytes()
    for fault, message in {
        whole[:-9]: f"{path.name}: broken after byte \\d+ of what it unpacks to: ",
        b"": f"{path.name}: broken after byte 0 .* the file has no bytes",
        b"low" * 9: f"{path.name}: broken after byte 0 of what it unpacks to: ",
        gzip.compress(b"low \xff"): f"{path.name}: not UTF-8 at byte 4",
    }.items():
        path.write_bytes(fault)
        with pytest.raises(ValueError, match=message):
            count_words([path])


def test_a_small_packed_file_is_not_unpacked_at_a_stroke(tmp_path):
    path = tmp_path / "low.gz"
    path.write_bytes(gzip.compress(b"low " * 25_000_000))  # a hundred megabytes
    assert max(map(len, files.read_blocks(path))) < 12_000_000


@pytest.mark.parametrize("place", [0, 17, 4000])
def test_a_byte_that_is_not_utf8_is_named_with_its_place_in_the_file(place, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE", 100)
    content = bytearray("één low\n".encode() * 600)
    content[place : place + 1] = b"\xff"
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(UnicodeDecodeError) as fault:
        content.decode()
    with pytest.raises(ValueError, match=f"bad.txt: not UTF-8 at byte {fault.value.start}$"):
        count_words([path], block=500)


def test_a_file_is_named_even_if_the_fault_begins_as_its_name_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("not").write_bytes(b"low\xff")
    with pytest.raises(ValueError, match="^not: not UTF-8 at byte 3$"):
        count_words(["not"])


def test_what_cannot_be_counted_is_refused(written, monkeypatch):
    (path,) = written("low low")
    with pytest.raises(FileNotFoundError):
        count_words([path.with_name("nowhere")])
    for wrong in ({"block": 0}, {"special_tokens": "<|end|>"}, {"scheme": "gpt9"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            count_words([path], **wrong)
    monkeypatch.setattr(os.path, "getsize", lambda path: 9)  # as if it had become shorter
    with pytest.raises(ValueError, match="ends at byte 7, though it had 9 bytes a moment ago"):
        count_words([path])


# No matter who counts.


@pytest.fixture
def paths(story, written):
    return written(story[:9000], "", story[9000:20000])


def test_tasks_are_counted_by_the_map_that_is_given(paths):
    asked = []

    def note(count, tasks):
        asked.extend(tasks)
        return map(count, asked)

    in_parts(paths, "gpt2", map=note, block=700)
    assert len(asked) > 1


def die_once(task, folder):
    """Count a task, but end the process at the third one, the first time."""
    mark = Path(folder, "died")
    if task == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGTERM)
    return task


def die(task):
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_processes_count_the_same_and_one_that_dies_changes_nothing(
    workers, paths, story, tmp_path, monkeypatch
):
    in_processes = partial(map_in_processes, workers=workers)
    counted = in_parts(paths, "gpt2", map=in_processes, block=2000)
    assert counted == one_pass([story[:9000], story[9000:20000]], "gpt2")
    assert [*in_processes(partial(die_once, folder=tmp_path), range(9))] == [*range(9)]
    assert (tmp_path / "died").exists()
    with pytest.raises(ValueError, match="a worker died 3 times in a row"):
        list(in_processes(die, range(9)))


# Ctrl-C is heard even if the tests were started (by nohup, or a shell's &) so as to ignore it.
SLEEPERS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from bpe_further.words import map_in_processes
list(map_in_processes(exec, ["import time; print('begun', flush=True); time.sleep(300)"] * 2))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals of Unix")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_workers_end_with_the_process_that_started_them(name):
    command = [sys.executable, "-c", SLEEPERS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.read(5) == b"begun"
        process.send_signal(signal.Signals[name])
        process.communicate(timeout=60)  # to the end of the output, which workers also hold open


@pytest.fixture
def shell(paths, tmp_path):
    """Return a function that trains in a shell, and gives the file that is written."""

    def train(*more):
        tok = tmp_path / "tok.json"
        options = ["--scheme", "words", "--unk", "?", "--special", "the end", "--merges", "50"]
        assert main(["train", *map(str, paths), *options, "-o", str(tok), *more]) == 0
        return tok.read_bytes()

    return train


@pytest.mark.slow
def test_a_cluster_counts_the_same_and_a_worker_that_dies_changes_nothing(
    paths, story, tmp_path, shell
):
    pytest.importorskip("distributed")
    with dask_map(workers=1) as cluster:
        counted = in_parts(paths, "gpt2", map=cluster, block=2000)
        address = cluster.args[0]._client.scheduler.address
        assert shell("--dask", address) == shell()
        assert [*cluster(partial(die_once, folder=tmp_path), range(5))] == [*range(5)]
    assert counted == one_pass([story[:9000], story[9000:20000]], "gpt2")
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_cluster_of_our_own_says_nothing_about_a_slow_worker(capfd):
    pytest.importorskip("distributed")
    with dask_map(workers=1):
        logging.getLogger("distributed.nanny").warning("Worker process still alive, killing")
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("is_told", [True, False])
def test_a_cluster_whose_scheduler_goes_away_ends_the_count(is_told, monkeypatch):
    monkeypatch.setattr(scale, "BETWEEN_LOOKS", 0.01)
    monkeypatch.setattr(scale, "LONGEST_SILENCE", 0.03)
    future = Future()
    if is_told:
        future.cancel()
    with pytest.raises(ValueError, match="the scheduler of the cluster has gone away"):
        scale._wait_on_dask(SimpleNamespace(status="connecting"), future)


def test_the_shell_trains_the_same_with_workers_and_shows_a_bar(shell, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert shell("--workers", "2") == shell()
    assert re.search(r"counting words: +0%\|.*\[00:00<\?", capsys.readouterr().err)


def test_the_shell_names_a_cluster_that_is_not_there(tmp_path, capsys, paths):
    pytest.importorskip("distributed")
    train = ["train", str(paths[0]), "-o", str(tmp_path / "out")]
    assert main([*train, "--dask", "nowhere"]) == 1
    assert "error: no Dask cluster answers at nowhere: " in capsys.readouterr().err
