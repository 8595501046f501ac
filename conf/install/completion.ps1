# lunette, in PowerShell; written by `make manual`.  In the profile:
#
#     . C:\lunette\completion.ps1
#
# SPDX-License-Identifier: BSD-2-Clause

Register-ArgumentCompleter -Native -CommandName 'lunette', 'lunette.exe' -ScriptBlock {
    param($word, $line, $at)

    $values = @{
        '-s' = 'stop quit reopen reload dump profile'
        '-k' = 'ecdsa:256 ecdsa:384 ecdsa:521 rsa:2048 rsa:3072 rsa:4096'
        '--completion' = 'bash zsh powershell'
    }
    $words = @{
        '' = '-? -h -v -V -t -T -q -s -p -e -c -g run spec init cert acme check profile debug coverage sync types import service help'
        'run' = '-c -e -h --help -I -j -l -p -v -V --coverage --errlog-level --gdb --gdb-opts --http-conf --http-include --main-conf --main-include --ns --resolve-ipv6 --rr --shdict --stap --stap-opts --stream-conf --user-runner --valgrind --valgrind-opts'
        'spec' = '--server --globals --workers --master --reload --quit --jobs --coverage --keep --verbose --help'
        'init' = '--static --proxy --lua --php --tls --help'
        'cert' = '-o -k -d --ca --install'
        'acme' = 'list show renew revoke rollover -p -c -g'
        'check' = '-p -c -e'
        'profile' = '--seconds --wait --heap --folded -o -p -c -e -g'
        'debug' = '--stdio --listen -p -c -e -g'
        'coverage' = '--files --html --lcov --least --help'
        'sync' = '-p -c --node --password --interval --most --once --help'
        'types' = '--help'
        'import' = '-o --root --listen --name --help'
        'service' = 'install uninstall start stop reload status -n -p -c -e -g'
        'help' = '--manual --variables --api --topics --commands --completion'
    }

    # The words that are complete: the last one may be what is being written.
    $all = @($line.CommandElements | ForEach-Object { $_.ToString() })
    if ($word -ne '' -and $all.Count -gt 1) {
        $all = @($all[0..($all.Count - 2)])
    }
    $before = $all[-1]
    $command = ''
    if ($all.Count -gt 1 -and $words.ContainsKey($all[1])) {
        $command = $all[1]
    }

    $found = $words[$command]
    if ($all.Count -gt 1 -and $values.ContainsKey($before)) {
        $found = $values[$before]
    }
    $found -split ' ' | Where-Object { $_ -like "$word*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
