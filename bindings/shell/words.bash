# shellcheck shell=bash disable=SC2034 # _mamctl reads what is local here
# The end of mamctl's completion for bash, after what mamctl --generate-completion-script writes.
#
# bash takes "@", ":" and "=" for the ends of words. Every UPN has an "@": join what was typed together, so that
# "--account ann@con" is an option and its value, and give back what follows the last end.
_mamctl_typed() {
    local -a words=()
    local rest=$COMP_LINE word before current cut
    local -i index last=-1 cursor=0 is_value=0 are_files=1
    for index in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[index]}
        before=
        if [[ -n $word ]]; then
            before=${rest%%"$word"*}
            rest=${rest#"$before$word"}
        fi
        if [[ $word == '=' && -z $before && $last -ge 0 && ${words[last]} == --* ]]; then
            # --option=value: the value is a word of its own.
            is_value=1
            if ((index == COMP_CWORD)); then
                words[++last]=
                cursor=last
            fi
            continue
        elif [[ -n $word && -z $before && $last -ge 0 && $is_value -eq 0 ]] &&
            [[ $word == [@:=]* || ${words[last]} == *[@:=] ]]; then
            words[last]+=$word
        else
            words[++last]=$word
        fi
        is_value=0
        ((index > COMP_CWORD)) || cursor=last
    done
    # What bash replaces is its own last word, $2.
    current=$2 cut=
    if [[ $2 == '=' ]]; then
        current=
    elif [[ ${words[cursor]} != "${COMP_WORDS[COMP_CWORD]}" && ${words[cursor]} == *"$2" ]]; then
        current=${words[cursor]}
        cut=${current%"$2"}
    fi
    local -a COMP_WORDS=("${words[@]}")
    local -i COMP_CWORD=cursor
    _mamctl "$1" "$current" "${words[cursor > 0 ? cursor - 1 : 0]}"
    COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    # Files are left to bash, which gives directories their slash. It quotes too little in names that others chose, and
    # too much where there is an "@".
    for word in "${COMPREPLY[@]}"; do
        [[ -e $cut$word ]] || are_files=0
    done
    ((are_files)) || compopt +o filenames
    for index in "${!COMPREPLY[@]}"; do
        # Where one is not left to bash, none is: a file can have the name that somebody gave to a group.
        if [[ $are_files -eq 0 && ${COMPREPLY[index]} == *[!A-Za-z0-9@._-]* ]]; then
            printf -v "COMPREPLY[$index]" %q "${COMPREPLY[index]}"
        fi
    done
}

complete -o filenames -F _mamctl_typed mamctl
