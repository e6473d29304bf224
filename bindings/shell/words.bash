# shellcheck shell=bash disable=SC2034 # _mamctl reads these locals
# The end of mamctl's completion for bash, after the output of mamctl --generate-completion-script.
#
# bash ends words at "@", ":" and "=". Every UPN has an "@": join the parts of a word, so that "--account ann@con" is an
# option and its value, and return only the part after the last separator.
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
            # --option=value: the value is a separate word.
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
    # bash replaces its own last word, $2.
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
    # bash completes files, and gives directories their slash. It quotes too little in foreign names, and too much in names
    # with an "@".
    for word in "${COMPREPLY[@]}"; do
        [[ -e $cut$word ]] || are_files=0
    done
    ((are_files)) || compopt +o filenames
    for index in "${!COMPREPLY[@]}"; do
        # If one is not left to bash, none is: a file can have the same name as a group.
        if [[ $are_files -eq 0 && ${COMPREPLY[index]} == *[!A-Za-z0-9@._-]* ]]; then
            printf -v "COMPREPLY[$index]" %q "${COMPREPLY[index]}"
        fi
    done
}

complete -o filenames -F _mamctl_typed mamctl
