# Prints what zsh makes of a line when TAB is pressed behind it:
#   zsh -f complete.zsh FOLDER LINE        FOLDER holds the file _bankshot
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "PS1=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D
show() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; }; zle -N show; bindkey '^X' show; print -r -- READY\$((1 + 1))"
zpty -r -m shell seen '*READY2*'
zpty -w -n shell "$2"$'\t'$'\x18'
zpty -r -m shell seen '*<<*>>*'
seen=${seen##*<<}
print -r -- "${seen%%>>*}"
zpty -d shell
