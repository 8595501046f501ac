-- lunette/spec/stream.lua -- a block of `stream { }`
--
-- stream_config and stream_server_config become a `stream { }` around a server
-- on a port of its own, $TEST_NGINX_STREAM_PORT. A block that has one of them
-- and no request is a client of that: it sends stream_request as it stands and
-- reads to the end.
--
-- SPDX-License-Identifier: BSD-2-Clause

local expect = require "lunette.spec.expect"

local _M = {}

local PORT = "$TEST_NGINX_STREAM_PORT"

local TEMPLATE = [[
stream {%s
%s

    server {
        listen %s%s;

%s
    }
}
]]

local BARE = [[
stream {%s
%s
}
]]

function _M.is(block)
    return block:has("stream_config") or block:has("stream_server_config")
end

-- Whether its client speaks to the stream's port.
function _M.speaks(block)
    return _M.is(block) and not block:has("request")
           and not block:has("raw_request")
           and not block:has("pipelined_requests")
end

-- The block's part of nginx.conf, "" if it has none.
function _M.text(block, job)
    local config = block:text("stream_config") or ""
    local listen = block:text("stream_listen")

    if not _M.is(block) then
        return ""
    elseif not block:has("stream_server_config") then
        return BARE:format(job.coverage or "", config)
    end
    return TEMPLATE:format(job.coverage or "", config, block.expand(PORT),
                           listen and " " .. listen:gsub("%s+$", "") or "",
                           block:text("stream_server_config"))
end

function _M.port(block)
    return block.expand(PORT)
end

-- What is sent, as request.of has it.
function _M.requests(block)
    local value, packets = block:value("stream_request"), {}

    if type(value) == "table" and value.kind == "array" then
        for i = 1, value.n do
            packets[i] = { text = value[i] }
        end
    elseif value and value ~= "" then
        packets[1] = { text = value }
    end
    return { { packets = packets, methods = { "" }, stream = true } }
end

-- `err`: why the client stopped reading before the end.
function _M.check(report, block, raw, err)
    if err then
        raw = raw .. "receive stream response error: " .. err .. "\n"
    end
    if block:has("stream_response") then
        report:same("stream_response", raw,
                    block:value("stream_response") or "")
    end
    if block:has("stream_response_like") then
        report:like("stream_response", raw, expect.pattern(
            block:value("stream_response_like"), "s"))
    end
end

return _M
