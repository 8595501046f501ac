# Metrics that users keep in a dictionary themselves, as libraries for
# Prometheus do: counters of a worker that a timer adds to the dictionary, keys
# by number, histograms in log_by_lua, a page of all keys.
__DATA__


=== counted in log_by_lua, gathered by a timer, printed as a page
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict prometheus_metrics 1m;
    init_worker_by_lua_block {
        local metrics = require "metrics"
        metrics.init("prometheus_metrics", 0.02)
        requests = metrics.counter "http_requests_total"
        latency = metrics.histogram("http_request_duration_seconds", { 0.005, 0.1, 10 })
        connections = metrics.gauge "http_connections"
    }
    log_by_lua_block {
        if ngx.var.uri == "/one" then
            requests(1, 'host="' .. ngx.var.server_name .. '",status="' .. ngx.var.status .. '"')
            latency(tonumber(ngx.var.request_time), 'host="' .. ngx.var.server_name .. '"')
        end
    }
--- config
    location = /one { content_by_lua_block { ngx.sleep(0.01) ngx.exit(tonumber(ngx.var.arg_s)) } }
    location = /metrics {
        content_by_lua_block {
            connections(tonumber(ngx.var.connections_reading), 'state="reading"')
            connections(tonumber(ngx.var.connections_writing) >= 1 and 1 or 0, 'state="writing"')
            ngx.header.content_type = "text/plain"
            ngx.print(require("metrics").page())
        }
    }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            for _, status in ipairs { 200, 200, 404 } do
                ask($TEST_NGINX_SERVER_PORT, "GET /one?s=" .. status .. " HTTP/1.0\r\n\r\n")
            end
            local page
            for _ = 1, 200 do
                page = ask($TEST_NGINX_SERVER_PORT, "GET /metrics HTTP/1.0\r\n\r\n"):match "\r\n\r\n(.*)"
                if page:find "duration_seconds_count{[^}]*} 3\n" then break end
                ngx.sleep(0.02)
            end
            ngx.print((page:gsub("_sum({[^}]*}) 0%.%d+", "_sum%1 N")))
        }
    }
--- user_files
>>> metrics.lua
local _M = {}
local dict, kept, seen = nil, {}, {}

-- Adds what this worker has counted; numbers of keys are handed out with add.
local function sync()
    for key, n in pairs(kept) do
        if n ~= 0 then
            if not seen[key] then
                local ok, err = dict:safe_add(key, 0)
                assert(ok or err == "exists", err)
                if ok then dict:safe_set("key:" .. dict:incr("keys", 1, 0), key) end
                seen[key] = true
            end
            assert(dict:incr(key, n))
            kept[key] = 0
        end
    end
end

function _M.init(name, interval)
    dict = ngx.shared[name]
    assert(ngx.timer.every(interval, function (premature) sync() end))
end

local function add(key, n) kept[key] = (kept[key] or 0) + n end

local function named(name, labels) return name .. (labels and "{" .. labels .. "}" or "") end

function _M.counter(name)
    return function (n, labels) add(named(name, labels), n) end
end

function _M.gauge(name)
    return function (n, labels)
        local key = named(name, labels)
        if dict:get(key) == nil then dict:set("key:" .. dict:incr("keys", 1, 0), key) end
        assert(dict:set(key, n))
    end
end

function _M.histogram(name, bounds)
    return function (value, labels)
        for _, bound in ipairs(bounds) do
            if value <= bound then add(named(name .. "_bucket", labels .. ',le="' .. bound .. '"'), 1) end
        end
        add(named(name .. "_bucket", labels .. ',le="+Inf"'), 1)
        add(named(name .. "_sum", labels), value)
        add(named(name .. "_count", labels), 1)
    end
end

function _M.page()
    local lines = {}
    for i = 1, dict:get "keys" or 0 do
        local key = dict:get("key:" .. i)
        lines[i] = key .. " " .. tostring(dict:get(key)) .. "\n"
    end
    table.sort(lines)
    assert(#dict:get_keys(0) == 2 * #lines + 1)
    return table.concat(lines)
end

return _M
--- response_body
http_connections{state="reading"} 0
http_connections{state="writing"} 1
http_request_duration_seconds_bucket{host="localhost",le="+Inf"} 3
http_request_duration_seconds_bucket{host="localhost",le="0.1"} 3
http_request_duration_seconds_bucket{host="localhost",le="10"} 3
http_request_duration_seconds_count{host="localhost"} 3
http_request_duration_seconds_sum{host="localhost"} N
http_requests_total{host="localhost",status="200"} 2
http_requests_total{host="localhost",status="404"} 1
