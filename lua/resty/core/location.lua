-- location.lua -- ngx.location.capture and ngx.location.capture_multi.
--
-- C side: modules/lua/api/subreq.c, which gets a list of plain tables, all of
-- them checked, and yields until every answer is there.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local native = require "lunette.native"
local uri = require "resty.core.uri"

local error, format, pairs, rawget = error, string.format, pairs, rawget
local pcall, select, tostring, type = pcall, select, tostring, type
local encode_args = uri.encode_args
local location_capture = native.location_capture
local check_phase, phases = base.check_phase, base.phases
local ngx = ngx

local GET = ngx.HTTP_GET

local PHASES = phases.rewrite + phases.server_rewrite + phases.access
               + phases.precontent + phases.content

-- The checks throw at the caller of ngx.location.capture, two levels up.

local function check_vars(vars)
    local list, n = {}, 0

    for name, value in pairs(vars) do
        local kind = type(value)

        if type(name) ~= "string" then
            error("attempt to use a non-string key in the \"vars\" option "
                  .. "table", 4)
        end
        if kind ~= "string" and kind ~= "number" then
            error("attempt to use bad variable value type " .. kind, 4)
        end
        list[n + 1], list[n + 2] = name, tostring(value)
        n = n + 2
    end
    return list
end

local function check_flag(options, name)
    local value = options[name]

    if value ~= nil and type(value) ~= "boolean" then
        error("Bad " .. name .. " option value", 4)
    end
    return value
end

-- All options but `args`.
local function check_options(request, options)
    local vars, method = options.vars, options.method
    local ctx, body = options.ctx, options.body

    if vars ~= nil then
        if type(vars) ~= "table" then
            error("Bad vars option value", 3)
        end
        request.vars = check_vars(vars)
    end

    request.share_all_vars = check_flag(options, "share_all_vars")
    request.copy_all_vars = check_flag(options, "copy_all_vars")
    request.always_forward_body = options.always_forward_body

    if method ~= nil then
        if type(method) ~= "number" then
            error("Bad http request method", 3)
        end
        request.method = method
    end

    if ctx ~= nil and type(ctx) ~= "table" then
        error("Bad ctx option value type " .. type(ctx)
              .. ", expected a Lua table", 3)
    end
    request.ctx = ctx

    if body ~= nil then
        if type(body) ~= "string" and type(body) ~= "number" then
            error("Bad http request body", 3)
        end
        request.body = tostring(body)
    end
end

local function check_query(query, i)
    if query == nil then
        error("only array-like tables are allowed", 3)
    end
    if type(query) ~= "table" then
        error(format("the query argument %d is not a table, but a %s", i,
                     type(query)), 3)
    end

    local n = #query

    if n ~= 1 and n ~= 2 then
        error(format("query argument %d expecting one or two arguments", i), 3)
    end

    local options = rawget(query, 2)

    if options ~= nil and type(options) ~= "table" then
        error(format("expecting table as the 2nd argument for subrequest %d, "
                     .. "but got %s", i, type(options)), 3)
    end
    return options
end

local function check_uri(name, target)
    local kind = type(target)

    if kind ~= "string" and kind ~= "number" then
        error(format("bad argument #3 to '%s' (string expected, got %s)", name,
                     kind), 3)
    end
    return tostring(target)
end

-- Called in a tail position: errors are those of the API's caller.
local function run(name, queries)
    local list, n = {}, #queries

    if n == 0 then
        error("at least one subrequest should be specified", 2)
    end
    check_phase(PHASES, "no request object found")

    for i = 1, n do
        local query = rawget(queries, i)
        local options = check_query(query, i - 1)
        local request = { method = GET }

        if options then
            local args = options.args

            if type(args) == "table" then
                local ok, text = pcall(encode_args, args, true)

                if not ok then
                    error(text, 2)
                end
                args = text
            elseif args ~= nil and type(args) ~= "string"
                   and type(args) ~= "number"
            then
                error("Bad args option value", 2)
            end

            request.args = args
            check_options(request, options)
        end

        request.uri = check_uri(name, rawget(query, 1))
        list[i] = request
    end

    return location_capture(list)
end

ngx.location = {}

function ngx.location.capture(...)
    local n = select("#", ...)

    if n ~= 1 and n ~= 2 then
        error("expecting one or two arguments", 2)
    end
    return run("capture", { { ... } })
end

function ngx.location.capture_multi(...)
    local n, queries = select("#", ...), ...

    if n ~= 1 then
        error("only one argument is expected, but got " .. n, 2)
    end
    if type(queries) ~= "table" then
        error("bad argument #1 to 'capture_multi' (table expected, got "
              .. (queries == nil and "nil" or type(queries)) .. ")", 2)
    end
    return run("capture_multi", queries)
end

return { version = base.version }
