"""Run the command line: `python -m bpe_teach` does what `bpe-teach` does."""

import signal
import sys


class Terminated(KeyboardInterrupt):
    """SIGTERM was received: the command ends as after Ctrl-C, and removes what it had begun."""


def main() -> int:
    """Run a command and return its exit code; 130 after Ctrl-C, 143 after SIGTERM.

    The other codes are those of `bpe_teach.shell.commands.main`.
    """
    try:
        signal.signal(signal.SIGTERM, _terminate)  # else drafts and workers would stay behind
        # Not at the top: the user may press Ctrl-C while this is still loading.
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
