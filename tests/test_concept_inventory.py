"""The concept inventory: two forms, marked by concept, not to be guessed by the look of answers."""

import re
from collections import Counter
from html import escape, unescape
from importlib import import_module
from zipfile import ZipFile

import pytest
from common import count_sheets, rows

from bpe_further.classroom.questions import find_questions
from bpe_further.exercises.concept_inventory import (
    BELIEFS,
    CONCEPTS,
    FORMS,
    SEEN,
    mark,
    questions,
    score,
)
from bpe_further.shell.commands import main
from bpe_teach import Tokenizer, encode_by_rank, learn_merges_naive, load_corpus
from bpe_teach.exercises import FULL_NAMES, rank_based_encoding

RIGHT = {
    form: {number: question.right for number, question in asked.items()}
    for form, asked in FORMS.items()
}
ALL = [(form, number) for form, asked in FORMS.items() for number in asked]


@pytest.mark.parametrize("form", FORMS)
def test_a_form_has_twelve_questions_of_four_answers_and_every_wrong_one_is_explained(form):
    assert list(FORMS[form]) == list(range(1, 13))
    for question in FORMS[form].values():
        assert list(question.choices) == list("abcd")
        assert {slip for slip, _ in question.slips} | {question.right} == set("abcd")
        reasons = [why for _, why in question.slips]
        assert len({question.because, *reasons}) == 4


@pytest.mark.parametrize("form", FORMS)
def test_right_answers_are_spread_evenly_and_never_run_in_a_row(form):
    letters = list(RIGHT[form].values())
    assert set(Counter(letters).values()) == {3}
    assert not any(letters[i] == letters[i + 1] == letters[i + 2] for i in range(10))


@pytest.mark.parametrize("form", FORMS)
def test_right_answers_do_not_stand_out_by_their_length(form):
    places = Counter()  # place of the right answer among the four, the shortest first
    for number, question in FORMS[form].items():
        lengths = sorted(map(len, question.choices.values()))
        assert lengths[-1] <= max(1.35 * lengths[0], lengths[0] + 3), number
        places[lengths.index(len(question.choices[question.right]))] += 1
    assert max(places.values()) <= 5


@pytest.mark.parametrize("form", FORMS)
def test_the_sheet_holds_questions_and_choices_but_no_answer(form):
    text, html = str(questions(form)), questions(form)._repr_html_()
    for question in FORMS[form].values():
        assert question.ask in text
        assert all(choice in text for choice in question.choices.values())
        for secret in [question.because, *question.hints, *(why for _, why in question.slips)]:
            assert secret not in text
            assert secret not in html
    assert "&lt;|end|&gt;" in html


def test_the_forms_ask_other_questions():
    asked = [question.ask for form in FORMS.values() for question in form.values()]
    assert len(set(asked)) == 24
    assert len([n for n in range(1, 13) if RIGHT["A"][n] != RIGHT["B"][n]]) >= 8


@pytest.mark.parametrize("form", FORMS)
def test_answers_are_scored_by_concept(form):
    full = score(RIGHT[form], form)
    assert full["right"].tolist() == full["of"].tolist() == [2] * len(CONCEPTS)
    assert full.index.tolist() == CONCEPTS
    for nothing in ({}, dict.fromkeys(RIGHT[form], ...), dict.fromkeys(RIGHT[form])):
        assert score(nothing, form)["right"].sum() == 0
        assert "".join(score(nothing, form)["what the wrong answers show"]) == ""


@pytest.mark.parametrize(("form", "number"), ALL)
def test_a_wrong_answer_costs_its_own_concept_and_shows_its_misconception(form, number):
    question = FORMS[form][number]
    for letter, why in question.slips:
        table = score(RIGHT[form] | {number: letter}, form)
        assert table["right"].sum() == 11
        (hit,) = table.index[table["right"] == 1]
        assert hit == CONCEPTS[(number - 1) % 6]
        assert table.loc[hit, "what the wrong answers show"] == f"{number}{letter}: {why}"
        assert mark({number: letter}, form).belief[number - 1] in BELIEFS


@pytest.mark.parametrize("answers", [{13: "a"}, {0: "a"}, {1: "e"}, {1: 2}, {1: "B"}])
def test_what_is_not_an_answer_is_refused(answers):
    with pytest.raises(ValueError, match="question"):
        score(answers)
    with pytest.raises(ValueError, match="form"):
        score({}, "C")


def test_every_wrong_answer_has_one_belief_and_what_was_seen_has_a_slip_of_the_exercises():
    options = " ".join(BELIEFS.values()).split()
    wrong = [f"{form}{n}{slip}" for form, n in ALL for slip, _ in FORMS[form][n].slips]
    assert sorted(options) == sorted(wrong)
    assert set(SEEN) <= set(BELIEFS)
    for slip, _ in filter(lambda seen: seen[0], SEEN.values()):
        module, _, name = slip.partition(".")
        space = vars(import_module(FULL_NAMES[module]))
        slips = [pair for exercise in space.values() for pair in getattr(exercise, "slips", ())]
        assert space[name] in [known for known, _ in slips]


# The answers that can be computed are.


