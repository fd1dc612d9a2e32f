"""Exports of learning platforms, each as its platform writes it, with the defects of real ones.

What the report must say is computed here, without the package's reader.
"""

import csv
import io
import random

import pytest

from bpe_further.classroom.handed_in import Handed
from bpe_further.classroom.learning import gains
from bpe_further.classroom.records import read_class
from bpe_further.exercises.concept_inventory import FORMS

LEARNERS = range(24)
NAMES = [f"Learner{i} Family{i}" for i in LEARNERS]
NAMES[:4] = ["Zoë Ångström", "明 李", "Conor O'Brien", "=Eva SUM"]
chance = random.Random(3)


def draw(share):
    """Return a sheet for each learner: every second one begins with form B."""
    sheets = []
    for learner in LEARNERS:
        form = "AB"[learner % 2] if share < 0.5 else "BA"[learner % 2]
        letters = {}
        for number, question in FORMS[form].items():
            wrong = [letter for letter in question.choices if letter != question.right]
            letters[number] = question.right if chance.random() < share else chance.choice(wrong)
        sheets.append((form, letters))
    return sheets


BEFORE, AFTER = draw(0.4), draw(0.75)


def share_right(sheets, learners):
    marks = [
        FORMS[sheets[n][0]][i].right == sheets[n][1][i] for n in learners for i in range(1, 13)
    ]
    return sum(marks) / len(marks)


def gain(learners=LEARNERS):
    before, after = share_right(BEFORE, learners), share_right(AFTER, learners)
    return (after - before) / (1 - before)


def said(sheet):
    form, letters = sheet
    return [FORMS[form][number].choices[letters[number]] for number in range(1, 13)]


def table(rows, delimiter=","):
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue()


def moodle(sheets, number="{:05}".format, heads=("ID number", "Email address"), **options):
    top = ["Last name", "First name", *heads, "Status", "Started", "Completed", "Duration"]
    rows = [[*top, "Grade/12.00", *(f"Response {n}" for n in range(1, 13))]]
    for learner, sheet in enumerate(sheets):
        first, last = NAMES[learner].split(" ", 1)
        row = [last, first, number(learner), f"s{learner}@school.example", "Finished"]
        rows.append([*row, "9:01", "9:12", "11 mins", "5.00", *said(sheet)])
    rows.append(["Overall average", *[""] * 7, "5.00", *[""] * 12])
    return table(rows, **options)


def canvas(sheets, form):
    top = ["name", "id", "sis_id", "root_account", "section", "section_id", "submitted", "attempt"]
    for number in range(1, 13):
        top += [f"{9000 + number}: {FORMS[form][number].ask}", "1.0"]
    rows = [[*top, "n correct", "n incorrect", "score"]]
    for learner, sheet in enumerate(sheets):
        if sheet[0] == form:
            row = [NAMES[learner], learner + 500, f"sis{learner}", "x", "S1", "1", "2026", "1"]
            for cell in said(sheet):
                row += [cell, "1.0"]
            rows.append([*row, 5, 7, 5])
    return table(rows)


def blackboard(sheets):
    top = ["Username", "Last Name", "First Name"]
    for number in range(1, 13):
        top += [f"Question ID {number}", f"Question {number}", f"Answer {number}"]
        top += [f"Possible Points {number}", f"Auto Score {number}", f"Manual Score {number}"]
    rows = [top]
    for learner, sheet in enumerate(sheets):
        row = [f"user{learner}", "Family", "Given"]
        for number, cell in enumerate(said(sheet), 1):
            asked = FORMS[sheet[0]][number].ask
            row += [f"Question ID {number}", f"<p>{asked}</p>", f"<p>{cell}</p>", "1", "1", ""]
        rows.append(row)
    return table(rows, "\t")


def google(sheets, form):
    rows = [["Timestamp", "Email Address", "Score", *(q.ask for q in FORMS[form].values())]]
    for learner, sheet in enumerate(sheets):
        if sheet[0] == form:
            rows.append(["9:01", f"s{learner}@school.example", "5 / 12", *said(sheet)])
    return table(rows)


def microsoft(sheets, form, email="s{}@school.example".format):
    top = ["Id", "Start time", "Completion time", "Email", "Name", "Total points", "Quiz feedback"]
    top.append("Last modified time")
    for question in FORMS[form].values():
        top += [question.ask, f"Points - {question.ask}", f"Feedback - {question.ask}"]
    rows = [top]
    for learner, sheet in enumerate(sheets):
        if sheet[0] == form:
            row = [len(rows), "9:01", "9:12", email(learner), "", 5, "", ""]
            for cell in said(sheet):
                row += [cell, 1, ""]
            rows.append(row)
    return table(rows, ";")


def two_forms(write):
    """Return four files: each form before, each form after."""
    return {
        f"{when} {form}.csv": write(sheets, form).encode()
        for when, sheets in (("before", BEFORE), ("after", AFTER))
        for form in "AB"
    }


def both(write, encode=str.encode):
    return {"before.csv": encode(write(BEFORE)), "after.csv": encode(write(AFTER))}


def read(files, column=""):
    return read_class([Handed(name, content) for name, content in files.items()], column, "room 12")


def count(found, what, place=0):
    rows = found.account[found.account["what"].str.strip() == what]
    return int(rows["how many"].iloc[place])


