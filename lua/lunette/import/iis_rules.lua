-- lunette/import/iis_rules.lua -- system.webServer/rewrite of IIS: rules, maps
-- and outbound rules
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local rewrite = require "lunette.import.rewrite"
local tree = require "lunette.import.tree"

local concat = table.concat
local find, gsub, lower, match, sub, upper =
    string.find, string.gsub, string.lower, string.match, string.sub,
    string.upper
local ipairs, tonumber, type = ipairs, tonumber, type
local attr, each, is_true = tree.attr, tree.each, tree.is_true

local _M = {}

-- Server variables of IIS, and what they are here.
local VARIABLES = {
    HTTP_HOST = { var = "http_host" },
    SERVER_NAME = { var = "host" },
    HTTPS = { var = "import_https" },
    REQUEST_URI = { var = "request_uri" },
    UNENCODED_URL = { var = "request_uri" },
    HTTP_X_ORIGINAL_URL = { var = "request_uri" },
    HTTP_X_REWRITE_URL = { var = "request_uri" },
    URL = { var = "uri", decoded = true },
    PATH_INFO = { var = "uri", decoded = true },
    SCRIPT_NAME = { var = "uri", decoded = true },
    QUERY_STRING = { var = "args" },
    REQUEST_METHOD = { var = "request_method" },
    REQUEST_FILENAME = { var = "request_filename", decoded = true },
    SCRIPT_FILENAME = { var = "request_filename", decoded = true },
    PATH_TRANSLATED = { var = "request_filename", decoded = true },
    DOCUMENT_ROOT = { var = "document_root" },
    REMOTE_ADDR = { var = "remote_addr" },
    REMOTE_HOST = { var = "remote_addr" },
    REMOTE_PORT = { var = "remote_port" },
    LOCAL_ADDR = { var = "server_addr" },
    SERVER_PORT = { var = "server_port" },
    SERVER_PORT_SECURE = { var = "import_secure" },
    SERVER_PROTOCOL = { var = "server_protocol" },
    REQUEST_SCHEME = { var = "scheme" },
    CONTENT_TYPE = { var = "content_type" },
    CONTENT_LENGTH = { var = "content_length" },
    LOGON_USER = { var = "remote_user", decoded = true },
    REMOTE_USER = { var = "remote_user", decoded = true },
    AUTH_USER = { var = "remote_user", decoded = true },
}

local FUNCTIONS = { tolower = "lower", urlencode = "escape",
                    urldecode = "unescape" }

local parse


-- What stands in one pair of braces; nil and what is not known.
local function parse_reference(site, name)
    local kind, n = match(name, "^([RC]):(%d)$")

    if kind then
        return { [lower(kind)] = tonumber(n) }
    end

    local what, rest = match(name, "^([^:]+):(.*)$")

    if what then
        local field = FUNCTIONS[lower(what)]
        local inner, err = parse(site, rest)

        if not inner then
            return nil, err
        elseif field then
            return { [field] = inner }
        elseif site.maps[lower(what)] then
            return { map = what, key = inner }
        end
        return nil, "{" .. name .. "}"
    end

    local known = VARIABLES[upper(name)]

    if known then
        site.needs[known.var] = true
        return known
    elseif find(name, "^HTTP_[%w_]+$") then
        return { var = lower(name) }
    end
    return nil, "{" .. name .. "}"
end


