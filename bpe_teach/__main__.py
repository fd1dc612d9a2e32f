"""Run the command line: `python -m bpe_teach` does what `bpe-teach` does."""

import signal
import sys


class Terminated(KeyboardInterrupt):
    """SIGTERM has come: a command ends as it does after Ctrl-C, and removes what it began."""


def main() -> int:
    """Run a command and return its exit code; 130 after Ctrl-C, 143 after SIGTERM.

    The other codes are those of `bpe_teach.shell.commands.main`.
    """
    try:
        signal.signal(signal.SIGTERM, _terminate)  # else drafts and workers would be left behind
        # Not at the top: Ctrl-C may come while this is still loading.
        from bpe_teach.shell.commands import main as run_command

        return run_command()
    except Terminated:
        return 143
    except KeyboardInterrupt:
        return 130


def _terminate(number, frame) -> None:
    raise Terminated


if __name__ == "__main__":
    sys.exit(main())
