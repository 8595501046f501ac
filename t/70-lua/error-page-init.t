# With lua_code_cache off, init_by_lua runs for each request: where it fails, a
# browser on this machine sees why.

config_preamble(<<'CONF');
    lua_code_cache off;
    keepalive_timeout 0;
CONF

__DATA__


=== message and source
--- http_config
    init_by_lua_block {
        local file = io.open("$TEST_NGINX_HTML_DIR/torn")
        if file then
            file:close()
            error("torn " .. "apart")
        end
    }
--- config
    location = /tear { content_by_lua_block {
        io.open("$TEST_NGINX_HTML_DIR/torn", "w"):close()
    } }
    location = /t { content_by_lua_block { ngx.say("here") } }
    location = /set { set_by_lua_block $a { return "here" } return 200 $a; }
--- request eval
["GET /tear", "GET /t", "GET /t", "GET /set"]
--- more_headers eval
["", "Accept: text/html\nConnection: keep-alive", "", "Accept: text/html\nConnection: keep-alive"]
--- error_code eval
[200, 500, 500, 500]
--- response_body_like eval
["", qr/Lua error in init_by_lua\*.*torn apart.*<span class="here"><i>5<\/i> +error\(&quot;torn &quot;/s, "^(?!.*apart)", "torn apart"]