-- A text with its references as pieces; nil and what is not known.
function parse(site, text)
    local out, at = {}, 1

    while true do
        local from, last = find(text, "%b{}", at)

        if not from then
            break
        end
        if from > at then
            out[#out + 1] = sub(text, at, from - 1)
        end

        local piece, err = parse_reference(site, sub(text, from + 1, last - 1))

        if not piece then
            return nil, err
        end
        out[#out + 1] = piece
        at = last + 1
    end
    if at <= #text then
        out[#out + 1] = sub(text, at)
    end
    return out
end


-- A pattern in one of IIS's three ways of writing one.
local function pattern_of(text, syntax)
    if syntax == "ECMAScript" then
        return text
    end

    local plain = gsub(text, "[%^%$%(%)%%%.%[%]%*%+%-%?{}|\\/]", function (c)
        return syntax == "Wildcard" and c == "*" and "(.*)" or "\\" .. c
    end)

    return "^" .. gsub(plain, "\\([/%%%-])", "%1") .. "$"
end


local function new_condition(site, node, syntax)
    local input = attr(node, "input") or ""
    local test, err = parse(site, input)
    local kind = attr(node, "matchType") or "Pattern"

    if not test then
        return nil, err
    end
    if kind == "Pattern" then
        local pattern = attr(node, "pattern")

        if not pattern then
            return nil, "a condition without a pattern"
        end
        return { kind = "regex", test = test,
                 nocase = attr(node, "ignoreCase") ~= "false",
                 negate = is_true(node, "negate"),
                 pattern = pattern_of(pattern, syntax) }
    end
    attr(node, "pattern")
    attr(node, "ignoreCase")
    return { kind = kind == "IsFile" and "file" or "dir", test = test,
             negate = is_true(node, "negate") }
end


-- Lists of conditions, of each of which one is enough; nil and what is wrong.
local function conditions_of(site, rule, syntax)
    local groups, any = {}, {}

    for node in each(rule, "conditions") do
        local is_any = attr(node, "logicalGrouping") == "MatchAny"

        if is_true(node, "trackAllCaptures") then
            return nil, "trackAllCaptures"
        end
        for add in each(node, "add") do
            local cond, err = new_condition(site, add, syntax)

            if not cond then
                return nil, err
            elseif is_any then
                any[#any + 1] = cond
            else
                groups[#groups + 1] = { cond }
            end
        end
    end
    if #any > 0 then
        groups[#groups + 1] = any
    end
    return groups
end


local CODES = { Permanent = 301, Found = 302, SeeOther = 303, Temporary = 307 }

-- A path from the root of the site; URLs stay as they are.
local function rooted(text)
    if type(text[1]) == "string" then
        if find(text[1], "^%a[%w+.%-]*://") or find(text[1], "^/") then
            return text
        end
        text[1] = "/" .. gsub(text[1], "^~/", "")
    else
        text.open = true
    end
    return text
end


local function action_of(site, node)
    local kind = attr(node, "type") or "None"
    local url = attr(node, "url")
    local append = attr(node, "appendQueryString") ~= "false"

    attr(node, "logRewrittenUrl")
    if kind == "Rewrite" or kind == "Redirect" then
        local target, err = parse(site, url or "")

        if not target then
            return nil, err
        elseif kind == "Redirect" then
            local code = attr(node, "redirectType") or "Permanent"

            return { kind = "redirect", target = rooted(target),
                     append = append, code = CODES[code] or 301 }
        end
        rooted(target)
        return { target = target, append = append,
                 kind = find(tostring(target[1]), "^https?://") and "proxy"
                        or "rewrite" }

    elseif kind == "CustomResponse" then
        local reason = attr(node, "statusReason")

        attr(node, "statusDescription")
        attr(node, "subStatusCode")
        return { kind = "status", reason = reason,
                 code = tonumber(attr(node, "statusCode")) or 403 }
    elseif kind == "AbortRequest" then
        return { kind = "status", code = 444 }
    end
    return { kind = "none" }
end


local function read_rule(site, node)
    local syntax = attr(node, "patternSyntax") or "ECMAScript"
    local rule = { groups = {}, action = { kind = "none" }, pattern = ".*" }
    local err

    for m in each(node, "match") do
        rule.pattern = pattern_of(attr(m, "url") or ".*", syntax)
        rule.nocase = attr(m, "ignoreCase") ~= "false"
        rule.negate = is_true(m, "negate")
    end
    for action in each(node, "action") do
        rule.action, err = action_of(site, action)
    end
    if not rule.action then
        return nil, err
    end
    rule.action.stop = is_true(node, "stopProcessing")
    rule.groups, err = conditions_of(site, node, syntax)
    return rule.groups and rule, err
end


-- Whether a rule that can't be said keeps somebody out.
local function refuses(node)
    for action in each(node, "action") do
        local kind = attr(action, "type")

        return kind == "AbortRequest" or kind == "CustomResponse"
    end
end


local function read_maps(site, node)
    for maps in each(node, "rewriteMaps") do
        for map in each(maps, "rewriteMap") do
            local list = { default = attr(map, "defaultValue") or "" }

            attr(map, "ignoreCase")
            for add in each(map, "add") do
                list[#list + 1] = { attr(add, "key") or "",
                                    attr(add, "value") or "" }
            end
            site.maps[lower(attr(map, "name") or "")] = list
        end
    end
end


local function one_rule(site, out, node)
    local name = attr(node, "name") or "without a name"

    if attr(node, "enabled") == "false" then
        emit.say(out, 'rule "' .. name .. '" was switched off')
        tree.use_all(node)
        return
    end
    emit.say(out, 'rule "' .. name .. '"')

    local rule, err = read_rule(site, node)
    local before, ok = #out, nil

    if rule then
        ok, err = rewrite.translate(site, out, rule)
    end
    if not ok then
        local what = ('rule "%s" of line %d: %s'):format(name, node.line, err)

        for i = #out, before + 1, -1 do
            out[i] = nil
        end
        if refuses(node) then
            emit.close(site, site.server, what)
        else
            emit.note(site, out, what)
        end
        tree.use_all(node)
    end
end


-- --- outbound --------------------------------------------------------------

local function lua_text(text)
    return (gsub(("%q"):format(text), "\\\n", "\\n"))
end


-- A text as an expression of Lua; `m` has what was matched.
local function lua_value(text)
    local out = {}

    for _, piece in ipairs(text) do
        if type(piece) == "string" then
            out[#out + 1] = lua_text(piece)
        elseif piece.var then
            out[#out + 1] = ('(ngx.var.%s or "")'):format(piece.var)
        elseif piece.r then
            out[#out + 1] = ('(m[%d] or "")'):format(piece.r)
        elseif piece.lower then
            out[#out + 1] = ("(%s):lower()"):format(lua_value(piece.lower))
        else
            return nil
        end
    end
    return #out > 0 and concat(out, " .. ") or '""'
end


-- {RESPONSE_CONTENT_TYPE} and its like; nil: no such thing.
local function header_of(text)
    local name = match(text, "^RESPONSE_([%w_]+)$")

    return name and gsub(name, "_", "-")
end


local function lua_test(site, cond, syntax)
    local input = attr(cond, "input") or ""
    local header = header_of(match(input, "^{(.*)}$") or "")
    local value

    if attr(cond, "matchType") and attr(cond, "matchType") ~= "Pattern" then
        return nil
    end
    if header then
        value = ('tostring(ngx.header[%s] or "")'):format(lua_text(header))
    else
        local text = parse(site, input)

        value = text and lua_value(text)
    end
    return value and ("%sngx.re.find(%s, %s, %s)"):format(
        is_true(cond, "negate") and "not " or "", value,
        lua_text(pattern_of(attr(cond, "pattern") or "", syntax)),
        attr(cond, "ignoreCase") ~= "false" and '"i"' or '""')
end


-- The expression of a list of conditions; nil: one can't be said.
local function lua_tests(site, node, syntax)
    local tests = {}
    local word = attr(node, "logicalGrouping") == "MatchAny" and " or "
                 or " and "

    for add in each(node, "add") do
        local test = lua_test(site, add, syntax)

        if not test then
            return nil
        end
        tests[#tests + 1] = test
    end
    return #tests > 0 and "(" .. concat(tests, word) .. ")" or "true"
end


local function outbound_header(site, node, header, pre, code)
    local syntax = attr(node, "patternSyntax") or "ECMAScript"
    local tests, value, pattern, nocase, negate = { pre }, nil, ".*", true

    for m in each(node, "match") do
        pattern = pattern_of(attr(m, "pattern") or ".*", syntax)
        nocase = attr(m, "ignoreCase") ~= "false"
        negate = is_true(m, "negate")
        attr(m, "filterByTags")
    end
    for conditions in each(node, "conditions") do
        tests[#tests + 1] = lua_tests(site, conditions, syntax)
        if #tests ~= 2 then
            return nil
        end
    end
    for action in each(node, "action") do
        local text = parse(site, attr(action, "value") or "")

        if attr(action, "type") ~= "None" then
            value = text and lua_value(text)
        end
    end
    if not value then
        return nil
    end

    emit.append(code, {
        ("if %s then"):format(concat(tests, " and ")),
        ("    local name = %s"):format(lua_text(header)),
        "    local all = ngx.header[name] or \"\"",
        "    all = type(all) == \"table\" and all or { all }",
        "    for i, text in ipairs(all) do",
        ("        local m = ngx.re.match(text, %s, %s)"):format(
            lua_text(pattern), nocase and '"i"' or '""'),
        negate and "        if not m then" or "        if m then",
        ("            all[i] = %s"):format(value),
        "        end",
        "    end",
        "    if #all == 1 then",
        "        all = all[1] ~= \"\" and all[1] or nil",
        "    end",
        "    ngx.header[name] = all",
        "end",
    })
    return true
end


local function outbound(site, node)
    local code, pres = {}, {}

    for list in each(node, "preConditions") do
        for pre in each(list, "preCondition") do
            pres[attr(pre, "name") or ""] =
                lua_tests(site, pre, attr(pre, "patternSyntax")
                                     or "ECMAScript") or false
        end
    end
    for rule in each(node, "rule") do
        local name = attr(rule, "name") or "without a name"
        local pre = attr(rule, "preCondition")
        local header, ok

        attr(rule, "stopProcessing")
        for m in each(rule, "match") do
            header = header_of(attr(m, "serverVariable") or "")
        end
        if attr(rule, "enabled") == "false" then
            tree.use_all(rule)
            ok = true
        elseif header and (not pre or pre == "" or pres[pre]) then
            code[#code + 1] = "-- outbound rule "
                              .. gsub(lua_text(name), "[%c]", " ")
            ok = outbound_header(site, rule, header,
                                 pre and pres[pre] or "true", code)
        end
        if not ok then
            emit.note(site, site.first,
                      ('outbound rule "%s" of line %d'):format(name, rule.line)
                      .. (header and "" or ", which is about the text of "
                                           .. "answers: see sub_filter"))
            tree.use_all(rule)
        end
    end
    if #code > 0 then
        local first = site.first

        first[#first + 1] = "header_filter_by_lua_block {"
        emit.append(first, code)
        first[#first + 1] = "}"
    end
end


-- --- all of it -------------------------------------------------------------

function _M.import(site, node)
    local out = {}

    read_maps(site, node)
    for _, name in ipairs { "globalRules", "rules" } do
        for rules in each(node, name) do
            for _ in each(rules, "clear") do end
            for rule in each(rules, "rule") do
                if #out == 0 then
                    emit.append(out, rewrite.subject())
                end
                one_rule(site, out, rule)
            end
        end
    end
    for rules in each(node, "outboundRules") do
        outbound(site, rules)
    end
    for allowed in each(node, "allowedServerVariables") do
        tree.use_all(allowed)
    end
    emit.append(site.server, out)
end


-- At the end: maps and variables that rules have asked for.
function _M.finish(site)
    local http = site.http

    rewrite.put_maps(site, site.maps)
    if site.needs.import_https and not site.counter.https then
        site.counter.https = true
        emit.append(http, { "map $https $import_https {", "default off;",
                            "on on;", "}" })
    end
    if site.needs.import_secure and not site.counter.secure then
        site.counter.secure = true
        emit.append(http, { "map $https $import_secure {", "default 0;",
                            "on 1;", "}" })
    end
end


return _M
