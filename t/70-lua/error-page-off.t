# Where scripts are kept, a Lua error is nobody's but the log's.

__DATA__


=== a browser on this machine sees nothing of it
--- config
    location = /t { content_by_lua_block { error "secret" } }
--- more_headers
Accept: text/html
--- error_code: 500
--- response_body_unlike: secret|Lua
--- error_log
secret
