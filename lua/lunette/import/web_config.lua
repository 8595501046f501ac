-- lunette/import/web_config.lua -- web.config of IIS: system.webServer, and
-- what else stands in it
--
-- What is translated is read through lunette.import.tree; what nobody has read
-- is said at the end. What protects, and is not translated, closes its scope.
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local iis_rules = require "lunette.import.iis_rules"
local programs = require "lunette.import.programs"
local tree = require "lunette.import.tree"

local concat, sort = table.concat, table.sort
local find, gmatch, gsub, lower, match =
    string.find, string.gmatch, string.gsub, string.lower, string.match
local floor = math.floor
local ipairs, pairs, tonumber, unpack = ipairs, pairs, tonumber, unpack
local add, close, note, say = emit.add, emit.close, emit.note, emit.say
local attr, child, each, is_true = tree.attr, tree.child, tree.each,
                                   tree.is_true

local _M = {}

-- What IIS hides unless it is told otherwise.
local SEGMENTS = { "web.config", "bin", "App_code", "App_GlobalResources",
                   "App_LocalResources", "App_WebReferences", "App_Data",
                   "App_Browsers" }
local EXTENSIONS = { ".asa", ".asax", ".ascx", ".master", ".skin", ".browser",
    ".sitemap", ".config", ".cs", ".csproj", ".vb", ".vbproj", ".webinfo",
    ".licx", ".resx", ".resources", ".mdb", ".vjsproj", ".java", ".jsl",
    ".ldb", ".mdf", ".ldf", ".exclude", ".refresh", ".compiled", ".msgx",
    ".vsdisco", ".rules" }
local DOCUMENTS = { "Default.htm", "default.htm", "index.htm", "index.html" }


local function plain(text)
    return (gsub(text, "[%^%$%(%)%.%[%]%*%+%-%?{}|\\]", "\\%0"))
end


