-- error_page.lua -- a Lua error as a page, for whoever writes the script.
--
-- Who may see it is the C side's to know (modules/lua/api/error_page.c).
-- Everything on it comes from elsewhere (the message, the sources, the
-- request), so all of it goes through escape().
--
-- SPDX-License-Identifier: BSD-2-Clause

local getinfo, searchpath = debug.getinfo, package.searchpath
local concat, sort = table.concat, table.sort
local ipairs, pairs, pcall, tonumber = ipairs, pairs, pcall, tonumber
local tostring, type = tostring, type
local var, get_headers = ngx.var, ngx.req.get_headers

-- Lines around the one of a frame, frames of a thread, bytes of a line and of
-- the message, headers.
local AROUND, FRAMES, WIDTH, LONGEST, HEADERS = 5, 20, 300, 8000, 100

local _M = {}

local entities = {
    ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;",
    ["'"] = "&#39;",
}

local function escape(text)
    return (text:gsub("[&<>\"']", entities))
end

local function cut(text, most)
    return #text > most and text:sub(1, most) .. " ..." or text
end

-- The lines of a source around that one; "" if there is none.
local function excerpt(source, line)
    local out, number = {}, 0

    if not source or line < 1 then
        return ""
    end

    for text in (source .. "\n"):gmatch "(.-)\r?\n" do
        number = number + 1
        if number > line + AROUND then
            break
        elseif number >= line - AROUND then
            out[#out + 1] = ('<span class="%s"><i>%d</i>%s</span>'):format(
                number == line and "here" or "near", number,
                escape(cut(text, WIDTH)))
        end
    end
    return #out > 0 and "<pre>" .. concat(out, "\n") .. "</pre>" or ""
end

-- "@/site/app/a.lua" as a person reads it.
local function place(name, line)
    local text = name:gsub("^[@=]", "")

    return line > 0 and text .. ", line " .. line or text
end

-- The file of a module that a message says could not be loaded. What else a
-- message says may be a client's words, and so may this: only what require()
-- finds is shown.
local function torn_module(message)
    local name, file = message:match
        "error loading module '([%w_.-]+)' from file '([^'\n]+)'"

    return name and searchpath(name, package.path) == file and file
end

-- What a message itself points to: "a.lua:3: '=' expected", when no frame does.
-- `unread`: the code of a handler could not be read, and that is all it says.
local function add_pointed(out, message, source, unread)
    local torn = torn_module(message)

    for text in message:gmatch "[^\n]+" do
        local file, line = text:match "^%s*(.-):(%d+): "
        local code = file and (unread or file == torn)
                     and (source("@" .. file) or source("=" .. file))

        if code then
            out[#out + 1] = "<h3>" .. escape(place(file, tonumber(line)))
                            .. "</h3>"
            out[#out + 1] = excerpt(code, tonumber(line))
        end
    end
end

-- LuaJIT does not know where the frame stands that threw; the message does.
local function line_of(info, message)
    local line = info.currentline or 0
    local first, last = message:find(info.short_src .. ":", 1, true)

    if line < 1 and first then
        line = tonumber(message:match("^%d+", last + 1)) or 0
    end
    return line
end

local function add_frame(out, info, message, source)
    if info.what == "C" then
        return
    end

    local line = line_of(info, message)
    local name = info.name and " in " .. info.name or ""

    out[#out + 1] = "<h3>" .. escape(place(info.source, line) .. name)
                    .. "</h3>"
    out[#out + 1] = excerpt(source(info.source), line)
end

local function add_thread(out, thread, message, source)
    local level, shown = 0, 0

    while shown < FRAMES do
        local info = getinfo(thread, level, "Sln")

        if not info then
            break
        end
        add_frame(out, info, message, source)
        shown = shown + (info.what == "C" and 0 or 1)
        level = level + 1
    end
end

local function add_stack(out, message, threads, source)
    for i, thread in ipairs(threads) do
        if #threads > 1 then
            out[#out + 1] = "<h2>Coroutine " .. i - 1 .. "</h2>"
        end
        add_thread(out, thread, message, source)
    end
    add_pointed(out, message, source, #threads == 0)
end

-- What a page is often shown to others for should not open a door to them.
local hidden = {
    authorization = true, cookie = true, ["proxy-authorization"] = true,
}

local function add_header(out, name, value)
    if hidden[name:lower()] then
        value = "(hidden)"
    elseif type(value) == "table" then
        value = concat(value, ", ")
    end
    out[#out + 1] = "<tr><th>" .. escape(name) .. "<td>"
                    .. escape(cut(tostring(value), WIDTH))
end

local function add_request(out)
    local names, headers = {}, get_headers(HEADERS, true)

    for name in pairs(headers) do
        names[#names + 1] = name
    end
    sort(names)

    out[#out + 1] = "<h2>Request</h2><p><code>"
                    .. escape(cut(var.request_method .. " "
                                  .. var.request_uri, LONGEST))
                    .. "</code></p><table>"
    for _, name in ipairs(names) do
        add_header(out, name, headers[name])
    end
    out[#out + 1] = "</table>"
end

local head = [[
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lua error</title>
<style>
:root { color-scheme: light dark; --soft: #f1f3f6; --mark: #ffe1dc;
    --dim: #667; --line: #d0d4da; }
@media (prefers-color-scheme: dark) {
    :root { --soft: #20242b; --mark: #5a2a24; --dim: #99a; --line: #3a404a; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem;
    margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.1rem; color: var(--dim); }
h2 { font-size: 1.1rem; margin-top: 2rem; }
h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; overflow-wrap: anywhere; }
.message { font: 1.05rem/1.4 ui-monospace, monospace; white-space: pre-wrap;
    overflow-wrap: anywhere; border-left: 4px solid #d43; padding-left: 1rem; }
pre { background: var(--soft); padding: .5rem 0; overflow-x: auto;
    font: 13px/1.5 ui-monospace, monospace; }
pre span { display: inline-block; min-width: 100%; }
pre .here { background: var(--mark); }
pre i { display: inline-block; width: 4em; padding-right: 1em;
    text-align: right; color: var(--dim); font-style: normal; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0;
    border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: normal; color: var(--dim); white-space: nowrap; }
@media (max-width: 40rem) {
    th, td { display: block; padding: 0; }
    th { padding-top: .2rem; }
    td { border: 0; padding-bottom: .2rem; }
    pre i { width: 2.5em; padding-right: .6em; }
}
footer { color: var(--dim); margin-top: 2rem; font-size: .9rem; }
code { overflow-wrap: anywhere; }
</style>
]]

local foot = [[
<footer>Shown to a browser on this machine, because <code>lua_code_cache</code>
is <code>off</code> or <code>watch</code>. The error log has the same.</footer>
]]

-- message: the error's; threads: those that it went through, the first one
-- first; source(name): the text of a chunk, or nil; phase: where it was.
function _M.build(message, threads, source, phase)
    local out = { head }

    out[#out + 1] = "<h1>Lua error in " .. escape(phase) .. "</h1>"
    out[#out + 1] = '<p class="message">' .. escape(cut(message, LONGEST))
                    .. "</p>"
    add_stack(out, message, threads, source)
    pcall(add_request, out)
    out[#out + 1] = foot
    return concat(out, "\n")
end

return _M
