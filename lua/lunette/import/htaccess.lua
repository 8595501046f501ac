-- lunette/import/htaccess.lua -- .htaccess of Apache
--
-- What is translated is said by tables below; what is not is said in the text,
-- and closes the site (or what its <Files> names) where it protected something.
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local rewrite = require "lunette.import.rewrite"

local concat = table.concat
local find, gmatch, gsub, lower, match, sub, upper =
    string.find, string.gmatch, string.gsub, string.lower, string.match,
    string.sub, string.upper
local ipairs, pairs, tonumber, tostring, type, unpack =
    ipairs, pairs, tonumber, tostring, type, unpack
local add, close, note, say = emit.add, emit.close, emit.note, emit.say

local _M = {}

local MOST_BYTES, MOST_LINES, MOST_DEPTH = 4 * 1024 * 1024, 50000, 20


-- --- lines -----------------------------------------------------------------

-- Words: in quotes, or with blanks behind a backslash.
local function words_of(line)
    local out, at = {}, 1

    while true do
        at = find(line, "%S", at)
        if not at then
            return out
        end

        local quote = sub(line, at, at)

        if quote == '"' or quote == "'" then
            local word, i = {}, at + 1

            while i <= #line and sub(line, i, i) ~= quote do
                if sub(line, i, i + 1) == "\\" .. quote then
                    i = i + 1
                end
                word[#word + 1] = sub(line, i, i)
                i = i + 1
            end
            out[#out + 1] = concat(word)
            at = i + 1
        else
            local word, i = {}, at

            while i <= #line and not find(sub(line, i, i), "%s") do
                if find(sub(line, i, i + 1), "^\\%s") then
                    i = i + 1
                end
                word[#word + 1] = sub(line, i, i)
                i = i + 1
            end
            out[#out + 1] = concat(word)
            at = i
        end
    end
end


-- Nodes { name, words, line } and, of sections, those in them; nil and what is
-- wrong.
local function parse(text)
    local root, stack, n = { name = "" }, {}, 0
    local node = root
    local pending, first

    if #text > MOST_BYTES then
        return nil, "it is too large"
    end
    text = gsub(gsub(text, "^\239\187\191", ""), "\r\n?", "\n")
    for line in gmatch(text .. "\n", "([^\n]*)\n") do
        n = n + 1
        if n > MOST_LINES then
            return nil, "it has too many lines"
        end
        first = pending and first or n
        if find(line, "\\$") and (pending or not find(line, "^%s*#")) then
            pending = pending or {}
            pending[#pending + 1] = sub(line, 1, -2)
        else
            if pending then
                pending[#pending + 1] = line
                line, pending = concat(pending), nil
            end

            local closing = match(line, "^%s*</%s*([%w_]+)%s*>")
            local open, rest = match(line, "^%s*<%s*([%w_]+)%s*(.-)%s*>%s*$")

            if closing then
                if #stack == 0 or lower(node.name) ~= lower(closing) then
                    return nil, ("</%s> ends nothing in line %d"):format(
                                closing, n)
                end
                stack[#stack] = nil
                node = stack[#stack] or root
            elseif open or find(line, "^%s*[^#%s]") then
                local words = words_of(open and rest or line)
                local child = { name = open or table.remove(words, 1),
                                section = open ~= nil, words = words,
                                line = first }

                node[#node + 1] = child
                if open then
                    if #stack == MOST_DEPTH then
                        return nil, "sections too deep in each other in line "
                                    .. n
                    end
                    stack[#stack + 1] = child
                    node = child
                end
            end
        end
    end
    if #stack > 0 then
        return nil, ("<%s> of line %d does not end"):format(node.name,
                                                            node.line)
    end
    return root
end

_M.parse = parse


-- --- mod_rewrite -----------------------------------------------------------

local VARIABLES = {
    HTTP_HOST = { var = "http_host" },
    SERVER_NAME = { var = "host" },
    HTTPS = { var = "import_https" },
    REQUEST_URI = { var = "uri", decoded = true },
    SCRIPT_NAME = { var = "uri", decoded = true },
    PATH_INFO = { var = "uri", decoded = true },
    REQUEST_FILENAME = { var = "request_filename", decoded = true },
    SCRIPT_FILENAME = { var = "request_filename", decoded = true },
    QUERY_STRING = { var = "args" },
    THE_REQUEST = { var = "request" },
    REQUEST_METHOD = { var = "request_method" },
    REQUEST_SCHEME = { var = "scheme" },
    REMOTE_ADDR = { var = "remote_addr" },
    REMOTE_HOST = { var = "remote_addr" },
    REMOTE_PORT = { var = "remote_port" },
    REMOTE_USER = { var = "remote_user", decoded = true },
    SERVER_ADDR = { var = "server_addr" },
    SERVER_PORT = { var = "server_port" },
    SERVER_PROTOCOL = { var = "server_protocol" },
    DOCUMENT_ROOT = { var = "document_root" },
    HTTP_USER_AGENT = { var = "http_user_agent" },
    HTTP_REFERER = { var = "http_referer" },
    HTTP_COOKIE = { var = "http_cookie" },
    HTTP_ACCEPT = { var = "http_accept" },
    HTTP_FORWARDED = { var = "http_forwarded" },
}

local function reference(site, name)
    local header = match(name, "^HTTP:([%w%-]+)$")
    local known = VARIABLES[upper(name)]

    if header then
        return { var = "http_" .. gsub(lower(header), "-", "_") }
    elseif known then
        site.needs[known.var] = true
        return known
    elseif find(name, "^ENV:REDIRECT_STATUS$") or find(name,
                                                       "^ENV:REDIRECT_[%w_]+$")
    then
        return ""                      -- nothing was redirected here
    end
    return nil, "%{" .. name .. "}"
end


-- A text with %{NAME}, $1 and %1 as pieces; nil and what is not known.
local function template(site, text)
    local out, at = {}, 1
    local plain = {}

    local function flush()
        if #plain > 0 then
            out[#out + 1] = concat(plain)
            plain = {}
        end
    end

    while at <= #text do
        local c = sub(text, at, at)
        local name = match(text, "^%%{([^{}]*)}", at)
        local digit = match(text, "^[$%%](%d)", at)

        if c == "\\" and at < #text then
            plain[#plain + 1] = sub(text, at + 1, at + 1)
            at = at + 2
        elseif name then
            local piece, err = reference(site, name)

            if not piece then
                return nil, err
            end
            flush()
            out[#out + 1] = piece
            at = at + #name + 3
        elseif digit then
            flush()
            out[#out + 1] = c == "$" and { r = tonumber(digit) }
                            or { c = tonumber(digit) }
            at = at + 2
        elseif find(text, "^%${", at) then
            return nil, "a RewriteMap"
        else
            plain[#plain + 1] = c
            at = at + 1
        end
    end
    flush()
    return out
end


-- "[NC,R=301]" as { NC = true, R = "301" }, in capitals.
local function flags_of(text)
    local flags = {}

    for flag in gmatch(match(text or "", "^%[(.*)%]$") or "", "[^,]+") do
        local name, value = match(flag, "^%s*([^=%s]+)%s*=?%s*(.-)%s*$")

        if name then
            flags[upper(name)] = value ~= "" and value or true
        end
    end
    return flags
end


local FILES = { ["-f"] = "file", ["-F"] = "file", ["-s"] = "file",
                ["-d"] = "dir" }

local function condition(site, node)
    local words = node.words
    local test, err = template(site, words[1] or "")
    local flags = flags_of(words[3])
    local pattern = words[2] or ""
    local negate = sub(pattern, 1, 1) == "!"

    if not test then
        return nil, err
    end
    pattern = negate and sub(pattern, 2) or pattern
    if FILES[pattern] then
        return { kind = FILES[pattern], test = test, negate = negate,
                 ["or"] = flags.OR or flags.ORNEXT }
    elseif find(pattern, "^%-%a+$") or find(pattern, "^[<>]")
           or words[1] == "expr"
    then
        return nil, "the test " .. pattern
    end

    local equal = sub(pattern, 1, 1) == "="

    if equal then
        pattern = gsub(sub(pattern, 2), '^"(.*)"$', "%1")
    end
    if equal and (flags.NC or flags.NOCASE) then
        pattern = "^" .. gsub(pattern, "[%^%$%(%)%.%[%]%*%+%-%?{}|\\]",
                              "\\%0") .. "$"
        equal = false
    end
    return { kind = equal and "equal" or "regex", test = test,
             pattern = pattern, negate = negate,
             nocase = flags.NC or flags.NOCASE or false,
             ["or"] = flags.OR or flags.ORNEXT }
end


-- Conditions one of which is enough where [OR] says so.
local function groups_of(site, conds)
    local groups, group = {}, nil

    for _, node in ipairs(conds) do
        local cond, err = condition(site, node)

        if not cond then
            return nil, err
        end
        if not group then
            group = {}
            groups[#groups + 1] = group
        end
        group[#group + 1] = cond
        if not cond["or"] then
            group = nil
        end
    end
    return groups
end


local CODES = { permanent = 301, temp = 302, seeother = 303, gone = 410 }

-- What a rule does; nil and what can't be said. Second: it keeps out.
local function action_of(site, text, flags)
    local stop = flags.L or flags.LAST or flags.END or false
    local code = flags.R or flags.REDIRECT
    local target, err

    if flags.F or flags.FORBIDDEN then
        return { kind = "status", code = 403 }
    elseif flags.G or flags.GONE then
        return { kind = "status", code = 410 }
    end
    if code then
        code = code == true and 302 or CODES[lower(code)] or tonumber(code)
        if not code then
            return nil, "the status of R"
        elseif code < 300 or code > 399 then
            return { kind = "status", code = code }
        end
    end
    if text == "-" then
        return { kind = "none", stop = stop }
    end

    target, err = template(site, text)
    if not target then
        return nil, err
    end

    local has_query = find(text, "?", 1, true)
    local append = not (flags.QSD or flags.QSDISCARD)
                   and (flags.QSA or flags.QSAPPEND or not has_query) and true
                   or false
    local first = target[1]
    local absolute = type(first) == "string" and find(first, "^%a+://")

    if type(first) ~= "string" then
        if site.base ~= "/" and first and first.r then
            table.insert(target, 1, site.base)
        else
            target.open = true
        end
    elseif not absolute and not find(first, "^/") then
        table.insert(target, 1, site.base)
    end
    if flags.P or flags.PROXY then
        return { kind = "proxy", target = target, append = append }
    elseif code or absolute then
        return { kind = "redirect", code = code or 302, target = target,
                 append = append, noescape = flags.NE or flags.NOESCAPE }
    end
    return { kind = "rewrite", target = target, append = append, stop = stop }
end


local IGNORED = { L = 1, LAST = 1, END = 1, R = 1, REDIRECT = 1, F = 1,
    FORBIDDEN = 1, G = 1, GONE = 1, QSA = 1, QSAPPEND = 1, QSD = 1,
    QSDISCARD = 1, NC = 1, NOCASE = 1, P = 1, PROXY = 1, PT = 1,
    PASSTHROUGH = 1, NE = 1, NOESCAPE = 1, B = 1, DPI = 1, DISCARDPATH = 1,
    NS = 1, NOSUBREQ = 1, S = 1, SKIP = 1, C = 1, CHAIN = 1, E = 1, ENV = 1 }


local function refuses(flags)
    local code = flags.R or flags.REDIRECT

    return flags.F or flags.FORBIDDEN or flags.G or flags.GONE
           or tonumber(code) and tonumber(code) >= 400
end


-- Rules that a flag of an earlier one lets pass or not: tests of their own.
local function only_if(state)
    local only = {}

    if state.skip and state.skip > 0 then
        state.skip = state.skip - 1
        only[#only + 1] = { is = ('$%s = ""'):format(state.skip_mark) }
    end
    if state.chain then
        only[#only + 1] = { is = ("$%s = 1"):format(state.chain) }
    end
    return only
end


local function rewrite_rule(site, list, node, state)
    local pattern = node.words[1] or ""
    local flags = flags_of(node.words[3])
    local out, rule, err = {}, {}, nil
    local conds = state.conds
    local only = only_if(state)
    local chain = flags.C or flags.CHAIN
    local skip = tonumber(flags.S or flags.SKIP or nil)

    state.conds = {}
    if site.base ~= "/" then
        table.insert(only, { is = ('$uri ~ "^%s"'):format(gsub(site.base,
                                   "[%.%-~]", "\\\\%0")) })
    end
    rule.only = only
    rule.negate = sub(pattern, 1, 1) == "!"
    rule.pattern = rule.negate and sub(pattern, 2) or pattern
    rule.nocase = flags.NC or flags.NOCASE or false
    rule.base = site.base
    rule.action, err = action_of(site, node.words[2] or "-", flags)
    rule.groups = {}
    if rule.action then
        rule.groups, err = groups_of(site, conds)
    end
    for flag in pairs(flags) do
        if not IGNORED[flag] then
            err = err or "the flag " .. flag
        end
    end
    state.chain = nil
    if chain or skip then
        rule.mark = "import_f" .. emit.number(site)
        if chain then
            state.chain = rule.mark
        else
            state.skip, state.skip_mark = skip, rule.mark
        end
    end

    local env = flags.E or flags.ENV

    if env and not find(env, "^!?HTTP_AUTHORIZATION") and not err then
        note(site, out, ("E=%s of line %d"):format(env, node.line))
    end

    local ok = not err

    if ok then
        ok, err = rewrite.translate(site, out, rule)
    end
    if ok then
        if #list.rules == 0 then
            emit.append(list.rules, rewrite.subject(site.base))
        end
        say(list.rules, ("RewriteRule of line %d"):format(node.line))
        emit.append(list.rules, out)
        return
    end

    local what = ("RewriteRule of line %d: %s"):format(node.line, err)

    if refuses(flags) then
        close(site, list, what)
    else
        note(site, list, what)
    end
end


-- --- other modules ---------------------------------------------------------

-- "access plus 1 month 2 days", "A3600" as seconds; nil: it is none.
local UNITS = { year = 31536000, month = 2592000, week = 604800, day = 86400,
                hour = 3600, minute = 60, second = 1 }

local function expires_of(text)
    local kind, n = match(text, "^([AM])(%d+)$")
    local total = 0

    if kind then
        return tonumber(n), kind == "M"
    end
    local base, rest = match(lower(text), "^(%a+)%s+(.*)$")

    if base ~= "access" and base ~= "now" and base ~= "modification" then
        return nil
    end
    for count, unit in gmatch(gsub(rest, "plus", ""), "(%d+)%s+(%a+)") do
        local each = UNITS[gsub(unit, "s$", "")]

        if not each then
            return nil
        end
        total = total + count * each
    end
    return total, base == "modification"
end


local function header(site, list, node)
    local words = node.words
    local i = 1

    if lower(words[1] or "") == "always" or lower(words[1] or "")
                                            == "onsuccess"
    then
        i = 2
    end
    local what, name, value = lower(words[i] or ""), words[i + 1],
                              words[i + 2]

    if not name or not find(name, "^[%w_%-%.]+:?$") or words[i + 3]
       and not find(words[i + 3], "^env=!")
       or value and find(value, "%%[%a{]")
    then
        return false
    end
    name = gsub(name, ":$", "")
    if what == "unset" then
        list[#list + 1] = "more_clear_headers " .. name .. ";"
    elseif (what == "set" or what == "setifempty") and value then
        add(list, "more_set_headers",
            name .. ": " .. emit.literal(site, value))
    elseif (what == "append" or what == "merge" or what == "add") and value
           and list == site.server
    then
        add(list, "add_header", name, emit.literal(site, value), "always")
    else
        return false
    end
    return true
end


local function is_network(word)
    return find(word, "^[%x%.:]+$") or find(word, "^[%x%.:]+/%d+$")
end


-- "10.1" of Apache is 10.1.0.0/16.
local function network(word)
    word = gsub(word, "%.$", "")

    local _, dots = gsub(word, "%.", "")

    if find(word, "^[%d%.]+$") and dots < 3 then
        return word .. (".0"):rep(3 - dots) .. "/" .. 8 * (dots + 1)
    end
    return word
end


-- Order, Allow and Deny of 2.2; state.order is what the first says.
local function allow_deny(site, list, node, state)
    local rules = state.access
    local what = lower(node.name)

    if what == "order" then
        rules.order = lower(concat(node.words, ","))
        return true
    end
    if lower(node.words[1] or "") ~= "from" then
        return false
    end
    for i = 2, #node.words do
        local word = lower(node.words[i])

        if word ~= "all" and not is_network(word) then
            return false
        end
        rules[#rules + 1] = { what, word == "all" and word
                                    or network(word) }
    end
    return true
end


-- Of "deny,allow" the allows win, of "allow,deny" the denies; and the last
-- word is who is asked about nobody knows.
local function finish_access(list, rules)
    local deny_first = find(rules.order or "deny,allow", "^deny") ~= nil
    local first = deny_first and "allow" or "deny"

    if #rules == 0 and not rules.order then
        return
    end
    for pass = 1, 2 do
        for _, rule in ipairs(rules) do
            if (rule[1] == first) == (pass == 1) then
                list[#list + 1] = rule[1] .. " " .. rule[2] .. ";"
            end
        end
    end
    if not find(list[#list] or "", "^%l+ all;$") then
        list[#list + 1] = deny_first and "allow all;" or "deny all;"
    end
end


-- Require of 2.4; true, or false: it can't be said.
local function require_of(site, list, node, state)
    local words = node.words
    local what, rest = lower(words[1] or ""), lower(words[2] or "")
    local rules = state.requires

    if what == "all" and rest == "granted" then
        rules.open = true
    elseif what == "all" and rest == "denied" then
        rules.denied = true
    elseif what == "ip" and #words > 1 then
        for i = 2, #words do
            if not is_network(words[i]) then
                return false
            end
            rules[#rules + 1] = "allow " .. network(words[i]) .. ";"
        end
    elseif what == "local" then
        rules[#rules + 1] = "allow 127.0.0.0/8;"
        rules[#rules + 1] = "allow ::1;"
    elseif what == "valid-user" then
        rules.user = true
    else
        return false
    end
    return true
end


-- A container of Require is one list here: any of them is enough.
local function finish_requires(site, list, state)
    local rules, auth = state.requires, state.auth

    emit.append(list, rules)
    if #rules > 0 then
        list[#list + 1] = "deny all;"
    elseif rules.denied then
        list[#list + 1] = "deny all;"
    end
    if not rules.user then
        if auth.used and not rules.open and #rules == 0 then
            close(site, list, "AuthType without a Require that is known")
        end
        return
    end
    if lower(auth.type or "") ~= "basic" or not auth.file then
        close(site, list, "AuthType " .. (auth.type or "(none)")
              .. ", or one without AuthUserFile")
        return
    end
    if #rules > 0 then
        list[#list + 1] = "satisfy any;"
    end
    add(list, "auth_basic", emit.literal(site, auth.name or "Restricted"))
    add(list, "auth_basic_user_file", emit.literal(site, auth.file))
end


local function error_document(site, list, node)
    local code, to = tonumber(node.words[1] or ""), node.words[2] or ""

    if not code or code < 300 or code > 599 then
        return false
    elseif find(to, "^https?://") then
        add(list, "error_page", tostring(code), "=302",
            emit.literal(site, to))
    elseif sub(to, 1, 1) == "/" then
        add(list, "error_page", tostring(code), emit.literal(site, to))
    else
        return false
    end
    return true
end


local function options(site, list, node)
    for _, word in ipairs(node.words) do
        local off = sub(word, 1, 1) == "-"
        local name = lower(gsub(word, "^[+-]", ""))

        if name == "indexes" then
            list[#list + 1] = "autoindex " .. (off and "off;" or "on;")
        elseif name == "all" and not off or name == "none" then
            list[#list + 1] = "autoindex "
                              .. (name == "all" and "on;" or "off;")
        elseif name == "execcgi" and not off or name == "includes" and not off
        then
            note(site, list, "Options " .. word)
        end
    end
    return true
end


local TYPE = "^[%w!#&%-%^_%.%+]+/[%w!#&%-%^_%.%+]+$"

local function add_type(site, list, node)
    local mime = gsub(node.words[1] or "", ";.*", "")

    if find(lower(mime), "php") then
        site.php = true
        return #node.words == 2 and lower(gsub(node.words[2], "^%.", ""))
               == "php"
    elseif not find(mime, TYPE) then
        return false
    end
    for i = 2, #node.words do
        local ext = lower(gsub(node.words[i], "^%.", ""))

        if not find(ext, "^[%w_%-]+$") then
            return false
        end
        site.types[ext] = mime
    end
    return true
end


local function redirect(site, list, node)
    local words = node.words
    local code = 302
    local name = lower(node.name)
    local i = 1

    if name == "redirectpermanent" then
        code = 301
    elseif name ~= "redirecttemp" and (CODES[lower(words[1] or "")]
                                       or tonumber(words[1] or ""))
    then
        code = CODES[lower(words[1])] or tonumber(words[1])
        i = 2
    end

    local from, to = words[i], words[i + 1]

    if not from or code >= 300 and code < 400 and not to then
        return false
    end

    local rule = { groups = {}, base = "/" }

    if name == "redirectmatch" then
        rule.pattern = from
    else
        local path = gsub(from, "[%^%$%(%)%.%[%]%*%+%-%?{}|\\]", "\\%0")

        rule.pattern = "^" .. gsub(path, "/$", "") .. "(/.*)?$"
        to = to and gsub(gsub(to, "[$\\%%]", "\\%0"), "/$", "") .. "$1"
    end
    if code >= 300 and code < 400 then
        local target, err = template(site, to)

        if not target then
            return false, err
        end
        rule.action = { kind = "redirect", code = code, target = target,
                        append = true }
    else
        rule.action = { kind = "status", code = code }
    end
    rule.var = "uri"
    return rewrite.translate(site, list.rules, rule)
end


local function directory_index(site, list, node)
    local names = {}

    for _, word in ipairs(node.words) do
        site.php = site.php or find(lower(word), "%.php$") ~= nil
        names[#names + 1] = emit.literal(site, word)
    end
    if #names == 0 then
        return false
    end
    list.has_index = true
    add(list, "index", unpack(names))
    return true
end


-- --- directives ------------------------------------------------------------

local PROTECTS = { "auth", "require", "deny", "allow", "satisfy", "limit",
                   "ssl", "sec", "order" }

local function protects(name)
    for _, word in ipairs(PROTECTS) do
        if find(lower(name), word, 1, true) then
            return true
        end
    end
end

local HANDLERS = {
    rewritecond = function (_, _, node, state)
        state.conds[#state.conds + 1] = node
        return true
    end,
    rewriterule = function (site, list, node, state)
        if state.engine then
            rewrite_rule(site, list, node, state)
        else
            say(list, "RewriteRule of line " .. node.line
                .. ": RewriteEngine is off")
            state.conds = {}
        end
        return true
    end,
    rewriteengine = function (_, _, node, state)
        state.engine = lower(node.words[1] or "") == "on"
        return true
    end,
    rewritebase = function () return true end,
    header = header,
    directoryindex = directory_index,
    errordocument = error_document,
    options = options,
    addtype = add_type,
    redirect = redirect,
    redirectmatch = redirect,
    redirectpermanent = redirect,
    redirecttemp = redirect,
    order = allow_deny,
    allow = allow_deny,
    deny = allow_deny,
    require = require_of,
    authtype = function (_, _, node, state)
        state.auth.type, state.auth.used = node.words[1], true
        return true
    end,
    authname = function (_, _, node, state)
        state.auth.name, state.auth.used = node.words[1], true
        return true
    end,
    authuserfile = function (_, _, node, state)
        state.auth.file, state.auth.used = node.words[1], true
        return true
    end,
    expiresactive = function (_, list, node)
        list.expires_on = lower(node.words[1] or "") == "on"
        return true
    end,
    expiresdefault = function (_, list, node)
        local n = expires_of(concat(node.words, " "))

        list.expires_default = n
        return n ~= nil
    end,
    expiresbytype = function (_, list, node)
        local mime = node.words[1] or ""
        local n, modified = expires_of(concat(node.words, " ", 2))

        if not n or not find(mime, TYPE) then
            return false
        end
        list.expires = list.expires or {}
        list.expires[#list.expires + 1] =
            { mime, (modified and "modified +" or "") .. n .. "s" }
        return true
    end,
    adddefaultcharset = function (_, list, node)
        local name = node.words[1] or ""

        if not find(name, "^[%w_%-]+$") then
            return false
        end
        list[#list + 1] = "charset " .. (lower(name) == "off" and "off"
                                         or name) .. ";"
        return true
    end,
    addcharset = function () return false end,
    addoutputfilterbytype = function (site, list, node)
        local types = {}

        if upper(node.words[1] or "") ~= "DEFLATE" then
            return false
        end
        for i = 2, #node.words do
            local mime = lower(node.words[i])

            if find(mime, TYPE) and mime ~= "text/html"
               and not list.gzip_types[mime]
            then
                list.gzip_types[mime] = true
                types[#types + 1] = mime
            end
        end
        for _, mime in ipairs(types) do
            list.gzip_list[#list.gzip_list + 1] = mime
        end
        list.gzip = true
        return true
    end,
    addencoding = function () return false end,
    limitrequestbody = function (_, list, node)
        local n = tonumber(node.words[1] or "")

        if n then
            list[#list + 1] = ("client_max_body_size %d;"):format(n)
        end
        return n ~= nil
    end,
    serversignature = function () return true end,
    fileetag = function (_, list, node)
        if lower(node.words[1] or "") == "none" then
            list[#list + 1] = "etag off;"
        end
        return true
    end,
    addhandler = function (site, _, node)
        if find(lower(node.words[1] or ""), "php") then
            site.php = true
            return #node.words == 2 and find(lower(node.words[2]), "^%.?php$")
                   ~= nil
        end
        return false
    end,
}


-- --- sections --------------------------------------------------------------

local scope

-- Whose condition is true here, or is a module: what stands in it counts.
local function transparent(node)
    local name = lower(node.name)
    local word = node.words[1] or ""

    if name == "ifmodule" then
        return sub(word, 1, 1) ~= "!"
    elseif name == "ifdefine" then
        return sub(word, 1, 1) == "!"
    elseif name == "ifversion" then
        return true
    end
end


-- A wildcard of <Files> as a pattern of names; nil: no such thing.
local function files_pattern(node)
    local word = node.words[1] or ""

    if lower(node.name) == "filesmatch" then
        return word
    elseif word == "~" then
        return node.words[2]
    end
    local text = gsub(word, "[%^%$%(%)%.%[%]%+%-{}|\\]", "\\%0")

    return "^" .. gsub(gsub(text, "%*", "[^/]*"), "%?", "[^/]") .. "$"
end


local function new_state()
    return { conds = {}, access = {}, requires = {}, auth = {},
             engine = true }
end


local function new_list(list)
    list.rules, list.gzip_types, list.gzip_list = list.rules or {},
        list.gzip_types or {}, list.gzip_list or {}
    return list
end


local function finish_expires(site, list)
    local n

    if not list.expires_on or not list.expires and not list.expires_default
    then
        return
    end
    if not list.expires then
        list[#list + 1] = ("expires %ds;"):format(list.expires_default)
        return
    end
    n = emit.number(site)

    local http = site.http

    http[#http + 1] = ("map $sent_http_content_type $import_expires_%d {")
                      :format(n)
    http[#http + 1] = "default " .. (list.expires_default
                      and list.expires_default .. "s" or "off") .. ";"
    for _, row in ipairs(list.expires) do
        http[#http + 1] = ('"~*^%s(?:;|$)" %s;'):format(
            gsub(row[1], "[%.%+%^]", "\\\\%0"), emit.quote(row[2]))
    end
    http[#http + 1] = "}"
    list[#list + 1] = ("expires $import_expires_%d;"):format(n)
end


local function finish_scope(site, list, state)
    finish_access(list, state.access)
    finish_requires(site, list, state)
    finish_expires(site, list)
    if list.gzip then
        list[#list + 1] = "gzip on;"
        if #list.gzip_list > 0 then
            add(list, "gzip_types", unpack(list.gzip_list))
        end
    end
    for i = #list.rules, 1, -1 do
        table.insert(list, 1, list.rules[i])
    end
    list.rules = {}
end


-- <Files> and <FilesMatch>: a location of names, at any depth.
local function files_section(site, node)
    local pattern = files_pattern(node)
    local list, state

    if not pattern or pattern == "" then
        return false
    end

    -- A name begins behind a slash, and ends where the path does.
    local path = "(?:" .. gsub("\1" .. pattern, "([^\\%[])%^", "%1(?<=/)")
                 .. ")[^/]*$"

    path = gsub(path, "\1", "")
    list = new_list(emit.location(site, "location ~ " .. '"'
                    .. gsub(gsub(path, "\\", "\\\\"), '"', '\\"') .. '"'))
    list.scope = true
    state = new_state()
    scope(site, node, list, state)
    finish_scope(site, list, state)
    return true
end


local function one_section(site, node, list, state)
    local name = lower(node.name)
    local through = transparent(node)

    if through then
        scope(site, node, list, state)
    elseif through == false then
        say(list, ("<%s> of line %d is not so"):format(node.name, node.line))
    elseif (name == "files" or name == "filesmatch") and list == site.server
           and files_section(site, node)
    then
        return
    elseif name == "requireany" then
        scope(site, node, list, state)
    elseif name == "requireall" and #node == 1 then
        scope(site, node, list, state)
    else
        local what = ("<%s %s> of line %d"):format(node.name,
                     concat(node.words, " "), node.line)
        local dangerous = protects(node.name)

        for _, inner in ipairs(node) do
            dangerous = dangerous or protects(inner.name)
        end
        if dangerous then
            close(site, list, what)
        else
            note(site, list, what)
        end
    end
end


function scope(site, parent, list, state)
    for _, node in ipairs(parent) do
        local handler = HANDLERS[lower(node.name)]

        if node.section then
            one_section(site, node, list, state)
        elseif not handler
               or not handler(site, list, node, state)
        then
            local what = ("%s %s, line %d"):format(node.name,
                         concat(node.words, " "), node.line)

            if protects(node.name) then
                close(site, list, what)
            else
                note(site, list, what)
            end
        end
    end
end


-- The first RewriteBase: where the file lies.
local function base_of(node)
    for _, child in ipairs(node) do
        local base = lower(child.name) == "rewritebase" and child.words[1]
                     or child.section and base_of(child)

        if base and find(base, "^/[%w_%-%./~]*$") then
            return (gsub(base, "/+$", "")) .. "/"
        end
    end
end


-- The text into the site; nil and what is wrong.
function _M.import(site, text)
    local root, err = parse(text)
    local list = new_list(site.server)
    local state = new_state()

    if not root then
        return nil, err
    end
    site.base = base_of(root) or "/"
    say(site.first, "What Apache hides in all folders, and files whose names "
        .. "begin with a dot.")
    emit.append(site.first, { 'if ($uri ~ "/\\\\.(?!well-known/)") {',
                              "return 404;", "}" })
    scope(site, root, list, state)
    finish_scope(site, list, state)
    if not list.has_index then
        list[#list + 1] = site.php and "index index.php index.html;"
                          or "index index.html;"
    end
    return true
end


return _M
