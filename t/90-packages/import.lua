-- import.lua -- configurations of t/import, imported: as files to be read, and
-- as blocks of specs that ask what is served.
--
--     lunette run import.lua FOLDER FILE...
--
-- FOLDER/NAME.conf is a whole configuration, FOLDER/NAME.t has the blocks of
-- NAME.blocks beside FILE, each with what was made of it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local import = require "lunette.import"

local folder = arg[1]

local FILES = [[
--- user_files
>>> index.php
<?php echo $_SERVER["PHP_SELF"], " ", $_SERVER["QUERY_STRING"], " ",
$_SERVER["REQUEST_URI"], "\n";
>>> blog/index.php
<?php echo $_SERVER["PHP_SELF"], " ", $_SERVER["QUERY_STRING"], " ",
$_SERVER["REQUEST_URI"], "\n";
>>> index.html
spa
>>> style.css
css
>>> a.moon
moon
>>> 404.html
none
>>> show/17.html
seventeen
>>> open.txt
open
>>> admin/a.txt
secret
>>> members/a.txt
secret
>>> inside/a.txt
secret
>>> files/a.txt
secret
]]

-- What stands behind proxies.
local BEHIND = [[
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    return 200 "$request_uri\n";
}
]]

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "*a"

    file:close()
    return text
end

local function write(path, text)
    local file = assert(io.open(path, "wb"))

    file:write(text)
    file:close()
end

-- Ports and files are the runner's.
local function moved(text)
    text = text:gsub("\n?client_max_body_size[^\n]*", "")     -- it has one
    text = text:gsub("127%.0%.0%.1:3000", "127.0.0.1:$TEST_NGINX_RAND_PORT_1")
    return (text:gsub("include fastcgi%.conf",
                      "include $TEST_NGINX_ROOT_DIR/conf/fastcgi.conf"))
end

for i = 2, #arg do
    local path = arg[i]
    local name = path:match "([^/]+)$"
    local short = name:gsub("%.[%w%.]+$", "")
    local all = assert(import.sites(name, read(path), {}))
    local http = table.concat(emit.http_lines(all[1]), "\n")
    local server = table.concat(emit.server_lines(all[1]), "\n")
    local asks = io.open((path:gsub("[^/]+$", short .. ".blocks")), "rb")

    write(folder .. "/" .. name .. ".conf",
          import.configuration(all, name))
    if asks then
        local text = asks:read "*a"
        local php = http:find("php-cgi", 1, true)
        local head = "--- http_config\n    types {\n        text/html html;\n"
            .. "        text/css css;\n    }\n"
            .. BEHIND .. moved(http) .. "\n--- config\n" .. moved(server)
            .. "\nabsolute_redirect off;\n"
            .. (php and "--- skip_windows: no PHP in Wine\n" or "")

        asks:close()
        local out = {}

        for line in text:gmatch "[^\n]*\n" do
            if line:find "^=== " then
                out[#out + 1] = line .. head
            else
                out[#out] = out[#out] .. line
            end
        end
        for n, block in ipairs(out) do
            if not block:find("\n--- user_files", 1, true) then
                out[n] = block:gsub("%s*$", "\n") .. FILES .. "\n\n"
            end
        end
        write(folder .. "/" .. short .. ".t",
              "no_root_location();\n\n__DATA__\n\n"
              .. table.concat(out))
    end
end
