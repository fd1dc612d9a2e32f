"""Completion: the script with which bash or zsh completes commands after the Tab key."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def completion_script(shell: str, commands: Mapping[str, Sequence], names: Iterable[str]) -> str:
    """Return a script that completes commands, options, their values and names of tokenizers.

    ``shell`` is "bash" or "zsh". ``commands`` holds the arguments of each command, with their names
    and settings. ``names`` are the names of tokenizers.
    """
    values = {"-t": names, "--tokenizer": names, "--against": names}  # option -> possible values
    options = {}  # command -> its options
    for command, arguments in commands.items():
        options[command] = ["--help"]
        for names_of_option, settings in arguments:
            is_option = names_of_option[0].startswith("-")
            options[command] += list(names_of_option) if is_option else settings.get("choices", ())
            if is_option and "choices" in settings:
                values |= dict.fromkeys(names_of_option, settings["choices"])
    cases = [f'    *,{key},*) choices="{" ".join(words)}" ;;' for key, words in values.items()]
    cases += [f'    *,{key}) choices="{" ".join(words)}" ;;' for key, words in options.items()]
    script = Path(__file__).with_suffix(".sh").read_text("utf-8")
    script = script.replace("COMMANDS", " ".join(commands)).replace("CASES", "\n".join(cases))
    begin = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return begin + script
