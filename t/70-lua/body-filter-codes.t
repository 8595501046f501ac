__DATA__


=== a body filter that returns ngx.ERROR breaks the answer off
--- config
    location = /t {
        echo "text";
        body_filter_by_lua_block { return ngx.ERROR }
    }
--- error_code:
--- response_body:



=== so does one that returns the code of an error page
--- config
    location = /t {
        echo "text";
        body_filter_by_lua_block { return 502 }
    }
--- error_code:
--- response_body:



=== any other value changes nothing
--- config
    location = /t {
        echo "text";
        body_filter_by_lua_block { return ngx.OK }
    }
    location = /u {
        echo "more";
        body_filter_by_lua_block { return "what" }
    }
--- request eval
["GET /t", "GET /u"]
--- response_body eval
["text\n", "more\n"]



=== one of a subrequest breaks the answer off that it was asked for
--- config
    location = /sub {
        echo "text";
        body_filter_by_lua_block { return ngx.ERROR }
    }
    location = /t {
        content_by_lua_block { ngx.say("status: ", ngx.location.capture("/sub").status) }
    }
--- error_code:
--- response_body:
--- no_error_log
[error]
