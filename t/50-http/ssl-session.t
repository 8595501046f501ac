no_root_location();

__DATA__


=== a session comes back by its ticket
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
.r




=== without tickets it is forgotten
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_tickets off;
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
..




=== a cache of the worker
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_tickets off;
    ssl_session_cache builtin:100;
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
.r




=== a cache that workers share
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:SSL:1m;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_tickets off;
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
.r




=== ... with the certificates of clients in it
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:SSL:1m;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_tickets off;
    ssl_verify_client on;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    location = / { return 200 "$ssl_session_reused$ssl_client_s_dn,"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
.CN=A Client,O=Lunette tests,rCN=A Client,O=Lunette tests,




=== sessions do not last for ever
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:SSL:1m;
    ssl_session_timeout 1s;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_tickets off;
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.sleep(2.1)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
..




=== tickets under keys of the administrator
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_ticket_key $TEST_NGINX_CERT_DIR/ticket80.key;
    ssl_session_ticket_key $TEST_NGINX_CERT_DIR/ticket48.key;
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
.r




=== a session has an id
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:SSL:1m;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_session_tickets off;
    location = / { return 200 "$ssl_session_id"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say(#(select(2, https.get(port))))
        }
    }
--- response_body
64




=== any worker opens a ticket, after a reload as well
--- master_on
--- workers: 2
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_session_reused$pid"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port, pids, count = $TEST_NGINX_RAND_PORT_1, {}, 0
            local _, first, session = https.get(port)
            -- Two workers, then two others.
            local function meet(upto)
                for _ = 1, 1000 do
                    if count == upto then return true end
                    local mark, pid = select(2, https.get(port, { session = session })):match("^(.)(.+)")
                    assert(mark == "r", "a session that " .. pid .. " does not know")
                    count = pids[pid] and count or count + 1
                    pids[pid] = true
                    ngx.sleep(0.01)
                end
            end
            ngx.say(first:sub(1, 1), meet(2))
            assert(require "lunette.spec.io".tell(require "ngx.process".get_master_pid(), "reload", 5000))
            ngx.say(meet(4))
        }
    }
--- response_body
.true
true




=== a session comes back to a server that a name has chosen
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_session_tickets off;
        ssl_session_cache shared:a:1m;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2 ssl;
        ssl_session_ticket_key $TEST_NGINX_CERT_DIR/ticket48.key;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        server_name localhost;
        ssl_session_tickets off;
        ssl_session_cache shared:b:1m;
        location = / { return 200 "$ssl_session_reused"; }
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2 ssl;
        server_name localhost;
        ssl_session_ticket_key $TEST_NGINX_CERT_DIR/ticket80.key;
        location = / { return 200 "$ssl_session_reused"; }
    }
--- config
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2 } do
                local _, first, session = https.get(port, { name = "localhost" })
                ngx.say(first, (select(2, https.get(port, { name = "localhost", session = session }))))
            end
        }
    }
--- response_body
.r
.r
