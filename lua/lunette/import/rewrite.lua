-- lunette/import/rewrite.lua -- rules of rewriting, IIS's and Apache's, in the
-- words of nginx
--
-- A rule is a test of the path, conditions, and what to do. nginx's `if` takes
-- one test and has no `and`: each test that holds adds a letter to a variable,
-- and the last `if` asks for the whole word. What was captured is set where it
-- was captured.
--
-- A text is a list of pieces: strings, and tables that name a value:
--     { var = "uri", decoded = true }      a variable of nginx's
--     { r = 1 }, { c = 1 }                 captured from path or condition
--     { lower = text } { escape = text } { unescape = text }
--     { map = "name", key = text }
--
-- What was decoded is encoded again where it becomes a part of a query or of a
-- Location, since it may hold whatever a client has sent: ends of lines, too.
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"

local concat = table.concat
local find, gsub, match, sub = string.find, string.gsub, string.match,
                               string.sub
local ipairs, tonumber, type = ipairs, tonumber, type
local quote = emit.quote

local _M = {}

local MOST_CAPTURES = 9
local ALL = { [""] = 0, ["^"] = 0, ["^.*$"] = 0, [".*"] = 0, ["(.*)"] = 1,
              ["^(.*)$"] = 1, ["^(.*)"] = 1, ["(.*)$"] = 1, [".?"] = 0 }

-- Calls each(piece) for all tables in a text, those in others as well.
local function each_piece(text, each)
    for _, piece in ipairs(text) do
        if type(piece) == "table" then
            each(piece)
            for _, inner in ipairs { "lower", "escape", "unescape", "key" } do
                if piece[inner] then
                    each_piece(piece[inner], each)
                end
            end
        end
    end
end


local function uses(texts, field)
    local set, any = {}, false

    for _, text in ipairs(texts) do
        each_piece(text, function (piece)
            if piece[field] then
                set[piece[field]] = true
                any = true
            end
        end)
    end
    return any and set or nil
end


local function is_decoded(text)
    local decoded = false

    each_piece(text, function (piece)
        decoded = decoded or piece.decoded or piece.r ~= nil
    end)
    return decoded
end


-- The pattern as a group of its own, for who wants all that was matched; nil:
-- it names its groups by numbers that can't grow.
local function whole(pattern)
    local bad = false
    local moved = gsub(pattern, "\\(.)", function (c)
        if c == "9" then
            bad = true
        end
        return find(c, "[1-8]") and "\\" .. (tonumber(c) + 1) or nil
    end)

    return not bad and "(" .. moved .. ")" or nil
end


-- Lines for `to` that set $import_r1 and its like of what was just captured.
local function set_captures(lines, letter, used, shift)
    for n = 0, MOST_CAPTURES - shift do
        if used and used[n] and n + shift > 0 then
            lines[#lines + 1] = ("set $import_%s%d $%d;"):format(letter, n,
                                                                n + shift)
        end
    end
end


-- --- texts -----------------------------------------------------------------

local by_lua

-- A variable that has `text`; the lines that make it so go to `lines`.
local function variable_of(site, lines, text, render)
    local only = #text == 1 and text[1]

    if type(only) == "table" and only.var then
        return only.var
    elseif type(only) == "table" and (only.r or only.c) then
        return (only.r and "import_r" or "import_c") .. (only.r or only.c)
    end

    local name = "import_s" .. emit.number(site)

    emit.add(lines, "set $" .. name, render(site, lines, text, "raw"))
    return name
end


-- A variable that a line of Lua makes of another.
function by_lua(site, lines, what, var)
    local name = "import_v" .. emit.number(site)

    lines[#lines + 1] = ("set_by_lua_block $%s { return %s(ngx.var.%s or \"\"%s"
                         .. ") }"):format(name, what[1], var, what[2] or "")
    return name
end

local LOWER = { "string.lower" }
local PATH = { "ngx.escape_uri", ", 0" }
local COMPONENT = { "ngx.escape_uri", ", 2" }
local DECODE = { "ngx.unescape_uri" }

