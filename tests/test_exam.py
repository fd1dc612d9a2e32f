"""The exam: what it asks is computed again from its text, by code that uses nothing of the package.

Learners who are right, who believe something, or who guess, take it: its questions tell them apart.
"""

import random
import re
import subprocess
import zipfile
from collections import Counter
from functools import cache
from io import BytesIO
from shutil import which

import pytest
import regex
from common import ROOT, count_sheets

from bpe_further.classroom.exam import (
    Question,
    blocks_of,
    draw_exam,
    draw_seed,
    read_families,
    write_exam,
)
from bpe_further.shell.commands import main

SEEDS = [f"seed number {number}" for number in range(12)]
FAMILIES = [family.name for family in read_families()]
DATA = ROOT / "data"


@cache
def exam(seed):
    return draw_exam(seed)


def questions(family):
    return [q for seed in SEEDS for form in exam(seed).values() for q in form if q.family == family]


# The right values again, from what a learner reads.


def shown(question):
    return [content for kind, content in blocks_of(question.ask) if kind == "shown"]


def table_of(question):
    (rows,) = [content for kind, content in blocks_of(question.ask) if kind == "table"]
    return rows


def number(text):
    return int(text.replace(",", ""))


def join_pair(symbols, left, right):
    """Merge a pair in a list of symbols, from left to right."""
    out = []
    for symbol in symbols:
        if out and out[-1] == left and symbol == right and not getattr(out[-1], "made", False):
            out[-1] = Made(left + right)
        else:
            out.append(symbol)
    return [str(symbol) for symbol in out]


class Made(str):
    """A symbol that was made in this very pass; it can't be merged again in it."""

    made = True


def count_in(words):
    """Count pairs of (symbols, times), in the order in which they are met."""
    counts = {}
    for symbols, times in words:
        for i in range(len(symbols) - 1):
            pair = (symbols[i], symbols[i + 1])
            counts[pair] = counts.get(pair, 0) + times
    return counts


def first_of_highest(counts):
    highest = max(counts.values())
    return next(pair for pair in counts if counts[pair] == highest)


def replay(word, pairs):
    symbols = list(word)
    for left, right in pairs:
        symbols = join_pair(symbols, left, right)
    return " ".join(symbols)


def pairs_in(line):
    return re.findall(r"\((\S+), (\S+)\)", line)


def overlaps(question):
    symbols = shown(question)[0].split()
    pair = re.findall(r"`(.)`", question.ask)
    times = sum(symbols[i : i + 2] == pair for i in range(len(symbols)))
    return f"{times} times, {len(join_pair(symbols, *pair))} symbols"


def second_merge(question):
    (_, *words), (_, *times) = table_of(question)
    text = [(list(word), int(n)) for word, n in zip(words, times, strict=True)]
    first = first_of_highest(count_in(text))
    text = [(join_pair(symbols, *first), n) for symbols, n in text]
    counts = count_in(text)
    second = first_of_highest(counts)
    return f"({second[0]}, {second[1]}), {counts[second]} times"


def ties(question):
    symbols = shown(question)[0].split()
    counts = count_in([(symbols, 1)])
    tied = [pair for pair in counts if counts[pair] == max(counts.values())]
    assert len(tied) > 1
    left = [" ".join(join_pair(symbols, *pair)) for pair in (tied[0], sorted(tied)[0])]
    return f"P: {left[0]}; Q: {left[1]}"


def use(question):
    merges, text = shown(question)
    words = dict.fromkeys(text.split())
    return "; ".join(replay(word, pairs_in(merges)) for word in words)


def lossy(question):
    return "·".join(re.split("[·↵]+", shown(question)[0]))


def by_rank(question):
    merges, word = shown(question)
    return replay(word.split(), pairs_in(merges))


def ids(question):
    merges, specials, which_one = map(
        int,
        re.search(r"learns (\d+) merges and has (\d).*?number (\d+)", question.ask).groups(),
    )
    return f"{255 + which_one}; {255 + merges + specials}"


def words(question):
    text = shown(question)[1].replace(" ", "").replace("·", " ")
    pattern = shown(question)[0].replace(" | ?", "| ?").replace(r" | \s", r"|\s")
    return (
        " | ".join(regex.findall(pattern, text))
        .replace(" | ", "\0")
        .replace(" ", "·")
        .replace("\0", " | ")
    )


def byte_count(question):
    codes = [number(cell) for cell in table_of(question)[1][1:]]
    return str(sum(1 + (code > 127) + (code > 2047) + (code > 65535) for code in codes))


def fragments(question):
    tokens = shown(question)[0].split()
    return "".join("�" if len(token) == 2 else token for token in tokens)


def special(question):
    return f"{len(shown(question)[0])} ids, 256 0 times"


