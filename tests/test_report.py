"""The report card, compared with counts made by hand and with the functions it uses."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from common import LOSSLESS, NAMES
from common import rows as cases

from bpe_further import report_card
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.measure import report_card as report
from bpe_further.measure.report_card import KINDS, LANGUAGES, SUMS, _random_sums
from bpe_teach import Scheme, Tokenizer, fertility, load_corpus

LOW = Tokenizer.train("low low", num_merges=2)  # bytes, and lo, low
CHARS = Tokenizer.train("low low", scheme="chars", num_merges=2)
WORDS = Tokenizer.train("low low", scheme="words", num_merges=2, unk_token="?")
THREE = {"bytes": LOW, "chars": CHARS, "words": WORDS}
TEXTS = {"low": "low low", "é": "lowé"}
PAGES = {"English": "low low", "Greek": "χαμηλά low", "French": "l o w"}
DIGITS = [str(digit).encode() for digit in range(10)]
BYTES = [bytes([byte]) for byte in range(256)]


@pytest.fixture
def small(monkeypatch):
    """Make the card of three tokenizers with three short pages instead of sixteen long ones."""
    monkeypatch.setattr(report, "_pages", lambda: PAGES)
    return report_card(THREE, TEXTS, against="words")


def rows(frame, *columns):
    """Return columns of a table as lists, gaps as None."""
    chosen = frame[list(columns)].astype(object)
    return chosen.where(chosen.notna(), None).values.tolist()


def test_byte_tokens_are_fragments_and_sums_are_read_by_offsets():
    scheme = PublishedScheme(
        "s", "", None, str, normalizations=(("Replace", " ", "▁"),), prefix="▁"
    )
    names = ["▁", *map(str, range(10)), "<0xC3>", "<0xA9>", "<0x0A>"]
    ids = {token: i for i, token in enumerate(names)}
    tok = PublishedTokenizer(scheme, None, [], ids=ids, byte_fallback=True)
    card = report_card(tok, {"é": "1é\n"})
    assert card.table.fragments.tolist() == [2]
    assert card.digits.aligned_percent.tolist() == [100, 100]


def test_the_share_of_fragments_is_that_of_all_tokens():
    """Not the mean of the shares of texts: the long one has many tokens, and no fragment."""
    card = report_card(LOW, {"long": "low" * 18, "short": "é"})
    assert card.table.fragments.tolist() == [0, 2]
    assert card.table.tokens.tolist() == [18, 2]
    assert "10.0" in str(card.summary.loc[("all texts", "fragments (%)")].tolist())


def test_the_texts_by_hand(small):
    sizes = ["characters", "bytes", "tokens", "bytes_per_token", "relative"]
    assert rows(small.table, "tokenizer", "text", *sizes, "used", "fragments", "exact") == cases(
        "report/texts", {"approx": pytest.approx}
    )
    numbers = small.table.drop(columns=["tokenizer", "text", "exact", "problem"])
    assert all(map(pd.api.types.is_numeric_dtype, numbers.dtypes))
    assert small.table.problem.str[:25].tolist() == [
        *("", "", "", "character 'é' at position"),
        *["decoding gives another te"] * 2,
    ]
    assert rows(small.vocabulary, "tokenizer", "entries", "used", "used_percent") == cases(
        "report/vocabulary", {"approx": pytest.approx}
    )


def test_the_languages_by_hand(small):
    factors = ["more_bytes", "shorter_tokens", "premium"]
    assert small.languages[factors].dtypes.eq(float).all()
    first_six = rows(small.languages, "language", "tokens", *factors)[:6]
    assert first_six == cases("report/languages", {"approx": pytest.approx})
    # χαμηλά low has as many words as low low, and l o w one more; with chars all is one word
    shorter = [(1, 7 / 16, 3 / 2 * 7 / 5), (1, 7 / 16, 7 / 5), (1, 7 / 16, 3 / 2 * 7 / 5)]
    assert small.languages.shorter_words.tolist() == pytest.approx([*sum(shorter, ())])


def test_the_summary_says_it_on_one_page_with_a_sign_for_what_is_missing(small):
    cells = small.summary.T.to_dict()
    assert {row: list(cells[row].values()) for row in cells} == dict(cases("report/summary"))
    assert repr(small).splitlines()[-2:] == [
        "– has characters that the tokenizer cannot encode",
        "* is not given back exactly, and what is lost costs no tokens",
    ]
    page = small._repr_html_()
    assert "3.50 Greek*</td>" in page and page.count("<div") == 2 + len(report.NOTES)
    assert "*" not in repr(report_card(LOW, {"low": "low"}))


# Digits.


def carries_further(digits):
    """Count the sums that have one digit more than their numbers."""
    return sum(total >= 10**digits for _, _, total in _random_sums(digits))


def test_groups_of_three_from_the_left_are_aligned_only_where_the_sum_is_no_longer():
    pairs = [(a, b, 1) for a in DIGITS for b in DIGITS]
    threes = [(a, b + c, 1) for a in DIGITS for b in DIGITS for c in DIGITS]
    threes += [(a + b, c, 1) for a in DIGITS for b in DIGITS for c in DIGITS]
    right = r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|[^\p{N}]+"
    from_right = Scheme("from the right", "threes from the right", right, bytes)
    card = report_card(
        {
            "left": Tokenizer("cl100k", BYTES, pairs + threes),
            "right": Tokenizer(from_right, BYTES, pairs + threes),
            "single": Tokenizer("gpt2", BYTES, []),
        },
        TEXTS,
    )
    expected = []
    for name in ("left", "right", "single"):
        for digits in (4, 5):
            aligned = SUMS - carries_further(digits) if name == "left" else SUMS
            expected.append([name, digits, pytest.approx(100 * aligned / SUMS)])
    assert rows(card.digits, "tokenizer", "digits", "aligned_percent") == expected
    # of two numbers from 1000 to 9999, the sum is below 10,000 in 32 of 81 cases
    assert (card.digits.aligned_percent[:2] - 100 * 32 / 81).abs().max() < 4


# Any scheme, any text.


@pytest.mark.slow
@pytest.mark.parametrize("scheme", NAMES)
def test_every_scheme_gets_a_card_and_a_lossless_one_gives_back_what_it_reads(
    scheme, small_tokenizers
):
    card = report_card(small_tokenizers[scheme])
    read = card.table[card.table.tokens.notna()]
    assert read.exact.all() == (scheme in LOSSLESS)
    assert read.text.tolist()[0] == "prose"
    assert card.table.text.tolist() == [*KINDS, LANGUAGES]
    assert card.summary.shape == (16, 1)
    factors = card.languages.dropna()
    assert (factors.more_bytes * factors.shorter_tokens).tolist() == pytest.approx(
        factors.premium.tolist()
    )


def test_premiums_are_those_of_fertility_and_the_same_on_every_run():
    tok = Tokenizer.train(load_corpus("chat"), num_merges=100)
    card = report_card(tok, {"chat": load_corpus("chat")})
    premiums = fertility(tok, report._pages()).relative
    assert len(premiums) == 16
    assert card.languages.premium.tolist() == pytest.approx(premiums.tolist())
    again = report_card(tok, {"chat": load_corpus("chat")})
    pd.testing.assert_frame_equal(again.summary, card.summary)


@pytest.mark.slow
def test_gpt2s_card_shows_what_is_known_of_it(gpt2):
    card = report_card(gpt2)
    pages = card.languages.set_index("language")
    assert pages.loc["Thai", ["tokens", "more_bytes", "premium"]].tolist() == [
        *(1438, pytest.approx(2.42, abs=0.005), pytest.approx(6.28, abs=0.005))
    ]
    assert card.table.exact.all()
    assert card.summary.loc[("premium", "highest")].tolist() == ["6.28 Thai"]
    assert (card.digits.aligned_percent < 30).all()  # four digits are cut in many ways


def test_a_text_of_which_no_token_is_left_has_gaps():
    letters = Tokenizer(Scheme("letters", "", "[a-z]+", bytes, loses="the rest"), BYTES, [])
    card = report_card(letters, {"low": "low", "12": "12"})
    assert card.table.problem.tolist() == ["", "no token is left of this text"]
    assert card.summary.loc[("bytes per token", "12")].tolist() == ["–"]


# Figures and errors.


def test_a_figure_has_a_row_for_each_text_and_a_dot_for_each_tokenizer(small):
    ax = small.plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [*TEXTS]
    assert ax.get_xlabel() == "tokens, words = 1"
    assert [line.get_xdata()[0] for line in ax.lines] == [1, 1.5, 1.5, 1]
    assert report_card(LOW, TEXTS).plot().get_xlabel() == "bytes per token"
    plt.close("all")