@pytest.mark.parametrize(("form", "word", "merges", "longest"), rows("concept_inventory/cuts"))
def test_the_word_is_cut_as_the_answers_say(form, word, merges, longest):
    ranks = {tuple(merge.split()): rank for rank, merge in enumerate(merges)}
    choices = FORMS[form][8].choices
    assert choices[RIGHT[form][8]] == " ".join(encode_by_rank(tuple(word), ranks))
    by_length = rank_based_encoding._encode_longest_first(tuple(word), ranks)
    assert choices[longest] == " ".join(by_length)


def test_the_counts_of_form_b_are_those_of_a_text():
    bag = {("t", "h", "e"): 75, ("t", "h"): 15, ("h", "e"): 5, ("a", "n"): 60}
    first, second = learn_merges_naive(bag, 2)
    assert (first.pair, first.count) == (("t", "h"), 90)
    assert (second.pair, second.count) == (("th", "e"), 75)
    assert "(th, e)" in FORMS["B"][7].choices[RIGHT["B"][7]]


def test_bytes_ids_and_greek_are_as_form_b_says():
    assert len("Zoë€😀") == 5
    assert FORMS["B"][5].choices[RIGHT["B"][5]].startswith(f"{len('Zoë€😀'.encode())}:")
    assert int(FORMS["B"][4].choices[RIGHT["B"][4]]) == 256 + 500
    tok = Tokenizer.train(load_corpus("story"), num_merges=1000)
    assert [len(tok.encode(word)) for word in (" light", "φως")] == [1, 6]
    shown = "".join(bytes([byte]).decode("utf-8", errors="replace") for byte in "é".encode())
    assert FORMS["B"][11].choices[RIGHT["B"][11]].startswith(f"{shown},")


# Out of the course: for a platform, or on paper. Other people's programs read the files.


def written(tmp_path, kind):
    path = tmp_path / f"questions.{kind}"
    assert main(["questions", "--to", kind, "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def told():
    """Return what all questions say: name -> text, then each choice with its points and reason."""
    asked = [question for group in find_questions() for question in group["questions"]]
    return {question["name"]: (question["ask"], question["choices"]) for question in asked}


def plain(html):
    return unescape(re.sub("<p>|</p>", "", html).replace("<br/>", "\n")).replace("\u00a0", " ")


def test_every_question_has_one_right_choice_and_a_reason_for_each(told):
    assert len(told) == len({ask for ask, _ in told.values()}) >= 80
    for name, (_, choices) in told.items():
        assert [choice["is_right"] for choice in choices].count(True) == 1, name
        assert len({choice["text"] for choice in choices}) == len(choices) >= 2, name
        assert all(choice["reason"] for choice in choices), name


def test_moodles_file_is_read_back_by_another_program(tmp_path, told):
    reader = pytest.importorskip("moodle_xml_parser.parser")
    questions = reader.parse_file(str(written(tmp_path, "moodle")))["multichoice"]
    assert [question.name for question in questions] == list(told)
    for question in questions:
        ask, choices = told[question.name]
        assert plain(question.text_pre_parse) == ask
        for option, choice in zip(question.options, choices, strict=True):
            assert plain(option.answer) == choice["text"]
            assert plain(option.feedback) == choice["reason"]
            assert option.score_fraction == 100 * choice["is_right"]
        assert not (question.shuffle_answers and question.name[0] in "ABv")  # their letters count


def test_a_package_of_qti_is_read_back_by_another_program(tmp_path, told):
    reader = pytest.importorskip("onyx2moodle.parser")
    with ZipFile(written(tmp_path, "qti")) as package:
        package.extractall(tmp_path / "items")
    manifest = (tmp_path / "items" / "imsmanifest.xml").read_text("utf-8")
    assert re.findall('<file href="(.+).xml"/>', manifest) == list(told)
    for name, (ask, choices) in told.items():
        item = reader.parse_item(tmp_path / "items" / f"{name}.xml")
        (asked,) = item.interactions
        prompt = item.body_xml.find(".//{*}prompt")
        assert "\n".join(prompt.itertext()).replace("\u00a0", " ") == ask
        read = [(choice.identifier, plain(choice.html)) for choice in asked.choices]
        assert read == [(c["letter"], c["text"]) for c in choices]
        assert [plain(one.html) for one in item.feedback] == [c["reason"] for c in choices]
        (right,) = (c["letter"] for c in choices if c["is_right"])
        assert item.response_decls["RESPONSE"].correct_values == [right]


@pytest.mark.slow
def test_on_paper_both_forms_have_an_answer_sheet_and_a_key_and_fit_either_size(
    tmp_path, open_page
):
    path = written(tmp_path, "paper")
    path = path.rename(path.with_suffix(".html"))
    text = path.read_text("utf-8")
    for form, asked in FORMS.items():
        for number, question in asked.items():
            assert escape(question.ask) in text
            assert f"<td>{number}</td><td>{question.right}</td>" in text, form
    page = open_page(path)
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "14mm")
    for size in ("A4", "Letter"):
        assert count_sheets(page.pdf(format=size, margin=margin)) == 7  # answers; forms of 2; keys
