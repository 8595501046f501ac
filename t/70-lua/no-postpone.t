__DATA__


=== rewrite_by_lua_no_postpone runs the code before the rewrite directives
--- http_config
    rewrite_by_lua_no_postpone on;
--- config
    location = /t {
        rewrite_by_lua_block { ngx.ctx.foo = true ngx.var.foo = "early" }
        set $foo "$foo set";
        if ($foo = "early set") { return 200 "seen: $foo"; }
        return 200 "not seen";
    }
--- response_body chomp
seen: early set



=== without it the code runs after them
--- config
    location = /t {
        rewrite_by_lua_block { ngx.var.foo = ngx.var.foo .. " late" }
        set $foo "set";
        if ($foo = "late") { return 200 "seen"; }
        content_by_lua_block { ngx.say(ngx.var.foo) }
    }
--- response_body
set late



=== code that runs early may wait
--- http_config
    rewrite_by_lua_no_postpone on;
    access_by_lua_no_postpone on;
--- config
    location = /t {
        rewrite_by_lua_block { ngx.sleep(0.01) ngx.ctx.n = (ngx.ctx.n or 0) + 1 }
        access_by_lua_block { ngx.sleep(0.01) ngx.ctx.n = ngx.ctx.n + 10 }
        content_by_lua_block { ngx.say(ngx.ctx.n) }
    }
--- response_body
11



=== access_by_lua_no_postpone runs the code before allow and deny
--- http_config
    access_by_lua_no_postpone on;
--- config
    location = /t {
        access_by_lua_block { ngx.redirect("/elsewhere") }
        content_by_lua_block { ngx.say("no") }
        deny all;
    }
--- error_code: 302
--- response_headers_like
Location: .*/elsewhere
--- no_error_log
access forbidden by rule



=== off is the default written out
--- http_config
    access_by_lua_no_postpone off;
--- config
    location = /t {
        access_by_lua_block { ngx.redirect("/elsewhere") }
        content_by_lua_block { ngx.say("no") }
        deny all;
    }
--- error_code: 403
--- error_log
access forbidden by rule
