# Log files whose names have variables: kept open, and looked for again.

__DATA__


=== a file that was renamed gets lines until it is looked for again
--- http_config
    log_format arg "$arg_a";
--- config
    open_log_file_cache max=10 valid=1s;
    log_subrequest on;
    location = /log { access_log logs/of-$arg_f.log arg; return 204; }
    location = /t { content_by_lua_block {
        local logs = ngx.config.prefix() .. "logs/"
        local function say(text)
            ngx.location.capture("/log?f=x&a=" .. text)
        end
        local function read(name)
            local f = io.open(logs .. name, "rb")
            local text = f and f:read("*a") or "none"
            if f then f:close() end
            return (text:gsub("\n", "."))
        end
        say("one")
        assert(os.rename(logs .. "of-x.log", logs .. "of-x.old"))
        say("two")
        ngx.say(read("of-x.old"), " ", read("of-x.log"))
        ngx.sleep(1.1)
        say("three")
        ngx.say(read("of-x.old"), " ", read("of-x.log"))
    } }
--- response_body
one.two. none
one.two. three.
--- timeout: 10



=== one that is seldom used is opened for each line
--- http_config
    log_format arg "$arg_a";
--- config
    open_log_file_cache max=1 min_uses=3 inactive=20s;
    log_subrequest on;
    location = /log { access_log logs/rare-$arg_f.log arg; return 204; }
    location = /t { content_by_lua_block {
        local logs = ngx.config.prefix() .. "logs/"
        ngx.location.capture("/log?f=x&a=one")
        assert(os.rename(logs .. "rare-x.log", logs .. "rare-x.old"))
        ngx.location.capture("/log?f=x&a=two")
        ngx.location.capture("/log?f=y&a=other")
        local f = assert(io.open(logs .. "rare-x.log"))
        ngx.say(f:read("*a"))
        f:close()
    } }
--- response_body_like: ^two



=== what cannot be opened takes no place from what is
--- http_config
    log_format arg "$arg_a";
--- config
    open_log_file_cache max=1;
    log_subrequest on;
    location = /log { access_log logs/$arg_f.log arg; return 204; }
    location = /t { content_by_lua_block {
        local logs = ngx.config.prefix() .. "logs/"
        ngx.location.capture("/log?f=kept&a=one")
        assert(os.rename(logs .. "kept.log", logs .. "kept.old"))
        ngx.location.capture("/log?f=missing/kept&a=lost")
        ngx.location.capture("/log?f=kept&a=two")
        local f = assert(io.open(logs .. "kept.old"))
        ngx.say((f:read("*a"):gsub("\n", ".")))
        f:close()
    } }
--- response_body
one.two.
--- error_log
missing/kept.log



=== in stream
--- stream_config
    log_format where "$server_port";
    open_log_file_cache max=10;
--- stream_server_config
    access_log logs/stream-$protocol.log where;
    return here;
--- stream_response: here
--- no_error_log
[error]
has no effect



=== it has to say how many
--- config
    open_log_file_cache inactive=10s;
    location = /t { return 200; }
--- must_die
--- error_log
"open_log_file_cache" must have "max" parameter



=== and nothing else
--- config
    open_log_file_cache max=10 size=1;
    location = /t { return 200; }
--- must_die
--- error_log
invalid "open_log_file_cache" parameter "size=1"
