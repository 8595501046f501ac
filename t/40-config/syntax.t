__DATA__


=== words may be plain, or in either kind of quotes
--- config
    location = /t {
        add_header X-A plain;
        add_header X-B "two words";
        add_header X-C 'a "quoted" one';
        return 200 ok;
    }
--- response_headers
X-A: plain
X-B: two words
X-C: a "quoted" one
--- response_body: ok



=== escapes mean something in words of all kinds
--- config
    location = /t {
        return 200 "a\tb \"c\" 'd'\n";
    }
--- response_body eval
"a\tb \"c\" 'd'\n"



=== a backslash before another byte stays
--- config
    location ~ ^/t\.(\w+)$ {
        return 200 "a\.b\w$1";
    }
--- request
GET /t.php
--- response_body: a\.b\wphp



=== a quoted word may hold lines, semicolons and braces
--- config
    location = /t {
        return 200 "{ a;
b; }
";
    }
--- response_body
{ a;
b; }



=== comments end with their line, and begin only with a word
--- config
    # location = /t { return 500; }
    location = /t { # here ; }
        return 200 a#b;   # "
    }
--- response_body: a#b



=== a directive may stretch over lines, and lines may hold several
--- config
    location
        = /t
    {
        set $a 1; set $b
        2; return
        200
        $a$b;
    }
--- response_body: 12



=== a variable's name may stand in braces
--- config
    location = /t {
        set $a x;
        return 200 ${a}y$a-${a};
    }
--- response_body: xyx-x



=== a quoted word may be followed by a closing bracket
--- config
    location = /t {
        set $a "b c";
        if ($a = "b c") { return 200 yes; }
        return 200 no;
    }
--- response_body: yes



=== a Lua block ends where Lua says so
--- config
    location = /t {
        content_by_lua_block {
            -- a brace in a comment }
            local t = { "}", '}', [[ } ]], [==[ ]] } ]==] } --[[ } ]]
            ngx.say(#t, " ", #{ {}, {} })
        }
    }
--- response_body
4 2



=== sizes have units, in either case
--- config
    location = /t { client_max_body_size 1K; return 200 ok; }
    location = /u { client_max_body_size 2k; return 200 ok; }
--- pipelined_requests eval
["POST /u\n" . "x" x 2048, "POST /t\n" . "x" x 1025]
--- error_code eval
[200, 413]



=== several units make one time, in one word
--- config
    location = /t {
        send_timeout "1h 30m";
        keepalive_timeout 1m30s;
        expires 1h30m;
        return 200 ok;
    }
--- response_headers
Cache-Control: max-age=5400



=== two words are two arguments, whatever they are
--- config
    location = /t { send_timeout 1h 30m; }
--- must_die
--- error_log: invalid number of arguments in "send_timeout" directive



=== events may follow http, and global directives both
--- main_config
    worker_shutdown_timeout 3s;
--- post_main_config
    timer_resolution 100ms;
--- config
    location = /t { return 200 ok; }
--- response_body: ok



=== directives that have no use here are read all the same
--- main_config
    pcre_jit on;
    lock_file logs/x.lock;
    thread_pool default threads=4 max_queue=100;
    worker_rlimit_core 0;
    worker_cpu_affinity auto;
--- config
    location = /t { return 200 ok; }
--- response_body: ok