@cache
def counts_of_tokens(text, scheme_pattern, merges):
    """Train with the plainest loop, and return how many tokens the text has after some merges."""
    found = Counter(regex.findall(scheme_pattern, text))
    held = [(list(word.encode().decode("latin-1")), times) for word, times in found.items()]
    sizes = [sum(len(symbols) * times for symbols, times in held)]
    learned = []
    for _ in range(merges):
        pair = first_of_highest(count_in(held))
        learned.append(pair)
        held = [
            (join_pair(symbols, *pair) if pair[0] in symbols else symbols, times)
            for symbols, times in held
        ]
        sizes.append(sum(len(symbols) * times for symbols, times in held))
    return sizes, learned


GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
TEXTS = {"an English story": "story", "a second English story": "second_story"}
TEXTS |= {"the manual of a machine": "manual", "a gardeners' forum": "forum"}


def curve(question):
    merges, tokens = table_of(question)
    n = int(merges[2])
    none, some, more = map(number, tokens[1:])
    return f"{(none - some) / n:.1f} and {(some - more) / n:.1f}"


def price(question):
    size, tokens = (list(map(number, row[1:])) for row in table_of(question)[2:])
    premium, factor = tokens[1] / tokens[0], size[1] / size[0]
    return f"{premium:.2f} = {factor:.2f} × {premium / factor:.2f}"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_right_value_is_that_of_plain_code_which_reads_the_question(family):
    asked = questions(family)
    assert len(asked) == 2 * len(SEEDS)
    for question in asked:
        assert globals()[family](question) == question.right, question.ask


@pytest.mark.slow
def test_the_numbers_in_the_tables_of_curve_are_those_of_the_plainest_loop():
    asked = [question for question in questions("curve") if "manual" in question.ask]
    sizes, _ = counts_of_tokens((DATA / "manual.txt").read_text("utf-8"), GPT2, 800)
    assert asked
    for question in asked:
        merges, tokens = table_of(question)
        assert [sizes[int(n)] for n in merges[1:]] == list(map(number, tokens[1:]))