-- An alternative of a pattern; nil: there is nothing to choose from.
local function any_of(list, strip)
    local out = {}

    for _, word in ipairs(list) do
        out[#out + 1] = plain((gsub(word, strip or "^$", "")))
    end
    return #out > 0 and "(?:" .. concat(out, "|") .. ")" or nil
end


local function refuse(list, test, code)
    emit.append(list, { "if (" .. test .. ") {", "return " .. code .. ";",
                        "}" })
end


local function matches(var, pattern)
    return ("$%s ~* %s"):format(var, '"' .. gsub(gsub(pattern, "\\", "\\\\"),
                                                 '"', '\\"') .. '"')
end


-- "d.hh:mm:ss" or "hh:mm:ss" in seconds; nil: it is none.
local function seconds_of(text)
    local d, h, m, s = match(text or "", "^(%d*)%.?(%d%d?):(%d%d):(%d%d)")

    if not h then
        return nil
    end
    return (tonumber(d) or 0) * 86400 + h * 3600 + m * 60 + s
end


-- --- request filtering -----------------------------------------------------

-- What a list that may be cleared and added to has in the end; also those of
-- `field` that are let in.
local function merged(node, name, defaults, value, allowed)
    local set, order, let_in = {}, {}, {}

    local function put(word)
        if not set[lower(word)] then
            set[lower(word)] = true
            order[#order + 1] = word
        end
    end

    for _, word in ipairs(defaults) do
        put(word)
    end
    for list in each(node, name) do
        for _, item in ipairs(list) do
            local word = attr(item, value)

            item.seen = true
            if item.name == "clear" then
                set, order = {}, {}
            elseif item.name == "remove" and word then
                set[lower(word)] = nil
            elseif item.name == "add" and word then
                if allowed and attr(item, "allowed") ~= "false" then
                    set[lower(word)] = nil
                    let_in[#let_in + 1] = word
                else
                    put(word)
                end
            end
        end
    end

    local out = {}

    for _, word in ipairs(order) do
        if set[lower(word)] then
            out[#out + 1] = word
        end
    end
    return out, let_in
end


local function request_limits(site, list, node)
    for limits in each(node, "requestLimits") do
        local body = tonumber(attr(limits, "maxAllowedContentLength") or "")
        local url = tonumber(attr(limits, "maxUrl") or "")
        local query = tonumber(attr(limits, "maxQueryString") or "")

        if body then
            list[#list + 1] = ("client_max_body_size %d;"):format(body)
            list.has_body_size = true
        end
        if url and url < 65535 then
            refuse(list, matches("uri", ("(?s)^.{%d}"):format(url + 1)), 404)
        end
        if query and query < 65535 then
            refuse(list, matches("args", ("(?s)^.{%d}"):format(query + 1)),
                   404)
        end
        for headers in each(limits, "headerLimits") do
            tree.use_all(headers)
            close(site, list, "headerLimits of line " .. headers.line
                  .. " (see large_client_header_buffers)")
        end
    end
end


local function verbs(site, list, node)
    for verbs_node in each(node, "verbs") do
        local good, bad = {}, {}
        local open = attr(verbs_node, "allowUnlisted") ~= "false"

        attr(verbs_node, "applyToWebDAV")
        for item in each(verbs_node, "add") do
            local word = attr(item, "verb") or ""
            local to = attr(item, "allowed") == "false" and bad or good

            to[#to + 1] = word
        end
        for _, name in ipairs { "clear", "remove" } do
            for item in each(verbs_node, name) do
                attr(item, "verb")
            end
        end
        if open and #bad > 0 then
            refuse(list, matches("request_method", "^" .. any_of(bad) .. "$"),
                   404)
        elseif not open then
            refuse(list, #good > 0
                   and gsub(matches("request_method",
                                    "^" .. any_of(good) .. "$"), "~", "!~")
                   or '$request_method ~ "."', 404)
        end
    end
end


-- { "sequence" } of elements that refuse what has one of them somewhere.
local function sequences(list, node, name, value, var)
    for all in each(node, name) do
        local words = {}

        for item in each(all, "add") do
            words[#words + 1] = attr(item, value) or ""
        end
        for _, other in ipairs { "clear", "remove" } do
            for item in each(all, other) do
                attr(item, value)
            end
        end
        if #words > 0 then
            refuse(list, matches(var, any_of(words)), 404)
        end
    end
end


local function request_filtering(site, list, node, is_root)
    local segments = merged(node, "hiddenSegments", is_root and SEGMENTS or {},
                            "segment")
    local extensions, good = merged(node, "fileExtensions",
                                    is_root and EXTENSIONS or {},
                                    "fileExtension", true)

    if is_root then
        say(list, "What IIS hides, and files whose names begin with a dot.")
        refuse(list, '$uri ~ "/\\\\.(?!well-known/)"', 404)
    end
    if #segments > 0 then
        refuse(list, matches("uri", "/" .. any_of(segments) .. "(?:/|$)"), 404)
    end
    if #extensions > 0 then
        refuse(list, matches("uri", "\\." .. any_of(extensions, "^%.")
                             .. "(?:/|$)"), 404)
    end
    for ext in each(node, "fileExtensions") do
        attr(ext, "applyToWebDAV")
        if attr(ext, "allowUnlisted") == "false" then
            refuse(list, #good > 0
                   and gsub(matches("uri", "(?:/|\\." .. any_of(good, "^%.")
                                    .. "|/[^./]*)$"), "~", "!~")
                   or '$uri ~ "\\\\.[^/]+$"', 404)
        end
    end
    for hidden in each(node, "hiddenSegments") do
        attr(hidden, "applyToWebDAV")
    end

    if node then
        attr(node, "allowDoubleEscaping")
        attr(node, "unescapeQueryString")
        if is_true(node, "removeServerHeader") then
            list[#list + 1] = "more_clear_headers Server;"
        end
        if attr(node, "allowHighBitCharacters") == "false" then
            refuse(list, '$uri ~ "[^\\\\x00-\\\\x7f]"', 404)
        end
    end
    request_limits(site, list, node)
    if is_root and not list.has_body_size then
        list[#list + 1] = "client_max_body_size 30000000;"
    end
    verbs(site, list, node)
    sequences(list, node, "denyUrlSequences", "sequence", "uri")
    sequences(list, node, "denyQueryStringSequences", "sequence", "args")
    for _, name in ipairs { "filteringRules", "alwaysAllowedUrls",
                            "alwaysAllowedQueryStrings" } do
        for other in each(node, name) do
            tree.use_all(other)
            if #other > 0 and name == "filteringRules" then
                close(site, list, name .. " of line " .. other.line)
            elseif #other > 0 then
                note(site, list, name .. " of line " .. other.line)
            end
        end
    end
end


-- --- addresses, accounts ---------------------------------------------------

-- "255.255.0.0" or "16" as a number of bits; nil: it has holes.
local function bits_of(mask)
    local bits, over = 0, false

    if tonumber(mask) and not find(mask, "%.") then
        return tonumber(mask)
    end
    for part in gmatch(mask, "[^%.]+") do
        local n = tonumber(part) or -1

        for i = 7, 0, -1 do
            local one = floor(n / 2 ^ i) % 2 == 1

            if n < 0 or one and over then
                return nil
            end
            over = over or not one
            bits = bits + (one and 1 or 0)
        end
    end
    return bits
end


-- An address with its net, as allow and deny take it; nil: it is none.
local function network_of(item)
    local ip = attr(item, "ipAddress") or ""
    local mask = attr(item, "subnetMask")
    local bits = mask and bits_of(mask)

    if not find(ip, "^[%x%.:]+$") or mask and not bits then
        return nil
    end
    return bits and ip .. "/" .. bits or ip
end


local function ip_security(site, list, node)
    local rules, open = {}, attr(node, "allowUnlisted") ~= "false"

    attr(node, "denyAction")
    attr(node, "enableReverseDns")
    if is_true(node, "enableProxyMode") then
        close(site, list, "ipSecurity enableProxyMode (see set_real_ip_from)")
    end
    for _, item in ipairs(node) do
        local net = item.name == "add" and network_of(item)
        local allowed = is_true(item, "allowed")

        item.seen = true
        if net then
            rules[#rules + 1] = (allowed and "allow " or "deny ") .. net .. ";"
        elseif item.name == "add" then
            tree.use_all(item)
            if allowed then
                note(site, list, "ipSecurity of line " .. item.line
                     .. ": somebody who was let in and is not any more")
            else
                close(site, list, "ipSecurity of line " .. item.line)
            end
        end
    end
    emit.append(list, rules)
    list[#list + 1] = open and "allow all;" or "deny all;"
end


local function dynamic_ip(site, list, node)
    local n = emit.number(site)

    attr(node, "denyAction")
    attr(node, "enableLoggingOnlyMode")
    if is_true(node, "enableProxyMode") then
        close(site, list, "dynamicIpSecurity enableProxyMode (see "
              .. "set_real_ip_from)")
    end
    for d in each(node, "denyByConcurrentRequests") do
        local most = tonumber(attr(d, "maxConcurrentRequests") or "")

        if is_true(d, "enabled") and most then
            emit.append(site.http, { ("limit_conn_zone $binary_remote_addr "
                        .. "zone=import_conn_%d:1m;"):format(n) })
            emit.append(list, { ("limit_conn import_conn_%d %d;"):format(n,
                                                                        most) })
        end
    end
    for d in each(node, "denyByRequestRate") do
        local most = tonumber(attr(d, "maxRequests") or "")
        local ms = tonumber(attr(d, "requestIntervalInMilliseconds") or "")

        if is_true(d, "enabled") and most and ms and ms > 0 then
            local rate = math.max(1, floor(most * 60000 / ms))

            emit.append(site.http, { ("limit_req_zone $binary_remote_addr "
                        .. "zone=import_req_%d:1m rate=%dr/m;"):format(n,
                                                                      rate) })
            emit.append(list, { ("limit_req zone=import_req_%d burst=%d "
                                 .. "nodelay;"):format(n, most) })
        end
    end
end


local function authentication(site, list, node)
    local anonymous, windows, basic, other = true, false, false, nil
    local realm = "Restricted"

    for _, kind in ipairs(node) do
        local on = is_true(kind, "enabled")

        kind.seen = true
        if kind.name == "anonymousAuthentication" then
            attr(kind, "userName")
            attr(kind, "password")
            attr(kind, "logonMethod")
            anonymous = attr(kind, "enabled") ~= "false"
        elseif kind.name == "windowsAuthentication" then
            windows = on
            tree.use_all(kind)
        elseif kind.name == "basicAuthentication" then
            basic = on
            realm = attr(kind, "realm") or realm
            tree.use_all(kind)
        elseif on then
            other = kind.name
            tree.use_all(kind)
        else
            tree.use_all(kind)
        end
    end

    if other then
        close(site, list, other .. " of line " .. node.line)
    elseif anonymous and (windows or basic) then
        note(site, list, "authentication of line " .. node.line .. ": with "
             .. "anonymousAuthentication, who is asked is the application's "
             .. "choice")
    elseif windows then
        list[#list + 1] = "auth_negotiate on;"
    elseif basic then
        say(list, "SECURITY: IIS asked Windows for the passwords; here they "
            .. "are in a file, and nobody gets in until there is one.")
        add(list, "auth_basic", emit.literal(site, realm))
        add(list, "auth_basic_user_file", "users.htpasswd")
        site.loud[#site.loud + 1] = "basicAuthentication of line " .. node.line
                                    .. ": passwords of users.htpasswd"
    elseif not anonymous then
        close(site, list, "authentication of line " .. node.line)
    end
end


-- Of IIS or of ASP.NET: who may come in.
local function authorization(site, list, node)
    local strict = false

    for _, item in ipairs(node) do
        local kind = item.name == "add" and attr(item, "accessType")
                     or item.name
        local users = attr(item, "users") or ""
        local roles = attr(item, "roles") or ""
        local all = users == "*" and roles == ""
                    and not attr(item, "verbs")

        strict = strict or lower(kind) == "deny"
                 or lower(kind) == "allow" and not all
    end
    tree.use_all(node)
    if strict then
        close(site, list, "authorization of line " .. node.line)
    end
end


local function access(site, list, node)
    local flags = attr(node, "sslFlags") or ""

    if find(flags, "SslRequireCert") then
        close(site, list, "access sslFlags=\"" .. flags .. "\" of line "
              .. node.line .. " (see ssl_verify_client)")
    elseif find(flags, "Ssl%f[%A]") or find(flags, "Ssl128") then
        refuse(list, "$scheme = http", 403)
    end
end


local function security(site, list, node)
    for _ in each(node, "requestFiltering") do end     -- read before
    for ip in each(node, "ipSecurity") do
        ip_security(site, list, ip)
    end
    for dynamic in each(node, "dynamicIpSecurity") do
        dynamic_ip(site, list, dynamic)
    end
    for auth in each(node, "authentication") do
        authentication(site, list, auth)
    end
    for auth in each(node, "authorization") do
        authorization(site, list, auth)
    end
    for one in each(node, "access") do
        access(site, list, one)
    end
end


-- --- content ---------------------------------------------------------------

local function documents(site, list, node, is_root)
    local names, all = {}, {}
    local cleared = false

    for doc in each(node, "defaultDocument") do
        if attr(doc, "enabled") == "false" then
            note(site, list, "defaultDocument is off: a folder's index is "
                 .. "served here")
        end
        for files in each(doc, "files") do
            for _, item in ipairs(files) do
                local value = attr(item, "value")

                item.seen = true
                if item.name == "clear" then
                    names, cleared = {}, true
                elseif item.name == "add" and value then
                    names[#names + 1] = value
                elseif value then
                    all[lower(value)] = true
                end
            end
        end
    end
    if #names == 0 and not is_root then
        return
    end
    for _, name in ipairs(names) do
        site.php = site.php or find(lower(name), "%.php$") ~= nil
        all[name] = true
        names[name] = true
    end
    if site.php and not all["index.php"] and not cleared then
        names[#names + 1] = "index.php"
    end
    for _, name in ipairs(cleared and {} or DOCUMENTS) do
        if not all[lower(name)] and not all[name] then
            names[#names + 1] = name
        end
    end
    for i, name in ipairs(names) do
        names[i] = emit.literal(site, name)
    end
    if #names > 0 then
        add(list, "index", unpack(names))
    end
end


local function client_cache(site, list, node)
    for cache in each(node, "clientCache") do
        local mode = attr(cache, "cacheControlMode") or "NoControl"
        local age = attr(cache, "cacheControlMaxAge")
        local custom = attr(cache, "cacheControlCustom")
        local expires = attr(cache, "httpExpires")

        attr(cache, "setEtag")
        if mode == "DisableCache" then
            list[#list + 1] = "expires epoch;"
        elseif mode == "UseMaxAge" then
            list[#list + 1] = ("expires %ds;"):format(seconds_of(age)
                                                      or 86400)
        elseif mode == "UseExpires" and expires then
            add(list, "more_set_headers",
                "Expires: " .. emit.literal(site, expires))
        end
        if custom and custom ~= "" then
            add(list, "more_set_headers",
                "Cache-Control: " .. emit.literal(site, custom)
                .. (mode == "UseMaxAge"
                    and ", max-age=" .. (seconds_of(age) or 86400) or ""))
        end
    end
end


local function static_content(site, list, node, is_root)
    local types, any = {}, false

    client_cache(site, list, node)
    attr(node, "enableDocFooter")
    attr(node, "defaultDocFooter")
    attr(node, "isDocFooterFileName")
    for _, item in ipairs(node) do
        local ext = attr(item, "fileExtension")
        local mime = attr(item, "mimeType")

        if item.name == "mimeMap" then
            item.seen = true
            if ext and mime and find(ext, "^%.[%w_%-]+$")
               and find(mime, "^[%w!#&%-%^_%.%+/]+$")
            then
                types[lower((gsub(ext, "^%.", "")))] = mime
                any = true
            else
                note(site, list, "mimeMap of line " .. item.line)
            end
        elseif item.name == "remove" or item.name == "clear" then
            item.seen = true
        end
    end
    if not any then
        return
    elseif not is_root then
        note(site, list, "mimeMap of a part of the site")
        return
    end
    for ext, mime in pairs(types) do
        site.types[ext] = mime
    end
end


local function headers(site, list, node, is_root)
    attr(node, "allowKeepAlive")
    for custom in each(node, "customHeaders") do
        for _, item in ipairs(custom) do
            local name, value = attr(item, "name"), attr(item, "value")

            item.seen = true
            if name and not find(name, "^[%w_%-%.]+$") then
                note(site, list, "a header in line " .. item.line)
            elseif item.name == "add" and name and is_root then
                add(list, "add_header", name,
                    emit.literal(site, value or ""), "always")
            elseif item.name == "add" and name then
                add(list, "more_set_headers",
                    name .. ": " .. emit.literal(site, value or ""))
            elseif item.name == "remove" and name then
                list[#list + 1] = "more_clear_headers " .. name .. ";"
            end
        end
    end
    for other in each(node, "redirectHeaders") do
        tree.use_all(other)
        if #other > 0 then
            note(site, list, "redirectHeaders of line " .. other.line)
        end
    end
end


local function errors(site, list, node)
    local mode = attr(node, "errorMode")

    attr(node, "detailedMoreInformationLink")
    attr(node, "defaultResponseMode")
    attr(node, "defaultPath")
    if attr(node, "existingResponse") == "Replace" then
        list[#list + 1] = "proxy_intercept_errors on;"
        list[#list + 1] = "fastcgi_intercept_errors on;"
    end
    for _, name in ipairs { "clear", "remove" } do
        for item in each(node, name) do
            attr(item, "statusCode")
            attr(item, "subStatusCode")
        end
    end
    for item in each(node, "error") do
        local code = tonumber(attr(item, "statusCode") or "")
        local path = gsub(attr(item, "path") or "", "\\", "/")
        local how = attr(item, "responseMode") or attr(node,
                                                       "defaultResponseMode")
                    or "File"
        local prefix = attr(item, "prefixLanguageFilePath")

        attr(item, "subStatusCode")
        path = gsub(path, "^~/", "/")
        if not code or code < 300 or code > 599 or path == ""
           or how == "File" and (find(path, "^%a:") or find(path, "^//"))
           or prefix and prefix ~= ""
        then
            note(site, list, "the error page of line " .. item.line)
        elseif how == "Redirect" then
            add(list, "error_page", tostring(code), "=302",
                emit.literal(site, path))
        else
            add(list, "error_page", tostring(code),
                emit.literal(site, "/" .. gsub(path, "^/", "")))
        end
    end
    if mode and mode ~= "Custom" and mode ~= "DetailedLocalOnly" then
        say(list, "errorMode was " .. mode)
    end
end


local CODES = { Found = 302, Permanent = 301, Temporary = 307,
                PermRedirect = 308 }

local function http_redirect(site, list, node)
    local to = attr(node, "destination") or ""
    local code = CODES[attr(node, "httpResponseStatus") or "Found"] or 302
    local exact = is_true(node, "exactDestination")
    local only_children = is_true(node, "childOnly")
    local text

    if attr(node, "enabled") == "false" or to == "" then
        return
    end
    for item in each(node, "add") do
        tree.use_all(item)
        note(site, list, "httpRedirect with a wildcard, of line " .. item.line)
    end
    text = emit.literal(site, to)
    text = gsub(text, "%${import_dollar}([SPQV])",
                { S = "${request_uri}", P = "", Q = "${is_args}${args}",
                  V = "${request_uri}" })
    if not exact and text == emit.literal(site, to) then
        text = gsub(text, "/$", "") .. "${request_uri}"
    end
    if only_children then
        note(site, list, "childOnly of httpRedirect")
    end
    list[#list + 1] = ("return %d %s;"):format(code, emit.quote(text))
end


local WIDE = { ["text/*"] = { "text/plain", "text/css", "text/javascript",
                              "text/xml" },
               ["message/*"] = {}, ["*/*"] = {},
               ["application/*"] = { "application/json",
                                     "application/xml" } }

local function compression(site, list, node)
    local types, has = {}, { ["text/html"] = true }

    local function put(mime)
        if not has[mime] and find(mime, "^[%w!#&%-%^_%.%+/]+$") then
            has[mime] = true
            types[#types + 1] = mime
        end
    end

    for url in each(node, "urlCompression") do
        if is_true(url, "doStaticCompression")
           or is_true(url, "doDynamicCompression")
        then
            list.gzip = true
        end
        tree.use_all(url)
    end
    for http in each(node, "httpCompression") do
        for _, kinds in ipairs(http) do
            for item in each(kinds, "add") do
                local mime = lower(gsub(attr(item, "mimeType") or "", ";.*",
                                        ""))

                if is_true(item, "enabled") then
                    list.gzip = true
                    for _, one in ipairs(WIDE[mime] or { mime }) do
                        put(one)
                    end
                end
            end
        end
        tree.use_all(http)
    end
    if list.gzip then
        list[#list + 1] = "gzip on;"
        sort(types)
        if #types > 0 then
            add(list, "gzip_types", unpack(types))
        end
    end
end


local function handlers(site, list, node)
    attr(node, "accessPolicy")
    for _, item in ipairs(node) do
        local modules = attr(item, "modules") or ""
        local path = attr(item, "path") or ""
        local processor = attr(item, "scriptProcessor") or ""

        item.seen = true
        tree.use_all(item)
        if item.name == "add" then
            if find(modules, "FastCgiModule")
               and (find(lower(processor), "php") or find(path, "%.php"))
            then
                site.php = true
                site.php_program = match(processor, "^[^|]+")
                                   or site.php_program
            elseif find(lower(modules), "aspnetcoremodule")
                   or find(lower(modules), "httpplatformhandler")
                   or find(modules, "StaticFileModule")
            then
                site.has_handler = true
            elseif lower(modules) == "iisnode" then
                programs.iisnode(site, path)
            else
                note(site, list, ('handler "%s" of line %d'):format(
                     attr(item, "name") or path, item.line))
            end
        end
    end
end


-- --- all of it -------------------------------------------------------------

-- Elements that mean nothing here, and why.
local SAID = {
    modules = "modules of IIS",
    serverRuntime = "how IIS itself works",
    validation = "a check of the configuration by IIS",
    webSocket = "WebSockets are passed on anyway",
    caching = "files are kept in memory anyway",
    tracing = "traces of failed requests (see otel_trace, slow_log)",
    httpTracing = "traces of failed requests",
    httpLogging = "logs (see access_log)",
    asp = "ASP runs in IIS only",
    cgi = "CGI",
    isapiFilters = "filters run in IIS only",
    applicationInitialization = "programs are started by upstream { program }",
    iisnode = "settings of iisnode",
    staticFile = "how IIS serves files",
    heliconZoo = "Helicon Zoo",
    webdav = "WebDAV (see dav_methods)",
}


local function web_server(site, node, list, is_root)
    local filtering

    for sec in each(node, "security") do
        filtering = child(sec, "requestFiltering") or filtering
    end
    request_filtering(site, list, filtering, is_root)
    for sec in each(node, "security") do
        security(site, list, sec)
    end
    for redirect in each(node, "httpRedirect") do
        http_redirect(site, list, redirect)
    end
    for rules in each(node, "rewrite") do
        if is_root then
            iis_rules.import(site, rules)
        else
            tree.use_all(rules)
            close(site, list, "rewrite of line " .. rules.line
                  .. ", of a part of the site")
        end
    end
    for h in each(node, "handlers") do
        handlers(site, list, h)
    end
    documents(site, list, node, is_root)
    for dir in each(node, "directoryBrowse") do
        attr(dir, "showFlags")
        if is_true(dir, "enabled") then
            list[#list + 1] = "autoindex on;"
        end
    end
    for static in each(node, "staticContent") do
        static_content(site, list, static, is_root)
    end
    for protocol in each(node, "httpProtocol") do
        headers(site, list, protocol, is_root)
    end
    for errs in each(node, "httpErrors") do
        errors(site, list, errs)
    end
    compression(site, list, node)
    for _, name in ipairs { "aspNetCore", "httpPlatform" } do
        for app in each(node, name) do
            programs.import(site, list, app, is_root)
        end
    end
    for _, other in ipairs(node or {}) do
        if SAID[other.name] then
            say(list, ("%s of line %d: %s"):format(other.name, other.line,
                                                   SAID[other.name]))
            tree.use_all(other)
        end
    end
end


local function system_web(site, node, list)
    for auth in each(node, "authorization") do
        authorization(site, list, auth)
    end
    for auth in each(node, "authentication") do
        local mode = attr(auth, "mode") or "None"

        tree.use_all(auth)
        if mode ~= "None" then
            note(site, list, "system.web authentication " .. mode .. ", which "
                 .. "is ASP.NET's")
        end
    end
    if node then
        tree.use_all(node)
        note(site, list, "system.web of line " .. node.line .. ": ASP.NET of "
             .. "the .NET Framework runs in IIS only (proxy_pass to it)")
    end
end


local PROTECTS = { "auth", "security", "deny", "allow", "ssl", "cors" }

local function protects(path)
    for _, word in ipairs(PROTECTS) do
        if find(lower(path), word, 1, true) then
            return true
        end
    end
end


-- What an application reads, and no server.
local OTHERS = { configSections = true, appSettings = true,
    connectionStrings = true, runtime = true, startup = true,
    entityFramework = true, ["system.diagnostics"] = true,
    ["system.serviceModel"] = true, ["system.codedom"] = true,
    ["system.net"] = true, ["system.data"] = true, log4net = true,
    nlog = true, unity = true, ["system.transactions"] = true,
    applicationSettings = true, userSettings = true, dataConfiguration = true,
    elmah = true }

-- One element `configuration` or `location`.
function _M.scope(site, node, list, is_root)
    local server = child(node, "system.webServer")

    if server or is_root then
        web_server(site, server, list, is_root)
    end
    local web = child(node, "system.web")

    if web then
        system_web(site, web, list)
    end
    for _, other in ipairs(node) do
        if OTHERS[other.name] or find(other.name, "^microsoft%.")
           or find(other.name, "^system%.identityModel")
        then
            say(list, ("%s of line %d is the application's"):format(
                other.name, other.line))
            tree.use_all(other)
        end
    end
end


-- Elements `location path="..."` of another.
function _M.locations(site, node, list)
    for loc in each(node, "location") do
        local path = gsub(attr(loc, "path") or "", "\\", "/")
        local last = match(path, "([^/]*)$")

        attr(loc, "inheritInChildApplications")
        attr(loc, "allowOverride")
        attr(loc, "overrideMode")
        path = gsub(gsub(path, "^[/.]+", ""), "/+$", "")
        if path == "" then
            _M.scope(site, loc, list, true)
        else
            local full = emit.quote("/" .. path .. (find(last, "%.") and ""
                                                    or "/"))
            local to = emit.location(site, "location "
                       .. (find(last, "%.") and "= " or "^~ ") .. full)

            to.scope = true
            if find(path, "$", 1, true) then
                close(site, to, "a path with $")
            end
            _M.scope(site, loc, to, false)
            _M.say_unread(site, loc, to)
            tree.use_all(loc)
        end
    end
end


-- What nobody has read is said; if it protects, its scope is closed.
function _M.say_unread(site, root, list)
    tree.unread(root, function (node, name, path)
        local what = name and ("%s=\"%s\" of %s, line %d"):format(
                         name, node.attr[name], path, node.line)
                     or ("%s, line %d"):format(path, node.line)

        if protects(path) then
            close(site, list, what)
        else
            note(site, list, what)
        end
    end)
end


-- A web.config whose root is `root`, into the site.
function _M.import(site, root)
    root.seen = true
    for _, name in ipairs(root.order) do
        attr(root, name)
    end
    _M.scope(site, root, site.server, true)
    _M.locations(site, root, site.server)
    _M.say_unread(site, root, site.server)
end


return _M