# What Moodle's language packs call the number of a learner, the address and an answer.
LANGUAGES = {
    "German": ("ID-Nummer", "E-Mail-Adresse", "Antwort 1"),
    "French": ("Numéro d’identification", "Adresse de courriel", "Réponse 1"),
    "Spanish": ("Número de ID", "Dirección de correo", "Respuesta 1"),
    "Italian": ("Codice identificativo", "Indirizzo email", "Risposta data 1"),
    "Portuguese": ("Número de identificação (ID)", "E-mail", "Resposta 1"),
    "Dutch": ("Nummer (ID)", "E-mailadres", "Antwoord 1"),
    "Swedish": ("ID nummer", "E-postadress", "Svar 1"),
    "Russian": ("Индивидуальный номер", "Адрес электронной почты", "Ответ 1"),
    "Catalan": ("Número ID", "Correu electrònic", "Resposta 1"),
}


def in_language(language):
    number, address, answer = LANGUAGES[language]
    word = answer.removesuffix(" 1")
    return both(
        lambda sheets: moodle(sheets, heads=(number, address)).replace("Response ", f"{word} ")
    )


EXPORTS = {
    "Moodle": both(moodle),
    **{f"Moodle, in {language}": in_language(language) for language in LANGUAGES},
    "Moodle, without ID numbers": both(lambda sheets: moodle(sheets, lambda learner: "")),
    "Moodle, a quarter without ID numbers": both(
        lambda sheets: moodle(sheets, lambda n: "" if n % 4 == 0 else f"{n:05}")
    ),
    "semicolons, byte order mark": both(
        lambda sheets: moodle(sheets, delimiter=";"), lambda text: text.encode("utf-8-sig")
    ),
    "a line for Excel": both(lambda sheets: "sep=;\r\n" + moodle(sheets, delimiter=";")),
    "tabs, UTF-16": both(
        lambda sheets: moodle(sheets, delimiter="\t"), lambda text: text.encode("utf-16")
    ),
    "Canvas": two_forms(canvas),
    "Blackboard": both(blackboard),
    "Google Forms": two_forms(google),
    "Microsoft Forms": two_forms(microsoft),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_gives_the_gain_that_was_computed_apart(name):
    found = read(EXPORTS[name])
    total = gains(found.answers).loc["all together"]
    assert (total.learners, total.gain) == (24, pytest.approx(gain()))
    assert count(found, "with a sheet before and one after") == count(found, "learners") == 24
    assert found.faults == {}


@pytest.mark.parametrize("name", EXPORTS)
def test_the_account_adds_up(name):
    found = read(EXPORTS[name])
    assert count(found, "files") == count(found, "used") + count(found, "not used")
    rows = count(found, "with answers") + count(found, "without an answer")
    assert count(found, "rows of exports") == rows
    kept = count(found, "used", 1) + count(found, "left out")
    again = count(found, "joined with another sheet of the same learner")
    assert count(found, "sheets with answers") == kept + again
    learners = count(found, "with a sheet before and one after")
    learners += count(found, "with a sheet before only") + count(found, "with a sheet after only")
    assert count(found, "learners") == learners + count(found, "without a sheet")


def test_rows_that_name_nobody_count_among_the_questions_and_are_told():
    found = read(two_forms(lambda sheets, form: microsoft(sheets, form, lambda n: "anonymous")))
    assert len(found.answers) == 48 * 12
    assert count(found, "with a sheet before and one after") == 0
    assert sum("12 of 12 rows with answers name nobody" in note for note in found.notes) == 4


def test_a_spelling_that_was_changed_on_the_platform_is_read_and_told():
    files = both(lambda sheets: moodle(sheets).replace("neighbouring", "neighboring"))
    found = read(files)
    assert gains(found.answers).loc["all together"].gain == pytest.approx(gain())
    assert any("neighboring" in note and "was read as" in note for note in found.notes)


def test_what_is_no_choice_is_named_with_how_often_and_is_neither_right_nor_wrong():
    right = FORMS["A"][1].choices[FORMS["A"][1].right]
    times = sum(sheet[0] == "A" and right in said(sheet) for sheet in BEFORE)
    files = both(moodle)
    files["before.csv"] = moodle(BEFORE).replace(right, "I don't know").encode()
    found = read(files)
    notes = [note for note in found.notes if "I don't know" in note]
    assert notes == [
        'In the export before, column "response 1": "I don\'t know" is no choice and is left out, '
        f"{times} times."
    ]
    first = found.answers[(found.answers.when == "before") & (found.answers.question == 1)]
    assert (first[first.form == "A"].answer == "").sum() == times


def test_another_choice_is_no_spelling_of_a_choice():
    """A wrong choice differs from a right one by a word: `four times` and `three times`."""
    texts = [text for q in FORMS["A"].values() for text in q.choices.values()]
    found = read(both(lambda sheets: moodle(sheets).replace("three times", "two times")))
    read_as = [note for note in found.notes if "was read as" in note]
    assert not [note for note in read_as if any(f'"{text}"' in note for text in texts[:4])]


def test_windows_1252_is_read_and_told():
    found = read(both(moodle, lambda text: text.encode("cp1252", "replace")))
    assert count(found, "with a sheet before and one after") == 24
    assert any("Windows-1252" in note for note in found.notes)


def test_two_attempts_that_contradict_each_other_are_left_out_and_told():
    rows = list(csv.reader(io.StringIO(moodle(BEFORE))))
    again = rows[1][:9] + said(BEFORE[2])  # the first learner, with the answers of the third
    files = both(moodle)
    files["before.csv"] = table([*rows, again]).encode()
    found = read(files)
    assert count(found, "left out") == 1
    assert gains(found.answers).loc["all together"].gain == pytest.approx(gain(range(1, 24)))
    assert any("contradict each other" in note for note in found.notes)


def test_no_name_is_in_the_notes():
    for files in EXPORTS.values():
        found = read(files)
        told = " ".join(found.notes) + found.account.to_string()
        assert not any(part in told for name in NAMES for part in name.split() if len(part) > 3)
        assert "school.example" not in told
