-- lunette/import/emit.lua -- what an import makes of a site, as nginx.conf
--
-- A site is gathered in lists: lines of http { }, of server { }, locations in
-- their order, and notes. All that comes from a file of somebody else goes
-- through quote() or comment(): neither lets it end a line or a directive.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat = table.concat
local find, gsub = string.find, string.gsub

local _M = {}

-- A word of a configuration. Variables in it stay variables.
function _M.quote(text)
    text = gsub(text, "[%z\1-\31]+", " ")
    if text ~= "" and not find(text, "[%s;{}\"'\\#]") then
        return text
    end
    return '"' .. gsub(gsub(text, "\\", "\\\\"), '"', '\\"') .. '"'
end

-- A text without variables: a $ of it is one.
function _M.literal(site, text)
    if find(text, "$", 1, true) then
        site.dollar = true
        text = gsub(text, "%$", "${import_dollar}")
    end
    return text
end

-- In lines of at most some seventy letters, none of which is a directive.
function _M.comment(text, mark)
    local lines, line = {}, ""

    mark = mark or "# "
    text = gsub(text, "[%z\1-\31]+", " ")
    for word in text:gmatch "%S+" do
        if line ~= "" and #line + #word > 68 then
            lines[#lines + 1] = mark .. line
            line = word
        else
            line = line == "" and word or line .. " " .. word
        end
    end
    lines[#lines + 1] = mark .. line
    return lines
end

-- `counter`: a table that all sites of a configuration share, since names of
-- variables and maps are those of all.
function _M.new_site(counter)
    return { listens = {}, names = {}, http = {}, server = {}, locations = {},
             first = {}, notes = {}, loud = {}, named = {}, maps_used = {},
             counter = counter }
end

-- A number for a name that nobody else has.
function _M.number(site)
    site.counter.n = (site.counter.n or 0) + 1
    return site.counter.n
end

local function append(list, lines)
    for _, line in ipairs(lines) do
        list[#list + 1] = line
    end
end

_M.append = append

function _M.say(list, text)
    append(list, _M.comment(text))
end

function _M.add(list, ...)
    local words = { ... }

    for i = 2, #words do
        words[i] = _M.quote(words[i])
    end
    list[#list + 1] = concat(words, " ") .. ";"
end

-- Something was not translated, and is said.
function _M.note(site, list, text)
    append(list, _M.comment(text, "# not translated: "))
    site.notes[#site.notes + 1] = text
end

-- Something that protects was not translated: what it protects is closed.
-- `scope` is a list of directives that holds for no more than that.
function _M.close(site, scope, text)
    append(scope, _M.comment(text, "# SECURITY, not translated: "))
    if not scope.closed then
        scope.closed = true
        scope[#scope + 1] = "deny all;"
    end
    site.loud[#site.loud + 1] = text
end

-- A location of the site: its lines. The same `head` twice is one.
function _M.location(site, head)
    local loc = site.named[head]

    if not loc then
        loc = { head = head }
        site.named[head] = loc
        site.locations[#site.locations + 1] = loc
    end
    return loc
end

-- Where a scope is closed, nobody else lets in.
local function only_closed(list)
    local out = {}

    for _, line in ipairs(list) do
        if not list.closed or line == "deny all;"
           or not find(line, "^allow ") and not find(line, "^satisfy ")
              and not find(line, "^deny ")
        then
            out[#out + 1] = line
        end
    end
    return out
end

local function put(out, indent, lines)
    local depth = 0

    for _, line in ipairs(lines) do
        if find(line, "^}") then
            depth = depth - 1
        end
        out[#out + 1] = line == "" and ""
                        or indent .. ("    "):rep(depth) .. line
        if find(line, "{$") and not find(line, "^#") then
            depth = depth + 1
        end
    end
end

-- Rules that ask nothing of the path need no variable of it.
local function without_url(list)
    local out, i = { closed = list.closed }, 1
    local _, uses = gsub(concat(list, "\n"), "import_url", "")
    local _, sets = gsub(concat(list, "\n"), "set $import_url ", "")

    if uses ~= sets then
        return list
    end
    while i <= #list do
        if list[i + 1] == "set $import_url $1;" then
            i = i + 3
        else
            out[#out + 1] = list[i]
            i = i + 1
        end
    end
    return out
end

-- Lines of the site's server { }, without its braces and addresses.
function _M.server_lines(site)
    local out = {}

    site.server = without_url(site.server)
    put(out, "", only_closed(site.first))
    put(out, "", only_closed(site.server))
    for _, loc in ipairs(site.locations) do
        loc.closed = loc.closed or site.server.closed
                     and concat(loc, "\n"):find "\nallow " ~= nil
        out[#out + 1] = ""
        out[#out + 1] = loc.head .. " {"
        put(out, "    ", only_closed(loc))
        out[#out + 1] = "}"
    end
    return out
end

function _M.http_lines(site)
    local out = {}

    if site.dollar then
        out = { "geo $import_dollar {", '    default "$";', "}" }
    end
    _M.append(out, site.http)
    return out
end

local HEAD = [[
worker_processes auto;
error_log logs/error.log notice;
pid logs/lunette.pid;

events {
    worker_connections 10000;
}

http {
    include mime.types;
    default_type application/octet-stream;
    access_log logs/access.log combined rotate=100m keep=7;
]]

-- A whole configuration of some sites, under a few words about where from.
function _M.configuration(sites, about)
    local out = {}

    append(out, _M.comment(about))
    out[#out + 1] = ""
    out[#out + 1] = HEAD
    for i, site in ipairs(sites) do
        if i > 1 and site.dollar then
            for j = 1, i - 1 do
                site.dollar = site.dollar and not sites[j].dollar
            end
        end
        put(out, "    ", _M.http_lines(site))
        out[#out + 1] = "    server {"
        for _, listen in ipairs(site.listens) do
            out[#out + 1] = "        listen " .. listen .. ";"
        end
        out[#out + 1] = "        server_name "
            .. (#site.names > 0 and concat(site.names, " ") or '""') .. ";"
        out[#out + 1] = "        root " .. _M.quote(site.root) .. ";"
        out[#out + 1] = ""
        for _, line in ipairs(_M.server_lines(site)) do
            out[#out + 1] = line == "" and "" or "        " .. line
        end
        out[#out + 1] = "    }"
        out[#out + 1] = ""
    end
    out[#out] = "}"
    return concat(out, "\n") .. "\n"
end

return _M
