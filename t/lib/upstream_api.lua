-- upstream_api.lua -- for specs: servers of upstreams by NGINX Plus' paths, of
-- a server with `location /api/ { api / write=on; }`.
--
-- SPDX-License-Identifier: BSD-2-Clause

local json = require "cjson"
local tree = require "tree"

local _M = {}


-- Status and text of an answer, by whichever worker.
function _M.ask(port, method, path, body)
    local text = tree.ask(port, table.concat {
        method, " ", path, " HTTP/1.0\r\nContent-Length: ", #(body or ""),
        "\r\n\r\n", body or "" })

    return tonumber(text:match "^HTTP/1.1 (%d+)"), text:match "\r\n\r\n(.*)"
end


-- The same with the answer read; its code in place of an error.
function _M.call(port, method, path, body)
    local status, text = _M.ask(port, method, "/api/9/" .. path, body)
    local value = text ~= "" and json.decode(text) or nil

    return status, value and value.error and value.error.code or value
end


-- "name1 name2": who has answered some requests, in order.
function _M.answers(port, path, count)
    local seen, list = {}, {}

    for _ = 1, count or 12 do
        local _, text = _M.ask(port, "GET", path)
        seen[text] = true
    end

    for text in pairs(seen) do list[#list + 1] = text end
    table.sort(list)
    return table.concat(list, " ")
end


-- "0:name 2:name"
function _M.servers(port, upstream)
    local _, all = _M.call(port, "GET", upstream .. "/servers")
    local t = {}

    for _, s in ipairs(all) do
        t[#t + 1] = s.id .. ":" .. s.server:match ":(%d+)$"
    end

    return table.concat(t, " ")
end


return _M
