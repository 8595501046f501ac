#compdef lunette
# lunette, in zsh; written by `make manual`.
#
# SPDX-License-Identifier: BSD-2-Clause

local -a found

case $words[CURRENT-1] in
-p) _files -/; return ;;
-c | -e | --server) _files; return ;;
-s) compadd stop quit reopen reload dump profile; return ;;
-k) compadd ecdsa:256 ecdsa:384 ecdsa:521 rsa:2048 rsa:3072 rsa:4096; return ;;
--completion) compadd bash zsh powershell; return ;;
esac

case $words[2] in
run) found=(
        '-c:a configuration; or how many connections there may be (64)'
        '-e:run this first; may be repeated'
        '-h:this'
        '--help:the same'
        '-I:look for Lua modules there, too'
        '-j:how LuaJIT compiles'
        '-l:require this, in its turn among the -e'
        '-p:the prefix'
        '-v:the version'
        '-V:the version and how it was built'
        '--coverage:which lines of Lua have run, for `lunette coverage`'
        '--errlog-level:what is logged (warn)'
        '--gdb:run under gdb'
        '--gdb-opts:and its own options'
        '--http-conf:for the http block'
        '--http-include:the same, from a file'
        '--main-conf:for the main block'
        '--main-include:the same, from a file'
        '--ns:ask this name server'
        '--resolve-ipv6:for addresses of IPv6, too'
        '--rr:record with Mozilla'\''s rr'
        '--shdict:a shared dictionary'
        '--stap:run under SystemTap'
        '--stap-opts:and its own options'
        '--stream-conf:for a stream block'
        '--user-runner:run under this'
        '--valgrind:run under valgrind'
        '--valgrind-opts:and its own options'
    ) ;;
spec) found=(
        '--server:the server to test; this program if not given'
        '--globals:directives for the top of every configuration'
        '--workers:worker processes of the server (1)'
        '--master:master_process on, also with one worker'
        '--reload:reload for every block instead of a restart'
        '--quit:tell servers under Wine to quit'
        '--jobs:files at a time'
        '--coverage:which lines of Lua have run, for `lunette coverage`'
        '--keep:keep the servers'\'' folders'
        '--verbose:say what of a preamble is ignored'
        '--help:these options'
    ) ;;
init) found=(
        '--static:files from html/ (if no other is asked for)'
        '--proxy:a proxy before the server at URL'
        '--lua:handlers in Lua'
        '--php:PHP, by programs that the server starts'
        '--tls:with a certificate for localhost, on port 8443; HTTP/3, too'
        '--help:these options'
    ) ;;
cert) found=(
        '-o:where NAME.crt and NAME.key go (here)'
        '-k:the key: ecdsa:256 (default), ecdsa:384, ecdsa:521, rsa:2048, rsa:3072, rsa:4096'
        '-d:how long it is good for (397)'
        '--ca:signed by an authority of your own, which is made there, and kept for the next'
        '--install:this machine trusts it, or its authority, from now on'
    ) ;;
acme) found=(
        '-p:the server'\''s folder'
        '-c:its configuration'
        '-g:directives before those of the file'
        list show renew revoke rollover
    ) ;;
check) found=(
        '-p:the folder that is to be served from'
        '-c:its configuration'
        '-e:its error log'
    ) ;;
profile) found=(
        '--seconds:how long: 10, at most 55'
        '--wait:where coroutines wait, instead of what computes'
        '--heap:which tables have grown meanwhile, as text'
        '--folded:text, a stack a line, instead of a page'
        '-o:where to (flame.html, or standard output if folded)'
        '-p:the server'\''s, as are the next three'
        '-c:its configuration'
        '-e:its error log'
        '-g:directives before those of the file'
    ) ;;
debug) found=(
        '--stdio:the client is who has started it, and says what is to be served'
        '--listen:the client comes there (127.0.0.1:4711), and knows the token that is said, or $LUNETTE_DEBUG_TOKEN'
        '-p:the server'\''s, as are the next three'
        '-c:its configuration'
        '-e:its error log'
        '-g:directives before those of the file'
    ) ;;
coverage) found=(
        '--files:only what stands in files, not in configurations'
        '--html:a page with the code instead of a table'
        '--lcov:for programs that read lcov'\''s form'
        '--least:the exit status is 1 unless N percent have run'
        '--help:these options'
    ) ;;
sync) found=(
        '-p:the server'\''s folder (the one above DIR)'
        '-c:its configuration, in DIR (nginx.conf)'
        '--node:who this is (the name of this machine)'
        '--password:a file with the password, instead of one in the URL'
        '--interval:how often Redis is asked for the version (1)'
        '--most:of a file, at most (1048576)'
        '--once:ends when DIR is as the store has it, or cannot be'
        '--help:these options, and URLs'
    ) ;;
types) found=(
        '--help:what is written'
    ) ;;
import) found=(
        '-o:writes a configuration and what belongs to it there, instead of to standard output'
        '--root:the site'\''s files (the folder of FILE)'
        '--listen:where it listens (8080)'
        '--name:its name (localhost)'
        '--help:these options'
    ) ;;
service) found=(
        '-n:which service, if there are several (lunette)'
        '-p:install: the folder to serve from'
        '-c:install: its configuration'
        '-e:install: its error log'
        '-g:install: directives before those of the file'
        install uninstall start stop reload status
    ) ;;
help) found=(
        '--manual:the manual'\''s page of directives'
        '--variables:its page of variables'
        '--api:its page of the Lua API'
        '--topics:its page by task'
        '--commands:its page of commands'
        '--completion:a script for bash, zsh or powershell'
    ) ;;
*) found=(
        '-?:the same as -h'
        '-h:this text'
        '-v:the version'
        '-V:the version and what is built in'
        '-t:read the configuration, say all that is wrong with it'
        '-T:the same, and print it'
        '-q:with -t, say nothing unless it is wrong'
        '-s:tell the server that runs: stop, quit, reopen, reload, dump, profile; a first word without -s does as well'
        '-p:folder that other names are relative to'
        '-e:error log (default: logs/error.log)'
        '-c:configuration (default: conf/nginx.conf)'
        '-g:directives before those of the file'
        'run:runs a script with all of the API that needs no request'
        'spec:tests what a server answers, by files of Test::Nginx'\''s form'
        'init:writes a first configuration'
        'cert:makes a certificate for development (localhost, if no name is given)'
        'acme:says what there is of certificates that renew themselves, or asks the server to renew or revoke one, or for another key of an issuer'\''s account'
        'check:looks at what this machine gives, as a table to send along'
        'profile:shows where the scripts of the server that runs spend their time'
        'debug:serves as one process, with a debugger for an editor'
        'coverage:says which lines of Lua were run, by a file of lua_coverage'
        'sync:keeps a folder of configuration as Redis, etcd or Consul has it, and tells the server to reload'
        'types:writes what editors have to know of the Lua API'
        'import:makes a configuration of a web.config or applicationHost.config of IIS, or a .htaccess of Apache'
        'service:is a service of Windows'
        'help:says what is known of a name'
    ) ;;
esac

_describe lunette found
_files
