-- lunette/import/programs.lua -- programs that IIS started: ASP.NET Core,
-- HttpPlatformHandler, iisnode, PHP
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local tree = require "lunette.import.tree"

local concat = table.concat
local find, gsub, lower, match, sub =
    string.find, string.gsub, string.lower, string.match, string.sub
local ipairs, tonumber = ipairs, tonumber
local add, note, say = emit.add, emit.note, emit.say
local attr, each = tree.attr, tree.each

local _M = {}

-- Words as Windows' programs take a command line apart.
local function words_of(text)
    local out, word, quoted = {}, nil, false
    local i = 1

    while i <= #text do
        local c = sub(text, i, i)
        local slashes = match(text, '^(\\+)"', i)

        if slashes then
            word = (word or "") .. ("\\"):rep((#slashes - #slashes % 2) / 2)
            i = i + #slashes
            if #slashes % 2 == 1 then
                word = word .. '"'
            else
                quoted = not quoted
            end
        elseif c == '"' then
            quoted = not quoted
            word = word or ""
        elseif find(c, "%s") and not quoted then
            out[#out + 1] = word
            word = nil
        else
            word = (word or "") .. c
        end
        i = i + 1
    end
    out[#out + 1] = word
    return out
end

_M.words_of = words_of


-- A path of Windows, as this server takes it on both systems.
local function path_of(text)
    return (gsub(gsub(text, "\\", "/"), "^%./", ""))
end


-- %HTTP_PLATFORM_PORT% and its like are told the program as %PORT%.
local function placeholders(text)
    return (gsub(gsub(text, "%%HTTP_PLATFORM_PORT%%", "%%PORT%%"),
                 "%%ASPNETCORE_PORT%%", "%%PORT%%"))
end


local HEADERS = {
    "proxy_http_version 1.1;",
    "proxy_set_header Host $http_host;",
    "proxy_set_header Upgrade $http_upgrade;",
    "proxy_set_header Connection $import_connection;",
    "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
    "proxy_set_header X-Forwarded-Proto $scheme;",
}

local function put_upgrade(site)
    if not site.counter.upgrade then
        site.counter.upgrade = true
        emit.append(site.http, { "map $http_upgrade $import_connection {",
                                 "default upgrade;", '"" "";', "}" })
    end
end


-- The upstream of a program: its name.
local function put_program(site, words, more)
    local name = "import_app_" .. emit.number(site)
    local http = site.http

    http[#http + 1] = "upstream " .. name .. " {"
    say(http, "Wants a version of Lunette whose `program` starts any program, "
        .. "not of FastCGI alone.")
    for i, word in ipairs(words) do
        words[i] = emit.quote(word)
    end
    emit.append(words, more)
    http[#http + 1] = "program " .. concat(words, " ") .. ";"
    http[#http + 1] = "}"
    put_upgrade(site)
    return name
end


-- "00:02:00" in seconds, or a number of seconds.
local function seconds(text)
    local h, m, s = match(text or "", "^(%d+):(%d+):(%d+)$")

    return h and h * 3600 + m * 60 + s or tonumber(text)
end


-- Settings that are said, since the program's own are others.
local SAID = { "startupTimeLimit", "startupRetryCount", "shutdownTimeLimit",
               "rapidFailsPerMinute", "stdoutLogEnabled", "stdoutLogFile",
               "forwardWindowsAuthToken", "hostingModel",
               "disableStartUpErrorPage" }

function _M.import(site, list, node, is_root)
    local program = attr(node, "processPath") or ""
    local words = { path_of(program) }
    local more, said = {}, {}
    local timeout = seconds(attr(node, "requestTimeout"))
    local count = tonumber(attr(node, "processesPerApplication") or "")
    local loc

    for _, word in ipairs(words_of(placeholders(attr(node, "arguments")
                                                or ""))) do
        words[#words + 1] = find(word, "^%.[\\/]") and path_of(word) or word
    end
    if count and count > 1 then
        more[#more + 1] = "count=" .. count
    end
    for vars in each(node, "environmentVariables") do
        for var in each(vars, "environmentVariable") do
            local name = attr(var, "name") or ""
            local value = placeholders(attr(var, "value") or "")

            if find(name, "^[%w_%.%(%)%-]+$") then
                more[#more + 1] = emit.quote("env=" .. name .. "=" .. value)
            else
                note(site, list, "the environment of line " .. var.line)
            end
        end
    end
    for other in each(node, "handlerSettings") do
        tree.use_all(other)
    end
    for _, name in ipairs(SAID) do
        local value = attr(node, name)

        if value then
            said[#said + 1] = name .. "=" .. value
        end
    end

    if program == "" then
        note(site, list, node.name .. " without a processPath")
        return
    end
    if lower(attr(node, "forwardWindowsAuthToken") or "") == "true" then
        note(site, list, "forwardWindowsAuthToken: the program is told no "
             .. "Windows user")
    end

    local name = put_program(site, words, more)

    loc = is_root and emit.location(site, "location /") or list
    if is_root then
        site.app = "proxy_pass http://" .. name .. ";"
    end
    if #said > 0 then
        say(loc, node.name .. " had " .. concat(said, " "))
    end
    loc[#loc + 1] = "proxy_pass http://" .. name .. ";"
    emit.append(loc, HEADERS)
    if timeout then
        loc[#loc + 1] = ("proxy_read_timeout %ds;"):format(timeout)
    end
end


-- A handler of iisnode: the file that it runs.
function _M.iisnode(site, path)
    local name = put_program(site, { "node", path_of(path) }, {})
    local loc = emit.location(site, "location = " .. emit.quote("/"
                              .. gsub(path_of(path), "^/", "")))

    say(loc, "iisnode: " .. path .. " listens where PORT says")
    loc[#loc + 1] = "proxy_pass http://" .. name .. "$request_uri;"
    emit.append(loc, HEADERS)
end


local function php_lines(name)
    return {
        "location ~ [^/]\\.php(?:/|$) {",
        "fastcgi_split_path_info ^(.+?\\.php)(/.*)$;",
        "if (!-f $document_root$fastcgi_script_name) {",
        "return 404;",
        "}",
        "include fastcgi.conf;",
        "fastcgi_param PATH_INFO $fastcgi_path_info;",
        "fastcgi_pass " .. name .. ";",
        "}",
    }
end


-- Parts of a site whose application answers for all of it.
local function finish_app(site)
    for _, loc in ipairs(site.locations) do
        if loc.scope and not loc.closed
           and not find(concat(loc, "\n"), "proxy_pass", 1, true)
        then
            loc[#loc + 1] = site.app
            emit.append(loc, HEADERS)
        end
    end
end


-- PHP, if the site has some: a location of its own, also in those of parts of
-- the site, which would serve the programs as files.
function _M.finish(site)
    if site.app then
        finish_app(site)
    end
    if not site.php then
        return
    end

    local name = "import_php_" .. emit.number(site)
    local http = site.http

    http[#http + 1] = "upstream " .. name .. " {"
    add(http, "program", path_of(site.php_program or "php-cgi"), "count=4",
        "max_requests=500")
    http[#http + 1] = "}"

    for _, loc in ipairs(site.locations) do
        if loc.scope and not loc.closed then
            emit.append(loc, php_lines(name))
        end
    end

    local lines = php_lines(name)
    local loc = emit.location(site, gsub(table.remove(lines, 1), " {$", ""))

    lines[#lines] = nil
    emit.append(loc, lines)
end


return _M
