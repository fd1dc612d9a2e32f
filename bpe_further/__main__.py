"""Run the command line: `python -m bpe_further` does what `bpe-teach` does."""

import signal
import sys


def main() -> int:
    """Run a command and return its exit code; 130 after Ctrl-C, 143 after SIGTERM.

    The other codes are those of `bpe_further.shell.commands.main`.
    """
    try:
        # A command ends as after Ctrl-C; else drafts and workers would stay behind.
        signal.signal(signal.SIGTERM, _terminate)
        # Not at the top: the user may press Ctrl-C while this is still loading.
        from bpe_further.shell.commands import main as run_command

        return run_command()
    except KeyboardInterrupt as error:
        return error.args[0] if error.args else 130


def _terminate(number, frame) -> None:
    raise KeyboardInterrupt(143)


if __name__ == "__main__":
    sys.exit(main())
