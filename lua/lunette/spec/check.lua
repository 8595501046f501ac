-- lunette/spec/check.lua -- what a response must be
--
-- One function per kind of section; each looks at one response of the block
-- and adds to the report what is wrong. Without error_code a block expects
-- 200. Logs are checklog.lua's.
--
-- SPDX-License-Identifier: BSD-2-Clause

local expect = require "lunette.spec.expect"
local perl = require "lunette.spec.perl"

local error, type, tostring = error, type, tostring

local _M = {}

local function status(report, block, response, at)
    local got = response and tostring(response.status) or ""

    if block:has("error_code_like") then
        report:like("status", got, expect.pattern(
            expect.indexed(block, "error_code_like", at.index, at.many), "sm"))
        return
    end
    local wanted = expect.indexed(block, "error_code", at.index, at.many)
    if block:has("error_code") and at.many and wanted == nil then
        error("--- error_code has nothing for request " .. at.index, 0)
    end
    report:same("status", got, wanted and wanted:gsub("%s+$", "") or "200")
end

local function raw_headers(report, block, response, at)
    local raw = response and response.raw_headers or ""

    if block:has("raw_response_headers_like") then
        report:like("raw headers", raw, expect.pattern(expect.indexed(block,
            "raw_response_headers_like", at.index, at.many), "s"))
    end
    if block:has("raw_response_headers_unlike") then
        report:unlike("raw headers", raw, expect.pattern(expect.indexed(block,
            "raw_response_headers_unlike", at.index, at.many), "s"))
    end
end

-- name, value, absent of each line: "Name: value", "!Name".
local function each_header(text)
    local out = {}

    for line in (text or ""):gmatch("[^\n]+") do
        line = line:gsub("^%s+", ""):gsub("%s+$", "")
        local absent = line:match("^!%s*(.*)$")
        local name, value = line:match("^([^:]-)%s*:%s*(.*)$")
        if line ~= "" then
            out[#out + 1] = { name = absent or name or line,
                              value = value or "", absent = absent ~= nil }
        end
    end
    return out
end

local function headers(report, block, response, at)
    local name = block:has("response_headers") and "response_headers"
                 or "response_headers_like"
    local like = name == "response_headers_like"

    if not block:has(name) then
        return
    end
    for _, header in ipairs(each_header(expect.indexed(block, name, at.index,
                                                       at.many)))
    do
        local got = response and response:get(header.name)
        if header.absent then
            if got then
                report:fail("header " .. header.name .. " is there: " .. got)
            end
        elseif like then
            report:like("header " .. header.name, got or "",
                        expect.pattern("^(?:" .. header.value .. ")$", ""))
        else
            report:same("header " .. header.name, got or "", header.value)
        end
    end
end

local FILTERS = {
    uc = string.upper, lc = string.lower,
    ucfirst = function (s) return (s:gsub("^%l", string.upper)) end,
    lcfirst = function (s) return (s:gsub("^%u", string.lower)) end,
    length = function (s) return tostring(#s) end,
    md5_hex = function (s) return ngx.md5(s) end,
}

local function filter_body(body, filter)
    if type(filter) == "table" and filter.kind == "code" then
        return perl.call(filter, body)
    end
    if not FILTERS[filter] then
        error("--- response_body_filters has no " .. tostring(filter), 0)
    end
    return FILTERS[filter](body)
end

-- The list of filters for this response: words, one sub, or a list of lists.
local function filters_of(value, index)
    if type(value) == "string" then
        local words = {}
        for word in value:gmatch("%S+") do
            words[#words + 1] = word
        end
        return words
    end
    if value.kind ~= "array" then
        return { value }
    end
    if type(value[1]) == "table" and value[1].kind == "array" then
        return value[index] or error("--- response_body_filters has nothing "
                                     .. "for request " .. index, 0)
    end
    return value
end

local function filtered(block, response, at)
    local body = response and response.body or ""

    if block:value("response_body_filters") then
        for _, filter in ipairs(filters_of(
            block:value("response_body_filters"), at.index))
        do
            body = filter_body(body, filter)
        end
    end
    return body
end

local function body(report, block, response, at)
    local got = filtered(block, response, at)

    if block:has("response_body") then
        local wanted = expect.indexed(block, "response_body", at.index,
                                      at.many)
        report:same("body", got, wanted == nil and "" or wanted)
    end
    if block:has("response_body_like") then
        report:like("body", got, expect.pattern(expect.indexed(block,
            "response_body_like", at.index, at.many), "s"))
    end
    if block:has("response_body_unlike") then
        report:unlike("body", got, expect.pattern(expect.indexed(block,
            "response_body_unlike", at.index, at.many), "s"))
    end
end

-- A response that is broken on the wire fails whatever it says.
local function framing(report, response, method)
    if response.error then
        report:fail("response is broken: " .. response.error)
    end
    if response.truncated and method ~= "HEAD" then
        report:fail("response is cut off: " .. response.truncated
                    .. " bytes of the body are missing")
    end
end

-- `response` may be nil: nothing that looks like one came.
-- at = { index, many, method, broken_ok }.
function _M.response(report, block, response, at)
    if response and not at.broken_ok then
        framing(report, response, at.method)
    end
    status(report, block, response, at)
    raw_headers(report, block, response, at)
    headers(report, block, response, at)
    body(report, block, response, at)
end

-- What the mocks were asked.
function _M.query(report, block, mock)
    local tcp, udp = mock:queries()

    if block:has("tcp_query") then
        report:same("tcp_query", tcp, block:value("tcp_query"))
    end
    if block:has("tcp_query_len") then
        report:same("tcp_query_len", tostring(#(tcp or "")),
                    (block:text("tcp_query_len"):gsub("%s", "")))
    end
    if block:has("udp_query") then
        report:same("udp_query", udp, block:value("udp_query"))
    end
end

return _M
