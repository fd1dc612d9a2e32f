"""Run the command line: `python -m bpe_further` does what `bpe-teach` does."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path


def main() -> int:
    """Run a command and return its exit code.

    The code is 130 after Ctrl-C and 143 after SIGTERM; all other codes come from
    `bpe_further.shell.commands.main`.
    """
    try:
        # On SIGTERM, end as after Ctrl-C; otherwise drafts and workers would be left behind.
        signal.signal(signal.SIGTERM, _terminate)
        # Not at the top: the user may press Ctrl-C while this is still loading.
        from bpe_further.shell.commands import main as run_command

        return run_command()
    except KeyboardInterrupt as error:
        return error.args[0] if error.args else 130


def _leave_out_the_current_folder() -> None:
    """Keep Python from importing from the current folder, where a hand-in may be called regex.py.

    `python -m` would look in this folder first. If this package is in the folder, the folder stays
    on the path.
    """
    here = os.getcwd()
    with suppress(OSError):
        if sys.path[:1] == [here] and not Path(__file__).parents[1].samefile(here):
            del sys.path[0]


def _terminate(number, frame) -> None:
    raise KeyboardInterrupt(143)


if __name__ == "__main__":
    _leave_out_the_current_folder()
    sys.exit(main())
