-- tree.lua -- for specs: what the server says of itself (api), and what of it
-- has changed.
--
-- SPDX-License-Identifier: BSD-2-Clause

local json = require "cjson"

local _M = {}


-- What /status/PATH has.
function _M.get(path)
    local res = ngx.location.capture("/status/" .. path)

    assert(res.status == 200, path .. ": " .. res.status)
    return json.decode(res.body)
end


-- Sends a text to a port, and returns all that comes back.
function _M.ask(port, text)
    local sock = ngx.socket.tcp()

    assert(sock:connect("127.0.0.1", port))
    assert(sock:send(text))

    local answer = sock:receive("*a")

    sock:close()
    return answer
end


local function flatten(value, path, to)
    if type(value) ~= "table" then
        to[path] = value
        return to
    end

    for name, member in pairs(value) do
        flatten(member, path == "" and name or path .. "/" .. name, to)
    end

    return to
end


-- Says which numbers have changed, of those members (all), by path.
function _M.say_changes(before, now, ...)
    local from, paths = flatten(before, "", {}), {}
    local to = flatten(now, "", {})

    for _, member in ipairs { ... } do
        local own = {}

        for path, value in pairs(to) do
            if path:sub(1, #member + 1) == member .. "/"
               and value ~= (from[path] or 0) then
                own[#own + 1] = path
            end
        end

        table.sort(own)

        for _, path in ipairs(own) do
            paths[#paths + 1] = path
        end
    end

    for _, path in ipairs(paths) do
        ngx.say(path, " ", type(to[path]) == "number"
                and ("%+d"):format(to[path] - (from[path] or 0))
                or tostring(to[path]))
    end
end


return _M
