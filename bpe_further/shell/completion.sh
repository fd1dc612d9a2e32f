# bash: eval "$(bpe-teach completion bash)"    zsh: eval "$(bpe-teach completion zsh)"
_bpe_teach() {
  local choices typed=${COMP_WORDS[COMP_CWORD]}
  case $COMP_CWORD,${COMP_WORDS[COMP_CWORD-1]},${COMP_WORDS[1]} in
    1,*) choices="COMMANDS" ;;
CASES
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$typed"))
}
# -o default: where no word fits, files
complete -o default -F _bpe_teach bpe-teach
