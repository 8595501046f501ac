# Sessions of TLS 1.2 that scripts keep, where all workers find them.

no_root_location();

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ""));
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_tickets off;
    lua_shared_dict kept 1m;
_EOC_
    $block->set_value("config", $block->config . <<'_EOC_');
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    lua_ssl_protocols TLSv1.2;
    location = / { return 200 "$ssl_session_reused"; }
    location = /twice {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port, { name = "localhost" })
            local _, then_ = https.get(port, { name = "localhost",
                                               session = session })
            ngx.say(first, then_)
        }
    }
_EOC_
});

__DATA__


=== a session is stored, and fetched for who has it
--- http_config
    ssl_session_store_by_lua_block {
        local session = require "ngx.ssl.session"
        local id = assert(session.get_session_id())
        assert(#id == 64 and not id:find("[^0-9a-f]"))
        ngx.shared.kept:set(id, assert(session.get_serialized_session()))
    }
    ssl_session_fetch_by_lua_block {
        local session = require "ngx.ssl.session"
        ngx.sleep(0.01)
        local kept = ngx.shared.kept:get(assert(session.get_session_id()))
        assert(session.set_serialized_session(kept))
    }
--- config
--- request
GET /twice
--- response_body
.r
--- error_log
ssl_session_store_by_lua*: handler return value: 0, sess new cb exit code: 0
ssl_session_fetch_by_lua*: sess get cb exit code: 1



=== without it, or with a broken one, the handshake is a whole one
--- http_config
    ssl_session_fetch_by_lua_block {
        local session = require "ngx.ssl.session"
        ngx.log(ngx.WARN, select(2, session.set_serialized_session("none")))
        ngx.log(ngx.WARN, select(2, session.get_serialized_session()))
        ngx.exit(ngx.ERROR)
    }
--- config
--- request
GET /twice
--- response_body
..
--- error_log
failed to de-serialize session
bad session in lua context
ssl_session_fetch_by_lua*: handler return value: -1, sess get cb exit code: 0



=== an error of the storing handler is only told to the log
--- http_config
    ssl_session_store_by_lua_block {
        ngx.log(ngx.WARN, "in ", ngx.get_phase())
        error("no room")
    }
--- config
--- request
GET /twice
--- response_body
..
--- error_log eval
["in ssl_session_store, context: ssl_session_store_by_lua*, client: ",
 qr/failed to run session_store_by_lua\*: ssl_session_store_by_lua\(nginx.conf:\d+\):3: no room/]



=== it may not wait, and leave with ngx.exit
--- http_config
    ssl_session_store_by_lua_block {
        ngx.log(ngx.WARN, select(2, pcall(ngx.sleep, 0)))
        ngx.exit(ngx.ERROR)
    }
--- config
--- request
GET /twice
--- response_body
..
--- error_log
API disabled in the context of ssl_session_store_by_lua*
lua exit with code -1



=== a session of TLS 1.3 is a ticket, and nobody's to keep
--- http_config
    ssl_session_cache shared:all:1m;
    ssl_session_store_by_lua_block { ngx.log(ngx.ERR, "stored") }
    ssl_session_fetch_by_lua_block { ngx.log(ngx.ERR, "fetched") }
--- config
    location = /new {
        lua_ssl_protocols TLSv1.3;
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- request
GET /new
--- response_body
.
--- error_log
ssl_session_store_by_lua*: skipped since TLS version >= 1.3 (772)
--- no_error_log
[error]



=== elsewhere there is no such session
--- config
    location = /t {
        content_by_lua_block {
            local session = require "ngx.ssl.session"
            ngx.say(session.get_session_id())
            ngx.say(session.get_serialized_session())
            ngx.say(session.set_serialized_session(""))
        }
    }
--- response_body
nilbad lua context
nilbad session in lua context
nilbad lua context



=== the http block is their place
--- config
    ssl_session_store_by_lua_block { }
--- must_die
--- error_log
"ssl_session_store_by_lua_block" directive is not allowed here
