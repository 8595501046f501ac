-- examples.lua -- examples of pages, as configurations and as specs.
--
--     lunette run -I conf/manual examples.lua FOLDER TABLES PAGE...
--
-- It fails where a directive is neither on a page nor without effect.
--
-- An example has no braces around it that say where it stands: each of its
-- directives goes where the tables let it, to the innermost place that has a
-- server of its own around it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local pages = require "pages"

local folder = arg[1]
local tables = pages.tables(arg[2])

-- From the outside to the inside: a place of the tables, the section of a spec.
local PLACES = {
    { "server", "config" },
    { "http", "http_config" },
    { "main", "main_config" },
    { "events", "events" },
}

-- What stands behind: it says who it is, and what it was asked.
local BEHIND = [[
server {
    listen 127.0.0.1:3000;
    server_tokens off;
    add_header X-Powered-By moon;
    location / { return 200 "application $request_method $request_uri\n"; }
    location /status/503 { return 503; }
    location /status/403 { return 403; }
    location /redirect/ { return 302 http://inside.example/there; }
    location /cookies {
        add_header Set-Cookie "a=b; Domain=inside.example";
        return 200;
    }
}
]]

local FILES = { ["html/index.html"] = "the first page\n",
                ["html/a.txt"] = "a text\n" }


-- The directives of a text, each with its block.
local function directives(text)
    local list, depth, from, at = {}, 0, 1, 1

    while at <= #text do
        local c = text:sub(at, at)

        if c == "'" or c == '"' then
            repeat
                at = at + (text:sub(at, at) == "\\" and 2 or 1)
            until at > #text or text:sub(at, at) == c
        elseif c == "#" then
            at = text:find("\n", at, true) or #text
        elseif c == "{" then
            depth = depth + 1
        elseif c == "}" then
            depth = depth - 1
        end

        if depth == 0 and (c == ";" or c == "}") then
            list[#list + 1] = text:sub(from, at)
            from = at + 1
        end
        at = at + 1
    end

    return list
end


-- The texts of the places that an example has directives for.
local function place(example)
    local into = {}

    for _, text in ipairs(directives(table.concat(example.lines, "\n"))) do
        local name = text:match("^[%s]*([%w_]+)")
        local where = tables.where[name]
        local section

        assert(where, example.page.path .. ": there is no " .. tostring(name))

        for _, row in ipairs(PLACES) do
            section = section or where[row[1]] and row[2]
        end

        assert(section, example.page.path .. ": nowhere to put " .. name)
        into[section] = (into[section] or "") .. text .. "\n"
    end

    return into
end


local function write(path, text)
    local file = assert(io.open(path, "w"))

    file:write(text)
    file:close()
end


local function indented(text)
    return (text:gsub("[^\n]+", "    %0"))
end


local function configuration(example, into)
    local main = into.main_config or ""
    local text = "# " .. example.page.path .. "\n" .. main

    if not main:find("^%s*events") and not main:find("\n%s*events") then
        text = text .. "events {\n" .. indented(into.events or "") .. "}\n"
    end

    if not main:find("^%s*http {") then
        text = text .. "http {\n" .. indented(into.http_config or "")
               .. "    server {\n        listen 127.0.0.1:1984;\n"
               .. indented(indented(into.config or "")) .. "    }\n}\n"
    end

    return text
end


-- As a block of a spec: its ports are those of the runner.
local function moved(text)
    text = text:gsub("127%.0%.0%.1:3000", "127.0.0.1:$TEST_NGINX_RAND_PORT_1")
    text = text:gsub('"127%.0%.0%.1", 3000',
                     '"127.0.0.1", $TEST_NGINX_RAND_PORT_1')
    text = text:gsub("listen 80;", "listen $TEST_NGINX_SERVER_PORT;")
    return (text:gsub(":1984", ":$TEST_NGINX_SERVER_PORT"))
end


local function block(example, ask, into)
    local out = { ("=== %s: %s"):format(example.page.path, ask.request) }

    local function section(name, text)
        if text and text ~= "" then
            out[#out + 1] = "--- " .. name .. "\n" .. (text:gsub("\n+$", ""))
        end
    end

    section("main_config", into.main_config)
    section("http_config", moved((into.http_config or "")
                                 .. (table.concat(example.lines, "\n")
                                     :find("3000", 1, true) and BEHIND or "")))
    section("config", moved(into.config or "") .. "\n")

    local files = {}

    for name, text in pairs(FILES) do
        files[#files + 1] = ">>> " .. name:gsub("^html/", "") .. "\n" .. text
    end
    table.sort(files)
    section("user_files", table.concat(files))
    section("request", ask.request .. (ask.body and "\n" .. ask.body or ""))
    section("more_headers", table.concat(ask.headers, "\n"))
    out[#out + 1] = "--- error_code: " .. ask.status
    section("response_headers", moved(table.concat(ask.fields, "\n")))

    if #ask.texts ~= 0 then
        local like = {}

        for i, text in ipairs(ask.texts) do like[i] = "\\Q" .. text .. "\\E" end
        out[#out + 1] = "--- response_body_like: "
                        .. table.concat(like, "[\\s\\S]*")
    end

    return table.concat(out, "\n") .. "\n\n\n\n"
end


local total, asked, all = 0, 0, {}

for i = 3, #arg do
    local page = pages.read(arg[i])

    all[#all + 1] = page

    local blocks = {}

    for _, example in ipairs(pages.examples(page)) do
        local into = place(example)

        total = total + 1
        write(("%s/%03d.conf"):format(folder, total),
              configuration(example, into))

        for _, ask in ipairs(example.asks) do
            asked = asked + 1
            blocks[#blocks + 1] = block(example, ask, into)
        end
    end

    if #blocks ~= 0 then
        write(folder .. "/" .. arg[i]:gsub("%W", "-") .. ".t",
              "no_root_location();\n__DATA__\n\n" .. table.concat(blocks))
    end
end

io.write(("%d examples, %d questions\n"):format(total, asked))

local found = pages.count(all, tables)

io.write(("%d directives, %d without effect, %d with a paragraph, "
          .. "%d in an example, %d on no page\n"):format(#tables.rows,
         #found.vain, #found.section, #found.sample, #found.none))

if #found.none ~= 0 then
    io.write(table.concat(found.none, "\n"), "\n")
    os.exit(1)
end
