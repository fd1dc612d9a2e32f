"""Completion: what bash and zsh offer after the Tab key, as a script that either can run."""

from collections.abc import Callable, Iterable, Mapping

SCRIPT = """\
# bash: eval "$(bpe-teach completion bash)"    zsh: eval "$(bpe-teach completion zsh)"
_bpe_teach() {{
  local choices typed=${{COMP_WORDS[COMP_CWORD]}}
  case $COMP_CWORD,${{COMP_WORDS[COMP_CWORD-1]}},${{COMP_WORDS[1]}} in
    1,*) choices="{commands}" ;;
{values}
{options}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$typed"))
}}
complete -o default -F _bpe_teach bpe-teach
"""  # -o default: where no word fits, files


def completion_script(shell: str, commands: Mapping[str, Callable], names: Iterable[str]) -> str:
    """Return a script that completes commands, options, their values and names of tokenizers."""
    values = {"-t": names, "--tokenizer": names, "--against": names}  # option -> what may follow
    options = {}  # command -> its options
    for command, run in commands.items():
        options[command] = ["--help"]
        for names_of_option, settings in run.options:
            is_option = names_of_option[0].startswith("-")
            options[command] += names_of_option if is_option else settings.get("choices", ())
            if is_option and "choices" in settings:
                values |= dict.fromkeys(names_of_option, settings["choices"])
    begin = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return begin + SCRIPT.format(
        commands=" ".join(commands),
        values="\n".join(f'    *,{key},*) choices="{" ".join(v)}" ;;' for key, v in values.items()),
        options="\n".join(f'    *,{key}) choices="{" ".join(v)}" ;;' for key, v in options.items()),
    )
