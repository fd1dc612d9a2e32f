"""Run the command line: `python -m bpe_teach` does what `bpe-teach` does."""

import sys

from bpe_teach.shell.commands import main

if __name__ == "__main__":
    sys.exit(main())
