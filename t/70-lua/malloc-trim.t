__DATA__


=== memory goes back to the system after so many requests
--- http_config
    lua_malloc_trim 2;
--- config
    location = /t { return 200 "ok"; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["ok", "ok"]
--- error_log
malloc_trim(1) returned



=== and not before
--- http_config
    lua_malloc_trim 2;
--- config
    location = /t { return 200 "ok"; }
--- no_error_log
malloc_trim(1) returned



=== 0 turns that off
--- http_config
    lua_malloc_trim 0;
--- config
    location = /t {
        return 200 "ok";
        log_by_lua_block { local x }
    }
--- error_log
malloc_trim() disabled



=== less is a mistake
--- http_config
    lua_malloc_trim -1;
--- must_die
--- error_log
invalid number "-1" in the "lua_malloc_trim" directive
