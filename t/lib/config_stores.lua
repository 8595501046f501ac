-- config_stores.lua -- what `lunette sync` asks of etcd (its JSON gateway) and
-- of Consul (its KV), for tests: one process, its keys in a dictionary.
--
--     lua_shared_dict kv 8m;
--     location /v3/ {
--         content_by_lua_block { require("config_stores").etcd() }
--     }
--     location /v1/ {
--         content_by_lua_block { require("config_stores").consul() }
--     }
--
-- SPDX-License-Identifier: BSD-2-Clause

local json = require "cjson"

local _M = {}

local encode, decode = ngx.encode_base64, ngx.decode_base64
local LOOK = 0.05                      -- seconds

-- "=KEY" its text, "#KEY" the revision that it is of; "rev" that of all.
local function dict() return ngx.shared.kv end

local function change(key, text)
    local rev = dict():incr("rev", 1, 1)

    dict():set("#" .. key, rev)
    if text then
        dict():set("=" .. key, text)
    else
        dict():delete("=" .. key)
    end
    return rev
end

local function revision() return dict():get "rev" or 1 end

-- Keys from `first` on, before `last`, in order.
local function keys(first, last)
    local list = {}

    for _, name in ipairs(dict():get_keys(0)) do
        local key = name:match "^=(.*)"
        if key and key >= first and key < last then
            list[#list + 1] = key
        end
    end
    table.sort(list)
    return list
end

local function body()
    ngx.req.read_body()
    local file = ngx.req.get_body_file()
    if not file then
        return ngx.req.get_body_data() or ""
    end
    local f = assert(io.open(file, "rb"))
    local text = f:read "*a"
    f:close()
    return text
end

-- --- etcd ---

local etcd = {}

local function header()
    return { revision = tostring(revision()) }
end

function etcd.range(q)
    local first = decode(q.key)
    local last = q.range_end and decode(q.range_end) or first .. "\0"
    local kvs = {}

    for i, key in ipairs(keys(first, last)) do
        kvs[i] = { key = encode(key), value = encode(dict():get("=" .. key)),
                   mod_revision = tostring(dict():get("#" .. key)) }
    end
    return { header = header(), kvs = #kvs > 0 and kvs or nil }
end

function etcd.put(q)
    change(decode(q.key), decode(q.value))
    return { header = header() }
end

function etcd.deleterange(q)
    change(decode(q.key), nil)
    return { header = header() }
end

function etcd.authenticate(q)
    return { header = header(), token = q.name .. "." .. q.password }
end

local function watch(q)
    local want = q.create_request
    local key, from = decode(want.key), tonumber(want.start_revision)

    ngx.say(json.encode { result = { header = header(), created = true } })
    ngx.flush(true)
    if from <= (dict():get "compacted" or 0) then
        ngx.say(json.encode { result = { canceled = true } })
        return
    end

    for _ = 1, 60 / LOOK do
        local rev = dict():get("#" .. key) or 0
        if rev >= from then
            local kv = { key = encode(key), mod_revision = tostring(rev) }

            ngx.say(json.encode {
                result = { header = header(), events = { { kv = kv } } }
            })
            if not ngx.flush(true) then return end
            from = rev + 1
        end
        ngx.sleep(LOOK)
    end
end

function _M.etcd()
    local q = json.decode(body())
    local what = ngx.var.uri:match "(%w+)$"

    if what == "watch" then
        return watch(q)
    end
    ngx.say(json.encode(etcd[what](q)))
end

-- --- Consul ---

local function get(key)
    local index, rows = tonumber(ngx.var.arg_index), {}

    for _ = 1, (tonumber((ngx.var.arg_wait or ""):match "%d+") or 55) / LOOK do
        if not index or (dict():get("#" .. key) or 0) > index then break end
        ngx.sleep(LOOK)
    end

    local last = ngx.var.arg_recurse and key .. "\255" or key .. "\0"
    for i, one in ipairs(keys(key, last)) do
        rows[i] = { Key = one, Value = encode(dict():get("=" .. one)),
                    ModifyIndex = dict():get("#" .. one) }
    end
    ngx.header["X-Consul-Index"] = revision()
    if #rows == 0 then
        ngx.status = 404
        return
    end
    ngx.print(json.encode(rows))
end

function _M.consul()
    local key = ngx.unescape_uri(ngx.var.uri:match "^/v1/kv/(.*)$")
    local method = ngx.req.get_method()

    if method == "GET" then
        return get(key)
    end
    change(key, method == "PUT" and body() or nil)
    ngx.say "true"
end

return _M