@pytest.mark.slow
def test_the_numbers_in_the_tables_of_price_are_those_of_the_plainest_loop():
    text = (DATA / "declaration.txt").read_text("utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    pages = dict(zip(parts[1::2], parts[2::2], strict=True))
    _, merges = counts_of_tokens((DATA / "story.txt").read_text("utf-8"), GPT2, 1000)

    for question in questions("price")[:4]:
        languages, characters, sizes, tokens = table_of(question)
        for place, language in enumerate(languages[1:], 1):
            page = pages[language].strip()
            assert number(characters[place]) == len(page)
            assert number(sizes[place]) == len(page.encode())
            held = Counter(regex.findall(GPT2, page))
            found = sum(len(plain_split(word, tuple(merges))) * n for word, n in held.items())
            assert number(tokens[place]) == found


@cache
def ranks_of(merges):
    return {pair: rank for rank, pair in enumerate(merges)}


def plain_split(word, merges):
    symbols = list(word.encode().decode("latin-1"))
    ranks = ranks_of(merges)
    while True:
        pairs = {(symbols[i], symbols[i + 1]) for i in range(len(symbols) - 1)} & ranks.keys()
        if not pairs:
            return symbols
        symbols = join_pair(symbols, *min(pairs, key=ranks.get))


# Learners.


def take(asked: list[Question], answer) -> dict[str, bool]:
    """Return for each question whether an answer is right."""
    return {question.family: answer(question) == question.right for question in asked}


BELIEFS = sorted({wrong.belief for question in exam(SEEDS[0])["A"] for wrong in question.wrong})


def test_who_can_do_it_gets_all_points():
    for seed in SEEDS:
        for form in exam(seed).values():
            assert all(take(form, lambda question: globals()[question.family](question)).values())
            assert sum(question.points for question in form) == 60


@pytest.mark.parametrize("belief", BELIEFS)
def test_who_believes_something_is_wrong_where_it_shows_and_nowhere_else(belief):
    def answer(question):
        return next((w.value for w in question.wrong if w.belief == belief), question.right)

    for seed in SEEDS:
        for form in exam(seed).values():
            shows = {q.family for q in form if belief in [w.belief for w in q.wrong]}
            marks = take(form, answer)
            assert shows
            assert {family for family, is_right in marks.items() if not is_right} == shows


def test_who_guesses_among_all_values_that_stand_in_the_key_gets_little():
    chance = random.Random(1)

    def guess(question):
        return chance.choice([question.right, *(wrong.value for wrong in question.wrong)])

    values = []  # shares of the points for values
    for seed in SEEDS:
        for form in exam(seed).values():
            marks = take(form, guess)
            won = sum(q.value_points for q in form if marks[q.family])
            values.append(won / sum(q.value_points for q in form))
    assert 0.1 < sum(values) / len(values) < 0.45


# Drawn.


def test_the_same_seed_draws_the_same_exam_and_each_form_and_seed_another():
    assert draw_exam(SEEDS[0]) == exam(SEEDS[0])
    for family in FAMILIES:
        rights = [question.right for question in questions(family)]
        assert len(set(rights)) > len(SEEDS) / 2, family
    for seed in SEEDS:
        forms = exam(seed)
        for a, b in zip(forms["A"], forms["B"], strict=True):
            assert (a.family, a.points) == (b.family, b.points)
            assert a.right != b.right


def test_all_values_of_a_question_differ_and_none_stands_in_what_is_asked():
    for family in FAMILIES:
        for question in questions(family):
            values = [question.right, *(wrong.value for wrong in question.wrong)]
            assert len(set(values)) == len(values)
            assert family == "byte_count" or question.right not in question.ask
            assert "{" not in question.because + "".join(w.ask_back for w in question.wrong)


@pytest.mark.slow
@pytest.mark.parametrize("family", read_families(), ids=lambda family: family.name)
def test_every_draw_gives_a_question_that_plain_code_can_answer(family):
    taken = ""
    for number in range(200):
        question = family.draw(random.Random(f"draw {number}"), taken)
        assert globals()[family.name](question) == question.right != taken
        taken = question.right


def test_an_earlier_exam_asks_only_what_was_learned_until_then():
    asked = draw_exam(SEEDS[0], until="03")["A"]
    assert {question.notebook for question in asked} == {"01", "02", "03"}
    assert [q for q in exam(SEEDS[0])["A"] if q.notebook <= "03"] == asked
    with pytest.raises(ValueError, match="not with '3'"):
        draw_exam(SEEDS[0], until="3")


def test_a_seed_that_can_be_guessed_is_refused_and_a_drawn_one_is_not():
    with pytest.raises(ValueError, match="guessed"):
        draw_exam("2026")
    assert draw_exam(draw_seed()) != draw_exam(draw_seed())


# Written.


def test_the_command_writes_two_papers_and_a_key_apart(tmp_path, capsys):
    folder = tmp_path / "new" / "exam"
    assert main(["exam", "--seed", SEEDS[0], "-o", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        *("exam_A.html", "exam_B.html", "exam_key.html")
    ]
    assert "keep it apart" in capsys.readouterr().out
    key = (folder / "exam_key.html").read_text("utf-8")
    assert SEEDS[0] in key
    for form in "AB":
        paper = (folder / f"exam_{form}.html").read_text("utf-8")
        assert SEEDS[0] not in paper
        assert "✗" not in paper
        code = re.search(r"Code: (\w+)", paper)[1]
        assert f"Form {form}, code {code}" in key
        assert "60 minutes, 60 points" in paper
    assert main(["exam", "--seed", "2026", "-o", str(folder)]) == 1


def test_without_a_seed_each_exam_is_another(tmp_path):
    for name in ("one", "other"):
        assert main(["exam", "-o", str(tmp_path / name)]) == 0
    papers = {(tmp_path / name / "exam_A.html").read_text("utf-8") for name in ("one", "other")}
    assert len(papers) == 2


def test_the_documents_hold_what_the_pages_hold():
    docx = pytest.importorskip("docx")
    pages, documents = write_exam(SEEDS[0]), write_exam(SEEDS[0], kind="docx")
    for name in ("exam_A", "exam_B", "exam_key"):
        document = docx.Document(BytesIO(documents[f"{name}.docx"]))
        told = " ".join(paragraph.text for paragraph in document.paragraphs)
        assert (SEEDS[0] in told) == (name == "exam_key")
        asked = exam(SEEDS[0])[name[-1]] if name != "exam_key" else []
        for question in asked:
            for kind, content in blocks_of(question.ask):
                if kind == "text":
                    assert content.replace("`", "") in told
    assert b"seed" not in pages["exam_A.html"]


@pytest.mark.slow
@pytest.mark.skipif(not which("lowriter"), reason="needs LibreOffice Writer")
def test_libreoffice_opens_the_documents(tmp_path):
    pytest.importorskip("docx")
    path = tmp_path / "exam_A.docx"
    path.write_bytes(write_exam(SEEDS[0], kind="docx")["exam_A.docx"])
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    to_odt = ["--convert-to", "odt", "--outdir", tmp_path]
    subprocess.run(["soffice", profile, "--headless", *to_odt, path], check=True, timeout=120)
    with zipfile.ZipFile(tmp_path / "exam_A.odt") as opened:
        content = opened.read("content.xml").decode()
    for question in exam(SEEDS[0])["A"]:
        assert blocks_of(question.ask)[0][1].split("`")[0][:40] in content.replace("&apos;", "'")


@pytest.mark.slow
def test_a_paper_is_printed_on_four_sheets_and_fits_a_phone(tmp_path, open_page):
    for name, content in write_exam(SEEDS[0]).items():
        (tmp_path / name).write_bytes(content)
    page = open_page(tmp_path / "exam_A.html", (380, 700))
    assert page.evaluate("document.documentElement.scrollWidth") == 380
    assert count_sheets(page.pdf(prefer_css_page_size=True)) <= 5
