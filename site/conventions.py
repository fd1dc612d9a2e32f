"""Write the table of conventions: MINBPE=FOLDER HF_COURSE=FILE python site/conventions.py

MINBPE_VERSION and HF_COURSE_VERSION say which versions these two are. Needs the extra "compare",
and rustbpe and subword-nmt. Each implementation is probed as the conformance kit probes anybody's
program; what isn't installed is named as not probed.
"""

import os
import sys
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bpe_further.conform.found import Found
from bpe_further.conform.probe import probe
from bpe_further.conform.program import Interview, find_command
from bpe_further.conform.splits import SPLITS

HERE = Path(__file__).parent
ROWS = {  # class -> what it is called, and the package or the variable that has its version
    "Ours": ("bpe-teach, scheme gpt2", "bpe-teach"),
    "MinbpeBasic": ("minbpe, BasicTokenizer", "MINBPE_VERSION"),
    "MinbpeRegex": ("minbpe, RegexTokenizer", "MINBPE_VERSION"),
    "TiktokenEducational": ("tiktoken's educational module", "tiktoken"),
    "Rustbpe": ("rustbpe", "rustbpe"),
    "HuggingFaceTokenizers": ("tokenizers, byte-level", "tokenizers"),
    "SentencePiece": ("SentencePiece, bpe", "sentencepiece"),
    "SubwordNmt": ("subword-nmt", "subword-nmt"),
    "HuggingFaceCourse": ("Hugging Face's course, chapter 6", "HF_COURSE_VERSION"),
}
HEAD = "| implementation | version | symbols | split | ties | stops | unknown ids |"
START, END = "<!-- conventions -->", "<!-- end of conventions -->"


def row(name: str) -> str | None:
    """Return the row of an implementation; None if it can't be probed here."""
    called, package = ROWS[name]
    command = find_command([str(HERE / "well_known.py")], name)
    with closing(Interview(command)) as interview:
        found = probe(lambda request: interview.answer(request) or {})
    if found.why or not found.told:
        print(f"{called}: not probed, {found.why}", file=sys.stderr)
        return None
    return " | ".join([f"| {called}", _version(package), *cells(found)]) + " |"


def cells(found: Found) -> list[str]:
    """Return what was found, in the order of the table."""
    told = found.told
    symbols = "bytes" if told["alphabet"] == "bytes" else "characters"
    if told["moved"]:
        symbols += ", ids moved"
    if told["shown_as"]:
        symbols += f", shown as {told['shown_as']}"
    if told["before"] or told["after"]:
        symbols += f", `{told['before']}word{told['after']}`"
    split = SPLITS[found.split].about if found.split else "none that we know"
    return [symbols, split, found.ties, found.stop, found.unknown]


def _version(package: str) -> str:
    if package.isupper():
        return os.environ.get(package, "main")
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"


def main() -> None:
    """Put the table into the page, between its two marks."""
    page = HERE / "test_your_own.md"
    lines = [HEAD, "| --- " * 7 + "|"]
    missing = []
    for name, (called, _) in ROWS.items():
        line = row(name)
        lines += [line] if line else []
        missing += [] if line else [called]
    day = datetime.now(UTC).date()
    not_probed = f" Not probed: {'; '.join(missing)}." if missing else ""
    lines += ["", f"Probed on {day}.{not_probed}"]
    before, _, rest = page.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    table = "\n".join(lines)
    page.write_text(f"{before}{START}\n\n{table}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