local function value_of(site, lines, piece, how, render)
    local name, decoded

    if piece.var then
        name, decoded = piece.var, piece.decoded
    elseif piece.r then
        name, decoded = "import_r" .. piece.r, true
    elseif piece.c then
        name, decoded = "import_c" .. piece.c, site.c_decoded
    elseif piece.lower then
        name = by_lua(site, lines, LOWER,
                      variable_of(site, lines, piece.lower, render))
        decoded = is_decoded(piece.lower)
    elseif piece.escape then
        name = by_lua(site, lines, COMPONENT,
                      variable_of(site, lines, piece.escape, render))
    elseif piece.unescape then
        name = by_lua(site, lines, DECODE,
                      variable_of(site, lines, piece.unescape, render))
        decoded = true
    else
        local n = emit.number(site)

        name = "import_m" .. n
        emit.add(lines, "set $import_k" .. n,
                 render(site, lines, piece.key, "raw"))
        site.maps_used[#site.maps_used + 1] = { n = n, name = piece.map }
    end

    if decoded and how == "location" then
        name = by_lua(site, lines, PATH, name)
    elseif decoded and how == "query" then
        name = by_lua(site, lines, COMPONENT, name)
    end
    return "${" .. name .. "}"
end


-- `how`: "raw", as it is; "location", of a URL; "query", of its arguments.
local function render(site, lines, text, how)
    local out = {}

    for _, piece in ipairs(text) do
        if type(piece) == "string" then
            out[#out + 1] = emit.literal(site, piece)
        else
            out[#out + 1] = value_of(site, lines, piece, how, render)
        end
    end
    return concat(out)
end

_M.render = render


-- A path whose beginning only the request says: it begins with one slash, so
-- that no client has it name another server; a whole URL of a map stays one.
local function rooted(site, lines, text)
    local n = emit.number(site)

    emit.add(lines, "set $import_s" .. n, text)
    lines[#lines + 1] = ("set_by_lua_block $import_v%d { local s = "
        .. "ngx.var.import_s%d return s:find(\"^%%a[%%w+.-]*://\") and s or "
        .. "(\"/\" .. s):gsub(\"^/+\", \"/\") }"):format(n, n)
    return "${import_v" .. n .. "}"
end


-- A text cut at its first "?"; the second is nil where there is none.
local function split_query(text)
    local path, query = { open = text.open }, nil

    for _, piece in ipairs(text) do
        local at = not query and type(piece) == "string"
                   and find(piece, "?", 1, true)

        if at then
            path[#path + 1] = sub(piece, 1, at - 1)
            query = { sub(piece, at + 1) }
        elseif query then
            query[#query + 1] = piece
        else
            path[#path + 1] = piece
        end
    end
    return path, query
end


-- --- tests -----------------------------------------------------------------

-- What stands in the brackets of an `if`.
local function test_of(site, lines, cond)
    if cond.is then
        return cond.is
    end
    if cond.kind == "file" or cond.kind == "dir" then
        return (cond.negate and "!" or "")
               .. (cond.kind == "file" and "-f " or "-d ")
               .. quote(render(site, lines, cond.test, "raw"))
    end

    local var = variable_of(site, lines, cond.test, render)

    if cond.kind == "equal" then
        return ("$%s %s %s"):format(var, cond.negate and "!=" or "=",
                                    quote(emit.literal(site, cond.pattern)))
    end
    return ("$%s %s~%s %s"):format(var, cond.negate and "!" or "",
                                   cond.nocase and "*" or "",
                                   '"' .. gsub(gsub(cond.pattern, "\\",
                                                    "\\\\"), '"', '\\"') .. '"')
end


-- The lines of an `if`'s block that keep what its pattern has captured.
local function captured(cond, letter, used)
    local lines = {}

    if used and not cond.negate and cond.kind == "regex" then
        set_captures(lines, letter, used, cond.shift or 0)
    end
    return lines
end


local function put_if(lines, test, block)
    lines[#lines + 1] = "if (" .. test .. ") {"
    emit.append(lines, block)
    lines[#lines + 1] = "}"
end


-- A condition whose whole match is asked for.
local function prepare(cond, used)
    if used and used[0] and cond.kind == "regex" and not cond.negate then
        local pattern = whole(cond.pattern)

        if not pattern then
            return nil, "it uses all that was matched, and \\9"
        end
        cond.pattern, cond.shift = pattern, 1
    end
    return true
end


-- --- what is done ----------------------------------------------------------

local function redirect(site, lines, action)
    local path, query = split_query(action.target)
    local text = render(site, lines, path, action.noescape and "raw"
                                           or "location")

    if path.open then
        text = rooted(site, lines, text)
    end
    if query then
        text = text .. "?" .. render(site, lines, query, "query")
        if action.append then
            emit.append(lines, { "set $import_and \"\";",
                                 "if ($args) {",
                                 'set $import_and "&";', "}" })
            text = text .. "${import_and}${args}"
        end
    elseif action.append then
        text = text .. "${is_args}${args}"
    end
    lines[#lines + 1] = ("return %d %s;"):format(action.code, quote(text))
end


local function rewrite(site, lines, action, prefix)
    local path, query = split_query(action.target)
    local text = (prefix or "") .. render(site, lines, path, "raw")

    if path.open then
        text = rooted(site, lines, text)
    end
    if query then
        text = text .. "?" .. render(site, lines, query, "query")
    end
    if not action.append then
        text = text .. (query and #query == 1 and query[1] == "" and ""
                        or "?")
    end
    site.php = site.php or find(text, "%.php%f[%W]") ~= nil
    lines[#lines + 1] = ("rewrite ^ %s%s;"):format(quote(text),
                                                   action.stop and " last"
                                                   or "")
end


-- Another server: by a location of our own, so that nginx encodes the path.
local function proxy(site, lines, action)
    local first = action.target[1]
    local scheme, server, rest

    if type(first) == "string" then
        scheme, server, rest = match(first, "^(https?)://([%w%.%-:%[%]]+)(.*)$")
    end
    if not scheme or (rest == "" and #action.target > 1) then
        return nil, "the server that it passes to is known only when a request "
                    .. "is there"
    end

    local n = emit.number(site)
    local head = "/import-proxy-" .. n .. "/"
    local loc = emit.location(site, "location ^~ " .. head)
    local target = { (gsub(rest, "^/", "")) }

    for i = 2, #action.target do
        target[i] = action.target[i]
    end
    emit.append(loc, { "internal;",
                       ("proxy_pass %s://%s/;"):format(scheme, server),
                       "proxy_http_version 1.1;",
                       "proxy_set_header X-Forwarded-For "
                       .. "$proxy_add_x_forwarded_for;",
                       "proxy_set_header X-Forwarded-Proto $scheme;" })
    rewrite(site, lines, { target = target, append = action.append,
                           stop = true }, head)
    return true
end


local function do_action(site, lines, action)
    local kind = action.kind

    if kind == "rewrite" then
        rewrite(site, lines, action)
    elseif kind == "redirect" then
        redirect(site, lines, action)
    elseif kind == "proxy" then
        return proxy(site, lines, action)
    elseif kind == "status" then
        lines[#lines + 1] = "return " .. action.code .. ";"
    elseif action.stop then
        lines[#lines + 1] = "break;"
    end
    return true
end


-- --- rules -----------------------------------------------------------------

local NESTED = { set = true, ["return"] = true, rewrite = true,
                 ["break"] = true, set_by_lua_block = true }

-- An `if` can't stand in an `if`: what needs one goes before it.
local function is_flat(lines)
    for _, line in ipairs(lines) do
        if not NESTED[match(line, "^[%w_]+") or ""] then
            return false
        end
    end
    return true
end


-- The tests of a rule: a list of conditions, or of lists of them of which one
-- is enough.
local function tests_of(rule, url)
    local tests = {}

    for _, extra in ipairs(rule.only or {}) do
        tests[#tests + 1] = { extra }
    end
    if url then
        tests[#tests + 1] = { url }
    end
    for _, group in ipairs(rule.groups) do
        tests[#tests + 1] = group
    end
    return tests
end


local function texts_of(rule)
    local texts = { rule.action.target }

    for _, group in ipairs(rule.groups) do
        for _, cond in ipairs(group) do
            texts[#texts + 1] = cond.test
        end
    end
    return texts
end


-- All that its conditions capture may be a piece of the path.
local function find_decoded(site, rule)
    site.c_decoded = false
    for _, group in ipairs(rule.groups) do
        for _, cond in ipairs(group) do
            site.c_decoded = site.c_decoded or is_decoded(cond.test)
        end
    end
end


-- Lines in front of a rule: what of the path it is about.
function _M.subject(base)
    local pattern = gsub(base or "/", "[%.%-~]", "\\\\%0")

    local lines = { ('if ($uri ~ "(?s)^%s(.*)$") {'):format(pattern),
                    "set $import_url $1;", "}" }

    if pattern ~= "/" then             -- it may be another path
        table.insert(lines, 1, 'set $import_url "";')
    end
    return lines
end


-- Appends the rule to `out`; nil, and why it can't be said.
function _M.translate(site, out, rule)
    local lines, action = {}, {}
    local texts = texts_of(rule)
    local r, c = uses(texts, "r"), uses(texts, "c")
    local url, ok, err

    find_decoded(site, rule)
    if rule.negate or rule.var or not ALL[rule.pattern] then
        url = { kind = "regex", test = { { var = rule.var or "import_url" } },
                pattern = rule.pattern, nocase = rule.nocase,
                negate = rule.negate, path = true }
        ok, err = prepare(url, r)
        if not ok then
            return nil, err
        end
    elseif r then
        for n = 0, ALL[rule.pattern] do
            if r[n] then
                lines[#lines + 1] = ("set $import_r%d $import_url;"):format(n)
            end
        end
    end
    for _, group in ipairs(rule.groups) do
        for _, cond in ipairs(group) do
            ok, err = prepare(cond, c)
            if not ok then
                return nil, err
            end
        end
    end

    local tests = tests_of(rule, url)

    ok, err = do_action(site, action, rule.action)
    if not ok then
        return nil, err
    end
    if rule.mark then                  -- in front of what may be the end
        table.insert(action, math.max(#action, 1),
                     ("set $%s 1;"):format(rule.mark))
        lines[#lines + 1] = ('set $%s "";'):format(rule.mark)
    end

    if #tests == 0 then
        emit.append(lines, action)

    elseif #tests == 1 and #tests[1] == 1 and is_flat(action) then
        local cond = tests[1][1]
        local block = captured(cond, cond.path and "r" or "c",
                               cond.path and r or c)

        emit.append(block, action)
        local test = test_of(site, lines, cond)
        put_if(lines, test, block)

    else
        local word = ""

        lines[#lines + 1] = 'set $import_t "";'
        for i, group in ipairs(tests) do
            local letter = string.char(96 + (i - 1) % 26 + 1)
            local add = ('set $import_t "${import_t}%s";'):format(letter)

            word = word .. letter
            if #group == 1 then
                local cond = group[1]
                local block = captured(cond, cond.path and "r" or "c",
                                       cond.path and r or c)
                local test = test_of(site, lines, cond)

                table.insert(block, 1, add)
                put_if(lines, test, block)
            else
                lines[#lines + 1] = 'set $import_o "";'
                for _, cond in ipairs(group) do
                    local block = captured(cond, "c", c)
                    local test = test_of(site, lines, cond)

                    table.insert(block, 1, "set $import_o 1;")
                    put_if(lines, test, block)
                end
                put_if(lines, "$import_o", { add })
            end
        end

        local before, inside = {}, action

        if not is_flat(action) then
            inside = { action[#action] }
            for i = 1, #action - 1 do
                before[i] = action[i]
            end
            if rule.mark then
                table.insert(inside, 1, table.remove(before))
            end
        end
        emit.append(lines, before)
        put_if(lines, "$import_t = " .. word, inside)
    end

    emit.append(out, lines)
    if (rule.action.kind == "rewrite") and not rule.action.stop then
        emit.append(out, _M.subject(rule.base))
    end
    return true
end


-- Maps that rules ask, each under the name of who asks.
function _M.put_maps(site, maps)
    for _, use in ipairs(site.maps_used) do
        local map = maps[use.name:lower()]
        local http = site.http

        http[#http + 1] = ("map $import_k%d $import_m%d {"):format(use.n,
                                                                  use.n)
        http[#http + 1] = "default " .. quote(emit.literal(site, map.default))
                          .. ";"
        for _, pair in ipairs(map) do
            http[#http + 1] = quote(_M.map_key(site, pair[1])) .. " "
                              .. quote(emit.literal(site, pair[2])) .. ";"
        end
        http[#http + 1] = "}"
    end
end


-- A key of a map that is none of its words.
function _M.map_key(site, text)
    if find(text, "^[~\\]") or text == "default" or text == "hostnames"
       or text == "include" or text == "volatile"
    then
        return "\\" .. text
    end
    return text
end


return _M
