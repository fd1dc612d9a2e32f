"""Give a fork its own address everywhere: python .ci/address.py OWNER/NAME [REF]

The address of the repository is in pyproject.toml, as Repository. If you fork the course for a
class, run this once in a git clone, and commit what it has changed: badges, set-up cells, links and
the address of the site.

REF, in pyproject.toml too, is the branch or tag that badges open and set-up cells install: both
name the same, so that a notebook meets the package that it was written for.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PART = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?"  # of an address: letters, digits, - . _ inside


def old_address() -> tuple[str, str, str]:
    """Return owner and name of the repository, and the ref, as pyproject.toml gives them."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    owner, name = table["project"]["urls"]["Repository"].split("/")[-2:]
    return owner, name, table["tool"]["bpe-teach"]["ref"]


def changes(old: tuple[str, str, str], new: tuple[str, str, str]) -> list[tuple[re.Pattern, str]]:
    """Return the patterns to look for, each with its replacement."""
    owner, name, ref = map(re.escape, old)
    before, after = r"(?<![\w.-])", r"(?![\w-])"  # not part of a longer name
    new_owner, new_name, new_ref = new
    return [
        # what is opened, seen or installed at a ref
        (
            re.compile(rf"({before}{owner}/{name}(?:/blob/|/tree/|/|@)){ref}(?![.-]?\w)"),
            rf"\g<1>{new_ref}",
        ),
        (re.compile(rf'(\[tool\.bpe-teach\]\nref = "){ref}"'), rf'\g<1>{new_ref}"'),
        (re.compile(f"{before}{owner}/{name}{after}"), f"{new_owner}/{new_name}"),
        (
            re.compile(f"{before}{owner}\\.github\\.io/{name}{after}", re.IGNORECASE),
            f"{new_owner.lower()}.github.io/{new_name}",
        ),
        # the folder that a clone makes
        (re.compile(f"(git clone \\S+\\s+cd ){name}{after}"), rf"\g<1>{new_name}"),
    ]


def tracked_files() -> list[Path]:
    """Return the files that git tracks, and the new ones that it doesn't ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    files = [ROOT / name for name in listed.decode("utf-8").split("\0") if name]
    return [file for file in files if file.is_file()]


def change(file: Path, patterns: list[tuple[re.Pattern, str]]) -> int:
    """Change the address in a file, if it is text; return the number of changes."""
    try:
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return 0
    places = 0
    for pattern, replacement in patterns:
        text, found = pattern.subn(replacement, text)
        places += found
    if places:
        file.write_bytes(text.encode("utf-8"))  # bytes: line ends stay as they are
    return places


def main(arguments: list[str]) -> str:
    """Change the address in all files; return a message for the user."""
    old = old_address()
    given = arguments[0].removeprefix("https://github.com/") if arguments else ""
    ref = arguments[1] if len(arguments) > 1 else old[2]
    if len(arguments) > 2 or not re.fullmatch(f"{PART}/{PART} {PART}", f"{given} {ref}"):
        sys.exit(
            "usage: python .ci/address.py OWNER/NAME [REF], as in https://github.com/OWNER/NAME"
        )
    new = (*given.removesuffix(".git").split("/"), ref)
    patterns = changes(old, new)
    places = [change(file, patterns) for file in tracked_files()]
    files = sum(map(bool, places))
    return f"{'/'.join(old)} is now {'/'.join(new)}: {sum(places)} places in {files} files"


if __name__ == "__main__":
    print(main(sys.argv[1:]))
