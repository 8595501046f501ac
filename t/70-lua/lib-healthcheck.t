# What scripts see of upstreams; servers are asked how they are.

__DATA__


=== the blocks, their servers and peers
--- http_config
    upstream one {
        server 127.0.0.1:1001 weight=4 max_fails=100 fail_timeout=53;
        server 127.0.0.1:1002 backup;
        server 127.0.0.1:1003 down;
    }
    upstream other { server 127.0.0.1:1004; }
--- config
    location = /t {
        content_by_lua_block {
            local upstream = require "ngx.upstream"
            ngx.say(table.concat(upstream.get_upstreams(), " "))
            for _, s in ipairs(upstream.get_servers("one")) do
                ngx.say(s.addr, " ", s.name, " ", s.weight, " ", s.max_fails,
                        " ", s.fail_timeout, " ", s.backup, " ", s.down)
            end
            for _, p in ipairs(upstream.get_primary_peers("one")) do
                ngx.say(p.id, " ", p.name, " ", p.weight, " ", p.fails, " ",
                        p.conns, " ", p.down, " ", p.effective_weight)
            end
            ngx.say(#upstream.get_backup_peers("one"), " ",
                    #upstream.get_backup_peers("other"))
            ngx.say(upstream.get_servers("nobody"))
            ngx.say(upstream.get_primary_peers("nobody"))
        }
    }
    location = /proxy { proxy_pass http://127.0.0.1:1; }
--- response_body
one other
127.0.0.1:1001 127.0.0.1:1001 4 100 53 nil nil
127.0.0.1:1002 127.0.0.1:1002 1 1 10 true nil
127.0.0.1:1003 127.0.0.1:1003 1 1 10 nil true
0 127.0.0.1:1001 4 0 0 nil 4
1 127.0.0.1:1003 1 0 0 true 1
1 0
nilupstream not found
nilupstream not found



=== what a request is passed to has a name
--- http_config
    upstream one { server 127.0.0.1:1; }
    map $arg_n $late { a one; b 127.0.0.1:1; }
--- config
    proxy_connect_timeout 2s;
    access_by_lua_block {
        ngx.ctx.before = tostring(
            require("ngx.upstream").current_upstream_name())
    }
    header_filter_by_lua_block {
        ngx.header.X_To = tostring(ngx.ctx.before) .. " " .. tostring(
            require("ngx.upstream").current_upstream_name())
    }
    location = /one { proxy_pass http://one; }
    location = /port { proxy_pass http://127.0.0.1:1/x; }
    location = /late { proxy_pass http://$late; }
    location = /none { return 204; }
    location = /memc { set $memc_key a; memc_pass 127.0.0.1:1; }
--- request eval
["GET /one", "GET /port", "GET /late?n=a", "GET /late?n=b",
"GET /memc", "GET /none"]
--- error_code eval
[502, 502, 502, 502, 502, 204]
--- response_headers eval
["X-To: nil one", "X-To: nil 127.0.0.1:1",
"X-To: nil one", "X-To: nil 127.0.0.1:1", "X-To: nil 127.0.0.1:1",
"X-To: nil nil"]



=== a server that is set down is not asked; its id is checked
--- http_config
    upstream two {
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    location = /port { return 200 "$server_port "; }
    location = /ask {
        rewrite ^ /port break;
        proxy_pass http://two;
    }
    location = /t {
        content_by_lua_block {
            local upstream = require "ngx.upstream"
            assert(upstream.set_peer_down("two", false, 0, true))
            local seen = {}
            for i = 1, 4 do
                seen[ngx.location.capture("/ask").body] = true
            end
            ngx.say(next(seen), next(seen, (next(seen))) == nil)
            ngx.say(upstream.get_primary_peers("two")[1].down)
            assert(upstream.set_peer_down("two", false, 0, false))
            ngx.say(upstream.get_primary_peers("two")[1].down)
            ngx.say(upstream.set_peer_down("two", false, 2, true))
            ngx.say(upstream.set_peer_down("two", true, 0, true))
            ngx.say(upstream.set_peer_down("two", false, 0/0, true))
            ngx.say(upstream.set_peer_down("none", false, 0, true))
        }
    }
--- response_body_like
^\d+ true
true
nil
nilbad peer id
nilbad peer id
nilbad peer id
nilupstream not found



=== who does not answer well is turned down, and up again
--- http_config
    lua_shared_dict health 1m;
    lua_socket_log_errors off;
    upstream good.test {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 backup;
    }
    upstream unknown.test { server 127.0.0.1:1; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location = /status { return 200; }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        location = /status {
            content_by_lua_block { ngx.exit(well and 200 or 500) }
        }
    }
    init_worker_by_lua_block {
        assert(require("resty.upstream.healthcheck").spawn_checker {
            shm = "health", upstream = "good.test", type = "http",
            http_req = "GET /status HTTP/1.0\r\nHost: a\r\n\r\n",
            interval = 20, fall = 2, rise = 2, valid_statuses = { 200 },
            concurrency = 3, timeout = 10000,
        })
    }
--- config
    location = /t {
        content_by_lua_block {
            local health = require "resty.upstream.healthcheck"
            local function page(down)
                for _ = 1, 2000 do
                    local page = health.status_page()
                    if (page:find("DOWN", 1, true) ~= nil) == down then
                        return page
                    end
                    ngx.sleep(0.02)
                end
                return "never"
            end
            local port = ":(%d+)"
            ngx.print((page(true):gsub(port, "")))
            well = true
            page(false)
            ngx.print((health.prometheus_status_page():gsub(port, "")))
        }
    }
--- response_body
Upstream good.test
    Primary Peers
        127.0.0.1 UP
    Backup Peers
        127.0.0.1 DOWN

Upstream unknown.test (NO checkers)
    Primary Peers
        127.0.0.1 UP
    Backup Peers
# HELP nginx_upstream_status_info The running status of nginx upstream
# TYPE nginx_upstream_status_info gauge
nginx_upstream_status_info{name="good.test",endpoint="127.0.0.1",status="UP",role="PRIMARY"} 1
nginx_upstream_status_info{name="good.test",endpoint="127.0.0.1",status="DOWN",role="PRIMARY"} 0
nginx_upstream_status_info{name="good.test",endpoint="127.0.0.1",status="UP",role="BACKUP"} 1
nginx_upstream_status_info{name="good.test",endpoint="127.0.0.1",status="DOWN",role="BACKUP"} 0
nginx_upstream_status_info{name="good.test",status="UP"} 1
nginx_upstream_status_info{name="good.test",status="DOWN"} 0
nginx_upstream_status_info{name="good.test",status="UNKNOWN"} 0
nginx_upstream_status_info{name="unknown.test",status="UP"} 0
nginx_upstream_status_info{name="unknown.test",status="DOWN"} 0
nginx_upstream_status_info{name="unknown.test",status="UNKNOWN"} 1
--- error_log
is turned down after 2 failure(s)
is turned up after 2 success(es)
publishing peers version 1
--- timeout: 90



=== what a checker needs to know
--- http_config
    lua_shared_dict health 1m;
    upstream u { server 127.0.0.1:1; }
--- config
    location = /t {
        content_by_lua_block {
            local spawn = require("resty.upstream.healthcheck").spawn_checker
            ngx.say(spawn {})
            ngx.say(spawn { type = "tcp" })
            ngx.say(spawn { type = "http" })
            ngx.say(spawn { type = "http", http_req = "x" })
            ngx.say(spawn { type = "http", http_req = "x", shm = "none" })
            ngx.say(spawn { type = "http", http_req = "x", shm = "health" })
            ngx.say(spawn { type = "http", http_req = "x", shm = "health",
                            upstream = "none" })
            ngx.say(spawn { type = "http", http_req = "x", shm = "health",
                            upstream = "u", port = 0/0 })
        }
    }
--- response_body
nil"type" option required
nilonly "http" and "https" type are supported right now
nil"http_req" option required
nil"shm" option required
nilshm "none" not found
nilno upstream specified
nilfailed to get primary peers: upstream not found
nil"port" option must be a number of a port
