-- api.lua -- what there is of the Lua API, a row for each name: `lunette help
-- ngx.say`, and the manual's page. t/70-lua/api-rows.t holds the names and the
-- phases against the API itself.
--
-- SPDX-License-Identifier: BSD-2-Clause

local modules = require "lunette.api_modules"
local topics = require "lunette.topics"

local _M = {}

-- Sets of phases, by what a handler may do there.
local ANSWER = "server_rewrite rewrite access precontent content"
local FILTERS = " header_filter body_filter"
local HANDSHAKE = " ssl_certificate ssl_client_hello"
local REQUEST = "set " .. ANSWER .. FILTERS .. " log balancer"
local WAIT = ANSWER .. HANDSHAKE .. " timer"
local TIMER = "init_worker set " .. ANSWER .. FILTERS .. " log balancer"
              .. HANDSHAKE .. " timer"

-- A set is a string; false: any phase. Then what follows the name, and what it
-- does. A title alone begins a section.
_M.rows = {
    { "The answer" },
    { "ngx.say", ANSWER, "(...)", "sends values and a line's end" },
    { "ngx.print", ANSWER, "(...)", "sends values" },
    { "ngx.flush", ANSWER, "(wait?)",
      "sends what was said so far; true: waits until it has gone" },
    { "ngx.eof", ANSWER, "()", "ends the answer; the handler may go on" },
    { "ngx.send_headers", ANSWER, "()", "sends the header" },
    { "ngx.exit", ANSWER .. FILTERS .. HANDSHAKE .. " balancer timer",
      "(status)", "ends the phase, from 200 on the request, with a status" },
    { "ngx.exec", ANSWER, "(uri, args?)",
      "goes on with another location, inside" },
    { "ngx.redirect", ANSWER, "(uri, status?)", "sends the client elsewhere" },
    { "ngx.resp.get_headers", REQUEST, "(most?, raw?)",
      "the answer's headers, as a table" },
    { "ngx.on_abort", ANSWER, "(function)",
      "calls it when the client leaves; needs lua_check_client_abort" },

    { "The request" },
    { "ngx.req.get_method", REQUEST, "()", "GET, POST, ..." },
    { "ngx.req.set_method", REQUEST, "(number)",
      "changes it, to ngx.HTTP_GET, ..." },
    { "ngx.req.set_uri", REQUEST, "(uri, jump?)",
      "changes the path; jump, in rewrite: finds its location" },
    { "ngx.req.get_uri_args", REQUEST, "(most?)", "the query, as a table" },
    { "ngx.req.set_uri_args", REQUEST, "(args)", "changes the query" },
    { "ngx.req.get_headers", REQUEST, "(most?, raw?)",
      "the request's headers, as a table" },
    { "ngx.req.set_header", REQUEST, "(name, value)",
      "changes one of them; nil removes" },
    { "ngx.req.clear_header", REQUEST, "(name)", "removes one of them" },
    { "ngx.req.raw_header", REQUEST, "(without_line?)",
      "the header as it came; not over HTTP/2" },
    { "ngx.req.http_version", REQUEST, "()", "0.9, 1.0, 1.1, 2 or 3" },
    { "ngx.req.start_time", REQUEST, "()", "when it began, in seconds" },
    { "ngx.req.is_internal", REQUEST, "()",
      "whether it was sent here from inside" },

    { "Its body" },
    { "ngx.req.read_body", ANSWER, "()", "reads it, and waits until it came" },
    { "ngx.req.discard_body", ANSWER, "()", "throws it away" },
    { "ngx.req.get_body_data", REQUEST, "(most?)",
      "the body that was read, or nil if it is in a file" },
    { "ngx.req.get_body_file", REQUEST, "()",
      "the file that it is in, or nil" },
    { "ngx.req.get_post_args", REQUEST, "(most?)",
      "the body of a form, as a table" },
    { "ngx.req.set_body_data", ANSWER .. " balancer", "(data)",
      "another body" },
    { "ngx.req.set_body_file", ANSWER .. " balancer", "(path, delete?)",
      "another body, from a file" },
    { "ngx.req.init_body", "set " .. ANSWER, "(buffer_size?)",
      "begins another body" },
    { "ngx.req.append_body", "set " .. ANSWER, "(data)", "more of it" },
    { "ngx.req.finish_body", "set " .. ANSWER, "()", "its end" },
    { "ngx.req.socket", ANSWER, "(raw?)",
      "a cosocket that reads the body; raw: the client's connection" },

    { "Other locations" },
    { "ngx.location.capture", ANSWER, "(uri, options?)",
      "asks another location; waits for its answer" },
    { "ngx.location.capture_multi", ANSWER, "(list)", "asks several at once" },

    { "Time" },
    { "ngx.sleep", WAIT, "(seconds)", "waits" },
    { "ngx.timer.at", TIMER, "(seconds, function, ...)",
      "calls it once, outside of any request" },
    { "ngx.timer.every", TIMER, "(seconds, function, ...)",
      "calls it again and again" },
    { "ngx.timer.pending_count", false, "()", "timers that wait" },
    { "ngx.timer.running_count", false, "()", "timers that run" },
    { "ngx.now", false, "()", "seconds, with milliseconds" },
    { "ngx.time", false, "()", "seconds" },
    { "ngx.update_time", false, "()", "asks the system's clock" },
    { "ngx.today", false, "()", "2026-01-31, local" },
    { "ngx.localtime", false, "()", "2026-01-31 12:00:00, local" },
    { "ngx.utctime", false, "()", "the same in UTC" },
    { "ngx.http_time", false, "(seconds)", "as HTTP's headers write it" },
    { "ngx.parse_http_time", false, "(text)", "and back; nil: it is none" },
    { "ngx.cookie_time", false, "(seconds)", "as cookies write it" },

    { "Sockets" },
    { "ngx.socket.tcp", WAIT, "()",
      "a TCP cosocket: connect, sslhandshake, send, receive, setkeepalive" },
    { "ngx.socket.stream", WAIT, "()", "the same" },
    { "ngx.socket.connect", WAIT, "(host, port?)", "one that is connected" },
    { "ngx.socket.udp", WAIT, "()", "a UDP cosocket: setpeername, send" },

    { "Threads and coroutines" },
    { "ngx.thread.spawn", WAIT, "(function, ...)", "runs it beside this one" },
    { "ngx.thread.wait", WAIT, "(thread, ...)",
      "waits for the first one to end" },
    { "ngx.thread.kill", WAIT, "(thread)", "ends one that waits" },
    { "ngx.run_worker_thread", WAIT, "(pool, module, function, ...)",
      "runs a module's function in a thread of the system" },
    { "coroutine.create", false, "(function)", "a coroutine" },
    { "coroutine.resume", false, "(co, ...)", "goes on with it" },
    { "coroutine.yield", false, "(...)", "gives control back" },
    { "coroutine.wrap", false, "(function)", "a function that goes on" },
    { "coroutine.running", false, "()", "the one that runs" },
    { "coroutine.status", false, "(co)", "what one does" },
    { "coroutine.isyieldable", false, "()", "whether it may yield" },

    { "Patterns" },
    { "ngx.re.match", false, "(text, pattern, options?, ctx?)",
      "the captures of the first match, or nil" },
    { "ngx.re.find", false, "(text, pattern, options?, ctx?, nth?)",
      "where it begins and ends" },
    { "ngx.re.gmatch", false, "(text, pattern, options?)",
      "walks over all matches" },
    { "ngx.re.sub", false, "(text, pattern, replacement, options?)",
      "replaces the first" },
    { "ngx.re.gsub", false, "(text, pattern, replacement, options?)",
      "replaces all" },

    { "Texts" },
    { "ngx.escape_uri", false, "(text, type?)", "as %XX in a URL" },
    { "ngx.unescape_uri", false, "(text)", "and back" },
    { "ngx.encode_args", false, "(table)", "a query of a table" },
    { "ngx.decode_args", false, "(text, most?)", "and back" },
    { "ngx.encode_base64", false, "(text, no_padding?)", "base64" },
    { "ngx.decode_base64", false, "(text)", "and back; nil: it is none" },
    { "ngx.decode_base64mime", false, "(text)",
      "the same, passing over what is not of it" },
    { "ngx.quote_sql_str", false, "(text)", "quoted for MySQL" },
    { "ngx.md5", false, "(text)", "its digest, in hexadecimal" },
    { "ngx.md5_bin", false, "(text)", "its digest, in bytes" },
    { "ngx.sha1_bin", false, "(text)", "its digest, in bytes" },
    { "ngx.hmac_sha1", false, "(key, text)", "its digest with a key" },
    { "ngx.crc32_short", false, "(text)", "its checksum, for short texts" },
    { "ngx.crc32_long", false, "(text)", "the same, for long ones" },

    { "The server" },
    { "ngx.log", false, "(level, ...)", "a line in the error log" },
    { "ngx.get_phase", false, "()", "the phase: content, timer, ..." },
    { "ngx.get_raw_phase", false, "()", "the same as a number" },
    { "ngx.config.prefix", false, "()", "the server's folder" },
    { "ngx.config.nginx_configure", false, "()", "what is built in" },
    { "ngx.worker.pid", false, "()", "the worker's process" },
    { "ngx.worker.pids", false, "()", "those of all workers" },
    { "ngx.worker.id", false, "()", "its number, from 0" },
    { "ngx.worker.count", false, "()", "how many workers there are" },
    { "ngx.worker.exiting", false, "()", "whether it is about to end" },
}

