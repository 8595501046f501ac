-- lunette/spec/sections.lua -- every section there is
--
-- A block that uses a name which is not here fails: a misspelt check must
-- not become no check. `check` ones can fail a block; a block without any of
-- these fails too. `without` ones need what this runner does not have.
--
-- SPDX-License-Identifier: BSD-2-Clause

local function set(text)
    local out = {}

    for word in text:gmatch("%S+") do
        out[word] = true
    end
    return out
end

local _M = {}

-- What the server and its folder are made from.
_M.setup = set [[
    config http_config main_config post_main_config user_files server_name
    log_level workers master_on env error_log_file
    stream_config stream_server_config stream_listen
]]

-- What is sent, and how.
_M.request = set [[
    request raw_request pipelined_requests more_headers timeout abort wait
    shutdown raw_request_middle_delay ignore_response http09
    server_addr_for_client response_body_filters tcp_listen tcp_reply
    tcp_reply_delay tcp_no_close tcp_shutdown tcp_shutdown_delay
    udp_listen udp_reply udp_reply_delay
    grep_error_log check_accum_error_log charset http2 http2_frames http3
    curl_options stream_request
]]

_M.check = set [[
    response_body response_body_like response_body_unlike response_headers
    response_headers_like raw_response_headers_like
    raw_response_headers_unlike error_code error_code_like error_log
    no_error_log grep_error_log_out access_log no_access_log must_die
    stream_response stream_response_like
    tcp_query tcp_query_len udp_query shutdown_error_log no_shutdown_error_log
]]

-- Whether the block runs at all.
-- style: todo, a section's name
_M.meta = set [[
    ONLY LAST SKIP TODO skip_nginx skip_nginx2 skip_openssl skip_eval
    skip_windows skip_linux skip_slave todo todo_nginx no_reload
]]

-- Words for other ways of running the same specs; nothing is lost here.
_M.ignored = set [[
    curl curl_protocol no_check_leak reload_fails
    description quic_max_idle_timeout http2_off
]]

_M.traced = set [[ stap stap_out stap_out_like stap_out_unlike ]]

_M.without = {
    curl_error = "no curl in the runner",
    init = "no Perl to run in --- init",
}

function _M.known(name)
    return _M.setup[name] or _M.request[name] or _M.check[name]
           or _M.meta[name] or _M.ignored[name] or _M.without[name]
           or _M.traced[name]
end

return _M
