-- lunette/spec/conflicts.lua -- sections that another one keeps from counting
--
-- A check that is never looked at can't fail, and a request that is never sent
-- is not tested: a block that has such a section fails, and says which. Files
-- that were written for Test::Nginx keep its ways.
--
-- SPDX-License-Identifier: BSD-2-Clause

local stream = require "lunette.spec.stream"

local error, type = error, type

local _M = {}

local HTTP_CHECKS = { "response_body", "response_body_like",
    "response_body_unlike", "response_headers", "response_headers_like",
    "raw_response_headers_like", "raw_response_headers_unlike", "error_code",
    "error_code_like" }

local STREAM_CHECKS = { "stream_response", "stream_response_like" }

local MOCK_CHECKS = { "tcp_query", "tcp_query_len", "udp_query" }

local function both(one, other)
    local out = {}

    for _, list in ipairs { one, other } do
        for _, name in ipairs(list) do
            out[#out + 1] = name
        end
    end
    return out
end

local function has(name)
    return function (block) return block:has(name) end
end

local function lacks(name)
    return function (block) return not block:has(name) end
end

-- Where `when` holds these names mean nothing, and why.
local RULES = {
    { when = has "must_die",
      names = both(both(HTTP_CHECKS, STREAM_CHECKS), MOCK_CHECKS),
      why = "nobody answers where the server must die" },
    { when = has "must_die",
      names = { "shutdown_error_log", "no_shutdown_error_log" },
      why = "where the server must die its log is that of its end" },
    { when = stream.speaks,
      names = both(HTTP_CHECKS, { "more_headers", "http2", "http3",
          "http2_frames",
          "http09", "curl_options", "ignore_response", "abort",
          "response_body_filters" }),
      why = "without a --- request the client speaks to the stream's port, "
            .. "and hears no HTTP" },
    { when = function (block) return not stream.speaks(block) end,
      names = both(STREAM_CHECKS, { "stream_request" }),
      why = "the client speaks HTTP: only a block of stream { } without a "
            .. "--- request has one that speaks to the stream's port" },
    { when = lacks "stream_server_config", names = { "stream_listen" },
      why = "only --- stream_server_config has a server that it is for" },
    { when = has "ignore_response", names = HTTP_CHECKS,
      why = "--- ignore_response looks at no answer" },
    { when = has "raw_request",
      names = { "request", "pipelined_requests", "more_headers" },
      why = "--- raw_request is all that is sent" },
    { when = has "pipelined_requests", names = { "request" },
      why = "--- pipelined_requests are all that is sent" },
    { when = function (block)
          return not block:has("raw_request") and not stream.speaks(block)
      end,
      names = { "raw_request_middle_delay" },
      why = "it is for --- raw_request and --- stream_request" },
    { when = function (block)
          return not block:has("http2") and not block:has("http3")
      end,
      names = { "curl_options" },
      why = "only --- http2 and --- http3 send their requests by curl, or one "
            .. "that has its words" },
    { when = has "http3",
      names = { "raw_request", "http2", "pipelined_requests" },
      why = "--- http3 has a client of its own" },
    { when = function (block)
          return (block:has("http2") or block:has("http3"))
                 and not block:has("raw_request")
      end,
      names = { "shutdown" }, why = "curl ends its connection by itself" },
    { when = function (block)
          return not (block:has("response_body")
                      or block:has("response_body_like")
                      or block:has("response_body_unlike"))
      end,
      names = { "response_body_filters" },
      why = "there is no --- response_body" },
    { when = has "response_headers", names = { "response_headers_like" },
      why = "--- response_headers comes first" },
    { when = has "error_code_like", names = { "error_code" },
      why = "--- error_code_like comes first" },
    { when = lacks "tcp_listen",
      names = { "tcp_query", "tcp_query_len", "tcp_reply", "tcp_reply_delay",
                "tcp_no_close", "tcp_shutdown", "tcp_shutdown_delay" },
      why = "there is no --- tcp_listen" },
    { when = lacks "udp_listen",
      names = { "udp_query", "udp_reply", "udp_reply_delay" },
      why = "there is no --- udp_listen" },
}

-- Why a section of the block would be passed over in silence, or nil.
function _M.of(block)
    for _, rule in ipairs(RULES) do
        if rule.when(block) then
            for _, name in ipairs(rule.names) do
                if block:has(name) then
                    return "--- " .. name .. " would be ignored: " .. rule.why
                end
            end
        end
    end
    return nil
end

-- Lists that have an item for each request.
local PER_REQUEST = both(HTTP_CHECKS, { "more_headers" })

-- Throws if one of the lists has items for other requests than the `count`
-- that there are: nobody would look at them, or find one.
function _M.check_lists(block, count)
    for _, name in ipairs(PER_REQUEST) do
        local value = block:value(name)
        if type(value) == "table" and value.kind == "array"
           and value.n ~= count
        then
            error(("--- %s is a list of %d, and there %s"):format(name,
                  value.n, count == 1 and "is one request"
                           or "are " .. count .. " requests"), 0)
        end
    end
end

return _M
