# lunette and resty, in bash; written by `make manual`.
#
# SPDX-License-Identifier: BSD-2-Clause

_lunette() {
    local word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD-1]} words
    COMPREPLY=()

    case $before in
    -p) mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return ;;
    -c | -e | --server)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return ;;
    -s) COMPREPLY=($(compgen -W 'stop quit reopen reload dump profile' -- "$word"))
        return ;;
    -k) COMPREPLY=($(compgen -W 'ecdsa:256 ecdsa:384 ecdsa:521 rsa:2048 rsa:3072 rsa:4096' -- "$word"))
        return ;;
    --completion) COMPREPLY=($(compgen -W 'bash zsh powershell' -- "$word"))
        return ;;
    esac

    case ${COMP_WORDS[1]} in
    run) words='-c -e -h --help -I -j -l -p -v -V --coverage --errlog-level --gdb --gdb-opts --http-conf --http-include --main-conf --main-include --ns --resolve-ipv6 --rr --shdict --stap --stap-opts --stream-conf --user-runner --valgrind --valgrind-opts' ;;
    spec) words='--server --globals --workers --master --reload --quit --jobs --coverage --keep --verbose --help' ;;
    init) words='--static --proxy --lua --php --tls --help' ;;
    cert) words='-o -k -d --ca --install' ;;
    acme) words='list show renew revoke rollover -p -c -g' ;;
    check) words='-p -c -e' ;;
    profile) words='--seconds --wait --heap --folded -o -p -c -e -g' ;;
    debug) words='--stdio --listen -p -c -e -g' ;;
    coverage) words='--files --html --lcov --least --help' ;;
    sync) words='-p -c --node --password --interval --most --once --help' ;;
    types) words='--help' ;;
    import) words='-o --root --listen --name --help' ;;
    service) words='install uninstall start stop reload status -n -p -c -e -g' ;;
    help) words='--manual --variables --api --topics --commands --completion' ;;
    *) words='-? -h -v -V -t -T -q -s -p -e -c -g run spec init cert acme check profile debug coverage sync types import service help' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -f -W "$words" -- "$word")
}
complete -o filenames -F _lunette lunette
complete -f resty
