# require "lunette.metrics": what scripts count.
__DATA__


=== counters, gauges and histograms, with labels and without
--- http_config
    init_by_lua_block {
        local metrics = require "lunette.metrics"
        orders = metrics.counter("orders_total", "Orders\ntaken", { "shop", "kind" })
        plain = metrics.counter("plain", "Plain")
        level = metrics.gauge("level", "Level")
        time = metrics.histogram("order_seconds", "Time", { "shop" }, { 1, 0.1 })
    }
--- config
    location = /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            local mark = tostring(ngx.now()) .. ngx.worker.pid()
            orders:inc(2, { mark, "a\"\\\n" })
            orders:inc(nil, { mark, "a\"\\\n" })
            orders:inc(1, { mark, 7 })
            plain:inc()
            level:set(1.5)
            time:observe(0.05, { mark })
            time:observe(0.1, { mark })
            time:observe(3, { mark })
            for line in ngx.location.capture("/metrics").body:gmatch "[^\n]+" do
                if line:find(mark, 1, true) or line:find "^level " or line:find "plain"
                   or line:find " orders_total " then
                    ngx.say((line:gsub(mark:gsub("%p", "%%%0"), "M"):gsub("^(plain_total) %d+", "%1 n")))
                end
            end
        }
    }
--- request
GET /t
--- response_body
# HELP orders_total Orders\ntaken
# TYPE orders_total counter
orders_total{shop="M",kind="a\"\\\n"} 3
orders_total{shop="M",kind="7"} 1
# HELP plain_total Plain
# TYPE plain_total counter
plain_total n
level 1.5
order_seconds_bucket{shop="M",le="0.1"} 2
order_seconds_bucket{shop="M",le="1"} 2
order_seconds_bucket{shop="M",le="+Inf"} 3
order_seconds_sum{shop="M"} 3.15
order_seconds_count{shop="M"} 3



=== what is no metric, no label and no number
--- config
    location = /t {
        content_by_lua_block {
            local metrics = require "lunette.metrics"
            local function try(f, ...) ngx.say((select(2, pcall(f, ...)):gsub("^.-:%d+: ", ""))) end
            local c = metrics.counter("bad_one", "x", { "a" })
            try(metrics.counter, "1x", "help")
            try(metrics.gauge, "x", "help", { "a-b" })
            try(metrics.gauge, "x", "help", { "a", "b", "c", "d", "e", "f", "g", "h", "i" })
            try(metrics.histogram, "x", "help", nil, {})
            try(metrics.histogram, "x", "help", nil, { "y" })
            try(c.inc, c, 1)
            try(c.inc, c, 1, { "a", "b" })
            try(c.inc, c, -1, { "a" })
            try(c.inc, c, 0.5, { "a" })
            try(c.inc, c, 0 / 0, { "a" })
            ngx.say(select(2, metrics.gauge("bad_one", "another")))
            ngx.say(select(2, metrics.counter(("x"):rep(100), "long")))
        }
    }
--- request
GET /t
--- response_body
bad name of a metric: "1x"
bad name of a label: "a-b"
a metric has at most 8 labels
a histogram has 1 to 24 buckets
buckets are numbers, of at least 0.001
metric "bad_one" has 1 labels, and 0 values were given
metric "bad_one" has 1 labels, and 2 values were given
metric "bad_one" takes numbers from 0 on
counter "bad_one" takes whole numbers
metric "bad_one" takes numbers from 0 on
there is another metric of that name
too long or too many labels, values or bounds



=== a client that chooses labels fills nothing: what is too many is "other"
--- config
    location = /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            local many = require("lunette.metrics").counter("many", "x", { "a" })
            for i = 1, 5000 do many:inc(1, { i }) end
            local series, sum, other = 0, 0
            for label, n in ngx.location.capture("/metrics").body:gmatch 'many_total{a="(%w+)"} (%d+)' do
                series, sum = series + 1, sum + n
                other = label == "other" and tonumber(n) or other
            end
            ngx.say(series, " ", sum % 5000, " ", other >= 4800)
        }
    }
--- request
GET /t
--- response_body
201 0 true



=== one sum of all workers
--- workers: 3
--- master_on
--- http_config
    init_by_lua_block { hits = require("lunette.metrics").counter("life_hits", "Hits") }
--- config
    location = /metrics { prometheus; }
    location = /hit { content_by_lua_block { hits:inc(1) ngx.say(ngx.worker.pid()) } }
    location = /t {
        content_by_lua_block {
            local function ask(uri)
                for _ = 1, 50 do
                    local sock = ngx.socket.tcp()
                    if sock:connect("127.0.0.1", ngx.var.server_port) then
                        sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                        local text = sock:receive("*a")
                        sock:close()
                        if text and #text > 0 then return text end
                    end
                    ngx.sleep(0.1)
                end
            end
            local function sum() return tonumber(ask("/metrics"):match "\nlife_hits_total (%d+)") end
            local before, pids = sum(), {}
            for i = 1, 60 do pids[ask("/hit"):match "(%d+)\n$"] = true end
            ngx.say(sum() - before, " ", next(pids) ~= nil)
        }
    }
--- request
GET /t
--- response_body
60 true
