# lunette(8) and resty: options, commands, files.
#
# SPDX-License-Identifier: BSD-2-Clause

_lunette() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()

    case $before in
    -s) COMPREPLY=($(compgen -W 'stop quit reload reopen' -- "$word")) ;;
    -p) COMPREPLY=($(compgen -d -- "$word")) ;;
    -c | -e | --server) COMPREPLY=($(compgen -f -- "$word")) ;;
    *)
        case ${COMP_WORDS[1]} in
        spec)
            COMPREPLY=($(compgen -f -W '--server --globals --workers --master
                --reload --quit --jobs --keep --verbose --help' -- "$word")) ;;
        run) COMPREPLY=($(compgen -f -- "$word")) ;;
        *)
            COMPREPLY=($(compgen -W '-h -v -V -t -T -q -s -p -e -c -g
                run spec init check' -- "$word")) ;;
        esac ;;
    esac
}
complete -o filenames -F _lunette lunette
complete -f resty