-- What is a table to read and write, and has no row above.
local values = {
    { "ngx.var.NAME", "a [variable](variables.md); some can be set" },
    { "ngx.ctx", "a table of the request's own, kept over its phases" },
    { "ngx.status", "the answer's status" },
    { "ngx.header.NAME", "a header of the answer; `nil` removes it" },
    { "ngx.headers_sent", "whether the header has gone" },
    { "ngx.is_subrequest", "whether `ngx.location.capture` asks" },
    { "ngx.arg[1]", "`body_filter`: a piece of the body; `set`: a value" },
    { "ngx.arg[2]", "`body_filter`: whether it is the last" },
    { "ngx.shared.NAME", "a [dictionary](shared.md) that all workers share" },
    { "ngx.null", "what JSON, Redis and SQL call null" },
    { "ngx.OK, ngx.ERR, ...", "numbers of ends, statuses, methods, levels" },
}

local head = [[
# The Lua API

Names, arguments and error texts are those of OpenResty's Lua modules, whose
reference says more of each. A wrong argument is an error; what fails in the
world returns `nil` and a text. Where a function may be called says its
column "in": `any` phase, or those named. Written by `make manual`; `lunette
help ngx.say` says the same of one, and `lunette types` writes all of it for
editors that know lua-language-server's or EmmyLua's annotations: names,
arguments, results and phases, in a folder `types` that .luarc.json names.]]

local function phases(row)
    return row[2] and row[2]:gsub(" ", ", ") or "any"
end

-- What has methods of its own; the others are modules.
local objects = { ["ngx.shared.DICT"] = true, tcpsock = true, udpsock = true }

-- "ngx.shared.DICT:incr", "ngx.balancer.set_current_peer".
local function full_name(group, row)
    return group[1] .. (objects[group[1]] and ":" or ".") .. row[1]
end

-- Other ways to write that.
local function as_written(name)
    name = name:gsub(":", ".")
    return (name:gsub("^ngx%.socket%.tcp%.", "tcpsock.")
                :gsub("^ngx%.socket%.udp%.", "udpsock.")
                :gsub("^ngx%.shared%.[%w_]+%.", "ngx.shared.DICT.")
                :gsub("^ngx%.shared%.(%l[%w_]*)$", "ngx.shared.DICT.%1"))
end

local function add_group(group, out)
    out[#out + 1] = "\n## " .. group[1] .. "\n\n" .. group[2]
    if not objects[group[1]] then
        out[#out + 1] = ('\n    local %s = require "%s"'):format(
            group[1]:match "[%w_]+$", group[1])
    end
    out[#out + 1] = "\n| function | |\n|---|---|"
    for _, row in ipairs(group[3]) do
        out[#out + 1] = ("| `%s%s` | %s |"):format(full_name(group, row),
                                                   row[2], row[3])
    end
end

local function all()
    local out = { head }

    for _, row in ipairs(_M.rows) do
        if row[2] == nil then
            out[#out + 1] = "\n## " .. row[1]
                            .. "\n\n| function | | in |\n|---|---|---|"
        else
            out[#out + 1] = ("| `%s%s` | %s | %s |"):format(
                row[1], row[3], row[4], (phases(row)))
        end
    end
    out[#out + 1] = "\n## Values\n\n| name | |\n|---|---|"
    for _, row in ipairs(values) do
        out[#out + 1] = ("| `%s` | %s |"):format(row[1], row[2])
    end
    for _, group in ipairs(modules) do
        add_group(group, out)
    end
    return out
end

-- A module, or one of its functions; nil: neither.
local function of_modules(name)
    name = as_written(name)
    for _, group in ipairs(modules) do
        if group[1] == name then
            local out = { group[1] .. ": " .. group[2], "" }

            for _, row in ipairs(group[3]) do
                out[#out + 1] = ("%s%s  %s"):format(row[1], row[2], row[3])
            end
            return out
        end
        for _, row in ipairs(group[3]) do
            if as_written(full_name(group, row)) == name then
                return { full_name(group, row) .. row[2], "", row[3] }
            end
        end
    end
end

-- Lines of the page; with a name, or the words of a topic, those about it: a
-- list, maybe empty.
function _M.lines(name)
    if not name then
        return all()
    end

    for _, row in ipairs(_M.rows) do
        if row[1] == name and row[2] ~= nil then
            return { row[1] .. row[3], "In: " .. phases(row), "", row[4] }
        end
    end
    return of_modules(name) or topics.lines(name)
end

-- All names, for somebody who has mistaken one.
function _M.names()
    local out = {}

    for _, row in ipairs(_M.rows) do
        if row[2] ~= nil then
            out[#out + 1] = row[1]
        end
    end
    for _, group in ipairs(modules) do
        out[#out + 1] = group[1]
        for _, row in ipairs(group[3]) do
            out[#out + 1] = full_name(group, row)
        end
    end
    for _, row in ipairs(topics.rows) do
        out[#out + 1] = row[1]:lower()
    end
    return out
end

_M.topics = topics.page

return _M
